//! Tones beside other sounds, and tones whose first partials are weak.

use super::{RATE, default, expect, quantised, sum};
use rustle_dsp::pitch::{PitchConfiguration, estimator};
use rustle_testkit::{Tone, cents, noise, normal_noise, sine};

const WINDOW: usize = super::WINDOW;

/// A level in dB as a factor of amplitudes.
fn factor(decibels: f64) -> f64 {
    10_f64.powf(decibels / 20.0)
}

/// `tone` with a sine of `frequency`, `level` dB from its power.
fn beside(tone: &Tone, frequency: f64, level: f64, rate: f64, window: usize, phase: f64) -> Vec<f32> {
    let amplitude = (2.0 * tone.power()).sqrt() * factor(level);
    sum(
        &tone.samples(window, 0.4 + phase),
        &sine(window, frequency, rate, amplitude, 2.0 * phase),
    )
}

#[test]
fn hum_below_tones_of_few_partials_is_passed_over() {
    for (rate, window) in [
        (44_100.0, 4096),
        (48_000.0, 8192),
        (48_000.0, 4096),
        (22_050.0, 2048),
    ] {
        let configuration = PitchConfiguration {
            frame_length: Some(window),
            ..PitchConfiguration::new(rate, 25.0..=4500.0)
        };
        let mut pitch = estimator(&configuration).expect("valid");
        for step in 0..40 {
            // 87 to 141 Hz: where the hum is at 0.35 to 0.69 of the tone.
            let frequency = 87.0 * 2_f64.powf(0.7 * f64::from(step) / 40.0);
            for (mains, partials) in [(50.0, 1), (50.0, 2), (60.0, 1), (60.0, 3)] {
                let tone = Tone::stack(frequency, partials, 0.4, rate);
                let frame = quantised(&beside(&tone, mains, -20.0, rate, window, 0.3 * f64::from(step)));
                let estimate = pitch.estimate(&frame).expect("a frame");
                // In frames of ten periods the beat of the two is movement in part.
                expect(estimate, frequency, 20.0, "hum");
                assert_eq!(
                    estimate.inharmonicity, 0.0,
                    "{frequency} Hz beside {mains} Hz: {estimate:?}"
                );
            }
        }
    }
}

#[test]
fn another_sound_that_is_weak_does_not_move_the_octave() {
    let mut pitch = default();
    for (index, ratio) in [
        0.29,
        1.0 / 3.0,
        0.46,
        0.49,
        0.5,
        0.52,
        0.55,
        2.0 / 3.0,
        0.7,
        1.37,
        1.5,
        1.51,
        1.7,
    ]
    .into_iter()
    .enumerate()
    {
        for frequency in [196.3, 311.7, 523.1, 880.0] {
            for partials in [1, 2, 5] {
                let tone = Tone::stack(frequency, partials, 0.4, RATE);
                let frame = beside(&tone, ratio * frequency, -20.0, RATE, WINDOW, index as f64);
                expect(
                    pitch.estimate(&frame).expect("a frame"),
                    frequency,
                    2.0,
                    "another sound",
                );
            }
        }
    }
}

#[test]
fn first_partials_may_be_weak() {
    let mut pitch = default();
    for frequency in [31.0, 36.7, 41.2, 55.0, 73.4, 98.0, 110.0] {
        for level in [-12.0, -20.0, -25.0, -40.0] {
            for flat in [false, true] {
                let mut tone = Tone::stack(frequency, 24, 0.1, RATE);
                for (index, amplitude) in tone.amplitudes.iter_mut().enumerate() {
                    *amplitude *= if flat { 1.0 + index as f64 } else { 1.0 };
                    *amplitude *= if index < 4 { factor(level) } else { 0.3 };
                }
                let frame = quantised(&tone.samples(WINDOW, 0.8));
                let what = format!("{level} dB, flat {flat}");
                expect(pitch.estimate(&frame).expect("a frame"), frequency, 0.1, &what);
            }
        }
    }
}

#[test]
fn partials_of_any_level_reach_the_bound() {
    let mut pitch = default();
    let mut squares = Vec::new();
    for trial in 0..100 {
        let draws = noise(1000 + trial, 26);
        // A1 to A5, and each partial from -30 to 0 dB.
        let frequency = 55.0 * 2_f64.powf(2.0 + 2.0 * f64::from(draws[0]));
        let mut tone = Tone::stack(frequency, 16, 0.1, RATE);
        for (amplitude, draw) in tone.amplitudes.iter_mut().zip(&draws[1..]) {
            *amplitude = 0.1 * factor(-15.0 + 15.0 * f64::from(*draw));
        }
        let variance = tone.power() / 1000.0;
        let frame = sum(
            &tone.samples(WINDOW, f64::from(trial)),
            &normal_noise(trial, WINDOW, variance),
        );
        let estimate = pitch.estimate(&frame).expect("a frame");
        let error = cents(estimate.frequency, frequency);
        assert!(
            error.abs() < 5.0,
            "{frequency} Hz, trial {trial}: {error} cents, {estimate:?}"
        );
        squares.push((error / tone.bound(WINDOW, variance)).powi(2));
    }
    let ratio = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!((0.75..1.35).contains(&ratio), "{ratio} bounds");
}

#[test]
fn weak_odd_partials_make_the_octave() {
    let mut pitch = default();
    for frequency in [82.4, 110.0, 220.0, 440.0] {
        for level in [-15.0, -20.0, -25.0, -28.0] {
            let mut tone = Tone::stack(frequency, 24, 0.3, RATE);
            for amplitude in tone.amplitudes.iter_mut().step_by(2) {
                *amplitude *= factor(level);
            }
            let frame = quantised(&tone.samples(WINDOW, 1.1));
            expect(
                pitch.estimate(&frame).expect("a frame"),
                frequency,
                0.1,
                "weak odd partials",
            );
        }
    }
}

#[test]
fn what_rounding_makes_of_a_tone_is_not_reported() {
    let mut pitch = default();
    for step in 0..60 {
        let frequency = 55.0 * 2_f64.powf(f64::from(step) / 10.0);
        for partials in [1, 2, 3, 24] {
            let tone = Tone::stack(frequency, partials, 0.3, RATE);
            let estimate = pitch
                .estimate(&tone.samples(WINDOW, 0.1 * f64::from(step)))
                .expect("a frame");
            assert_eq!(estimate.inharmonicity, 0.0, "{frequency} Hz: {estimate:?}");
            // The power of single precision's rounding, and no deviation that is smaller than the error.
            assert!(
                (60.0..70.0).contains(&estimate.harmonicity),
                "{frequency} Hz: {estimate:?}"
            );
            let error = cents(estimate.frequency, frequency).abs();
            assert!(
                error < 3.0 * estimate.deviation,
                "{frequency} Hz, {error}: {estimate:?}"
            );
        }
    }
}
