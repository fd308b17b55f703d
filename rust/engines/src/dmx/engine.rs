//! Senders: engines, and the calls of their sessions.

use super::capture::CaptureFile;
use super::configuration::{DmxConfiguration, DmxProtocol};
use super::counters::{Counters, DmxReport, DmxSentCounts};
use super::error::DmxError;
use super::following::{Following, Subscriptions};
use super::frames::Frames;
use super::job::{DmxJob, SendingThread, Work};
use super::mailbox::Mailbox;
use super::network::{DEMO_INTERFACE, Sockets};
use super::source::Source;
use super::transmission::{Shared, Sleeper, Transmission};
use super::wire::{NoWire, Wire};
use crate::clock::Clock;
use crate::engine::Sessions;
use crate::outlet::{Delivery, LaneSession};
use crate::runtime::Runtime;
use crate::session::Session;
use crate::turns::{Paced, Turns};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::{Deref, RangeInclusive};
use std::sync::Arc;

/// A sender of DMX.
///
/// A session arms it: the sockets are opened, and universes are sent from their first levels on. Each session has universes of its own,
/// which no other of the same identifier may send. A session that ends, also because the engine is dropped, sends each universe's
/// terminations and is released when they are sent.
pub struct DmxEngine {
    sessions: Sessions,
    runtime: Arc<Runtime>,
    configuration: DmxConfiguration,
    destinations: Vec<SocketAddrV4>,
}

/// A started session, and the changes of its universes. A change is sent with the next frame; one that comes while a frame begins, with
/// the one after. Changes after the end are not sent.
pub struct DmxSession {
    reports: LaneSession<DmxReport>,
    output: DmxOutput,
}

/// The levels of a session, for an engine that sends frames by it. It does not keep the session.
#[derive(Clone)]
pub struct DmxOutput {
    session: Session,
    shared: Arc<Shared>,
    is_inline: bool,
    protocol: DmxProtocol,
    frames: Frames,
    /// Those that a show sends; none: all.
    universes: Arc<[RangeInclusive<u16>]>,
    clock: Arc<dyn Clock>,
}

impl Deref for DmxSession {
    type Target = LaneSession<DmxReport>;

    fn deref(&self) -> &Self::Target {
        &self.reports
    }
}

impl DmxEngine {
    /// An engine on a runtime of the caller's. Nothing is opened.
    ///
    /// # Errors
    /// [`DmxError`] for a setting.
    pub fn on(runtime: Arc<Runtime>, configuration: DmxConfiguration) -> Result<Self, DmxError> {
        Ok(Self {
            destinations: configuration.check()?,
            sessions: Sessions::new(runtime.clone()),
            runtime,
            configuration,
        })
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Starts a session, whose records are reports: the first at once, then at the configured rate.
    ///
    /// # Errors
    /// [`DmxError`]; the listener or the bell is dropped then without a call.
    pub fn start(&self, delivery: Delivery<DmxReport>) -> Result<DmxSession, DmxError> {
        self.sessions.admit()?;
        if self.configuration.interface == DEMO_INTERFACE {
            let wire: Box<dyn Wire> = match &self.configuration.capture {
                None => Box::new(NoWire),
                Some(path) => {
                    let now = self.runtime.clock().now();
                    Box::new(CaptureFile::make(path, now, self.configuration.time_to_live)?)
                }
            };
            return self.start_over(wire, None, true, delivery);
        }
        // sACN multicasts synchronization and discovery, whatever the destinations.
        let has_multicast = self.configuration.protocol == DmxProtocol::Sacn;
        let sockets = Sockets::open(&self.configuration, &self.destinations, has_multicast)?;
        let broadcast = sockets.broadcast;
        let is_inline = self.runtime.is_manual();
        self.start_over(Box::new(sockets), broadcast, is_inline, delivery)
    }

    pub(super) fn start_over(
        &self,
        wire: Box<dyn Wire>,
        broadcast: Option<Ipv4Addr>,
        is_inline: bool,
        delivery: Delivery<DmxReport>,
    ) -> Result<DmxSession, DmxError> {
        let shared = Arc::new(Shared {
            mailbox: Mailbox::new(self.configuration.protocol),
            counters: Arc::new(Counters::new(self.destinations.len())),
            sleeper: Sleeper::default(),
            subscriptions: Subscriptions::default(),
        });
        let following = match self.configuration.follows_nodes() {
            true => Some(Following::start(&self.runtime, &self.configuration, &shared)?),
            false => None,
        };
        let (rate, clock) = (self.configuration.rate, self.runtime.clock());
        let frames = match self.configuration.since_ms {
            Some(since_ms) => Frames::since(since_ms, rate, clock),
            None => Frames::from_now(rate, clock),
        };
        let destinations = self.destinations.clone();
        let source = Source::new(&self.configuration, destinations, broadcast, frames.start);
        let transmission = Transmission::new(source, wire, shared.clone());
        let work = if is_inline {
            Work::Inline(Box::new(transmission))
        } else {
            let clock = self.runtime.shared_clock();
            Work::Own(SendingThread::start(transmission, shared.clone(), clock)?)
        };
        let (rate, limit) = (
            self.configuration.reports_per_second,
            self.configuration.report_limit,
        );
        let of_job = shared.clone();
        let reports = self.sessions.start_delivering(delivery, 1, |outlet| {
            Box::new(DmxJob {
                shared: of_job,
                paced: Paced::new(Turns::new(1, rate, limit), outlet),
                work,
                _following: following,
                now: clock.now(),
            })
        })?;
        let output = DmxOutput {
            session: reports.session().clone(),
            shared,
            is_inline,
            protocol: self.configuration.protocol,
            frames,
            universes: self.configuration.universes.clone().into(),
            clock: self.runtime.shared_clock(),
        };
        Ok(DmxSession { reports, output })
    }
}

impl DmxSession {
    /// Sets the levels of universes, 1 to 63999 of sACN, Port-Addresses 0 to 32767 of Art-Net: the same number of slots for each, 1 to
    /// 512, one universe after the other. All are sent in one frame. A new universe is added.
    ///
    /// # Errors
    /// [`DmxError::Universe`], [`DmxError::Frame`]; [`DmxError::Runtime`] in a fork. Nothing is set then.
    pub fn set_levels(&self, universes: &[u32], slots: &[u8]) -> Result<(), DmxError> {
        self.output.set_levels(universes, slots)
    }

    /// Ends a universe: sACN sends three terminated packets. Has no effect on one that is not sent.
    ///
    /// # Errors
    /// [`DmxError::Universe`]; [`DmxError::Runtime`] in a fork.
    pub fn remove(&self, universe: u32) -> Result<(), DmxError> {
        self.output.change(|mailbox| mailbox.remove(universe))
    }

    /// Sets the per-address priorities of a universe of sACN, 0..=200 each (0: not driven); no slots: none. They are sent once it has
    /// levels.
    ///
    /// # Errors
    /// As [`remove`](Self::remove); [`DmxError::Sender`], [`DmxError::Unsupported`].
    pub fn set_priorities(&self, universe: u32, slots: &[u8]) -> Result<(), DmxError> {
        self.output
            .change(|mailbox| mailbox.set_priorities(universe, slots))
    }

    /// Sets the priority of a universe of sACN, 0..=200.
    ///
    /// # Errors
    /// As [`set_priorities`](Self::set_priorities).
    pub fn set_priority(&self, universe: u32, priority: u8) -> Result<(), DmxError> {
        self.output
            .change(|mailbox| mailbox.set_priority(universe, priority))
    }

    /// The counts so far, also after the end.
    pub fn counts(&self) -> DmxReport {
        self.output.shared.counters.look()
    }

    /// The counts of a universe since it was added, also after the end; zeros for one that is not there.
    ///
    /// # Errors
    /// [`DmxError::Universe`]; [`DmxError::Runtime`] in a fork.
    pub fn universe(&self, universe: u32) -> Result<DmxSentCounts, DmxError> {
        self.output.change(|mailbox| mailbox.counts(universe))
    }

    /// The refusals by destination, in their order without duplicates, and then those of multicast and broadcast.
    pub fn refusals(&self) -> impl ExactSizeIterator<Item = u64> {
        self.output.shared.counters.refusals()
    }

    /// Its levels, for an engine that sends frames by it.
    pub fn output(&self) -> &DmxOutput {
        &self.output
    }
}

impl DmxOutput {
    /// As [`DmxSession::set_levels`].
    ///
    /// # Errors
    /// As there.
    pub(crate) fn set_levels(&self, universes: &[u32], slots: &[u8]) -> Result<(), DmxError> {
        self.change(|mailbox| mailbox.set_levels(universes, slots))
    }

    /// Whether it sends sACN, not Art-Net.
    pub fn is_sacn(&self) -> bool {
        self.protocol == DmxProtocol::Sacn
    }

    /// The protocol.
    pub(crate) fn protocol(&self) -> DmxProtocol {
        self.protocol
    }

    /// Whether a show sends a universe by it.
    pub(crate) fn takes(&self, universe: u16) -> bool {
        self.universes.is_empty() || self.universes.iter().any(|range| range.contains(&universe))
    }

    /// When its frames are sent.
    pub(crate) fn frames(&self) -> Frames {
        self.frames
    }

    /// Whether its times are those of a clock.
    pub(crate) fn is_on(&self, clock: &Arc<dyn Clock>) -> bool {
        Arc::ptr_eq(&self.clock, clock)
    }

    /// Whether what is set is sent.
    pub(crate) fn is_live(&self) -> bool {
        !self.session.is_cancelled() && !self.session.is_released()
    }

    /// Whether both are of one session.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    fn change<T>(&self, write: impl FnOnce(&Mailbox) -> Result<T, DmxError>) -> Result<T, DmxError> {
        let checked = self.session.check_process();
        checked.map_err(DmxError::Runtime)?;
        let result = write(&self.shared.mailbox)?;
        if self.is_inline {
            self.session.wake();
        } else {
            self.shared.sleeper.nudge();
        }
        Ok(result)
    }
}
