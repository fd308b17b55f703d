//! Turns of symbols at even intervals: the times at which a ticker and a simulated feed make their prices.

use crate::clock::Nanoseconds;
use crate::job::{PollContext, Release, Step};
use crate::lane::Record;
use crate::outlet::Outlet;
use crate::schedule::{Schedule, Skipped};
use std::ops::Range;

/// The most records of one poll, so that a fast session does not block the worker's other jobs.
const LARGEST_BATCH: u64 = 8_192;

/// The shortest time between two polls: turns that are closer together are taken in one.
const SHORTEST_NAP: Nanoseconds = 1_000_000;

/// The turns of a number of symbols, up to a limit.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    schedule: Schedule,
    symbols: u64,
    limit: u64,
    passed_over: u64,
}

impl Turns {
    /// Turns of `symbols`, at least one, at `rate` a second and symbol; `limit` of them, or without a limit.
    pub(crate) fn new(symbols: usize, rate: f64, limit: Option<u64>) -> Self {
        Self {
            schedule: Schedule::new(rate * symbols as f64),
            symbols: symbols as u64,
            limit: limit.unwrap_or(u64::MAX),
            passed_over: 0,
        }
    }

    /// As [`Schedule::catch_up`].
    pub(crate) fn catch_up(&mut self, now: Nanoseconds) -> Option<Skipped> {
        self.schedule.catch_up(now)
    }

    /// Skips this many turns: their numbers are left out. They do not count towards the limit.
    pub(crate) fn pass_over(&mut self, turns: u64) {
        self.passed_over = self.passed_over.saturating_add(turns);
    }

    /// Takes the turns that are due at `now`, at most `most` of them.
    pub(crate) fn take(&mut self, now: Nanoseconds, most: u64) -> Due {
        let left = self.limit.saturating_sub(self.schedule.taken());
        let taken = self.schedule.take(now, left.min(most));
        let number = |turn: u64| turn.saturating_add(self.passed_over);
        let numbers = number(taken.start)..number(taken.end);
        Due {
            symbol: (numbers.start % self.symbols) as u32,
            symbols: self.symbols as u32,
            numbers,
        }
    }

    /// The time of the next turn; `None` after the last one.
    pub(crate) fn next(&self, now: Nanoseconds) -> Option<Nanoseconds> {
        (self.schedule.taken() < self.limit).then(|| match self.schedule.due() {
            due if due <= now => now,
            due => due.max(now + SHORTEST_NAP),
        })
    }
}

/// Turns that are due: the number of each, from 0, and its symbol's index.
pub(crate) struct Due {
    numbers: Range<u64>,
    symbol: u32,
    symbols: u32,
}

impl Iterator for Due {
    type Item = (u64, u32);

    #[inline]
    fn next(&mut self) -> Option<(u64, u32)> {
        let turn = (self.numbers.next()?, self.symbol);
        self.symbol += 1;
        if self.symbol == self.symbols {
            self.symbol = 0;
        }
        Some(turn)
    }
}

/// The work of a session whose records come in turns.
pub(crate) struct Paced<T> {
    turns: Turns,
    outlet: Outlet<T>,
    batch: Vec<T>,
}

impl<T: Record> Paced<T> {
    /// Records that go to `outlet`.
    pub(crate) fn new(turns: Turns, outlet: Outlet<T>) -> Self {
        let batch = Vec::new();
        Self { turns, outlet, batch }
    }

    /// Delivers the records that are due, at most a batch of them. `make` makes the record of a turn by its number and its
    /// symbol's index; `None`: there are no more for now.
    pub(crate) fn poll(
        &mut self,
        context: &PollContext<'_>,
        mut make: impl FnMut(u64, u32) -> Option<T>,
    ) -> Step {
        let now = context.now();
        if let Some(skipped) = self.turns.catch_up(now) {
            context.was_held_up(skipped);
        }
        self.batch.clear();
        let due = self.turns.take(now, LARGEST_BATCH);
        self.batch
            .extend(due.map_while(|(number, symbol)| make(number, symbol)));
        self.outlet.deliver(&self.batch, context);
        self.turns.next(now).map_or(Step::End, Step::At)
    }

    /// Ends the session.
    pub(crate) fn release(self, release: Release) {
        self.outlet.release(release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanoseconds = 1_000_000_000;

    #[test]
    fn symbols_go_on_where_the_last_batch_ended() {
        let mut turns = Turns::new(3, 1.0, None);
        assert_eq!(turns.catch_up(0), None);
        assert_eq!(turns.take(SECOND, 2).collect::<Vec<_>>(), [(0, 0), (1, 1)]);
        assert_eq!(turns.next(SECOND), Some(SECOND), "more is due");
        assert_eq!(turns.take(SECOND, 9).collect::<Vec<_>>(), [(2, 2), (3, 0)]);
        assert_eq!(turns.next(SECOND), Some(4 * SECOND / 3));
    }

    #[test]
    fn turns_that_are_passed_over_leave_a_hole_in_the_numbers() {
        let mut turns = Turns::new(3, 1.0, Some(3));
        turns.catch_up(0);
        assert_eq!(turns.take(0, 9).collect::<Vec<_>>(), [(0, 0)]);
        turns.pass_over(4);
        assert_eq!(turns.take(SECOND, 9).collect::<Vec<_>>(), [(5, 2), (6, 0)]);
        assert_eq!(turns.next(SECOND), None, "three were taken");
    }

    #[test]
    fn limit_is_the_end() {
        let mut turns = Turns::new(2, 1.0, Some(3));
        turns.catch_up(0);
        assert_eq!(turns.take(0, 9).count(), 1);
        assert_eq!(turns.next(0), Some(SECOND / 2));
        assert_eq!(turns.take(SECOND, 9).count(), 2);
        assert_eq!(turns.next(SECOND), None);
        assert_eq!(turns.take(9 * SECOND, 9).count(), 0);
    }

    #[test]
    fn turns_that_are_close_are_taken_in_one_go() {
        let mut turns = Turns::new(1, 1e6, None);
        turns.catch_up(5);
        assert_eq!(turns.take(5, 9).count(), 1);
        assert_eq!(turns.next(5), Some(5 + SHORTEST_NAP));
        let slow = Turns::new(1, 0.5, None);
        assert_eq!(slow.next(7), Some(7), "a schedule that has not begun is due");
    }
}
