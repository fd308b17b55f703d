//! Periods: how like itself a frame is some samples later.

use super::centred::{CentredSpectrum, ORIGIN};
use super::configuration::Checked;
use super::error::PitchError;
use super::sums::sum;
use crate::inverse::InversePlan;
use std::f64::consts::PI;

/// As many maxima as are looked at: those of the shortest lags.
pub(super) const MAX_MAXIMA: usize = 64;

/// Samples on each side of a value between them.
const TAPS: usize = 12;
/// Lags below this are looked at more closely than by a parabola.
const SHORT: f64 = 200.0;

/// A maximum of the normalised square difference function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Period {
    /// In samples.
    pub(super) lag: f64,
    /// -1 to 1: 1 is the same again.
    pub(super) likeness: f64,
}

/// The normalised square difference function (P. McLeod and G. Wyvill, "A smarter way to find pitch", ICMC 2005):
/// n(lag) = 2 sum x(j) x(j + lag) / sum (x(j)^2 + x(j + lag)^2) over all j that have both.
pub(super) struct Lags {
    inverse: InversePlan,
    powers: Vec<f32>,
    correlation: Vec<f32>,
    scratch: Vec<f32>,
    likeness: Vec<f32>,
    /// The least lag of a maximum.
    shortest: f64,
}

impl Lags {
    pub(super) fn new(spectrum: &CentredSpectrum, checked: Checked) -> Result<Self, PitchError> {
        let inverse = InversePlan::new(spectrum.size())?;
        let held = checked.held();
        let longest = (checked.sample_rate / held.start()).ceil() as usize + 2;
        Ok(Self {
            powers: vec![0.0; inverse.complex_len()],
            correlation: vec![0.0; inverse.size()],
            scratch: vec![0.0; inverse.scratch_len()],
            inverse,
            likeness: vec![0.0; longest + 2],
            shortest: checked.sample_rate / held.end(),
        })
    }

    /// Computes the function of the frame in `spectrum`, whose samples are `frame` less `mean`.
    pub(super) fn take(
        &mut self,
        spectrum: &CentredSpectrum,
        frame: &[f32],
        mean: f32,
    ) -> Result<(), PitchError> {
        let inner = ORIGIN..ORIGIN + spectrum.bins();
        let (real, imaginary) = (&spectrum.real[inner.clone()], &spectrum.imaginary[inner]);
        for ((power, x), y) in self.powers.chunks_exact_mut(2).zip(real).zip(imaginary) {
            power[0] = x * x + y * y;
        }
        self.inverse
            .samples(&self.powers, &mut self.correlation, &mut self.scratch)?;
        // What both copies have in common gets shorter from both ends.
        let samples = &frame[1..];
        let ends = samples.iter().zip(samples.iter().rev());
        let mut energy = 2.0 * spectrum.energy;
        for (likeness, (first, last)) in self.likeness[1..].iter_mut().zip(ends) {
            let (first, last) = (f64::from(first - mean), f64::from(last - mean));
            energy -= first * first + last * last;
            *likeness = energy as f32;
        }
        self.likeness[0] = 1.0;
        for (likeness, correlation) in self.likeness.iter_mut().zip(&self.correlation).skip(1) {
            *likeness = 2.0 * correlation / likeness.max(1e-30);
        }
        Ok(())
    }

    /// The frame's energy up to `last` bins of the transform.
    pub(super) fn energy_to(&self, last: usize) -> f64 {
        // The imaginary parts between the powers are 0.
        let above = sum(&self.powers[2..2 * last + 2], f64::from);
        (f64::from(self.powers[0]) + 2.0 * above) / self.correlation.len() as f64
    }

    /// Writes the maxima within the range into `found`, one for each stretch above 0 after the first below it, in rising order
    /// of lag; returns them.
    pub(super) fn maxima<'a>(&self, found: &'a mut [Period]) -> &'a [Period] {
        let n = &self.likeness[..self.likeness.len() - 1];
        let (mut count, mut best) = (0, None);
        let below = n.iter().position(|&likeness| likeness <= 0.0).unwrap_or(n.len());
        for lag in below..n.len() {
            if n[lag] > 0.0 && best.is_none_or(|best: usize| n[lag] > n[best]) {
                best = Some(lag);
            }
            if n[lag] > 0.0 && lag + 1 < n.len() {
                continue;
            }
            // Where the range ends a slope is no maximum.
            if let Some(lag) = best.take().filter(|&lag| lag + 1 < n.len()) {
                let period = self.refined(lag);
                if period.lag >= self.shortest && count < found.len() {
                    found[count] = period;
                    count += 1;
                }
            }
        }
        &found[..count]
    }

    /// The maximum near `lag`, by the parabola through three values.
    fn refined(&self, lag: usize) -> Period {
        let [left, middle, right] = [lag - 1, lag, lag + 1].map(|k| f64::from(self.likeness[k]));
        let bend = left - 2.0 * middle + right;
        let shift = if bend < 0.0 {
            (0.5 * (left - right) / bend).clamp(-1.0, 1.0)
        } else {
            0.0
        };
        Period {
            lag: lag as f64 + shift,
            likeness: middle - 0.25 * (left - right) * shift,
        }
    }

    /// The function's largest value near `lag`, between samples; 0 beyond the range.
    pub(super) fn near(&self, lag: f64) -> f64 {
        let middle = lag.round() as usize;
        let longest = self.likeness.len() - 2;
        if !(1..=longest).contains(&middle) {
            return 0.0;
        }
        let slack = 1 + middle / 100;
        let parabola = (middle.saturating_sub(slack).max(1)..=(middle + slack).min(longest))
            .max_by(|&a, &b| self.likeness[a].total_cmp(&self.likeness[b]))
            .map_or(0.0, |lag| self.refined(lag).likeness);
        // Maxima of short lags are as narrow as a sample where partials reach half the sample rate.
        if middle + TAPS < self.likeness.len() && lag < SHORT {
            parabola.max(self.at(lag))
        } else {
            parabola
        }
    }

    /// The function at `lag`, which the samples around it determine: the sum of their sincs, under Hann's window.
    fn at(&self, lag: f64) -> f64 {
        let whole = lag.floor();
        let part = lag - whole;
        if part < 1e-6 {
            return f64::from(self.likeness[whole as usize]);
        }
        // sin(pi (x - k)) is that of x with another sign; the window's cosine turns by the same angle from sample to sample.
        // The first tap is an odd number of samples before.
        let mut sine = -(PI * part).sin() / PI;
        let (step_sin, step_cos) = (PI / TAPS as f64).sin_cos();
        let (mut sin, mut cos) = (PI * (part + (TAPS - 1) as f64) / TAPS as f64).sin_cos();
        let mut sum = 0.0;
        for tap in 0..2 * TAPS {
            let away = part + (TAPS - 1) as f64 - tap as f64;
            let index = (whole as isize + tap as isize + 1 - TAPS as isize).unsigned_abs();
            sum += sine / away * (0.5 + 0.5 * cos) * f64::from(self.likeness[index]);
            sine = -sine;
            (sin, cos) = (sin * step_cos - cos * step_sin, cos * step_cos + sin * step_sin);
        }
        sum
    }
}
