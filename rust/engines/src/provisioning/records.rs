//! What sessions deliver.

use crate::lane::Record;
use rustle_provisioning::{Configuration, Failure, Flag, Node, NodeChange, State, Update};
use std::time::Duration;

/// A text of at most `N` bytes, cut between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedText<const N: usize> {
    /// The bytes; zeros behind the text.
    pub bytes: [u8; N],
    /// The bytes in use.
    pub length: u32,
}

impl<const N: usize> BoundedText<N> {
    /// The beginning of a text, as much as fits.
    pub fn new(text: &str) -> Self {
        let mut length = text.len().min(N);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes = [0; N];
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self {
            bytes,
            length: length as u32,
        }
    }
}

/// A node that a scan sees, after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSighting {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The time in nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// What happened.
    pub change: NodeChange,
    /// Its place in the list, 0 to 1,023; it keeps it while it is there.
    pub place: u32,
    /// Its signal in dBm, smoothed.
    pub rssi: f32,
    /// Its flag, if it advertises it.
    pub flag: Option<Flag>,
    /// Its firmware's major and minor version, if it advertises them.
    pub firmware: Option<(u8, u8)>,
    /// What the radio calls it: with BlueZ its address.
    pub id: BoundedText<40>,
    /// Its name; empty: none.
    pub name: BoundedText<32>,
}

impl Record for NodeSighting {
    fn key(&self) -> u32 {
        self.place
    }
}

impl NodeSighting {
    pub(super) fn new(change: NodeChange, place: usize, node: &Node, time_ns: i64) -> Self {
        Self {
            sequence: 0,
            time_ns,
            change,
            place: place as u32,
            rssi: node.rssi,
            flag: node.flag,
            firmware: node.firmware,
            id: BoundedText::new(&node.id),
            name: BoundedText::new(&node.name),
        }
    }
}

/// Why an attempt failed, without the particulars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeFailure {
    /// It did not fail.
    None,
    /// No node takes the values.
    Refused,
    /// The system has no Bluetooth service.
    NoBluetooth,
    /// There is no adapter, or none of the wanted name.
    NoAdapter,
    /// The adapter is off.
    AdapterOff,
    /// The user may not use Bluetooth.
    NotAuthorized,
    /// The node was not seen, or none was.
    NotFound,
    /// No try connected.
    NotConnected,
    /// The node lacks characteristics of the service.
    NotOurService,
    /// The node does not pair, and an encrypted link was demanded.
    NotEncrypted,
    /// A step had no answer in its time.
    TimedOut,
    /// A step was answered by an error.
    Failed,
    /// The node holds another value than was written.
    ReadBackDiffers,
    /// The node refused the values.
    ValuesRefused,
    /// The node did not join the network.
    NetworkRefused,
    /// The link went down.
    LinkLost,
    /// The node did not say that it is provisioned.
    Silent,
    /// The node said that it is provisioned, and then something else.
    NotVerified,
    /// The whole attempt took too long.
    AttemptTimedOut,
    /// It was cancelled.
    Cancelled,
    /// Several nodes have the name, or an earlier row of the table has the node.
    Ambiguous,
}

impl NodeFailure {
    fn of(failure: Option<&Failure>) -> Self {
        match failure {
            None => Self::None,
            Some(Failure::Refused(_)) => Self::Refused,
            Some(Failure::NoBluetooth(_)) => Self::NoBluetooth,
            Some(Failure::NoAdapter(_)) => Self::NoAdapter,
            Some(Failure::AdapterOff(_)) => Self::AdapterOff,
            Some(Failure::NotAuthorized(_)) => Self::NotAuthorized,
            Some(Failure::NotFound { .. }) => Self::NotFound,
            Some(Failure::NotConnected { .. }) => Self::NotConnected,
            Some(Failure::NotOurService { .. }) => Self::NotOurService,
            Some(Failure::NotEncrypted(_)) => Self::NotEncrypted,
            Some(Failure::TimedOut { .. }) => Self::TimedOut,
            Some(Failure::Failed { .. }) => Self::Failed,
            Some(Failure::ReadBackDiffers(_)) => Self::ReadBackDiffers,
            Some(Failure::NodeRefused {
                has_tried_network: false,
            }) => Self::ValuesRefused,
            Some(Failure::NodeRefused {
                has_tried_network: true,
            }) => Self::NetworkRefused,
            Some(Failure::LinkLost { .. }) => Self::LinkLost,
            Some(Failure::Silent { .. }) => Self::Silent,
            Some(Failure::NotVerified { .. }) => Self::NotVerified,
            Some(Failure::AttemptTimedOut { .. }) => Self::AttemptTimedOut,
            Some(Failure::Cancelled) => Self::Cancelled,
            Some(Failure::Ambiguous { .. } | Failure::Repeated { .. }) => Self::Ambiguous,
        }
    }
}

/// A change of an attempt's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeUpdate {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The time since the attempt's start.
    pub elapsed: Duration,
    /// The state that begins.
    pub state: State,
    /// Why it failed, with the state `Error`.
    pub failure: NodeFailure,
    /// The failure's text.
    pub text: BoundedText<240>,
    /// The place of the node in the table, from 0, and the nodes of the table; without one 0 and 1.
    pub place: (u32, u32),
    /// The try to connect, from 1; 0 before the first.
    pub attempt: u32,
    /// The fraction of the attempt that is behind it, 0 to 1.
    pub progress: f32,
    /// Its last signal in dBm, once there is a node.
    pub rssi: Option<i16>,
    /// The node's identifier, once there is one; of a table's that was not found the wanted one.
    pub id: BoundedText<40>,
    /// Its name as advertised.
    pub advertised: BoundedText<32>,
    /// Whether its values were read.
    pub has_configuration: bool,
    /// Its name as read.
    pub name: BoundedText<32>,
    /// Its network.
    pub ssid: BoundedText<32>,
    /// Its firmware.
    pub firmware: BoundedText<32>,
    /// Its universe.
    pub universe: Option<u16>,
    /// Its start address.
    pub start: Option<u16>,
    /// Its flag.
    pub flag: Option<Flag>,
    /// Whether the link is down.
    pub is_disconnected: bool,
}

impl Record for NodeUpdate {
    fn key(&self) -> u32 {
        self.place.0
    }
}

impl NodeUpdate {
    /// The record of a change; `wanted` is the node that is looked for.
    pub(super) fn new(update: &Update, place: (u32, u32), wanted: &str) -> Self {
        let nothing = Configuration::default();
        let configuration = update.configuration.as_ref().unwrap_or(&nothing);
        let text = update
            .failure
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let node = update.node.as_ref();
        Self {
            sequence: 0,
            elapsed: update.elapsed,
            state: update.state,
            failure: NodeFailure::of(update.failure.as_ref()),
            text: BoundedText::new(&text),
            place,
            attempt: update.attempt,
            progress: update.progress,
            rssi: node.and_then(|node| node.rssi),
            id: BoundedText::new(node.map_or(wanted, |node| &node.id)),
            advertised: BoundedText::new(node.map_or("", |node| &node.name)),
            has_configuration: update.configuration.is_some(),
            name: BoundedText::new(&configuration.name.lossy()),
            ssid: BoundedText::new(&configuration.ssid.lossy()),
            firmware: BoundedText::new(&configuration.firmware.lossy()),
            universe: configuration.universe,
            start: configuration.start,
            flag: configuration.flag,
            is_disconnected: update.is_disconnected,
        }
    }
}
