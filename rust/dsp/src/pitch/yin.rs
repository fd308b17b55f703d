//! YIN: the lag of a frame's least difference from itself.

use super::configuration::Checked;
use super::error::PitchError;
use super::{PitchEstimate, PitchEstimator};
use crate::inverse::InversePlan;
use crate::spectrum::{Normalization, SpectrumPlan};
use crate::window::{Symmetry, Window};
use std::ops::RangeInclusive;

/// The difference below which the first minimum is taken (table I of the paper uses 0.1).
const THRESHOLD: f64 = 0.1;

/// The method of de Cheveigne and Kawahara over W = N/2 samples: d(lag) = sum over j < W of (x(j) - x(j + lag))^2, its sum of
/// products by way of three transforms.
pub(super) struct Yin {
    checked: Checked,
    plan: SpectrumPlan,
    inverse: InversePlan,
    padded: Vec<f32>,
    half: Vec<f32>,
    whole: Vec<f32>,
    products: Vec<f32>,
    scratch: Vec<f32>,
    /// d, and d over its mean up to there.
    differences: Vec<f64>,
    normalised: Vec<f64>,
}

impl Yin {
    pub(super) fn new(checked: Checked) -> Result<Self, PitchError> {
        let size = (checked.frame_length * 3 / 2).next_power_of_two();
        let plan = SpectrumPlan::new(size, Window::Rectangular, Symmetry::Periodic, Normalization::None)?;
        let inverse = InversePlan::new(size)?;
        let lags = ((checked.sample_rate / checked.lowest).ceil() as usize + 2).min(checked.frame_length / 2);
        Ok(Self {
            padded: vec![0.0; size],
            half: vec![0.0; inverse.complex_len()],
            whole: vec![0.0; inverse.complex_len()],
            products: vec![0.0; size],
            scratch: vec![0.0; inverse.scratch_len().max(plan.scratch_len())],
            differences: vec![0.0; lags + 1],
            normalised: vec![1.0; lags + 1],
            checked,
            plan,
            inverse,
        })
    }

    /// Fills the difference functions.
    fn differ(&mut self, frame: &[f32]) -> Result<(), PitchError> {
        let width = frame.len() / 2;
        self.padded.fill(0.0);
        self.padded[..width].copy_from_slice(&frame[..width]);
        self.plan
            .complex(&self.padded, &mut self.half, &mut self.scratch)?;
        self.padded[..frame.len()].copy_from_slice(frame);
        self.plan
            .complex(&self.padded, &mut self.whole, &mut self.scratch)?;
        for (whole, half) in self.whole.chunks_exact_mut(2).zip(self.half.chunks_exact(2)) {
            let [x, y] = [whole[0], whole[1]];
            whole[0] = x * half[0] + y * half[1];
            whole[1] = y * half[0] - x * half[1];
        }
        self.inverse
            .samples(&self.whole, &mut self.products, &mut self.scratch)?;
        let square = |x: f32| f64::from(x) * f64::from(x);
        let fixed: f64 = frame[..width].iter().map(|&x| square(x)).sum();
        let (mut moving, mut sum) = (fixed, 0.0);
        self.differences[0] = 0.0;
        for lag in 1..self.differences.len() {
            moving += square(frame[lag + width - 1]) - square(frame[lag - 1]);
            let difference = (fixed + moving - 2.0 * f64::from(self.products[lag])).max(0.0);
            sum += difference;
            self.differences[lag] = difference;
            self.normalised[lag] = if sum > 0.0 {
                difference * lag as f64 / sum
            } else {
                1.0
            };
        }
        Ok(())
    }

    /// The lag of the first minimum below the threshold, or of the least.
    fn period(&self) -> usize {
        let first = ((self.checked.sample_rate / self.checked.highest) as usize).max(2);
        let last = self.normalised.len() - 2;
        let d = &self.normalised;
        let mut lag = first;
        while lag <= last {
            if d[lag] < THRESHOLD {
                while lag < last && d[lag + 1] < d[lag] {
                    lag += 1;
                }
                return lag;
            }
            lag += 1;
        }
        (first..=last)
            .min_by(|&a, &b| d[a].total_cmp(&d[b]))
            .unwrap_or(first)
    }
}

impl PitchEstimator for Yin {
    fn frame_length(&self) -> usize {
        self.checked.frame_length
    }

    fn range(&self) -> RangeInclusive<f64> {
        self.checked.range()
    }

    fn estimate(&mut self, frame: &[f32]) -> Result<PitchEstimate, PitchError> {
        let level = self.checked.measured(frame)?.level;
        if !level.is_finite() {
            return Ok(PitchEstimate::silent(level));
        }
        self.differ(frame)?;
        let lag = self.period();
        let [left, middle, right] = [lag - 1, lag, lag + 1].map(|k| self.differences[k]);
        let bend = left - 2.0 * middle + right;
        let shift = if bend > 0.0 {
            (0.5 * (left - right) / bend).clamp(-1.0, 1.0)
        } else {
            0.0
        };
        let frequency = self.checked.sample_rate / (lag as f64 + shift);
        let confidence = (1.0 - self.normalised[lag]).clamp(0.0, 1.0);
        if !self.checked.holds(frequency) || confidence == 0.0 {
            return Ok(PitchEstimate::silent(level));
        }
        Ok(PitchEstimate {
            frequency,
            confidence,
            ..PitchEstimate::silent(level)
        })
    }
}
