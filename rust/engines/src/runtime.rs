//! The threads that all engines share.

use crate::clock::{Clock, ManualClock, SystemClock};
use crate::io::Io;
use crate::job::Job;
use crate::lock::{Lock, locked, locked_surely};
use crate::session::Session;
use crate::worker::{Inbox, Running, Worker};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{JoinHandle, ThreadId};
use std::time::Duration;

/// The most threads of the shared runtime. Jobs mostly wait: few threads serve tens of thousands of them.
const MOST_WORKERS: usize = 4;

/// A few threads that run the jobs of any number of engines.
///
/// Engines use [`Runtime::shared`]; [`Runtime::manual`] makes one whose time a test moves. Dropping any other runtime releases
/// its jobs as cancelled and joins its threads, unless it was [detached](Runtime::detach).
pub struct Runtime {
    clock: Arc<dyn Clock>,
    manual: Option<Arc<ManualClock>>,
    threads: Mutex<Vec<Thread>>,
    width: usize,
    keys: AtomicU64,
    places: AtomicUsize,
    /// Whether dropping it does not wait for its threads.
    detached: AtomicBool,
    /// The process that its threads are in; 0 before there are any.
    process: AtomicU32,
    /// The sockets of its jobs.
    io: Arc<Io>,
}

/// The place where jobs run: see [`Runtime::place`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(usize);

struct Thread {
    inbox: Arc<Inbox>,
    id: ThreadId,
    handle: JoinHandle<()>,
}

/// The error of a runtime that starts no job.
#[derive(Debug)]
pub enum RuntimeError {
    /// The system has no thread. A retry may succeed once the process has fewer of them.
    Thread(std::io::Error),
    /// The process is a fork of the one in which the runtime's threads are. A retry does not help, but `exec` does.
    Forked {
        /// The number of the process that has the threads.
        threads_in: u32,
        /// The number of this process.
        got: u32,
    },
    /// The system has no memory for the size that an argument asks for. A retry may succeed with a smaller one.
    Memory {
        /// The argument.
        argument: &'static str,
        /// The size of the allocation that failed.
        bytes: usize,
    },
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(error) => write!(f, "expected to start a worker thread, got: {error}"),
            Self::Forked { threads_in, got } => write!(
                f,
                "expected a call in process {threads_in}, which has the engines' threads, got one in process {got}, a fork of it"
            ),
            Self::Memory { argument, bytes } => {
                write!(
                    f,
                    "{argument}: expected at most the memory that is free, got {bytes} bytes"
                )
            }
        }
    }
}

impl std::error::Error for RuntimeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Thread(error) => Some(error),
            Self::Forked { .. } | Self::Memory { .. } => None,
        }
    }
}

impl Runtime {
    /// The runtime of the process: one thread per core, at most four, each started when it is first needed.
    pub fn shared() -> &'static Arc<Self> {
        static SHARED: OnceLock<Arc<Runtime>> = OnceLock::new();
        SHARED.get_or_init(|| {
            let width = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MOST_WORKERS));
            Arc::new(Self::with(Arc::new(SystemClock::new()), None, width))
        })
    }

    /// A runtime of one thread whose time stands still until [`advance`](Runtime::advance). Its calendar starts at
    /// `wall_ms` milliseconds since 1970-01-01T00:00:00Z.
    pub fn manual(wall_ms: i64) -> Self {
        let clock = Arc::new(ManualClock::new(wall_ms));
        Self::with(clock.clone(), Some(clock), 1)
    }

    fn with(clock: Arc<dyn Clock>, manual: Option<Arc<ManualClock>>, width: usize) -> Self {
        Self {
            clock,
            manual,
            threads: Mutex::new(Vec::new()),
            width,
            keys: AtomicU64::new(0),
            places: AtomicUsize::new(0),
            detached: AtomicBool::new(false),
            process: AtomicU32::new(0),
            io: Arc::default(),
        }
    }

    /// Checks that this process has the runtime's threads, or may have them. Takes no lock: one that was held during the fork is
    /// never released in the child.
    ///
    /// # Errors
    /// [`RuntimeError::Forked`].
    pub fn check_process(&self) -> Result<(), RuntimeError> {
        let threads_in = self.process.load(Ordering::Acquire);
        let got = std::process::id();
        if threads_in == 0 || threads_in == got {
            Ok(())
        } else {
            Err(RuntimeError::Forked { threads_in, got })
        }
    }

    /// A place for jobs that wake each other: jobs at one place share a thread, with others there too. Places are assigned to the
    /// threads in turn.
    pub(crate) fn place(&self) -> Place {
        Place(self.places.fetch_add(1, Ordering::Relaxed))
    }

    /// Starts a job. `make` is called only once a thread is certain, so that a failed start consumes nothing.
    ///
    /// A panic of the job sets `poison` before the job is released.
    ///
    /// # Errors
    /// [`RuntimeError`].
    pub(crate) fn start(
        &self,
        Place(place): Place,
        poison: Arc<AtomicBool>,
        make: impl FnOnce() -> Box<dyn Job>,
    ) -> Result<Session, RuntimeError> {
        self.check_process()?;
        let key = self.keys.fetch_add(1, Ordering::Relaxed);
        let inbox = self.inbox(place % self.width)?;
        let session = Session::new(key, inbox.clone());
        inbox.start(Running {
            session: session.clone(),
            job: make(),
            poison,
            timer: None,
        });
        Ok(session)
    }

    /// Advances a manual runtime's time by `by`, stopping at each deadline on the way, and returns when every job has done its
    /// due work. From a listener, which runs on the worker itself, it returns at once and the work follows. On a runtime with the
    /// system's clock, and in a fork of the process that has its threads, it has no effect.
    pub fn advance(&self, by: Duration) {
        let Some(clock) = &self.manual else { return };
        if self.check_process().is_err() {
            return;
        }
        clock.extend(by);
        let inboxes: Vec<(Arc<Inbox>, ThreadId)> = {
            let threads = locked(&self.threads, Lock::Threads);
            threads
                .iter()
                .map(|thread| (thread.inbox.clone(), thread.id))
                .collect()
        };
        if inboxes.is_empty() {
            clock.arrive();
        }
        let here = std::thread::current().id();
        for (inbox, thread) in inboxes {
            if thread != here {
                inbox.settle();
            }
        }
    }

    /// A runtime of the system's clock, with this many threads.
    #[cfg(test)]
    pub(crate) fn of_system(width: usize) -> Self {
        Self::with(Arc::new(SystemClock::new()), None, width)
    }

    /// The sockets of its jobs.
    #[cfg(test)]
    pub(crate) fn io(&self) -> &Io {
        &self.io
    }

    /// Sets the clock of a manual runtime, and then does the due work.
    #[cfg(test)]
    pub(crate) fn set(&self, set: impl FnOnce(&ManualClock)) {
        set(self.manual.as_ref().expect("a manual runtime"));
        self.advance(Duration::ZERO);
    }

    /// The time of the runtime's clock.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// The runtime's clock, for a thread of its own.
    pub(crate) fn shared_clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// Whether a caller moves the time.
    pub(crate) fn is_manual(&self) -> bool {
        self.manual.is_some()
    }

    /// Detaches the threads: dropping this runtime no longer waits for them. For an owner that drops it while others, who may
    /// drop it under a lock that a listener takes, still hold it.
    pub fn detach(&self) {
        self.detached.store(true, Ordering::Release);
    }

    /// The thread's name in the system, at most 15 bytes on Linux.
    fn thread_name(&self, index: usize) -> String {
        let kind = if self.manual.is_some() { "manual-" } else { "" };
        format!("rustle-{kind}{index}")
    }

    /// The inbox of the worker at `index`, which is started if necessary.
    fn inbox(&self, index: usize) -> Result<Arc<Inbox>, RuntimeError> {
        let mut threads = locked(&self.threads, Lock::Threads);
        // Places count up, so that threads are started in order; concurrent calls may arrive in another one.
        while threads.len() <= index {
            self.process.store(std::process::id(), Ordering::Release);
            let inbox = Arc::new(Inbox::new());
            let worker = Worker::new(inbox.clone(), self.clock.clone(), self.io.clone());
            let handle = std::thread::Builder::new()
                .name(self.thread_name(threads.len()))
                .spawn(move || worker.run())
                .map_err(RuntimeError::Thread)?;
            threads.push(Thread {
                inbox,
                id: handle.thread().id(),
                handle,
            });
        }
        Ok(threads[index].inbox.clone())
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if self.check_process().is_err() {
            // There are no threads here that could answer or end.
            return;
        }
        let threads = std::mem::take(&mut *locked_surely(&self.threads));
        let here = std::thread::current().id();
        let detached = self.detached.load(Ordering::Acquire);
        for thread in threads {
            thread.inbox.stop();
            if detached {
                continue;
            }
            // A listener may hold the last reference: a thread cannot join itself, it ends after the listener returns.
            if thread.id != here && thread.handle.join().is_err() {
                tracing::error!("a worker thread ended by a panic");
            }
        }
        self.io.stop(!detached);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{PollContext, Release, Step};
    use std::sync::mpsc::{Sender, channel};

    /// A job that reports the thread that polls it.
    struct Reports(Sender<ThreadId>);

    impl Job for Reports {
        fn poll(&mut self, _: &PollContext<'_>) -> Step {
            self.0
                .send(std::thread::current().id())
                .expect("the test listens");
            Step::End
        }

        fn release(self: Box<Self>, _: Release) {}
    }

    #[test]
    fn jobs_at_one_place_share_a_thread_and_places_take_turns() {
        let runtime = Runtime::of_system(2);
        let places = [runtime.place(), runtime.place()];
        let threads = places.map(|place| {
            let (sender, threads) = channel();
            for _ in 0..3 {
                let job = Reports(sender.clone());
                runtime
                    .start(place, Arc::default(), || Box::new(job))
                    .expect("started");
            }
            [(); 3].map(|()| threads.recv().expect("a thread"))
        });
        let [first, second] = threads;
        assert_eq!((first, second), ([first[0]; 3], [second[0]; 3]));
        assert_ne!(first[0], second[0]);
    }
}
