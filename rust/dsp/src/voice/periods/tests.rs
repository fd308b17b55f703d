use super::*;
use rustle_testkit::{noise, pulses, vowel};

const POLES: [(f64, f64); 3] = [(600.0, 300.0), (1500.0, 300.0), (2500.0, 400.0)];
const RATE: f64 = 48_000.0;

fn measured(periods: &[f64], amplitudes: &[f64]) -> Perturbation {
    let seconds: f64 = periods.iter().sum();
    let signal = vowel(
        RATE,
        (seconds * RATE) as usize,
        &pulses(periods.iter().copied(), amplitudes.iter().copied()),
        &POLES,
    );
    perturbation(RATE, 75.0..=500.0, &signal).expect("valid")
}

#[test]
fn steady_pulses_have_neither_jitter_nor_shimmer() {
    for pitch in [81.3, 120.0, 233.1, 401.7] {
        let count = pitch as usize;
        let found = measured(&vec![1.0 / pitch; count], &vec![1.0; count]);
        assert!(found.jitter < 2e-4 && found.shimmer < 2e-3, "{pitch}: {found:?}");
        assert!(
            (found.mean_period * pitch - 1.0).abs() < 1e-4,
            "{pitch}: {found:?}"
        );
        assert!(found.periods as usize > count * 9 / 10, "{pitch}: {found:?}");
    }
}

#[test]
fn alternating_amplitudes_are_measured() {
    // From one to the next the amplitude changes by 10 % of the mean; the mean of three is 2/3 of the change away from the middle
    // one of them, that of five 2/5. The window of an amplitude also holds some of the pulse before.
    let amplitudes: Vec<f64> = (0..150).map(|k| if k % 2 == 0 { 1.05 } else { 0.95 }).collect();
    let found = measured(&[1.0 / 150.0; 150], &amplitudes);
    assert!((found.shimmer - 0.1).abs() < 0.02, "{found:?}");
    assert!(
        (found.shimmer_apq3 / found.shimmer - 2.0 / 3.0).abs() < 0.01,
        "{found:?}"
    );
    assert!(
        (found.shimmer_apq5 / found.shimmer - 0.4).abs() < 0.01,
        "{found:?}"
    );
    let decibels = 20.0 * ((1.0 + 0.5 * found.shimmer) / (1.0 - 0.5 * found.shimmer)).log10();
    assert!((found.shimmer_decibels - decibels).abs() < 0.01, "{found:?}");
}

#[test]
fn slow_change_of_the_pitch_is_the_jitter_that_it_is() {
    let periods: Vec<f64> = (0..200).map(|k| 1.0 / (120.0 + 0.3 * f64::from(k))).collect();
    let truth = periods.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>() / 199.0;
    let mean = periods.iter().sum::<f64>() / 200.0;
    let found = measured(&periods, &[1.0; 200]);
    assert!(
        (found.jitter / (truth / mean) - 1.0).abs() < 0.05,
        "{found:?}, {}",
        truth / mean
    );
    assert!(found.jitter_rap < 0.2 * found.jitter, "{found:?}");
}

#[test]
fn what_has_no_voice_has_no_periods() {
    for signal in [
        vec![],
        vec![0.0; 48_000],
        noise(4, 48_000),
        vec![f32::NAN; 48_000],
        vec![1.0; 10],
    ] {
        let found = perturbation(RATE, 75.0..=500.0, &signal).expect("valid");
        assert!(found.periods < 20 && found.jitter.is_finite(), "{found:?}");
    }
}

#[test]
fn gap_between_two_voices_is_no_period() {
    let mut signal = vowel(RATE, 24_000, &pulses([0.008; 62], [1.0; 62]), &POLES);
    let again = signal.clone();
    signal.extend([0.0; 9700]);
    signal.extend(again);
    let found = perturbation(RATE, 75.0..=500.0, &signal).expect("valid");
    assert!(
        (found.mean_period - 0.008).abs() < 1e-5 && found.jitter < 1e-3,
        "{found:?}"
    );
}
