//! The clock of a runtime: the machine's, or one that a test moves.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Nanoseconds since the clock was made. 64 bits last for 584 years.
pub type Nanoseconds = u64;

/// The action of a worker before its next deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The deadline is reached: run now.
    Ready,
    /// Wait for a bell, at most this long.
    AtMost(Duration),
    /// Wait for a bell.
    ForBell,
}

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    /// The present time; it never runs backwards.
    fn now(&self) -> Nanoseconds;

    /// The present wall-clock time in milliseconds since 1970-01-01T00:00:00Z.
    fn wall_ms(&self) -> i64;

    /// The wait of an idle worker for `deadline`, its earliest one. Called by the worker alone.
    fn wait_for(&self, deadline: Option<Nanoseconds>) -> Wait;

    /// The shortest time from one waking of a worker to its next for a deadline: deadlines that are closer together are met
    /// together, the first at most this much late. A single deadline is met on time.
    fn shortest_sleep(&self) -> Nanoseconds {
        0
    }
}

/// The machine's monotonic clock, and its calendar.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the monotonic clock"
    )]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Nanoseconds {
        self.start.elapsed().as_nanos() as Nanoseconds
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that reads the calendar")]
    fn wall_ms(&self) -> i64 {
        // A calendar before 1970 is not set; 0 stands for it.
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as i64)
    }

    fn wait_for(&self, deadline: Option<Nanoseconds>) -> Wait {
        match deadline {
            None => Wait::ForBell,
            Some(deadline) => match deadline.saturating_sub(self.now()) {
                0 => Wait::Ready,
                remaining => Wait::AtMost(Duration::from_nanos(remaining)),
            },
        }
    }

    /// Half a millisecond: no job asks for shorter waits, and sleeping and waking cost a processor some microseconds.
    fn shortest_sleep(&self) -> Nanoseconds {
        500_000
    }
}

/// A clock that stands still until it is advanced. While it is advanced it stops at each deadline on the way, so that a job sees
/// exactly the times it asked for.
#[derive(Debug)]
pub struct ManualClock {
    now: AtomicU64,
    target: AtomicU64,
    wall_ms_at_start: AtomicI64,
}

impl ManualClock {
    /// A clock at time 0, with the calendar at `wall_ms` milliseconds since 1970-01-01T00:00:00Z.
    pub fn new(wall_ms: i64) -> Self {
        Self {
            now: AtomicU64::new(0),
            target: AtomicU64::new(0),
            wall_ms_at_start: AtomicI64::new(wall_ms),
        }
    }

    /// Moves the time that workers may run up to. [`Runtime::advance`](crate::Runtime::advance) calls it.
    pub(crate) fn extend(&self, by: Duration) {
        let by = Nanoseconds::try_from(by.as_nanos()).unwrap_or(Nanoseconds::MAX);
        let later = |target: Nanoseconds| Some(target.saturating_add(by));
        // `later` never refuses.
        let _ = self
            .target
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, later);
    }
}

impl ManualClock {
    /// Advances the time to its target, for a runtime that has no worker yet.
    pub(crate) fn arrive(&self) {
        self.now
            .fetch_max(self.target.load(Ordering::Acquire), Ordering::AcqRel);
    }
}

#[cfg(test)]
impl ManualClock {
    /// Time passes without a poll, as for a stopped process.
    pub(crate) fn leap(&self, by: Duration) {
        let by = by.as_nanos() as Nanoseconds;
        self.target.fetch_add(by, Ordering::AcqRel);
        self.now.fetch_add(by, Ordering::AcqRel);
    }

    /// The calendar is set, `by` ms later than it was.
    pub(crate) fn set_calendar(&self, by: i64) {
        self.wall_ms_at_start.fetch_add(by, Ordering::AcqRel);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Nanoseconds {
        self.now.load(Ordering::Acquire)
    }

    fn wall_ms(&self) -> i64 {
        self.wall_ms_at_start
            .load(Ordering::Acquire)
            .saturating_add((self.now() / 1_000_000) as i64)
    }

    fn wait_for(&self, deadline: Option<Nanoseconds>) -> Wait {
        let target = self.target.load(Ordering::Acquire);
        match deadline {
            Some(deadline) if deadline <= target => {
                self.now.fetch_max(deadline, Ordering::AcqRel);
                Wait::Ready
            }
            _ => {
                self.now.fetch_max(target, Ordering::AcqRel);
                Wait::ForBell
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_clock_waits_for_what_is_left() {
        let clock = SystemClock::new();
        assert_eq!(clock.wait_for(None), Wait::ForBell);
        assert_eq!(clock.wait_for(Some(0)), Wait::Ready);
        let hour = 3_600_000_000_000;
        let Wait::AtMost(rest) = clock.wait_for(Some(clock.now() + hour)) else {
            panic!("an hour is left")
        };
        assert!(rest <= Duration::from_secs(3_600) && rest > Duration::from_secs(3_500));
        assert!(
            clock.wall_ms() > 1_700_000_000_000,
            "a calendar after November 2023"
        );
    }

    #[test]
    fn manual_clock_loses_no_time_between_threads() {
        let clock = ManualClock::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..100_000).for_each(|_| clock.extend(Duration::from_nanos(1))));
            }
        });
        assert_eq!(clock.target.load(Ordering::Acquire), 200_000);
    }

    #[test]
    fn manual_clock_stops_at_each_deadline_on_the_way() {
        let clock = ManualClock::new(1_000);
        assert_eq!(clock.wait_for(Some(5)), Wait::ForBell);
        clock.extend(Duration::from_millis(10));
        assert_eq!(clock.wait_for(Some(3_000_000)), Wait::Ready);
        assert_eq!((clock.now(), clock.wall_ms()), (3_000_000, 1_003));
        assert_eq!(clock.wait_for(Some(10_000_001)), Wait::ForBell);
        assert_eq!((clock.now(), clock.wall_ms()), (10_000_000, 1_010));
    }
}
