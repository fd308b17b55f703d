use super::*;
use rustle_testkit::{noise, sine};

#[test]
fn sine_has_its_frequency_as_centroid_and_rolloff() {
    for rate in [8000.0, 44_100.0, 192_000.0] {
        let signal = sine(rate as usize, 1234.0, rate, 0.5, 0.3);
        let features = analyze_spectrum(rate, &signal).expect("valid");
        assert!((features.centroid - 1234.0).abs() < 2.0, "{rate}: {features:?}");
        // Within a bin.
        assert!((features.rolloff - 1234.0).abs() < 25.0, "{rate}: {features:?}");
    }
}

#[test]
fn constant_changes_no_shape() {
    let pitch = |length| -> Vec<f32> {
        let partial = |k: u8| sine(length, 173.7 * f64::from(k), 44_100.0, 0.1 / f64::from(k), 0.4);
        let sum = |mut a: Vec<f32>, b: Vec<f32>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        (1..=15).map(partial).fold(vec![0.0; length], sum)
    };
    for length in [1500, 44_100] {
        let tone = pitch(length);
        let without = analyze_spectrum(44_100.0, &tone).expect("valid");
        for constant in [0.001, 0.3, -5.0] {
            let raised: Vec<f32> = tone.iter().map(|x| x + constant).collect();
            let with = analyze_spectrum(44_100.0, &raised).expect("valid");
            assert!(
                (with.centroid - without.centroid).abs() < 0.1
                    && (with.rolloff - without.rolloff).abs() < 0.1,
                "{constant}: {with:?}, {without:?}"
            );
        }
    }
    assert_eq!(
        analyze_spectrum(44_100.0, &[0.3; 44_100]),
        Ok(SpectrumFeatures::default())
    );
}

#[test]
fn white_noise_is_flat() {
    let features = analyze_spectrum(48_000.0, &noise(5, 480_000)).expect("valid");
    assert!((features.centroid - 12_000.0).abs() < 60.0, "{features:?}");
    assert!((features.rolloff - 0.95 * 24_000.0).abs() < 60.0, "{features:?}");
    assert!(features.tilt.abs() < 0.15, "{features:?}");
}

#[test]
fn tilt_is_that_of_brown_noise() {
    // A sum of white noise falls by 6 dB per octave, less near half the sample rate: 2 sin(w/2) in place of w.
    let mut sum = 0.0;
    let signal: Vec<f32> = noise(6, 1_920_000)
        .into_iter()
        .map(|x| {
            sum = 0.9999 * sum + 0.001 * x;
            sum
        })
        .collect();
    let features = analyze_spectrum(192_000.0, &signal).expect("valid");
    assert!((features.tilt + 6.02).abs() < 0.2, "{features:?}");
}

#[test]
fn silence_and_what_is_not_finite_have_no_shape() {
    for signal in [
        vec![],
        vec![0.0; 10_000],
        vec![f32::NAN; 10_000],
        vec![f32::INFINITY; 10],
    ] {
        assert_eq!(
            analyze_spectrum(44_100.0, &signal),
            Ok(SpectrumFeatures::default())
        );
    }
    assert_eq!(
        analyze_spectrum(1.0, &[]),
        Err(VoiceError::SampleRate { got: 1.0 })
    );
}

#[test]
fn short_signal_is_measured() {
    let signal = sine(500, 3000.0, 44_100.0, 0.5, 0.0);
    let features = analyze_spectrum(44_100.0, &signal).expect("valid");
    assert!((features.centroid - 3000.0).abs() < 60.0, "{features:?}");
}

#[test]
fn frame_has_to_be_as_long_as_the_window() {
    let mut analyzer = SpectrumAnalyzer::new(44_100.0).expect("valid");
    let expected = analyzer.frame_length();
    assert_eq!(
        analyzer.add(&[0.0; 5]),
        Err(VoiceError::FrameLength { expected, got: 5 })
    );
}
