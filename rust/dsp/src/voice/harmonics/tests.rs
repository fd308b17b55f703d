use super::*;
use rustle_testkit::{noise, sine};

const RATE: f64 = 44_100.0;

fn two(pitch: f64, first: f64, second: f64, length: usize) -> Vec<f32> {
    let parts = [
        sine(length, pitch, RATE, first, 0.4),
        sine(length, 2.0 * pitch, RATE, second, 1.1),
        sine(length, 3.0 * pitch, RATE, 0.1, 2.0),
    ];
    (0..length)
        .map(|n| parts.iter().map(|part| part[n]).sum())
        .collect()
}

#[test]
fn levels_are_those_of_the_partials() {
    for pitch in [90.0, 151.7, 420.0] {
        let signal = two(pitch, 0.25, 0.1, 30_000);
        for fundamental in [None, Some(pitch)] {
            let found = h1_minus_h2(RATE, fundamental, 60.0..=600.0, &signal).expect("valid");
            assert!(
                (found.first - 20.0 * 0.25_f64.log10()).abs() < 0.05,
                "{pitch}: {found:?}"
            );
            assert!(
                (found.second - 20.0 * 0.1_f64.log10()).abs() < 0.05,
                "{pitch}: {found:?}"
            );
            assert!(
                (found.difference - 20.0 * 2.5_f64.log10()).abs() < 0.05,
                "{pitch}: {found:?}"
            );
            assert!((found.frequency - pitch).abs() < 0.05, "{pitch}: {found:?}");
        }
    }
}

#[test]
fn what_has_no_pitch_has_no_harmonics() {
    for signal in [
        vec![],
        vec![0.0; 20_000],
        noise(2, 20_000),
        vec![f32::NAN; 20_000],
    ] {
        let found = h1_minus_h2(RATE, None, 60.0..=600.0, &signal).expect("valid");
        assert_eq!(found, H1MinusH2::default());
    }
    for signal in [
        vec![],
        vec![0.1; 50],
        vec![0.0; 20_000],
        vec![f32::INFINITY; 20_000],
    ] {
        let found = h1_minus_h2(RATE, Some(100.0), 60.0..=600.0, &signal).expect("valid");
        assert_eq!(found, H1MinusH2::default());
    }
}

#[test]
fn fundamental_is_checked() {
    for got in [0.0, -1.0, 12_000.0, f64::INFINITY] {
        let error = h1_minus_h2(RATE, Some(got), 60.0..=600.0, &[]).err();
        assert_eq!(error, Some(VoiceError::Fundamental { limit: 11_025.0, got }));
    }
    assert!(h1_minus_h2(RATE, Some(f64::NAN), 60.0..=600.0, &[]).is_err());
}
