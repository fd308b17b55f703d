//! Members of sessions.

use super::board::LinkReader;
use super::configuration::LinkConfiguration;
use super::driver::Driver;
use super::error::LinkError;
use super::events::{EventsJob, LinkEvent};
use super::figures::{LinkCounts, LinkGateway};
use super::host_clock::HostClock;
use super::network::{Network, UdpNetwork};
use super::running::{LinkJob, Running};
use crate::engine::{Sessions, StartError};
use crate::listeners::Waiting;
use crate::lock::locked_surely;
use crate::outlet::{Delivery, LaneSession};
use crate::runtime::{Runtime, RuntimeError};
use crate::session::Session;
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo};
use rustle_tempo::link::{Node, Output, PORT, Snapshot};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// A member of a session.
///
/// It takes part from [`enable`](Self::enable) to [`disable`](Self::disable); its beats go on before and after. Dropping it leaves.
/// Any thread may call it at any time. A fork of the process in which it was enabled first has its sockets but not its thread: there it
/// starts nothing, and calls that change, count or leave do nothing, without an error; what is read is the state of before the fork.
pub struct Link {
    sessions: Sessions,
    /// Of the job that a manual runtime has instead of a thread.
    jobs: Sessions,
    runtime: Arc<Runtime>,
    pub(super) driver: Arc<Mutex<Driver>>,
    pub(super) running: Mutex<Option<Running>>,
    reader: LinkReader,
    clock: HostClock,
    /// The process in which it was enabled first; 0 before.
    process: AtomicU32,
}

impl Link {
    /// A member on a runtime of the caller's. Nothing is opened. On a manual runtime, the runtime's clock is the host's.
    pub fn on(runtime: Arc<Runtime>, configuration: LinkConfiguration) -> Self {
        let clock = match runtime.is_manual() {
            true => HostClock::of_runtime(runtime.shared_clock(), 0, 0),
            false => HostClock::of_system(),
        };
        let network = UdpNetwork {
            clock: runtime.shared_clock(),
            port: configuration.port.unwrap_or(PORT),
        };
        Self::over(runtime, configuration, Box::new(network), clock)
    }

    pub(super) fn over(
        runtime: Arc<Runtime>,
        configuration: LinkConfiguration,
        network: Box<dyn Network>,
        clock: HostClock,
    ) -> Self {
        let driver = Driver::new(configuration, network, clock.clone(), rand::random());
        Self {
            sessions: Sessions::new(runtime.clone()),
            jobs: Sessions::new(runtime.clone()),
            runtime,
            reader: LinkReader::new(driver.board.clone()),
            driver: Arc::new(Mutex::new(driver)),
            running: Mutex::new(None),
            clock,
            process: AtomicU32::new(0),
        }
    }

    /// Checks that this is the process in which it was enabled, or that it never was. Takes no lock: one that was held during the fork is
    /// never released there.
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

    /// The sessions that were started.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Starts a session: the present state, and then each change.
    ///
    /// # Errors
    /// [`StartError`]; the listener or the bell is dropped then without a call.
    pub fn start(&self, delivery: Delivery<LinkEvent>) -> Result<LaneSession<LinkEvent>, StartError> {
        self.check_process().map_err(StartError::Runtime)?;
        let waiting = Arc::default();
        let of_job = Arc::clone(&waiting);
        let session = self.sessions.start_delivering(delivery, 1, |outlet| {
            Box::new(EventsJob {
                waiting: of_job,
                outlet,
                taken: Vec::new(),
                sequence: 0,
            })
        })?;
        let mut driver = locked_surely(&self.driver);
        let state = LinkEvent {
            sequence: 0,
            host: self.clock.now(),
            change: None,
            snapshot: driver.node.snapshot(),
        };
        driver
            .listeners
            .add(session.session().clone(), waiting, Some(state));
        Ok(session)
    }

    /// Leaves the changes from now on for a session of another engine.
    pub(crate) fn listen(&self, session: Session, waiting: Arc<Mutex<Waiting<LinkEvent>>>) {
        locked_surely(&self.driver).listeners.add(session, waiting, None);
    }

    /// Takes part in sessions: opens the sockets of the interfaces, and says that it is there. Idempotent.
    ///
    /// # Errors
    /// [`LinkError`]; nothing is open then.
    pub fn enable(&self) -> Result<(), LinkError> {
        self.check_process().map_err(StartError::Runtime)?;
        self.process.store(std::process::id(), Ordering::Release);
        let mut running = locked_surely(&self.running);
        // Under the lock, so that what shuts down at the same time leaves after this.
        self.sessions.admit()?;
        if running.as_ref().is_some_and(Running::goes_on) {
            return Ok(());
        }
        let enabled = locked_surely(&self.driver).enable();
        let started = enabled.and_then(|()| self.run());
        if started.is_err() {
            locked_surely(&self.driver).disable();
        }
        *running = Some(started?);
        Ok(())
    }

    fn run(&self) -> Result<Running, LinkError> {
        let driver = self.driver.clone();
        if self.runtime.is_manual() {
            let session = self.jobs.start(|| Box::new(LinkJob(driver)))?;
            return Ok(Running::Job(session));
        }
        let thread = Running::thread(driver).map_err(RuntimeError::Thread);
        Ok(thread.map_err(StartError::Runtime)?)
    }

    /// Leaves: that it does is sent when this returns, and the sockets are closed. Beats go on. Idempotent.
    pub fn disable(&self) {
        if self.check_process().is_err() {
            return;
        }
        let mut running = locked_surely(&self.running);
        if let Some(running) = running.take() {
            locked_surely(&self.driver).disable();
            running.end();
        }
    }

    /// Leaves, ends all sessions, and refuses later ones. Idempotent.
    pub fn shut_down(&self) {
        self.sessions.shut_down();
        self.disable();
    }

    /// Whether it takes part.
    pub fn is_enabled(&self) -> bool {
        self.snapshot().is_enabled
    }

    /// The present state, without a lock: realtime-safe.
    pub fn snapshot(&self) -> Snapshot {
        self.reader.snapshot()
    }

    /// A reader of beats for other threads.
    pub fn reader(&self) -> LinkReader {
        self.reader.clone()
    }

    /// The present host time: realtime-safe on the system's clock.
    pub fn host_now(&self) -> HostTime {
        self.clock.now()
    }

    /// The clock of host times.
    pub(crate) fn host_clock(&self) -> HostClock {
        self.clock.clone()
    }

    /// Changes the tempo for all, with the beat at a host time unchanged.
    pub fn set_tempo(&self, tempo: Tempo, at: HostTime) {
        self.act((), |node, now, output| node.set_tempo(now, tempo, at, output));
    }

    /// Starts or stops at a host time; for all, if starts and stops are shared.
    pub fn set_playing(&self, is_playing: bool, at: HostTime) {
        self.act((), |node, now, output| {
            node.set_playing(now, is_playing, at, output)
        });
    }

    /// Whether starts and stops are shared from now on.
    pub fn set_follows_start_stop(&self, follows: bool) {
        self.act((), |node, _, output| node.set_follows_start_stop(follows, output));
    }

    /// Another quantum.
    pub fn set_quantum(&self, quantum: Quantum) {
        self.act((), |node, now, output| node.set_quantum(now, quantum, output));
    }

    /// Counts a beat at a host time, or with peers at the next one whose phase fits; returns that time.
    pub fn request_beat(&self, beat: Beats, at: HostTime) -> HostTime {
        self.act(at, |node, now, output| node.request_beat(now, beat, at, output))
    }

    /// Counts a beat at a host time, and moves the phase of everybody in the session.
    pub fn force_beat(&self, beat: Beats, at: HostTime) {
        self.act((), |node, now, output| node.force_beat(now, beat, at, output));
    }

    /// Calls the node; in a fork returns `otherwise`.
    fn act<T>(&self, otherwise: T, call: impl FnOnce(&mut Node, HostTime, &mut Output) -> T) -> T {
        if self.check_process().is_err() {
            return otherwise;
        }
        let result = locked_surely(&self.driver).act(call);
        if let Some(running) = &*locked_surely(&self.running) {
            running.wake();
        }
        result
    }

    /// The counts so far.
    pub fn counts(&self) -> LinkCounts {
        match self.check_process() {
            Ok(()) => locked_surely(&self.driver).counts(),
            Err(_) => LinkCounts::default(),
        }
    }

    /// The addresses by which it sends and hears.
    pub fn gateways(&self) -> Vec<LinkGateway> {
        match self.check_process() {
            Ok(()) => locked_surely(&self.driver).gateways(),
            Err(_) => Vec::new(),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.disable();
    }
}
