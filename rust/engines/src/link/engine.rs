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
use std::sync::{Arc, Mutex};

/// A member of a session.
///
/// It takes part from [`enable`](Self::enable) to [`disable`](Self::disable); its beats go on before and after. Dropping it leaves.
/// Any thread may call it at any time.
pub struct Link {
    sessions: Sessions,
    /// Of the job that a manual runtime has instead of a thread.
    jobs: Sessions,
    runtime: Arc<Runtime>,
    driver: Arc<Mutex<Driver>>,
    running: Mutex<Option<Running>>,
    reader: LinkReader,
    clock: HostClock,
    /// The process whose member it is: a fork, which has its sockets, does not leave for it.
    process: u32,
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
            port: PORT,
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
            process: std::process::id(),
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
        self.sessions.admit()?;
        let mut running = locked_surely(&self.running);
        if running.is_some() {
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
        if self.process != std::process::id() {
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
        self.disable();
        self.sessions.shut_down();
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
        self.act(|node, now, output| node.set_tempo(now, tempo, at, output));
    }

    /// Starts or stops at a host time; for all, if starts and stops are shared.
    pub fn set_playing(&self, is_playing: bool, at: HostTime) {
        self.act(|node, now, output| node.set_playing(now, is_playing, at, output));
    }

    /// Whether starts and stops are shared from now on.
    pub fn set_follows_start_stop(&self, follows: bool) {
        self.act(|node, _, output| node.set_follows_start_stop(follows, output));
    }

    /// Another quantum.
    pub fn set_quantum(&self, quantum: Quantum) {
        self.act(|node, now, output| node.set_quantum(now, quantum, output));
    }

    /// Counts a beat at a host time, or with peers at the next one whose phase fits; returns that time.
    pub fn request_beat(&self, beat: Beats, at: HostTime) -> HostTime {
        self.act(|node, now, output| node.request_beat(now, beat, at, output))
    }

    /// Counts a beat at a host time, and moves the phase of everybody in the session.
    pub fn force_beat(&self, beat: Beats, at: HostTime) {
        self.act(|node, now, output| node.force_beat(now, beat, at, output));
    }

    fn act<T>(&self, call: impl FnOnce(&mut Node, HostTime, &mut Output) -> T) -> T {
        let result = locked_surely(&self.driver).act(call);
        if let Some(running) = &*locked_surely(&self.running) {
            running.wake();
        }
        result
    }

    /// The counts so far.
    pub fn counts(&self) -> LinkCounts {
        locked_surely(&self.driver).counts()
    }

    /// The addresses by which it sends and hears.
    pub fn gateways(&self) -> Vec<LinkGateway> {
        locked_surely(&self.driver).gateways()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.disable();
    }
}
