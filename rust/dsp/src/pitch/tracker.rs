//! Pitch along a signal.

use super::configuration::PitchConfiguration;
use super::error::PitchError;
use super::path::Decoder;
use super::{PitchEstimate, PitchEstimator, estimator};
use crate::HOPS;
use crate::framing::{Framing, write_frames};
use std::mem::MaybeUninit;

/// The pitch at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PitchFrame {
    /// The time of the window's middle, in samples from the signal's beginning.
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

/// Frames of a signal that comes in pieces of any length: the first begins with the signal, each one `hop` samples after the one
/// before. The results do not depend on how the signal is cut. Nothing is allocated after construction.
pub struct PitchTracker {
    estimator: Box<dyn PitchEstimator>,
    framing: Framing,
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
            framing: Framing::new(estimator.window(), hop),
            estimator,
        })
    }

    /// The estimator of the frames.
    pub fn estimator(&self) -> &dyn PitchEstimator {
        &*self.estimator
    }

    /// Samples from frame to frame.
    pub fn hop(&self) -> usize {
        self.framing.hop()
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
        let fit = self.framing.fit(frames.len());
        write_frames(fit, samples, frames, |samples, found| self.push(samples, found))
    }

    /// Takes the signal's next samples and passes every frame that they complete to `found`.
    ///
    /// # Errors
    /// None except those of the constructor.
    pub fn push(&mut self, mut samples: &[f32], mut found: impl FnMut(PitchFrame)) -> Result<(), PitchError> {
        while self.framing.fill(&mut samples) {
            found(PitchFrame {
                sample: self.framing.middle(),
                estimate: self.estimator.estimate(self.framing.frame().0)?,
            });
            self.framing.advance();
        }
        Ok(())
    }

    /// Resets the signal; the next sample is the first of another.
    pub fn reset(&mut self) {
        self.framing.reset();
    }
}

/// The frames of a whole signal: 1 + floor((L - N) / hop) of L samples and a window of N, none of a shorter one.
///
/// # Errors
/// As [`PitchTracker::new`].
pub fn contour(
    configuration: &PitchConfiguration,
    hop: usize,
    decoding: Decoding,
    signal: &[f32],
) -> Result<Vec<PitchFrame>, PitchError> {
    let mut tracker = PitchTracker::new(configuration, hop)?;
    let mut frames = Vec::new();
    match decoding {
        Decoding::Frame => tracker.push(signal, |frame| frames.push(frame))?,
        Decoding::Viterbi => {
            let window = tracker.estimator.window();
            let mut decoder = Decoder::new(hop as f64 / configuration.sample_rate);
            for (index, frame) in signal.windows(window).step_by(hop).enumerate() {
                let first = tracker.estimator.estimate(frame)?;
                decoder.add(&mut *tracker.estimator, first);
                frames.push(PitchFrame {
                    sample: (index * hop + window / 2) as u64,
                    estimate: first,
                });
            }
            for (frame, estimate) in frames.iter_mut().zip(decoder.path()) {
                frame.estimate = estimate;
            }
        }
    }
    Ok(frames)
}
