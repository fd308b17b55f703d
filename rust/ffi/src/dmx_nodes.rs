//! DMX over IP: the browser of Art-Net's nodes.

use crate::fault::Outcome;
use crate::lane::RustleLaneRequest;
use crate::lent::{choices, same, Choice, RustleString};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::runtime;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use crate::RustleHandle;
use rustle_engines::{
    DmxError, DmxNode, DmxNodeChange, DmxNodes, DmxNodesConfiguration, DmxNodesCounts, Sessions,
    DMX_NODE_PORTS,
};
use rustle_lighting::nodes::NodeState;
use rustle_lighting::Name;

/// The Port-Addresses of a node's record at most.
pub const RUSTLE_DMX_NODE_PORTS: usize = 64;

const _: () = assert!(RUSTLE_DMX_NODE_PORTS == DMX_NODE_PORTS);

choices! {
    /// What happened to a node.
    pub enum RustleDMXNodeChange = RUSTLE_DMX_NODE_ {
        /// It is new, or was there when the session began.
        Appeared = 1,
        /// Its names or Port-Addresses changed.
        Changed = 2,
        /// It left a poll unanswered for 3 s.
        Late = 3,
        /// It left three such polls unanswered.
        Lost = 4,
        /// It answers again.
        Returned = 5,
    }

    /// Whether a node answers.
    pub enum RustleDMXNodeState = RUSTLE_DMX_NODE_IS_ {
        /// It answered the last poll, or has time to.
        Online = 0,
        /// It left a poll unanswered for 3 s.
        Late = 1,
        /// It left three such polls unanswered.
        Lost = 2,
    }
}

same!(DmxNodeChange as RustleDMXNodeChange: Appeared Changed Late Lost Returned);
same!(NodeState as RustleDMXNodeState: Online Late Lost);

records! {
    /// The configuration of a browser of nodes. Texts are read during the call only.
    pub struct RustleDMXNodesConfiguration lending memory {
        /// The interface, one of `rustle_dmx_interfaces` by its name or address; empty: that of the default route; `demo`: nodes
        /// come without a network. Example: "demo".
        pub interface: RustleString,
        /// The addresses to poll, at most 1,024, separated by commas: IPv4 addresses, with or without a port. None: the interface's
        /// directed broadcast.
        pub addresses: RustleString,
        /// Our short name for those who poll, at most 17 bytes.
        pub short_name: RustleString,
        /// Our long name, at most 63 bytes.
        pub long_name: RustleString,
        /// The changes of each node a second with `demo`, 0.001 to 10,000,000. Example: 1000.
        pub changes_per_second: f64,
        /// The number of changes after which a session ends; 0: no limit.
        pub changes_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The port, 1 to 65535; 0: 6454.
        pub port: u32,
        reserved: u32,
    }

    /// A node, after a change.
    pub struct RustleDMXNode in lanes of DmxNode {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The time in nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// The MAC address, its first byte the highest of six; 0: unknown.
        pub mac: u64 = |node| node.mac.iter().fold(0, |mac, byte| mac << 8 | u64::from(*byte)),
        /// What happened.
        pub change: Choice<RustleDMXNodeChange> = |node| RustleDMXNodeChange::from(node.change).into(),
        /// Whether it answers.
        pub state: Choice<RustleDMXNodeState> = |node| RustleDMXNodeState::from(node.state).into(),
        /// The code of its style: 0 a node, 1 a controller, 2 a media server.
        pub style: u32 = |node| node.style.code().into(),
        /// The IPv4 address from which it answers, its first number highest.
        pub address: u32,
        /// Its firmware's version.
        pub firmware: u32,
        /// Its OEM code.
        pub oem: u32,
        /// Its maker's ESTA code.
        pub esta: u32,
        /// Its index in the table, 0 to 1,023. In a full table a new node gets the index of the one that has been lost longest.
        pub index: u32 = |node| node.place,
        /// On a batched lane the number of changes dropped just before this one (with `RUSTLE_LANE_CONFLATE`: of its own node); 0 on
        /// the per-value lane.
        pub gap: u32,
        /// The number of its Port-Addresses, of which `ports` has the first ones.
        pub port_count: u32,
        /// The number of Port-Addresses in `ports`.
        pub ports_count: u32 = |node| node.port_count.min(RUSTLE_DMX_NODE_PORTS as u32),
        /// The bytes of `short_name` in use.
        pub short_name_length: u32 = |node| node.short_name.as_bytes().len() as u32,
        /// The bytes of `long_name` in use.
        pub long_name_length: u32 = |node| node.long_name.as_bytes().len() as u32,
        /// Its Port-Addresses, in the order of its replies.
        pub ports: [u16; RUSTLE_DMX_NODE_PORTS],
        /// Its short name, for display; any bytes.
        pub short_name: [u8; 18] = |node| *node.short_name.field(),
        /// Its long name, for display; any bytes.
        pub long_name: [u8; 64] = |node| *node.long_name.field(),
        reserved: [u8; 2],
    }

    /// The counts of a browser since its socket was opened.
    pub struct RustleDMXNodesCounts for DmxNodesCounts {
        /// Polls that were sent, one for all addresses.
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
}

/// A browser of nodes.
pub(crate) struct DmxNodesObject(DmxNodes);

impl Object for DmxNodesObject {
    const NAME: &'static str = "dmx_nodes";
    const KIND: u32 = 18;
    type Error = DmxError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.0.sessions())
    }
}

impl New<RustleDMXNodesConfiguration> for DmxNodesObject {
    /// Makes a browser of nodes. Nothing is opened.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_MALFORMED_ADDRESS`, `RUSTLE_RATE_OUT_OF_RANGE`.
    fn new(c: &RustleDMXNodesConfiguration) -> Outcome<DmxError, Self> {
        CallFault::check_reserved(c.reserved, "configuration.reserved")?;
        let short = Name::new(c.short_name.text("configuration.short_name")?).map_err(DmxError::Name)?;
        let long = Name::new(c.long_name.text("configuration.long_name")?).map_err(DmxError::Name)?;
        let made = DmxNodesConfiguration::new(short, long);
        let port = match u16::try_from(c.port) {
            Ok(0) => made.port,
            Ok(port) => port,
            Err(_) => return Err(CallFault::number("configuration.port", "0 to 65535", c.port).into()),
        };
        let addresses = c.addresses.text("configuration.addresses")?;
        let addresses = addresses.split(',').filter(|text| !text.is_empty());
        let configuration = DmxNodesConfiguration {
            interface: c.interface.text("configuration.interface")?.to_owned(),
            addresses: addresses.map(str::to_owned).collect(),
            port,
            changes_per_second: c.changes_per_second,
            change_limit: (c.changes_limit != 0).then_some(c.changes_limit),
            ..made
        };
        Ok(Self(DmxNodes::on(runtime::find(c.runtime)?, configuration)?))
    }
}

impl Stream<RustleLaneRequest> for DmxNodesObject {
    type Record = RustleDMXNode;

    /// Opens the socket, unless a session has, and starts a session: the nodes that are known, and then each change. Events are
    /// `RustleDMXNode` records.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_UNKNOWN_INTERFACE`, `RUSTLE_ADDRESS_UNAVAILABLE` (a program does not share the port),
    /// `RUSTLE_NETWORK_FAILED`.
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<DmxError, Started> {
        let session = self.0.start(request.delivery::<RustleDMXNode, DmxNode>(sink)?)?;
        Ok(Started::of::<RustleDMXNode, _>(session))
    }
}

impl Describe<RustleDMXNodesCounts> for DmxNodesObject {
    /// Writes the counts of a browser to `description`; they stay after its last session, and begin anew with the next.
    #[doc(alias = "rustle_dmx_nodes_counts")]
    fn describe(&self) -> Result<RustleDMXNodesCounts, CallFault> {
        Ok(self.0.counts().into())
    }
}
