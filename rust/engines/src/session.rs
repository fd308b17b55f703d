//! The handle of a started job.

use crate::worker::Inbox;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A started job, seen from outside. Clones stand for the same job; dropping them does not end it.
#[derive(Clone)]
pub struct Session {
    state: Arc<State>,
}

struct State {
    key: u64,
    cancelled: AtomicBool,
    released: AtomicBool,
    inbox: Arc<Inbox>,
}

impl Session {
    pub(crate) fn new(key: u64, inbox: Arc<Inbox>) -> Self {
        let state = State {
            key,
            cancelled: AtomicBool::new(false),
            released: AtomicBool::new(false),
            inbox,
        };
        Self {
            state: Arc::new(state),
        }
    }

    /// Asks the worker to release the job. Sets a flag and wakes the worker; the release follows on the worker's thread,
    /// after a poll that is under way. Idempotent, and harmless after the end.
    pub fn cancel(&self) {
        if !self.state.cancelled.swap(true, Ordering::AcqRel) {
            self.state.inbox.cancel(self.state.key);
        }
    }

    /// Whether [`cancel`](Session::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Acquire)
    }

    /// Whether the job was released, for whatever reason.
    pub fn is_released(&self) -> bool {
        self.state.released.load(Ordering::Acquire)
    }

    pub(crate) fn key(&self) -> u64 {
        self.state.key
    }

    pub(crate) fn set_released(&self) {
        self.state.released.store(true, Ordering::Release);
    }
}
