//! The common part of all engines: their sessions, and the errors of starting one.

use crate::job::Job;
use crate::lane::{Lane, Record};
use crate::lock::{Lock, locked, locked_surely};
use crate::outlet::{Delivery, LaneSession, Outlet};
use crate::runtime::{Place, Runtime, RuntimeError};
use crate::session::Session;
use crate::worker::logged;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The error of an engine that starts no session.
#[derive(Debug)]
pub enum StartError {
    /// The engine was shut down.
    ShutDown,
    /// A session of this engine panicked earlier.
    Poisoned,
    /// The runtime has no thread for the session, or the system no memory.
    Runtime(RuntimeError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShutDown => write!(f, "the engine was shut down: make a new one"),
            Self::Poisoned => write!(
                f,
                "an internal error (a bug: please report it) ended an earlier session of this engine: create a new engine"
            ),
            Self::Runtime(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

/// The sessions of one engine. Dropping it cancels them.
pub struct Sessions {
    runtime: Arc<Runtime>,
    /// The place where all of them run; `None`: each has its own.
    place: Option<Place>,
    poison: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    shut_down: bool,
    started: Vec<Session>,
}

impl Sessions {
    /// No sessions yet, on `runtime`.
    pub(crate) fn new(runtime: Arc<Runtime>) -> Self {
        Self {
            runtime,
            place: None,
            poison: Arc::new(AtomicBool::new(false)),
            state: Mutex::new(State::default()),
        }
    }

    /// The same sessions, all at one place.
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// The same sessions, for an engine whose other work sets `poison` when it panics.
    pub(crate) fn sharing(mut self, poison: Arc<AtomicBool>) -> Self {
        self.poison = poison;
        self
    }

    /// Starts a job. `make` is called only once a thread is certain, with this engine locked: it must make no callbacks.
    ///
    /// # Errors
    /// [`StartError`]; nothing is consumed then.
    pub(crate) fn start(&self, make: impl FnOnce() -> Box<dyn Job>) -> Result<Session, StartError> {
        self.check_process()?;
        let session = {
            let mut state = self.state();
            self.check(&state)?;
            #[cfg(feature = "faults")]
            let make = || {
                crate::faults::point("a start, with the engine locked");
                crate::faults::armed(make())
            };
            let place = self.place.unwrap_or_else(|| self.runtime.place());
            let session = self.runtime.start(place, self.poison.clone(), make);
            let session = session.map_err(StartError::Runtime)?;
            // Bounded here, so that repeated starts and cancellations hold no memory.
            state.started.retain(|session| !session.is_released());
            state.started.push(session.clone());
            session
        };
        // A log function is the host's code, which may call this engine, and may panic though the session is started.
        logged(|| tracing::debug!(session = session.key(), "session started"));
        Ok(session)
    }

    /// Starts a job that delivers its records to an outlet, with `keys` different keys.
    ///
    /// # Errors
    /// As [`start`](Self::start); the listener or the bell is dropped then without a call.
    pub(crate) fn start_delivering<T: Record + 'static>(
        &self,
        delivery: Delivery<T>,
        keys: usize,
        make: impl FnOnce(Outlet<T>) -> Box<dyn Job>,
    ) -> Result<LaneSession<T>, StartError> {
        let (lane, outlet) = match delivery {
            Delivery::Push(listener) => (None, Outlet::Push(listener)),
            Delivery::Pull(overflow, capacity, bell) => {
                let lane = Arc::new(Lane::new(overflow, capacity.0, keys)?);
                (Some(lane.clone()), Outlet::Pull { lane, bell })
            }
        };
        let session = self.start(|| make(outlet))?;
        Ok(LaneSession::new(session, lane))
    }

    /// Requests a poll of every session soon; see [`Session::wake`].
    pub fn wake(&self) {
        if self.check_process().is_ok() {
            self.state().started.iter().for_each(Session::wake);
        }
    }

    /// Whether a session would be started, for an engine that does something else before it starts one.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub(crate) fn admit(&self) -> Result<(), StartError> {
        self.check_process()?;
        self.check(&self.state())
    }

    /// Checks that the sessions' threads are in this process; takes no lock.
    ///
    /// # Errors
    /// [`StartError::Runtime`].
    pub(crate) fn check_process(&self) -> Result<(), StartError> {
        self.runtime.check_process().map_err(StartError::Runtime)
    }

    fn check(&self, state: &State) -> Result<(), StartError> {
        if state.shut_down {
            Err(StartError::ShutDown)
        } else if self.poison.load(Ordering::Acquire) {
            Err(StartError::Poisoned)
        } else {
            Ok(())
        }
    }

    /// Cancels every session. Idempotent; later starts succeed.
    pub fn cancel(&self) {
        // A fork has nothing to cancel, and may have locks that are never released.
        if self.check_process().is_err() {
            return;
        }
        for session in std::mem::take(&mut self.state().started) {
            session.cancel();
        }
    }

    /// Cancels every session and refuses later starts. Idempotent.
    pub fn shut_down(&self) {
        if self.check_process().is_err() {
            return;
        }
        self.state().shut_down = true;
        self.cancel();
    }

    /// Whether the engine starts no more sessions.
    pub(crate) fn is_shut_down(&self) -> bool {
        self.state().shut_down
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state, Lock::Sessions)
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        if self.check_process().is_ok() {
            let started = std::mem::take(&mut locked_surely(&self.state).started);
            started.iter().for_each(Session::cancel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{PollContext, Release, Step};
    use std::time::Duration;

    /// Waits for an hour at a time.
    struct Sleeper;

    impl Job for Sleeper {
        fn poll(&mut self, context: &PollContext<'_>) -> Step {
            Step::At(context.now() + 3_600_000_000_000)
        }
        fn release(self: Box<Self>, _: Release) {}
    }

    #[test]
    fn starting_and_cancelling_for_ever_keeps_no_sessions() {
        let runtime = Arc::new(Runtime::manual(0));
        let sessions = Sessions::new(runtime.clone());
        for _ in 0..1_000 {
            let session = sessions.start(|| Box::new(Sleeper)).expect("started");
            session.cancel();
            runtime.advance(Duration::ZERO);
            assert!(session.is_released());
        }
        assert_eq!(sessions.state().started.len(), 1);
    }

    #[test]
    fn dropped_engine_cancels_its_sessions() {
        let runtime = Arc::new(Runtime::manual(0));
        let sessions = Sessions::new(runtime.clone());
        let session = sessions.start(|| Box::new(Sleeper)).expect("started");
        drop(sessions);
        runtime.advance(Duration::ZERO);
        assert!(session.is_released());
    }

    #[test]
    fn session_begins_at_the_time_that_a_clock_was_moved_to_before_the_first_one() {
        struct Notes(std::sync::mpsc::Sender<u64>);
        impl Job for Notes {
            fn poll(&mut self, context: &PollContext<'_>) -> Step {
                self.0.send(context.now()).expect("the test listens");
                Step::End
            }
            fn release(self: Box<Self>, _: Release) {}
        }
        let runtime = Arc::new(Runtime::manual(0));
        runtime.advance(Duration::from_secs(10));
        let (sender, times) = std::sync::mpsc::channel();
        let sessions = Sessions::new(runtime.clone());
        sessions.start(|| Box::new(Notes(sender))).expect("started");
        runtime.advance(Duration::ZERO);
        assert_eq!(times.recv(), Ok(10_000_000_000));
    }

    #[test]
    fn detached_runtime_is_dropped_under_a_lock_that_its_listener_takes() {
        struct Locks(Arc<Mutex<()>>, std::sync::mpsc::Sender<()>);
        impl Job for Locks {
            fn poll(&mut self, context: &PollContext<'_>) -> Step {
                Step::At(context.now() + 1_000_000_000)
            }
            fn release(self: Box<Self>, _: Release) {
                let _held = self.0.lock().expect("a sound lock");
                self.1.send(()).expect("the test listens");
            }
        }
        let (lock, (sender, released)) = (Arc::new(Mutex::new(())), std::sync::mpsc::channel());
        let runtime = Arc::new(Runtime::manual(0));
        let sessions = Sessions::new(runtime.clone());
        let job = Locks(lock.clone(), sender);
        sessions.start(|| Box::new(job)).expect("started");
        runtime.advance(Duration::ZERO);
        runtime.detach();
        drop(runtime);
        {
            let _held = lock.lock().expect("a sound lock");
            drop(sessions);
        }
        assert_eq!(released.recv(), Ok(()));
    }

    #[test]
    fn engine_that_was_shut_down_starts_nothing() {
        let sessions = Sessions::new(Arc::new(Runtime::manual(0)));
        sessions.shut_down();
        assert!(matches!(
            sessions.start(|| Box::new(Sleeper)),
            Err(StartError::ShutDown)
        ));
    }
}
