//! The pitch of a signal: frame by frame along a stream of pieces, or of a whole signal.
//!
//! Example: `samples_count` 4000, `frames_capacity` 32.

use crate::exclusive::Exclusive;
use crate::fault::{statuses, Outcome};
use crate::lent::{choices, Choice, Flag};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_dsp::pitch::{
    contour, Decoding, PitchConfiguration, PitchError, PitchFrame, PitchMethod, PitchTracker,
};
use std::mem::MaybeUninit;

choices! {
    /// The method of a pitch tracker.
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

    /// The choice of each frame's pitch among its candidates.
    pub enum RustleDecoding = RUSTLE_DECODING_ for Decoding {
        /// The pitch of each frame from that frame alone.
        Frame = 0,
        /// The likeliest path through the candidates of all frames.
        Viterbi = 1,
    }
}

records! {
    /// The configuration of a pitch tracker.
    pub struct RustlePitchConfiguration {
        /// The sample rate in Hz, 1000 to 768,000. Example: 8000.
        pub sample_rate: f64,
        /// The lowest frequency of the search range in Hz, above 0. Example: 60.
        pub lowest: f64,
        /// The highest frequency of the search range in Hz, above `lowest`; limited to 0.45 of the sample rate. Example: 1000.
        pub highest: f64,
        /// The method.
        pub method: Choice<RustlePitchMethod>,
        /// The number of samples of an analysis frame, a power of two from 256 to 32,768; 0: the smallest with 2.25 periods of
        /// `lowest`, and with `RUSTLE_PITCH_HARMONIC` shorter ones where the sound moves, begins or ends within it. A shorter one
        /// raises the lowest frequency, see `RustlePitchDescription`.
        pub frame_length: u32,
        /// The hop size in samples, 1 to 1,048,576. Example: 256.
        pub hop: u32,
        /// Not 0: one note is known to sound. Others are not looked for: they do not lower the confidence, and `polyphonic` is 0.
        pub expects_one_note: Flag,
    }

    /// The pitch at one time.
    pub struct RustlePitchFrame for PitchFrame {
        /// The time of the frame's centre, in samples from the signal's beginning.
        pub sample: u64,
        /// The fundamental frequency in Hz, of an inharmonic tone the frequency of its first partial; 0: the frame has none in
        /// the range.
        pub frequency: f64 = |frame| frame.estimate.frequency,
        /// The confidence, 0 to 1. With `RUSTLE_PITCH_HARMONIC` the share of similar frames that have one note and whose pitch is
        /// right; with the other methods their own measure.
        pub confidence: f64 = |frame| frame.estimate.confidence,
        /// The standard deviation of `frequency` in cents; 0 where a method does not report it.
        pub deviation: f64 = |frame| frame.estimate.deviation,
        /// The inharmonicity B, where partial k is at k f0 sqrt(1 + B k^2), 0 to 0.02; 0 where the frame does not show it or the
        /// method does not report it.
        pub inharmonicity: f64 = |frame| frame.estimate.inharmonicity,
        /// The ratio of the tone's power to the rest in dB; minus infinity where there is no tone or a method does not report it.
        pub harmonicity: f64 = |frame| frame.estimate.harmonicity,
        /// The frame's level without its mean, in dB relative to a full-scale square wave; minus infinity for silence.
        pub level: f64 = |frame| frame.estimate.level,
        /// 1 when the frame has more than one note, 0 otherwise and where a method does not report it. `frequency` is then that
        /// of one of the notes or of a common root; `confidence` is lower by the probability of several notes.
        pub polyphonic: u32 = |frame| u32::from(frame.estimate.polyphonic),
        reserved: u32,
    }

    /// The effective settings of a pitch tracker.
    pub struct RustlePitchDescription for PitchTracker {
        /// The lowest frequency of the search range in Hz: that of the configuration or the lowest that the frame length allows,
        /// whichever is higher.
        pub lowest: f64 = |tracker| *tracker.estimator().range().start(),
        /// The highest frequency of the search range in Hz: that of the configuration or 0.45 of the sample rate, whichever is
        /// lower.
        pub highest: f64 = |tracker| *tracker.estimator().range().end(),
        /// The number of samples of the longest analysis frame.
        pub frame_length: u32 = |tracker| tracker.estimator().frame_length() as u32,
        /// The number of samples of the shortest analysis frame.
        pub shortest_frame_length: u32 = |tracker| tracker.estimator().shortest() as u32,
        /// The hop size in samples.
        pub hop: u32 = |tracker| tracker.hop() as u32,
        reserved: u32,
    }
}

/// A pitch tracker.
pub(crate) struct Pitch {
    description: RustlePitchDescription,
    tracker: Exclusive<PitchTracker>,
}

impl Object for Pitch {
    const NAME: &'static str = "pitch";
    const KIND: u32 = 12;
    type Error = PitchError;

    /// Discards the signal; the next sample is the first of another. One call at a time.
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
            tracker: Exclusive::new(tracker, Self::NAME, PitchTracker::reset),
        })
    }
}

impl Describe<RustlePitchDescription> for Pitch {
    /// Writes the tracker's effective settings to `description`. Realtime-safe.
    fn describe(&self) -> Result<RustlePitchDescription, CallFault> {
        Ok(self.description)
    }
}

impl Pitch {
    /// Processes the next samples of the signal, as far as the completed frames fit in `frames`. `taken` receives the number of
    /// samples taken, pass the others again; `written` receives the number of frames. Room for 1 + `samples_count` / hop frames
    /// is enough for all samples; without room, samples are taken up to the next frame's last.
    ///
    /// The centres are a hop apart; one is that of the signal's first `frame_length` samples. Those before have the longest analysis
    /// frame that the signal's beginning allows. Each frame is written by the call that passes its last sample. The results do
    /// not depend on how the signal is divided. A call that fails takes and writes nothing. One call at a time.
    #[doc(alias = "rustle_pitch_process")]
    pub(crate) fn process(
        &self,
        samples: &[f32],
        frames: &mut [MaybeUninit<RustlePitchFrame>],
    ) -> Outcome<PitchError, (usize, usize)> {
        Ok(self.tracker.get()?.push_into(samples, frames)?)
    }

    /// Ends the signal: writes the frames of its end, which have the longest analysis frame that it allows, as far as they fit in
    /// `frames`. `written` receives their number; while it is `frames_capacity`, call again. When it is less, the next sample is
    /// the first of another signal. One call at a time.
    #[doc(alias = "rustle_pitch_finish")]
    pub(crate) fn finish(&self, frames: &mut [MaybeUninit<RustlePitchFrame>]) -> Outcome<PitchError, usize> {
        Ok(self.tracker.get()?.finish_into(frames)?)
    }
}

/// Writes the frames of a whole signal to `frames`, those of its end included. `count` receives the number of frames, 0 for a
/// signal shorter than the shortest analysis frame. With a `frames_capacity` of 0 nothing else is done.
///
/// Fails with `RUSTLE_INVALID_LENGTH` (room for some of the frames only), `RUSTLE_EXHAUSTED` (no memory for the signal's frames);
/// nothing is written then.
#[doc(alias = "rustle_pitch_contour")]
pub(crate) fn pitch_contour(
    configuration: &RustlePitchConfiguration,
    decoding: Choice<RustleDecoding>,
    samples: &[f32],
    frames: &mut [MaybeUninit<RustlePitchFrame>],
) -> Outcome<PitchError, usize> {
    let decoding = decoding.get("decoding")?.into();
    let (hop, configuration) = (configuration.hop as usize, configuration.read()?);
    let due = PitchTracker::new(&configuration, hop)?.frames_of(samples.len());
    if !frames.is_empty() {
        if frames.len() < due {
            return Err(CallFault::room("frames", due, frames.len()).into());
        }
        let found = contour(&configuration, hop, decoding, samples)?;
        for (place, frame) in frames.iter_mut().zip(found) {
            place.write(frame.into());
        }
    }
    Ok(due)
}

impl RustlePitchConfiguration {
    fn read(&self) -> Outcome<PitchError, PitchConfiguration> {
        Ok(PitchConfiguration {
            several: !self.expects_one_note.is_set(),
            method: self.method.get("configuration.method")?.into(),
            frame_length: (self.frame_length != 0).then_some(self.frame_length as usize),
            ..PitchConfiguration::new(self.sample_rate, self.lowest..=self.highest)
        })
    }
}

statuses!(PitchError {
    RUSTLE_EXHAUSTED: Memory,
    RUSTLE_INVALID_LENGTH: FrameLength,
    RUSTLE_INVALID_VALUE: SampleRate Range Window Hop MethodName,
    _: Transform,
});
