//! Who sends what, and where.

use super::error::DmxError;
use super::network::DEMO_INTERFACE;
use crate::ticker::RATE_RANGE;
use rustle_lighting::sacn::{DEFAULT_PRIORITY, MAX_PRIORITY};
use rustle_lighting::sender::{FrameRate, SenderError};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse, artnet, sacn};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::RangeInclusive;

/// The most destinations of a sender.
pub const DMX_DESTINATIONS: usize = 1_024;

/// In place of an address, and of all others: the nodes that list the Port-Address. Art-Net only.
pub const DMX_AUTO: &str = "auto";

/// The longest time from a frame's data to its synchronization packet, in ns.
pub(super) const MOST_SYNC_GAP_NS: u64 = 1_000_000_000;

/// A protocol of DMX over IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmxProtocol {
    /// ANSI E1.31-2018.
    Sacn,
    /// Art-Net 4.
    ArtNet,
}

impl DmxProtocol {
    /// Its port.
    pub(super) fn port(self) -> u16 {
        match self {
            Self::Sacn => sacn::PORT,
            Self::ArtNet => artnet::PORT,
        }
    }

    /// A universe's number.
    ///
    /// # Errors
    /// The protocol does not have it.
    pub(super) fn number(self, universe: u32) -> Result<u16, DmxError> {
        Ok(match self {
            Self::Sacn => SacnUniverse::new(universe)?.get(),
            Self::ArtNet => PortAddress::new(universe)?.get(),
        })
    }
}

/// The configuration of a sender.
#[derive(Clone, Debug)]
pub struct DmxConfiguration {
    /// The protocol.
    pub protocol: DmxProtocol,
    /// The interface of multicast and broadcast: its name or address; empty: that of the default route; or
    /// [`DEMO_INTERFACE`](super::DEMO_INTERFACE).
    pub interface: String,
    /// IPv4 addresses, with or without a port, or [`DMX_AUTO`] alone. None: sACN is multicast.
    pub destinations: Vec<String>,
    /// Whether the data, and ArtSync, go to the interface's directed broadcast address too. Art-Net only.
    pub broadcasts: bool,
    /// The source's identifier. sACN only.
    pub cid: Cid,
    /// The source's name. sACN only.
    pub name: Name<64>,
    /// Frames a second.
    pub rate: FrameRate,
    /// The time of the calendar, in ms since 1970, from which the frames are counted: they begin at whole periods after it, and not
    /// before it, and a show on the sender has its time from then on. `None`: from the session's start.
    pub since_ms: Option<u64>,
    /// The universes that a show sends by it; none: all of its protocol.
    pub universes: Vec<RangeInclusive<u16>>,
    /// The priority of universes that are added, 0..=200. sACN only.
    pub priority: u8,
    /// The synchronization address of all universes; `None`: none. sACN only.
    pub sync_address: Option<SacnUniverse>,
    /// Whether an ArtSync follows each frame, to each destination. Art-Net only.
    pub sends_art_sync: bool,
    /// Whether data act at once when synchronization is lost. sACN only.
    pub forces_sync: bool,
    /// Whether the data are previews. sACN only.
    pub is_preview: bool,
    /// The time from a frame's data to its synchronization packet, in ns, at most a second.
    pub sync_gap_ns: u64,
    /// The routers that multicast may pass, plus one.
    pub time_to_live: u32,
    /// Reports a second, within [`RATE_RANGE`].
    pub reports_per_second: f64,
    /// The number of reports after which a session ends; `None`: it does not.
    pub report_limit: Option<u64>,
    /// The file that the packets are written to, a capture (pcap), on [`DEMO_INTERFACE`](super::DEMO_INTERFACE) alone.
    pub capture: Option<String>,
}

impl DmxConfiguration {
    /// A source of sACN, multicast at 44 Hz by the default route, or of Art-Net, which needs a destination.
    pub fn new(protocol: DmxProtocol, cid: Cid, name: Name<64>) -> Self {
        Self {
            protocol,
            interface: String::new(),
            destinations: Vec::new(),
            broadcasts: false,
            cid,
            name,
            rate: FrameRate::FULL,
            since_ms: None,
            universes: Vec::new(),
            priority: DEFAULT_PRIORITY,
            sync_address: None,
            sends_art_sync: false,
            forces_sync: false,
            is_preview: false,
            sync_gap_ns: 0,
            time_to_live: 1,
            reports_per_second: 1.0,
            report_limit: None,
            capture: None,
        }
    }

    /// Whether the data go to the nodes that list their Port-Address, which are polled on the interface.
    pub(super) fn follows_nodes(&self) -> bool {
        self.destinations.iter().any(|text| text == DMX_AUTO)
    }

    /// Checks what needs no system; returns the destinations, none for those that follow nodes.
    ///
    /// # Errors
    /// [`DmxError`].
    pub(super) fn check(&self) -> Result<Vec<SocketAddrV4>, DmxError> {
        if self.priority > MAX_PRIORITY {
            return Err(SenderError::Priority { got: self.priority }.into());
        }
        if !RATE_RANGE.contains(&self.reports_per_second) {
            return Err(DmxError::ReportRate {
                got: self.reports_per_second,
            });
        }
        let foreign = match self.protocol {
            DmxProtocol::Sacn => [
                (self.broadcasts, "broadcast"),
                (self.sends_art_sync, "ArtSync"),
                (false, ""),
            ],
            DmxProtocol::ArtNet => [
                (self.sync_address.is_some(), "synchronization address"),
                (self.forces_sync, "forced synchronization"),
                (self.is_preview, "preview"),
            ],
        };
        if let Some((_, setting)) = foreign.into_iter().find(|(is_set, _)| *is_set) {
            return Err(DmxError::Unsupported { setting });
        }
        if self.destinations.len() > DMX_DESTINATIONS {
            return Err(DmxError::TooManyDestinations {
                got: self.destinations.len(),
            });
        }
        if self.capture.is_some() && self.interface != DEMO_INTERFACE {
            return Err(DmxError::CaptureBesideNetwork {
                got: self.interface.clone(),
            });
        }
        if self.sync_gap_ns > MOST_SYNC_GAP_NS {
            return Err(DmxError::SyncGap {
                got: self.sync_gap_ns,
            });
        }
        let mut destinations = Vec::new();
        if self.follows_nodes() {
            return match (self.protocol, self.broadcasts, self.destinations.len()) {
                (DmxProtocol::ArtNet, false, 1) => Ok(destinations),
                (DmxProtocol::ArtNet, ..) => Err(DmxError::AutoBesideOthers),
                (DmxProtocol::Sacn, ..) => Err(DmxError::Unsupported {
                    setting: "destination auto",
                }),
            };
        }
        if self.protocol == DmxProtocol::ArtNet && self.destinations.is_empty() {
            match &*self.interface {
                // Nothing is sent, but counted.
                DEMO_INTERFACE => destinations.push(SocketAddrV4::new(Ipv4Addr::BROADCAST, artnet::PORT)),
                _ if self.broadcasts => {}
                _ => return Err(DmxError::NoDestination),
            }
        }
        for text in &self.destinations {
            let destination = destination(text, self.protocol.port())?;
            if !destinations.contains(&destination) {
                destinations.push(destination);
            }
        }
        Ok(destinations)
    }
}

/// An address of IPv4, with the port or without. None of multicast: the groups of universes follow from their numbers.
///
/// # Errors
/// [`DmxError::Destination`].
pub(super) fn destination(text: &str, port: u16) -> Result<SocketAddrV4, DmxError> {
    let address = text.parse::<SocketAddrV4>().or_else(|_| {
        text.parse::<Ipv4Addr>()
            .map(|address| SocketAddrV4::new(address, port))
    });
    match address {
        Ok(address)
            if address.port() > 0 && !address.ip().is_unspecified() && !address.ip().is_multicast() =>
        {
            Ok(address)
        }
        _ => Err(DmxError::Destination { got: text.to_owned() }),
    }
}
