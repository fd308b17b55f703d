//! Spectra of frames, their inverse, windows, and the sinusoids in a spectrum; the two functions of the project's brief.

pub mod brief;
pub(crate) mod peaks;
mod results;
mod scratch;

use crate::fault::{statuses, Outcome};
use crate::lent::{choices, same, Choice};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
pub use peaks::{RustlePeak, RustlePeakSearch};
use rustle_dsp::{
    DspError, InstructionSet, InversePlan, Normalization, Output, SpectrumPlan, Symmetry, Window,
};
pub(crate) use scratch::ScratchPool;

choices! {
    /// The window function of a frame's samples.
    pub enum RustleWindow = RUSTLE_WINDOW_ {
        /// No window: all coefficients are 1.
        None = 0,
        /// The Hann window, also called hanning.
        Hann = 1,
        /// The Hamming window, 0.54 and 0.46.
        Hamming = 2,
        /// The Blackman window, 0.42, 0.5 and 0.08.
        Blackman = 3,
    }

    /// The symmetry of a window function.
    pub enum RustleSymmetry = RUSTLE_SYMMETRY_ for Symmetry {
        /// A window of N coefficients is one period of its cosines: for spectra.
        Periodic = 0,
        /// The last coefficient of a window equals the first: for filter design.
        Symmetric = 1,
    }

    /// The normalization of a spectrum's magnitudes.
    pub enum RustleNormalization = RUSTLE_NORMALIZATION_ for Normalization {
        /// The sum itself: a full-scale sine reads about half the window's sum.
        None = 0,
        /// Amplitudes: a full-scale sine on a bin's frequency reads 1.0 with every window, and so does a constant of 1.0 in bin
        /// 0.
        Amplitude = 1,
    }

    /// The output for the N/2 + 1 bins of a frame.
    pub enum RustleSpectrumOutput = RUSTLE_OUTPUT_ for Output {
        /// The magnitude of each bin.
        Magnitudes = 0,
        /// The square of each magnitude.
        Power = 1,
        /// The level of each bin, 20 log10 of its magnitude and at least -200 dB; with `RUSTLE_NORMALIZATION_AMPLITUDE` relative
        /// to a full-scale sine.
        Decibels = 2,
        /// The bins themselves, N + 2 floats: a real and an imaginary part for each. The phase is that of a cosine that starts at
        /// the frame's first sample.
        Complex = 3,
    }

    /// The instructions that a transform uses. All instruction sets compute the same sums by the same algorithm; their results
    /// differ by rounding.
    pub enum RustleInstructionSet = RUSTLE_INSTRUCTION_SET_ {
        /// The instruction set that `rustle_fft_instruction_set` reports.
        Preferred = 0,
        /// Plain arrays, on every CPU.
        Plain = 1,
        /// Four lanes in 128-bit registers of x86-64: SSE2.
        Narrow = 2,
        /// Eight lanes: AVX2 and FMA.
        Avx2 = 3,
        /// Sixteen lanes: AVX-512.
        Avx512 = 4,
        /// Four lanes in 128-bit registers of arm64: NEON.
        Neon = 5,
    }
}

records! {
    /// The configuration of a plan.
    pub struct RustleFftPlanConfiguration {
        /// The number of samples N of a frame: a power of two from 64 to 65,536. Example: 256.
        pub size: usize,
        /// The window function.
        pub window: Choice<RustleWindow>,
        /// The symmetry of the window function.
        pub symmetry: Choice<RustleSymmetry>,
        /// The normalization of the magnitudes.
        pub normalization: Choice<RustleNormalization>,
        /// The instruction set. One that this machine does not have is out of range.
        pub instruction_set: Choice<RustleInstructionSet>,
    }

    /// The configuration of an inverse transform.
    pub struct RustleFftInverseConfiguration {
        /// The number of samples N of a frame: a power of two from 64 to 65,536. Example: 256.
        pub size: usize,
        /// The instruction set. One that this machine does not have is out of range.
        pub instruction_set: Choice<RustleInstructionSet>,
        reserved: u32,
    }

    /// The description of a plan or an inverse.
    pub struct RustleFftDescription {
        /// The number of samples N of a frame.
        pub size: usize,
        /// The minimum length of a caller's scratch memory in floats.
        pub scratch_length: usize,
        /// The instruction set that it uses, never `RUSTLE_INSTRUCTION_SET_PREFERRED`.
        pub instruction_set: Choice<RustleInstructionSet>,
        reserved: u32,
    }
}

impl From<RustleWindow> for Window {
    fn from(window: RustleWindow) -> Self {
        match window {
            RustleWindow::None => Self::Rectangular,
            RustleWindow::Hann => Self::Hann,
            RustleWindow::Hamming => Self::Hamming,
            RustleWindow::Blackman => Self::Blackman,
        }
    }
}

same!(InstructionSet as RustleInstructionSet: Plain Narrow Avx2 Avx512 Neon);

/// The instruction set of a configuration; it may be one that this machine does not have.
fn instruction_set(choice: Choice<RustleInstructionSet>) -> Outcome<DspError, InstructionSet> {
    Ok(match choice.get("configuration.instruction_set")? {
        RustleInstructionSet::Preferred => InstructionSet::preferred()?,
        RustleInstructionSet::Plain => InstructionSet::Plain,
        RustleInstructionSet::Narrow => InstructionSet::Narrow,
        RustleInstructionSet::Avx2 => InstructionSet::Avx2,
        RustleInstructionSet::Avx512 => InstructionSet::Avx512,
        RustleInstructionSet::Neon => InstructionSet::Neon,
    })
}

/// Makes the plan of a configuration, if it is valid.
pub(crate) fn spectrum_plan(
    instruction_set_choice: Choice<RustleInstructionSet>,
    size: usize,
    window: Choice<RustleWindow>,
    symmetry: Choice<RustleSymmetry>,
    normalization: Choice<RustleNormalization>,
) -> Outcome<DspError, SpectrumPlan> {
    Ok(SpectrumPlan::with_instruction_set(
        instruction_set(instruction_set_choice)?,
        size,
        window.get("configuration.window")?.into(),
        symmetry.get("configuration.symmetry")?.into(),
        normalization.get("configuration.normalization")?.into(),
    )?)
}

/// A plan: the tables of a spectrum of one size and window, computed once, and scratch memory for callers who pass none.
pub(crate) struct FftPlan {
    plan: SpectrumPlan,
    scratch: ScratchPool,
}

impl Object for FftPlan {
    const NAME: &'static str = "fft_plan";
    const KIND: u32 = 4;
    type Error = DspError;
}

impl New<RustleFftPlanConfiguration> for FftPlan {
    /// Makes a plan for the spectra of frames.
    fn new(c: &RustleFftPlanConfiguration) -> Outcome<DspError, Self> {
        Ok(Self {
            plan: spectrum_plan(c.instruction_set, c.size, c.window, c.symmetry, c.normalization)?,
            scratch: ScratchPool::new(),
        })
    }
}

impl Describe<RustleFftDescription> for FftPlan {
    /// Writes the plan's properties to `description`. Realtime-safe.
    fn describe(&self) -> Result<RustleFftDescription, CallFault> {
        let plan = &self.plan;
        Ok(description(
            plan.size(),
            plan.scratch_len(),
            plan.instruction_set(),
        ))
    }
}

impl FftPlan {
    /// Writes the spectrum of the frame `input`, exactly the plan's N samples, to `output`: N/2 + 1 floats, or N/2 to omit the
    /// bin at half the sample rate; N + 2 with `RUSTLE_OUTPUT_COMPLEX`.
    ///
    /// `scratch` has at least the length in the plan's description, with any content, or is empty to use the plan's own memory,
    /// which is allocated once for each of up to eight concurrent calls and anew for more. A sample that is not finite makes
    /// every bin NaN or infinite.
    ///
    /// Fails with `RUSTLE_INVALID_VALUE` (no output has the number); nothing is written to `output` then.
    ///
    /// Thread-safe: yes, also with one plan. Realtime-safe: yes with the caller's scratch, while nobody frees the plan.
    ///
    /// Example: `input_count` 256, `output_capacity` 129, `scratch_capacity` 3072.
    #[doc(alias = "rustle_fft_spectrum")]
    pub(crate) fn spectrum(
        &self,
        kind: Choice<RustleSpectrumOutput>,
        input: &[f32],
        output: &mut [f32],
        scratch: &mut [f32],
    ) -> Outcome<DspError> {
        let (kind, length) = (kind.get("kind")?.into(), self.plan.scratch_len());
        let run = |scratch: &mut [f32]| self.plan.write(kind, input, output, scratch);
        Ok(self.scratch.lent_or_own(scratch, length, run)?)
    }
}

/// The inverse transform from complex bins to samples, and scratch memory for callers who pass none.
pub(crate) struct FftInverse {
    plan: InversePlan,
    scratch: ScratchPool,
}

impl Object for FftInverse {
    const NAME: &'static str = "fft_inverse";
    const KIND: u32 = 8;
    type Error = DspError;
}

impl New<RustleFftInverseConfiguration> for FftInverse {
    /// Makes a plan for the inverse transform.
    fn new(configuration: &RustleFftInverseConfiguration) -> Outcome<DspError, Self> {
        CallFault::check_reserved(configuration.reserved, "configuration.reserved")?;
        Ok(Self {
            plan: InversePlan::with_instruction_set(
                instruction_set(configuration.instruction_set)?,
                configuration.size,
            )?,
            scratch: ScratchPool::new(),
        })
    }
}

impl Describe<RustleFftDescription> for FftInverse {
    /// Writes the inverse's properties to `description`. Realtime-safe.
    fn describe(&self) -> Result<RustleFftDescription, CallFault> {
        let plan = &self.plan;
        Ok(description(
            plan.size(),
            plan.scratch_len(),
            plan.instruction_set(),
        ))
    }
}

impl FftInverse {
    /// Writes the N samples whose complex bins are `bins` to `output`: numpy's irfft. `bins` has N + 2 floats, as
    /// `rustle_fft_spectrum` writes them with `RUSTLE_OUTPUT_COMPLEX` and `RUSTLE_NORMALIZATION_NONE`. The imaginary parts of bin
    /// 0 and bin N/2 are ignored.
    ///
    /// `scratch` is as with `rustle_fft_spectrum`. A bin that is not finite makes every sample NaN or infinite. When the call
    /// fails, nothing is written to `output`.
    ///
    /// Thread-safe: yes, also with one inverse. Realtime-safe: yes with the caller's scratch, while nobody frees the inverse.
    ///
    /// Example: `bins_count` 258, `output_capacity` 256, `scratch_capacity` 3072.
    #[doc(alias = "rustle_fft_inverse_samples")]
    pub(crate) fn samples(&self, bins: &[f32], output: &mut [f32], scratch: &mut [f32]) -> Outcome<DspError> {
        let length = self.plan.scratch_len();
        let run = |scratch: &mut [f32]| self.plan.samples(bins, output, scratch);
        Ok(self.scratch.lent_or_own(scratch, length, run)?)
    }
}

fn description(size: usize, scratch_length: usize, instruction_set: InstructionSet) -> RustleFftDescription {
    RustleFftDescription {
        size,
        scratch_length,
        instruction_set: RustleInstructionSet::from(instruction_set).into(),
        reserved: 0,
    }
}

/// Writes the preferred instruction set, one of `RUSTLE_INSTRUCTION_SET_…`, to `instruction_set`: plans that name none use it. It
/// is the one that the environment variable RUSTLE_FFT_INSTRUCTION_SET (`plain`, `narrow`, `neon`, `avx2` or `avx512`) named at
/// the process's first use, or else the widest that this machine has.
///
/// Fails with `RUSTLE_INVALID_VALUE` (the variable names no instruction set, or one that this machine does not have; every plan
/// that names none is refused then).
///
/// Thread-safe: yes. Realtime-safe: no (the first call reads the environment).
#[doc(alias = "rustle_fft_instruction_set")]
pub(crate) fn preferred_instruction_set() -> Outcome<DspError, Choice<RustleInstructionSet>> {
    Ok(RustleInstructionSet::from(InstructionSet::preferred()?).into())
}

/// Writes the coefficients of a window function, 0 to 1, to `coefficients`, whose length is that of the window; at 0 nothing is
/// written.
///
/// Fails with `RUSTLE_INVALID_VALUE` (no window or no symmetry has the number).
///
/// Thread-safe: yes. Realtime-safe: yes, at the cost of two cosines per coefficient.
#[doc(alias = "rustle_fft_window")]
pub(crate) fn fill_window(
    window: Choice<RustleWindow>,
    symmetry: Choice<RustleSymmetry>,
    coefficients: &mut [f32],
) -> Result<(), CallFault> {
    Window::from(window.get("window")?).fill(symmetry.get("symmetry")?.into(), coefficients);
    Ok(())
}

statuses!(DspError {
    RUSTLE_INVALID_LENGTH: InputLength BinCount ComplexLength OutputLength ScratchLength RowLength FrameCount NoRoom SpectrumLength,
    RUSTLE_WRONG_STATE: Ended,
    RUSTLE_INVALID_VALUE: Size InstructionSetUnavailable InstructionSetName Hop SampleRate Threshold Separation,
});
