//! The packets of sACN (ANSI E1.31-2018, tables 4-1 to 4-3), read and written in place. All numbers are big-endian.

mod data;
mod discovery;
mod malformed;
mod options;
mod sync;
mod write;

pub use data::DataPacket;
pub use discovery::{DiscoveryPage, PAGE_UNIVERSES};
pub use malformed::Malformed;
pub use options::Options;
pub use sync::SyncPacket;
pub use write::{DataBuffer, DiscoveryBuffer, SyncBuffer};

use crate::bytes::{array, be16, be32};
use crate::{Cid, Name};
use std::net::Ipv4Addr;

/// The destination port (ANSI E1.31-2018, 9.3: ACN_SDT_MULTICAST_PORT). The source port is any.
pub const PORT: u16 = 5_568;
/// The group of universe discovery: that of "universe" 64214 (ANSI E1.31-2018, 8, 9.3.1).
pub const DISCOVERY_GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 250, 214);
/// The highest priority of a packet and of a slot (ANSI E1.31-2018, 6.2.3).
pub const MAX_PRIORITY: u8 = 200;
/// The priority of a source that has none configured (ANSI E1.31-2018, 6.2.3).
pub const DEFAULT_PRIORITY: u8 = 100;
/// The start code of levels (ANSI E1.11, 8.5.1).
pub const LEVELS: u8 = 0;
/// The start code of per-address priority (ETC's alternate START code 0xDD).
pub const PRIORITIES: u8 = 0xDD;
/// The longest data packet, with 512 slots.
pub const DATA_BYTES: usize = 638;
/// A synchronization packet.
pub const SYNC_BYTES: usize = 49;
/// The longest page of universe discovery, with 512 universes.
pub const DISCOVERY_BYTES: usize = 1_144;

/// Preamble size, postamble size and the packet identifier (ANSI E1.31-2018, 5.1 to 5.3).
const IDENTIFIER: [u8; 12] = *b"ASC-E1.17\0\0\0";
const PREAMBLE: [u8; 4] = [0x00, 0x10, 0x00, 0x00];
/// The root layer's length counts from here.
const ROOT: usize = 16;
/// The framing layer's length counts from here.
const FRAMING: usize = 38;
/// VECTOR_ROOT_E131_DATA, VECTOR_ROOT_E131_EXTENDED (ANSI E1.31-2018, 5.5).
const ROOT_DATA: u32 = 4;
const ROOT_EXTENDED: u32 = 8;
/// The shortest root layer, that of a synchronization packet.
const LEAST_ROOT: usize = 33;

/// A packet that was read, borrowed from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// Levels, per-address priorities, or another start code.
    Data(DataPacket<'a>),
    /// Synchronization.
    Sync(SyncPacket),
    /// A page of the universes of a source.
    Discovery(DiscoveryPage<'a>),
}

/// Reads a datagram. Bytes after the root layer's length are ignored.
///
/// # Errors
/// The first [`Malformed`] in the order of its variants.
pub fn parse(bytes: &[u8]) -> Result<Packet<'_>, Malformed> {
    if array(bytes, 4) != Some(IDENTIFIER) {
        return Err(Malformed::Identifier);
    }
    if array(bytes, 0) != Some(PREAMBLE) {
        return Err(Malformed::Preamble);
    }
    let root = length_at(bytes, ROOT).ok_or(Malformed::RootLength)?;
    let layers = bytes.get(..ROOT + root).ok_or(Malformed::RootLength)?;
    if root < LEAST_ROOT {
        return Err(Malformed::RootLength);
    }
    let vector = be32(layers, 18);
    if vector != Some(ROOT_DATA) && vector != Some(ROOT_EXTENDED) {
        return Err(Malformed::RootVector);
    }
    if length_at(layers, FRAMING) != Some(root + ROOT - FRAMING) {
        return Err(Malformed::FramingLength);
    }
    let framing = be32(layers, 40);
    match (vector, framing) {
        (Some(ROOT_DATA), Some(data::VECTOR)) => DataPacket::read(layers).map(Packet::Data),
        (Some(ROOT_EXTENDED), Some(sync::VECTOR)) => SyncPacket::read(layers).map(Packet::Sync),
        (Some(ROOT_EXTENDED), Some(discovery::VECTOR)) => DiscoveryPage::read(layers).map(Packet::Discovery),
        _ => Err(Malformed::FramingVector),
    }
}

/// The length of a layer at `offset`; `None` when the flags beside it are not 0x7 (ANSI E1.31-2018, 5.4).
fn length_at(bytes: &[u8], offset: usize) -> Option<usize> {
    let field = be16(bytes, offset)?;
    (field >> 12 == 0x7).then_some(usize::from(field & 0x0FFF))
}

fn cid_at(layers: &[u8]) -> Cid {
    Cid::from_field(array(layers, 22).unwrap_or_default())
}

fn name_at(layers: &[u8]) -> Name<64> {
    Name::from_field(array(layers, 44).unwrap_or([0; 64]))
}
