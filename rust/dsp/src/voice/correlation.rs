//! The autocorrelation of a windowed frame over that of the window.

use super::{VoiceError, gaussian};
use crate::inverse::InversePlan;
use crate::spectrum::{Normalization, SpectrumPlan};
use crate::window::{Symmetry, Window};

/// Samples on each side that contribute to the function between two lags.
const DEPTH: usize = 30;

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
    pub(super) fn window(&self) -> usize {
        self.window.len()
    }

    /// Computes the function of a frame; false: it has no sound, or a sample that is NaN or infinite.
    pub(super) fn take(&mut self, frame: &[f32]) -> Result<bool, VoiceError> {
        let mean = frame.iter().map(|&x| f64::from(x)).sum::<f64>() / frame.len() as f64;
        let peak = frame
            .iter()
            .fold(0.0, |peak: f64, &x| peak.max((f64::from(x) - mean).abs()));
        if !(mean.is_finite() && peak > 0.0 && peak.is_finite()) {
            return Ok(false);
        }
        // A constant is left with rounding only.
        if peak < 1e-7 * mean.abs() {
            return Ok(false);
        }
        for ((sample, &x), weight) in self.frame.iter_mut().zip(frame).zip(&self.window) {
            *sample = ((f64::from(x) - mean) / peak * weight) as f32;
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

    /// The lag and height of the maximum around the whole lag `near`, which is no lower than its neighbours.
    pub(super) fn maximum(&self, near: usize) -> (f64, f64) {
        // Golden sections; what is left after 30 is a millionth of a sample.
        const RATIO: f64 = 0.618_033_988_749_894_9;
        let (mut low, mut high) = (near as f64 - 1.0, near as f64 + 1.0);
        let (mut left, mut right) = (high - RATIO * (high - low), low + RATIO * (high - low));
        let (mut at_left, mut at_right) = (self.at(left), self.at(right));
        for _ in 0..30 {
            if at_left > at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - RATIO * (high - low);
                at_left = self.at(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + RATIO * (high - low);
                at_right = self.at(right);
            }
        }
        let lag = 0.5 * (low + high);
        (lag, self.at(lag))
    }
}
