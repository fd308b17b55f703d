//! A session's sending, step by step: by a thread of its own, or by its job.

use super::counters::{Counters, Tally};
use super::following::Subscriptions;
use super::mailbox::{Changes, Mailbox};
use super::source::Source;
use super::wire::Wire;
use crate::clock::{Clock, Nanoseconds};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

/// The state that callers, the thread and the job share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) mailbox: Mailbox,
    pub(super) counters: Arc<Counters>,
    pub(super) sleeper: Sleeper,
    pub(super) subscriptions: Subscriptions,
}

/// The thread's waits.
#[derive(Debug, Default)]
pub(super) struct Sleeper {
    thread: OnceLock<Thread>,
    /// Whether it waits for a caller, not for a frame.
    is_idle: AtomicBool,
}

impl Sleeper {
    /// The calling thread is the one that sleeps.
    pub(super) fn begin(&self) {
        self.thread.get_or_init(std::thread::current);
    }

    /// Wakes the thread to look for changes, if it does not wait for a frame anyway.
    pub(super) fn nudge(&self) {
        if self.is_idle.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    /// Wakes the thread. One that has not begun looks before it sleeps.
    pub(super) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Sleeps until a time, the same one after each wake, or until it is called.
    fn until(&self, at: Nanoseconds, clock: &dyn Clock, is_called: impl Fn() -> bool) {
        while !is_called() {
            match at.saturating_sub(clock.now()) {
                0 => return,
                rest => std::thread::park_timeout(Duration::from_nanos(rest)),
            }
        }
    }

    /// Sleeps until it is called.
    fn idle(&self, is_called: impl Fn() -> bool) {
        self.is_idle.store(true, Ordering::SeqCst);
        while !is_called() {
            std::thread::park();
        }
        self.is_idle.store(false, Ordering::SeqCst);
    }
}

/// The sending of a session.
pub(super) struct Transmission {
    source: Source,
    wire: Box<dyn Wire>,
    shared: Arc<Shared>,
    tally: Tally,
    spare: Changes,
    awaited: Option<Nanoseconds>,
    is_stopping: bool,
}

impl Transmission {
    pub(super) fn new(source: Source, wire: Box<dyn Wire>, shared: Arc<Shared>) -> Self {
        Self {
            source,
            wire,
            tally: Tally::new(shared.counters.clone()),
            shared,
            spare: Changes::default(),
            awaited: None,
            is_stopping: false,
        }
    }

    /// Takes the callers' changes and sends what is due; returns the time of the next step. `None`: not before a change.
    pub(super) fn step(&mut self, now: Nanoseconds) -> Option<Nanoseconds> {
        if let Some(late) = self.awaited.and_then(|awaited| now.checked_sub(awaited)) {
            self.shared.counters.woke(late);
        }
        self.take_changes();
        self.send(now);
        if self.is_stopping {
            // Universes whose last packet is sent leave with the next call.
            self.send(now);
        }
        let counters = &self.shared.counters;
        counters.store(self.source.counters(), self.source.universes());
        if !self.is_stopping {
            // The last counts say what was not sent.
            counters.set_unheard(self.source.unheard());
        }
        self.awaited = self.source.next_ns();
        self.awaited
    }

    fn send(&mut self, now: Nanoseconds) {
        self.source.advance(now);
        for packet in self.source.packets() {
            self.tally.packet(packet.universe);
        }
        self.wire.send(&self.source, &self.tally, now);
    }

    fn take_changes(&mut self) {
        if self.is_stopping {
            return;
        }
        if let Some(subscriptions) = self.shared.subscriptions.take() {
            self.source.follow(subscriptions);
        }
        self.shared.mailbox.take(&mut self.spare);
        for change in self.spare.iter() {
            if let Some(counters) = &change.counters {
                self.tally.open(change.universe, counters);
            }
            let applied = self.source.apply(change);
            assert!(
                applied.is_ok(),
                "the mailbox took what the sender refuses: {applied:?}"
            );
        }
        self.spare.clear();
    }

    /// Ends all universes; what is written from here on is not sent.
    pub(super) fn stop(&mut self) {
        if !self.is_stopping {
            self.take_changes();
            self.is_stopping = true;
            self.source.stop();
        }
    }

    /// Whether all is sent, after a stop.
    pub(super) fn is_finished(&self) -> bool {
        self.is_stopping && self.source.is_finished()
    }

    /// Stops and sends the rest at once, without waiting for its frames: for a clock that moves no more.
    pub(super) fn finish(&mut self, mut now: Nanoseconds) {
        self.stop();
        while !self.is_finished() {
            now = self.step(now).unwrap_or(now).max(now);
        }
    }

    /// Sends until asked to leave, and then the rest.
    pub(super) fn run(&mut self, clock: &dyn Clock, is_leaving: &AtomicBool) {
        let shared = self.shared.clone();
        loop {
            let is_called = || is_leaving.load(Ordering::SeqCst);
            if is_called() {
                self.stop();
            }
            let next = self.step(clock.now());
            let is_stopping = self.is_stopping;
            match next {
                _ if self.is_finished() => return,
                Some(at) => shared.sleeper.until(at, clock, || is_called() && !is_stopping),
                None => {
                    let has_news = || shared.mailbox.has_mail() || shared.subscriptions.has_news();
                    shared.sleeper.idle(|| is_called() || has_news());
                }
            }
        }
    }
}
