//! One thread of the runtime: it takes orders from its inbox and polls the jobs that are due.

use crate::clock::{Clock, Nanoseconds, Wait};
use crate::io::Io;
use crate::job::{HeldUp, Job, PollContext, Release, Step};
use crate::lock::{Lock, locked, locked_surely};
use crate::panic_text::into_panic_message;
use crate::session::Session;
use crate::timers::{Timer, Timers};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A running job, or one about to run.
pub(crate) struct Running {
    pub(crate) session: Session,
    pub(crate) job: Box<dyn Job>,
    /// Set before the release when the job panics: its engine is poisoned from then on.
    pub(crate) poison: Arc<AtomicBool>,
    /// Its one deadline: waking or polling a job replaces or removes it.
    pub(crate) timer: Option<Timer>,
}

/// Orders for a worker, from any thread. Its lock is held for a few instructions only and never during callbacks.
pub(crate) struct Inbox {
    orders: Mutex<Orders>,
    bell: Condvar,
    settled: Condvar,
}

#[derive(Default)]
struct Orders {
    starts: Vec<Running>,
    cancels: Vec<u64>,
    wakes: Vec<u64>,
    stop: bool,
    /// Whether the worker sleeps and was not woken since.
    is_asleep: bool,
    /// Incremented when a caller waits for the completion of all work so far.
    asked: u64,
    /// The last `asked` that was completed.
    answered: u64,
}

impl Orders {
    fn is_any(&self) -> bool {
        !(self.starts.is_empty() && self.cancels.is_empty() && self.wakes.is_empty())
    }
}

impl Inbox {
    pub(crate) fn new() -> Self {
        Self {
            orders: Mutex::new(Orders::default()),
            bell: Condvar::new(),
            settled: Condvar::new(),
        }
    }

    pub(crate) fn start(&self, running: Running) {
        // A start that fails here consumes nothing.
        let orders = locked(&self.orders, Lock::Orders);
        self.order(orders, |orders| orders.starts.push(running));
    }

    pub(crate) fn cancel(&self, key: u64) {
        self.order(self.lock(), |orders| orders.cancels.push(key));
    }

    pub(crate) fn wake(&self, key: u64) {
        self.order(self.lock(), |orders| orders.wakes.push(key));
    }

    pub(crate) fn stop(&self) {
        self.order(self.lock(), |orders| orders.stop = true);
    }

    /// Gives an order, and wakes the worker if it sleeps: a working one checks for orders anyway, and a needless wake costs a
    /// system call.
    fn order(&self, mut orders: MutexGuard<'_, Orders>, give: impl FnOnce(&mut Orders)) {
        give(&mut orders);
        if std::mem::take(&mut orders.is_asleep) {
            drop(orders);
            self.bell.notify_one();
        }
    }

    /// Waits until the worker has done all work that is due and ordered by now. Not to be called on the worker's own thread.
    pub(crate) fn settle(&self) {
        let mut orders = locked(&self.orders, Lock::Orders);
        orders.asked += 1;
        let mine = orders.asked;
        self.bell.notify_one();
        while orders.answered < mine && !orders.stop {
            orders = self.settled.wait(orders).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// For orders that are given once, as a flag records.
    fn lock(&self) -> MutexGuard<'_, Orders> {
        locked_surely(&self.orders)
    }

    /// Blocks until there is work, and takes the orders. Does not return before `rested` for a deadline that is not reached yet.
    fn wait(&self, clock: &dyn Clock, timers: &Timers, rested: Nanoseconds) -> Orders {
        let mut orders = locked(&self.orders, Lock::Orders);
        let next = timers.next_deadline();
        let next = next.map(|at| if at > clock.now() { at.max(rested) } else { at });
        loop {
            if orders.stop || orders.is_any() {
                break;
            }
            match clock.wait_for(next) {
                Wait::Ready => break,
                Wait::AtMost(rest) => {
                    orders.is_asleep = true;
                    orders = self
                        .bell
                        .wait_timeout(orders, rest)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
                Wait::ForBell => {
                    orders.answered = orders.asked;
                    self.settled.notify_all();
                    orders.is_asleep = true;
                    orders = self.bell.wait(orders).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        orders.is_asleep = false;
        Orders {
            starts: std::mem::take(&mut orders.starts),
            cancels: std::mem::take(&mut orders.cancels),
            wakes: std::mem::take(&mut orders.wakes),
            stop: orders.stop,
            ..Orders::default()
        }
    }
}

/// The worker's own state, on the worker's thread.
pub(crate) struct Worker {
    inbox: Arc<Inbox>,
    clock: Arc<dyn Clock>,
    running: HashMap<u64, Running>,
    timers: Timers,
    /// The time until which it sleeps instead of meeting a single deadline.
    rested: Nanoseconds,
    held_up: HeldUp,
    io: Arc<Io>,
}

impl Worker {
    pub(crate) fn new(inbox: Arc<Inbox>, clock: Arc<dyn Clock>, io: Arc<Io>) -> Self {
        Self {
            inbox,
            clock,
            running: HashMap::new(),
            timers: Timers::default(),
            rested: 0,
            held_up: HeldUp::default(),
            io,
        }
    }

    /// Works until the inbox orders a stop, then releases the remaining jobs.
    pub(crate) fn run(mut self) {
        loop {
            // Panics of jobs and listeners are caught where they are called. This catches the rest, such as a panic of the host's
            // log function: an ended thread would leave sessions that are never released.
            match catch_unwind(AssertUnwindSafe(|| self.turn())) {
                Ok(true) => {}
                Ok(false) => break,
                Err(payload) => {
                    let message = into_panic_message(payload);
                    for running in self.running.values() {
                        running.poison.store(true, Ordering::Release);
                    }
                    self.release_all(&Release::Panicked(message));
                }
            }
        }
        self.release_all(&Release::Cancelled);
        self.inbox.settled.notify_all();
    }

    /// Takes orders and does due work. Returns whether to continue.
    fn turn(&mut self) -> bool {
        let orders = self.inbox.wait(&*self.clock, &self.timers, self.rested);
        let now = self.clock.now();
        self.rested = now.saturating_add(self.clock.shortest_sleep());
        let is_last = orders.stop;
        self.take(orders);
        if is_last {
            return false;
        }
        self.poll_due();
        if let Some((jobs, lag)) = self.held_up.take() {
            let lag_ms = lag / 1_000_000;
            logged(|| tracing::warn!(jobs, lag_ms, "engines were held up and continue from now"));
        }
        true
    }

    /// Carries out orders; started and woken jobs are due.
    fn take(&mut self, orders: Orders) {
        let now = self.clock.now();
        for mut running in orders.starts {
            let key = running.session.key();
            self.timers.set(&mut running.timer, now, key);
            self.running.insert(key, running);
        }
        for key in orders.cancels {
            self.release(key, Release::Cancelled);
        }
        for key in orders.wakes {
            if let Some(running) = self.running.get_mut(&key) {
                running.session.take_wake();
                self.timers.set(&mut running.timer, now, key);
            }
        }
    }

    fn release_all(&mut self, release: &Release) {
        let keys: Vec<u64> = self.running.keys().copied().collect();
        for key in keys {
            self.release(key, release.clone());
        }
    }

    /// Polls the due jobs: each at most once, so that orders are seen between two polls of a busy job.
    fn poll_due(&mut self) {
        let now = self.clock.now();
        let mut due = Vec::new();
        while let Some(key) = self.timers.pop_due(now) {
            due.push(key);
        }
        for key in due {
            let Some(running) = self.running.get_mut(&key) else {
                continue;
            };
            running.timer = None;
            if running.session.is_cancelled() {
                // The order to release it is in the inbox or on its way there.
                continue;
            }
            let context = PollContext {
                clock: &*self.clock,
                session: &running.session,
                held_up: &self.held_up,
                io: &self.io,
            };
            let poll = || {
                #[cfg(feature = "faults")]
                crate::faults::worker_point();
                running.job.poll(&context)
            };
            match catch_unwind(AssertUnwindSafe(poll)) {
                Ok(Step::At(deadline)) => self.timers.set(&mut running.timer, deadline, key),
                Ok(Step::Wait) => {}
                Ok(Step::End) => self.release(key, Release::Ended),
                Ok(Step::Fail(reason)) => self.release(key, Release::Failed(reason)),
                Err(payload) => {
                    running.poison.store(true, Ordering::Release);
                    let message = into_panic_message(payload);
                    self.release(key, Release::Panicked(message));
                }
            }
        }
    }

    /// Removes the job and releases it. The only place that does: a job is there once, so it is released once.
    fn release(&mut self, key: u64, release: Release) {
        let Some(Running {
            session,
            job,
            mut timer,
            ..
        }) = self.running.remove(&key)
        else {
            return;
        };
        self.timers.clear(&mut timer);
        #[cfg(feature = "faults")]
        let inbox = self.inbox.clone();
        #[cfg(feature = "faults")]
        let _held = crate::faults::is_active(crate::faults::Fault::LockHeld).then(|| inbox.lock());
        logged(|| tracing::debug!(session = key, ?release, "session released"));
        session.set_released();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| job.release(release))) {
            let message = into_panic_message(payload);
            logged(|| tracing::error!(session = key, message, "a listener panicked in its release"));
        }
    }
}

/// Writes to the log. A subscriber that panics must not prevent a listener's release, nor end the worker.
pub(crate) fn logged(log: impl FnOnce()) {
    drop(catch_unwind(AssertUnwindSafe(log)).map_err(into_panic_message));
}

#[cfg(test)]
mod tests;
