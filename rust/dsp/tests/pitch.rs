//! Pitch of tones whose pitch is known, and of what has none.

use rustle_dsp::pitch::{
    Decoding, PERIODS, PitchConfiguration, PitchError, PitchEstimate, PitchEstimator, PitchFrame,
    PitchMethod, PitchTracker, VOICED, contour, estimator,
};
use rustle_testkit::{Tone, cents, noise, normal_noise, sine};

const RATE: f64 = 44_100.0;
const WINDOW: usize = 4096;
/// A1 to A6.
const NOTES: [f64; 6] = [55.0, 110.0, 220.0, 440.0, 880.0, 1760.0];

fn music(method: PitchMethod) -> Box<dyn PitchEstimator> {
    let configuration = PitchConfiguration {
        method,
        window: Some(WINDOW),
        ..PitchConfiguration::new(RATE, 25.0..=4500.0)
    };
    estimator(&configuration).expect("valid")
}

fn default() -> Box<dyn PitchEstimator> {
    music(PitchMethod::Harmonic)
}

/// 16 bits, as sound comes from files.
fn quantised(samples: &[f32]) -> Vec<f32> {
    samples
        .iter()
        .map(|x| (x * 32_768.0).round() / 32_768.0)
        .collect()
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

#[track_caller]
fn expect(estimate: PitchEstimate, frequency: f64, within: f64, what: &str) {
    let away = cents(estimate.frequency, frequency).abs();
    assert!(
        away <= within,
        "{what}: {frequency} Hz, off by {away} cents: {estimate:?}"
    );
    assert!(estimate.is_voiced(), "{what}: {frequency} Hz: {estimate:?}");
}

// MARK: clean tones

#[test]
fn clean_tones_are_exact_whichever_partials_they_have() {
    let mut pitch = default();
    for (index, note) in NOTES.into_iter().enumerate() {
        for detuned in [-37.0, 0.0, 21.0] {
            let frequency = note * 2_f64.powf(detuned / 1200.0);
            let phase = 0.7 + index as f64;
            let full = Tone::stack(frequency, 24, 0.3, RATE);
            let mut missing = Tone::stack(frequency, 12, 0.3, RATE);
            missing.amplitudes[0] = 0.0;
            let mut weak = full.clone();
            weak.amplitudes[0] *= 0.0316;
            let sine = Tone::stack(frequency, 1, 0.3, RATE);
            for (name, tone) in [
                ("sine", sine),
                ("stack", full),
                ("missing", missing),
                ("weak", weak),
            ] {
                let frame = quantised(&tone.samples(WINDOW, phase));
                expect(pitch.estimate(&frame).expect("a frame"), frequency, 0.01, name);
            }
        }
    }
}

#[test]
fn lowest_and_highest_notes_are_within_a_cent() {
    let mut pitch = default();
    for frequency in [27.5, 3520.0, 4186.0] {
        for partials in [1, 24] {
            let frame = quantised(&Tone::stack(frequency, partials, 0.3, RATE).samples(WINDOW, 1.3));
            expect(pitch.estimate(&frame).expect("a frame"), frequency, 1.0, "an end");
        }
    }
}

#[test]
fn inharmonic_tones_have_the_pitch_of_their_first_partial_and_tell_b() {
    let mut pitch = default();
    for inharmonicity in [1e-5, 1e-4, 3e-4, 1e-3] {
        for frequency in [82.4, 110.0, 220.0, 440.0] {
            let mut tone = Tone::stack(frequency, 20, 0.3, RATE);
            tone.inharmonicity = inharmonicity;
            let frame = quantised(&tone.samples(WINDOW, 0.4));
            let estimate = pitch.estimate(&frame).expect("a frame");
            expect(estimate, frequency, 0.1, "inharmonic");
            let ratio = estimate.inharmonicity / inharmonicity;
            assert!(
                (ratio - 1.0).abs() < 0.02,
                "B {inharmonicity} at {frequency} Hz: {estimate:?}"
            );
        }
    }
    let harmonic = Tone::stack(220.0, 20, 0.3, RATE).samples(WINDOW, 0.4);
    let noisy = sum(&harmonic, &normal_noise(5, WINDOW, 1e-4));
    assert_eq!(pitch.estimate(&noisy).expect("a frame").inharmonicity, 0.0);
}

#[test]
fn vibrato_is_read_in_the_middle_of_the_frame() {
    // 30 cents at 5.5 Hz, and at the crest, where a mean over the frame reads low.
    let (depth, speed): (f64, f64) = (30.0, 5.5);
    let mut pitch = default();
    let mut worst: f64 = 0.0;
    for frequency in [220.0, 440.0] {
        let crest = 0.25 / speed;
        let mut phase = 0.0;
        let frame: Vec<f32> = (0..WINDOW)
            .map(|n| {
                let time = (n as f64 - WINDOW as f64 / 2.0) / RATE + crest;
                let now =
                    frequency * 2_f64.powf(depth / 1200.0 * (std::f64::consts::TAU * speed * time).sin());
                phase += std::f64::consts::TAU * now / RATE;
                (1..=12)
                    .map(|k| 0.3 / f64::from(k) * (f64::from(k) * phase).sin())
                    .sum::<f64>() as f32
            })
            .collect();
        let estimate = pitch.estimate(&frame).expect("a frame");
        worst = worst.max(cents(estimate.frequency, frequency * 2_f64.powf(depth / 1200.0)).abs());
    }
    // The mean over the frame is 6 cents lower.
    assert!(worst < 1.5, "{worst} cents");
}

// MARK: noise

#[test]
fn error_in_noise_is_the_cramer_rao_bound() {
    let mut pitch = default();
    for (partials, decibels) in [(1, 20.0), (24, 20.0), (24, 10.0), (1, 10.0), (24, 40.0)] {
        let mut squares = Vec::new();
        for (index, note) in NOTES.into_iter().enumerate() {
            let tone = Tone::stack(note * 1.0021, partials, 0.1, RATE);
            let variance = tone.power() / 10_f64.powf(decibels / 10.0);
            for trial in 0..12 {
                let seed = 1 + 100 * index as u32 + trial;
                let clean = tone.samples(WINDOW, 0.3 + f64::from(trial));
                let frame = sum(&clean, &normal_noise(seed, WINDOW, variance));
                let estimate = pitch.estimate(&frame).expect("a frame");
                let error = cents(estimate.frequency, tone.frequency);
                assert!(
                    error.abs() < 50.0,
                    "{partials} partials, {decibels} dB: {estimate:?}"
                );
                squares.push((error / tone.bound(WINDOW, variance)).powi(2));
            }
        }
        // 72 errors: their root mean square is within a quarter of the bound's, three of its standard deviations.
        let ratio = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        assert!(
            (0.75..1.35).contains(&ratio),
            "{partials} partials, {decibels} dB: {ratio} bounds"
        );
    }
}

#[test]
fn told_deviation_is_that_of_the_errors() {
    let mut pitch = default();
    let tone = Tone::stack(331.0, 16, 0.1, RATE);
    let (mut errors, mut told) = (0.0, 0.0);
    for trial in 0..80 {
        let noise = normal_noise(900 + trial, WINDOW, tone.power() / 100.0);
        let frame = sum(&tone.samples(WINDOW, 0.1 * f64::from(trial)), &noise);
        let estimate = pitch.estimate(&frame).expect("a frame");
        errors += cents(estimate.frequency, tone.frequency).powi(2);
        told += estimate.deviation.powi(2);
        // 20 dB; the fit takes a little of the noise for the tone.
        assert!((estimate.harmonicity - 20.0).abs() < 0.5, "{estimate:?}");
    }
    let ratio = (errors / told).sqrt();
    assert!((0.75..1.3).contains(&ratio), "{ratio}");
}

#[test]
fn tones_as_loud_as_the_noise_are_found() {
    let mut pitch = default();
    for note in NOTES {
        for (partials, trial) in (0..6).flat_map(|trial| [(1, trial), (24, trial)]) {
            let tone = Tone::stack(note, partials, 0.1, RATE);
            let frame = sum(
                &tone.samples(WINDOW, 0.9),
                &normal_noise(40 + trial, WINDOW, tone.power()),
            );
            expect(pitch.estimate(&frame).expect("a frame"), note, 30.0, "0 dB");
        }
    }
}

#[test]
fn what_has_no_pitch_is_not_voiced() {
    let mut pitch = default();
    let voiced = |frames: Vec<Vec<f32>>, pitch: &mut dyn PitchEstimator| {
        let voiced = frames
            .iter()
            .map(|frame| pitch.estimate(frame).expect("a frame"))
            .filter(PitchEstimate::is_voiced);
        voiced.count()
    };
    let white: Vec<Vec<f32>> = (1..200).map(|seed| noise(seed, WINDOW)).collect();
    assert_eq!(voiced(white.clone(), &mut *pitch), 0);
    let dither: Vec<Vec<f32>> = white
        .iter()
        .map(|frame| {
            frame
                .iter()
                .map(|x| x.signum() / 65_536.0 + 1.0 / 65_536.0)
                .collect()
        })
        .collect();
    assert_eq!(voiced(dither, &mut *pitch), 0);
    // Sums that leak a little: brown.
    let brown: Vec<Vec<f32>> = (300..500)
        .map(|seed| {
            let mut sum = 0.0;
            let walk = noise(seed, 4 * WINDOW).into_iter().map(move |x| {
                sum = 0.999 * sum + 0.01 * x;
                sum
            });
            walk.skip(3 * WINDOW).collect()
        })
        .collect();
    assert!(voiced(brown, &mut *pitch) <= 2);
    let clicks: Vec<Vec<f32>> = (1..50)
        .map(|seed| {
            noise(seed, WINDOW)
                .into_iter()
                .map(|x| if x > 0.999 { 1.0 } else { 0.0 })
                .collect()
        })
        .collect();
    // Two equal clicks in a frame are two periods; one frame of these has them.
    assert!(voiced(clicks, &mut *pitch) <= 1);
    let silence = pitch.estimate(&[0.0; WINDOW]).expect("a frame");
    assert_eq!((silence.frequency, silence.confidence), (0.0, 0.0));
    assert_eq!(silence.level, f64::NEG_INFINITY);
    let constant = pitch.estimate(&[0.25; WINDOW]).expect("a frame");
    assert!(!constant.is_voiced(), "{constant:?}");
}

#[test]
fn quiet_clipped_and_offset_tones_keep_their_pitch() {
    let mut pitch = default();
    for note in NOTES {
        let tone = Tone::stack(note, 12, 0.3, RATE).samples(WINDOW, 0.2);
        let quiet: Vec<f32> = tone.iter().map(|x| x * 0.002).collect();
        expect(
            pitch.estimate(&quantised(&quiet)).expect("a frame"),
            note,
            1.0,
            "-60 dBFS",
        );
        let clipped: Vec<f32> = tone.iter().map(|x| (4.0 * x).clamp(-0.5, 0.5)).collect();
        expect(pitch.estimate(&clipped).expect("a frame"), note, 1.0, "clipped");
        let offset: Vec<f32> = tone.iter().map(|x| x + 0.3).collect();
        expect(pitch.estimate(&offset).expect("a frame"), note, 0.1, "offset");
        if note > 100.0 {
            let hum = sum(&tone, &sine(WINDOW, 50.0, RATE, 0.03, 0.5));
            expect(pitch.estimate(&hum).expect("a frame"), note, 1.0, "hum");
        }
    }
}

#[test]
fn tones_at_the_ends_of_the_range_are_found_whatever_their_phase() {
    for (rate, low, high) in [
        (48_000.0, 60.0, 1000.0),
        (RATE, 82.0, 880.0),
        (RATE, 100.0, 950.0),
    ] {
        for method in [PitchMethod::Harmonic, PitchMethod::Mpm] {
            let configuration = PitchConfiguration {
                method,
                ..PitchConfiguration::new(rate, low..=high)
            };
            let mut pitch = estimator(&configuration).expect("valid");
            for step in 0..16 {
                for frequency in [low, high] {
                    let frame = sine(pitch.window(), frequency, rate, 0.3, 0.4 * f64::from(step));
                    let estimate = pitch.estimate(&frame).expect("a frame");
                    expect(estimate, frequency, 5.0, method.name());
                }
            }
        }
    }
}

#[test]
fn a_lone_sample_has_no_pitch() {
    let mut pitch = default();
    for place in [0, 1, 2, 700, WINDOW / 2, WINDOW - 1] {
        for level in [0.0, 1.0 / 65_536.0] {
            let mut frame: Vec<f32> = noise(9, WINDOW).into_iter().map(|x| level * x.signum()).collect();
            frame[place] = 1.0;
            let estimate = pitch.estimate(&frame).expect("a frame");
            assert!(!estimate.is_voiced(), "at {place}: {estimate:?}");
        }
    }
}

#[test]
fn samples_that_are_no_numbers_have_no_pitch() {
    for method in PitchMethod::ALL {
        let mut pitch = music(method);
        let tone = Tone::stack(220.0, 8, 0.3, RATE).samples(WINDOW, 0.2);
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            for place in [0, 1, 2000, WINDOW - 1] {
                let mut frame = tone.clone();
                frame[place] = wrong;
                let estimate = pitch.estimate(&frame).expect("a frame");
                assert_eq!(
                    (estimate.frequency, estimate.confidence),
                    (0.0, 0.0),
                    "{method}, {wrong}"
                );
            }
        }
        // And the next frame is not touched by it.
        let after = pitch.estimate(&tone).expect("a frame");
        assert_eq!(after, music(method).estimate(&tone).expect("a frame"), "{method}");
    }
}

#[test]
fn amplitude_does_not_matter() {
    let mut pitch = default();
    let tone = Tone::stack(196.0, 10, 0.3, RATE).samples(WINDOW, 0.2);
    let expected = pitch.estimate(&tone).expect("a frame");
    for scale in [1e-10_f32, 1e-5, 100.0, 1e6] {
        let scaled: Vec<f32> = tone.iter().map(|x| x * scale).collect();
        let estimate = pitch.estimate(&scaled).expect("a frame");
        assert!(
            cents(estimate.frequency, expected.frequency).abs() < 1e-3,
            "{scale}: {estimate:?}"
        );
        assert!((estimate.confidence - expected.confidence).abs() < 1e-3);
    }
}

// MARK: the other methods

#[test]
fn named_methods_find_what_they_are_good_at() {
    let stack = |frequency| Tone::stack(frequency, 8, 0.3, RATE).samples(WINDOW, 0.2);
    for (method, within) in [
        (PitchMethod::Yin, 6.0),
        (PitchMethod::Mpm, 6.0),
        (PitchMethod::HarmonicProduct, 25.0),
    ] {
        let mut pitch = music(method);
        for frequency in [98.3, 220.0, 447.0, 700.0] {
            let estimate = pitch.estimate(&stack(frequency)).expect("a frame");
            let away = cents(estimate.frequency, frequency).abs();
            assert!(
                away < within && estimate.confidence > 0.7,
                "{method}: {away} cents, {estimate:?}"
            );
            assert_eq!(estimate.inharmonicity, 0.0);
        }
    }
    // The largest peak is the strongest partial.
    let mut peak = music(PitchMethod::SpectralPeak);
    let mut tone = Tone::stack(220.0, 3, 0.3, RATE);
    tone.amplitudes[2] = 0.9;
    let estimate = peak.estimate(&tone.samples(WINDOW, 0.2)).expect("a frame");
    assert!(cents(estimate.frequency, 660.0).abs() < 2.0, "{estimate:?}");
    // A harmonic product needs harmonics; that is why it is not the default.
    let sine = sine(WINDOW, 440.0, RATE, 0.3, 0.0);
    let product = music(PitchMethod::HarmonicProduct)
        .estimate(&sine)
        .expect("a frame");
    assert!(cents(product.frequency, 440.0).abs() > 50.0, "{product:?}");
}

#[test]
fn methods_are_called_by_their_names() {
    for method in PitchMethod::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    let error = "cepstrum".parse::<PitchMethod>().expect_err("no method");
    assert_eq!(
        error.to_string(),
        "pitch method: expected one of harmonic yin mpm hps peak, got another name"
    );
}

// MARK: configurations

#[test]
fn window_holds_the_range() {
    for (rate, lowest, window) in [
        (44_100.0, 25.0, 4096),
        (44_100.0, 60.0, 2048),
        (48_000.0, 25.0, 8192),
        (16_000.0, 80.0, 512),
    ] {
        let pitch = estimator(&PitchConfiguration::new(rate, lowest..=1000.0)).expect("valid");
        assert_eq!(pitch.window(), window, "{lowest} Hz at {rate} Hz");
        assert_eq!(*pitch.range().start(), lowest);
    }
    // A window that is too short for the range raises its lower end, and says so.
    let short = PitchConfiguration {
        window: Some(1024),
        ..PitchConfiguration::new(RATE, 25.0..=4500.0)
    };
    let pitch = estimator(&short).expect("valid");
    assert_eq!(pitch.range(), PERIODS * RATE / 1024.0..=4500.0);
    // So does a range that no window holds.
    let pitch = estimator(&PitchConfiguration::new(384_000.0, 25.0..=4500.0)).expect("valid");
    assert_eq!(
        (pitch.window(), *pitch.range().start()),
        (32_768, PERIODS * 384_000.0 / 32_768.0)
    );
}

#[test]
fn wrong_configurations_are_refused() {
    let refused = |rate: f64, low: f64, high: f64, window: Option<usize>| {
        let configuration = PitchConfiguration {
            window,
            ..PitchConfiguration::new(rate, low..=high)
        };
        estimator(&configuration).err().expect("refused").to_string()
    };
    assert_eq!(
        refused(0.0, 50.0, 500.0, None),
        "sample rate: expected 1000 to 768000 Hz, got 0"
    );
    assert!(refused(f64::NAN, 50.0, 500.0, None).contains("got NaN"));
    assert_eq!(
        refused(RATE, 50.0, 500.0, Some(1000)),
        "pitch window: expected a power of two of samples from 256 to 32768, got 1000"
    );
    for (low, high) in [
        (0.0, 500.0),
        (-5.0, 500.0),
        (500.0, 500.0),
        (500.0, 50.0),
        (50.0, f64::INFINITY),
    ] {
        assert!(
            refused(RATE, low, high, None).contains(&format!("got {low} to {high} Hz")),
            "{low} {high}"
        );
    }
    // Nothing is left of the range under 0.45 of the rate, or above what the window holds.
    assert!(refused(8000.0, 3700.0, 4000.0, None).contains("to 3600 Hz"));
    assert!(refused(RATE, 30.0, 90.0, Some(1024)).contains("got 30 to 90 Hz"));
    let mut pitch = default();
    let error = pitch.estimate(&[0.0; 100]).expect_err("too short");
    assert_eq!(
        error,
        PitchError::FrameLength {
            expected: WINDOW,
            got: 100
        }
    );
}

// MARK: signals

fn glide() -> Vec<f32> {
    let mut phase = 0.0;
    let frequency = |n: usize| 150.0 * 2_f64.powf(n as f64 / RATE);
    (0..40_000)
        .map(|n| {
            phase += std::f64::consts::TAU * frequency(n) / RATE;
            (0.3 * f64::sin(phase) + 0.2 * f64::sin(2.0 * phase)) as f32
        })
        .collect()
}

#[test]
fn signal_in_pieces_gives_the_same_numbers() {
    let signal = glide();
    for (hop, window) in [(512, 2048), (100, 1024), (3000, 2048)] {
        let configuration = PitchConfiguration {
            window: Some(window),
            ..PitchConfiguration::new(RATE, 60.0..=1000.0)
        };
        let whole = contour(&configuration, hop, Decoding::Frame, &signal).expect("valid");
        assert_eq!(whole.len(), 1 + (signal.len() - window) / hop);
        for piece in [1, 7, 513, 5000, 40_000] {
            let mut tracker = PitchTracker::new(&configuration, hop).expect("valid");
            let mut frames: Vec<PitchFrame> = Vec::new();
            for _ in 0..2 {
                frames.clear();
                for samples in signal.chunks(piece) {
                    tracker.push(samples, |frame| frames.push(frame)).expect("valid");
                }
                assert_eq!(frames, whole, "hop {hop}, pieces of {piece}");
                // The second time is as the first.
                tracker.reset();
            }
        }
    }
}

#[test]
fn times_are_those_of_the_middles() {
    let configuration = PitchConfiguration {
        window: Some(2048),
        ..PitchConfiguration::new(RATE, 60.0..=1000.0)
    };
    let frames = contour(&configuration, 512, Decoding::Frame, &glide()).expect("valid");
    assert_eq!(frames[0].sample, 1024);
    // The glide is 14 cents from frame to frame and 56 across one; of an octave a second the mean strays by one.
    let mut away: Vec<f64> = frames
        .iter()
        .map(|frame| {
            cents(
                frame.estimate.frequency,
                150.0 * 2_f64.powf(frame.sample as f64 / RATE),
            )
            .abs()
        })
        .collect();
    away.sort_by(f64::total_cmp);
    let (median, worst) = (away[away.len() / 2], away[away.len() - 1]);
    assert!(median < 0.5 && worst < 1.5, "{median}, {worst}");
    assert!(matches!(
        PitchTracker::new(&configuration, 0),
        Err(PitchError::Hop { got: 0 })
    ));
    assert_eq!(
        contour(&configuration, 512, Decoding::Frame, &[0.0; 2047]),
        Ok(Vec::new())
    );
}

#[test]
fn path_is_the_frames_own_where_they_are_sure() {
    let signal = glide();
    let configuration = PitchConfiguration::new(RATE, 60.0..=1000.0);
    let own = contour(&configuration, 512, Decoding::Frame, &signal).expect("valid");
    let path = contour(&configuration, 512, Decoding::Viterbi, &signal).expect("valid");
    assert_eq!(own.len(), path.len());
    for (own, path) in own.iter().zip(&path) {
        assert_eq!(own.sample, path.sample);
        assert!(own.estimate.confidence > 0.99 && path.estimate.confidence >= VOICED);
        assert_eq!(own.estimate.frequency, path.estimate.frequency);
    }
    let silence = contour(&configuration, 512, Decoding::Viterbi, &[0.0; 10_000]).expect("valid");
    assert!(silence.iter().all(|frame| !frame.estimate.is_voiced()));
}
