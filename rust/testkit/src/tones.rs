//! Tones of exactly known pitch.

use std::f64::consts::TAU;

/// A tone of partials, partial k at k f0 sqrt((1 + B k^2) / (1 + B)): the first is at `frequency`.
#[derive(Clone, Debug)]
pub struct Tone {
    /// The first partial's frequency in Hz.
    pub frequency: f64,
    /// The inharmonicity B.
    pub inharmonicity: f64,
    /// The amplitude of each partial from the first on.
    pub amplitudes: Vec<f64>,
    /// The sample rate in Hz.
    pub sample_rate: f64,
}

impl Tone {
    /// A harmonic tone whose partial k of `partials` has the amplitude `amplitude` / k; those above 0.49 of the sample rate are
    /// left out.
    pub fn stack(frequency: f64, partials: usize, amplitude: f64, sample_rate: f64) -> Self {
        let below = (0.49 * sample_rate / frequency) as usize;
        Self {
            frequency,
            inharmonicity: 0.0,
            amplitudes: (1..=partials.min(below)).map(|k| amplitude / k as f64).collect(),
            sample_rate,
        }
    }

    /// Partial `order`'s frequency in Hz.
    fn partial(&self, order: usize) -> f64 {
        let k = order as f64;
        k * self.frequency * ((1.0 + self.inharmonicity * k * k) / (1.0 + self.inharmonicity)).sqrt()
    }

    /// `length` samples; partial k begins at `phase` times k squared, in radians, so that crests do not coincide.
    pub fn samples(&self, length: usize, phase: f64) -> Vec<f32> {
        (0..length)
            .map(|n| {
                let partials = self.amplitudes.iter().enumerate().map(|(index, amplitude)| {
                    let k = (index + 1) as f64;
                    let turns = self.partial(index + 1) / self.sample_rate * n as f64;
                    amplitude * (TAU * turns.fract() + phase * k * k).sin()
                });
                partials.sum::<f64>() as f32
            })
            .collect()
    }

    /// The tone's mean square.
    pub fn power(&self) -> f64 {
        self.amplitudes.iter().map(|a| a * a / 2.0).sum()
    }

    /// The least standard deviation, in cents, of an unbiased estimate of the pitch from `length` samples in white noise of
    /// variance `noise`: the Cramer-Rao bound of a harmonic tone whose amplitudes and phases are unknown,
    /// (R / 2 pi) sqrt(12 / (s N (N^2 - 1))) with s the sum of k^2 a^2 / 2 over the variance (A. Nehorai and B. Porat, IEEE
    /// Transactions on ASSP 34, 1986).
    pub fn bound(&self, length: usize, noise: f64) -> f64 {
        let orders = self
            .amplitudes
            .iter()
            .enumerate()
            .map(|(index, a)| ((index + 1) as f64 * a).powi(2));
        let ratio = orders.sum::<f64>() / 2.0 / noise;
        let n = length as f64;
        let deviation = self.sample_rate / TAU * (12.0 / (ratio * n * (n * n - 1.0))).sqrt();
        1200.0 / std::f64::consts::LN_2 * deviation / self.frequency
    }
}

/// `length` samples of white noise of the given variance, nearly normal: each is the sum of twelve of [`noise`](crate::noise).
pub fn normal_noise(seed: u32, length: usize, variance: f64) -> Vec<f32> {
    // Uniform in -1 ..< 1 has a variance of 1/3, twelve of them 4.
    let scale = (variance / 4.0).sqrt();
    crate::noise(seed, 12 * length)
        .chunks_exact(12)
        .map(|twelve| (scale * twelve.iter().map(|&x| f64::from(x)).sum::<f64>()) as f32)
        .collect()
}

/// How many cents `frequency` is above `reference`.
pub fn cents(frequency: f64, reference: f64) -> f64 {
    1200.0 * (frequency / reference).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_is_that_of_the_table_of_the_project() {
        // 24 partials, 20 dB, 4096 samples at 44,100 Hz: 0.009 cents at A4; a sine at A1: 0.29.
        let tone = Tone::stack(440.0, 24, 1.0, 44_100.0);
        assert!((tone.bound(4096, tone.power() / 100.0) - 0.0094).abs() < 0.0005);
        let sine = Tone::stack(55.0, 1, 1.0, 44_100.0);
        assert!((sine.bound(4096, sine.power() / 100.0) - 0.292).abs() < 0.001);
    }

    #[test]
    fn noise_has_its_variance() {
        let samples = normal_noise(1, 100_000, 0.25);
        let power = samples.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / 1e5;
        assert!((power - 0.25).abs() < 0.01, "{power}");
    }
}
