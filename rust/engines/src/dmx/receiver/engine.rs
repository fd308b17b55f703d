//! Receivers and their calls.

use super::configuration::DmxReceiverConfiguration;
use super::demo::DemoJob;
use super::hearing::Hearing;
use super::job::ReceiverJob;
use super::network::{Network, UdpNetwork, interface};
use super::records::{Changes, DmxEvent, DmxLevels, DmxReceiverCounts};
use crate::dmx::network::DEMO_INTERFACE;
use crate::dmx::station::{Audience, Station};
use crate::dmx::{DmxError, DmxProtocol};
use crate::engine::Sessions;
use crate::job::Job;
use crate::lock::{Lock, locked, locked_surely};
use crate::outlet::{Delivery, LaneSession};
use crate::runtime::Runtime;
use rustle_lighting::receiver::{ArtNetSource, PortCounters, SacnSource, UniverseCounters};
use rustle_lighting::{PortAddress, SacnUniverse};
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

/// A receiver of DMX.
///
/// Its sessions share sockets, which are opened by the first session, and closed after the last. Other programs of this machine may
/// receive the same groups and broadcasts; what is sent to this machine's address alone reaches one of them, the latest.
pub struct DmxReceiver {
    station: Station<Changes>,
    runtime: Arc<Runtime>,
    configuration: DmxReceiverConfiguration,
    /// What the latest job hears.
    hearing: Mutex<Option<Arc<Mutex<Hearing>>>>,
}

/// A source of a universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmxSource {
    /// Of sACN.
    Sacn(SacnSource),
    /// Of Art-Net.
    ArtNet(ArtNetSource),
}

/// The counts of a universe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DmxUniverseCounts {
    /// Of sACN.
    Sacn(UniverseCounters),
    /// Of Art-Net.
    ArtNet(PortCounters),
}

impl DmxReceiver {
    /// A receiver on a runtime of the caller's. Nothing is opened.
    ///
    /// # Errors
    /// [`DmxError`] for a setting.
    pub fn on(runtime: Arc<Runtime>, configuration: DmxReceiverConfiguration) -> Result<Self, DmxError> {
        Ok(Self {
            configuration: configuration.checked()?,
            station: Station::on(&runtime),
            runtime,
            hearing: Mutex::default(),
        })
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.station.sessions
    }

    /// Starts a session of levels: those that are shown, and then each change. The lane's keys are the universes.
    ///
    /// # Errors
    /// [`DmxError`]; the listener or the bell is dropped then without a call.
    pub fn start_levels(&self, delivery: Delivery<DmxLevels>) -> Result<LaneSession<DmxLevels>, DmxError> {
        self.start_levels_over(delivery, |audience| self.job(audience))
    }

    pub(super) fn start_levels_over(
        &self,
        delivery: Delivery<DmxLevels>,
        open: impl FnOnce(Arc<Audience<Changes>>) -> Result<Box<dyn Job>, DmxError>,
    ) -> Result<LaneSession<DmxLevels>, DmxError> {
        let limit = self.configuration.levels_limit.unwrap_or(u64::MAX);
        let keys = self.configuration.universes();
        self.station
            .start(delivery, keys, limit, |changes| &changes.levels, true, open)
    }

    /// Starts a session of events, from now on.
    ///
    /// # Errors
    /// As [`start_levels`](Self::start_levels).
    pub fn start_events(&self, delivery: Delivery<DmxEvent>) -> Result<LaneSession<DmxEvent>, DmxError> {
        self.start_events_over(delivery, |audience| self.job(audience))
    }

    pub(super) fn start_events_over(
        &self,
        delivery: Delivery<DmxEvent>,
        open: impl FnOnce(Arc<Audience<Changes>>) -> Result<Box<dyn Job>, DmxError>,
    ) -> Result<LaneSession<DmxEvent>, DmxError> {
        self.station
            .start(delivery, 1, u64::MAX, |changes| &changes.events, false, open)
    }

    fn job(&self, audience: Arc<Audience<Changes>>) -> Result<Box<dyn Job>, DmxError> {
        let configuration = &self.configuration;
        if configuration.interface == DEMO_INTERFACE {
            return Ok(Box::new(DemoJob::new(configuration, audience)));
        }
        let interface = interface(&configuration.interface)?;
        let address = interface.address;
        let network = UdpNetwork {
            interface,
            sacn_port: configuration.sacn_port,
            art_net_port: configuration.art_net_port,
            clock: self.runtime.shared_clock(),
        };
        self.job_over(Box::new(network), address, audience)
    }

    pub(super) fn job_over(
        &self,
        network: Box<dyn Network>,
        address: Ipv4Addr,
        audience: Arc<Audience<Changes>>,
    ) -> Result<Box<dyn Job>, DmxError> {
        let opened = Hearing::open(&self.configuration, network, address, rand::random());
        let hearing = Arc::new(Mutex::new(opened?));
        *locked(&self.hearing, Lock::Hearing) = Some(hearing.clone());
        Ok(Box::new(ReceiverJob {
            hearing,
            audience,
            changes: Changes::default(),
            is_over: false,
            unjudged: 0,
        }))
    }

    /// The counts so far, also after the last session.
    pub fn counts(&self) -> DmxReceiverCounts {
        self.with(|hearing| hearing.counts()).unwrap_or_default()
    }

    /// The counts of a universe of this receiver; `None` before the first session.
    pub fn universe_counts(&self, protocol: DmxProtocol, universe: u16) -> Option<DmxUniverseCounts> {
        let now = self.runtime.clock().now();
        self.with(|hearing| match protocol {
            DmxProtocol::Sacn => {
                let universe = SacnUniverse::new(universe.into()).ok()?;
                let receiver = &hearing.sacn.as_ref()?.receiver;
                receiver
                    .universe_counters(now, universe)
                    .map(DmxUniverseCounts::Sacn)
            }
            DmxProtocol::ArtNet => {
                let port = PortAddress::new(universe.into()).ok()?;
                let receiver = &hearing.art_net.as_ref()?.receiver;
                receiver.port_counters(now, port).map(DmxUniverseCounts::ArtNet)
            }
        })?
    }

    /// The sources of a universe at present.
    pub fn sources(&self, protocol: DmxProtocol, universe: u16) -> Vec<DmxSource> {
        let sources = self.with(|hearing| match protocol {
            DmxProtocol::Sacn => {
                let universe = SacnUniverse::new(universe.into()).ok()?;
                let receiver = &hearing.sacn.as_ref()?.receiver;
                Some(receiver.sources(universe).map(DmxSource::Sacn).collect())
            }
            DmxProtocol::ArtNet => {
                let port = PortAddress::new(universe.into()).ok()?;
                let receiver = &hearing.art_net.as_ref()?.receiver;
                Some(receiver.sources(port).map(DmxSource::ArtNet).collect())
            }
        });
        sources.flatten().unwrap_or_default()
    }

    /// Removes a source from a universe at once, until its next packet; `false` when it is not there.
    pub fn forget(&self, universe: u16, source: &DmxSource) -> bool {
        let now = self.runtime.clock().now();
        let is_gone = self.with(|hearing| match source {
            DmxSource::Sacn(source) => {
                let universe = SacnUniverse::new(universe.into()).ok()?;
                let receiver = &mut hearing.sacn.as_mut()?.receiver;
                Some(receiver.forget(now, universe, source.cid))
            }
            DmxSource::ArtNet(source) => {
                let port = PortAddress::new(universe.into()).ok()?;
                let receiver = &mut hearing.art_net.as_mut()?.receiver;
                Some(receiver.forget(now, port, *source))
            }
        });
        let is_gone = is_gone.flatten().unwrap_or_default();
        if is_gone {
            self.station.wake();
        }
        is_gone
    }

    fn with<T>(&self, look: impl FnOnce(&mut Hearing) -> T) -> Option<T> {
        let hearing = locked(&self.hearing, Lock::Hearing).clone()?;
        Some(look(&mut locked_surely(&hearing)))
    }
}
