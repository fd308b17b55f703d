//! What a node asks for and reports.

use super::{NodeId, SessionId};
use crate::beats::{Beats, GhostTime, Quantum, Tempo};
use std::net::SocketAddrV4;

/// An IPv4 address of an interface, by which a node sends and hears; the caller numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GatewayId(pub u32);

/// The most bytes of a message that a node writes: an alive message has 107.
const PACKET_BYTES: usize = 128;

/// A message that is to be sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    bytes: [u8; PACKET_BYTES],
    length: usize,
}

impl Packet {
    pub(super) const EMPTY: Self = Self {
        bytes: [0; PACKET_BYTES],
        length: 0,
    };

    /// Appends bytes, of which a node's messages have at most [`PACKET_BYTES`].
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        self.bytes[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }

    /// Appends an entry.
    pub(super) fn push_entry(&mut self, key: &[u8; 4], value: &[u8]) {
        self.push(key);
        self.push(&(value.len() as u32).to_be_bytes());
        self.push(value);
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl std::fmt::Debug for Packet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.bytes().escape_ascii())
    }
}

/// What is to be sent by a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A message to the group.
    Multicast {
        /// By which gateway.
        gateway: GatewayId,
        /// The message.
        packet: Packet,
    },
    /// A message to a node.
    Unicast {
        /// By which gateway.
        gateway: GatewayId,
        /// The node's address.
        to: SocketAddrV4,
        /// The message.
        packet: Packet,
    },
    /// A [`ping`](super::ping) to a node's responder, with the host time read directly before it is sent.
    Ping {
        /// By which gateway.
        gateway: GatewayId,
        /// The responder's address.
        to: SocketAddrV4,
        /// What the ping says of the pong before.
        previous: Option<GhostTime>,
    },
}

/// Who changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// This program.
    Local,
    /// A peer, from which it came here.
    Peer(NodeId),
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The tempo.
    TempoChanged {
        /// The new tempo.
        tempo: Tempo,
        /// Who changed it.
        by: Origin,
    },
    /// The number of nodes in the session, this one not counted.
    PeersChanged {
        /// The number.
        count: usize,
    },
    /// This node is in another session: it joined that of others, or founded one when it began or the last peer had left.
    SessionJoined {
        /// The session.
        session: SessionId,
    },
    /// Our beats moved by more than 1 ms.
    PhaseShifted {
        /// How far; negative: backwards.
        shift: Beats,
        /// Who moved them.
        by: Origin,
    },
    /// Start or stop.
    PlayingChanged {
        /// Whether it plays.
        is_playing: bool,
        /// Who changed it.
        by: Origin,
    },
    /// This node takes part in sessions, or left.
    EnabledChanged {
        /// Whether it takes part.
        is_enabled: bool,
    },
    /// The quantum.
    QuantumChanged {
        /// The new quantum.
        quantum: Quantum,
    },
}

/// What a call of a node asks for and reports, in order. The caller takes it after each call.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// What is to be sent.
    pub actions: Vec<Action>,
    /// What has changed.
    pub events: Vec<Event>,
}
