//! Voices with known periods, amplitudes and resonances.

use std::f64::consts::{PI, TAU};

/// A resonance: its frequency and its bandwidth, in Hz.
pub type Resonance = (f64, f64);

/// Pulses through resonators, one after the other: a vowel whose poles are known exactly. Each pulse comes at its time in
/// seconds, between samples too, with its amplitude, its spectrum falling by 12 dB per octave from 100 Hz and raised by 6, as a
/// voice's does at the lips. The largest sample is 0.5. A resonance at or above 0.49 of the sample rate is left out.
pub fn vowel(sample_rate: f64, length: usize, pulses: &[(f64, f64)], resonances: &[Resonance]) -> Vec<f32> {
    let mut sound = vec![0.0; length];
    for &(time, amplitude) in pulses {
        add_pulse(&mut sound, time * sample_rate, amplitude);
    }
    let pole = (-TAU * 100.0 / sample_rate).exp();
    resonate(&mut sound, 2.0 * pole, pole * pole);
    let mut before = 0.0;
    for x in &mut sound {
        (*x, before) = (*x - before, *x);
    }
    for &(frequency, width) in resonances {
        if frequency < 0.49 * sample_rate {
            let radius = (-PI * width / sample_rate).exp();
            let turn = 2.0 * radius * (TAU * frequency / sample_rate).cos();
            resonate(&mut sound, turn, radius * radius);
        }
    }
    let peak = sound
        .iter()
        .fold(0.0_f64, |peak, x| peak.max(x.abs()))
        .max(1e-300);
    sound.iter().map(|x| (0.5 * x / peak) as f32).collect()
}

/// Times and amplitudes of pulses of these periods in seconds and these amplitudes, from 0 on.
pub fn pulses(
    periods: impl IntoIterator<Item = f64>,
    amplitudes: impl IntoIterator<Item = f64>,
) -> Vec<(f64, f64)> {
    let mut time = 0.0;
    let pulse = |(period, amplitude)| {
        time += period;
        (time - period, amplitude)
    };
    periods.into_iter().zip(amplitudes).map(pulse).collect()
}

/// An impulse between samples: a sinc under a Hann window, 32 samples to each side.
fn add_pulse(sound: &mut [f64], place: f64, amplitude: f64) {
    const REACH: f64 = 32.0;
    let first = (place - REACH).ceil().max(0.0) as usize;
    let last = ((place + REACH).floor().max(0.0) as usize).min(sound.len().saturating_sub(1));
    for (n, x) in sound.iter_mut().enumerate().take(last + 1).skip(first) {
        let distance = n as f64 - place;
        let sinc = if distance.abs() < 1e-9 {
            1.0
        } else {
            (PI * distance).sin() / (PI * distance)
        };
        *x += amplitude * sinc * (0.5 + 0.5 * (PI * distance / REACH).cos());
    }
}

/// y(n) = x(n) + a y(n - 1) - b y(n - 2), in place.
fn resonate(sound: &mut [f64], a: f64, b: f64) {
    let (mut one, mut two) = (0.0, 0.0);
    for x in sound {
        let y = *x + a * one - b * two;
        (*x, one, two) = (y, y, one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulse_between_samples_is_where_it_should_be() {
        let mut sound = vec![0.0; 200];
        add_pulse(&mut sound, 100.3, 2.0);
        let sum: f64 = sound.iter().sum();
        let moment: f64 = sound.iter().enumerate().map(|(n, x)| n as f64 * x).sum();
        assert!(
            (sum - 2.0).abs() < 1e-3 && (moment / sum - 100.3).abs() < 0.02,
            "{sum}, {}",
            moment / sum
        );
    }

    #[test]
    fn pulses_follow_each_other() {
        assert_eq!(
            pulses([0.25, 0.5, 1.0], [1.0, 2.0, 3.0]),
            [(0.0, 1.0), (0.25, 2.0), (0.75, 3.0)]
        );
    }
}
