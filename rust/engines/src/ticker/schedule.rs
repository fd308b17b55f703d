//! When each tick is due: a pure value.

use crate::clock::Nanoseconds;

/// A schedule that is further behind than this is moved on instead of caught up with: after a machine's sleep a
/// consumer wants the present, not the night's prices.
const LARGEST_LAG: Nanoseconds = 1_000_000_000;

/// Ticks at even distances from the first poll on. Tick `k` is due at `start + k * interval`, computed from `k` so that
/// rounding does not add up.
#[derive(Debug)]
pub(super) struct Schedule {
    start: Option<Nanoseconds>,
    interval: f64,
    next: u64,
    /// Ticks up to the last move of `start`.
    counted_from: u64,
}

impl Schedule {
    /// Ticks at `per_second`, which is finite and above 0.
    pub(super) fn new(per_second: f64) -> Self {
        Self {
            start: None,
            interval: 1e9 / per_second,
            next: 0,
            counted_from: 0,
        }
    }

    /// The number of ticks that were taken; also the number of the next one.
    pub(super) fn taken(&self) -> u64 {
        self.next
    }

    /// Starts the schedule at the first call, and moves it on when it is too far behind. Returns the lag that was skipped.
    pub(super) fn catch_up(&mut self, now: Nanoseconds) -> Option<Nanoseconds> {
        if self.start.is_none() {
            self.start = Some(now);
        }
        let lag = now.saturating_sub(self.due());
        if lag <= LARGEST_LAG {
            return None;
        }
        self.start = Some(now);
        self.counted_from = self.next;
        Some(lag)
    }

    /// When the next tick is due; time 0 before the first [`catch_up`](Schedule::catch_up).
    pub(super) fn due(&self) -> Nanoseconds {
        let elapsed = (self.next - self.counted_from) as f64 * self.interval;
        self.start
            .unwrap_or(0)
            .saturating_add(elapsed.round() as Nanoseconds)
    }

    /// Takes the next tick when it is due at `now`, and gives its number.
    pub(super) fn take(&mut self, now: Nanoseconds) -> Option<u64> {
        if self.due() > now {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanoseconds = 1_000_000_000;

    #[test]
    fn ticks_come_at_even_distances_without_drift() {
        let mut schedule = Schedule::new(3.0);
        assert_eq!(schedule.catch_up(500), None);
        let mut times = Vec::new();
        for number in 0..=3_000 {
            let due = schedule.due();
            assert_eq!(schedule.take(due - 1), None, "not before it is due");
            assert_eq!(schedule.take(due), Some(number));
            times.push(due - 500);
        }
        assert_eq!(times[..4], [0, 333_333_333, 666_666_667, SECOND]);
        assert_eq!(times[3_000], 1_000 * SECOND);
    }

    #[test]
    fn five_seconds_of_three_symbols_at_two_a_second_are_thirty_ticks() {
        let mut schedule = Schedule::new(6.0);
        schedule.catch_up(0);
        let count = std::iter::from_fn(|| schedule.take(5 * SECOND - 1)).count();
        assert_eq!(count, 30);
    }

    #[test]
    fn small_lag_is_made_up_and_a_large_one_is_skipped() {
        let mut schedule = Schedule::new(10.0);
        schedule.catch_up(0);
        assert_eq!(schedule.catch_up(SECOND), None);
        assert_eq!(std::iter::from_fn(|| schedule.take(SECOND)).count(), 11);
        assert_eq!(schedule.catch_up(60 * SECOND), Some(60 * SECOND - 1_100_000_000));
        assert_eq!(schedule.take(60 * SECOND), Some(11));
        assert_eq!(schedule.take(60 * SECOND), None);
        assert_eq!(schedule.due(), 60 * SECOND + 100_000_000);
    }
}
