use super::*;
use rustle_testkit::{noise, pulses, vowel};

const POLES: [(f64, f64); 5] = [
    (730.0, 80.0),
    (1090.0, 90.0),
    (2440.0, 120.0),
    (3500.0, 175.0),
    (4500.0, 250.0),
];

/// A voice of 150 Hz, silence, noise, and a voice of 220 Hz.
fn speech(rate: f64) -> Vec<f32> {
    let part = (0.5 * rate) as usize;
    let voice = |pitch: f64| vowel(rate, part, &pulses([1.0 / pitch].repeat(150), [1.0; 150]), &POLES);
    let mut signal = voice(150.0);
    signal.extend(vec![0.0; part / 2]);
    signal.extend(noise(1, part / 2).iter().map(|x| 0.05 * x));
    signal.extend(voice(220.0));
    signal
}

#[test]
fn frames_and_sum_tell_what_is_there() {
    for rate in [16_000.0, 44_100.0, 96_000.0] {
        let (frames, summary) = analyze(&VoiceConfiguration::new(rate), &speech(rate)).expect("valid");
        assert_eq!(summary.frames, frames.len() as u64);
        assert_eq!(
            summary.voiced,
            frames.iter().filter(|frame| frame.is_voiced).count() as u64
        );
        let near = |frame: &VoiceFrame| frame.sample as f64 / rate;
        for frame in &frames {
            let time = near(frame);
            let expected = if (0.05..0.44).contains(&time) {
                150.0
            } else if (1.06..1.44).contains(&time) {
                220.0
            } else {
                assert!(
                    !((0.56..0.7).contains(&time) && frame.is_voiced),
                    "{rate}: {frame:?}"
                );
                continue;
            };
            assert!(
                frame.is_voiced && (frame.pitch / expected - 1.0).abs() < 0.01,
                "{rate}: {frame:?}"
            );
            assert!(
                frame.harmonicity.is_some_and(|found| found.hnr > 10.0),
                "{rate}: {frame:?}"
            );
            let first = frame.formants.get(1).map_or(0.0, |formant| formant.frequency);
            assert!((first / 730.0 - 1.0).abs() < 0.1, "{rate}: {frame:?}");
            assert!((300.0..2500.0).contains(&frame.centroid), "{rate}: {frame:?}");
        }
        let silent = frames
            .iter()
            .find(|frame| (0.6..0.65).contains(&near(frame)))
            .expect("a frame");
        assert_eq!((silent.pitch, silent.level), (0.0, f64::NEG_INFINITY));
        assert!(
            (150.0..=220.0).contains(&summary.mean_pitch) && summary.mean_hnr > 10.0,
            "{summary:?}"
        );
        assert!(
            summary.perturbation.jitter < 2e-3 && summary.perturbation.periods > 100,
            "{summary:?}"
        );
    }
}

#[test]
fn sum_is_that_of_the_frames() {
    let (frames, summary) = analyze(&VoiceConfiguration::new(44_100.0), &speech(44_100.0)).expect("valid");
    let mut pitches: Vec<f64> = frames.iter().filter(|f| f.is_voiced).map(|f| f.pitch).collect();
    let count = pitches.len() as f64;
    let mean = pitches.iter().sum::<f64>() / count;
    let squares: f64 = pitches.iter().map(|pitch| (pitch - mean).powi(2)).sum();
    assert!((summary.mean_pitch - mean).abs() < 1e-9);
    assert!((summary.pitch_deviation - (squares / (count - 1.0)).sqrt()).abs() < 1e-9);
    pitches.sort_by(f64::total_cmp);
    let median = pitches[(pitches.len() - 1) / 2];
    assert!(
        (1200.0 * (summary.median_pitch / median).log2()).abs() < 0.51,
        "{summary:?}, {median}"
    );
}

#[test]
fn pieces_give_the_same_numbers_and_reset_is_a_fresh_start() {
    let signal = speech(16_000.0);
    for hop in [None, Some(100), Some(20_000)] {
        let configuration = VoiceConfiguration {
            hop,
            ..VoiceConfiguration::new(16_000.0)
        };
        let (expected, summary) = analyze(&configuration, &signal).expect("valid");
        let mut analyzer = VoiceAnalyzer::new(&configuration).expect("valid");
        for size in [1, 77, 4096] {
            let mut frames = Vec::new();
            for piece in signal.chunks(size) {
                analyzer.push(piece, |frame| frames.push(frame)).expect("valid");
            }
            assert_eq!(frames, expected, "pieces of {size}");
            assert_eq!(analyzer.summary(), summary, "pieces of {size}");
            analyzer.reset();
            assert_eq!(analyzer.summary(), VoiceSummary::default());
        }
    }
}

#[test]
fn number_of_frames_is_the_documented_one() {
    let configuration = VoiceConfiguration::new(8000.0);
    let analyzer = VoiceAnalyzer::new(&configuration).expect("valid");
    let (window, hop) = (analyzer.frame_length(), analyzer.hop());
    for length in [
        0,
        1,
        window - 1,
        window,
        window + hop - 1,
        window + hop,
        window + 10 * hop,
    ] {
        let frames = analyze(&configuration, &vec![0.1; length]).expect("valid").0;
        let expected = if length < window {
            0
        } else {
            1 + (length - window) / hop
        };
        assert_eq!(frames.len(), expected, "{length} samples");
        assert!(
            frames
                .first()
                .is_none_or(|frame| frame.sample == (window / 2) as u64)
        );
    }
}

#[test]
fn samples_that_are_not_finite_do_not_outlive_their_window() {
    let mut signal = speech(16_000.0);
    let clean = analyze(&VoiceConfiguration::new(16_000.0), &signal)
        .expect("valid")
        .0;
    signal[9000] = f32::NAN;
    signal[9001] = f32::INFINITY;
    let (frames, summary) = analyze(&VoiceConfiguration::new(16_000.0), &signal).expect("valid");
    let window = VoiceAnalyzer::new(&VoiceConfiguration::new(16_000.0))
        .expect("valid")
        .frame_length() as u64;
    for (frame, clean) in frames.iter().zip(&clean) {
        if frame.sample.abs_diff(9000) > window / 2 + 2 {
            assert_eq!(frame, clean);
        }
    }
    let p = summary.perturbation;
    assert!(
        p.jitter.is_finite() && p.shimmer.is_finite() && summary.mean_hnr.is_finite(),
        "{summary:?}"
    );
}

#[test]
fn configurations_are_checked() {
    let base = VoiceConfiguration::new(44_100.0);
    let error = |configuration: VoiceConfiguration| VoiceAnalyzer::new(&configuration).err();
    assert_eq!(
        error(VoiceConfiguration::new(192_001.0)),
        Some(VoiceError::SampleRate { got: 192_001.0 })
    );
    assert_eq!(
        error(VoiceConfiguration {
            hop: Some(0),
            ..base.clone()
        }),
        Some(VoiceError::Hop { got: 0 })
    );
    let range = VoiceConfiguration {
        range: 20.0..=400.0,
        ..base.clone()
    };
    assert_eq!(
        error(range),
        Some(VoiceError::Range {
            lowest: 20.0,
            highest: 400.0
        })
    );
    let formants = FormantConfiguration {
        ceiling: 9000.0,
        ..FormantConfiguration::new(44_100.0)
    };
    assert_eq!(
        error(VoiceConfiguration {
            formants: Some(formants),
            ..base
        }),
        Some(VoiceError::Ceiling { got: 9000.0 })
    );
    let text = VoiceError::Range {
        lowest: 20.0,
        highest: 400.0,
    }
    .to_string();
    assert!(
        text.contains("40 to 2000 Hz") && text.contains("got 20 to 400 Hz"),
        "{text}"
    );
}
