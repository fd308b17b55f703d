//! DMX over IP: senders of sACN and Art-Net.

use crate::dmx_receiver::ranges;
use crate::fault::{CallOr, DomainError, Outcome};
use crate::guard::guarded;
use crate::lane::{LaneRecord, RustleLaneRequest};
use crate::lent::{choices, Choice, Flag, Lent, RustleString};
use crate::object::{check_size, Describe, New, Object};
use crate::records::records;
use crate::runtime;
use crate::session::{Face, Started, Stream};
use crate::sink::RawSink;
use crate::status::*;
use crate::RustleHandle;
pub(crate) use rustle_engines::DmxEngine;
use rustle_engines::{
    DmxConfiguration, DmxError, DmxOutput, DmxProtocol, DmxReport, DmxSentCounts, DmxSession, LaneSession,
    Sessions,
};
use rustle_lighting::sender::{FrameRate, SenderError};
use rustle_lighting::{Name, PortAddress, SacnUniverse};
use std::ffi::c_void;

choices! {
    /// A protocol of DMX over IP.
    pub enum RustleDMXProtocol = RUSTLE_DMX_ for DmxProtocol {
        /// sACN (ANSI E1.31-2018).
        Sacn = 0,
        /// Art-Net 4.
        ArtNet = 1,
    }
}

records! {
    /// The configuration of a sender of DMX. Texts are read during the call only.
    pub struct RustleDMXConfiguration lending memory {
        /// The interface of multicast and broadcast, one of `rustle_dmx_interfaces` by its name or address; empty: that of the default
        /// route; `demo`: nothing is sent, all is counted. Example: "demo".
        pub interface: RustleString,
        /// The destinations, at most 1,024, separated by commas: IPv4 addresses, with or without a port. None: sACN is
        /// multicast. `auto` alone: Art-Net polls the interface, and sends each Port-Address to the nodes that list it.
        pub destinations: RustleString,
        /// The source's identifier, a UUID, to be made once and kept. sACN only. Example: "6f8c2a60-1e0b-4c39-9d3e-0a1b2c3d4e5f".
        pub cid: RustleString,
        /// The source's name, at most 63 bytes. sACN only.
        pub name: RustleString,
        /// The file that the packets are written to in place of a network, a capture (pcap) with times from the session's start; empty:
        /// none. It needs the interface `demo`. A file that is there is replaced.
        pub capture: RustleString,
        /// The universes that a show sends by it, numbers and ranges in ascending order, such as 1-4,7; empty: all of its protocol.
        pub universes: RustleString,
        /// Frames a second, 1 to 200. Full universes are sent at most at 44 Hz on average. Example: 44.
        pub frames_a_second: f64,
        /// Reports a second, 0.001 to 10,000,000. Example: 1000.
        pub reports_per_second: f64,
        /// The number of reports after which a session ends; 0: no limit.
        pub report_limit: u64,
        /// Nanoseconds from a frame's data to its synchronization packet.
        pub sync_gap_ns: u64,
        /// The time of the calendar, in milliseconds since 1970-01-01T00:00:00Z, from which the frames are counted: they begin at whole
        /// periods after it, and not before it, and a show on the sender has its time from then on. 0: from the session's start.
        pub since_ms: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The protocol.
        pub kind: Choice<RustleDMXProtocol>,
        /// The priority of universes that are added, 0 to 200. sACN only. Example: 100.
        pub priority: u32,
        /// The synchronization address of all universes, 1 to 63999; 0: none. sACN only.
        pub sync_address: u32,
        /// The routers that multicast may pass, plus one, 0 to 255. Example: 1.
        pub time_to_live: u32,
        /// Whether data are also sent to the interface's directed broadcast address. Art-Net only.
        pub broadcasts: Flag,
        /// Whether an ArtSync follows each frame. Art-Net only.
        pub sends_art_sync: Flag,
        /// Whether data act at once when synchronization is lost. sACN only.
        pub forces_sync: Flag,
        /// Whether the data are previews. sACN only.
        pub is_preview: Flag,
    }

    /// The counts of a session so far.
    pub struct RustleDMXReport in lanes of DmxReport {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// Frames so far: one each period, whether or not a packet was due.
        pub frames: u64,
        /// Frames that were skipped because the thread woke a whole period late.
        pub skipped: u64,
        /// Packets with levels or priorities; each counts once, whatever the number of its destinations.
        pub packets: u64,
        /// Synchronization packets, likewise.
        pub syncs: u64,
        /// Datagrams that the system accepted.
        pub datagrams: u64,
        /// Their bytes.
        pub bytes: u64,
        /// Refusals: datagrams that the system did not accept, and answers of destinations that no program listens there.
        pub refusals: u64,
        /// How late the thread woke for a frame at most since the report before, in nanoseconds.
        pub lateness_ns: u64,
        /// How late it woke at most, in nanoseconds.
        pub longest_lateness_ns: u64,
        /// Universes, with those that are ending.
        pub universes: u64,
        /// Universes that no node lists, where the data follow the nodes: they are not sent. At the end those of the last frame.
        pub unheard: u64,
        /// Not 0 when the thread is scheduled before ordinary ones.
        pub is_realtime: Flag,
        /// On a batched lane the number of reports dropped just before this one; 0 on the per-value lane.
        pub gap: u32,
    }

    /// The counts of a universe of a sender since it was added.
    pub struct RustleDMXSentCounts {
        /// Packets with its levels or priorities; each counts once, whatever the number of its destinations.
        pub packets: u64,
        /// Its datagrams that the system refused, and those of frames whose destination answered that no program listens there.
        pub refusals: u64,
    }

    /// An IPv4 address of a network interface.
    pub struct RustleDMXInterface lending memory {
        /// The interface's name.
        pub name: RustleString,
        /// The address.
        pub address: RustleString,
        /// The directed broadcast address.
        pub broadcast: RustleString,
        /// Not 0 for the loopback.
        pub is_loopback: Flag,
        reserved: u32,
    }
}

impl Object for DmxEngine {
    const NAME: &'static str = "dmx_sender";
    const KIND: u32 = 16;
    type Error = DmxError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.sessions())
    }
}

impl New<RustleDMXConfiguration> for DmxEngine {
    /// Makes a sender of DMX. Nothing is opened.
    ///
    /// Fails with `RUSTLE_MALFORMED_ADDRESS`, `RUSTLE_NO_DESTINATION`, `RUSTLE_INVALID_UNIVERSE` (the synchronization address),
    /// `RUSTLE_RATE_OUT_OF_RANGE`.
    fn new(configuration: &RustleDMXConfiguration) -> Outcome<DmxError, Self> {
        let runtime = runtime::find(configuration.runtime)?;
        Ok(Self::on(runtime, configuration.read()?)?)
    }
}

impl Stream<RustleLaneRequest> for DmxEngine {
    type Record = RustleDMXReport;

    /// Opens the network and starts a session, which sends universes from their first levels on. Events are `RustleDMXReport` records.
    /// The session's end sends the terminations, three per universe of sACN and a frame apart; the last callback follows them.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_UNKNOWN_INTERFACE`, `RUSTLE_NETWORK_FAILED`,
    /// `RUSTLE_UNWRITABLE_FILE` (a capture).
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<DmxError, Started> {
        let session = self.start(request.delivery::<RustleDMXReport, DmxReport>(sink)?)?;
        let lane = LaneSession::clone(&session);
        Ok(Started::of::<RustleDMXReport, _>(lane).with_face(Sending(session)))
    }
}

/// A session of a sender, and its calls.
pub(crate) struct Sending(DmxSession);

impl Face for Sending {
    const NAME: &'static str = "dmx_sender";
}

impl Describe<RustleDMXReport> for Sending {
    /// Writes the counts of a session of a sender so far to `description`, also after its end, with a `sequence` of 0.
    ///
    /// Example: `rustle_dmx_sender_start`.
    #[doc(alias = "rustle_dmx_sender_counts")]
    fn describe(&self) -> Result<RustleDMXReport, CallFault> {
        Ok(RustleDMXReport::new(&self.0.counts(), 0))
    }
}

impl Sending {
    /// Its levels, for an engine that sends frames by it.
    pub(crate) fn output(&self) -> DmxOutput {
        self.0.output().clone()
    }

    /// Sets the levels of universes of a session of a sender, 1 to 63999 of sACN, Port-Addresses 0 to 32767 of Art-Net: `slots` has the
    /// same number for each, 1 to 512, one universe after the other. All of them are sent in one frame, the next one or, when it has
    /// begun, the one after. A new universe is added.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UNIVERSE`, `RUSTLE_FORKED`; nothing is set then.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_dmx_sender_start`, `universes_count` 0, `slots_count` 0.
    #[doc(alias = "rustle_dmx_sender_set_levels")]
    pub(crate) fn set_levels(&self, universes: &[u32], slots: &[u8]) -> Outcome<DmxError> {
        Ok(self.0.set_levels(universes, slots)?)
    }

    /// Ends a universe of a session of a sender: sACN sends three terminated packets. Has no effect on one that is not sent.
    ///
    /// Fails with `RUSTLE_INVALID_UNIVERSE`, `RUSTLE_FORKED`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_dmx_sender_start`, `universe` 1.
    #[doc(alias = "rustle_dmx_sender_remove")]
    pub(crate) fn remove(&self, universe: u32) -> Outcome<DmxError> {
        Ok(self.0.remove(universe)?)
    }

    /// Sets the per-address priorities of a universe of sACN, 0 to 200 each (0: not driven); no slots: none.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UNIVERSE`, `RUSTLE_FORKED`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_dmx_sender_start`, `universe` 1, `slots_count` 8.
    #[doc(alias = "rustle_dmx_sender_set_priorities")]
    pub(crate) fn set_priorities(&self, universe: u32, slots: &[u8]) -> Outcome<DmxError> {
        Ok(self.0.set_priorities(universe, slots)?)
    }

    /// Sets the priority of a universe of sACN, 0 to 200.
    ///
    /// Fails with `RUSTLE_INVALID_UNIVERSE`, `RUSTLE_FORKED`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_dmx_sender_start`, `universe` 1.
    #[doc(alias = "rustle_dmx_sender_set_priority")]
    pub(crate) fn set_priority(&self, universe: u32, priority: u32) -> Outcome<DmxError> {
        Ok(self
            .0
            .set_priority(universe, small("priority", "0 to 200", priority)?)?)
    }

    /// Reads the counts of a universe of a session of a sender since it was added, also after the end; zeros for one that is not there.
    /// `counts` receives them.
    ///
    /// Fails with `RUSTLE_INVALID_UNIVERSE`, `RUSTLE_FORKED`.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_dmx_sender_start`, `universe` 1.
    #[doc(alias = "rustle_dmx_sender_universe")]
    pub(crate) fn universe(&self, universe: u32) -> Outcome<DmxError, RustleDMXSentCounts> {
        let DmxSentCounts { packets, refusals } = self.0.universe(universe)?;
        Ok(RustleDMXSentCounts { packets, refusals })
    }

    /// Writes the refusals by destination to `counts`, in the order of the configuration without duplicates, then those of multicast and
    /// broadcast, as many as there is room for. `written` receives their number. Works after the end.
    ///
    /// Thread-safe: yes. Realtime-safe: no.
    ///
    /// Example: `rustle_dmx_sender_start`, `counts_capacity` 2.
    #[doc(alias = "rustle_dmx_sender_refusals")]
    pub(crate) fn refusals(&self, counts: &mut [u64]) -> Outcome<DmxError, usize> {
        let refusals = self.0.refusals();
        let written = refusals.len().min(counts.len());
        for (count, refusals) in counts.iter_mut().zip(refusals) {
            *count = refusals;
        }
        Ok(written)
    }
}

/// Calls `visit` with the IPv4 addresses of this machine's network interfaces that are up, on the calling thread, before the call
/// returns. The record and its texts are valid during each call of `visit`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_RECORD_SIZE`, `RUSTLE_NETWORK_FAILED`; `visit` is not called then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `visit` may be called with `context`, and does not unwind; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_dmx_interfaces_sized(
    visit: Option<extern "C" fn(context: *mut c_void, interface: *const RustleDMXInterface)>,
    context: *mut c_void,
    interface_size: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let text = |text: &str| RustleString {
        // SAFETY: no record outlives the texts of its turn.
        data: unsafe { Lent::new(text.as_ptr()) },
        length: text.len(),
    };
    let body = || {
        let visit = visit.ok_or(CallFault::null("visit"))?;
        check_size("interface", size_of::<RustleDMXInterface>(), interface_size)?;
        for interface in rustle_engines::dmx_interfaces()? {
            let (address, broadcast) = (interface.address.to_string(), interface.broadcast.to_string());
            let record = RustleDMXInterface {
                name: text(&interface.name),
                address: text(&address),
                broadcast: text(&broadcast),
                is_loopback: interface.is_loopback.into(),
                reserved: 0,
            };
            visit(context, &raw const record);
        }
        Ok::<(), CallOr<DmxError>>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

impl RustleDMXConfiguration {
    /// The engine's form of the record.
    fn read(&self) -> Outcome<DmxError, DmxConfiguration> {
        let protocol = self.kind.get("configuration.kind")?.into();
        let cid = self
            .cid
            .text("configuration.cid")?
            .parse()
            .map_err(DmxError::Cid)?;
        let name = Name::new(self.name.text("configuration.name")?).map_err(DmxError::Name)?;
        let destinations = self.destinations.text("configuration.destinations")?;
        let universes = self.universes.text("configuration.universes")?;
        let hertz = self.frames_a_second;
        if !(1.0..=200.0).contains(&hertz) {
            return Err(CallFault::number("configuration.frames_a_second", "1 to 200", hertz).into());
        }
        let sync_address = match self.sync_address {
            0 => None,
            number => Some(SacnUniverse::new(number).map_err(DmxError::Universe)?),
        };
        let time_to_live = u32::from(small(
            "configuration.time_to_live",
            "0 to 255",
            self.time_to_live,
        )?);
        Ok(DmxConfiguration {
            interface: self.interface.text("configuration.interface")?.to_owned(),
            // An empty address between others is refused as one; no text is no address.
            destinations: match destinations {
                "" => Vec::new(),
                all => all.split(',').map(str::to_owned).collect(),
            },
            broadcasts: self.broadcasts.is_set(),
            rate: FrameRate::from_millihertz((hertz * 1_000.0).round() as u32).map_err(DmxError::Sender)?,
            priority: small("configuration.priority", "0 to 200", self.priority)?,
            sync_address,
            sends_art_sync: self.sends_art_sync.is_set(),
            forces_sync: self.forces_sync.is_set(),
            is_preview: self.is_preview.is_set(),
            sync_gap_ns: self.sync_gap_ns,
            time_to_live,
            reports_per_second: self.reports_per_second,
            report_limit: (self.report_limit != 0).then_some(self.report_limit),
            since_ms: (self.since_ms != 0).then_some(self.since_ms),
            universes: match protocol {
                DmxProtocol::Sacn => ranges(universes, SacnUniverse::get)?,
                DmxProtocol::ArtNet => ranges(universes, PortAddress::get)?,
            },
            capture: match self.capture.text("configuration.capture")? {
                "" => None,
                path => Some(path.to_owned()),
            },
            ..DmxConfiguration::new(protocol, cid, name)
        })
    }
}

/// A number that fits into a byte.
fn small(argument: &'static str, expected: &'static str, got: u32) -> Result<u8, CallFault> {
    u8::try_from(got).map_err(|_| CallFault::number(argument, expected, got))
}

impl DomainError for DmxError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Universe(_) => RUSTLE_INVALID_UNIVERSE,
            Self::Frame { .. }
            | Self::TooManyDestinations { .. }
            | Self::UniverseCount { .. }
            | Self::Name(_) => RUSTLE_INVALID_LENGTH,
            Self::Sender(SenderError::Slots { .. }) => RUSTLE_INVALID_LENGTH,
            Self::Sender(_)
            | Self::Cid(_)
            | Self::Unsupported { .. }
            | Self::SyncGap { .. }
            | Self::SourceCount { .. } => RUSTLE_INVALID_VALUE,
            Self::Destination { .. } | Self::AutoBesideOthers => RUSTLE_MALFORMED_ADDRESS,
            Self::NoDestination => RUSTLE_NO_DESTINATION,
            Self::ReportRate { .. } => RUSTLE_RATE_OUT_OF_RANGE,
            Self::CaptureBesideNetwork { .. } => RUSTLE_INVALID_VALUE,
            Self::Capture { .. } => RUSTLE_UNWRITABLE_FILE,
            Self::Interface { .. } => RUSTLE_UNKNOWN_INTERFACE,
            Self::PortTaken { .. } => RUSTLE_ADDRESS_UNAVAILABLE,
            Self::NoMulticast { .. } | Self::NotPermitted { .. } | Self::Network { .. } => {
                RUSTLE_NETWORK_FAILED
            }
            Self::ShutDown => RUSTLE_SHUT_DOWN,
            Self::Poisoned => RUSTLE_POISONED,
            Self::Runtime(error) => error.status(),
        }
    }
}
