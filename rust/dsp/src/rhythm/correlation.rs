//! The autocorrelation of onset strengths that come one after the other.

use super::bands::PARTS;

/// The weights that smooth the strengths: a Hann window of five frames, since beats are not on whole frames.
const SMOOTH: [f32; 5] = [1.0 / 12.0, 0.25, 1.0 / 3.0, 0.25, 1.0 / 12.0];

/// The last strengths, smoothed, two frames late.
#[derive(Default)]
pub(super) struct Smoothing {
    last: [[f32; PARTS]; 5],
}

impl Smoothing {
    pub(super) fn next(&mut self, strengths: [f32; PARTS]) -> [f32; PARTS] {
        self.last.rotate_left(1);
        self.last[4] = strengths;
        std::array::from_fn(|part| {
            let weighted = self.last.iter().zip(SMOOTH);
            weighted.map(|(strengths, weight)| strengths[part] * weight).sum()
        })
    }
}

/// Frames by which a smoothed strength is late.
pub(super) const SMOOTHING_DELAY: usize = 2;

/// An autocorrelation in which the past fades exponentially.
pub(super) struct FadingCorrelation {
    /// The factor of a frame.
    keep: f32,
    /// The strengths less their mean, the newest at `newest`; twice in a row, so that the past is one slice.
    past: Vec<f32>,
    newest: usize,
    mean: f64,
    mean_weight: f64,
    sums: Vec<f32>,
    weights: Vec<f32>,
    count: usize,
}

impl FadingCorrelation {
    /// For lags from 0 to `longest`, fading to 1/e in `frames`.
    pub(super) fn new(longest: usize, frames: f64) -> Self {
        let lags = longest + 1;
        Self {
            keep: (-1.0 / frames).exp() as f32,
            past: vec![0.0; 2 * lags],
            newest: 0,
            mean: 0.0,
            mean_weight: 0.0,
            sums: vec![0.0; lags],
            weights: vec![0.0; lags],
            count: 0,
        }
    }

    pub(super) fn push(&mut self, strength: f32) {
        let lags = self.sums.len();
        self.mean_weight = self.mean_weight * f64::from(self.keep) + 1.0;
        self.mean += (f64::from(strength) - self.mean) / self.mean_weight;
        let centred = strength - self.mean as f32;
        self.newest = if self.newest == 0 {
            lags - 1
        } else {
            self.newest - 1
        };
        self.past[self.newest] = centred;
        self.past[self.newest + lags] = centred;
        self.count = (self.count + 1).min(lags);
        let past = &self.past[self.newest..self.newest + lags];
        for (sum, other) in self.sums.iter_mut().zip(past) {
            *sum = *sum * self.keep + centred * other;
        }
        for (lag, weight) in self.weights.iter_mut().enumerate() {
            *weight = *weight * self.keep + if lag < self.count { 1.0 } else { 0.0 };
        }
    }

    /// Writes the autocorrelation, 1 at lag 0; 0 at lags that are not known, and of silence. Returns the number of lags that are known: those
    /// which so many frames had.
    pub(super) fn write(&self, correlation: &mut [f32], least_weight: f32) -> usize {
        let power = self.sums[0] / self.weights[0].max(1.0);
        for ((value, sum), weight) in correlation.iter_mut().zip(&self.sums).zip(&self.weights) {
            *value = if *weight >= least_weight && power > SILENT {
                sum / weight / power
            } else {
                0.0
            };
        }
        self.weights.partition_point(|weight| *weight >= least_weight)
    }

    pub(super) fn reset(&mut self) {
        self.past.fill(0.0);
        self.sums.fill(0.0);
        self.weights.fill(0.0);
        (self.newest, self.mean, self.mean_weight, self.count) = (0, 0.0, 0.0, 0);
    }
}

/// A variance of strengths below which there is no rhythm.
pub(super) const SILENT: f32 = 1e-6;

/// The autocorrelation of a window of strengths at lags from 0 on, corrected for the fewer products at longer ones: 1 at lag 0, all 0 for
/// silence.
pub(super) fn window_correlation(strengths: &[f32], correlation: &mut [f32], centred: &mut Vec<f32>) {
    let mean = strengths.iter().sum::<f32>() / strengths.len().max(1) as f32;
    centred.clear();
    centred.extend(strengths.iter().map(|strength| strength - mean));
    let mut power = 0.0;
    for (lag, value) in correlation.iter_mut().enumerate() {
        let count = centred.len().saturating_sub(lag);
        *value = if count == 0 {
            0.0
        } else {
            let products = centred.iter().zip(&centred[lag..]).map(|(a, b)| a * b);
            products.sum::<f32>() / count as f32
        };
        if lag == 0 {
            power = *value;
        }
    }
    for value in correlation {
        *value = if power > SILENT { *value / power } else { 0.0 };
    }
}
