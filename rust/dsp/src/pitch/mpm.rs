//! McLeod's pitch method: the similarity of a frame to itself some samples later.

use super::centred::CentredSpectrum;
use super::configuration::Checked;
use super::error::PitchError;
use super::lags::{Lags, MAX_MAXIMA, Period};
use super::{PitchEstimate, PitchEstimator};
use std::ops::RangeInclusive;

/// The part of the largest maximum that the first accepted one has to reach; 0.8 to 1 in the paper.
const CUTOFF: f64 = 0.93;

/// The method.
pub(super) struct Mpm {
    checked: Checked,
    spectrum: CentredSpectrum,
    lags: Lags,
    maxima: [Period; MAX_MAXIMA],
}

impl Mpm {
    pub(super) fn new(checked: Checked) -> Result<Self, PitchError> {
        let spectrum = CentredSpectrum::new(checked.frame_length)?;
        Ok(Self {
            lags: Lags::new(&spectrum, checked)?,
            maxima: [Period::default(); MAX_MAXIMA],
            spectrum,
            checked,
        })
    }
}

impl PitchEstimator for Mpm {
    fn frame_length(&self) -> usize {
        self.checked.frame_length
    }

    fn range(&self) -> RangeInclusive<f64> {
        self.checked.range()
    }

    fn estimate(&mut self, frame: &[f32]) -> Result<PitchEstimate, PitchError> {
        let measured = self.checked.measured(frame)?;
        let level = measured.level;
        if !level.is_finite() {
            return Ok(PitchEstimate::silent(level));
        }
        self.spectrum.take(&measured)?;
        self.lags.take(&self.spectrum, &measured)?;
        let maxima = self.lags.maxima(&mut self.maxima);
        let largest = maxima.iter().map(|period| period.likeness).fold(0.0, f64::max);
        let Some(first) = maxima.iter().find(|period| period.likeness >= CUTOFF * largest) else {
            return Ok(PitchEstimate::silent(level));
        };
        Ok(PitchEstimate {
            frequency: self.checked.sample_rate / first.lag,
            confidence: first.likeness.clamp(0.0, 1.0),
            ..PitchEstimate::silent(level)
        })
    }
}
