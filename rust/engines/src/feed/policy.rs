//! What becomes of records that a consumer does not take in time.

use super::error::FeedError;
use crate::clock::Nanoseconds;
use crate::lane::MAX_LANE_CAPACITY;
use crate::ring::Overflow;
use std::ops::RangeInclusive;

/// The time between two samples, in ns: 1 ms to 1 h.
pub const SAMPLE_INTERVALS: RangeInclusive<Nanoseconds> = 1_000_000..=3_600_000_000_000;

/// What becomes of records that a consumer does not take in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// All are kept, up to a capacity; then the oldest or the newest are lost, and counted.
    Buffered {
        /// [`Overflow::DropOldest`] or [`Overflow::DropNewest`].
        overflow: Overflow,
        /// 1 to [`MAX_LANE_CAPACITY`].
        capacity: usize,
    },
    /// The newest of each symbol is kept.
    Conflated,
    /// The newest of each symbol is handed over at even distances.
    Sampled {
        /// Within [`SAMPLE_INTERVALS`].
        interval: Nanoseconds,
    },
    /// The source waits for room: nothing is lost. What one trade gives beyond that (the candles that it closes), and what the
    /// end gives, waits too. A source that cannot wait, because it is live, loses the newest.
    Lossless {
        /// 1 to [`MAX_LANE_CAPACITY`].
        capacity: usize,
    },
}

impl Policy {
    pub(super) fn overflow(self) -> (Overflow, usize) {
        match self {
            Self::Buffered { overflow, capacity } => (overflow, capacity),
            Self::Conflated | Self::Sampled { .. } => (Overflow::Conflate, 1),
            Self::Lossless { capacity } => (Overflow::DropNewest, capacity),
        }
    }

    pub(super) fn check(self) -> Result<(), FeedError> {
        let (_, got) = self.overflow();
        if !(1..=MAX_LANE_CAPACITY).contains(&got) {
            return Err(FeedError::CapacityOutOfRange { got });
        }
        match self {
            Self::Sampled { interval: got } if !SAMPLE_INTERVALS.contains(&got) => {
                Err(FeedError::IntervalOutOfRange { got })
            }
            _ => Ok(()),
        }
    }
}
