use super::*;
use rustle_testkit::{noise, sine};

/// A tone of eight partials and white noise, `ratio` dB below it.
fn noisy(rate: f64, length: usize, pitch: f64, ratio: f64, seed: u32) -> Vec<f32> {
    let mut signal = vec![0.0_f32; length];
    let mut power = 0.0;
    for k in 1..=8 {
        let part = sine(
            length,
            f64::from(k) * pitch,
            rate,
            0.2 / f64::from(k),
            f64::from(k * k),
        );
        signal.iter_mut().zip(part).for_each(|(x, y)| *x += y);
        power += 0.02 / f64::from(k * k);
    }
    let scale = (3.0 * power * 10.0_f64.powf(-0.1 * ratio)).sqrt() as f32;
    signal
        .iter_mut()
        .zip(noise(seed, length))
        .for_each(|(x, n)| *x += scale * n);
    signal
}

#[test]
fn ratio_of_a_tone_in_noise_is_the_true_one() {
    for (seed, rate) in (1..).zip([16_000.0, 44_100.0, 48_000.0]) {
        // The highest of several maxima is raised by chance, the more the fewer samples and the nearer to 1, as in Praat.
        for (ratio, margin) in [(0.0, 1.2), (5.0, 0.8), (10.0, 0.5), (20.0, 0.6), (30.0, 2.0)] {
            for pitch in [121.0, 227.3] {
                let signal = noisy(rate, (2.0 * rate) as usize, pitch, ratio, seed);
                let found = harmonicity(rate, 75.0..=500.0, &signal).expect("valid");
                assert!(
                    (found.hnr - ratio).abs() < margin,
                    "{rate}, {pitch}, {ratio} dB: {found:?}"
                );
                assert!(found.is_voiced);
                if ratio >= 10.0 {
                    assert!(
                        (found.frequency / pitch - 1.0).abs() < 0.003,
                        "{rate}, {pitch}, {ratio} dB: {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn clean_tone_has_a_high_ratio_between_whole_lags_too() {
    for pitch in [80.0, 123.456, 311.11, 499.0] {
        let signal = sine(44_100, pitch, 44_100.0, 0.5, 0.0);
        let found = harmonicity(44_100.0, 75.0..=500.0, &signal).expect("valid");
        assert!(
            found.hnr > 40.0 && (found.frequency / pitch - 1.0).abs() < 1e-3,
            "{pitch}: {found:?}"
        );
    }
}

#[test]
fn short_clear_voice_is_voiced() {
    // 46 ms, less than a frame of the range.
    for pitch in [100.0, 220.0, 400.0] {
        let signal = noisy(44_100.0, 2048, pitch, 25.0, 3);
        let found = harmonicity(44_100.0, 75.0..=500.0, &signal).expect("valid");
        assert!(
            found.is_voiced && (found.frequency / pitch - 1.0).abs() < 0.02,
            "{pitch}: {found:?}"
        );
    }
}

#[test]
fn noise_is_not_voiced() {
    let found = harmonicity(44_100.0, 75.0..=500.0, &noise(9, 88_200)).expect("valid");
    assert!(!found.is_voiced && found.hnr < -3.0, "{found:?}");
}

#[test]
fn what_is_no_sound_has_no_ratio() {
    for signal in [
        vec![],
        vec![0.5; 3],
        vec![0.0; 44_100],
        vec![0.7; 44_100],
        vec![f32::NAN; 44_100],
    ] {
        let found = harmonicity(44_100.0, 75.0..=500.0, &signal).expect("valid");
        assert_eq!(found, Harmonicity::default(), "{} samples", signal.len());
    }
    let mut analyzer = HarmonicityAnalyzer::new(44_100.0, 75.0..=500.0).expect("valid");
    for value in [f32::NAN, f32::INFINITY, f32::MAX, 0.0] {
        let window = analyzer.frame_length();
        assert_eq!(
            analyzer.analyze(&vec![value; window]),
            Ok(Harmonicity::default()),
            "{value}"
        );
    }
}

#[test]
fn ranges_and_rates_are_checked() {
    let error = |rate, range| HarmonicityAnalyzer::new(rate, range).err();
    assert_eq!(
        error(7000.0, 75.0..=500.0),
        Some(VoiceError::SampleRate { got: 7000.0 })
    );
    for (lowest, highest) in [(39.0, 500.0), (500.0, 75.0), (75.0, 2001.0), (75.0, 75.0)] {
        assert_eq!(
            error(44_100.0, lowest..=highest),
            Some(VoiceError::Range { lowest, highest })
        );
    }
    assert!(error(8000.0, 75.0..=2000.0).is_some(), "a quarter of the rate");
    assert!(error(192_000.0, 40.0..=2000.0).is_none());
}
