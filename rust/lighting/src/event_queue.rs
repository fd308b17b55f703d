//! Events on their way out.

use std::collections::VecDeque;

/// The events that wait at most, unless there is room for more; the oldest is dropped for a newer one.
const CAPACITY: usize = 1_024;
/// The events for which each universe or node has room: it appears, is lost and is reported lost itself, and one more.
pub(crate) const EVENTS_EACH: usize = 4;

/// A bounded queue: whoever does not take events loses the oldest and their number is counted.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue<T> {
    events: VecDeque<T>,
    capacity: usize,
    dropped: u64,
}

impl<T> EventQueue<T> {
    pub(crate) fn new() -> Self {
        Self {
            events: VecDeque::with_capacity(CAPACITY),
            capacity: CAPACITY,
            dropped: 0,
        }
    }

    /// Makes room for the events of a number of universes or nodes.
    pub(crate) fn make_room(&mut self, count: usize) {
        self.capacity = self.capacity.max(count.saturating_mul(EVENTS_EACH));
        self.events.reserve(self.capacity - self.events.len());
    }

    pub(crate) fn push(&mut self, event: T) {
        if self.events.len() == self.capacity {
            self.events.pop_front();
            self.dropped += 1;
        }
        self.events.push_back(event);
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        self.events.pop_front()
    }

    /// The events that were dropped since the queue was made.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_queue_drops_its_oldest_events_and_counts_them() {
        let mut queue = EventQueue::new();
        for event in 0..CAPACITY + 3 {
            queue.push(event);
        }
        assert_eq!((queue.pop(), queue.dropped()), (Some(3), 3));
        assert_eq!(std::iter::from_fn(|| queue.pop()).count(), CAPACITY - 1);
    }
}
