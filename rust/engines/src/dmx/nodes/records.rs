//! What the browser reports.

use crate::dmx::station::Numbered;
use crate::lane::Record;
use rustle_lighting::artnet::Style;
use rustle_lighting::nodes::{Node, NodeState};
use rustle_lighting::{Name, PortAddress};
use std::net::Ipv4Addr;

/// The Port-Addresses of a node that a record has at most.
pub const DMX_NODE_PORTS: usize = 64;

/// What happened to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DmxNodeChange {
    /// It is new, or was there when the session began.
    Appeared,
    /// Its names or Port-Addresses changed.
    Changed,
    /// It left a poll unanswered for 3 s.
    Late,
    /// It left three such polls unanswered.
    Lost,
    /// It answers again.
    Returned,
}

/// A node, after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmxNode {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The time in nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// What happened.
    pub change: DmxNodeChange,
    /// Whether it answers.
    pub state: NodeState,
    /// What it is.
    pub style: Style,
    /// The address from which it answers.
    pub address: Ipv4Addr,
    /// Its MAC address; zeros: unknown.
    pub mac: [u8; 6],
    /// Its firmware's version.
    pub firmware: u16,
    /// Its OEM code.
    pub oem: u16,
    /// Its maker's ESTA code.
    pub esta: u16,
    /// Its place in the table, 0 to 1,023. A new node takes the place of that which has been lost longest when all are taken.
    pub place: u32,
    /// Its short name.
    pub short_name: Name<18>,
    /// Its long name.
    pub long_name: Name<64>,
    /// The number of its Port-Addresses; `ports` has the first ones.
    pub port_count: u32,
    /// Its Port-Addresses, in the order of its replies; zeros behind them.
    pub ports: [u16; DMX_NODE_PORTS],
}

impl Record for DmxNode {
    fn key(&self) -> u32 {
        self.place
    }
}

impl Numbered for DmxNode {
    fn set_sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
    }
}

impl DmxNode {
    /// The record of a node.
    pub(super) fn new(time_ns: i64, change: DmxNodeChange, place: usize, node: &Node) -> Self {
        let mut ports = [0; DMX_NODE_PORTS];
        for (port, listed) in ports.iter_mut().zip(node.subscriptions()) {
            *port = PortAddress::get(listed);
        }
        let reply = node.reply();
        Self {
            sequence: 0,
            time_ns,
            change,
            state: node.state(),
            style: node.style(),
            address: node.ip(),
            mac: reply.mac,
            firmware: reply.firmware,
            oem: reply.oem,
            esta: reply.esta,
            place: place as u32,
            short_name: node.short_name(),
            long_name: node.long_name(),
            port_count: node.subscriptions().count() as u32,
            ports,
        }
    }
}

/// The counts of a browser so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DmxNodesCounts {
    /// Polls that were sent, one for all destinations.
    pub polls: u64,
    /// Datagrams that the system refused to send.
    pub refused: u64,
    /// Replies of nodes.
    pub replies: u64,
    /// Replies to the polls of others, and to our own, that were sent.
    pub answers: u64,
    /// Malformed datagrams.
    pub malformed: u64,
    /// Packets of other kinds.
    pub others: u64,
    /// Errors of sockets while reading.
    pub socket_errors: u64,
    /// Replies of nodes for which the table had no place.
    pub excess: u64,
}
