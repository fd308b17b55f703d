//! The inverse transform: the samples of one frame from its complex bins.

use crate::error::DspError;
use crate::fft::instruction_set::InstructionSet;
use crate::fft::is_size;
use crate::fft::kernels::{self, Kernel};
use crate::fft::roots::Roots;

/// An inverse real FFT of a fixed size.
///
/// It takes the bins that [`SpectrumPlan::complex`](crate::SpectrumPlan::complex) writes with
/// [`Normalization::None`](crate::Normalization::None), and gives the N samples that have them, as numpy's `irfft`: of a spectrum
/// that was made with a window, the windowed samples. A real signal has no imaginary part in bin 0 and bin N/2; values there are
/// ignored. The methods write into the caller's memory and allocate nothing; one plan serves any number of threads, each with its
/// own scratch.
///
/// From samples to bins and back the relative L2 error is at most 2e-7 up to 16,384 samples, 2.2e-7 above. A bin that is NaN or
/// infinite makes every sample NaN or infinite.
///
/// ```
/// # fn main() -> Result<(), rustle_dsp::DspError> {
/// use rustle_dsp::InversePlan;
/// let plan = InversePlan::new(64)?;
/// // A cosine of amplitude 1 in bin 4, without a window: half of N there.
/// let mut bins = vec![0.0; plan.complex_len()];
/// bins[2 * 4] = 32.0;
/// let mut samples = vec![0.0; plan.size()];
/// plan.samples(&bins, &mut samples, &mut vec![0.0; plan.scratch_len()])?;
/// assert_eq!((samples[0], samples[8]), (1.0, -1.0));
/// # Ok(())
/// # }
/// ```
pub struct InversePlan {
    kernel: Box<dyn Kernel>,
    size: usize,
    /// The factor of bin 0 and bin N/2, besides that of every bin.
    edge: f32,
    instruction_set: InstructionSet,
}

impl InversePlan {
    /// Computes the tables for frames of `size` samples, a power of two from 64 to 65,536, on the preferred instruction set (see
    /// [`InstructionSet::preferred`]). Allocates about 14 `size` bytes.
    ///
    /// # Errors
    /// [`DspError::Size`]; and what [`InstructionSet::preferred`] returns.
    pub fn new(size: usize) -> Result<Self, DspError> {
        Self::with_instruction_set(InstructionSet::preferred()?, size)
    }

    /// As [`new`](Self::new), on an instruction set of the caller's choice.
    ///
    /// # Errors
    /// [`DspError::Size`], [`DspError::InstructionSetUnavailable`].
    pub fn with_instruction_set(instruction_set: InstructionSet, size: usize) -> Result<Self, DspError> {
        Self::scaled(instruction_set, size, 1.0, 1.0)
    }

    /// As [`with_instruction_set`](Self::with_instruction_set), with a `factor` for all bins, and another, `edge`, a power of
    /// two, for those at the edges.
    pub(crate) fn scaled(
        instruction_set: InstructionSet,
        size: usize,
        factor: f64,
        edge: f32,
    ) -> Result<Self, DspError> {
        if !is_size(size) {
            return Err(DspError::Size { got: size });
        }
        let weights = vec![(factor / size as f64) as f32; size];
        let kernel = kernels::kernel(instruction_set, &Roots::new(size), &weights);
        Ok(Self {
            kernel: kernel.ok_or(DspError::InstructionSetUnavailable { got: instruction_set })?,
            size,
            edge,
            instruction_set,
        })
    }

    /// The number of samples N of a frame.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of elements of the bins: a real and an imaginary part for each of N/2 + 1.
    pub fn complex_len(&self) -> usize {
        self.size + 2
    }

    /// The instruction set that the plan computes on, see
    /// [`SpectrumPlan::instruction_set`](crate::SpectrumPlan::instruction_set).
    pub fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// The least number of elements of a `scratch` argument, of any content.
    pub fn scratch_len(&self) -> usize {
        2 * self.size + kernels::SCRATCH_SLACK
    }

    /// Writes the N samples whose bins are `bins`, [`complex_len`](Self::complex_len) elements. `output` has N elements and
    /// `scratch` at least [`scratch_len`](Self::scratch_len).
    ///
    /// # Errors
    /// [`DspError::ComplexLength`], [`DspError::OutputLength`], [`DspError::ScratchLength`].
    pub fn samples(&self, bins: &[f32], output: &mut [f32], scratch: &mut [f32]) -> Result<(), DspError> {
        let (expected, got) = (self.complex_len(), bins.len());
        if got != expected {
            return Err(DspError::ComplexLength { expected, got });
        }
        let (expected, got) = (self.size, output.len());
        if got != expected {
            return Err(DspError::OutputLength { expected, got });
        }
        let (expected, got) = (self.scratch_len(), scratch.len());
        if got < expected {
            return Err(DspError::ScratchLength { expected, got });
        }
        let (sequence, scratch) = scratch.split_at_mut(self.size);
        self.kernel.samples(bins, self.edge, output, sequence, scratch);
        Ok(())
    }
}
