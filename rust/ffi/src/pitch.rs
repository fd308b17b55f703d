//! The pitch of a signal: frame by frame as it comes in pieces, or of a whole one.
//!
//! Example: `samples_count` 4000, `frames_capacity` 32.

use crate::alone::Alone;
use crate::fault::{statuses, Outcome};
use crate::lent::{choices, Choice};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_dsp::pitch::{
    contour, Decoding, PitchConfiguration, PitchError, PitchFrame, PitchMethod, PitchTracker,
};
use std::mem::MaybeUninit;

choices! {
    /// How the pitch is looked for.
    pub enum RustlePitchMethod = RUSTLE_PITCH_ for PitchMethod {
        /// Candidates of two families, then harmonic least squares; the default, and the only one with a calibrated confidence.
        Harmonic = 0,
        /// YIN.
        Yin = 1,
        /// McLeod's pitch method.
        Mpm = 2,
        /// The harmonic product spectrum.
        HarmonicProduct = 3,
        /// The largest peak of the spectrum.
        SpectralPeak = 4,
    }

    /// How the pitch of each frame is chosen.
    pub enum RustleDecoding = RUSTLE_DECODING_ for Decoding {
        /// The pitch of each frame from that frame alone.
        Frame = 0,
        /// The likeliest path through the candidates of all frames.
        Viterbi = 1,
    }
}

records! {
    /// What a pitch tracker looks for, and how.
    pub struct RustlePitchConfiguration {
        /// In Hz, 1000 to 768,000. Example: 8000.
        pub sample_rate: f64,
        /// The lowest frequency that is looked for, in Hz, above 0. Example: 60.
        pub lowest: f64,
        /// The highest, in Hz, above `lowest`; at most 0.45 of the sample rate counts. Example: 1000.
        pub highest: f64,
        /// How it is looked for.
        pub method: Choice<RustlePitchMethod>,
        /// The samples of a frame, a power of two from 256 to 32,768; 0: the least that holds 2.25 periods of `lowest`. One that
        /// does not hold them raises the lowest frequency, see `RustlePitchDescription`.
        pub window: u32,
        /// The samples from frame to frame, 1 to 1,048,576. Example: 256.
        pub hop: u32,
        reserved: u32,
    }

    /// The pitch at one time.
    pub struct RustlePitchFrame for PitchFrame {
        /// The time of the window's middle, in samples from the signal's beginning.
        pub sample: u64,
        /// The fundamental frequency in Hz, of an inharmonic tone that of its first partial; 0: the frame has none in the range.
        pub frequency: f64 = |frame| frame.estimate.frequency,
        /// 0 to 1. With `RUSTLE_PITCH_HARMONIC` the share of frames like this whose pitch is there and right; with the other
        /// methods what they have in its place.
        pub confidence: f64 = |frame| frame.estimate.confidence,
        /// The standard deviation of `frequency` in cents; 0 where a method does not tell.
        pub deviation: f64 = |frame| frame.estimate.deviation,
        /// B, where partial k is at k f0 sqrt(1 + B k^2), 0 to 0.02; 0 where the frame does not show it or the method does
        /// not tell.
        pub inharmonicity: f64 = |frame| frame.estimate.inharmonicity,
        /// The tone's power over that of the rest, in dB; minus infinity where there is no tone or a method does not tell.
        pub harmonicity: f64 = |frame| frame.estimate.harmonicity,
        /// The frame's level without its mean, in dB relative to a full-scale square wave; minus infinity for silence.
        pub level: f64 = |frame| frame.estimate.level,
    }

    /// What a pitch tracker looks for, once its configuration has been read.
    pub struct RustlePitchDescription for PitchTracker {
        /// The lowest frequency that is looked for, in Hz: that of the configuration, or the lowest that the window holds,
        /// whichever is higher.
        pub lowest: f64 = |tracker| *tracker.estimator().range().start(),
        /// The highest, in Hz: that of the configuration, or 0.45 of the sample rate, whichever is lower.
        pub highest: f64 = |tracker| *tracker.estimator().range().end(),
        /// The samples of a frame.
        pub window: u32 = |tracker| tracker.estimator().window() as u32,
        /// The samples from frame to frame.
        pub hop: u32 = |tracker| tracker.hop() as u32,
    }
}

/// A pitch tracker.
pub(crate) struct Pitch {
    description: RustlePitchDescription,
    tracker: Alone<PitchTracker>,
}

impl Object for Pitch {
    const NAME: &'static str = "pitch";
    const KIND: u32 = 12;
    type Error = PitchError;

    /// Forgets the signal; the next sample is the first of another. One call at a time.
    fn reset(&self) -> Outcome<PitchError> {
        self.tracker.get()?.reset();
        Ok(())
    }
}

impl New<RustlePitchConfiguration> for Pitch {
    /// Makes a pitch tracker, at the beginning of a signal.
    fn new(configuration: &RustlePitchConfiguration) -> Outcome<PitchError, Self> {
        let tracker = PitchTracker::new(&configuration.read()?, configuration.hop as usize)?;
        Ok(Self {
            description: (&tracker).into(),
            tracker: Alone::new(tracker, Self::NAME, PitchTracker::reset),
        })
    }
}

impl Describe<RustlePitchDescription> for Pitch {
    /// Writes what the tracker looks for to `description`. Realtime-safe.
    fn describe(&self) -> RustlePitchDescription {
        self.description
    }
}

impl Pitch {
    /// Takes in the next samples of the signal, as far as the frames that they complete find room in `frames`. `taken` receives
    /// the number of samples that were taken, the others are to be given again; `written` receives the number of frames. Room for
    /// 1 + `samples_count` / hop frames is enough for all samples; with none, samples are taken up to the next frame's last.
    ///
    /// The first frame begins with the signal, each one a hop after the one before, and is written by the call that brings its
    /// last sample. However the signal is cut, the numbers are the same. A call that fails takes and writes nothing.
    /// One call at a time.
    #[doc(alias = "rustle_pitch_process")]
    pub(crate) fn process(
        &self,
        samples: &[f32],
        frames: &mut [MaybeUninit<RustlePitchFrame>],
        taken: &mut usize,
        written: &mut usize,
    ) -> Outcome<PitchError> {
        (*taken, *written) = self.tracker.get()?.push_into(samples, frames)?;
        Ok(())
    }
}

/// Writes the frames of a whole signal to `frames`. `count` receives the number of frames: 1 + (`samples_count` - window) / hop,
/// none of a signal that is shorter than the window. With a `frames_capacity` of 0 nothing else is done.
///
/// Fails with `RUSTLE_INVALID_LENGTH` (room for some of the frames only); nothing is written then.
#[doc(alias = "rustle_pitch_contour")]
pub(crate) fn pitch_contour(
    configuration: &RustlePitchConfiguration,
    decoding: Choice<RustleDecoding>,
    samples: &[f32],
    frames: &mut [MaybeUninit<RustlePitchFrame>],
    count: &mut usize,
) -> Outcome<PitchError> {
    let decoding = decoding.get("decoding")?.into();
    let (hop, configuration) = (configuration.hop as usize, configuration.read()?);
    let window = PitchTracker::new(&configuration, hop)?.estimator().window();
    let due = samples.len().checked_sub(window).map_or(0, |rest| 1 + rest / hop);
    if !frames.is_empty() {
        if frames.len() < due {
            let problem = "expected room for all frames, or none, got room for some";
            return Err(CallFault::length("frames", problem).into());
        }
        let found = contour(&configuration, hop, decoding, samples)?;
        for (place, frame) in frames.iter_mut().zip(found) {
            place.write(frame.into());
        }
    }
    *count = due;
    Ok(())
}

impl RustlePitchConfiguration {
    fn read(&self) -> Outcome<PitchError, PitchConfiguration> {
        CallFault::check_reserved(self.reserved, "configuration.reserved")?;
        Ok(PitchConfiguration {
            method: self.method.get("configuration.method")?.into(),
            window: (self.window != 0).then_some(self.window as usize),
            ..PitchConfiguration::new(self.sample_rate, self.lowest..=self.highest)
        })
    }
}

statuses!(PitchError {
    RUSTLE_INVALID_LENGTH: FrameLength,
    RUSTLE_INVALID_VALUE: SampleRate Range Window Hop MethodName,
    _: Transform,
});
