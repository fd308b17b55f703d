//! How every lock of the engines is taken, and where a fault can be injected behind it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The locks, by what they are of.
#[cfg_attr(
    not(feature = "faults"),
    expect(unreachable_pub, reason = "only `faults` shows it")
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// The sessions of an engine.
    Sessions,
    /// The threads of a runtime.
    Threads,
    /// The orders of a worker.
    Orders,
    /// The lane of a ticker's newest session.
    TickerLane,
    /// The lane of a ticker or of a device.
    Lane,
    /// The lane of a feed.
    FeedLane,
    /// The consumers of a feed.
    FeedCore,
    /// What a feed begins with.
    Parts,
    /// What a host pushed.
    External,
    /// The clients of a server.
    Figures,
    /// How a thread of a device or a connection ended.
    OwnThread,
    /// Who writes to a playback.
    Writer,
    /// The wanted settings of an equalizer.
    Control,
    /// The change that an equalizer's sound is to take over.
    Handover,
    /// The sound of an equalizer.
    Sound,
}

#[cfg(feature = "faults")]
impl Lock {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Sessions,
        Self::Threads,
        Self::Orders,
        Self::TickerLane,
        Self::Lane,
        Self::FeedLane,
        Self::FeedCore,
        Self::Parts,
        Self::External,
        Self::Figures,
        Self::OwnThread,
        Self::Writer,
        Self::Control,
        Self::Handover,
        Self::Sound,
    ];
}

/// Takes a lock, whatever a panic under it has left; whoever changes what it guards leaves it in order at every place that may
/// panic.
pub(crate) fn locked<T>(mutex: &Mutex<T>, lock: Lock) -> MutexGuard<'_, T> {
    let guard = locked_surely(mutex);
    fault_point(lock);
    guard
}

/// As [`locked`], for what follows a point of no return and has to come to its end: no fault is injected here.
pub(crate) fn locked_surely<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a fault is injected behind a lock.
#[inline]
pub(crate) fn fault_point(lock: Lock) {
    #[cfg(feature = "faults")]
    crate::faults::lock_point(lock);
    #[cfg(not(feature = "faults"))]
    let _ = lock;
}
