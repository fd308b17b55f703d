//! The times of a sender's frames.

use crate::clock::Nanoseconds;
use rustle_lighting::sender::FrameRate;

/// When frames are sent: those of a sender, or at a rate from the session's start on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frames {
    pub(crate) start: Nanoseconds,
    pub(crate) rate: FrameRate,
}

impl Frames {
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

    #[test]
    fn frames_are_those_of_the_sender() {
        let frames = Frames {
            start: 7,
            rate: FrameRate::FULL,
        };
        assert_eq!(frames.from(0), 7);
        assert_eq!([frames.from(7), frames.from(8)], [7, 7 + 22_727_272]);
        let late = 7 + FrameRate::FULL.offset_ns(1_000_003);
        assert_eq!([frames.from(late), frames.from(late - 1)], [late; 2]);
        assert_eq!(frames.between(7, frames.from(8)), 0);
        assert_eq!(frames.between(7, 7 + FrameRate::FULL.offset_ns(5)), 4);
        assert_eq!(frames.between(7, 7), 0);
    }
}
