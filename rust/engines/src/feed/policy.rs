//! The buffering policy: what becomes of records that a consumer does not take in time.

use super::error::FeedError;
use crate::clock::Nanoseconds;
use crate::lane::MAX_LANE_CAPACITY;
use crate::ring::Overflow;
use std::ops::RangeInclusive;

/// The time between two samples, in ns: 1 ms to 1 h.
pub const SAMPLE_INTERVALS: RangeInclusive<Nanoseconds> = 1_000_000..=3_600_000_000_000;

/// The buffering policy: what becomes of records that a consumer does not take in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Buffered: all are kept, up to a capacity; then the oldest or the newest are dropped, and counted.
    Buffered {
        /// [`Overflow::DropOldest`] or [`Overflow::DropNewest`].
        overflow: Overflow,
        /// 1 to [`MAX_LANE_CAPACITY`].
        capacity: usize,
    },
    /// Conflated: the newest of each symbol is kept.
    Conflated,
    /// Sampled: the newest of each symbol is delivered at even intervals.
    Sampled {
        /// Within [`SAMPLE_INTERVALS`].
        interval: Nanoseconds,
    },
    /// Lossless: the source waits for room. Records beyond the capacity that one trade yields (the candles that it closes), and
    /// those of the end, wait too. A live source cannot wait; its newest records are dropped.
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
