//! One member of a session.

mod bounds;
mod control;
mod hearing;
mod measuring;
mod membership;

use super::discovery::{Kind, Message, PeerState, StartStop};
use super::measurement::Measurement;
use super::peers::Peers;
use super::sessions::Sessions;
use super::tracker::Tracker;
use super::{Action, GatewayId, GhostMap, Malformed, NodeId, Output, Packet, Responder, SessionId, Snapshot};
use crate::beats::{Beats, GhostTime, HostTime, Quantum, Tempo, Time, Timeline};
use measuring::Tracking;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::BTreeMap;
use std::net::SocketAddrV4;

/// The time between two alive messages, in us.
const ALIVE: i64 = 250_000;
/// The shortest time between two of them, in us, when the state changes.
const LEAST_ALIVE: i64 = 50_000;
/// The time for which a local change holds against the network, in us.
const HOLD: i64 = 1_000_000;

/// How a node begins.
#[derive(Clone, Debug)]
pub struct NodeSettings {
    /// Of its identities: random, so that two nodes have different ones.
    pub seed: u64,
    /// The tempo before there are peers.
    pub tempo: Tempo,
    /// The quantum.
    pub quantum: Quantum,
    /// Whether starts and stops are shared.
    pub follows_start_stop: bool,
}

impl NodeSettings {
    /// 120 BPM, four beats, no starts and stops.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            tempo: Tempo::default(),
            quantum: Quantum::default(),
            follows_start_stop: false,
        }
    }
}

/// What a node has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages of other nodes, and pongs.
    pub messages: u64,
    /// Datagrams that were dropped, by [`Malformed::index`].
    pub malformed: [u64; Malformed::ALL.len()],
    /// Messages of nodes for which there was no room.
    pub excess_peers: u64,
    /// Messages of sessions for which there was no room.
    pub excess_sessions: u64,
    /// Pings that were not answered because there were too many.
    pub refused_pings: u64,
    /// Measurements that failed.
    pub failed_measurements: u64,
}

#[derive(Clone, Debug)]
struct Gateway {
    responder: SocketAddrV4,
    /// When the last alive message was sent, and when the next one is due.
    sent: Option<HostTime>,
    due: HostTime,
}

/// A change that came while a local one held, and the node that it came from.
type Deferred<T> = Option<(T, NodeId)>;

/// A member of a session.
///
/// It is called with the present host time, which does not run backwards, and at the times of [`next`](Self::next).
#[derive(Clone, Debug)]
pub struct Node {
    random: StdRng,
    node: NodeId,
    /// The identity before a reset: its last messages may come back by the loopback.
    former: Option<NodeId>,
    session: SessionId,
    map: GhostMap,
    timeline: Timeline<GhostTime>,
    offset: Beats,
    quantum: Quantum,
    /// The session's.
    start_stop: StartStop,
    is_playing: bool,
    follows_start_stop: bool,
    is_enabled: bool,
    gateways: BTreeMap<GatewayId, Gateway>,
    peers: Peers,
    peer_count: usize,
    sessions: Sessions,
    measurement: Option<Measurement>,
    tracker: Tracker,
    tracking: Tracking,
    responder: Responder,
    tempo_held: Option<HostTime>,
    deferred_timeline: Deferred<Timeline<GhostTime>>,
    playing_held: Option<HostTime>,
    deferred_start_stop: Deferred<StartStop>,
    counters: Counters,
}

impl Node {
    /// A node that takes part in nothing yet; its beats begin with 0 now.
    pub fn new(settings: &NodeSettings, now: HostTime) -> Self {
        let mut random = StdRng::seed_from_u64(settings.seed);
        let node = NodeId::random(&mut random);
        Self {
            random,
            node,
            former: None,
            session: SessionId::founded_by(node),
            map: GhostMap::founded_at(now),
            timeline: Timeline {
                tempo: settings.tempo,
                beat_origin: Beats::ZERO,
                time_origin: GhostTime::new(0),
            },
            offset: Beats::ZERO,
            quantum: settings.quantum.min(bounds::LONGEST_QUANTUM),
            start_stop: StartStop::default(),
            is_playing: false,
            follows_start_stop: settings.follows_start_stop,
            is_enabled: false,
            gateways: BTreeMap::new(),
            peers: Peers::default(),
            peer_count: 0,
            sessions: Sessions::default(),
            measurement: None,
            tracker: Tracker::default(),
            tracking: Tracking::default(),
            responder: Responder::new(now),
            tempo_held: None,
            deferred_timeline: None,
            playing_held: None,
            deferred_start_stop: None,
            counters: Counters::default(),
        }
    }

    /// What beats are computed from.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            timeline: self.timeline,
            map: self.map,
            offset: self.offset,
            quantum: self.quantum,
            session: self.session,
            // At most MAX_PEERS.
            peers: self.peer_count as u32,
            is_playing: self.is_playing,
            is_enabled: self.is_enabled,
        }
    }

    /// Its identity.
    pub fn id(&self) -> NodeId {
        self.node
    }

    /// The other nodes of its session, each with the gateway by which it is seen.
    pub fn peers(&self) -> impl Iterator<Item = (GatewayId, NodeId, &super::Peer)> {
        self.peers.of(self.session)
    }

    /// What it has counted.
    pub fn counters(&self) -> Counters {
        Counters {
            refused_pings: self.responder.refused(),
            ..self.counters
        }
    }

    /// Adds an interface's address by which to send and hear, with the address of the responder there.
    pub fn add_gateway(
        &mut self,
        now: HostTime,
        id: GatewayId,
        responder: SocketAddrV4,
        output: &mut Output,
    ) {
        let gateway = Gateway {
            responder,
            sent: None,
            due: now,
        };
        self.gateways.insert(id, gateway);
        self.advance(now, output);
    }

    /// Removes an interface's address. Its peers have left, as far as no other reaches them.
    pub fn remove_gateway(&mut self, now: HostTime, id: GatewayId, output: &mut Output) {
        self.gateways.remove(&id);
        if (self.measurement.as_ref()).is_some_and(|measurement| measurement.target.0 == id) {
            self.fail_measurement(now);
        }
        if self.peers.remove(|gateway, _, _| gateway == id) {
            self.peers_left(now, output);
        }
        self.advance(now, output);
    }

    /// The answer to a ping that came to a responder, at a host time that is read directly before; it is to be sent from there.
    pub fn answer(&mut self, now: HostTime, from: SocketAddrV4, bytes: &[u8]) -> Option<Packet> {
        if !self.is_enabled {
            return None;
        }
        match self.responder.answer(now, (self.session, &self.map), from, bytes) {
            Ok(pong) => pong,
            Err(reason) => {
                self.counters.malformed[reason.index()] += 1;
                None
            }
        }
    }

    /// When [`advance`](Self::advance) is due next; `None`: not before another call.
    pub fn next(&self) -> Option<HostTime> {
        if !self.is_enabled {
            return None;
        }
        let alive = self.gateways.values().map(|gateway| gateway.due).min();
        let measured = match &self.measurement {
            Some(measurement) => Some(measurement.next()),
            None => [self.sessions.next(), self.tracking.next()]
                .into_iter()
                .flatten()
                .min(),
        };
        let held = [self.tempo_held, self.playing_held].into_iter().flatten().min();
        [alive, self.peers.next(), measured, held]
            .into_iter()
            .flatten()
            .min()
    }

    /// Does what is due.
    pub fn advance(&mut self, now: HostTime, output: &mut Output) {
        if !self.is_enabled {
            return;
        }
        if self.peers.next().is_some_and(|expiry| expiry <= now)
            && self.peers.remove(|_, _, peer| peer.expires <= now)
        {
            self.peers_left(now, output);
        }
        self.end_holds(now, output);
        self.advance_measurement(now, output);
        self.announce(now, output);
    }

    /// Sends the alive messages that are due.
    fn announce(&mut self, now: HostTime, output: &mut Output) {
        let (node, state) = (self.node, self.state());
        for (id, gateway) in &mut self.gateways {
            if gateway.due <= now {
                (gateway.sent, gateway.due) = (Some(now), now.saturating_add_micros(ALIVE));
                let responder = Some(gateway.responder);
                let alive = Message::present(Kind::Alive, node, PeerState { responder, ..state });
                output.actions.push(Action::Multicast {
                    gateway: *id,
                    packet: alive.packet(),
                });
            }
        }
    }

    /// The state has changed: alive messages are sent as soon as they may be.
    fn state_changed(&mut self, now: HostTime) {
        for gateway in self.gateways.values_mut() {
            let soonest = (gateway.sent).map_or(now, |sent| sent.saturating_add_micros(LEAST_ALIVE).max(now));
            gateway.due = gateway.due.min(soonest);
        }
    }

    /// The state that others are sent, without a responder.
    fn state(&self) -> PeerState {
        PeerState {
            timeline: self.timeline,
            session: self.session,
            start_stop: Some(self.start_stop),
            responder: None,
        }
    }

    /// Says on every gateway that this node leaves.
    fn say_bye(&self, output: &mut Output) {
        let packet = Message::Leaving { node: self.node }.packet();
        let gateways = self.gateways.keys().copied();
        (output.actions).extend(gateways.map(|gateway| Action::Multicast { gateway, packet }));
    }
}
