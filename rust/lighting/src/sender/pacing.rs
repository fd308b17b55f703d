//! When frames begin.

use super::SenderError;

/// Frames a second: 1 to 200 Hz, in steps of 1 mHz. A universe has a packet in as many of them as DMX512 takes its slots: a full one
/// in at most 44 a second, on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrameRate {
    millihertz: u32,
}

impl FrameRate {
    /// 44 Hz, the rate of full universes (ANSI E1.11: 512 slots take 22.7 ms).
    pub const FULL: Self = Self { millihertz: 44_000 };

    /// A rate in frames in 1,000 seconds, 1,000..=200,000.
    ///
    /// # Errors
    /// [`SenderError::Rate`] outside that range.
    pub fn from_millihertz(millihertz: u32) -> Result<Self, SenderError> {
        if (1_000..=200_000).contains(&millihertz) {
            Ok(Self { millihertz })
        } else {
            Err(SenderError::Rate { got: millihertz })
        }
    }

    /// Frames in 1,000 seconds.
    pub fn millihertz(self) -> u32 {
        self.millihertz
    }

    /// The time from the first frame to another, in ns: rounded down once, so that no error accumulates.
    pub fn offset_ns(self, frame: u64) -> u64 {
        let ns = u128::from(frame) * 1_000_000_000_000 / u128::from(self.millihertz);
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    /// The last frame that begins up to a time after the first, in ns.
    fn frame_at(self, offset_ns: u64) -> u64 {
        // The first frame whose rounded offset is beyond it, less one.
        let next = (u128::from(offset_ns) + 1) * u128::from(self.millihertz);
        (next.div_ceil(1_000_000_000_000) - 1) as u64
    }

    /// The offset of the first frame that begins at one or after it, in ns.
    pub fn next_ns(self, offset_ns: u64) -> u64 {
        match self.offset_ns(self.frame_at(offset_ns)) {
            exact if exact == offset_ns => exact,
            _ => self.offset_ns(self.frame_at(offset_ns).saturating_add(1)),
        }
    }

    /// The time between two frames, in ns, rounded up.
    pub fn period_ns(self) -> u64 {
        1_000_000_000_000_u64.div_ceil(u64::from(self.millihertz))
    }
}

/// Frames at start + k × period, never at now + period. Whoever comes late sends one frame, and those between are skipped.
#[derive(Clone, Debug)]
pub struct Pacer {
    start_ns: u64,
    rate: FrameRate,
    next: u64,
}

impl Pacer {
    /// Frames from a time on.
    pub fn new(start_ns: u64, rate: FrameRate) -> Self {
        Self {
            start_ns,
            rate,
            next: 0,
        }
    }

    /// The rate.
    pub fn rate(&self) -> FrameRate {
        self.rate
    }

    /// When the next frame begins, in ns.
    pub fn next_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.rate.offset_ns(self.next))
    }

    /// Takes the frame that is due: its time, and how many before it were skipped. `None`: none is due.
    pub fn take(&mut self, now_ns: u64) -> Option<(u64, u64)> {
        if now_ns < self.next_ns() {
            return None;
        }
        let frame = self.rate.frame_at(now_ns - self.start_ns);
        // The end of time has one frame only.
        let skipped = frame.checked_sub(self.next)?;
        self.next = frame + 1;
        Some((self.start_ns.saturating_add(self.rate.offset_ns(frame)), skipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn frames_do_not_drift() {
        for millihertz in [1_000, 1_001, 29_970, 44_000, 59_940, 199_999, 200_000] {
            let rate = FrameRate::from_millihertz(millihertz).expect("in range");
            let mut pacer = Pacer::new(5, rate);
            for frame in 0..10_000 {
                let due = pacer.next_ns();
                assert_eq!(pacer.take(due - 1), None);
                assert_eq!(pacer.take(due), Some((due, 0)), "{frame} at {millihertz} mHz");
            }
        }
        // A day at 44 Hz.
        assert_eq!(FrameRate::FULL.offset_ns(44 * 86_400), 86_400 * SECOND);
        assert_eq!(FrameRate::FULL.offset_ns(1), 22_727_272);
    }

    #[test]
    fn late_wake_takes_one_frame_and_counts_the_skipped_ones() {
        let mut pacer = Pacer::new(0, FrameRate::FULL);
        assert_eq!(pacer.take(0), Some((0, 0)));
        // 100 ms late: frames 1 to 4 are over, number 5 is due.
        let late = FrameRate::FULL.offset_ns(5) + 3_000_000;
        assert_eq!(pacer.take(late), Some((FrameRate::FULL.offset_ns(5), 4)));
        assert_eq!(pacer.take(late), None);
        assert_eq!(pacer.next_ns(), FrameRate::FULL.offset_ns(6), "back in step");
    }

    #[test]
    fn end_of_time_is_no_frame_for_ever() {
        let mut pacer = Pacer::new(0, FrameRate::FULL);
        assert!(pacer.take(u64::MAX).is_some());
        assert_eq!(pacer.take(u64::MAX), None);
    }

    #[test]
    fn frames_are_found_from_any_time() {
        let rate = FrameRate::FULL;
        for frame in [0, 1, 2, 43, 44, 1_000_003] {
            let offset = rate.offset_ns(frame);
            assert_eq!([offset, offset + 1].map(|ns| rate.frame_at(ns)), [frame; 2]);
            assert_eq!(rate.frame_at(rate.offset_ns(frame + 1) - 1), frame);
        }
    }

    #[test]
    fn rates_are_checked() {
        for got in [0, 999, 200_001] {
            assert_eq!(FrameRate::from_millihertz(got), Err(SenderError::Rate { got }));
        }
    }
}
