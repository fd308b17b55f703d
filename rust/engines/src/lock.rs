//! The acquisition of the engines' locks, and the points where a fault can be injected behind them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The locks, by their owners.
#[cfg_attr(
    not(feature = "faults"),
    expect(unreachable_pub, reason = "only `faults` exposes it")
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
    /// The initial state of a feed.
    Parts,
    /// The pushed bytes of a host.
    External,
    /// The clients of a server.
    Figures,
    /// The outcome of a thread of a device or a connection.
    OwnThread,
    /// The writer of a playback.
    Writer,
    /// The wanted settings of an equalizer.
    Control,
    /// The pending change of an equalizer's sound.
    Handover,
    /// The sound of an equalizer.
    Sound,
    /// The changes that wait for a sender of DMX.
    Mailbox,
    /// The sessions of a receiver of DMX, and what waits for them.
    Audience,
    /// The sources and the sockets of a receiver of DMX.
    Hearing,
    /// The inputs that wait for a show.
    ShowChanges,
    /// The senders of a show.
    ShowOutputs,
    /// The last frame of a show.
    ShowFrame,
    /// What draws the frames of a show.
    ShowPainter,
    /// What waits between a radio's sessions and the program that is the radio.
    Exchange,
}

#[cfg(feature = "faults")]
impl Lock {
    /// All locks.
    pub const ALL: [Self; 23] = [
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
        Self::Mailbox,
        Self::Audience,
        Self::Hearing,
        Self::ShowChanges,
        Self::ShowOutputs,
        Self::ShowFrame,
        Self::ShowPainter,
        Self::Exchange,
    ];
}

/// Takes a lock, poisoned or not; code that changes the guarded state keeps it valid at every place that may panic.
pub(crate) fn locked<T>(mutex: &Mutex<T>, lock: Lock) -> MutexGuard<'_, T> {
    let guard = locked_surely(mutex);
    fault_point(lock);
    guard
}

/// As [`locked`], for code after a point of no return that must complete: no fault is injected here.
pub(crate) fn locked_surely<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The point of an injected fault behind a lock.
#[inline]
pub(crate) fn fault_point(lock: Lock) {
    #[cfg(feature = "faults")]
    crate::faults::lock_point(lock);
    #[cfg(not(feature = "faults"))]
    let _ = lock;
}
