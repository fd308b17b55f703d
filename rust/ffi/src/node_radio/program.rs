//! The program that is the radio itself: what it is asked for, and what it reports.

use super::{pulling, NodeRadioObject, RUSTLE_NODE_NO_SIGNAL};
use crate::fault::Outcome;
use crate::lent::{choices, same, Choice, RustleString};
use crate::records::records;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use rustle_engines::{NodeAsk, NodeRadioError, NodeRequest};
use rustle_provisioning::{Advertisement, Cause, CauseKind, Characteristic, Event, Reply};

/// The bytes of a node's identifier at most.
const MOST_ID: usize = 40;

choices! {
    /// What the program's radio is asked for. Each has one answer, except `Close`.
    pub enum RustleNodeAsk = RUSTLE_NODE_ASK_ {
        /// Report the nodes that are seen.
        Scan = 0,
        /// End the scan.
        StopScan = 1,
        /// Connect to a node.
        Connect = 2,
        /// Report the characteristics: before the answer.
        Services = 3,
        /// Pair with the node.
        Pair = 4,
        /// Read a value.
        Read = 5,
        /// Write a value with an acknowledgement.
        Write = 6,
        /// Report changes of the flag.
        Subscribe = 7,
        /// Report no more of them.
        Unsubscribe = 8,
        /// Disconnect, or end a connection that is being made: answered when the link is down.
        Disconnect = 9,
        /// The client is gone: end all that it asked for.
        Close = 10,
    }

    /// What the program's radio reports.
    pub enum RustleNodeEventKind = RUSTLE_NODE_EVENT_ {
        /// The request is done.
        Done = 0,
        /// The request is done: the value that was read.
        Value = 1,
        /// The request failed.
        Failed = 2,
        /// A node was seen.
        Seen = 3,
        /// The characteristics.
        Found = 4,
        /// The flag changed.
        Notified = 5,
        /// The link went down.
        Disconnected = 6,
        /// The adapter is gone or off, and every link with it.
        Lost = 7,
    }

    /// Why a radio did not do what it was asked for.
    pub enum RustleNodeCause = RUSTLE_NODE_CAUSE_ for CauseKind {
        /// Another reason.
        Other = 0,
        /// The system has no Bluetooth.
        NoBluetooth = 1,
        /// There is no adapter.
        NoAdapter = 2,
        /// The adapter is off.
        AdapterOff = 3,
        /// The user may not use Bluetooth.
        NotAuthorized = 4,
        /// The link is down.
        NotConnected = 5,
    }
}

same!(NodeAsk as RustleNodeAsk: Scan StopScan Connect Services Pair Read Write Subscribe Unsubscribe Disconnect Close);

records! {
    /// A session of what the program's radio is asked for.
    pub struct RustleNodeProgramRequest {
        /// The size of the ring for requests, 1 to 1,048,576; a full one drops its oldest. Example: 64.
        pub capacity: usize,
    }

    /// What the program's radio is asked for.
    pub struct RustleNodeRequest in lanes of NodeRequest {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The number of the scan or the session of attempts that asks: each has a link of its own.
        pub client: u32,
        /// The number that the answer bears.
        pub token: u32,
        /// What is asked for.
        pub ask: Choice<RustleNodeAsk> = |request| RustleNodeAsk::from(request.ask).into(),
        /// The last byte of the UUID of the characteristic to read or write; else 0.
        pub characteristic: u32 = |request| request.characteristic.map_or(0, |one| one.last_byte().into()),
        /// The number of requests dropped just before this one.
        pub gap: u32,
        /// The bytes of `id` in use.
        pub id_length: u32 = |request| request.id.length,
        /// The identifier of the node to connect to.
        pub id: [u8; 40] = |request| request.id.bytes,
    }

    /// What the program's radio reports. Texts are read during the call only.
    pub struct RustleNodeEvent lending memory {
        /// A node's identifier, at most 40 bytes, when it is seen.
        pub id: RustleString,
        /// The name of a node that is seen, or of the error.
        pub name: RustleString,
        /// The error's text.
        pub text: RustleString,
        /// The number of the client, from its request.
        pub client: u32,
        /// The number of the request, with its answer.
        pub token: u32,
        /// What is reported.
        pub kind: Choice<RustleNodeEventKind>,
        /// Why the request failed, or the radio is lost.
        pub cause: Choice<RustleNodeCause>,
        /// The signal of a node that is seen in dBm; `RUSTLE_NODE_NO_SIGNAL`: not known.
        pub rssi: i32,
        reserved: u32,
    }
}

impl Stream<RustleNodeProgramRequest> for NodeRadioObject {
    type Record = RustleNodeRequest;

    /// Starts a session of what the program's radio is asked for, where the adapter is `program`. The last one to begin has all. A
    /// shutdown does not end it, as nodes are disconnected after that: it ends when the radio is freed and they are. Requests are drained
    /// as `RustleNodeRequest` records; a full lane drops its oldest.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`.
    #[doc(alias = "rustle_node_radio_start_requests")]
    fn start(&self, request: &RustleNodeProgramRequest, sink: RawSink) -> Outcome<NodeRadioError, Started> {
        let delivery = pulling(request.capacity, sink)?;
        Ok(Started::of::<RustleNodeRequest, _>(self.0.requests(delivery)?))
    }
}

impl RustleNodeEvent {
    /// The event. Errors: a text is not UTF-8, a choice is out of its range, an identifier is longer than a request has room for.
    pub(super) fn read(&self, bytes: &[u8]) -> Result<Event, CallFault> {
        let (id, name) = (self.id.text("event.id")?, self.name.text("event.name")?);
        if id.len() > MOST_ID {
            return Err(CallFault::length("event.id", "at most 40 bytes", id.len()));
        }
        let text = self.text.text("event.text")?;
        let cause = Cause::new(self.cause.get("event.cause")?.into(), name, text);
        let token = self.token;
        let answer = |result| Event::Answer { token, result };
        Ok(match self.kind.get("event.kind")? {
            RustleNodeEventKind::Done => answer(Ok(Reply::Done)),
            RustleNodeEventKind::Value => answer(Ok(Reply::Value(bytes.to_vec()))),
            RustleNodeEventKind::Failed => answer(Err(cause)),
            RustleNodeEventKind::Seen => Event::Seen(Advertisement {
                id: id.to_owned(),
                name: name.to_owned(),
                rssi: i16::try_from(self.rssi)
                    .ok()
                    .filter(|_| self.rssi != RUSTLE_NODE_NO_SIGNAL),
                state: bytes.first_chunk().copied(),
            }),
            RustleNodeEventKind::Found => Event::Found {
                characteristics: bytes
                    .iter()
                    .filter_map(|last| Characteristic::of_last_byte(*last))
                    .collect(),
                is_complete: true,
            },
            RustleNodeEventKind::Notified => Event::Notified(bytes.to_vec()),
            RustleNodeEventKind::Disconnected => Event::Disconnected,
            RustleNodeEventKind::Lost => Event::Lost(cause),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RustleNodeRadioConfiguration, RUSTLE_NODE_NO_VALUE};
    use super::*;
    use crate::object::New;
    use crate::status::{Fault, RUSTLE_INVALID_LENGTH};

    #[test]
    fn identifier_that_no_request_has_room_for_is_refused() {
        let status = |id: &'static str| {
            let event = RustleNodeEvent {
                id: RustleString::of(id),
                name: RustleString::of(""),
                text: RustleString::of(""),
                client: 1,
                token: 0,
                kind: RustleNodeEventKind::Seen.into(),
                cause: RustleNodeCause::Other.into(),
                rssi: -40,
                reserved: 0,
            };
            event.read(&[]).err().map(|fault| fault.status())
        };
        assert_eq!(status("6E1F3C9A-0000-4000-8000-000000000001-abc"), None);
        assert_eq!(
            status("6E1F3C9A-0000-4000-8000-000000000001-abcd"),
            Some(RUSTLE_INVALID_LENGTH)
        );
    }

    #[test]
    fn write_that_does_not_wait_has_no_value_not_an_empty_one() {
        let configuration = RustleNodeRadioConfiguration {
            adapter: RustleString::of("program"),
            changes_per_second: 1.0,
            changes_limit: 0,
            runtime: 0,
        };
        let radio = NodeRadioObject::new(&configuration).ok().expect("a radio");
        let length = radio.value(1, 1, &mut [0; 64]).ok();
        assert_eq!(length, Some(RUSTLE_NODE_NO_VALUE));
    }
}
