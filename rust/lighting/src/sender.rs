//! What is sent, and when.

mod artnet;
mod error;
mod pacing;
mod refresh;
mod sacn;

pub use artnet::{ArtNetSender, ArtNetSenderSettings, Destinations};
pub use error::SenderError;
pub use pacing::{FrameRate, Pacer};
pub use sacn::{SacnOutput, SacnSender, SacnSenderSettings, Target};

use std::net::SocketAddrV4;

/// A packet and all its destinations, borrowed from the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The destinations.
    pub to: Recipients<'a>,
    /// The number of the universe whose levels or priorities it has; `None`: synchronization or discovery.
    pub universe: Option<u16>,
    /// The packet.
    pub bytes: &'a [u8],
}

impl<'a> Packet<'a> {
    /// The packet for each destination.
    pub fn datagrams(self) -> impl Iterator<Item = Datagram<'a>> {
        let (group, addresses) = match self.to {
            Recipients::Group(group) => (Some(group), &[][..]),
            Recipients::Addresses(addresses) => (None, addresses),
        };
        let to = addresses.iter().copied().chain(group);
        to.map(move |to| Datagram {
            to,
            universe: self.universe,
            bytes: self.bytes,
        })
    }
}

/// The destinations of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipients<'a> {
    /// Whoever has joined this group.
    Group(SocketAddrV4),
    /// These addresses.
    Addresses(&'a [SocketAddrV4]),
}

/// A packet and one destination, borrowed from the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// The destination.
    pub to: SocketAddrV4,
    /// As of its packet.
    pub universe: Option<u16>,
    /// The packet.
    pub bytes: &'a [u8],
}

/// Counters since the sender was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Frames whose time came, also those without a packet.
    pub frames: u64,
    /// Frames that were skipped because their time was over.
    pub skipped: u64,
    /// Packets with levels or priorities; each counts once, whatever the number of its destinations.
    pub packets: u64,
    /// Synchronization packets.
    pub syncs: u64,
}
