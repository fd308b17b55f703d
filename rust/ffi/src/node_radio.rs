//! Nodes over Bluetooth LE: scans, and attempts to provision, read or command them.

mod program;

use crate::fault::{DomainError, Outcome};
use crate::lane::{BellSink, RustleLaneRequest};
use crate::lent::{choices, same, Choice, Flag, RustleString};
use crate::object::{New, Object};
use crate::records::records;
use crate::runtime;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::{
    CallFault, RustleStatus, RUSTLE_INVALID_VALUE, RUSTLE_MALFORMED_FILE, RUSTLE_NO_BLUETOOTH,
    RUSTLE_RATE_OUT_OF_RANGE,
};
use crate::RustleHandle;
pub use program::{
    RustleNodeAsk, RustleNodeCause, RustleNodeEvent, RustleNodeEventKind, RustleNodeProgramRequest,
    RustleNodeRequest,
};
use rustle_engines::{
    Delivery, NodeFailure, NodeOrder, NodeRadio, NodeRadioConfiguration, NodeRadioError, NodeSighting,
    NodeTask, NodeUpdate, Overflow, Sessions,
};
use rustle_provisioning::{Flag as NodeFlag, Limits, NodeChange, Secret, State, Wanted};
use std::time::Duration;

/// In place of the flag of a node that has none.
pub const RUSTLE_NODE_NO_FLAG: u32 = 256;
/// In place of a universe or a start address that is not two bytes, or was not read.
pub const RUSTLE_NODE_NO_NUMBER: u32 = 65_536;
/// In place of a signal that is not known.
pub const RUSTLE_NODE_NO_SIGNAL: i32 = 127;
/// In place of the length of a value that does not wait.
pub const RUSTLE_NODE_NO_VALUE: usize = 65_536;

/// The longest time limit.
const LONGEST_NS: u64 = 3_600_000_000_000;

choices! {
    /// What happened to a node.
    pub enum RustleNodeChange = RUSTLE_NODE_ {
        /// It is new.
        Appeared = 1,
        /// Its name, flag, firmware or signal changed, or it was seen again.
        Changed = 2,
        /// It was not seen for 10 s.
        Gone = 3,
    }

    /// What is to be done with a node.
    pub enum RustleNodeOrder = RUSTLE_NODE_ORDER_ {
        /// Give it values, and verify them.
        Provision = 0,
        /// Read its values.
        Read = 1,
        /// Restart it.
        Reboot = 2,
        /// Make it forget its values.
        FactoryReset = 3,
        /// Give the nodes of a table values, one after the other.
        Table = 4,
    }

    /// Where an attempt is.
    pub enum RustleNodeState = RUSTLE_NODE_STATE_ {
        /// It has not begun.
        Idle = 0,
        /// Looking for the node.
        Scanning = 1,
        /// Connecting, until all characteristics are there.
        Connecting = 2,
        /// Reading the node's values.
        ReadingConfig = 3,
        /// Writing, and reading back.
        WritingConfig = 4,
        /// Waiting for what the node says after the command.
        Applying = 5,
        /// Comparing everything again.
        Verifying = 6,
        /// Ended well.
        Success = 7,
        /// Ended by an error.
        Error = 8,
    }

    /// Why an attempt failed.
    pub enum RustleNodeFailure = RUSTLE_NODE_FAILED_ {
        /// It did not fail.
        None = 0,
        /// No node takes the values.
        Refused = 1,
        /// The system has no Bluetooth service.
        NoBluetooth = 2,
        /// There is no adapter, or none of the wanted name.
        NoAdapter = 3,
        /// The adapter is off.
        AdapterOff = 4,
        /// The user may not use Bluetooth.
        NotAuthorized = 5,
        /// The node was not seen, or none was.
        NotFound = 6,
        /// No try connected.
        NotConnected = 7,
        /// The node lacks characteristics of the service.
        NotOurService = 8,
        /// The node does not pair, and an encrypted link was demanded.
        NotEncrypted = 9,
        /// A step had no answer in its time.
        TimedOut = 10,
        /// A step was answered by an error.
        Failed = 11,
        /// The node holds another value than was written.
        ReadBackDiffers = 12,
        /// The node refused the values.
        ValuesRefused = 13,
        /// The node did not join the network.
        NetworkRefused = 14,
        /// The link went down.
        LinkLost = 15,
        /// The node did not say in its time that it is provisioned.
        Silent = 16,
        /// The node said that it is provisioned, and then something else.
        NotVerified = 17,
        /// The whole attempt took too long.
        AttemptTimedOut = 18,
        /// It was cancelled.
        Cancelled = 19,
        /// Several nodes have the name, or an earlier row of the table has the node.
        Ambiguous = 23,
    }
}

same!(NodeChange as RustleNodeChange: Appeared Changed Gone);
same!(State as RustleNodeState: Idle Scanning Connecting ReadingConfig WritingConfig Applying Verifying Success Error);
same!(NodeFailure as RustleNodeFailure: None Refused NoBluetooth NoAdapter AdapterOff NotAuthorized NotFound NotConnected NotOurService NotEncrypted TimedOut Failed ReadBackDiffers ValuesRefused NetworkRefused LinkLost Silent NotVerified AttemptTimedOut Cancelled Ambiguous);

records! {
    /// The configuration of a radio. Texts are read during the call only.
    pub struct RustleNodeRadioConfiguration lending memory {
        /// The adapter, by its name (`hci1`) or address; empty: the first that is on; `demo`: nodes come without a radio; `program`: the
        /// caller is the radio.
        /// Example: "demo".
        pub adapter: RustleString,
        /// The sightings of each node a second with `demo`, 0.001 to 10,000,000. Example: 1000.
        pub changes_per_second: f64,
        /// The number of sightings after which a scan ends; 0: no limit.
        pub changes_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
    }

    /// A node that a scan sees, after a change.
    pub struct RustleNodeSighting in lanes of NodeSighting {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The time in nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// What happened.
        pub change: Choice<RustleNodeChange> = |node| RustleNodeChange::from(node.change).into(),
        /// Its index in the list, 0 to 1,023; it keeps it while it is there.
        pub index: u32 = |node| node.place,
        /// Its signal in dBm, smoothed over about a second.
        pub rssi: f32,
        /// Its flag, 0 to 255; `RUSTLE_NODE_NO_FLAG`: it advertises none.
        pub flag: u32 = |node| flag_number(node.flag),
        /// Whether it advertises its firmware.
        pub has_firmware: Flag = |node| node.firmware.is_some().into(),
        /// The firmware's major version.
        pub major: u32 = |node| node.firmware.map_or(0, |(major, _)| major.into()),
        /// The firmware's minor version.
        pub minor: u32 = |node| node.firmware.map_or(0, |(_, minor)| minor.into()),
        /// On a batched lane the number of sightings dropped just before this one (with `RUSTLE_LANE_CONFLATE`: of its own node); 0 on
        /// the per-value lane.
        pub gap: u32,
        /// The bytes of `id` in use.
        pub id_length: u32 = |node| node.id.length,
        /// The bytes of `name` in use; 0: it advertises none.
        pub name_length: u32 = |node| node.name.length,
        /// What the radio calls it: with BlueZ its address.
        pub id: [u8; 40] = |node| node.id.bytes,
        /// Its name.
        pub name: [u8; 32] = |node| node.name.bytes,
    }

    /// An order for a node, or for those of a table. Texts are read during the call only. Times of 0 are the defaults; others are at
    /// most an hour.
    pub struct RustleNodeTaskRequest lending memory {
        /// The node's name or identifier; empty: the strongest, except for a factory reset. Not read for a table.
        pub node: RustleString,
        /// The name to give, 1 to 32 bytes. This and the next five are read for values to give only. Example: "lamp".
        pub name: RustleString,
        /// The network's name (SSID), 1 to 32 bytes. Example: "stage".
        pub ssid: RustleString,
        /// The network's password, at most 64 bytes; empty: an open network. It goes in clear over the air.
        pub password: RustleString,
        /// A table as CSV with the columns `node`, `name`, `universe`, `start`, and if wanted `ssid` and `footprint`. For the order of
        /// that name. Example: "node,name,universe,start".
        pub table: RustleString,
        /// The limit of the whole attempt in nanoseconds, without the disconnection; 0: 20 s.
        pub attempt_ns: u64,
        /// Until the node is seen; 0: 10 s.
        pub scan_ns: u64,
        /// Of a try to connect; 0: 5 s.
        pub connect_ns: u64,
        /// Until all characteristics are there; 0: 5 s.
        pub services_ns: u64,
        /// Of a read or a write; 0: 5 s.
        pub operation_ns: u64,
        /// From the command until the node is provisioned; 0: 15 s.
        pub apply_ns: u64,
        /// Of the verification; 0: 5 s.
        pub verify_ns: u64,
        /// Of the disconnection; 0: 5 s.
        pub disconnect_ns: u64,
        /// The size of the ring for updates, 1 to 1,048,576; a full one drops its oldest. Example: 64.
        pub capacity: usize,
        /// What is to be done. Example: 1.
        pub order: Choice<RustleNodeOrder>,
        /// The universe to give, 0 to 32767.
        pub universe: u32,
        /// The start address to give, 1 to 512. Example: 1.
        pub start: u32,
        /// The slots from the start address on, which have to be in the universe; 0: not known.
        pub footprint: u32,
        /// Whether the link is to be encrypted: the node is paired with first, or nothing is done.
        pub must_encrypt: Flag,
        reserved: u32,
    }

    /// A change of an attempt's state. The last one has the state `RUSTLE_NODE_STATE_SUCCESS` or `…_ERROR`.
    pub struct RustleNodeUpdate in lanes of NodeUpdate {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// Nanoseconds since the attempt's start.
        pub elapsed_ns: u64 = |update| update.elapsed.as_nanos() as u64,
        /// The state that begins.
        pub state: Choice<RustleNodeState> = |update| RustleNodeState::from(update.state).into(),
        /// Why it failed.
        pub failure: Choice<RustleNodeFailure> = |update| RustleNodeFailure::from(update.failure).into(),
        /// The index of the node in the table, from 0; without a table 0.
        pub index: u32 = |update| update.place.0,
        /// The number of nodes of the table; without one 1.
        pub nodes: u32 = |update| update.place.1,
        /// The try to connect, from 1; 0 before the first.
        pub attempt: u32,
        /// The fraction of the attempt that is behind it, 0 to 1.
        pub progress: f32,
        /// Its signal in dBm when it was last seen; `RUSTLE_NODE_NO_SIGNAL`: there is no node yet.
        pub rssi: i32 = |update| update.rssi.map_or(RUSTLE_NODE_NO_SIGNAL, i32::from),
        /// Its universe as read; `RUSTLE_NODE_NO_NUMBER`: none.
        pub universe: u32 = |update| update.universe.map_or(RUSTLE_NODE_NO_NUMBER, u32::from),
        /// Its start address as read; `RUSTLE_NODE_NO_NUMBER`: none.
        pub start: u32 = |update| update.start.map_or(RUSTLE_NODE_NO_NUMBER, u32::from),
        /// Its flag as read; `RUSTLE_NODE_NO_FLAG`: none.
        pub flag: u32 = |update| flag_number(update.flag),
        /// The number of updates dropped just before this one.
        pub gap: u32,
        /// Whether its values were read.
        pub has_configuration: Flag = |update| update.has_configuration.into(),
        /// Whether the link is down. With the last update it is, unless the disconnection was not confirmed.
        pub is_disconnected: Flag = |update| update.is_disconnected.into(),
        /// The bytes of `id` in use.
        pub id_length: u32 = |update| update.id.length,
        /// The bytes of `advertised` in use.
        pub advertised_length: u32 = |update| update.advertised.length,
        /// The bytes of `name` in use.
        pub name_length: u32 = |update| update.name.length,
        /// The bytes of `ssid` in use.
        pub ssid_length: u32 = |update| update.ssid.length,
        /// The bytes of `firmware` in use.
        pub firmware_length: u32 = |update| update.firmware.length,
        /// The bytes of `text` in use.
        pub text_length: u32 = |update| update.text.length,
        /// The node's identifier; before it was seen the wanted name or identifier.
        pub id: [u8; 40] = |update| update.id.bytes,
        /// The name that it advertised.
        pub advertised: [u8; 32] = |update| update.advertised.bytes,
        /// Its name as read.
        pub name: [u8; 32] = |update| update.name.bytes,
        /// Its network as read.
        pub ssid: [u8; 32] = |update| update.ssid.bytes,
        /// Its firmware as read.
        pub firmware: [u8; 32] = |update| update.firmware.bytes,
        /// What failed, and what was expected and came instead.
        pub text: [u8; 240] = |update| update.text.bytes,
        reserved: [u8; 4],
    }
}

/// A flag's number.
fn flag_number(flag: Option<NodeFlag>) -> u32 {
    flag.map_or(RUSTLE_NODE_NO_FLAG, |flag| flag.number().into())
}

impl DomainError for NodeRadioError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Rate { .. } => RUSTLE_RATE_OUT_OF_RANGE,
            Self::Refused(_) | Self::NoNode => RUSTLE_INVALID_VALUE,
            Self::Table(refusals) if refusals.iter().all(|refusal| refusal.is_value) => RUSTLE_INVALID_VALUE,
            Self::Table(_) => RUSTLE_MALFORMED_FILE,
            Self::NoBluetooth { .. } => RUSTLE_NO_BLUETOOTH,
            Self::Start(error) => error.status(),
        }
    }
}

/// A radio for nodes.
pub(crate) struct NodeRadioObject(NodeRadio);

impl Object for NodeRadioObject {
    const NAME: &'static str = "node_radio";
    const KIND: u32 = 26;
    type Error = NodeRadioError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.0.sessions())
    }
}

impl New<RustleNodeRadioConfiguration> for NodeRadioObject {
    /// Makes a radio for nodes. Nothing is opened.
    ///
    /// Fails with `RUSTLE_RATE_OUT_OF_RANGE`.
    fn new(c: &RustleNodeRadioConfiguration) -> Outcome<NodeRadioError, Self> {
        let configuration = NodeRadioConfiguration {
            adapter: c.adapter.text("configuration.adapter")?.to_owned(),
            changes_per_second: c.changes_per_second,
            change_limit: (c.changes_limit != 0).then_some(c.changes_limit),
        };
        Ok(Self(NodeRadio::on(runtime::find(c.runtime)?, configuration)?))
    }
}

impl Stream<RustleLaneRequest> for NodeRadioObject {
    type Record = RustleNodeSighting;

    /// Starts a session of a scan: the nodes in range, and each change. It fails when there is no adapter, or none that is on; the text
    /// begins with `noBluetooth: `, `noAdapter: `, `adapterOff: `, `notAuthorized: `, `timedOut: ` or `failed: `. Events are
    /// `RustleNodeSighting` records.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_NO_BLUETOOTH`.
    #[doc(alias = "rustle_node_radio_start_scan")]
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<NodeRadioError, Started> {
        let delivery = request.delivery::<RustleNodeSighting, NodeSighting>(sink)?;
        Ok(Started::of::<RustleNodeSighting, _>(self.0.scan(delivery)?))
    }
}

impl Stream<RustleNodeTaskRequest> for NodeRadioObject {
    type Record = RustleNodeUpdate;

    /// Starts a session of an attempt, or of one for each row of a table, one after the other. It ends with the last state of the last
    /// one. When it is cancelled, its release comes when the node is disconnected. Updates are drained as `RustleNodeUpdate` records; a
    /// full lane drops its oldest.
    ///
    /// Fails with `RUSTLE_INVALID_VALUE` (values that no node takes: the text names all of them; a factory reset of nobody), `RUSTLE_MALFORMED_FILE` (the table),
    /// `RUSTLE_INVALID_LENGTH`, `RUSTLE_NO_BLUETOOTH`.
    #[doc(alias = "rustle_node_radio_start_task")]
    fn start(&self, request: &RustleNodeTaskRequest, sink: RawSink) -> Outcome<NodeRadioError, Started> {
        let task = request.task()?;
        let delivery = pulling(request.capacity, sink)?;
        Ok(Started::of::<RustleNodeUpdate, _>(
            self.0.attempt(task, delivery)?,
        ))
    }
}

/// The delivery by a ring of this size.
fn pulling<T>(capacity: usize, sink: RawSink) -> Result<Delivery<T>, CallFault> {
    let delivery = Delivery::pull(Overflow::DropOldest, capacity, BellSink(sink));
    delivery.ok_or_else(|| CallFault::length("request.capacity", "1 to 1048576 elements", capacity))
}

impl RustleNodeTaskRequest {
    /// The task. Errors: a text is not UTF-8, a choice or a time is out of its range.
    fn task(&self) -> Result<NodeTask, CallFault> {
        CallFault::check_reserved(self.reserved, "request.reserved")?;
        let (name, ssid) = (self.name.text("request.name")?, self.ssid.text("request.ssid")?);
        let password = self.password.text("request.password")?;
        let table = self.table.file("request.table")?;
        let wanted = || Wanted {
            name: name.to_owned(),
            ssid: ssid.to_owned(),
            password: Secret::new(password.as_bytes().to_vec()),
            universe: self.universe,
            start: self.start,
            footprint: (self.footprint != 0).then_some(self.footprint),
        };
        Ok(NodeTask {
            order: match self.order.get("request.order")? {
                RustleNodeOrder::Provision => NodeOrder::Provision(wanted()),
                RustleNodeOrder::Read => NodeOrder::Read,
                RustleNodeOrder::Reboot => NodeOrder::Reboot,
                RustleNodeOrder::FactoryReset => NodeOrder::FactoryReset,
                RustleNodeOrder::Table => NodeOrder::Table(table.to_owned(), wanted()),
            },
            node: self.node.text("request.node")?.to_owned(),
            limits: self.limits()?,
            must_encrypt: self.must_encrypt.is_set(),
        })
    }

    fn limits(&self) -> Result<Limits, CallFault> {
        let mut limits = Limits::default();
        for (limit, given, name) in [
            (&mut limits.attempt, self.attempt_ns, "request.attempt_ns"),
            (&mut limits.scan, self.scan_ns, "request.scan_ns"),
            (&mut limits.connect, self.connect_ns, "request.connect_ns"),
            (&mut limits.services, self.services_ns, "request.services_ns"),
            (&mut limits.operation, self.operation_ns, "request.operation_ns"),
            (&mut limits.apply, self.apply_ns, "request.apply_ns"),
            (&mut limits.verify, self.verify_ns, "request.verify_ns"),
            (
                &mut limits.disconnect,
                self.disconnect_ns,
                "request.disconnect_ns",
            ),
        ] {
            match given {
                0 => {}
                1..=LONGEST_NS => *limit = Duration::from_nanos(given),
                _ => {
                    let seconds = given / 1_000_000_000;
                    return Err(CallFault::number(name, "at most 3600 s", seconds as usize));
                }
            }
        }
        Ok(limits)
    }
}

impl NodeRadioObject {
    /// Takes what the program's radio reports. `bytes` are the value that was read or notified; of a node that is seen the bytes of its
    /// manufacturer data after the company, or none; of characteristics the last byte of each one's UUID. Void for a client that is gone.
    ///
    /// Fails with `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_LENGTH` (the identifier).
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `bytes_count` 3.
    #[doc(alias = "rustle_node_radio_report")]
    pub(crate) fn report(&self, event: &RustleNodeEvent, bytes: &[u8]) -> Outcome<NodeRadioError> {
        CallFault::check_reserved(event.reserved, "event.reserved")?;
        Ok(self.0.report(event.client, event.read(bytes)?)?)
    }

    /// Writes the value of a write to `value`, if there is room for all of it: 64 bytes do. It can be taken once. `length` receives its
    /// bytes, 0 of the password of an open network; `RUSTLE_NODE_NO_VALUE`: it was taken, or the write is void, as its client is gone or
    /// has asked for something else, and nothing is to be written.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `value_capacity` 64.
    #[doc(alias = "rustle_node_radio_value")]
    pub(crate) fn value(&self, client: u32, token: u32, value: &mut [u8]) -> Outcome<NodeRadioError, usize> {
        let Some((length, taken)) = self.0.value(client, token, value.len()) else {
            return Ok(RUSTLE_NODE_NO_VALUE);
        };
        if let Some(taken) = taken {
            value[..length].copy_from_slice(taken.bytes());
        }
        Ok(length)
    }
}
