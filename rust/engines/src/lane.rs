//! The batched lane between a worker and a consumer: a ring behind a lock that is held for copies only, and a bell.

use crate::engine::StartError;
use crate::job::Release;
use crate::lock::{Lock, locked};
use crate::ring::{LaneStatistics, Overflow, Ring};
use std::sync::{Mutex, MutexGuard};

/// The most elements that a lane holds.
pub const MAX_LANE_CAPACITY: usize = 1 << 20;

/// The notification that a lane has elements, and that its session has ended.
pub trait Doorbell: Send {
    /// The lane is no longer empty. Called on a worker's thread with no lock held.
    fn on_ready(&mut self);

    /// The session has ended; waiting elements can still be drained. The last call.
    fn on_release(self: Box<Self>, release: Release);
}

/// A bell for consumers that poll.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBell;

impl Doorbell for NoBell {
    fn on_ready(&mut self) {}
    fn on_release(self: Box<Self>, _: Release) {}
}

/// An element of a lane.
pub trait Record: Copy + Send {
    /// The key; of several elements with the same key a lane may keep the newest alone.
    fn key(&self) -> u32 {
        0
    }

    /// The record that replaces `replaced`, whose loss is reported separately.
    fn replacing(self, _replaced: &Self) -> Self {
        self
    }
}

/// A [`Ring`] that a worker fills and a consumer drains.
#[derive(Debug)]
pub(crate) struct Lane<T> {
    ring: Mutex<Ring<T>>,
}

impl<T: Record> Lane<T> {
    /// An empty lane; arguments and errors as for [`Ring::new`].
    pub(crate) fn new(overflow: Overflow, capacity: usize, keys: usize) -> Result<Self, StartError> {
        let ring = Mutex::new(Ring::new(overflow, capacity, keys)?);
        Ok(Self { ring })
    }

    /// As [`Ring::push_all`].
    pub(crate) fn push_all(&self, elements: &[T]) -> bool {
        self.ring().push_all(elements, T::key, T::replacing)
    }

    /// As [`Ring::drain`], with the counts right after it.
    pub(crate) fn drain(&self, most: usize, take: impl FnMut(T, u32)) -> (usize, LaneStatistics) {
        let mut ring = self.ring();
        let count = ring.drain(most, take);
        (count, ring.statistics())
    }

    /// As [`Ring::statistics`].
    pub(crate) fn statistics(&self) -> LaneStatistics {
        self.ring().statistics()
    }

    fn ring(&self) -> MutexGuard<'_, Ring<T>> {
        locked(&self.ring, Lock::Lane)
    }
}
