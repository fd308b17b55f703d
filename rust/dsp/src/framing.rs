//! The frames of a signal that comes in pieces.

use std::mem::MaybeUninit;

/// Collects the samples of one frame after the other, each beginning a hop after the one before. The frames do not depend on how
/// the signal is cut.
pub(crate) struct Framing {
    buffer: Vec<f32>,
    hop: usize,
    /// The samples in `buffer`.
    filled: usize,
    /// Samples to leave out before the next frame, of a hop longer than the window.
    skip: usize,
    /// The position of the buffer in the signal.
    start: u64,
}

impl Framing {
    /// Frames of `window` samples, at least one, `hop` apart.
    pub(crate) fn new(window: usize, hop: usize) -> Self {
        Self {
            buffer: vec![0.0; window],
            hop,
            filled: 0,
            skip: 0,
            start: 0,
        }
    }

    pub(crate) fn hop(&self) -> usize {
        self.hop
    }

    /// The samples of the frame, and their position in the signal.
    pub(crate) fn frame(&self) -> (&[f32], u64) {
        (&self.buffer, self.start)
    }

    /// The position of the frame's middle in the signal.
    pub(crate) fn middle(&self) -> u64 {
        self.start + (self.buffer.len() / 2) as u64
    }

    /// Takes samples from the front of `samples` until there are none or the frame is complete; returns whether it is.
    pub(crate) fn fill(&mut self, samples: &mut &[f32]) -> bool {
        let skipped = self.skip.min(samples.len());
        self.skip -= skipped;
        let taken = (self.buffer.len() - self.filled).min(samples.len() - skipped);
        let (now, later) = samples[skipped..].split_at(taken);
        self.buffer[self.filled..self.filled + taken].copy_from_slice(now);
        self.filled += taken;
        *samples = later;
        self.filled == self.buffer.len()
    }

    /// The number of next samples that complete at most `frames` frames.
    pub(crate) fn fit(&self, frames: usize) -> usize {
        let to_next = self.skip + self.buffer.len() - self.filled;
        frames
            .saturating_mul(self.hop)
            .saturating_add(to_next)
            .saturating_sub(1)
    }

    /// Advances to the next frame.
    pub(crate) fn advance(&mut self) {
        let moved = self.hop.min(self.buffer.len());
        self.buffer.copy_within(moved.., 0);
        self.filled = self.buffer.len() - moved;
        self.skip = self.hop - moved;
        self.start += self.hop as u64;
    }

    /// Resets the signal; the next sample is the first of another.
    pub(crate) fn reset(&mut self) {
        (self.filled, self.skip, self.start) = (0, 0, 0);
    }
}

/// Passes the first of `samples`, at most `fit`, to `push`, and writes every frame that it finds to `frames`; returns the numbers
/// of samples taken and of frames.
///
/// # Errors
/// As `push`.
pub(crate) fn write_frames<Found, Frame: From<Found>, Error>(
    fit: usize,
    samples: &[f32],
    frames: &mut [MaybeUninit<Frame>],
    push: impl FnOnce(&[f32], &mut dyn FnMut(Found)) -> Result<(), Error>,
) -> Result<(usize, usize), Error> {
    let taken = fit.min(samples.len());
    let (room, mut places) = (frames.len(), frames.iter_mut());
    push(&samples[..taken], &mut |frame| {
        if let Some(place) = places.next() {
            place.write(frame.into());
        }
    })?;
    Ok((taken, room - places.len()))
}
