//! Deadlines in order: a pure value, with no clock and no thread.

use crate::clock::Nanoseconds;
use std::collections::BTreeMap;

/// A queue of keys by deadline; equal deadlines keep their order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    queue: BTreeMap<Timer, u64>,
    arrivals: u64,
}

/// The place of a key in [`Timers`]: its deadline, and its number in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timer {
    deadline: Nanoseconds,
    arrival: u64,
}

impl Timers {
    /// Sets `key` due at `deadline`, replacing the deadline that `timer` holds, if any.
    pub(crate) fn set(&mut self, timer: &mut Option<Timer>, deadline: Nanoseconds, key: u64) {
        self.clear(timer);
        let arrival = self.arrivals;
        self.arrivals += 1;
        let timer = timer.insert(Timer { deadline, arrival });
        self.queue.insert(*timer, key);
    }

    /// Removes the deadline that `timer` holds, if any.
    pub(crate) fn clear(&mut self, timer: &mut Option<Timer>) {
        if let Some(timer) = timer.take() {
            self.queue.remove(&timer);
        }
    }

    /// The earliest deadline.
    pub(crate) fn next_deadline(&self) -> Option<Nanoseconds> {
        self.queue.first_key_value().map(|(timer, _)| timer.deadline)
    }

    /// Takes the earliest key whose deadline is at or before `now`. Its timer holds nothing from then on, and is to be cleared.
    pub(crate) fn pop_due(&mut self, now: Nanoseconds) -> Option<u64> {
        let first = self.queue.first_entry()?;
        (first.key().deadline <= now).then(|| first.remove())
    }

    /// The number of deadlines.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_by_deadline_and_then_by_arrival() {
        let mut timers = Timers::default();
        for (deadline, key) in [(30, 1), (10, 2), (30, 3), (20, 4)] {
            timers.set(&mut None, deadline, key);
        }
        assert_eq!(timers.next_deadline(), Some(10));
        assert_eq!(timers.pop_due(9), None);
        let order: Vec<_> = std::iter::from_fn(|| timers.pop_due(30)).collect();
        assert_eq!(order, [2, 4, 1, 3]);
        assert_eq!(timers.next_deadline(), None);
    }

    #[test]
    fn deadline_that_is_set_again_takes_the_place_of_the_one_before() {
        let mut timers = Timers::default();
        let (mut first, mut second) = (None, None);
        timers.set(&mut first, 10, 1);
        timers.set(&mut second, 20, 2);
        timers.set(&mut first, 20, 1);
        assert_eq!((timers.len(), timers.next_deadline()), (2, Some(20)));
        let order: Vec<_> = std::iter::from_fn(|| timers.pop_due(20)).collect();
        assert_eq!(order, [2, 1], "it was set again");
        timers.set(&mut second, 30, 2);
        timers.clear(&mut second);
        timers.clear(&mut second);
        assert_eq!((timers.len(), second), (0, None));
    }
}
