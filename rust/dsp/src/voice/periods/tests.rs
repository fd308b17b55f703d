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

/// A voice whose periods and amplitudes differ by chance, and whose extremes up and down are nearly alike.
fn unsteady(rate: f64, pitch: f64, jitter: f64, shimmer: f64) -> Vec<f32> {
    let draws = noise(7, 1000);
    let count = (1.2 * pitch) as usize;
    let chance = |k: usize| f64::from(draws[k]);
    let periods = (0..count).map(|k| (1.0 + jitter * chance(k)) / pitch);
    let amplitudes = (0..count).map(|k| 1.0 + shimmer * chance(k + 500));
    let poles = [(650.0, 80.0), (1150.0, 90.0), (2600.0, 130.0), (3500.0, 200.0)];
    vowel(rate, (1.2 * rate) as usize, &pulses(periods, amplitudes), &poles)
}

#[test]
fn unsteady_voices_agree_with_praat() {
    // Praat 6.4's local jitter and shimmer of these signals: To PointProcess (periodic, cc) within 75 to 500 Hz.
    for (rate, pitch, jitter, shimmer) in [
        (16_000.0, 300.0, 0.009_550, 0.049_413),
        (22_050.0, 252.0, 0.017_366, 0.125_575),
        (44_100.0, 112.0, 0.012_405, 0.075_972),
        (48_000.0, 247.0, 0.015_663, 0.127_439),
    ] {
        let found = perturbation(rate, 75.0..=500.0, &unsteady(rate, pitch, 0.02, 0.1)).expect("valid");
        assert!((found.jitter / jitter - 1.0).abs() < 0.01, "{rate}: {found:?}");
        assert!((found.shimmer / shimmer - 1.0).abs() < 0.01, "{rate}: {found:?}");
    }
}

#[test]
fn first_mark_is_in_the_middle_of_the_signal() {
    // Upward peaks differ from period to period, downward ones do not; in the middle period alone the downward one is the larger.
    let period = 194.33;
    let signal: Vec<f32> = (0..48_000)
        .map(|n| {
            let bump = |place: f64| (-0.5 * ((f64::from(n) - place) / 12.0).powi(2)).exp();
            let down = ((f64::from(n) - 24_000.0) / period).round();
            let up = ((f64::from(n) - 24_000.0) / period - 0.5).round();
            let depth = if down == 0.0 { 1.2 } else { 1.0 };
            let height = if up.rem_euclid(2.0) == 0.0 { 1.05 } else { 0.95 };
            let up = height * bump(24_000.0 + (up + 0.5) * period);
            (0.5 * (up - depth * bump(24_000.0 + down * period))) as f32
        })
        .collect();
    let found = perturbation(RATE, 75.0..=500.0, &signal).expect("valid");
    assert!(found.shimmer < 0.01 && found.periods > 200, "{found:?}");
}

#[test]
fn next_period_is_compared_from_the_nearest_sample_to_the_nearest() {
    let signal = unsteady(16_000.0, 261.0, 0.03, 0.1);
    let part = Part {
        samples: &signal,
        start: 0,
    };
    let period = 16_000.0 / 261.0;
    for k in 0..40 {
        let time = 4000.0 + 61.7 * f64::from(k);
        let place = |time: f64| (time + 0.5).floor() as usize;
        let (left, right) = (place(time - 0.5 * period), place(time + 0.5 * period));
        let alike = |shift: usize| {
            let sum = |a: usize, b: usize| -> f64 {
                (left..=right)
                    .map(|n| f64::from(signal[n + a]) * f64::from(signal[n + b]))
                    .sum()
            };
            sum(0, shift) / (sum(0, 0) * sum(shift, shift)).sqrt()
        };
        let best = (48..=77)
            .max_by(|&a, &b| alike(a).total_cmp(&alike(b)))
            .expect("a shift");
        let [before, top, after] = [best - 1, best, best + 1].map(alike);
        let expected = best as f64 + 0.5 * (before - after) / (before - 2.0 * top + after);
        let (found, likeness) = next(part, time, period, Way::On).expect("a period");
        assert!((found - expected).abs() < 1e-6, "{time}: {found}, {expected}");
        assert!((likeness - top).abs() < 1e-6, "{time}: {likeness}, {top}");
    }
}
