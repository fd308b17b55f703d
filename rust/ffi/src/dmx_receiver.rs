//! DMX over IP: receivers of sACN and Art-Net.

mod settings;
mod universes;

pub(crate) use settings::ranges;

use crate::dmx::RustleDMXProtocol;
use crate::fault::Outcome;
use crate::lane::{BellSink, RustleLaneRequest};
use crate::lent::{choices, same, Choice, Flag, RustleString};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::runtime;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use crate::RustleHandle;
use rustle_engines::{
    Delivery, DmxError, DmxEvent, DmxEventKind, DmxLevels, DmxProtocol, DmxReceiver, DmxReceiverCounts,
    Overflow, Sessions, DMX_EVENT_TEXT_BYTES,
};
use rustle_lighting::receiver::{MergeMode, SyncRule};
use rustle_lighting::SLOTS;
use universes::{counted, described, half, has_identity, no_source, received};

/// The slots of a universe.
pub const RUSTLE_DMX_SLOTS: usize = 512;
/// The capacity of an event's text in bytes.
pub const RUSTLE_DMX_TEXT_CAPACITY: usize = 64;

const _: () = assert!(RUSTLE_DMX_SLOTS == SLOTS && RUSTLE_DMX_TEXT_CAPACITY == DMX_EVENT_TEXT_BYTES);

choices! {
    /// Which data a synchronization packet shows.
    pub enum RustleDMXSyncRule = RUSTLE_DMX_SYNC_ for SyncRule {
        /// The latest of each universe, as the standards say.
        Latest = 0,
        /// A frame only when all its universes have come; docs/lighting.md has the conditions.
        Whole = 1,
    }

    /// How two sources of a Port-Address are merged.
    pub enum RustleDMXMerge = RUSTLE_DMX_MERGE_ for MergeMode {
        /// The highest level of each slot.
        Htp = 0,
        /// The latest packet's levels.
        Ltp = 1,
    }

    /// What a universe shows when its last source is lost.
    pub enum RustleDMXLoss = RUSTLE_DMX_LOSS_ {
        /// The last merged levels.
        Hold = 0,
        /// Level 0, which the levels reach in a straight line over the configured time.
        Zero = 1,
    }

    /// The kinds of a receiver's events.
    pub enum RustleDMXEventKind = RUSTLE_DMX_EVENT_ {
        /// The first packet of a source came; the text is its name.
        SourceAppeared = 1,
        /// A source was silent too long.
        SourceTimedOut = 2,
        /// A source said that it ends.
        SourceTerminated = 3,
        /// Sources of higher priority took a source's place.
        SourceDisplaced = 4,
        /// A source was forgotten, as the program asked for.
        SourceForgotten = 5,
        /// More sources send than the universe merges. Reported once until a place is free.
        SourcesExceeded = 6,
        /// No source is left.
        UniverseLost = 7,
        /// Synchronization began, or is back.
        SyncHeard = 8,
        /// Synchronization stopped.
        SyncLost = 9,
        /// The group of a synchronization address was not joined, for the reason in the text.
        GroupRefused = 10,
    }
}

records! {
    /// The configuration of a receiver of DMX. Texts are read during the call only.
    pub struct RustleDMXReceiverConfiguration lending memory {
        /// The interface, one of `rustle_dmx_interfaces` by its name or address; empty: that of the default route; `demo`: levels
        /// come without a network. Example: "demo".
        pub interface: RustleString,
        /// The universes of sACN: numbers and ranges, `1-4,7`. With those of Art-Net 1 to 4,096. Example: "1".
        pub sacn: RustleString,
        /// The Port-Addresses of Art-Net: numbers and ranges, `0-3,291` or `0.0.0-0.0.3,1.2.3`.
        pub art_net: RustleString,
        /// The short name of the node that answers ArtPolls, at most 17 bytes.
        pub short_name: RustleString,
        /// The node's long name, at most 63 bytes.
        pub long_name: RustleString,
        /// The levels of each universe a second with `demo`, 0.001 to 10,000,000. Example: 1000.
        pub levels_per_second: f64,
        /// The number of levels after which a session of levels ends; 0: no limit.
        pub levels_limit: u64,
        /// How long a new source of sACN waits for its per-address priorities before its levels count, in nanoseconds.
        pub settle_ns: u64,
        /// The time to level 0 with `RUSTLE_DMX_LOSS_ZERO`, in nanoseconds.
        pub fade_ns: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// Which data a synchronization packet shows.
        pub sync_rule: Choice<RustleDMXSyncRule>,
        /// How two sources of a Port-Address are merged.
        pub merge: Choice<RustleDMXMerge>,
        /// What a universe shows when its last source is lost.
        pub on_loss: Choice<RustleDMXLoss>,
        /// The sources of a universe of sACN that are merged at most, 1 to 64. Example: 16.
        pub sources: u32,
        /// The port of sACN, 1 to 65535; 0: 5568.
        pub sacn_port: u32,
        /// The port of Art-Net, 1 to 65535; 0: 6454.
        pub art_net_port: u32,
        /// Whether preview packets count as others do.
        pub includes_previews: Flag,
        /// Whether ArtPolls are answered, as the protocol wants of those who receive.
        pub answers_polls: Flag,
    }

    /// A session of levels.
    pub struct RustleDMXLevelsRequest {
        /// The lane of the levels; with `RUSTLE_LANE_CONFLATE` the latest of each universe wait.
        pub lane: RustleLaneRequest,
    }

    /// A session of events.
    pub struct RustleDMXEventsRequest {
        /// The lane's size, 1 to 1,048,576. Example: 16.
        pub capacity: usize,
    }

    /// The merged levels of a universe, after a change.
    pub struct RustleDMXLevels in lanes of DmxLevels {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The number of the change: universes that changed together have the same.
        pub change: u64,
        /// The time in nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// The protocol.
        pub kind: Choice<RustleDMXProtocol> = |levels| RustleDMXProtocol::from(levels.protocol).into(),
        /// The universe of sACN, or the Port-Address.
        pub universe: u32,
        /// The sources at present.
        pub sources: u32,
        /// The universe's index among those of the receiver: those of sACN, then the Port-Addresses, each in ascending order.
        pub index: u32 = |levels| levels.place,
        /// On a batched lane the number of levels dropped just before these (with `RUSTLE_LANE_CONFLATE`: of their own universe); 0 on
        /// the per-value lane.
        pub gap: u32,
        /// 512.
        pub levels_count: u32 = |levels| levels.levels.len() as u32,
        /// The levels of slots 1 to 512.
        pub levels: [u8; RUSTLE_DMX_SLOTS],
    }

    /// Something that happened to a source, a universe or a synchronization address.
    pub struct RustleDMXEvent in lanes of DmxEvent {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The time in nanoseconds since 1970-01-01T00:00:00Z.
        pub time_ns: i64,
        /// The first 8 bytes of a source's identifier, the first one highest; 0 for Art-Net and without a source.
        pub cid_high: u64 = |event| half(event.cid.as_ref(), 0),
        /// The other 8.
        pub cid_low: u64 = |event| half(event.cid.as_ref(), 8),
        /// The protocol.
        pub kind: Choice<RustleDMXProtocol> = |event| RustleDMXProtocol::from(event.protocol).into(),
        /// What happened.
        pub event: Choice<RustleDMXEventKind> = |event| RustleDMXEventKind::from(event.kind).into(),
        /// The universe of sACN, the Port-Address, or the synchronization address; 0 for ArtSync.
        pub universe: u32,
        /// The source's IPv4 address, its first number highest; 0: unknown.
        pub address: u32,
        /// The source's physical input, for Art-Net.
        pub physical: u32,
        /// On a batched lane the number of events dropped just before this one; 0 on the per-value lane.
        pub gap: u32,
        /// The bytes of `text` in use.
        pub text_length: u32 = |event| event.text.as_str().len() as u32,
        /// The source's name or a reason, for display: UTF-8, not NUL-terminated.
        pub text: [u8; RUSTLE_DMX_TEXT_CAPACITY] = |event| event.text.padded(),
        reserved: u32,
    }

    /// The counts of a receiver since its sockets were opened.
    pub struct RustleDMXReceiverCounts for DmxReceiverCounts {
        /// Datagrams read.
        pub datagrams: u64,
        /// Changes of levels that were reported.
        pub levels: u64,
        /// Datagrams that the system dropped before they were read.
        pub kernel_drops: u64 = |counts| counts.sacn.kernel_drops + counts.art_net.kernel_drops,
        /// Malformed datagrams.
        pub malformed: u64 = |counts| (counts.sacn.malformed.iter()).chain(&counts.art_net.malformed).sum(),
        /// Data of universes that are not received.
        pub other_universes: u64 = |counts| counts.sacn.other_universes + counts.art_net.other_universes,
        /// Synchronization packets that were taken.
        pub syncs: u64 = |counts| counts.sacn.syncs + counts.art_net.syncs,
        /// Synchronization packets that were not: out of order, of addresses that no data name, of another sender than the data's.
        pub syncs_ignored: u64 = |counts| {
            counts.sacn.syncs_ignored + counts.sacn.syncs_out_of_order + counts.art_net.syncs_ignored
        },
        /// Frames that `RUSTLE_DMX_SYNC_WHOLE` did not show.
        pub frames_incomplete: u64 = |counts| {
            counts.sacn.frames_incomplete + counts.art_net.frames_incomplete
        },
        /// Pages of universe discovery.
        pub discovery_pages: u64 = |counts| counts.sacn.discovery_pages,
        /// Replies to ArtPolls that were sent.
        pub replies: u64,
        /// Replies that the system refused to send.
        pub replies_refused: u64,
        /// Errors of sockets while reading.
        pub socket_errors: u64,
    }

    /// A source of a received universe.
    pub struct RustleDMXSource {
        /// The first 8 bytes of its identifier, the first one highest; 0 for Art-Net.
        pub cid_high: u64,
        /// The other 8.
        pub cid_low: u64,
        /// The IPv4 address of its last packet, its first number highest.
        pub address: u32,
        /// Its physical input, of Art-Net.
        pub physical: u32,
        /// The priority of its last packet, of sACN.
        pub priority: u32,
        /// The synchronization address that its levels name, of sACN; 0: none.
        pub sync_address: u32,
        /// Whether it has per-address priorities, of sACN.
        pub has_priorities: Flag,
        /// Whether it sends previews, of sACN.
        pub is_preview: Flag,
        /// Not 0 unless there is no source of the given number.
        pub is_there: Flag,
        /// The bytes of `text` in use.
        pub text_length: u32,
        /// Its name, of sACN: UTF-8, not NUL-terminated.
        pub text: [u8; RUSTLE_DMX_TEXT_CAPACITY],
    }

    /// The counts of a received universe.
    pub struct RustleDMXUniverseCounts {
        /// Packets that were taken.
        pub packets: u64,
        /// Packets out of order, which were dropped.
        pub out_of_order: u64,
        /// Preview packets, which were ignored.
        pub previews: u64,
        /// Packets of sources beyond the limit.
        pub excess: u64,
        /// Packets of other start codes than levels and per-address priority.
        pub start_codes: u64,
        /// Terminations by sources that are not known.
        pub terminations: u64,
        /// The sources at present.
        pub sources: u64,
        /// Packets a second, of all sources.
        pub hertz: f64,
    }
}

same!(DmxProtocol as RustleDMXProtocol: Sacn ArtNet);
same!(DmxEventKind as RustleDMXEventKind: SourceAppeared SourceTimedOut SourceTerminated SourceDisplaced SourceForgotten SourcesExceeded UniverseLost SyncHeard SyncLost GroupRefused);

impl Object for DmxReceiverObject {
    const NAME: &'static str = "dmx_receiver";
    const KIND: u32 = 17;
    type Error = DmxError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.0.sessions())
    }
}

impl New<RustleDMXReceiverConfiguration> for DmxReceiverObject {
    /// Makes a receiver of DMX. Nothing is opened.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UNIVERSE`, `RUSTLE_RATE_OUT_OF_RANGE`.
    fn new(configuration: &RustleDMXReceiverConfiguration) -> Outcome<DmxError, Self> {
        let runtime = runtime::find(configuration.runtime)?;
        Ok(Self(DmxReceiver::on(runtime, configuration.read()?)?))
    }
}

impl Stream<RustleDMXLevelsRequest> for DmxReceiverObject {
    type Record = RustleDMXLevels;

    /// Opens the sockets, unless a session has, and starts a session of levels: those that are shown, and then each change. Events are
    /// `RustleDMXLevels` records.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_UNKNOWN_INTERFACE`, `RUSTLE_ADDRESS_UNAVAILABLE` (a program does not share the port),
    /// `RUSTLE_NETWORK_FAILED`.
    #[doc(alias = "rustle_dmx_receiver_start_levels")]
    fn start(&self, request: &RustleDMXLevelsRequest, sink: RawSink) -> Outcome<DmxError, Started> {
        let delivery = request.lane.delivery::<RustleDMXLevels, DmxLevels>(sink)?;
        Ok(Started::of::<RustleDMXLevels, _>(self.0.start_levels(delivery)?))
    }
}

impl Stream<RustleDMXEventsRequest> for DmxReceiverObject {
    type Record = RustleDMXEvent;

    /// Opens the sockets, unless a session has, and starts a session of events from now on. They are drained as `RustleDMXEvent`
    /// records; a full lane drops its oldest.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_UNKNOWN_INTERFACE`, `RUSTLE_ADDRESS_UNAVAILABLE` (a program does not share the port),
    /// `RUSTLE_NETWORK_FAILED`.
    #[doc(alias = "rustle_dmx_receiver_start_events")]
    fn start(&self, request: &RustleDMXEventsRequest, sink: RawSink) -> Outcome<DmxError, Started> {
        let size = request.capacity;
        let delivery = Delivery::pull(Overflow::DropOldest, size, BellSink(sink));
        let delivery =
            delivery.ok_or_else(|| CallFault::length("request.capacity", "1 to 1048576 elements", size))?;
        Ok(Started::of::<RustleDMXEvent, _>(self.0.start_events(delivery)?))
    }
}

impl Describe<RustleDMXReceiverCounts> for DmxReceiverObject {
    /// Writes the counts of a receiver to `description`; they stay after its last session, and begin anew with the next.
    #[doc(alias = "rustle_dmx_receiver_counts")]
    fn describe(&self) -> Result<RustleDMXReceiverCounts, CallFault> {
        Ok(self.0.counts().into())
    }
}

/// A receiver of DMX and its calls.
pub(crate) struct DmxReceiverObject(DmxReceiver);

impl DmxReceiverObject {
    /// Reads the counts of a universe of a receiver; zeros for one that it does not receive. `counts` receives them.
    ///
    /// Fails with `RUSTLE_INVALID_UNIVERSE`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `universe` 1.
    #[doc(alias = "rustle_dmx_receiver_universe")]
    pub(crate) fn universe(
        &self,
        kind: Choice<RustleDMXProtocol>,
        universe: u32,
    ) -> Outcome<DmxError, RustleDMXUniverseCounts> {
        let (protocol, universe) = received(kind, universe)?;
        Ok(counted(self.0.universe_counts(protocol, universe)))
    }

    /// Reads a source of a universe at present, counted from 0; past the last, and for a universe that is not received, one that is not
    /// there. `source` receives it. Sources may come and go between two calls.
    ///
    /// Fails with `RUSTLE_INVALID_UNIVERSE`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `universe` 1.
    #[doc(alias = "rustle_dmx_receiver_source")]
    pub(crate) fn source(
        &self,
        kind: Choice<RustleDMXProtocol>,
        universe: u32,
        index: u32,
    ) -> Outcome<DmxError, RustleDMXSource> {
        let (protocol, universe) = received(kind, universe)?;
        let sources = self.0.sources(protocol, universe);
        Ok(sources.get(index as usize).map_or_else(no_source, described))
    }

    /// Removes a source from a universe at once, until its next packet. Of sACN it is found by its identifier, of Art-Net by its address
    /// and its physical input. Has no effect on one that is not there.
    ///
    /// Fails with `RUSTLE_INVALID_UNIVERSE`, `RUSTLE_INVALID_VALUE` (a protocol that there is not).
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `universe` 1.
    #[doc(alias = "rustle_dmx_receiver_forget")]
    pub(crate) fn forget(
        &self,
        kind: Choice<RustleDMXProtocol>,
        universe: u32,
        cid_high: u64,
        cid_low: u64,
        address: u32,
        physical: u32,
    ) -> Outcome<DmxError> {
        let (protocol, universe) = received(kind, universe)?;
        let identity = (cid_high, cid_low, address, physical);
        let sources = self.0.sources(protocol, universe);
        if let Some(source) = sources.iter().find(|source| has_identity(source, identity)) {
            self.0.forget(universe, source);
        }
        Ok(())
    }
}
