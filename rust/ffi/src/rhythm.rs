//! The beats of music: of a signal as it comes, or of a whole one.

use crate::exclusive::Exclusive;
use crate::fault::{statuses, Outcome};
use crate::lent::Flag;
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_dsp::rhythm::{RhythmAnalyzer, RhythmConfiguration, RhythmError, RhythmFrame, RhythmTracker};
use std::mem::MaybeUninit;
use std::vec;

records! {
    /// The configuration of a beat tracker.
    pub struct RustleRhythmConfiguration {
        /// The sample rate in Hz, 8000 to 768,000. Example: 48000.
        pub sample_rate: f64,
        /// The slowest tempo in beats a minute, at least 30; 0: 55. A slower rhythm is reported at its double.
        pub slowest: f64,
        /// The fastest tempo in beats a minute, at most 300 and at least 1.5 times the slowest; 0: 200. A faster rhythm is reported at its
        /// half.
        pub fastest: f64,
        /// Not 0: the beats of the whole signal, whose later part decides where the earlier ones are, are written at its end.
        pub is_whole: Flag,
        reserved: u32,
    }

    /// The rhythm at one time. At the end of a whole signal, a beat.
    pub struct RustleRhythmFrame for RhythmFrame {
        /// The time in samples from the signal's beginning.
        pub sample: f64 = |rhythm| rhythm.frame.sample as f64,
        /// The tempo in beats a minute; 0: there is none yet.
        pub tempo: f64 = |rhythm| rhythm.beat.map_or(0., |beat| beat.tempo),
        /// The position between two beats, 0 to less than 1.
        pub phase: f64 = |rhythm| rhythm.beat.map_or(0., |beat| beat.phase),
        /// The time of the next beat in samples from the signal's beginning, after the last sample that the frame needs.
        pub next_beat: f64 = |rhythm| rhythm.beat.map_or(0., |beat| beat.next),
        /// The standard error of the beats' times, in samples.
        pub phase_error: f64 = |rhythm| rhythm.beat.map_or(0., |beat| beat.phase_error),
        /// How regular the rhythm is at its tempo, 0 to 1: some hundredths for noise.
        pub confidence: f64 = |rhythm| rhythm.beat.map_or(0., |beat| beat.confidence),
        /// How much of the spectrum rises: 0 for silence and steady sounds, about 3 for a drum.
        pub strength: f64 = |rhythm| rhythm.frame.strength.into(),
        /// The strength of an onset at the frame before; 0: there is none.
        pub onset: f64 = |rhythm| rhythm.onset.map_or(0., |onset| onset.strength.into()),
        /// The root mean square of 30 to 200 Hz; a sine of full scale has 0.707.
        pub low: f64 = |rhythm| rhythm.frame.levels.low.into(),
        /// That of 200 to 2500 Hz.
        pub middle: f64 = |rhythm| rhythm.frame.levels.middle.into(),
        /// That of 2500 to 16,000 Hz, or to half the sample rate.
        pub high: f64 = |rhythm| rhythm.frame.levels.high.into(),
        /// Not 0 for the last frame before a beat, so that each beat is reported once: `next_beat` is its time.
        pub is_beat: Flag = |rhythm| rhythm.beat.is_some_and(|beat| beat.is_beat).into(),
        reserved: u32,
    }

    /// The effective settings of a beat tracker.
    pub struct RustleRhythmDescription {
        /// Samples from frame to frame: about 10 ms.
        pub hop: u32,
        /// Samples from a frame's time to the last one that it needs: about 23 ms.
        pub latency: u32,
    }
}

/// What is done with the samples.
enum Analysis {
    Coming(Box<RhythmTracker>),
    Whole {
        analyzer: Box<RhythmAnalyzer>,
        /// The beats that are left to write, once the signal has ended.
        beats: Option<vec::IntoIter<RustleRhythmFrame>>,
    },
}

/// A beat tracker.
pub(crate) struct Rhythm {
    description: RustleRhythmDescription,
    analysis: Exclusive<Analysis>,
}

impl Object for Rhythm {
    const NAME: &'static str = "rhythm";
    const KIND: u32 = 23;
    type Error = RhythmError;

    /// Discards the signal; the next sample is the first of another. One call at a time.
    fn reset(&self) -> Outcome<RhythmError> {
        self.analysis.get()?.reset();
        Ok(())
    }
}

impl New<RustleRhythmConfiguration> for Rhythm {
    /// Makes a beat tracker, at the beginning of a signal.
    fn new(c: &RustleRhythmConfiguration) -> Outcome<RhythmError, Self> {
        CallFault::check_reserved(c.reserved, "configuration.reserved")?;
        let mut configuration = RhythmConfiguration::new(c.sample_rate);
        let or = |given: f64, other: f64| if given == 0. { other } else { given };
        let (slowest, fastest) = configuration.tempi.into_inner();
        configuration.tempi = or(c.slowest, slowest)..=or(c.fastest, fastest);
        let tracker = RhythmTracker::new(&configuration)?;
        Ok(Self {
            description: RustleRhythmDescription {
                hop: tracker.hop() as u32,
                latency: tracker.latency() as u32,
            },
            analysis: Exclusive::new(
                match c.is_whole.is_set() {
                    false => Analysis::Coming(Box::new(tracker)),
                    true => Analysis::Whole {
                        analyzer: Box::new(RhythmAnalyzer::new(&configuration)?),
                        beats: None,
                    },
                },
                Self::NAME,
                Analysis::reset,
            ),
        })
    }
}

impl Describe<RustleRhythmDescription> for Rhythm {
    /// Writes the tracker's effective settings to `description`. Realtime-safe.
    fn describe(&self) -> Result<RustleRhythmDescription, CallFault> {
        Ok(self.description)
    }
}

impl Rhythm {
    /// Processes the next samples of the signal, as far as the completed frames fit in `frames`. `taken` receives the number of
    /// samples taken, pass the others again; `written` receives the number of frames. Room for 1 + `samples_count` / hop frames is
    /// enough for all samples; without room none are taken. Of a whole signal all samples are taken, and no frames written. The results
    /// do not depend on how the signal is divided.
    ///
    /// Fails with `RUSTLE_EXHAUSTED` (no memory for a whole signal), `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: yes, unless the signal is a whole one, while nobody
    /// frees the object.
    #[doc(alias = "rustle_rhythm_process")]
    pub(crate) fn process(
        &self,
        samples: &[f32],
        frames: &mut [MaybeUninit<RustleRhythmFrame>],
    ) -> Outcome<RhythmError, (usize, usize)> {
        match &mut *self.analysis.get()? {
            Analysis::Coming(tracker) => {
                let most = (frames.len() * tracker.hop()).saturating_sub(1);
                let taken = samples.len().min(most);
                let mut places = frames.iter_mut();
                let mut written = 0;
                tracker.push(&samples[..taken], |frame| {
                    if let Some(place) = places.next() {
                        place.write(frame.into());
                        written += 1;
                    }
                })?;
                Ok((taken, written))
            }
            Analysis::Whole { analyzer, beats } => {
                *beats = None;
                analyzer.push(samples)?;
                Ok((samples.len(), 0))
            }
        }
    }

    /// Ends the signal. Of a whole one it writes the beats, as far as they fit in `frames`: each frame has the time of one in `sample`
    /// and that of the next in `next_beat`, the median `tempo`, and the `confidence`. `written` receives their number; while it is
    /// `frames_capacity`, call again. When it is less, the next sample is the first of another signal.
    ///
    /// Fails with `RUSTLE_EXHAUSTED` (no memory for the beats), `RUSTLE_WRONG_STATE` (another call is using the object).
    ///
    /// Thread-safe: no (a concurrent call with the same object fails). Realtime-safe: no.
    #[doc(alias = "rustle_rhythm_finish")]
    pub(crate) fn finish(
        &self,
        frames: &mut [MaybeUninit<RustleRhythmFrame>],
    ) -> Outcome<RhythmError, usize> {
        let mut analysis = self.analysis.get()?;
        let Analysis::Whole { analyzer, beats } = &mut *analysis else {
            analysis.reset();
            return Ok(0);
        };
        let left = match beats {
            Some(left) => left,
            None => beats.insert(beats_of(analyzer)?.into_iter()),
        };
        let written = left.len().min(frames.len());
        for (place, beat) in frames.iter_mut().zip(left) {
            place.write(beat);
        }
        if written < frames.len() {
            *beats = None;
        }
        Ok(written)
    }
}

/// Ends the signal of an analyzer.
fn beats_of(analyzer: &mut RhythmAnalyzer) -> Result<Vec<RustleRhythmFrame>, RhythmError> {
    let rhythm = analyzer.finish()?;
    let tempo = rhythm.tempo.unwrap_or_default();
    let next = rhythm.beats.iter().skip(1).copied().map(Some).chain([None]);
    let beats = rhythm
        .beats
        .iter()
        .zip(next)
        .map(|(&sample, next)| RustleRhythmFrame {
            sample,
            tempo,
            next_beat: next.unwrap_or(sample),
            confidence: rhythm.confidence,
            is_beat: true.into(),
            ..RhythmFrame::default().into()
        });
    Ok(beats.collect())
}

impl Analysis {
    fn reset(&mut self) {
        match self {
            Self::Coming(tracker) => tracker.reset(),
            Self::Whole { analyzer, beats } => {
                analyzer.reset();
                *beats = None;
            }
        }
    }
}

statuses!(RhythmError {
    RUSTLE_INVALID_VALUE: SampleRate Tempi,
    RUSTLE_EXHAUSTED: Memory,
    _: Transform,
});
