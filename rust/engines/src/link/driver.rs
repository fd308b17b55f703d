//! The node and its sockets.

use super::board::SnapshotBoard;
use super::configuration::LinkConfiguration;
use super::error::LinkError;
use super::events::LinkEvent;
use super::figures::{LinkCounts, LinkGateway};
use super::host_clock::HostClock;
use super::network::{Network, Sockets, check_named, is_selected, refusal};
use crate::job::PollContext;
use crate::listeners::Listeners;
use rustle_system::Interface;
use rustle_tempo::beats::{HostTime, Time};
use rustle_tempo::link::{Action, GROUP, GatewayId, MESSAGE_BYTES, Node, NodeSettings, Output, ping};
use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, SocketAddrV4};
use std::os::fd::RawFd;
use std::sync::Arc;

/// The time between two looks at the interfaces, in us.
const RESCAN: i64 = 5_000_000;
/// The messages that are read of a socket before pings are answered again.
const MOST_MESSAGES: usize = 16;
/// The rounds of such reads of one turn at most.
const MOST_ROUNDS: usize = 16;

struct Gateway {
    interface: Interface,
    sockets: Sockets,
    is_watched: bool,
}

/// A node with its sockets, behind a lock.
pub(super) struct Driver {
    pub(super) node: Node,
    clock: HostClock,
    network: Box<dyn Network>,
    configuration: LinkConfiguration,
    gateways: BTreeMap<GatewayId, Gateway>,
    /// The gateways so far, of which each has its own number.
    opened: u32,
    rescan: HostTime,
    output: Output,
    pub(super) board: Arc<SnapshotBoard>,
    pub(super) listeners: Listeners<LinkEvent>,
    events: Vec<LinkEvent>,
    counts: LinkCounts,
}

impl Driver {
    pub(super) fn new(
        configuration: LinkConfiguration,
        network: Box<dyn Network>,
        clock: HostClock,
        seed: u64,
    ) -> Self {
        let settings = NodeSettings {
            seed,
            tempo: configuration.tempo,
            quantum: configuration.quantum,
            follows_start_stop: configuration.follows_start_stop,
        };
        let now = clock.now();
        let node = Node::new(&settings, now);
        let board = Arc::new(SnapshotBoard::new(&node.snapshot()));
        Self {
            node,
            clock,
            network,
            configuration,
            gateways: BTreeMap::new(),
            opened: 0,
            rescan: now,
            output: Output::default(),
            board,
            listeners: Listeners::default(),
            events: Vec::new(),
            counts: LinkCounts::default(),
        }
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.node.snapshot().is_enabled
    }

    /// Opens the sockets and takes part.
    ///
    /// # Errors
    /// [`LinkError::Interface`], [`LinkError::Network`].
    pub(super) fn enable(&mut self) -> Result<(), LinkError> {
        self.scan()?;
        self.act(|node, now, output| node.enable(now, output));
        Ok(())
    }

    /// Leaves, and closes the sockets: the message that says so is sent.
    pub(super) fn disable(&mut self) {
        self.act(|node, now, output| node.disable(now, output));
        for id in std::mem::take(&mut self.gateways).into_keys() {
            self.act(|node, now, output| node.remove_gateway(now, id, output));
        }
    }

    /// Calls the node at the present time, sends what it asks for, and publishes what is new.
    pub(super) fn act<T>(&mut self, call: impl FnOnce(&mut Node, HostTime, &mut Output) -> T) -> T {
        let result = call(&mut self.node, self.clock.now(), &mut self.output);
        self.flush();
        result
    }

    fn flush(&mut self) {
        let snapshot = self.node.snapshot();
        self.board.write(&snapshot);
        let mut output = std::mem::take(&mut self.output);
        for action in output.actions.drain(..) {
            self.send(action);
        }
        if !output.events.is_empty() {
            let host = self.clock.now();
            self.events
                .extend(output.events.drain(..).map(|change| LinkEvent {
                    sequence: 0,
                    host,
                    change: Some(change),
                    snapshot,
                }));
            self.listeners.report(&self.events);
            self.events.clear();
        }
        // With the memory that it has.
        self.output = output;
    }

    fn send(&mut self, action: Action) {
        let (Action::Multicast { gateway, .. }
        | Action::Unicast { gateway, .. }
        | Action::Ping { gateway, .. }) = action;
        let Some(gateway) = self.gateways.get(&gateway) else {
            return;
        };
        let sender = &gateway.sockets.sender;
        let result = match action {
            Action::Multicast { packet, .. } => sender.try_send(
                packet.bytes(),
                Some(SocketAddrV4::new(GROUP, self.network.port()).into()),
            ),
            Action::Unicast { to, packet, .. } => sender.try_send(packet.bytes(), Some(to.into())),
            Action::Ping { to, previous, .. } => {
                sender.try_send(ping(self.clock.now(), previous).bytes(), Some(to.into()))
            }
        };
        self.counts.sent += u64::from(result.is_ok());
        self.counts.refused += u64::from(result.is_err());
    }

    /// Looks through the interfaces: those that came are opened, those that went are closed.
    fn scan(&mut self) -> Result<(), LinkError> {
        self.rescan = self.clock.now().saturating_add_micros(RESCAN);
        let all = self
            .network
            .interfaces()
            .map_err(|error| refusal("network interfaces", &error))?;
        let named = &self.configuration.interfaces;
        if !self.is_enabled() {
            check_named(&*self.network, &all, named)?;
        }
        let wanted: Vec<_> = all
            .into_iter()
            .filter(|interface| is_selected(interface, named))
            .collect();
        let gone = self
            .gateways
            .iter()
            .filter(|(_, gateway)| !wanted.contains(&gateway.interface));
        for id in gone.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.close(id);
        }
        let mut first_error = None;
        for interface in wanted {
            if self
                .gateways
                .values()
                .any(|gateway| gateway.interface == interface)
            {
                continue;
            }
            match self.network.open(&interface) {
                Ok(sockets) => self.add(interface, sockets),
                Err(error) => {
                    self.counts.socket_errors += 1;
                    let error = refusal(&format!("interface {}", interface.name), &error);
                    first_error = first_error.or(Some(error));
                }
            }
        }
        match first_error {
            Some(error) if self.gateways.is_empty() => Err(error),
            _ => Ok(()),
        }
    }

    fn add(&mut self, interface: Interface, sockets: Sockets) {
        let (id, responder) = (GatewayId(self.opened), sockets.responder_address);
        self.opened = self.opened.wrapping_add(1);
        let gateway = Gateway {
            interface,
            sockets,
            is_watched: false,
        };
        self.gateways.insert(id, gateway);
        self.act(|node, now, output| node.add_gateway(now, id, responder, output));
    }

    /// Reads what came and does what is due. Returns whether it is to be called again at once.
    pub(super) fn turn(&mut self) -> bool {
        let mut has_more = true;
        for _ in 0..MOST_ROUNDS {
            has_more = self.read();
            if !has_more {
                break;
            }
        }
        if self.is_enabled() && self.clock.now() >= self.rescan && self.scan().is_err() {
            self.counts.socket_errors += 1;
        }
        self.act(Node::advance);
        // What comes by sockets that are not watched yet wakes nobody.
        has_more || self.gateways.values().any(|gateway| !gateway.is_watched)
    }

    fn read(&mut self) -> bool {
        let mut has_more = false;
        let ids: Vec<_> = self.gateways.keys().copied().collect();
        for id in &ids {
            self.answer_pings(*id);
        }
        for id in ids {
            has_more |= self.read_messages(id, |sockets| &*sockets.sender);
            has_more |= self.read_messages(id, |sockets| &*sockets.group);
        }
        has_more
    }

    /// Answers the pings that wait. The clock is read directly before the answer leaves.
    fn answer_pings(&mut self, id: GatewayId) {
        let Some(gateway) = self.gateways.get(&id) else {
            return;
        };
        let mut bytes = [0; MESSAGE_BYTES];
        for _ in 0..MOST_MESSAGES * MOST_ROUNDS {
            match gateway.sockets.responder.try_receive(&mut bytes) {
                Ok(arrival) => {
                    let Some(SocketAddr::V4(from)) = arrival.from else {
                        continue;
                    };
                    if let Some(pong) = self.node.answer(self.clock.now(), from, &bytes[..arrival.length]) {
                        let result = gateway
                            .sockets
                            .responder
                            .try_send(pong.bytes(), Some(from.into()));
                        self.counts.sent += u64::from(result.is_ok());
                        self.counts.refused += u64::from(result.is_err());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.counts.socket_errors += 1,
            }
        }
    }

    /// Reads messages of one socket, up to a bound; returns whether it was reached. The clock is read directly after each.
    fn read_messages(
        &mut self,
        id: GatewayId,
        socket: impl Fn(&Sockets) -> &dyn crate::transport::Transport,
    ) -> bool {
        let mut bytes = [0; MESSAGE_BYTES];
        for _ in 0..MOST_MESSAGES {
            let Some(gateway) = self.gateways.get(&id) else {
                return false;
            };
            match socket(&gateway.sockets).try_receive(&mut bytes) {
                Ok(arrival) => {
                    let now = self.clock.now();
                    if let Some(SocketAddr::V4(from)) = arrival.from {
                        self.node
                            .hear(now, id, from, &bytes[..arrival.length], &mut self.output);
                        self.flush();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Err(_) => self.counts.socket_errors += 1,
            }
        }
        true
    }

    /// When [`turn`](Self::turn) is due, if nothing comes.
    pub(super) fn next(&self) -> Option<HostTime> {
        let next = self.node.next().map_or(self.rescan, |next| next.min(self.rescan));
        self.is_enabled().then_some(next)
    }

    pub(super) fn now(&self) -> HostTime {
        self.clock.now()
    }

    /// Has the polled job woken by the sockets that are new.
    pub(super) fn watch(&mut self, context: &PollContext<'_>) {
        self.watch_by(|sockets| {
            let all = [&sockets.group, &sockets.sender, &sockets.responder];
            all.into_iter().try_for_each(|socket| socket.watch(context))
        });
    }

    /// Takes the descriptors of the sockets that are new.
    pub(super) fn register(&mut self, mut register: impl FnMut(RawFd) -> io::Result<()>) {
        self.watch_by(|sockets| {
            let mut all = sockets.descriptors.iter();
            all.try_for_each(|descriptor| register(*descriptor))
        });
    }

    /// Has the sockets that are new watched. An interface whose sockets cannot be is closed, and tried again with the next look.
    fn watch_by(&mut self, mut watch: impl FnMut(&Sockets) -> io::Result<()>) {
        let mut refused = Vec::new();
        for (id, gateway) in self
            .gateways
            .iter_mut()
            .filter(|(_, gateway)| !gateway.is_watched)
        {
            gateway.is_watched = watch(&gateway.sockets).is_ok();
            if !gateway.is_watched {
                refused.push(*id);
            }
        }
        for id in refused {
            self.counts.socket_errors += 1;
            self.close(id);
        }
    }

    fn close(&mut self, id: GatewayId) {
        self.gateways.remove(&id);
        self.act(|node, now, output| node.remove_gateway(now, id, output));
    }

    pub(super) fn counts(&self) -> LinkCounts {
        LinkCounts {
            node: self.node.counters(),
            ..self.counts
        }
    }

    pub(super) fn gateways(&self) -> Vec<LinkGateway> {
        let gateways = self.gateways.values();
        let gateways = gateways.map(|gateway| LinkGateway {
            interface: gateway.interface.name.clone(),
            address: gateway.interface.address,
        });
        gateways.collect()
    }
}
