//! Frames of a signal that comes in pieces, into memory of the caller's.

use rustle_dsp::pitch::{PitchError, PitchFrame, PitchTracker};
use rustle_dsp::voice::{VoiceAnalyzer, VoiceError, VoiceFrame};
use std::mem::MaybeUninit;

/// What makes frames of a signal's samples.
pub(crate) trait Framer {
    /// A frame's result.
    type Frame;
    /// What may be wrong.
    type Error;

    /// The samples of a frame.
    fn window(&self) -> usize;

    /// Samples from frame to frame.
    fn hop(&self) -> usize;

    /// Takes the next samples, and hands every frame that they complete to `found`.
    fn push(&mut self, samples: &[f32], found: impl FnMut(Self::Frame)) -> Result<(), Self::Error>;

    /// Forgets the signal.
    fn reset(&mut self);
}

impl Framer for PitchTracker {
    type Frame = PitchFrame;
    type Error = PitchError;

    fn window(&self) -> usize {
        self.estimator().window()
    }

    fn hop(&self) -> usize {
        self.hop()
    }

    fn push(&mut self, samples: &[f32], found: impl FnMut(PitchFrame)) -> Result<(), PitchError> {
        self.push(samples, found)
    }

    fn reset(&mut self) {
        self.reset();
    }
}

impl Framer for VoiceAnalyzer {
    type Frame = VoiceFrame;
    type Error = VoiceError;

    fn window(&self) -> usize {
        self.window()
    }

    fn hop(&self) -> usize {
        self.hop()
    }

    fn push(&mut self, samples: &[f32], found: impl FnMut(VoiceFrame)) -> Result<(), VoiceError> {
        self.push(samples, found)
    }

    fn reset(&mut self) {
        self.reset();
    }
}

/// A framer that knows how many samples complete how many frames.
pub(crate) struct Counted<T> {
    pub(crate) framer: T,
    /// The samples of the signal so far.
    seen: u64,
    /// The frames of the signal so far.
    found: u64,
}

impl<T: Framer> Counted<T> {
    /// At the beginning of a signal.
    pub(crate) fn new(framer: T) -> Self {
        Self {
            framer,
            seen: 0,
            found: 0,
        }
    }

    /// Takes samples as far as the frames that they complete find room, and returns how many were taken and written.
    pub(crate) fn push<F: From<T::Frame>>(
        &mut self,
        samples: &[f32],
        frames: &mut [MaybeUninit<F>],
    ) -> Result<(usize, usize), T::Error> {
        let window = self.framer.window() as u64;
        let room = frames.len() as u64;
        // Frame n, counted from 0, is completed by the sample window + n hop, counted from 1.
        let too_many = (self.found.saturating_add(room))
            .saturating_mul(self.framer.hop() as u64)
            .saturating_add(window);
        let fit = usize::try_from(too_many - 1 - self.seen).unwrap_or(usize::MAX);
        let taken = fit.min(samples.len());
        let mut places = frames.iter_mut();
        let mut written = 0;
        self.framer.push(&samples[..taken], |frame| {
            if let Some(place) = places.next() {
                place.write(frame.into());
                written += 1;
            }
        })?;
        self.seen += taken as u64;
        self.found += written as u64;
        Ok((taken, written))
    }

    /// Forgets the signal.
    pub(crate) fn reset(&mut self) {
        self.framer.reset();
        (self.seen, self.found) = (0, 0);
    }
}
