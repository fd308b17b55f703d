//! Pitch along a signal.

use super::configuration::PitchConfiguration;
use super::error::{PitchError, room};
use super::path::Decoder;
use super::surroundings::Surroundings;
use super::{PitchEstimate, PitchEstimator, estimator};
use crate::HOPS;
use crate::framing::write_frames;
use std::mem::MaybeUninit;

/// The pitch at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PitchFrame {
    /// The time of the window's middle, in samples from the signal's beginning: the windows of several lengths have one.
    pub sample: u64,
    /// The pitch of the window.
    pub estimate: PitchEstimate,
}

/// The choice of each frame's pitch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Decoding {
    /// From the frame alone, as [`PitchTracker`] does.
    #[default]
    Frame,
    /// As the likeliest path through the candidates of all frames (A. Viterbi), with a price for leaps and for a change between
    /// voiced and unvoiced. Methods that look at one candidate have one path.
    Viterbi,
}

/// Frames of a signal that comes in pieces of any length, `hop` samples apart, around middles of which one is that of the first
/// [`frame_length`](PitchEstimator::frame_length) samples. Before it, and after the last one's, frames are the longest that the
/// signal holds, from the [shortest](PitchEstimator::shortest) on. The results do not depend on how the signal is cut. Nothing is allocated
/// after construction.
pub struct PitchTracker {
    estimator: Box<dyn PitchEstimator>,
    surroundings: Surroundings,
}

impl PitchTracker {
    /// # Errors
    /// The errors of [`estimator`]; [`PitchError::Hop`].
    pub fn new(configuration: &PitchConfiguration, hop: usize) -> Result<Self, PitchError> {
        if !HOPS.contains(&hop) {
            return Err(PitchError::Hop { got: hop });
        }
        let estimator = estimator(configuration)?;
        Ok(Self {
            surroundings: Surroundings::new(estimator.frame_length(), estimator.shortest(), hop),
            estimator,
        })
    }

    /// The estimator of the frames.
    pub fn estimator(&self) -> &dyn PitchEstimator {
        &*self.estimator
    }

    /// Samples from frame to frame.
    pub fn hop(&self) -> usize {
        self.surroundings.hop()
    }

    /// The frames of a signal of `length` samples, those of [`finish`](Self::finish) included.
    pub fn frames_of(&self, length: usize) -> usize {
        self.surroundings.count(length)
    }

    /// Takes the signal's next samples, as far as the frames that they complete fit into `frames`; returns how many samples it
    /// took and how many frames it wrote.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_into<F: From<PitchFrame>>(
        &mut self,
        samples: &[f32],
        frames: &mut [MaybeUninit<F>],
    ) -> Result<(usize, usize), PitchError> {
        let fit = self.surroundings.fit(frames.len());
        write_frames(fit, samples, frames, |samples, found| self.push(samples, found))
    }

    /// Takes the signal's next samples and passes every frame that they complete to `found`.
    ///
    /// # Errors
    /// None except those of the constructor.
    pub fn push(&mut self, mut samples: &[f32], mut found: impl FnMut(PitchFrame)) -> Result<(), PitchError> {
        while self.surroundings.fill(&mut samples) {
            let estimate = self.estimator.estimate(self.surroundings.frame())?;
            found(self.frame(estimate));
            self.surroundings.advance();
        }
        Ok(())
    }

    /// Writes frames of the signal's end, which shorter windows hold, to `frames`, as far as they fit; returns how many. Where it
    /// wrote fewer than fit, those were all, and the signal is reset.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_into<F: From<PitchFrame>>(
        &mut self,
        frames: &mut [MaybeUninit<F>],
    ) -> Result<usize, PitchError> {
        for (index, place) in frames.iter_mut().enumerate() {
            let Some(frame) = self.next_of_the_end()? else {
                self.reset();
                return Ok(index);
            };
            place.write(frame.into());
        }
        Ok(frames.len())
    }

    /// Passes every frame of the signal's end, which shorter windows hold, to `found`, and resets the signal.
    ///
    /// # Errors
    /// None except those of the constructor.
    pub fn finish(&mut self, mut found: impl FnMut(PitchFrame)) -> Result<(), PitchError> {
        while let Some(frame) = self.next_of_the_end()? {
            found(frame);
        }
        self.reset();
        Ok(())
    }

    fn next_of_the_end(&mut self) -> Result<Option<PitchFrame>, PitchError> {
        let Some(samples) = self.surroundings.rest() else {
            return Ok(None);
        };
        let estimate = self.estimator.estimate(samples)?;
        let frame = self.frame(estimate);
        self.surroundings.advance();
        Ok(Some(frame))
    }

    fn frame(&self, estimate: PitchEstimate) -> PitchFrame {
        PitchFrame {
            sample: self.surroundings.middle(),
            estimate,
        }
    }

    /// Resets the signal; the next sample is the first of another.
    pub fn reset(&mut self) {
        self.surroundings.reset();
    }
}

/// The frames of a whole signal: [`frames_of`](PitchTracker::frames_of) its samples, of one shorter than the
/// [shortest window](PitchEstimator::shortest) none.
///
/// # Errors
/// As [`PitchTracker::new`]; [`PitchError::Memory`].
pub fn contour(
    configuration: &PitchConfiguration,
    hop: usize,
    decoding: Decoding,
    signal: &[f32],
) -> Result<Vec<PitchFrame>, PitchError> {
    let mut tracker = PitchTracker::new(configuration, hop)?;
    let count = tracker.frames_of(signal.len());
    let mut frames = room(count)?;
    match decoding {
        Decoding::Frame => {
            tracker.push(signal, |frame| frames.push(frame))?;
            tracker.finish(|frame| frames.push(frame))?;
        }
        Decoding::Viterbi => {
            let mut decoder = Decoder::new(hop as f64 / configuration.sample_rate, count)?;
            let mut samples = signal;
            let mut is_complete = true;
            loop {
                is_complete = is_complete && tracker.surroundings.fill(&mut samples);
                let surroundings = if is_complete {
                    tracker.surroundings.frame()
                } else if let Some(rest) = tracker.surroundings.rest() {
                    rest
                } else {
                    break;
                };
                let first = tracker.estimator.estimate(surroundings)?;
                decoder.add(&mut *tracker.estimator, first);
                frames.push(tracker.frame(first));
                tracker.surroundings.advance();
            }
            for (frame, estimate) in frames.iter_mut().rev().zip(decoder.path_backwards()) {
                frame.estimate = estimate;
            }
        }
    }
    Ok(frames)
}
