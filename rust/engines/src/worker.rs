//! One thread of the runtime: it takes orders from its inbox and polls the jobs that are due.

use crate::clock::{Clock, Wait};
use crate::job::{Job, PollContext, Release, Step};
use crate::panic_text::into_panic_message;
use crate::session::Session;
use crate::timers::Timers;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A job that runs, or is about to.
pub(crate) struct Running {
    pub(crate) session: Session,
    pub(crate) job: Box<dyn Job>,
    /// Set before the release when the job panics: the engine that it belongs to is unsound from then on.
    pub(crate) poison: Arc<AtomicBool>,
}

/// Orders for a worker, from any thread. Its lock is held for a few instructions only and never while calling out.
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
    /// Raised whenever the caller wants to know that everything up to now is done.
    asked: u64,
    /// The last `asked` for which that was so.
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
        self.lock().starts.push(running);
        self.bell.notify_one();
    }

    pub(crate) fn cancel(&self, key: u64) {
        self.lock().cancels.push(key);
        self.bell.notify_one();
    }

    pub(crate) fn wake(&self, key: u64) {
        self.lock().wakes.push(key);
        self.bell.notify_one();
    }

    pub(crate) fn stop(&self) {
        self.lock().stop = true;
        self.bell.notify_one();
    }

    /// Waits until the worker has done all that is due and ordered by now. Not to be called on the worker's own thread.
    pub(crate) fn settle(&self) {
        let mut orders = self.lock();
        orders.asked += 1;
        let mine = orders.asked;
        self.bell.notify_one();
        while orders.answered < mine && !orders.stop {
            orders = self.settled.wait(orders).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks until there is something to do; takes the orders.
    fn wait(&self, clock: &dyn Clock, timers: &Timers) -> Orders {
        let mut orders = self.lock();
        loop {
            if orders.stop || orders.is_any() {
                break;
            }
            match clock.wait_for(timers.next_deadline()) {
                Wait::Ready => break,
                Wait::AtMost(rest) => {
                    orders = self
                        .bell
                        .wait_timeout(orders, rest)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
                Wait::ForBell => {
                    orders.answered = orders.asked;
                    self.settled.notify_all();
                    orders = self.bell.wait(orders).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        Orders {
            starts: std::mem::take(&mut orders.starts),
            cancels: std::mem::take(&mut orders.cancels),
            wakes: std::mem::take(&mut orders.wakes),
            stop: orders.stop,
            ..Orders::default()
        }
    }
}

/// The worker's own state; it lives on the worker's thread.
pub(crate) struct Worker {
    inbox: Arc<Inbox>,
    clock: Arc<dyn Clock>,
    running: HashMap<u64, Running>,
    timers: Timers,
}

impl Worker {
    pub(crate) fn new(inbox: Arc<Inbox>, clock: Arc<dyn Clock>) -> Self {
        Self {
            inbox,
            clock,
            running: HashMap::new(),
            timers: Timers::default(),
        }
    }

    /// Works until the inbox says stop, then releases what is left.
    pub(crate) fn run(mut self) {
        loop {
            // What a job or a listener does wrong is caught where it is called. This is for the rest, a log function of the
            // host among it: a thread that ended would leave sessions that are never released.
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

    /// Takes orders and does what is due. Returns whether to go on.
    fn turn(&mut self) -> bool {
        let orders = self.inbox.wait(&*self.clock, &self.timers);
        let now = self.clock.now();
        for running in orders.starts {
            let key = running.session.key();
            self.running.insert(key, running);
            self.timers.push(now, key);
        }
        for key in orders.cancels {
            self.release(key, Release::Cancelled);
        }
        for key in orders.wakes {
            if let Some(running) = self.running.get(&key) {
                running.session.take_wake();
                self.timers.push(now, key);
            }
        }
        if orders.stop {
            return false;
        }
        self.forget_stale_timers();
        self.poll_due();
        true
    }

    fn release_all(&mut self, release: &Release) {
        let keys: Vec<u64> = self.running.keys().copied().collect();
        for key in keys {
            self.release(key, release.clone());
        }
    }

    /// Polls what is due now: each job at most once, so that orders are seen between two polls of a busy job.
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
            if running.session.is_cancelled() {
                // The order to release it is in the inbox or on its way there.
                continue;
            }
            let context = PollContext {
                clock: &*self.clock,
                session: &running.session,
            };
            let poll = || {
                #[cfg(feature = "faults")]
                crate::faults::worker_point();
                running.job.poll(&context)
            };
            match catch_unwind(AssertUnwindSafe(poll)) {
                Ok(Step::At(deadline)) => self.timers.push(deadline, key),
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

    /// Takes the job out and tells it that it is over. The only place that does: a job is there once, so it is told once.
    fn release(&mut self, key: u64, release: Release) {
        let Some(Running { session, job, .. }) = self.running.remove(&key) else {
            return;
        };
        #[cfg(feature = "faults")]
        let inbox = self.inbox.clone();
        #[cfg(feature = "faults")]
        let _held = crate::faults::is_active(crate::faults::Fault::LockHeld).then(|| inbox.lock());
        // A log subscriber that panics must not keep the release from the listener, nor end the worker.
        let logged = |log: &dyn Fn()| drop(catch_unwind(AssertUnwindSafe(log)).map_err(into_panic_message));
        logged(&|| tracing::debug!(session = key, ?release, "session released"));
        session.set_released();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| job.release(release))) {
            let message = into_panic_message(payload);
            logged(&|| tracing::error!(session = key, message, "a listener panicked in its release"));
        }
    }

    /// Cancelled jobs leave their timers behind. Once they outnumber the live ones they are swept, so that starting and
    /// cancelling for ever holds no memory.
    fn forget_stale_timers(&mut self) {
        if self.timers.len() > 2 * self.running.len() + 64 {
            let running = &self.running;
            self.timers.retain(|key| running.contains_key(&key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    /// Waits for an hour, fails, or panics.
    enum Doing {
        Wait,
        Fail,
        Panic,
    }

    struct Work {
        doing: Doing,
        heard: Arc<Mutex<Vec<Release>>>,
    }

    impl Job for Work {
        fn poll(&mut self, context: &PollContext<'_>) -> Step {
            match self.doing {
                Doing::Wait => Step::At(context.now() + 3_600_000_000_000),
                Doing::Fail => Step::Fail("the device is gone".to_owned()),
                Doing::Panic => panic!("on purpose"),
            }
        }

        fn release(self: Box<Self>, release: Release) {
            self.heard.lock().expect("a sound lock").push(release);
        }
    }

    struct Bench {
        worker: Worker,
        heard: Arc<Mutex<Vec<Release>>>,
        poison: Arc<AtomicBool>,
        keys: u64,
    }

    impl Bench {
        fn new() -> Self {
            let inbox = Arc::new(Inbox::new());
            Self {
                worker: Worker::new(inbox, Arc::new(ManualClock::new(0))),
                heard: Arc::default(),
                poison: Arc::default(),
                keys: 0,
            }
        }

        fn start(&mut self, doing: Doing) -> Session {
            let inbox = self.worker.inbox.clone();
            let session = Session::new(self.keys, inbox.clone());
            self.keys += 1;
            inbox.start(Running {
                session: session.clone(),
                job: Box::new(Work {
                    doing,
                    heard: self.heard.clone(),
                }),
                poison: self.poison.clone(),
            });
            session
        }

        fn heard(&self) -> Vec<Release> {
            self.heard.lock().expect("a sound lock").clone()
        }
    }

    #[test]
    fn starting_and_cancelling_for_ever_keeps_no_timers() {
        let mut bench = Bench::new();
        for _ in 0..10_000 {
            let session = bench.start(Doing::Wait);
            assert!(bench.worker.turn());
            session.cancel();
            assert!(bench.worker.turn());
        }
        assert_eq!(bench.heard().len(), 10_000);
        assert!(bench.worker.timers.len() <= 66, "{}", bench.worker.timers.len());
        assert!(bench.worker.running.is_empty());
    }

    /// A log subscriber of the host that is not fit for it.
    struct PanickingLog;

    impl tracing::Subscriber for PanickingLog {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }

        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

        fn event(&self, _: &tracing::Event<'_>) {
            panic!("a log that panics");
        }

        fn enter(&self, _: &tracing::span::Id) {}

        fn exit(&self, _: &tracing::span::Id) {}
    }

    #[test]
    fn log_that_panics_keeps_no_release_from_the_listener() {
        let mut bench = Bench::new();
        let waiting = bench.start(Doing::Wait);
        assert!(bench.worker.turn());
        waiting.cancel();
        let goes_on = tracing::subscriber::with_default(PanickingLog, || bench.worker.turn());
        assert!(goes_on);
        assert_eq!(bench.heard(), [Release::Cancelled]);
        assert!(waiting.is_released());
    }

    #[test]
    fn job_that_cannot_go_on_is_released_with_its_reason_and_poisons_nothing() {
        let mut bench = Bench::new();
        let waiting = bench.start(Doing::Wait);
        bench.start(Doing::Fail);
        assert!(bench.worker.turn());
        assert_eq!(bench.heard(), [Release::Failed("the device is gone".to_owned())]);
        assert!(!bench.poison.load(Ordering::Acquire));
        assert!(!waiting.is_released());
    }

    #[test]
    fn panic_of_one_job_leaves_the_others_running() {
        let mut bench = Bench::new();
        let waiting = bench.start(Doing::Wait);
        bench.start(Doing::Panic);
        assert!(bench.worker.turn());
        assert_eq!(bench.heard(), [Release::Panicked("on purpose".to_owned())]);
        assert!(bench.poison.load(Ordering::Acquire));
        assert!(!waiting.is_released() && !waiting.is_cancelled());
        assert_eq!(bench.worker.running.len(), 1);
    }
}
