//! What a receiver reports.

use crate::dmx::DmxProtocol;
use crate::dmx::station::Numbered;
use crate::lane::Record;
use rustle_dsp::BoundedText;
use rustle_lighting::receiver::{ArtNetCounters, ArtNetSource, LossReason, ReceiverEvent, SacnCounters};
use rustle_lighting::{Cid, PortAddress, SLOTS, SacnUniverse};
use std::net::Ipv4Addr;

/// The merged levels of a universe, after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmxLevels {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The number of the change: those of universes that changed together are the same.
    pub change: u64,
    /// The time in nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// The protocol.
    pub protocol: DmxProtocol,
    /// The universe of sACN, or the Port-Address.
    pub universe: u16,
    /// The sources at present.
    pub sources: u16,
    /// The universe's place among those of the receiver: first those of sACN, then the Port-Addresses, each in ascending order.
    pub place: u32,
    /// The levels.
    pub levels: [u8; SLOTS],
}

impl Record for DmxLevels {
    fn key(&self) -> u32 {
        self.place
    }
}

impl Numbered for DmxLevels {
    fn set_sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
    }
}

/// The longest text of an event, in bytes of UTF-8.
pub const DMX_EVENT_TEXT_BYTES: usize = 64;

/// The text of an event.
pub type DmxEventText = BoundedText<DMX_EVENT_TEXT_BYTES>;

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DmxEventKind {
    /// The first packet of a source came; the text is its name.
    SourceAppeared,
    /// A source was silent too long.
    SourceTimedOut,
    /// A source said that it ends.
    SourceTerminated,
    /// Sources of higher priority took a source's place.
    SourceDisplaced,
    /// A source was forgotten, as the program asked for.
    SourceForgotten,
    /// More sources send than the universe merges: others are ignored. Reported once until a place is free.
    SourcesExceeded,
    /// No source is left, and what was configured for that begins.
    UniverseLost,
    /// Synchronization began, or is back.
    SyncHeard,
    /// Synchronization stopped.
    SyncLost,
    /// The group of a synchronization address was not joined, for the reason in the text: its frames are not synchronized.
    GroupRefused,
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmxEvent {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The time in nanoseconds since 1970-01-01T00:00:00Z.
    pub time_ns: i64,
    /// What.
    pub kind: DmxEventKind,
    /// The protocol.
    pub protocol: DmxProtocol,
    /// The universe of sACN, the Port-Address, or the synchronization address; 0 for ArtSync.
    pub universe: u16,
    /// The source's identifier, for sACN.
    pub cid: Option<Cid>,
    /// The source's address; 0.0.0.0 when it is not known.
    pub address: Ipv4Addr,
    /// The source's physical input, for Art-Net.
    pub physical: u8,
    /// The source's name, or a reason.
    pub text: DmxEventText,
}

impl Record for DmxEvent {}

impl Numbered for DmxEvent {
    fn set_sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
    }
}

/// A source, in the terms of either protocol.
pub(super) trait Origin: Copy {
    fn write(self, event: &mut DmxEvent);
}

impl Origin for Cid {
    fn write(self, event: &mut DmxEvent) {
        event.cid = Some(self);
    }
}

impl Origin for ArtNetSource {
    fn write(self, event: &mut DmxEvent) {
        (event.address, event.physical) = (self.address, self.physical);
    }
}

/// A universe, in the terms of either protocol.
pub(super) trait Number: Copy {
    const PROTOCOL: DmxProtocol;
    fn number(self) -> u16;
}

impl Number for SacnUniverse {
    const PROTOCOL: DmxProtocol = DmxProtocol::Sacn;
    fn number(self) -> u16 {
        self.get()
    }
}

impl Number for PortAddress {
    const PROTOCOL: DmxProtocol = DmxProtocol::ArtNet;
    fn number(self) -> u16 {
        self.get()
    }
}

impl DmxEvent {
    /// An event of no source.
    pub(super) fn new(time_ns: i64, kind: DmxEventKind, protocol: DmxProtocol, universe: u16) -> Self {
        Self {
            sequence: 0,
            time_ns,
            kind,
            protocol,
            universe,
            cid: None,
            address: Ipv4Addr::UNSPECIFIED,
            physical: 0,
            text: DmxEventText::new(""),
        }
    }

    /// An event of a receiver; `None` for one of a kind that is not reported.
    pub(super) fn of<U: Number, S: Origin>(time_ns: i64, event: &ReceiverEvent<U, S>) -> Option<Self> {
        let (kind, universe, source) = match *event {
            ReceiverEvent::SourceAppeared { universe, source } => {
                (DmxEventKind::SourceAppeared, Some(universe), Some(source))
            }
            ReceiverEvent::SourceLost {
                universe,
                source,
                reason,
            } => {
                let kind = match reason {
                    LossReason::Terminated => DmxEventKind::SourceTerminated,
                    LossReason::Displaced => DmxEventKind::SourceDisplaced,
                    LossReason::Forgotten => DmxEventKind::SourceForgotten,
                    _ => DmxEventKind::SourceTimedOut,
                };
                (kind, Some(universe), Some(source))
            }
            ReceiverEvent::SourcesExceeded { universe } => {
                (DmxEventKind::SourcesExceeded, Some(universe), None)
            }
            ReceiverEvent::UniverseLost { universe } => (DmxEventKind::UniverseLost, Some(universe), None),
            ReceiverEvent::SyncHeard { address } => (DmxEventKind::SyncHeard, address, None),
            ReceiverEvent::SyncLost { address } => (DmxEventKind::SyncLost, address, None),
            _ => return None,
        };
        let mut made = Self::new(time_ns, kind, U::PROTOCOL, universe.map_or(0, U::number));
        if let Some(source) = source {
            source.write(&mut made);
        }
        Some(made)
    }
}

/// What changed at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    pub(super) levels: Vec<DmxLevels>,
    pub(super) events: Vec<DmxEvent>,
}

/// The counts of a receiver so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DmxReceiverCounts {
    /// Datagrams that were read.
    pub datagrams: u64,
    /// Changes of levels that were reported.
    pub levels: u64,
    /// Replies to ArtPolls that were sent.
    pub replies: u64,
    /// Replies that the system refused to send.
    pub replies_refused: u64,
    /// Errors of sockets while reading.
    pub socket_errors: u64,
    /// Those of sACN.
    pub sacn: SacnCounters,
    /// Those of Art-Net.
    pub art_net: ArtNetCounters,
}
