//! A session that is compatible with Ableton Link, discovery format version 1: several programs of a network have one tempo, one phase
//! and, where they want it, one start and stop.
//!
//! [`Node`] is one member, given messages and host times; it writes what is to be sent and what has changed to an [`Output`], and says
//! when it is to be called next. [`Snapshot`] holds what beats are computed from.

mod discovery;
mod ghost;
mod identity;
mod malformed;
mod measurement;
mod node;
mod output;
mod peers;
mod ping;
mod responder;
mod sessions;
mod snapshot;
mod tracker;

pub use discovery::{Kind, Message, PeerState, StartStop, parse};
pub use ghost::GhostMap;
pub use identity::{NodeId, SessionId};
pub use malformed::Malformed;
pub use node::{Counters, Node, NodeSettings};
pub use output::{Action, Event, GatewayId, Origin, Output, Packet};
pub use peers::{MAX_PEERS, Peer};
pub use ping::{MAX_PAYLOAD, Pong, parse_ping, parse_pong, ping, pong};
pub use responder::{PINGS_PER_SECOND, Responder};
pub use sessions::MAX_SESSIONS;
pub use snapshot::{SNAPSHOT_WORDS, Snapshot};

use std::net::Ipv4Addr;

/// The group of discovery.
pub const GROUP: Ipv4Addr = Ipv4Addr::new(224, 76, 78, 75);
/// The port of discovery.
pub const PORT: u16 = 20_808;
/// A message is shorter than this many bytes.
pub const MESSAGE_BYTES: usize = 512;
