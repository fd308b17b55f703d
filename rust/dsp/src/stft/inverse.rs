//! The signal from its short-time spectra, by overlapping and adding.

use super::{HOPS, Padding};
use crate::error::DspError;
use crate::inverse::InversePlan;
use crate::spectrum::{Normalization, SpectrumPlan};

/// The inverse of a [`StftPlan`](super::StftPlan) with [`Output::Complex`](crate::Output::Complex).
///
/// Each frame is transformed back, multiplied by the window again, and added where it came from; then each sample is divided by
/// the sum of the squares of the window's weights that went into it. That is the signal whose short-time spectra are nearest to
/// the ones given, in the sense of least squares (D. Griffin and J. Lim, "Signal estimation from modified short-time Fourier
/// transform", IEEE Trans. ASSP 32 (1984), equation 6), and the signal itself if nothing was modified.
///
/// A sample where all weights are 0, or that no frame covers, is 0. Where they are small, rounding errors grow by the
/// inverse of the largest of them: at the ends of a signal without padding, and between frames whose hop is large.
pub struct InverseStft {
    inverse: InversePlan,
    window: Box<[f32]>,
    hop: usize,
    padding: Padding,
}

impl InverseStft {
    /// The inverse for spectra of `spectrum` with this `hop` and `padding`. It has tables of its own, on the same instruction
    /// set.
    ///
    /// # Errors
    /// [`DspError::Hop`]; what [`InversePlan::with_instruction_set`] returns.
    pub fn new(spectrum: &SpectrumPlan, hop: usize, padding: Padding) -> Result<Self, DspError> {
        if !HOPS.contains(&hop) {
            return Err(DspError::Hop { got: hop });
        }
        let size = spectrum.size();
        let (factor, edge) = match spectrum.scale() {
            Normalization::None => (1.0, 1.0),
            Normalization::Amplitude => (spectrum.window().sums(spectrum.symmetry(), size).sum / 2.0, 2.0),
        };
        let mut window = vec![0.0; size];
        spectrum.window().fill(spectrum.symmetry(), &mut window);
        Ok(Self {
            inverse: InversePlan::scaled(spectrum.instruction_set(), size, factor, edge)?,
            window: window.into(),
            hop,
            padding,
        })
    }

    /// The elements of a row: N + 2.
    pub fn row_len(&self) -> usize {
        self.inverse.complex_len()
    }

    /// The least number of elements of a `scratch` argument, of any content.
    pub fn scratch_len(&self) -> usize {
        self.inverse.scratch_len() + self.inverse.size()
    }

    /// Writes the signal whose frames are `frames`: a row for each frame that a signal as long as `output` has. Allocates
    /// nothing; `scratch` has at least [`scratch_len`](Self::scratch_len) elements.
    ///
    /// # Errors
    /// [`DspError::RowLength`], [`DspError::FrameCount`], [`DspError::ScratchLength`].
    pub fn signal(&self, frames: &[f32], output: &mut [f32], scratch: &mut [f32]) -> Result<(), DspError> {
        let (row, got) = (self.row_len(), frames.len());
        if !got.is_multiple_of(row) {
            return Err(DspError::RowLength { row, got });
        }
        let size = self.inverse.size();
        let expected = self.padding.frame_count(output.len() as u64, size, self.hop) as usize;
        let got = frames.len() / row;
        if got != expected {
            return Err(DspError::FrameCount { expected, got });
        }
        let (expected, got) = (self.scratch_len(), scratch.len());
        if got < expected {
            return Err(DspError::ScratchLength { expected, got });
        }
        let (frame, scratch) = scratch.split_at_mut(size);
        let lead = self.padding.lead(size);
        output.fill(0.0);
        for (at, bins) in frames.chunks_exact(row).enumerate() {
            self.inverse.samples(bins, frame, scratch)?;
            // The part of the frame that lies on the signal.
            let begin = at * self.hop;
            let skipped = lead.saturating_sub(begin);
            let first = (begin + skipped).saturating_sub(lead);
            let weighted = frame.iter().zip(&self.window).skip(skipped);
            for (sample, (value, weight)) in output.iter_mut().skip(first).zip(weighted) {
                *sample += value * weight;
            }
        }
        let count = frames.len() / row;
        for (at, sample) in output.iter_mut().enumerate() {
            let sum = self.weight(at + lead, count);
            if sum > f32::MIN_POSITIVE {
                *sample /= sum;
            }
        }
        Ok(())
    }

    /// The sum of the squared weights of the frames on a place, which is counted from the beginning of frame 0.
    fn weight(&self, place: usize, count: usize) -> f32 {
        let mut sum = 0.0;
        for frame in (0..count.min(place / self.hop + 1)).rev() {
            let Some(weight) = self.window.get(place - frame * self.hop) else {
                break;
            };
            sum += weight * weight;
        }
        sum
    }
}
