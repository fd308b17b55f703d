//! Calls that must not allocate.

use rustle_dsp::level::{BandAnalyzer, BandWidth, FrequencyWeighting, LevelMeter, TimeWeighting};
use rustle_dsp::loudness::{ChannelWeight, LoudnessMeter};
use rustle_dsp::pitch::{Decoding, PitchConfiguration, PitchError, PitchMethod, PitchTracker, contour};
use rustle_dsp::voice::{VoiceAnalyzer, VoiceConfiguration};
use rustle_dsp::{
    InstructionSet, InversePlan, InverseStft, Normalization, Output, Padding, SpectrumPlan, StftPlan,
    StftStream, Symmetry, Window,
};
use rustle_testkit::{CountingAllocator, allocations_in, noise, with_allocations_up_to};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn counter_counts() {
    let (count, _) = allocations_in(|| vec![1_u8; 100]);
    assert_eq!(count, 1);
}

#[test]
fn no_form_of_a_spectrum_allocates() {
    let paths = InstructionSet::ALL.into_iter().filter(|path| path.is_available());
    for (path, size) in paths.flat_map(|path| [64, 128, 2048, 65_536].map(|size| (path, size))) {
        let plan = SpectrumPlan::with_instruction_set(
            path,
            size,
            Window::Hann,
            Symmetry::Periodic,
            Normalization::Amplitude,
        );
        let plan = plan.expect("a valid size");
        let input = noise(1, size);
        let mut scratch = vec![0.0; plan.scratch_len()];
        let mut bins = vec![0.0; plan.bins()];
        let mut complex = vec![0.0; 2 * plan.bins()];
        let (count, results) = allocations_in(|| {
            [
                plan.magnitudes(&input, &mut bins, &mut scratch),
                plan.power(&input, &mut bins, &mut scratch),
                plan.decibels(&input, &mut bins, &mut scratch),
                plan.complex(&input, &mut complex, &mut scratch),
            ]
        });
        assert_eq!(count, 0, "{size} samples, {path}");
        assert_eq!(results, [Ok(()); 4]);
    }
}

#[test]
fn inverse_does_not_allocate() {
    for size in [64, 2048, 65_536] {
        let plan = InversePlan::new(size).expect("a valid size");
        let bins = noise(2, plan.complex_len());
        let (mut output, mut scratch) = (vec![0.0; size], vec![0.0; plan.scratch_len()]);
        let (count, result) = allocations_in(|| plan.samples(&bins, &mut output, &mut scratch));
        assert_eq!((count, result), (0, Ok(())));
    }
}

#[test]
fn short_time_spectra_allocate_nothing_whole_or_in_pieces_or_back() {
    let signal = noise(3, 5000);
    for padding in [Padding::None, Padding::Zero, Padding::Reflect] {
        for form in Output::ALL {
            let spectrum = SpectrumPlan::new(512, Window::Hann, Symmetry::Periodic, Normalization::None);
            let spectrum = spectrum.expect("a valid size");
            let inverse = InverseStft::new(&spectrum, 100, padding).expect("a valid hop");
            let plan = StftPlan::new(spectrum, 100, padding, form).expect("a valid hop");
            let count = plan.frame_count(signal.len());
            let mut rows = vec![0.0; count * plan.row_len()];
            let mut scratch = vec![0.0; plan.scratch_len()];
            let plan = Arc::new(plan);
            let mut stream = StftStream::new(plan.clone());
            let (allocations, results) = allocations_in(|| {
                let whole = plan.frames(&signal, 0, &mut rows, &mut scratch);
                let mut frames = 0;
                for piece in signal.chunks(77) {
                    frames += stream
                        .push(piece, &mut rows)
                        .map_or(0, |progress| progress.frames);
                }
                frames += stream.finish(&mut rows).unwrap_or(0);
                (whole, frames)
            });
            assert_eq!((allocations, results), (0, (Ok(count), count)), "{padding:?}");

            let frames = vec![0.5; count * inverse.row_len()];
            let (mut output, mut scratch) = (vec![0.0; 5000], vec![0.0; inverse.scratch_len()]);
            let (allocations, result) = allocations_in(|| inverse.signal(&frames, &mut output, &mut scratch));
            assert_eq!((allocations, result), (0, Ok(())));
        }
    }
}

#[test]
fn refused_call_does_not_allocate_either() {
    let plan = SpectrumPlan::new(256, Window::Hann, Symmetry::Periodic, Normalization::None);
    let plan = plan.expect("a valid size");
    let (count, result) = allocations_in(|| plan.magnitudes(&[], &mut [], &mut []));
    assert_eq!(count, 0);
    assert!(result.is_err());
}

#[test]
fn making_a_plan_takes_a_few_allocations_whatever_the_size() {
    for path in InstructionSet::ALL.into_iter().filter(|path| path.is_available()) {
        let plan_of = |size| {
            move || {
                SpectrumPlan::with_instruction_set(
                    path,
                    size,
                    Window::Hann,
                    Symmetry::Periodic,
                    Normalization::None,
                )
            }
        };
        for size in [512, 8192, 65_536] {
            let (count, plan) = allocations_in(plan_of(size));
            assert!(plan.is_ok());
            // Tables of roots, weights, positions and points, one of twiddle factors for each pass, and a few that double as they
            // grow.
            assert!(count <= 64, "{size} samples, {path}: {count} allocations");
        }
    }
}

#[test]
fn no_meter_allocates_while_it_measures() {
    let rate = 48_000.0;
    let sound = noise(3, 2 * 48_000 * 4);
    let mut loudness = LoudnessMeter::new(rate, &[ChannelWeight::Front; 2]).expect("valid channels");
    let level = LevelMeter::new(rate, FrequencyWeighting::A, TimeWeighting::Fast, 94.0);
    let mut level = level.expect("a valid rate");
    let mut bands = BandAnalyzer::new(BandWidth::ThirdOctave, rate).expect("a valid rate");
    let mut powers = vec![0.0; bands.centres().len()];
    let (count, readings) = allocations_in(|| {
        for block in sound.chunks(2 * 512) {
            assert_eq!(loudness.process(block), Ok(()));
            level.process(block.iter().copied());
            bands.process(block);
        }
        bands.mean_squares(&mut powers);
        let readings = (loudness.reading(), level.reading(), level.exceeded(10.0));
        loudness.restart();
        level.restart();
        bands.restart();
        readings
    });
    assert_eq!(count, 0);
    assert!(readings.0.integrated.is_finite() && readings.1.level.is_finite() && readings.2.is_some());
}

#[test]
fn pitch_of_a_frame_does_not_allocate() {
    let mut signal = noise(4, 20_000);
    for (n, sample) in signal.iter_mut().enumerate().skip(8000) {
        *sample = (0.03 * n as f32).sin() + 0.3 * (0.09 * n as f32).sin();
    }
    for method in PitchMethod::ALL {
        let configuration = PitchConfiguration {
            method,
            ..PitchConfiguration::new(48_000.0, 60.0..=2000.0)
        };
        let mut tracker = PitchTracker::new(&configuration, 512).expect("valid");
        let mut frames = 0;
        let (count, result) = allocations_in(|| {
            signal
                .chunks(777)
                .try_for_each(|samples| tracker.push(samples, |_| frames += 1))
        });
        assert_eq!((count, result), (0, Ok(())), "{method}");
        assert!(frames > 30);
    }
}

#[test]
fn contour_without_memory_for_its_frames_aborted_the_process() {
    let configuration = PitchConfiguration::new(8_000.0, 60.0..=1000.0);
    let signal = vec![0.0; 1 << 19];
    for decoding in [Decoding::Frame, Decoding::Viterbi] {
        let refused = with_allocations_up_to(16 << 20, || contour(&configuration, 1, decoding, &signal));
        assert!(matches!(refused, Err(PitchError::Memory { bytes }) if bytes > 16 << 20));
    }
}

#[test]
fn voice_analyzer_allocates_nothing_per_frame() {
    let signal = rustle_testkit::vowel(
        44_100.0,
        44_100,
        &rustle_testkit::pulses([0.007].repeat(150), [1.0; 150]),
        &[(700.0, 80.0), (1200.0, 90.0)],
    );
    let mut analyzer = VoiceAnalyzer::new(&VoiceConfiguration::new(44_100.0)).expect("valid");
    let mut voiced = 0;
    let (count, result) =
        allocations_in(|| analyzer.push(&signal, |frame| voiced += u32::from(frame.is_voiced)));
    assert_eq!((count, result), (0, Ok(())));
    assert!(voiced > 40, "{voiced}");
    let (count, summary) = allocations_in(|| analyzer.summary());
    assert_eq!(count, 0);
    assert!(summary.perturbation.periods > 90);
}
