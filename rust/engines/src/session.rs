//! The handle of a started job.

use crate::runtime::RuntimeError;
use crate::worker::Inbox;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The handle of a started job. Clones stand for the same job; dropping them does not end it.
#[derive(Clone)]
pub struct Session {
    state: Arc<State>,
}

struct State {
    key: u64,
    /// The process that has the worker.
    process: u32,
    cancelled: AtomicBool,
    released: AtomicBool,
    /// Whether an order to poll the job is pending.
    woken: AtomicBool,
    inbox: Arc<Inbox>,
}

impl Session {
    pub(crate) fn new(key: u64, inbox: Arc<Inbox>) -> Self {
        let state = State {
            key,
            process: std::process::id(),
            cancelled: AtomicBool::new(false),
            released: AtomicBool::new(false),
            woken: AtomicBool::new(false),
            inbox,
        };
        Self {
            state: Arc::new(state),
        }
    }

    /// Asks the worker to release the job. Sets a flag and wakes the worker; the release follows on the worker's thread, after a
    /// poll in progress. Idempotent, and harmless after the end. In a fork, which has no worker, it sets the flag alone.
    pub fn cancel(&self) {
        if !self.state.cancelled.swap(true, Ordering::AcqRel) && self.check_process().is_ok() {
            self.state.inbox.cancel(self.state.key);
        }
    }

    /// Checks that the worker is in this process, for a call whose effect is the worker's; takes no lock.
    ///
    /// # Errors
    /// [`RuntimeError::Forked`].
    pub(crate) fn check_process(&self) -> Result<(), RuntimeError> {
        let (threads_in, got) = (self.state.process, std::process::id());
        let forked = RuntimeError::Forked { threads_in, got };
        (threads_in == got).then_some(()).ok_or(forked)
    }

    /// Asks the worker to poll a job that returned [`Step::Wait`](crate::Step::Wait), soon and at least once from now on. Wakes
    /// before that poll begins are combined. Harmless after the end.
    pub fn wake(&self) {
        if !self.state.woken.swap(true, Ordering::AcqRel) {
            self.state.inbox.wake(self.state.key);
        }
    }

    /// Whether [`cancel`](Session::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Acquire)
    }

    /// Whether the job was released, for any reason.
    pub fn is_released(&self) -> bool {
        self.state.released.load(Ordering::Acquire)
    }

    pub(crate) fn key(&self) -> u64 {
        self.state.key
    }

    /// From here on a wake is for the next poll.
    pub(crate) fn take_wake(&self) {
        // Acquire: the poll that follows sees what the waking thread did before.
        self.state.woken.swap(false, Ordering::AcqRel);
    }

    pub(crate) fn set_released(&self) {
        self.state.released.store(true, Ordering::Release);
    }
}
