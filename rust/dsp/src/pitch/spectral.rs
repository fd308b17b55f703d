//! Pitch from the magnitudes of a spectrum alone: the largest peak, and the harmonic product spectrum.

use super::centred::{CentredSpectrum, OVERSAMPLING};
use super::comb::{Comb, vertex};
use super::configuration::Checked;
use super::error::PitchError;
use super::{PitchEstimate, PitchEstimator};
use std::ops::RangeInclusive;

/// The partials of a product.
const PARTIALS: usize = 5;
/// The bins of the transform to each side of a partial that hold its energy under the window.
const LOBE: usize = 2 * OVERSAMPLING;

/// The searched maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The largest magnitude.
    Peak,
    /// The largest product of the magnitudes at a frequency and its multiples.
    Product,
}

/// Both methods, on the spectrum under a Hann window of twice the frame's bins.
pub(super) struct Spectral {
    checked: Checked,
    choice: Choice,
    spectrum: CentredSpectrum,
    comb: Comb,
}

impl Spectral {
    pub(super) fn new(checked: Checked, choice: Choice) -> Result<Self, PitchError> {
        let spectrum = CentredSpectrum::new(checked.frame_length)?;
        Ok(Self {
            comb: Comb::new(&spectrum, spectrum.bins()),
            spectrum,
            checked,
            choice,
        })
    }

    /// The bin that is largest in the sense of the choice.
    fn largest(&self) -> Option<usize> {
        let m = self.comb.magnitudes();
        let to_bins = self.spectrum.size() as f64 / self.checked.sample_rate;
        let first = (self.checked.lowest * to_bins).floor().max(1.0) as usize;
        let last = ((self.checked.highest * to_bins).ceil() as usize).min(m.len() - 2);
        let salience = |bin: usize| match self.choice {
            Choice::Peak => f64::from(m[bin]),
            // As a sum of logarithms: five magnitudes of a loud frame overflow. What lies beyond the spectrum is nothing.
            Choice::Product => (1..=PARTIALS)
                .map(|h| f64::from(m.get(h * bin).copied().unwrap_or(0.0)).max(1e-30).ln())
                .sum(),
        };
        // The slope of a peak outside the range is not a peak.
        let is_peak =
            |bin: &usize| self.choice == Choice::Product || (m[*bin] > m[bin - 1] && m[*bin] >= m[bin + 1]);
        (first..=last)
            .filter(is_peak)
            .map(|bin| (bin, salience(bin)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(bin, _)| bin)
    }

    /// The part of the spectrum's energy near `bin` and as many of its multiples as the choice looks at.
    fn share(&self, bin: f64) -> f64 {
        let m = self.comb.magnitudes();
        let power = |at: usize| f64::from(m[at]).powi(2);
        let total: f64 = (0..m.len()).map(power).sum();
        let partials = if self.choice == Choice::Peak { 1 } else { PARTIALS };
        let mut inside = 0.0;
        let mut next = 0;
        for h in 1..=partials {
            let middle = (h as f64 * bin).round() as usize;
            let end = (middle + LOBE + 1).min(m.len());
            inside += (middle.saturating_sub(LOBE).max(next)..end)
                .map(power)
                .sum::<f64>();
            next = next.max(end);
        }
        (inside / total).clamp(0.0, 1.0)
    }
}

impl PitchEstimator for Spectral {
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
        self.comb.take(&self.spectrum);
        let Some(bin) = self.largest() else {
            return Ok(PitchEstimate::silent(level));
        };
        let place = bin as f64 + vertex(self.comb.magnitudes(), bin);
        let frequency = place * self.checked.sample_rate / self.spectrum.size() as f64;
        if !self.checked.holds(frequency) {
            return Ok(PitchEstimate::silent(level));
        }
        Ok(PitchEstimate {
            frequency,
            confidence: self.share(place),
            ..PitchEstimate::silent(level)
        })
    }
}
