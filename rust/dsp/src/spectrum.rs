//! Windowed spectra of one frame, in four outputs.

use crate::error::DspError;
use crate::fft::instruction_set::InstructionSet;
use crate::fft::is_size;
use crate::fft::kernels::{self, Kernel};
use crate::fft::roots::Roots;
use crate::window::{Symmetry, Window};

/// The least level that [`SpectrumPlan::decibels`] writes, in dB: silence reads this instead of minus infinity. It is
/// below what 24 bits of integer or of `f32` significand can hold beside a full-scale signal (-144 dB).
pub const DECIBEL_FLOOR: f32 = kernels::FLOOR;

/// The normalization of a spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Normalization {
    /// The sum itself, as numpy's `rfft` of the windowed frame: a sine of amplitude 1 reads about half the window's sum.
    #[default]
    None,
    /// Amplitudes: a sine of amplitude 1 on a bin's frequency reads 1.0 with every window, and so does a constant of 1.0
    /// in bin 0. Each bin is divided by half the window's sum; bin 0 and bin N/2, which have no mirror image, by all of
    /// it.
    Amplitude,
}

/// A windowed real FFT of a fixed size, with its weights and twiddle factors.
///
/// Bin k of N/2 + 1 is at k R / N Hz for a sample rate of R. The methods take one frame of exactly N samples, write into
/// the caller's memory and allocate nothing. One plan serves any number of threads, each with its own scratch.
///
/// ```
/// # fn main() -> Result<(), rustle_dsp::DspError> {
/// use rustle_dsp::{Normalization, SpectrumPlan, Symmetry, Window};
/// let plan = SpectrumPlan::new(1024, Window::Hann, Symmetry::Periodic, Normalization::Amplitude)?;
/// let frame = vec![0.5; 1024];
/// let mut amplitudes = vec![0.0; plan.bins()];
/// let mut scratch = vec![0.0; plan.scratch_len()];
/// plan.magnitudes(&frame, &mut amplitudes, &mut scratch)?;
/// assert_eq!(amplitudes[0], 0.5);
/// # Ok(())
/// # }
/// ```
///
/// # Precision
/// - Magnitudes have a relative L2 error of at most 2e-7 against the same sum in `f64` (2.5e-7 for more than 8192 samples);
///   those of noise of 256 to 8192 samples at most 1.2e-7.
/// - Silence gives exactly 0, and [`DECIBEL_FLOOR`] decibels.
/// - Magnitudes and decibels go through the square of a bin in `f32`: a magnitude below 1.1e-19 loses digits, below
///   2.6e-23 it is 0; above 1.8e19 it is infinite, as is the power.
/// - A sample that is NaN or infinite makes every bin NaN or infinite, in every output (of a complex bin at least one part);
///   nothing panics.
pub struct SpectrumPlan {
    kernel: Box<dyn Kernel>,
    size: usize,
    /// The factor of bin 0 and bin N/2.
    edge: f32,
    instruction_set: InstructionSet,
    window: Window,
    symmetry: Symmetry,
    scale: Normalization,
}

impl SpectrumPlan {
    /// Computes the tables for frames of `size` samples, a power of two from 64 to 65,536, on the preferred instruction set (see
    /// [`InstructionSet::preferred`]). Allocates about 14 `size` bytes.
    ///
    /// # Errors
    /// [`DspError::Size`]; and what [`InstructionSet::preferred`] returns.
    pub fn new(
        size: usize,
        window: Window,
        symmetry: Symmetry,
        scale: Normalization,
    ) -> Result<Self, DspError> {
        Self::with_instruction_set(InstructionSet::preferred()?, size, window, symmetry, scale)
    }

    /// As [`new`](Self::new), on an instruction set of the caller's choice.
    ///
    /// # Errors
    /// [`DspError::Size`], [`DspError::InstructionSetUnavailable`].
    pub fn with_instruction_set(
        instruction_set: InstructionSet,
        size: usize,
        window: Window,
        symmetry: Symmetry,
        scale: Normalization,
    ) -> Result<Self, DspError> {
        if !is_size(size) {
            return Err(DspError::Size { got: size });
        }
        let roots = Roots::new(size);
        let coefficient = |n: usize| match symmetry {
            // The window's cosines are the roots' real parts.
            Symmetry::Periodic => window.at_cosine(roots.get(n).0),
            Symmetry::Symmetric => window.coefficient(symmetry, n.min(size - 1 - n), size),
        };
        let coefficients: Vec<f64> = (0..size).map(coefficient).collect();
        let (factor, edge) = match scale {
            Normalization::None => (1.0, 1.0),
            Normalization::Amplitude => (2.0 / coefficients.iter().sum::<f64>(), 0.5),
        };
        let weights: Vec<f32> = coefficients.iter().map(|c| (factor * c) as f32).collect();
        let kernel = kernels::kernel(instruction_set, &roots, &weights);
        Ok(Self {
            kernel: kernel.ok_or(DspError::InstructionSetUnavailable { got: instruction_set })?,
            size,
            edge,
            instruction_set,
            window,
            symmetry,
            scale,
        })
    }

    /// The number of samples N of a frame.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of bins, N/2 + 1, with the one at half the sample rate.
    pub fn bins(&self) -> usize {
        self.size / 2 + 1
    }

    /// The instruction set that the plan computes on. Frames too short for its lanes (fewer than 4 V V samples for V lanes) use
    /// fewer lanes of the same instructions.
    pub fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The window's symmetry.
    pub fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// The normalization.
    pub fn scale(&self) -> Normalization {
        self.scale
    }

    /// The least number of elements of a `scratch` argument, of any content.
    pub fn scratch_len(&self) -> usize {
        self.size + kernels::SCRATCH_SLACK
    }

    /// Writes the magnitude of each bin. `input` has N samples and `scratch` at least [`scratch_len`](Self::scratch_len)
    /// elements; `output` has N/2 elements, or N/2 + 1 to include the bin at half the sample rate.
    ///
    /// # Errors
    /// [`DspError::InputLength`], [`DspError::BinCount`], [`DspError::ScratchLength`].
    pub fn magnitudes(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]) -> Result<(), DspError> {
        self.check_real(input, output, scratch)?;
        self.kernel.magnitudes(input, output, scratch);
        self.scale_edges(output, self.edge);
        Ok(())
    }

    /// Writes the square of each bin's magnitude; arguments as for [`magnitudes`](Self::magnitudes).
    ///
    /// # Errors
    /// As [`magnitudes`](Self::magnitudes).
    pub fn power(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]) -> Result<(), DspError> {
        self.check_real(input, output, scratch)?;
        self.kernel.power(input, output, scratch);
        self.scale_edges(output, self.edge * self.edge);
        Ok(())
    }

    /// Writes each bin's level, 20 log10 of its magnitude, at least [`DECIBEL_FLOOR`]: with [`Normalization::Amplitude`] in
    /// decibels relative to a full-scale sine. A bin that is NaN stays NaN. Arguments as for
    /// [`magnitudes`](Self::magnitudes).
    ///
    /// # Errors
    /// As [`magnitudes`](Self::magnitudes).
    pub fn decibels(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]) -> Result<(), DspError> {
        self.power(input, output, scratch)?;
        self.kernel.levels(output);
        Ok(())
    }

    /// Writes the N/2 + 1 bins themselves, each as its real and its imaginary part, 2 (N/2 + 1) elements in all, in the plan's
    /// normalization. The phase is that of a cosine that starts at the frame's first sample. `input` and `scratch` as for
    /// [`magnitudes`](Self::magnitudes).
    ///
    /// # Errors
    /// [`DspError::InputLength`], [`DspError::ComplexLength`], [`DspError::ScratchLength`].
    pub fn complex(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]) -> Result<(), DspError> {
        let expected = 2 * self.bins();
        if output.len() != expected {
            return Err(DspError::ComplexLength {
                expected,
                got: output.len(),
            });
        }
        self.check(input, scratch)?;
        self.kernel.complex(input, output, scratch);
        // Both edge bins are real.
        output[0] *= self.edge;
        output[expected - 2] *= self.edge;
        Ok(())
    }

    /// The factor of the edge bins is 1 or a power of two, so that it commutes with every rounding.
    fn scale_edges(&self, output: &mut [f32], factor: f32) {
        output[0] *= factor;
        if let Some(last) = output.get_mut(self.size / 2) {
            *last *= factor;
        }
    }

    fn check_real(&self, input: &[f32], output: &[f32], scratch: &[f32]) -> Result<(), DspError> {
        let (expected, got) = (self.bins(), output.len());
        if got != expected && got != expected - 1 {
            return Err(DspError::BinCount { expected, got });
        }
        self.check(input, scratch)
    }

    fn check(&self, input: &[f32], scratch: &[f32]) -> Result<(), DspError> {
        let (expected, got) = (self.size, input.len());
        if got != expected {
            return Err(DspError::InputLength { expected, got });
        }
        let (expected, got) = (self.scratch_len(), scratch.len());
        if got < expected {
            return Err(DspError::ScratchLength { expected, got });
        }
        Ok(())
    }
}
