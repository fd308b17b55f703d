//! Short-time spectra: one frame after the other along a signal.

mod inverse;
mod padding;
mod stream;

pub use inverse::InverseStft;
pub use padding::Padding;
pub use stream::{Progress, StftStream};

use crate::error::DspError;
use crate::output::Output;
use crate::spectrum::SpectrumPlan;
use std::ops::RangeInclusive;

/// The range of hop sizes, in samples.
pub const HOPS: RangeInclusive<usize> = 1..=1_048_576;

/// A short-time Fourier transform: windowed spectra of N samples each, `hop` samples apart.
///
/// A frame of the output is a row: N/2 + 1 elements, N + 2 with [`Output::Complex`]; rows lie one after the other. The
/// methods write into the caller's memory and allocate nothing. One plan serves any number of threads, each with its own
/// scratch, and any number of [`StftStream`]s.
///
/// # How many frames
/// A signal of L samples has
/// - with [`Padding::None`]: 1 + floor((L - N) / hop) frames, none when L is below N;
/// - otherwise: 1 + floor(L / hop) frames, none when L is 0.
///
/// ```
/// # fn main() -> Result<(), rustle_dsp::DspError> {
/// use rustle_dsp::{Output, Padding, Normalization, SpectrumPlan, StftPlan, Symmetry, Window};
/// let spectrum = SpectrumPlan::new(256, Window::Hann, Symmetry::Periodic, Normalization::Amplitude)?;
/// let plan = StftPlan::new(spectrum, 64, Padding::Reflect, Output::Magnitudes)?;
/// let signal = vec![0.5; 1000];
/// let count = plan.frame_count(signal.len());
/// assert_eq!(count, 1 + 1000 / 64);
/// let mut rows = vec![0.0; count * plan.row_len()];
/// plan.frames(&signal, 0, &mut rows, &mut vec![0.0; plan.scratch_len()])?;
/// assert!(rows.iter().step_by(129).all(|constant| (constant - 0.5).abs() < 1e-6));
/// # Ok(())
/// # }
/// ```
pub struct StftPlan {
    spectrum: SpectrumPlan,
    hop: usize,
    padding: Padding,
    form: Output,
}

impl StftPlan {
    /// A transform whose frames are spectra of `spectrum`, each `hop` samples, one of [`HOPS`], after the one before.
    ///
    /// # Errors
    /// [`DspError::Hop`].
    pub fn new(spectrum: SpectrumPlan, hop: usize, padding: Padding, form: Output) -> Result<Self, DspError> {
        if !HOPS.contains(&hop) {
            return Err(DspError::Hop { got: hop });
        }
        Ok(Self {
            spectrum,
            hop,
            padding,
            form,
        })
    }

    /// The plan for each frame.
    pub fn spectrum(&self) -> &SpectrumPlan {
        &self.spectrum
    }

    /// The hop size, in samples.
    pub fn hop(&self) -> usize {
        self.hop
    }

    /// The padding of a signal.
    pub fn padding(&self) -> Padding {
        self.padding
    }

    /// The output of each bin.
    pub fn form(&self) -> Output {
        self.form
    }

    /// The elements of a row.
    pub fn row_len(&self) -> usize {
        self.form.row_len(self.spectrum.size())
    }

    /// The number of frames of a signal of `length` samples: see [How many frames](Self#how-many-frames).
    pub fn frame_count(&self, length: usize) -> usize {
        self.count(length as u64) as usize
    }

    /// The least number of elements of a `scratch` argument, of any content.
    pub fn scratch_len(&self) -> usize {
        self.spectrum.scratch_len() + self.spectrum.size()
    }

    /// Writes the frames of `signal` from frame `first` on, as many as there are or as `output` has rows, and returns their
    /// number. `output` is a whole number of rows, of which unwritten ones stay unchanged; `scratch` has at least
    /// [`scratch_len`](Self::scratch_len) elements.
    ///
    /// So a long signal can be transformed in parts: each frame is the same whichever call writes it.
    ///
    /// # Errors
    /// [`DspError::RowLength`], [`DspError::ScratchLength`].
    pub fn frames(
        &self,
        signal: &[f32],
        first: usize,
        output: &mut [f32],
        scratch: &mut [f32],
    ) -> Result<usize, DspError> {
        let rows = self.rows(output)?;
        let (expected, got) = (self.scratch_len(), scratch.len());
        if got < expected {
            return Err(DspError::ScratchLength { expected, got });
        }
        let (frame, scratch) = scratch.split_at_mut(self.spectrum.size());
        let count = self.frame_count(signal.len()).saturating_sub(first).min(rows);
        let length = signal.len() as u64;
        for (at, row) in output.chunks_exact_mut(self.row_len()).take(count).enumerate() {
            let start = self.start((first + at) as u64);
            self.frame(start, signal, 0, length, frame, row, scratch)?;
        }
        Ok(count)
    }

    /// Writes the one frame that begins at `start`, of a signal of which `held` has the samples from `base` on. `frame` is memory
    /// for a frame that is not contiguous in the signal.
    #[expect(
        clippy::too_many_arguments,
        reason = "the memory of two callers, which borrow it apart"
    )]
    fn frame(
        &self,
        start: i64,
        held: &[f32],
        base: u64,
        length: u64,
        frame: &mut [f32],
        row: &mut [f32],
        scratch: &mut [f32],
    ) -> Result<(), DspError> {
        let size = self.spectrum.size();
        let is_inside = start >= 0 && start as u64 + size as u64 <= length;
        let input = if is_inside {
            let first = (start as u64 - base) as usize;
            &held[first..first + size]
        } else {
            self.padding.fill(frame, start, held, base, length);
            frame
        };
        self.spectrum.write(self.form, input, row, scratch)
    }

    fn count(&self, length: u64) -> u64 {
        self.padding.frame_count(length, self.spectrum.size(), self.hop)
    }

    /// The position of a frame's first sample, below 0 where it is padding.
    fn start(&self, frame: u64) -> i64 {
        (frame * self.hop as u64) as i64 - self.padding.lead(self.spectrum.size()) as i64
    }

    /// The number of rows that `output` is.
    fn rows(&self, output: &[f32]) -> Result<usize, DspError> {
        let (row, got) = (self.row_len(), output.len());
        if got.is_multiple_of(row) {
            Ok(got / row)
        } else {
            Err(DspError::RowLength { row, got })
        }
    }
}
