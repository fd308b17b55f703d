//! The autocorrelation of a windowed frame over that of the window.

use super::{VoiceError, gaussian};
use crate::inverse::InversePlan;
use crate::spectrum::{Normalization, SpectrumPlan};
use crate::window::{Symmetry, Window};

/// Samples on each side that contribute to the function between two lags.
const DEPTH: usize = 30;
/// The farthest that a parabola's top is looked for, in distances of its values.
const FARTHEST: f64 = 4.0;

/// r(lag) of the sound, as it would be without the window, 1 at lag 0 (P. Boersma, "Accurate short-term analysis of the
/// fundamental frequency and the harmonics-to-noise ratio of a sampled sound", IFA Proceedings 17, 1993).
pub(super) struct Correlation {
    forward: SpectrumPlan,
    inverse: InversePlan,
    window: Vec<f64>,
    /// The window's own, from lag 0 on.
    own: Vec<f64>,
    frame: Vec<f32>,
    power: Vec<f32>,
    bins: Vec<f32>,
    samples: Vec<f32>,
    scratch: Vec<f32>,
    values: Vec<f64>,
}

impl Correlation {
    /// Makes the autocorrelation of frames of `window` samples, for lags up to `longest` samples.
    pub(super) fn new(window: usize, longest: usize) -> Result<Self, VoiceError> {
        let lags = longest + DEPTH + 2;
        let size = (window + lags).next_power_of_two();
        let forward = SpectrumPlan::new(size, Window::Rectangular, Symmetry::Periodic, Normalization::None)?;
        let inverse = InversePlan::new(size)?;
        let mut correlation = Self {
            window: (0..window).map(|n| gaussian(n, window)).collect(),
            own: Vec::new(),
            frame: vec![0.0; size],
            power: vec![0.0; forward.bins()],
            bins: vec![0.0; inverse.complex_len()],
            samples: vec![0.0; size],
            scratch: vec![0.0; forward.scratch_len().max(inverse.scratch_len())],
            values: vec![0.0; lags],
            forward,
            inverse,
        };
        for (sample, &weight) in correlation.frame.iter_mut().zip(&correlation.window) {
            *sample = weight as f32;
        }
        correlation.transform()?;
        let first = f64::from(correlation.samples[0]);
        let own = correlation
            .samples
            .iter()
            .take(lags)
            .map(|&r| f64::from(r) / first);
        correlation.own = own.collect();
        Ok(correlation)
    }

    /// The samples of a frame.
    pub(super) fn frame_length(&self) -> usize {
        self.window.len()
    }

    /// Computes the function of a frame; false: it has no sound, or a sample that is NaN or infinite.
    pub(super) fn take(&mut self, frame: &[f32]) -> Result<bool, VoiceError> {
        let mean = in_lanes(frame, |sum, x| sum + x).iter().sum::<f64>() / frame.len() as f64;
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        let peak = in_lanes(frame, |peak, x| larger(peak, (x - mean).abs()));
        let peak = peak.into_iter().fold(0.0, larger);
        if !(mean.is_finite() && peak > 0.0 && peak.is_finite()) {
            return Ok(false);
        }
        // A constant is left with rounding only.
        if peak < 1e-7 * mean.abs() {
            return Ok(false);
        }
        let scale = 1.0 / peak;
        for ((sample, &x), weight) in self.frame.iter_mut().zip(frame).zip(&self.window) {
            *sample = ((f64::from(x) - mean) * scale * weight) as f32;
        }
        self.transform()?;
        let first = f64::from(self.samples[0]);
        if first <= 0.0 {
            return Ok(false);
        }
        for ((value, &r), own) in self.values.iter_mut().zip(&self.samples).zip(&self.own) {
            *value = f64::from(r) / (first * own);
        }
        Ok(true)
    }

    /// Transforms `frame` into `samples`, its autocorrelation.
    fn transform(&mut self) -> Result<(), VoiceError> {
        self.forward
            .power(&self.frame, &mut self.power, &mut self.scratch)?;
        for (bin, &power) in self.bins.chunks_exact_mut(2).zip(&self.power) {
            bin[0] = power;
        }
        self.inverse
            .samples(&self.bins, &mut self.samples, &mut self.scratch)?;
        Ok(())
    }

    /// The function at whole lags.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The function between lags, from the values around by a sinc under a Hann window; `lag` is below the longest.
    fn at(&self, lag: f64) -> f64 {
        let below = lag.floor();
        let part = lag - below;
        if part < 1e-9 {
            return self.values[below as usize];
        }
        let below = below as isize;
        let reach = DEPTH as isize;
        let sine = (std::f64::consts::PI * part).sin() / std::f64::consts::PI;
        let width = std::f64::consts::PI / (DEPTH as f64 + 0.5);
        let (mut sum, mut sign) = (0.0, if DEPTH.is_multiple_of(2) { -1.0 } else { 1.0 });
        // The window's cosine advances by a turn from one value to the next.
        let (mut sin, mut cos) = (width * (part - (1 - reach) as f64)).sin_cos();
        let (step_sin, step_cos) = width.sin_cos();
        for k in 1 - reach..=reach {
            // The function is even.
            let value = self.values[(below + k).unsigned_abs()];
            sum += value * sign / (part - k as f64) * (0.5 + 0.5 * cos);
            (sin, cos) = (sin * step_cos - cos * step_sin, cos * step_cos + sin * step_sin);
            sign = -sign;
        }
        sum * sine
    }

    /// The lag and height of the maximum around the whole lag `near`, which is no lower than its neighbours: the top of a parabola
    /// through three values, then of one through three nearer ones, twice. The function has no detail finer than a sample, and what
    /// is left is a 100,000th of one.
    pub(super) fn maximum(&self, near: usize) -> (f64, f64) {
        let whole = [near - 1, near, near + 1].map(|lag| self.values[lag]);
        let (mut lag, mut height) = (near as f64 + top(whole).0, whole[1]);
        for distance in [0.1, 0.01] {
            let values = [-distance, 0.0, distance].map(|by| self.at(lag + by));
            let (shift, value) = top(values);
            lag = (lag + distance * shift).clamp(near as f64 - 1.0, near as f64 + 1.0);
            height = value;
        }
        (lag, height)
    }
}

/// Samples that are taken at a time.
const LANES: usize = 8;

/// Folds the samples in lanes, each from 0: one need not wait for the one before.
#[inline(always)]
fn in_lanes(samples: &[f32], fold: impl Fn(f64, f64) -> f64) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    let (many, rest) = samples.as_chunks::<LANES>();
    for samples in many {
        for (lane, &x) in lanes.iter_mut().zip(samples) {
            *lane = fold(*lane, f64::from(x));
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = fold(*lane, f64::from(x));
    }
    lanes
}

/// The place of the top of a parabola through three values one apart, from the middle one, and its height. The top is at most
/// [`FARTHEST`] away: a straight line has none.
fn top([left, middle, right]: [f64; 3]) -> (f64, f64) {
    let bend = left - 2.0 * middle + right;
    let slope = 0.5 * (left - right);
    if bend >= 0.0 {
        return (0.0, middle);
    }
    let shift = (slope / bend).clamp(-FARTHEST, FARTHEST);
    (shift, middle - slope * shift + 0.5 * bend * shift * shift)
}
