//! The methods by their names, and valid and invalid configurations.

use super::{RATE, WINDOW, default, music};
use rustle_dsp::pitch::{PERIODS, PitchConfiguration, PitchError, PitchMethod, estimator};
use rustle_testkit::{Tone, cents, sine};

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
        "pitch method: expected one of harmonic yin mpm hps peak, got \"cepstrum\""
    );
}

#[test]
fn window_holds_the_range() {
    for (rate, lowest, window) in [
        (44_100.0, 25.0, 4096),
        (44_100.0, 60.0, 2048),
        (48_000.0, 25.0, 8192),
        (16_000.0, 80.0, 512),
    ] {
        let pitch = estimator(&PitchConfiguration::new(rate, lowest..=1000.0)).expect("valid");
        assert_eq!(pitch.frame_length(), window, "{lowest} Hz at {rate} Hz");
        assert_eq!(*pitch.range().start(), lowest);
    }
    // A window that is too short for the range raises its lower end, and reports it.
    let short = PitchConfiguration {
        frame_length: Some(1024),
        ..PitchConfiguration::new(RATE, 25.0..=4500.0)
    };
    let pitch = estimator(&short).expect("valid");
    assert_eq!(pitch.range(), PERIODS * RATE / 1024.0..=4500.0);
    // So does a range that no window holds.
    let pitch = estimator(&PitchConfiguration::new(384_000.0, 25.0..=4500.0)).expect("valid");
    assert_eq!(
        (pitch.frame_length(), *pitch.range().start()),
        (32_768, PERIODS * 384_000.0 / 32_768.0)
    );
}

#[test]
fn wrong_configurations_are_refused() {
    let refused = |rate: f64, low: f64, high: f64, frame_length: Option<usize>| {
        let configuration = PitchConfiguration {
            frame_length,
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
        "pitch frame length: expected a power of two of samples from 256 to 32768, got 1000"
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
