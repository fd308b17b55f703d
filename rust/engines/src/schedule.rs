//! The times at which ticks are due: a pure value.

use crate::clock::Nanoseconds;
use std::ops::Range;

/// The lag beyond which a schedule skips ahead instead of catching up: after a machine's sleep a consumer needs the present, not
/// the night's prices.
const LARGEST_LAG: Nanoseconds = 1_000_000_000;

/// The ticks that a schedule too far behind skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The lag.
    pub(crate) lag: Nanoseconds,
    /// The ticks that were due meanwhile, except the one that is due now; they have no numbers.
    pub(crate) ticks: u64,
}

/// Ticks at even intervals from the first poll on. Tick `k` is due at `start + k * interval`, computed from `k` so that rounding
/// errors do not add up.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    start: Option<Nanoseconds>,
    interval: f64,
    next: u64,
    /// Ticks up to the last move of `start`.
    counted_from: u64,
}

impl Schedule {
    /// Ticks at `per_second`, which is finite and above 0.
    pub(crate) fn new(per_second: f64) -> Self {
        Self {
            start: None,
            interval: 1e9 / per_second,
            next: 0,
            counted_from: 0,
        }
    }

    /// The number of ticks taken, which is also the number of the next one.
    pub(crate) fn taken(&self) -> u64 {
        self.next
    }

    /// Starts the schedule at the first call, and skips ahead when it is too far behind: the next tick is due at `now` then.
    /// Returns the skipped ticks.
    pub(crate) fn catch_up(&mut self, now: Nanoseconds) -> Option<Skipped> {
        if self.start.is_none() {
            self.start = Some(now);
        }
        let lag = now.saturating_sub(self.due());
        if lag <= LARGEST_LAG {
            return None;
        }
        self.start = Some(now);
        self.counted_from = self.next;
        let ticks = (lag as f64 / self.interval) as u64;
        Some(Skipped { lag, ticks })
    }

    /// The time of the next tick; 0 before the first [`catch_up`](Schedule::catch_up).
    pub(crate) fn due(&self) -> Nanoseconds {
        self.due_at(self.next)
    }

    fn due_at(&self, number: u64) -> Nanoseconds {
        let elapsed = (number - self.counted_from) as f64 * self.interval;
        self.start
            .unwrap_or(0)
            .saturating_add(elapsed.round() as Nanoseconds)
    }

    /// Takes the ticks that are due at `now`, at most `most` of them, and returns their numbers.
    pub(crate) fn take(&mut self, now: Nanoseconds, most: u64) -> Range<u64> {
        let first = self.next;
        let last = first.saturating_add(most);
        // One division for all of them; rounding leaves it at most one tick off, which the two loops correct.
        let elapsed = now.saturating_sub(self.start.unwrap_or(0)) as f64;
        let estimate = self.counted_from.saturating_add((elapsed / self.interval) as u64);
        let mut end = estimate.clamp(first, last);
        while end < last && self.due_at(end) <= now {
            end += 1;
        }
        while end > first && self.due_at(end - 1) > now {
            end -= 1;
        }
        self.next = end;
        first..end
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
            assert!(schedule.take(due - 1, 9).is_empty(), "not before it is due");
            assert_eq!(schedule.take(due, 9), number..number + 1);
            times.push(due - 500);
        }
        assert_eq!(times[..4], [0, 333_333_333, 666_666_667, SECOND]);
        assert_eq!(times[3_000], 1_000 * SECOND);
    }

    #[test]
    fn five_seconds_of_three_symbols_at_two_a_second_are_thirty_ticks() {
        let mut schedule = Schedule::new(6.0);
        schedule.catch_up(0);
        assert_eq!(schedule.take(5 * SECOND - 1, u64::MAX), 0..30);
    }

    #[test]
    fn many_at_a_time_are_the_same_as_one_at_a_time() {
        for per_second in [0.001, 0.7, 3.0, 999.9, 1e6, 3.3e7, 1e12] {
            let (mut many, mut one) = (Schedule::new(per_second), Schedule::new(per_second));
            let step = (1e9 / per_second).clamp(1.0, 1e12) as Nanoseconds;
            for turn in 0..200 {
                let now = turn * (step / 3 + 1);
                assert_eq!(many.catch_up(now), one.catch_up(now));
                let taken = many.take(now, 40);
                let singly = std::iter::from_fn(|| one.take(now, 1).next());
                assert_eq!(
                    taken.clone().count(),
                    singly.take(40).count(),
                    "{per_second} {now}"
                );
                assert_eq!(many.taken(), one.taken());
                assert!(taken.is_empty() || many.due_at(taken.end - 1) <= now);
                assert!(taken.end - taken.start == 40 || many.due() > now);
            }
        }
    }

    #[test]
    fn limit_is_kept() {
        let mut schedule = Schedule::new(10.0);
        schedule.catch_up(0);
        assert_eq!(schedule.take(SECOND, 4), 0..4);
        assert_eq!(schedule.take(SECOND, 0), 4..4);
        assert_eq!(schedule.take(SECOND, 100), 4..11);
    }

    #[test]
    fn small_lag_is_made_up_and_a_large_one_is_skipped() {
        let mut schedule = Schedule::new(10.0);
        schedule.catch_up(0);
        assert_eq!(schedule.catch_up(SECOND), None);
        assert_eq!(schedule.take(SECOND, u64::MAX), 0..11);
        let (lag, ticks) = (60 * SECOND - 1_100_000_000, 589);
        assert_eq!(schedule.catch_up(60 * SECOND), Some(Skipped { lag, ticks }));
        assert_eq!(schedule.catch_up(60 * SECOND), None);
        assert_eq!(schedule.take(60 * SECOND, 9), 11..12);
        assert_eq!(schedule.due(), 60 * SECOND + 100_000_000);
    }
}
