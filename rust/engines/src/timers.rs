//! Deadlines in order: a pure value, with no clock and no thread.

use crate::clock::Nanoseconds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue of keys by deadline; equal deadlines keep the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Nanoseconds, u64, u64)>>,
    arrivals: u64,
}

impl Timers {
    /// Adds `key`, due at `deadline`.
    pub(crate) fn push(&mut self, deadline: Nanoseconds, key: u64) {
        self.heap.push(Reverse((deadline, self.arrivals, key)));
        self.arrivals += 1;
    }

    /// The earliest deadline.
    pub(crate) fn next_deadline(&self) -> Option<Nanoseconds> {
        self.heap.peek().map(|Reverse((deadline, ..))| *deadline)
    }

    /// Takes the earliest key whose deadline is at or before `now`.
    pub(crate) fn pop_due(&mut self, now: Nanoseconds) -> Option<u64> {
        if self.next_deadline()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((.., key))| key)
    }

    /// Drops every entry whose key is not wanted any more.
    pub(crate) fn retain(&mut self, mut wanted: impl FnMut(u64) -> bool) {
        self.heap.retain(|Reverse((.., key))| wanted(*key));
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_by_deadline_and_then_by_arrival() {
        let mut timers = Timers::default();
        for (deadline, key) in [(30, 1), (10, 2), (30, 3), (20, 4)] {
            timers.push(deadline, key);
        }
        assert_eq!(timers.next_deadline(), Some(10));
        assert_eq!(timers.pop_due(9), None);
        let order: Vec<_> = std::iter::from_fn(|| timers.pop_due(30)).collect();
        assert_eq!(order, [2, 4, 1, 3]);
        assert_eq!(timers.next_deadline(), None);
    }

    #[test]
    fn unwanted_keys_go() {
        let mut timers = Timers::default();
        for key in 0..10 {
            timers.push(key, key);
        }
        timers.retain(|key| key % 2 == 1);
        assert_eq!(timers.len(), 5);
        assert_eq!(timers.pop_due(9), Some(1));
    }
}
