//! The host's clock of beats.

use crate::clock::{Clock, Nanoseconds};
use rustle_tempo::beats::{HostTime, Time};
use std::sync::Arc;

/// A source of host times, which do not run backwards.
#[derive(Clone)]
pub struct HostClock(Source);

#[derive(Clone)]
enum Source {
    System,
    /// A runtime's, `start` us ahead and faster by so many ppm.
    Runtime {
        clock: Arc<dyn Clock>,
        start: i64,
        ppm: i64,
    },
}

impl HostClock {
    /// The machine's.
    pub fn of_system() -> Self {
        Self(Source::System)
    }

    /// The clock of a runtime, for tests: `start` microseconds ahead, and faster by so many parts in a million.
    pub(crate) fn of_runtime(clock: Arc<dyn Clock>, start: i64, ppm: i64) -> Self {
        Self(Source::Runtime { clock, start, ppm })
    }

    /// The present host time.
    pub fn now(&self) -> HostTime {
        match &self.0 {
            Source::System => HostTime::new(rustle_system::host_time_us()),
            Source::Runtime { clock, start, ppm } => {
                let ns = i128::from(clock.now()) * i128::from(1_000_000 + ppm);
                HostTime::new(start + (ns / 1_000_000_000) as i64)
            }
        }
    }

    /// The time from one host time to a later one, in ns and at least one microsecond: clocks that differ by some ppm reach it in a
    /// second step.
    pub(crate) fn until(now: HostTime, then: HostTime) -> Nanoseconds {
        then.saturating_micros_since(now)
            .max(1)
            .unsigned_abs()
            .saturating_mul(1_000)
    }
}
