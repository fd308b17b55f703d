//! Periods: the similarity of a frame to itself some samples later.

use super::centred::{CentredSpectrum, ORIGIN};
use super::configuration::{Checked, Measured};
use super::error::PitchError;
use super::sums::sum;
use crate::spectrum::{Normalization, SpectrumPlan};
use crate::window::{Symmetry, Window};
use std::f64::consts::PI;

/// The greatest number of maxima that are considered: those of the shortest lags.
pub(super) const MAX_MAXIMA: usize = 64;

/// The number of samples on each side from which a value between samples is interpolated.
const TAPS: usize = 12;
/// Lags below this are interpolated more precisely than by a parabola.
const SHORT: f64 = 200.0;

/// A maximum of the normalised square difference function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Period {
    /// The lag, in samples.
    pub(super) lag: f64,
    /// The value of the function there, -1 to 1; 1 is an exact repetition.
    pub(super) likeness: f64,
}

/// The normalised square difference function (P. McLeod and G. Wyvill, "A smarter way to find pitch", ICMC 2005):
/// n(lag) = 2 sum x(j) x(j + lag) / sum (x(j)^2 + x(j + lag)^2) over all j that have both.
///
/// The sum of products is the transform of the frame's powers, which are even: it is computed by one of half the size, of a
/// sequence whose real parts are the even lags, and whose imaginary parts the differences of the odd ones.
pub(super) struct Lags {
    plan: SpectrumPlan,
    /// The sines and cosines of pi k / N for k up to N/2, where N is the number of samples of a frame.
    sines: Vec<f32>,
    cosines: Vec<f32>,
    /// The powers of the bins of the frame's transform.
    powers: Vec<f32>,
    sequence: Vec<f32>,
    products: Vec<f32>,
    scratch: Vec<f32>,
    likeness: Vec<f32>,
    /// The sum of products of each lag, and the energy of the samples that have a partner at that lag.
    correlation: Vec<f32>,
    energies: Vec<f32>,
    /// The shortest lag at which a maximum is searched.
    shortest: f64,
}

impl Lags {
    pub(super) fn new(spectrum: &CentredSpectrum, checked: Checked) -> Result<Self, PitchError> {
        let size = spectrum.size() / 2;
        let plan = SpectrumPlan::new(size, Window::Rectangular, Symmetry::Periodic, Normalization::None)?;
        let held = checked.held();
        let longest = (checked.sample_rate / held.start()).ceil() as usize + 2;
        let table = |f: fn(f64) -> f64| {
            (0..=size / 2)
                .map(|k| f(PI * k as f64 / size as f64) as f32)
                .collect()
        };
        let length = longest + 2;
        let pairs = length.next_multiple_of(2);
        Ok(Self {
            sines: table(f64::sin),
            cosines: table(f64::cos),
            powers: vec![0.0; spectrum.bins()],
            sequence: vec![0.0; size],
            products: vec![0.0; 2 * plan.bins()],
            scratch: vec![0.0; plan.scratch_len()],
            plan,
            likeness: vec![0.0; length],
            correlation: vec![0.0; pairs],
            energies: vec![0.0; pairs],
            shortest: checked.sample_rate / held.end(),
        })
    }

    /// Computes the function of the frame in `spectrum`, which is that of `measured`.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        spectrum: &CentredSpectrum,
        measured: &Measured<'_>,
    ) -> Result<(), PitchError> {
        let count = self.powers.len();
        let (real, imaginary) = (
            &spectrum.real[ORIGIN..][..count],
            &spectrum.imaginary[ORIGIN..][..count],
        );
        for ((power, x), y) in self.powers.iter_mut().zip(real).zip(imaginary) {
            *power = x * x + y * y;
        }
        let mut odd = self.fold();
        self.plan
            .complex(&self.sequence, &mut self.products, &mut self.scratch)?;
        // The common part of both copies shrinks from both ends.
        let (samples, mean) = (&measured.frame[1..], measured.mean);
        let ends = samples.iter().zip(samples.iter().rev());
        for (energy, (first, last)) in self.energies.iter_mut().zip(ends) {
            let (first, last) = (first - mean, last - mean);
            *energy = first * first + last * last;
        }
        let mut left = 2.0 * spectrum.energy;
        let (correlations, _) = self.correlation.as_chunks_mut::<2>();
        let (energies, _) = self.energies.as_chunks_mut::<2>();
        let (products, _) = self.products.as_chunks::<2>();
        for ((correlation, energy), [even, change]) in correlations.iter_mut().zip(energies).zip(products) {
            odd -= f64::from(*change);
            *correlation = [*even, odd as f32];
            let [one, other] = energy.map(f64::from);
            *energy = [left as f32, (left - one) as f32];
            left -= one + other;
        }
        // The sum over the powers is that of the products as often as the frame has samples.
        let scale = 2.0 / self.sequence.len() as f32;
        let length = self.likeness.len();
        let (correlation, energies) = (&self.correlation[..length], &self.energies[..length]);
        for ((likeness, correlation), energy) in self.likeness.iter_mut().zip(correlation).zip(energies) {
            let energy = if *energy > 1e-30 { *energy } else { 1e-30 };
            *likeness = scale * correlation / energy;
        }
        self.likeness[0] = 1.0;
        Ok(())
    }

    /// Folds the powers into the sequence whose transform has the sums of products: the sum over k of powers(k) cos(pi k l / N)
    /// for an even l is the real part of bin l/2, for an odd one that of the odd one before, less the imaginary part. Returns the
    /// first odd one.
    #[inline(always)]
    fn fold(&mut self) -> f64 {
        let size = self.sequence.len();
        let half = size / 2;
        let edges = [self.powers[0], self.powers[size]];
        let (low, high) = self.powers.split_at(half);
        let (front, back) = self.sequence.split_at_mut(half);
        front[0] = 0.5 * (edges[0] + edges[1]);
        back[0] = high[0];
        let count = half - 1;
        let (low, high) = (&low[1..][..count], &high[1..][..count]);
        let (front, back) = (&mut front[1..][..count], &mut back[1..][..count]);
        let (sines, cosines) = (&self.sines[1..][..count], &self.cosines[1..][..count]);
        let terms = &mut self.scratch[..count];
        // Loops of few arrays each, in one direction: of others the compiler makes no vectors.
        terms.copy_from_slice(high);
        terms.reverse();
        for ((mean, one), other) in front.iter_mut().zip(low).zip(&*terms) {
            *mean = 0.5 * (one + other);
        }
        for (term, one) in terms.iter_mut().zip(low) {
            *term = one - *term;
        }
        for (((sum, mean), term), sine) in back.iter_mut().zip(&*front).zip(&*terms).zip(sines) {
            *sum = mean + term * sine;
        }
        back.reverse();
        for ((mean, term), sine) in front.iter_mut().zip(&*terms).zip(sines) {
            *mean -= term * sine;
        }
        for (term, cosine) in terms.iter_mut().zip(cosines) {
            *term *= cosine;
        }
        0.5 * f64::from(edges[0] - edges[1]) + sum(terms, f64::from)
    }

    /// The frame's energy up to `last` bins of the transform.
    #[inline(always)]
    pub(super) fn energy_to(&self, last: usize) -> f64 {
        let above = sum(&self.powers[1..=last], f64::from);
        (f64::from(self.powers[0]) + 2.0 * above) / (2 * self.sequence.len()) as f64
    }

    /// Writes the maxima within the range into `found`, one for each stretch above 0 after the first below it, in rising order
    /// of lag; returns them.
    #[inline(always)]
    pub(super) fn maxima<'a>(&self, found: &'a mut [Period]) -> &'a [Period] {
        let n = &self.likeness[..self.likeness.len() - 1];
        let end = n.len();
        let mut count = 0;
        let mut lag = n.iter().position(|&likeness| likeness <= 0.0).unwrap_or(end);
        while lag < end && count < found.len() {
            let Some(above) = n[lag..].iter().position(|&likeness| likeness > 0.0) else {
                break;
            };
            lag += above;
            let stretch = &n[lag..];
            let length = stretch.iter().position(|&likeness| likeness <= 0.0);
            let stretch = &stretch[..length.unwrap_or(stretch.len())];
            let mut best = lag;
            let mut largest = 0.0;
            for (k, &likeness) in stretch.iter().enumerate() {
                best = if likeness > largest { lag + k } else { best };
                largest = if likeness > largest { likeness } else { largest };
            }
            lag += stretch.len();
            // A slope at the end of the range is not a maximum.
            if best + 1 < end {
                let period = self.refined(best);
                if period.lag >= self.shortest {
                    found[count] = period;
                    count += 1;
                }
            }
        }
        &found[..count]
    }

    /// The maximum near `lag`, by the parabola through three values.
    #[inline(always)]
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
    #[inline(always)]
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
    #[inline(always)]
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
