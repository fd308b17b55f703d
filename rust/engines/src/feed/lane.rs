//! The lane between a feed and one of its consumers.

use crate::engine::StartError;
use crate::lane::Record;
use crate::lock::{Lock, locked, locked_surely};
use crate::ring::{LaneStatistics, Overflow, Ring};
use std::sync::{Mutex, MutexGuard};

/// A [`Ring`] whose keys may increase, and which may release only the elements that waited at the last sample.
#[derive(Debug)]
pub(super) struct FeedLane<T> {
    content: Mutex<Content<T>>,
}

#[derive(Debug)]
struct Content<T> {
    ring: Ring<T>,
    /// The number of elements that may be drained until the next sample; `None`: all.
    open: Option<usize>,
    /// Whether the consumer was notified of waiting elements.
    is_announced: bool,
}

impl<T: Copy> FeedLane<T> {
    /// An empty lane; arguments and errors as for [`Ring::new`]. One that `is_sampled` yields nothing before the first sample.
    pub(super) fn new(overflow: Overflow, capacity: usize, is_sampled: bool) -> Result<Self, StartError> {
        let content = Mutex::new(Content {
            ring: Ring::new(overflow, capacity, 0)?,
            open: is_sampled.then_some(0),
            is_announced: false,
        });
        Ok(Self { content })
    }

    /// Opens the waiting elements for draining. Returns whether there are any and none were open before.
    pub(super) fn sample(&self) -> bool {
        let mut content = self.content();
        let waiting = content.ring.statistics().waiting as usize;
        let Some(open) = &mut content.open else {
            return false;
        };
        std::mem::replace(open, waiting) == 0 && waiting > 0
    }

    /// Opens all waiting elements, because the session has ended.
    pub(super) fn open(&self) {
        let mut content = locked_surely(&self.content);
        let waiting = content.ring.statistics().waiting as usize;
        if let Some(open) = &mut content.open {
            *open = waiting;
        }
    }

    /// Returns whether elements wait of which the consumer was not notified, and marks it as notified.
    pub(super) fn announce(&self) -> bool {
        let mut content = self.content();
        let is_filled = content.ring.statistics().waiting > 0;
        is_filled && !std::mem::replace(&mut content.is_announced, true)
    }

    /// The number of elements that fit into a lane of `capacity` before one is dropped.
    pub(super) fn room(&self, capacity: usize) -> usize {
        capacity.saturating_sub(self.content().ring.statistics().waiting as usize)
    }

    /// As [`Ring::drain`], with the counts right after it.
    pub(super) fn drain(&self, most: usize, take: impl FnMut(T, u32)) -> (usize, LaneStatistics) {
        let mut content = self.content();
        let waiting = content.ring.statistics().waiting as usize;
        let most = most.min(waiting);
        let most = content.open.map_or(most, |open| most.min(open));
        // Before `take` is called, which may panic.
        if let Some(open) = &mut content.open {
            *open -= most;
        }
        content.is_announced &= waiting > most;
        let count = content.ring.drain(most, take);
        (count, content.ring.statistics())
    }

    /// As [`Ring::statistics`].
    pub(super) fn statistics(&self) -> LaneStatistics {
        self.content().ring.statistics()
    }

    fn content(&self) -> MutexGuard<'_, Content<T>> {
        locked(&self.content, Lock::FeedLane)
    }
}

impl<T: Record> FeedLane<T> {
    /// Adds the elements, whose keys are below `keys`. Returns whether a consumer that found nothing would find something now.
    pub(super) fn push_all(&self, elements: &[T], keys: usize) -> bool {
        let mut content = self.content();
        content.ring.grow_keys(keys);
        content.ring.push_all(elements, T::key, T::replacing) && content.open.is_none()
    }

    /// As [`push_all`](Self::push_all), into a queue that exceeds its capacity instead of dropping elements.
    pub(super) fn push_beyond(&self, elements: &[T]) -> bool {
        self.content().ring.push_beyond(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key is the tens digit.
    impl Record for u32 {
        fn key(&self) -> u32 {
            self / 10
        }
    }

    fn drained(lane: &FeedLane<u32>) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        lane.drain(usize::MAX, |element, lost| all.push((element, lost)));
        all
    }

    #[test]
    fn sampled_lane_hands_out_what_waited_at_the_sample_at_its_newest() {
        let lane = FeedLane::new(Overflow::Conflate, 1, true).expect("memory");
        assert!(!lane.push_all(&[10, 20, 11], 3));
        assert_eq!(drained(&lane), []);
        assert!(lane.sample());
        assert!(!lane.push_all(&[12, 1], 3));
        assert_eq!(drained(&lane), [(12, 2), (20, 0)]);
        assert_eq!(drained(&lane), []);
        assert!(lane.sample());
        assert_eq!(drained(&lane), [(1, 0)]);
        assert!(!lane.sample(), "nothing waits");
    }

    #[test]
    fn what_waits_is_announced_once_until_the_lane_was_empty() {
        let lane = FeedLane::new(Overflow::DropOldest, 4, false).expect("memory");
        assert!(!lane.announce());
        assert!(lane.push_all(&[1, 2], 1) && lane.announce() && !lane.announce());
        assert!(!lane.push_all(&[3], 1) && !lane.announce());
        lane.drain(2, |_, _| {});
        assert!(!lane.announce(), "one still waits, and the consumer was notified");
        lane.drain(2, |_, _| {});
        assert!(lane.push_all(&[4], 1) && lane.announce());
    }

    #[test]
    fn keys_become_more() {
        let lane = FeedLane::new(Overflow::Conflate, 1, false).expect("memory");
        assert!(lane.push_all(&[0], 1));
        assert!(!lane.push_all(&[70], 8));
        assert_eq!(drained(&lane), [(0, 0), (70, 0)]);
    }
}
