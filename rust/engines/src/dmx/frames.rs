//! The times of a sender's frames.

use crate::clock::{Clock, Nanoseconds};
use rustle_lighting::sender::FrameRate;

/// When frames are sent: those of a sender, or at a rate from the session's start on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frames {
    pub(crate) start: Nanoseconds,
    pub(crate) rate: FrameRate,
    /// The time from the first frame of all senders that count from one time of the calendar to `start`; `None`: this one counts by
    /// itself.
    pub(crate) elapsed: Option<Nanoseconds>,
}

impl Frames {
    /// Frames from now on.
    pub(crate) fn from_now(rate: FrameRate, clock: &dyn Clock) -> Self {
        Self {
            start: clock.now(),
            rate,
            elapsed: None,
        }
    }

    /// Those that begin at whole periods after a time of the calendar, in ms since 1970, and not before it.
    pub(crate) fn since(calendar_ms: u64, rate: FrameRate, clock: &dyn Clock) -> Self {
        let (now, wall_ms) = (clock.now(), u64::try_from(clock.wall_ms()).unwrap_or(0));
        let ns = |ms: u64| ms.saturating_mul(1_000_000);
        let passed = ns(wall_ms.saturating_sub(calendar_ms));
        let elapsed = rate.next_ns(passed);
        let wait = ns(calendar_ms.saturating_sub(wall_ms)).saturating_add(elapsed - passed);
        Self {
            start: now.saturating_add(wait),
            rate,
            elapsed: Some(elapsed),
        }
    }

    /// The first frame at a time or after it.
    pub(crate) fn from(&self, time: Nanoseconds) -> Nanoseconds {
        let offset = time.saturating_sub(self.start);
        self.start.saturating_add(self.rate.next_ns(offset))
    }

    /// How long before it is sent a frame is rendered: a quarter of the time between two, for the largest rigs.
    pub(crate) fn lead(&self) -> Nanoseconds {
        self.rate.period_ns() / 4
    }

    /// The frames between two, neither of them included.
    pub(crate) fn between(&self, earlier: Nanoseconds, later: Nanoseconds) -> u64 {
        let rounded = self.rate.period_ns() / 2;
        let apart = later.saturating_sub(earlier).saturating_add(rounded);
        (apart / self.rate.period_ns()).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn frames_are_those_of_the_sender() {
        let frames = Frames {
            start: 7,
            rate: FrameRate::FULL,
            elapsed: None,
        };
        assert_eq!(frames.from(0), 7);
        assert_eq!([frames.from(7), frames.from(8)], [7, 7 + 22_727_272]);
        let late = 7 + FrameRate::FULL.offset_ns(1_000_003);
        assert_eq!([frames.from(late), frames.from(late - 1)], [late; 2]);
        assert_eq!(frames.between(7, frames.from(8)), 0);
        assert_eq!(frames.between(7, 7 + FrameRate::FULL.offset_ns(5)), 4);
        assert_eq!(frames.between(7, 7), 0);
    }

    #[test]
    fn frames_since_a_time_of_the_calendar_are_the_same_for_whoever_counts_them() {
        const MS: u64 = 1_000_000;
        let rate = FrameRate::FULL;
        // Two that start 7.003 s and an hour after the time.
        for after_ms in [7_003, 3_600_000] {
            let frames = Frames::since(1_000, rate, &ManualClock::new(1_000 + after_ms));
            let elapsed = frames.elapsed.expect("counted");
            assert_eq!(frames.start + after_ms as u64 * MS, elapsed);
            assert_eq!(rate.next_ns(elapsed), elapsed, "a whole number of periods");
            assert!(frames.start < rate.period_ns());
        }
        // One that starts before it waits.
        let frames = Frames::since(5_000, rate, &ManualClock::new(1_000));
        assert_eq!((frames.start, frames.elapsed), (4_000 * MS, Some(0)));
    }
}
