//! Short-time spectra: frame after frame along a whole signal, or along a stream of pieces.
//!
//! Example: `samples_count` 512, `signal_count` 512, `output_capacity` 258, `scratch_capacity` 3072.

use crate::exclusive::Exclusive;
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
    /// The positions of the frames, and the padding beyond the ends of a signal.
    pub enum RustlePadding = RUSTLE_PADDING_ for Padding {
        /// Frame f begins at sample f `hop`, and every frame lies inside the signal.
        None = 0,
        /// The centre of frame number f is at sample f × `hop`; the signal is padded with zeros.
        Zero = 1,
        /// The centre of frame f is at sample f `hop`; the signal is padded by reflection at its first and its last sample.
        Reflect = 2,
    }
}

records! {
    /// The configuration of a short-time transform.
    pub struct RustleStftConfiguration {
        /// The number of samples N of a frame: a power of two from 64 to 65,536. Example: 256.
        pub size: usize,
        /// The hop size in samples, 1 to 1,048,576. Example: 128.
        pub hop: usize,
        /// The window function.
        pub window: Choice<RustleWindow>,
        /// The symmetry of the window function.
        pub symmetry: Choice<RustleSymmetry>,
        /// The normalization of the magnitudes.
        pub normalization: Choice<RustleNormalization>,
        /// The positions of the frames.
        pub padding: Choice<RustlePadding>,
        /// The output for each frame.
        pub output: Choice<RustleSpectrumOutput>,
        /// The instruction set. One that this machine does not have is out of range.
        pub instruction_set: Choice<RustleInstructionSet>,
    }

    /// The description of a plan for short-time spectra.
    pub struct RustleStftDescription for StftPlan {
        /// The length of a frame's output, a row, in floats: N/2 + 1, or N + 2 with `RUSTLE_OUTPUT_COMPLEX`.
        pub row_length: usize = |plan| plan.row_len(),
        /// The minimum length of a caller's scratch memory in floats.
        pub scratch_length: usize = |plan| plan.scratch_len(),
    }

    /// The configuration of a stream.
    pub struct RustleStftStreamConfiguration {
        /// A plan of `rustle_stft_new`. The stream continues when the plan is freed.
        pub stft: RustleHandle,
    }
}

/// A plan, which its streams share, and scratch memory for callers who pass none.
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
    /// Writes the plan's properties to `description`. Realtime-safe.
    fn describe(&self) -> Result<RustleStftDescription, CallFault> {
        Ok((&*self.plan).into())
    }
}

impl Stft {
    /// Writes the number of frames of a signal of `length` samples L to `count`. With `RUSTLE_PADDING_NONE` it is 1 + (L - N) /
    /// hop, and 0 when L is below N; otherwise 1 + L / hop, and 0 when L is 0. Divisions round down. Realtime-safe.
    #[doc(alias = "rustle_stft_frame_count")]
    pub(crate) fn frame_count(&self, length: usize) -> Result<usize, CallFault> {
        Ok(self.plan.frame_count(length))
    }

    /// Writes the frames of a signal from frame `first` on to `output`, one row after the other, as many as there are or fit;
    /// `count`, which may be NULL, receives their number.
    ///
    /// `signal` is the whole signal. `output` is a whole number of rows; rows that are not written keep their content. `scratch`
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
    ) -> Outcome<DspError, usize> {
        let (plan, length) = (&self.plan, self.plan.scratch_len());
        let run = |scratch: &mut [f32]| plan.frames(signal, first, output, scratch);
        Ok(self.scratch.lent_or_own(scratch, length, run)?)
    }
}

/// A stream of the frames of a signal, which is passed in pieces.
pub(crate) struct StftStream(Exclusive<rustle_dsp::StftStream>);

impl Object for StftStream {
    const NAME: &'static str = "stft_stream";
    const KIND: u32 = 10;
    type Error = DspError;

    /// Discards the signal; the next sample is the first of another. One call at a time.
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
        Ok(Self(Exclusive::new(stream, Self::NAME, reset)))
    }
}

impl StftStream {
    /// Processes the next samples of the signal, as far as the completed frames fit in `output`, a whole number of rows. `taken`
    /// receives the number of samples taken, pass the others again; `frames` receives the number of rows written. Room for 1 +
    /// `samples_count` / hop + N / (2 hop) rows is enough for all samples; without room, samples are taken up to the next frame's
    /// last.
    ///
    /// A frame is written by the call that passes its last sample, and equals that of `rustle_stft_frames`. One call at a time.
    ///
    /// Fails with `RUSTLE_WRONG_STATE` (frames of a signal that has ended remain); nothing is taken or written then.
    #[doc(alias = "rustle_stft_stream_push")]
    pub(crate) fn push(&self, samples: &[f32], output: &mut [f32]) -> Outcome<DspError, (usize, usize)> {
        let progress = self.0.get()?.push(samples, output)?;
        Ok((progress.taken, progress.frames))
    }

    /// Ends the signal and writes its remaining frames to `output`, a whole number of rows, at least one. `frames` receives the
    /// number of rows written; call it until that is 0. The stream is then at the beginning of another signal.
    /// One call at a time.
    #[doc(alias = "rustle_stft_stream_finish")]
    pub(crate) fn finish(&self, output: &mut [f32]) -> Outcome<DspError, usize> {
        Ok(self.0.get()?.finish(output)?)
    }
}
