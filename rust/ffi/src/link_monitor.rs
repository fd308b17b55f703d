//! A listener that decodes the messages by which members of tempo sessions find each other.

use crate::fault::Outcome;
use crate::lane::RustleLaneRequest;
use crate::lent::{choices, same, Choice, Flag, RustleString};
use crate::object::{New, Object};
use crate::records::records;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use crate::{runtime, RustleHandle};
use rustle_engines::{LinkDatagram, LinkMonitor, LinkMonitorConfiguration, Sessions, TempoError};
use rustle_tempo::beats::Time;
use rustle_tempo::link::{Kind, Malformed, Message, PeerState};

choices! {
    /// What a datagram of discovery is.
    pub enum RustleLinkMessage = RUSTLE_LINK_ {
        /// A member is there: sent to all, several times a second.
        Alive = 0,
        /// The answer to it.
        Response = 1,
        /// A member leaves.
        Leaving = 2,
        /// It is no message.
        Malformed = 3,
    }

    /// Why a datagram is no message.
    pub enum RustleLinkFault = RUSTLE_LINK_FAULT_ {
        /// It is one.
        None = 0,
        /// It has 512 bytes or more.
        Length = 1,
        /// The header is not that of discovery, version 1.
        Header = 2,
        /// The type is none of the header's.
        Type = 3,
        /// The group id is not 0.
        Group = 4,
        /// An entry is longer than the rest of the message.
        Entry = 5,
        /// An entry of a known key has another size.
        Size = 6,
        /// An entry that the type needs is missing.
        Missing = 7,
        /// The tempo is not positive.
        Tempo = 8,
        /// A time or a number of beats is beyond 2^62.
        Range = 9,
        /// The payload of a measurement is too long.
        Payload = 10,
    }
}

same!(Malformed as RustleLinkFault: Length Header Type Group Entry Size Missing Tempo Range Payload);

records! {
    /// The configuration of a monitor. Texts are read during the call only.
    pub struct RustleLinkMonitorConfiguration lending memory {
        /// The interfaces by name or address, separated by commas; empty: the loopback; `all`; `demo`: messages of three members come
        /// without a network. Example: "demo".
        pub interfaces: RustleString,
        /// The messages a second with `demo`, 0.001 to 10,000,000. Example: 1000.
        pub messages_per_second: f64,
        /// The number of datagrams after which a session ends; 0: no limit.
        pub message_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The port of the session's programs, 1 to 65535; 0: 20808.
        pub port: u32,
        reserved: u32,
    }

    /// A datagram of discovery. The fields of a member's state are 0 where `kind` is neither alive nor response.
    pub struct RustleLinkDatagram in lanes of LinkDatagram {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The host time at which it was read, in microseconds.
        pub host_us: i64 = |datagram| datagram.host.micros(),
        /// The id of the member, its first byte the highest; 0 where `kind` is malformed.
        pub node: u64 = |datagram| match &datagram.message {
            Ok(Message::Present { node, .. } | Message::Leaving { node }) => u64::from_be_bytes(*node.bytes()),
            Err(_) => 0,
        },
        /// The id of the member's session.
        pub session: u64 = |datagram| state(datagram).map_or(0, |state| u64::from_be_bytes(*state.session.bytes())),
        /// The session's tempo in beats a minute.
        pub beats_a_minute: f64 = |datagram| state(datagram).map_or(0.0, |state| state.timeline.tempo.bpm()),
        /// The session's beat at `origin_us`.
        pub origin_beats: f64 = |datagram| state(datagram).map_or(0.0, |state| state.timeline.beat_origin.as_f64()),
        /// The time of the session at which its beat is `origin_beats`, in microseconds.
        pub origin_us: i64 = |datagram| state(datagram).map_or(0, |state| state.timeline.time_origin.micros()),
        /// The time of the session's last start or stop, in microseconds; 0: it has none.
        pub start_stop_us: i64 = |datagram| start_stop(datagram).map_or(0, |(_, time_us)| time_us),
        /// What it is.
        pub kind: Choice<RustleLinkMessage> = |datagram| match &datagram.message {
            Ok(Message::Present { kind: Kind::Alive, .. }) => RustleLinkMessage::Alive,
            Ok(Message::Present { .. }) => RustleLinkMessage::Response,
            Ok(Message::Leaving { .. }) => RustleLinkMessage::Leaving,
            Err(_) => RustleLinkMessage::Malformed,
        }.into(),
        /// Why it is no message.
        pub fault: Choice<RustleLinkFault> = |datagram| match datagram.message {
            Ok(_) => RustleLinkFault::None.into(),
            Err(malformed) => RustleLinkFault::from(malformed).into(),
        },
        /// The IPv4 address from which it came, its first number highest.
        pub address: u32 = |datagram| (*datagram.from.ip()).into(),
        /// The port from which it came.
        pub port: u32 = |datagram| datagram.from.port().into(),
        /// The address of our interface by which it came.
        pub interface: u32 = |datagram| datagram.interface.into(),
        /// The address at which the member answers measurements; 0: it named none.
        pub responder_address: u32 = |datagram| responder(datagram).map_or(0, |(address, _)| address),
        /// The port at which it does.
        pub responder_port: u32 = |datagram| responder(datagram).map_or(0, |(_, port)| port),
        /// Its bytes; 512 for longer ones.
        pub length: u32,
        /// The seconds for which the member says that its state holds.
        pub time_to_live: u32 = |datagram| match &datagram.message {
            Ok(Message::Present { time_to_live, .. }) => (*time_to_live).into(),
            _ => 0,
        },
        /// Not 0: the last start or stop is a start.
        pub is_playing: Flag = |datagram| start_stop(datagram).is_some_and(|(is_playing, _)| is_playing).into(),
        /// On a batched lane the number of datagrams dropped just before this one; 0 on the per-value lane.
        pub gap: u32,
        reserved: u32,
    }
}

fn state(datagram: &LinkDatagram) -> Option<&PeerState> {
    match &datagram.message {
        Ok(Message::Present { state, .. }) => Some(state),
        _ => None,
    }
}

fn start_stop(datagram: &LinkDatagram) -> Option<(bool, i64)> {
    let start_stop = state(datagram)?.start_stop?;
    Some((start_stop.is_playing, start_stop.time.micros()))
}

fn responder(datagram: &LinkDatagram) -> Option<(u32, u32)> {
    let responder = state(datagram)?.responder?;
    Some(((*responder.ip()).into(), responder.port().into()))
}

/// A monitor.
pub(crate) struct LinkMonitorObject(LinkMonitor);

impl Object for LinkMonitorObject {
    const NAME: &'static str = "link_monitor";
    const KIND: u32 = 24;
    type Error = TempoError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.0.sessions())
    }
}

impl New<RustleLinkMonitorConfiguration> for LinkMonitorObject {
    /// Makes a monitor. Nothing is opened.
    fn new(c: &RustleLinkMonitorConfiguration) -> Outcome<TempoError, Self> {
        CallFault::check_reserved(c.reserved, "configuration.reserved")?;
        let port = u16::try_from(c.port);
        let port = port.map_err(|_| CallFault::number("configuration.port", "0 to 65535", c.port))?;
        let configuration = LinkMonitorConfiguration {
            interfaces: crate::tempo::interfaces(c.interfaces.text("configuration.interfaces")?),
            messages_per_second: c.messages_per_second,
            port: (port != 0).then_some(port),
            limit: (c.message_limit != 0).then_some(c.message_limit),
        };
        let monitor = LinkMonitor::on(runtime::find(c.runtime)?, configuration);
        let (name, range) = ("configuration.messages_per_second", "0.001 to 10000000");
        Ok(Self(monitor.ok_or(CallFault::number(
            name,
            range,
            c.messages_per_second,
        ))?))
    }
}

impl Stream<RustleLaneRequest> for LinkMonitorObject {
    type Record = RustleLinkDatagram;

    /// Opens the interfaces and starts a session of the datagrams that members send to all. Events are `RustleLinkDatagram` records.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_UNKNOWN_INTERFACE`, `RUSTLE_NETWORK_FAILED`.
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<TempoError, Started> {
        let delivery = request.delivery::<RustleLinkDatagram, LinkDatagram>(sink)?;
        let session = self.0.start(delivery).map_err(TempoError::Link)?;
        Ok(Started::of::<RustleLinkDatagram, _>(session))
    }
}
