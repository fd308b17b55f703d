//! The packets of Art-Net 4, read and written in place. Art-Net is designed by and copyright Artistic Licence.
//!
//! Opcodes are little-endian; other numbers are big-endian where the field says no other.

mod dmx;
mod malformed;
mod poll;
mod reply;
mod sync;

pub use dmx::{DMX_BYTES, DmxBuffer, DmxPacket};
pub use malformed::Malformed;
pub use poll::{POLL_BYTES, Poll};
pub use reply::{PollReply, Port, REPLY_BYTES, Style};
pub use sync::SYNC_PACKET;

use crate::bytes::{array, be16};

/// The port of every packet, both ways: 0x1936.
pub const PORT: u16 = 6_454;
/// The protocol version (Art-Net 4, "ProtVer").
pub const VERSION: u16 = 14;

const IDENTIFIER: [u8; 8] = *b"Art-Net\0";
const OP_POLL: u16 = 0x2000;
const OP_POLL_REPLY: u16 = 0x2100;
const OP_DMX: u16 = 0x5000;
const OP_SYNC: u16 = 0x5200;

/// A packet that was read, borrowed from its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// Levels of a Port-Address.
    Dmx(DmxPacket<'a>),
    /// A controller's question who is there.
    Poll(Poll),
    /// A node's answer.
    PollReply(PollReply),
    /// The end of a frame.
    Sync,
    /// An opcode that is not handled: counted and ignored.
    Other(u16),
}

/// Reads a datagram. Bytes after a packet's end are ignored.
///
/// # Errors
/// The first [`Malformed`] in the order of its variants.
pub fn parse(bytes: &[u8]) -> Result<Packet<'_>, Malformed> {
    if array(bytes, 0) != Some(IDENTIFIER) {
        return Err(Malformed::Identifier);
    }
    let opcode = array(bytes, 8).map(u16::from_le_bytes).ok_or(Malformed::Opcode)?;
    if opcode == OP_POLL_REPLY {
        return PollReply::read(bytes).map(Packet::PollReply);
    }
    if !matches!(opcode, OP_DMX | OP_POLL | OP_SYNC) {
        return Ok(Packet::Other(opcode));
    }
    if be16(bytes, 10).is_none_or(|version| version < VERSION) {
        return Err(Malformed::Version);
    }
    match opcode {
        OP_DMX => DmxPacket::read(bytes).map(Packet::Dmx),
        OP_POLL => Ok(Packet::Poll(Poll::read(bytes))),
        _ => Ok(Packet::Sync),
    }
}

/// Writes identifier, opcode and protocol version.
fn header(bytes: &mut [u8], opcode: u16) {
    bytes[..8].copy_from_slice(&IDENTIFIER);
    bytes[8..10].copy_from_slice(&opcode.to_le_bytes());
    crate::bytes::put16(bytes, 10, VERSION);
}
