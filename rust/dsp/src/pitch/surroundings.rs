//! The frames of a signal that comes in pieces, around middles that are evenly spaced, in windows of several lengths.

/// Collects the samples around one middle after the other. At the signal's beginning and end the window is the longest that
/// fits around the middle. The frames do not depend on how the signal is cut.
pub(super) struct Surroundings {
    buffer: Vec<f32>,
    hop: usize,
    shortest: usize,
    /// The samples in `buffer`, and the position of the first in the signal.
    filled: usize,
    start: u64,
    middle: u64,
}

impl Surroundings {
    /// Around middles `hop` apart, of which one is that of the first `longest` samples; both windows are powers of two.
    pub(super) fn new(longest: usize, shortest: usize, hop: usize) -> Self {
        let mut surroundings = Self {
            buffer: vec![0.0; longest],
            hop,
            shortest,
            filled: 0,
            start: 0,
            middle: 0,
        };
        surroundings.reset();
        surroundings
    }

    pub(super) fn hop(&self) -> usize {
        self.hop
    }

    pub(super) fn middle(&self) -> u64 {
        self.middle
    }

    /// The middles of a signal of `length` samples.
    pub(super) fn count(&self, length: usize) -> usize {
        let first = self.first() + self.shortest / 2;
        length.checked_sub(first).map_or(0, |rest| 1 + rest / self.hop)
    }

    /// The first middle.
    fn first(&self) -> usize {
        (self.shortest + (self.buffer.len() - self.shortest) % (2 * self.hop)) / 2
    }

    /// The longest window that has at most `side` samples on a side.
    fn window(&self, side: u64) -> usize {
        let mut window = self.buffer.len();
        while window > self.shortest && (window / 2) as u64 > side {
            window /= 2;
        }
        window
    }

    /// The samples around the middle, once there are as many as [`fill`](Self::fill) or [`rest`](Self::rest) asks for.
    fn around(&self, window: usize) -> &[f32] {
        let first = (self.middle - self.start) as usize - window / 2;
        &self.buffer[first..first + window]
    }

    /// The samples around the middle, after [`fill`](Self::fill) returned that they are there.
    pub(super) fn frame(&self) -> &[f32] {
        self.around(self.window(self.middle))
    }

    /// The samples around the middle if there is an end after those that came; `None`: too few.
    pub(super) fn rest(&self) -> Option<&[f32]> {
        let end = self.start + self.filled as u64;
        let side = end.checked_sub(self.middle)?;
        (side >= (self.shortest / 2) as u64).then(|| self.around(self.window(side.min(self.middle))))
    }

    /// Takes samples from the front of `samples` until there are none or the frame is complete; returns whether it is.
    pub(super) fn fill(&mut self, samples: &mut &[f32]) -> bool {
        // What no later frame reaches back to.
        let first = self.middle.saturating_sub((self.buffer.len() / 2) as u64);
        let passed = (first - self.start.min(first)) as usize;
        let dropped = passed.min(self.filled);
        self.buffer.copy_within(dropped..self.filled, 0);
        self.filled -= dropped;
        let skipped = (passed - dropped).min(samples.len());
        self.start += (dropped + skipped) as u64;
        *samples = &samples[skipped..];
        if self.start < first {
            return false;
        }
        let due = (self.completed(self.middle) - self.start) as usize;
        let taken = due.saturating_sub(self.filled).min(samples.len());
        let (now, later) = samples.split_at(taken);
        self.buffer[self.filled..self.filled + taken].copy_from_slice(now);
        self.filled += taken;
        *samples = later;
        self.filled >= due
    }

    /// The samples of the signal that complete the frame around a middle.
    fn completed(&self, middle: u64) -> u64 {
        middle + (self.window(middle) / 2) as u64
    }

    /// The number of next samples that complete at most `frames` frames.
    pub(super) fn fit(&self, frames: usize) -> usize {
        let middle = self
            .middle
            .saturating_add((frames as u64).saturating_mul(self.hop as u64));
        let complete = middle.saturating_add((self.window(middle) / 2) as u64);
        (complete - 1 - self.start - self.filled as u64) as usize
    }

    /// Advances to the next middle.
    pub(super) fn advance(&mut self) {
        self.middle += self.hop as u64;
    }

    /// Resets the signal; the next sample is the first of another.
    pub(super) fn reset(&mut self) {
        (self.filled, self.start, self.middle) = (0, 0, self.first() as u64);
    }
}
