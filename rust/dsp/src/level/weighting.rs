//! The frequency weightings A, C and Z.

use crate::biquad::{Biquad, BiquadState, Demand, numerator_for_poles};
use std::f64::consts::TAU;

/// The frequency weighting of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrequencyWeighting {
    /// As the ear hears soft sounds: what most limits are written in.
    #[default]
    A,
    /// As the ear hears loud sounds: for peaks.
    C,
    /// All frequencies alike.
    Z,
}

/// The poles of the weightings in Hz, from the frequencies that IEC 61672-1 annex E derives them from: C has the first and the
/// last, each twice; A has all, the first and the last twice.
const POLES: [f64; 4] = [20.598_997, 107.652_65, 737.862_23, 12_194.217];

/// The upper end of a filter's fitted curve, as a fraction of the sample rate: 20 kHz at 44.1 kHz.
const TOP: f64 = 20_000.0 / 44_100.0;

impl FrequencyWeighting {
    /// Every weighting.
    pub const ALL: [Self; 3] = [Self::A, Self::C, Self::Z];

    /// The weighting of `frequency` Hz in dB, 0 dB at 1 kHz.
    pub fn decibels(self, frequency: f64) -> f64 {
        10.0 * (self.power(frequency) / self.power(1000.0)).log10()
    }

    /// The square of the analog filter's magnitude, up to a constant.
    fn power(self, frequency: f64) -> f64 {
        let f2 = frequency * frequency;
        let high = |pole: f64| f2 / (f2 + pole * pole);
        let low = |pole: f64| 1.0 / (1.0 + f2 / (pole * pole));
        let ends = (high(POLES[0]) * low(POLES[3])).powi(2);
        match self {
            Self::A => ends * high(POLES[1]) * high(POLES[2]),
            Self::C => ends,
            Self::Z => 1.0,
        }
    }
}

/// A weighting of a signal at one sample rate. Within 0.1 dB of [`FrequencyWeighting::decibels`] from 10 Hz to 16 kHz and 0.3 dB
/// to 20 kHz at 44.1 kHz and more; at lower rates up to 0.4535 of the rate.
#[derive(Clone, Debug)]
pub struct WeightingFilter {
    sections: [(Biquad, BiquadState); 3],
    used: usize,
}

impl WeightingFilter {
    /// The filter for `sample_rate` Hz, from 8000 on.
    pub fn new(weighting: FrequencyWeighting, sample_rate: f64) -> Self {
        // s / (s + p) carried over: zero at 0 Hz, pole by e^(-p T). Its shape is exact far below half the rate, and flat above
        // the pole, so that only the poles at 12 kHz need a fit.
        let high = |first: f64, second: f64| {
            let [first, second] = [first, second].map(|pole| (-TAU * pole / sample_rate).exp());
            Biquad {
                b0: 1.0,
                b1: -2.0,
                b2: 1.0,
                a1: -(first + second),
                a2: first * second,
            }
        };
        let filters: &mut [Biquad] = &mut match weighting {
            FrequencyWeighting::A => [
                high(POLES[0], POLES[0]),
                high(POLES[1], POLES[2]),
                Biquad::IDENTITY,
            ],
            FrequencyWeighting::C => [high(POLES[0], POLES[0]), Biquad::IDENTITY, Biquad::IDENTITY],
            FrequencyWeighting::Z => [Biquad::IDENTITY; 3],
        };
        if weighting != FrequencyWeighting::Z {
            filters[2] = upper_end(weighting, &filters[..2], sample_rate);
        }
        let at_1000: f64 = filters
            .iter()
            .map(|filter| filter.magnitude(1000.0, sample_rate))
            .product();
        let gain = 1.0 / at_1000;
        let first = &mut filters[0];
        (first.b0, first.b1, first.b2) = (gain * first.b0, gain * first.b1, gain * first.b2);
        Self {
            sections: [filters[0], filters[1], filters[2]].map(|filter| (filter, BiquadState::default())),
            used: if weighting == FrequencyWeighting::Z { 0 } else { 3 },
        }
    }

    /// The weighted sample.
    #[inline]
    pub fn process(&mut self, sample: f64) -> f64 {
        let mut value = sample;
        for (filter, state) in &mut self.sections[..self.used] {
            value = state.process(filter, value);
        }
        value
    }

    /// Clears faded values; to be called every few thousand samples.
    pub fn flush(&mut self) {
        for (_, state) in &mut self.sections {
            state.flush();
        }
    }

    /// The weighting that the filter has at `frequency` Hz, in dB.
    pub fn decibels(&self, frequency: f64, sample_rate: f64) -> f64 {
        let each = self.sections[..self.used].iter();
        each.map(|(filter, _)| filter.decibels(frequency, sample_rate))
            .sum()
    }
}

/// The factor by which the poles at 12 kHz may be nearer to the unit circle than e^(s T) takes them.
const NEARER: [f64; 4] = [1.0, 0.9, 0.8, 0.7];

/// The filter for the two poles at 12 kHz, which its zeros are fitted to, and to what the `others` lack of the curve.
fn upper_end(weighting: FrequencyWeighting, others: &[Biquad], sample_rate: f64) -> Biquad {
    let power = |frequency: f64| {
        let others: f64 = others
            .iter()
            .map(|filter| filter.magnitude(frequency, sample_rate))
            .product();
        weighting.power(frequency) / (others * others)
    };
    let top = (TOP * sample_rate).min(22_000.0);
    // The remaining factor is 1 at the low end, which 10 Hz stands for.
    let low = 10.0;
    let demand = |k: usize| {
        let frequency = low + (top - low) * k as f64 / 128.0;
        let weight = if frequency <= 0.8 * top { 1.0 } else { 0.35 };
        Demand::new(frequency, sample_rate, power(frequency) / power(low), weight)
    };
    let demands: Vec<Demand> = (0..=128).map(demand).collect();
    let candidates = NEARER.map(|nearer| {
        let radius = (-nearer * TAU * POLES[3] / sample_rate).exp();
        numerator_for_poles(&demands, None, 1.0, [-2.0 * radius, radius * radius])
    });
    let best = candidates
        .into_iter()
        .flatten()
        .min_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map_or(Biquad::IDENTITY, |(_, filter)| filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_those_of_the_standard() {
        // IEC 61672-1, table 3: nominal frequencies, the weightings to a tenth.
        for (frequency, a, c) in [
            (10.0, -70.4, -14.3),
            (31.622_776, -39.4, -3.0),
            (100.0, -19.1, -0.3),
            (501.187, -3.2, 0.0),
            (1000.0, 0.0, 0.0),
            (2511.886, 1.3, -0.3),
            (7943.282, -1.1, -3.0),
            (15_848.93, -6.6, -8.5),
            (19_952.62, -9.3, -11.2),
        ] {
            let got = FrequencyWeighting::A.decibels(frequency);
            assert!((got - a).abs() < 0.06, "A {frequency}: {got}");
            let got = FrequencyWeighting::C.decibels(frequency);
            assert!((got - c).abs() < 0.06, "C {frequency}: {got}");
        }
    }

    #[test]
    fn filters_follow_their_curves() {
        for rate in [
            8000.0, 16_000.0, 22_050.0, 32_000.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0,
        ] {
            for weighting in FrequencyWeighting::ALL {
                let filter = WeightingFilter::new(weighting, rate);
                let (mut worst, mut worst_above): (f64, f64) = (0.0, 0.0);
                for k in 0..=2000 {
                    let frequency = 10.0 * 2000f64.powf(f64::from(k) / 2000.0);
                    if frequency > TOP * rate {
                        break;
                    }
                    let error = (filter.decibels(frequency, rate) - weighting.decibels(frequency)).abs();
                    if frequency <= 16_000.0 && frequency <= 0.8 * TOP * rate {
                        worst = worst.max(error);
                    } else {
                        worst_above = worst_above.max(error);
                    }
                }
                println!("{weighting:?} at {rate} Hz: {worst:.3} dB, at the upper end {worst_above:.3} dB");
                let bounds = if rate >= 44_100.0 { (0.1, 0.3) } else { (0.25, 0.6) };
                assert!(worst <= bounds.0 && worst_above <= bounds.1);
            }
        }
    }
}
