//! Synthetic drums, for beats.

use crate::signals::noise;
use std::f64::consts::TAU;

/// A drum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drum {
    /// A sine that falls from 150 to 50 Hz and fades in 80 ms.
    Kick,
    /// Noise that fades in 50 ms, and a sine of 190 Hz.
    Snare,
    /// High noise that fades in 15 ms.
    Hat,
}

impl Drum {
    /// Adds a stroke at `time` seconds to a signal of `sample_rate` Hz; what is beyond its end is left out.
    pub fn strike(self, signal: &mut [f32], sample_rate: f64, time: f64, amplitude: f64) {
        let fade = match self {
            Self::Kick => 0.08,
            Self::Snare => 0.05,
            Self::Hat => 0.015,
        };
        let begin = (time * sample_rate).round() as usize;
        let length = (6.0 * fade * sample_rate) as usize;
        let hiss = noise(begin as u32 | 1, length + 1);
        let rest = signal.get_mut(begin..).unwrap_or_default();
        for (n, sample) in rest.iter_mut().take(length).enumerate() {
            let t = n as f64 / sample_rate;
            let (white, rise) = (f64::from(hiss[n]), f64::from(hiss[n + 1] - hiss[n]));
            let wave = match self {
                // The integral of 50 + 100 exp(-t / 20 ms).
                Self::Kick => (TAU * (50.0 * t + 2.0 * (1.0 - (-t / 0.02).exp()))).sin(),
                Self::Snare => 0.6 * white + 0.4 * (TAU * 190.0 * t).sin(),
                Self::Hat => 0.25 * rise,
            };
            *sample += (amplitude * (-t / fade).exp() * wave) as f32;
        }
    }
}

/// `seconds` of kick, snare and hats in eighths, at the given times of beats in seconds, the first of which is a downbeat of four.
pub fn drums(seconds: f64, sample_rate: f64, beats: &[f64]) -> Vec<f32> {
    let mut signal = vec![0.0; (seconds * sample_rate) as usize];
    for (index, beat) in beats.iter().enumerate() {
        let drum = if index % 2 == 0 { Drum::Kick } else { Drum::Snare };
        drum.strike(&mut signal, sample_rate, *beat, 0.5);
        Drum::Hat.strike(&mut signal, sample_rate, *beat, 0.15);
        if let Some(next) = beats.get(index + 1) {
            Drum::Hat.strike(&mut signal, sample_rate, 0.5 * (beat + next), 0.1);
        }
    }
    signal
}
