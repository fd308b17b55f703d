//! Browsers.

use super::demo::DemoJob;
use super::job::{Browser, NodesJob};
use super::records::{DmxNode, DmxNodesCounts};
use crate::dmx::DmxError;
use crate::dmx::configuration::destination;
use crate::dmx::network::{DEMO_INTERFACE, broadcast};
use crate::dmx::receiver::network::{Network, UdpNetwork, interface, unopened};
use crate::dmx::station::{Audience, Station};
use crate::engine::Sessions;
use crate::job::Job;
use crate::lock::{Lock, locked, locked_surely};
use crate::outlet::{Delivery, LaneSession};
use crate::runtime::Runtime;
use crate::ticker::RATE_RANGE;
use rustle_lighting::nodes::{MAX_NODES, PollSettings};
use rustle_lighting::{Name, PortAddress, artnet};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Arc, Mutex};

/// The most addresses that a browser polls.
pub const DMX_POLLED: usize = 1_024;

/// The configuration of a browser.
#[derive(Clone, Debug)]
pub struct DmxNodesConfiguration {
    /// The interface: its name or address; empty: that of the default route; or [`DEMO_INTERFACE`](crate::DEMO_INTERFACE).
    pub interface: String,
    /// IPv4 addresses to poll, with or without a port, at most [`DMX_POLLED`]. None: the interface's directed broadcast.
    pub addresses: Vec<String>,
    /// Our own short name, for those who poll.
    pub short_name: Name<18>,
    /// Our own long name.
    pub long_name: Name<64>,
    /// The port: [`artnet::PORT`] for all but those who agree on another.
    pub port: u16,
    /// The changes of each node a second on [`DEMO_INTERFACE`](crate::DEMO_INTERFACE), within [`RATE_RANGE`].
    pub changes_per_second: f64,
    /// The number of changes after which a session ends; `None`: it does not.
    pub change_limit: Option<u64>,
}

impl DmxNodesConfiguration {
    /// Polls the network of the default route.
    pub fn new(short_name: Name<18>, long_name: Name<64>) -> Self {
        Self {
            interface: String::new(),
            addresses: Vec::new(),
            short_name,
            long_name,
            port: artnet::PORT,
            changes_per_second: 1.0,
            change_limit: None,
        }
    }
}

/// A browser of nodes.
///
/// Its sessions share its socket, which is open while there is a session. Nodes answer to the port that receivers have: while a browser
/// runs, what others send to this machine's address reaches it instead of a receiver at the same address.
pub struct DmxNodes {
    station: Station<Vec<DmxNode>>,
    runtime: Arc<Runtime>,
    configuration: DmxNodesConfiguration,
    polled: Vec<SocketAddrV4>,
    /// What the latest job found.
    browser: Mutex<Option<Arc<Mutex<Browser>>>>,
}

impl DmxNodes {
    /// A browser on a runtime of the caller's. Nothing is opened.
    ///
    /// # Errors
    /// [`DmxError`] for a setting.
    pub fn on(runtime: Arc<Runtime>, configuration: DmxNodesConfiguration) -> Result<Self, DmxError> {
        let got = configuration.addresses.len();
        if got > DMX_POLLED {
            return Err(DmxError::TooManyDestinations { got });
        }
        let rate = configuration.changes_per_second;
        if !RATE_RANGE.contains(&rate) {
            return Err(DmxError::ReportRate { got: rate });
        }
        let polled = (configuration.addresses.iter()).map(|text| destination(text, configuration.port));
        let mut polled = polled.collect::<Result<Vec<_>, _>>()?;
        polled.sort_unstable();
        polled.dedup();
        Ok(Self {
            polled,
            station: Station::on(&runtime),
            runtime,
            configuration,
            browser: Mutex::default(),
        })
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.station.sessions
    }

    /// Starts a session: the nodes that are known, and then each change. The lane's keys are the nodes.
    ///
    /// # Errors
    /// [`DmxError`]; the listener or the bell is dropped then without a call.
    pub fn start(&self, delivery: Delivery<DmxNode>) -> Result<LaneSession<DmxNode>, DmxError> {
        self.start_over(delivery, |audience| self.job(audience))
    }

    pub(super) fn start_over(
        &self,
        delivery: Delivery<DmxNode>,
        open: impl FnOnce(Arc<Audience<Vec<DmxNode>>>) -> Result<Box<dyn Job>, DmxError>,
    ) -> Result<LaneSession<DmxNode>, DmxError> {
        let limit = self.configuration.change_limit.unwrap_or(u64::MAX);
        self.station
            .start(delivery, MAX_NODES, limit, |nodes| nodes, true, open)
    }

    fn job(&self, audience: Arc<Audience<Vec<DmxNode>>>) -> Result<Box<dyn Job>, DmxError> {
        let configuration = &self.configuration;
        if configuration.interface == DEMO_INTERFACE {
            return Ok(Box::new(DemoJob::new(configuration.changes_per_second, audience)));
        }
        let interface = interface(&configuration.interface)?;
        let address = interface.address;
        let broadcast = match &self.polled[..] {
            [] => broadcast(&interface)?,
            _ => interface.broadcast,
        };
        let mut network = UdpNetwork {
            interface,
            sacn_port: 0,
            art_net_port: configuration.port,
            clock: self.runtime.shared_clock(),
        };
        self.job_over(&mut network, address, broadcast, audience)
    }

    pub(super) fn job_over(
        &self,
        network: &mut dyn Network,
        address: Ipv4Addr,
        broadcast: Ipv4Addr,
        audience: Arc<Audience<Vec<DmxNode>>>,
    ) -> Result<Box<dyn Job>, DmxError> {
        let configuration = &self.configuration;
        let sockets = network.art_net();
        let sockets = sockets.map_err(|error| unopened(configuration.port, &error))?;
        let polled = match &self.polled[..] {
            [] => vec![SocketAddrV4::new(broadcast, configuration.port)],
            polled => polled.to_vec(),
        };
        let settings = PollSettings {
            seed: rand::random(),
            ..PollSettings::default()
        };
        let now = self.runtime.clock().now();
        let browser = Browser::new(
            configuration,
            sockets,
            polled,
            (address, network.mac()),
            settings,
            now,
        );
        let browser = Arc::new(Mutex::new(browser));
        *locked(&self.browser, Lock::Hearing) = Some(browser.clone());
        Ok(Box::new(NodesJob {
            browser,
            audience,
            changes: Vec::new(),
            is_over: false,
        }))
    }

    /// The nodes that are known, in the order in which they were found, also after the last session.
    pub fn nodes(&self) -> Vec<DmxNode> {
        let time_ns = self.runtime.clock().wall_ms().saturating_mul(1_000_000);
        self.with(|browser| browser.nodes(time_ns)).unwrap_or_default()
    }

    /// The Port-Addresses of the node at an address.
    pub fn ports(&self, address: Ipv4Addr) -> Vec<PortAddress> {
        self.with(|browser| browser.ports(address)).unwrap_or_default()
    }

    /// The Port-Addresses and the nodes that list them and are not lost, by ascending Port-Address.
    pub(in crate::dmx) fn subscriptions(&self) -> Vec<(PortAddress, Ipv4Addr)> {
        self.with(|browser| browser.subscriptions()).unwrap_or_default()
    }

    /// The counts so far, also after the last session.
    pub fn counts(&self) -> DmxNodesCounts {
        self.with(|browser| browser.counts()).unwrap_or_default()
    }

    fn with<T>(&self, look: impl FnOnce(&Browser) -> T) -> Option<T> {
        let browser = locked(&self.browser, Lock::Hearing).clone()?;
        let browser = locked_surely(&browser);
        Some(look(&browser))
    }
}
