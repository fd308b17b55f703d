//! Short-time spectra: frame after frame along a signal that is there as a whole, or that comes in pieces.
//!
//! Example: `samples_count` 512, `signal_count` 512, `output_capacity` 258, `scratch_capacity` 3072.

use crate::alone::Alone;
use crate::fault::Outcome;
use crate::fft::{
    spectrum_plan, RustleInstructionSet, RustleNormalization, RustleSpectrumOutput, RustleSymmetry,
    RustleWindow, ScratchPool,
};
use crate::handle::RustleHandle;
use crate::lent::{choices, Choice};
use crate::object::{Describe, New, Object, Tabled};
use crate::records::records;
use crate::status::CallFault;
use rustle_dsp::{DspError, Padding, StftPlan};
use std::sync::Arc;

choices! {
    /// Where the frames lie, and what they find beyond the ends of a signal.
    pub enum RustlePadding = RUSTLE_PADDING_ for Padding {
        /// Frame f begins at sample f `hop`, and every frame lies inside the signal.
        None = 0,
        /// The middle of frame f lies on sample f `hop`; beyond the signal's ends are zeros.
        Zero = 1,
        /// The middle of frame f lies on sample f `hop`; beyond its ends the signal is mirrored at its first and its last sample.
        Reflect = 2,
    }
}

records! {
    /// What the frames of a short-time transform are.
    pub struct RustleStftConfiguration {
        /// The number of samples N of a frame: a power of two from 64 to 65,536. Example: 256.
        pub size: usize,
        /// The distance from frame to frame in samples, 1 to 1,048,576. Example: 128.
        pub hop: usize,
        /// The window.
        pub window: Choice<RustleWindow>,
        /// Its symmetry.
        pub symmetry: Choice<RustleSymmetry>,
        /// What the magnitudes are relative to.
        pub normalization: Choice<RustleNormalization>,
        /// Where the frames lie.
        pub padding: Choice<RustlePadding>,
        /// What a row is.
        pub output: Choice<RustleSpectrumOutput>,
        /// The instructions. An instruction set that this machine does not have is out of range.
        pub instruction_set: Choice<RustleInstructionSet>,
    }

    /// What a plan for short-time spectra is.
    pub struct RustleStftDescription for StftPlan {
        /// The floats of a row: N/2 + 1, or N + 2 with `RUSTLE_OUTPUT_COMPLEX`.
        pub row_length: usize = |plan| plan.row_len(),
        /// The least number of floats of scratch memory that a caller may bring.
        pub scratch_length: usize = |plan| plan.scratch_len(),
    }

    /// Of which plan the frames of a stream are.
    pub struct RustleStftStreamConfiguration {
        /// A plan of `rustle_stft_new`. The stream goes on when the plan is freed.
        pub stft: RustleHandle,
    }
}

/// A plan, which its streams share, and scratch memory for callers who bring none.
pub(crate) struct Stft {
    plan: Arc<StftPlan>,
    scratch: ScratchPool,
}

impl Object for Stft {
    const NAME: &'static str = "stft";
    const KIND: u32 = 9;
    type Error = DspError;
}

impl New<RustleStftConfiguration> for Stft {
    /// Makes a plan for short-time spectra.
    fn new(configuration: &RustleStftConfiguration) -> Outcome<DspError, Self> {
        let c = configuration;
        let padding = c.padding.get("configuration.padding")?.into();
        let output = c.output.get("configuration.output")?.into();
        let spectrum = spectrum_plan(c.instruction_set, c.size, c.window, c.symmetry, c.normalization)?;
        Ok(Self {
            plan: Arc::new(StftPlan::new(spectrum, c.hop, padding, output)?),
            scratch: ScratchPool::new(),
        })
    }
}

impl Describe<RustleStftDescription> for Stft {
    /// Writes what the plan is to `description`. Realtime-safe.
    fn describe(&self) -> RustleStftDescription {
        (&*self.plan).into()
    }
}

impl Stft {
    /// `count` receives the number of frames of a signal of `length` samples L. With `RUSTLE_PADDING_NONE` that is
    /// 1 + (L - N) / hop, and 0 when L is below N; otherwise 1 + L / hop, and 0 when L is 0. Divisions round down. Realtime-safe.
    #[doc(alias = "rustle_stft_frame_count")]
    pub(crate) fn frame_count(&self, length: usize, count: &mut usize) -> Result<(), CallFault> {
        *count = self.plan.frame_count(length);
        Ok(())
    }

    /// Writes the frames of a signal from frame `first` on to `output`, one row after the other, as many as there are or as find
    /// room; `count` receives how many that is.
    ///
    /// `signal` is the whole signal. `output` is a whole number of rows; rows that are not written keep what they hold. `scratch`
    /// is as with `rustle_fft_spectrum`. A sample that is not finite makes every bin of its frames NaN or infinite. When the call
    /// fails, nothing is written to `output`.
    ///
    /// Thread-safe: yes, also with one plan. Realtime-safe: yes with the caller's scratch, while nobody frees the plan.
    #[doc(alias = "rustle_stft_frames")]
    pub(crate) fn frames(
        &self,
        signal: &[f32],
        first: usize,
        output: &mut [f32],
        scratch: &mut [f32],
        count: Option<&mut usize>,
    ) -> Outcome<DspError> {
        let (plan, length) = (&self.plan, self.plan.scratch_len());
        let written = self.scratch.lent_or_own(scratch, length, |scratch| {
            plan.frames(signal, first, output, scratch)
        })?;
        if let Some(count) = count {
            *count = written;
        }
        Ok(())
    }
}

/// A stream of the frames of a signal that comes in pieces.
pub(crate) struct StftStream(Alone<rustle_dsp::StftStream>);

impl Object for StftStream {
    const NAME: &'static str = "stft_stream";
    const KIND: u32 = 10;
    type Error = DspError;

    /// Forgets the signal; the next sample is the first of another. One call at a time.
    fn reset(&self) -> Outcome<DspError> {
        self.0.get()?.reset();
        Ok(())
    }
}

impl New<RustleStftStreamConfiguration> for StftStream {
    /// Makes a stream, at the beginning of a signal.
    fn new(configuration: &RustleStftStreamConfiguration) -> Outcome<DspError, Self> {
        let stft = Stft::table().pin(configuration.stft, "configuration.stft")?;
        let stream = rustle_dsp::StftStream::new(stft.plan.clone());
        let reset = rustle_dsp::StftStream::reset;
        Ok(Self(Alone::new(stream, Self::NAME, reset)))
    }
}

impl StftStream {
    /// Takes in the next samples of the signal, as far as the frames that they complete find room in `output`, a whole number of
    /// rows. `taken` receives the number of samples that were taken, the others are to be given again; `frames` receives the
    /// number of rows that were written. Room for 1 + `samples_count` / hop + N / (2 hop) rows is enough for all samples; with
    /// none, samples are taken up to the next frame's last.
    ///
    /// A frame is written by the call that brings its last sample; it is the frame that `rustle_stft_frames` writes.
    /// One call at a time.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (frames of a signal that has ended are left); nothing is taken or written then.
    #[doc(alias = "rustle_stft_stream_push")]
    pub(crate) fn push(
        &self,
        samples: &[f32],
        output: &mut [f32],
        taken: &mut usize,
        frames: &mut usize,
    ) -> Outcome<DspError> {
        let progress = self.0.get()?.push(samples, output)?;
        (*taken, *frames) = (progress.taken, progress.frames);
        Ok(())
    }

    /// Ends the signal and writes the frames that are left to `output`, a whole number of rows, at least one. `frames` receives
    /// how many rows were written; the function is to be called until that is 0. The stream is then at the beginning of another
    /// signal. One call at a time.
    #[doc(alias = "rustle_stft_stream_finish")]
    pub(crate) fn finish(&self, output: &mut [f32], frames: &mut usize) -> Outcome<DspError> {
        *frames = self.0.get()?.finish(output)?;
        Ok(())
    }
}
