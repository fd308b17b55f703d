//! ArtDmx (Art-Net 4, "ArtDmx").

use super::{Malformed, OP_DMX, header};
use crate::bytes::{be16, put16};
use crate::{PortAddress, SLOTS};

/// The longest ArtDmx, with 512 slots.
pub const DMX_BYTES: usize = 18 + SLOTS;

/// Levels of a Port-Address, borrowed from their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmxPacket<'a> {
    /// The number of the packet at its source for this Port-Address, 1..=255; 0: no order.
    pub sequence: u8,
    /// The physical input: with the sender's address it identifies a source.
    pub physical: u8,
    /// The Port-Address.
    pub address: PortAddress,
    /// The levels of slots 1 to at most 512, at least one.
    pub slots: &'a [u8],
}

impl<'a> DmxPacket<'a> {
    #[inline]
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let Some((&[sequence, physical, low, high], rest)) =
            bytes.get(12..).and_then(<[u8]>::split_first_chunk)
        else {
            return Err(Malformed::Address);
        };
        let address = PortAddress::new(u32::from(u16::from_be_bytes([high, low])));
        let address = address.map_err(|_| Malformed::Address)?;
        let length = usize::from(be16(rest, 0).ok_or(Malformed::DmxLength)?);
        let slots = rest.get(2..2 + length).ok_or(Malformed::DmxLength)?;
        if slots.is_empty() || slots.len() > SLOTS {
            return Err(Malformed::DmxLength);
        }
        Ok(Self {
            sequence,
            physical,
            address,
            slots,
        })
    }
}

/// An ArtDmx of one Port-Address: a frame writes slots and sequence number.
#[derive(Clone, Debug)]
pub struct DmxBuffer {
    bytes: [u8; DMX_BYTES],
    length: usize,
}

impl DmxBuffer {
    /// A packet of two slots of level 0, the fewest that may be sent.
    pub fn new(address: PortAddress, physical: u8) -> Self {
        let mut bytes = [0; DMX_BYTES];
        header(&mut bytes, OP_DMX);
        bytes[13] = physical;
        bytes[14] = address.low();
        bytes[15] = address.net();
        let mut packet = Self { bytes, length: 0 };
        packet.set_slots(&[]);
        packet
    }

    /// The bytes to send.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..18 + self.length]
    }

    /// The slots, an even number.
    pub fn slots(&self) -> &[u8] {
        &self.bytes[18..][..self.length]
    }

    /// Writes the slots, at most 512: more are not read. A slot of level 0 makes their number even, as the length must be
    /// (Art-Net 4, "ArtDmx", Length).
    pub fn set_slots(&mut self, slots: &[u8]) {
        let slots = &slots[..slots.len().min(SLOTS)];
        self.length = slots.len().next_multiple_of(2).max(2);
        self.bytes[18..][..slots.len()].copy_from_slice(slots);
        self.bytes[18 + slots.len()..18 + self.length].fill(0);
        put16(&mut self.bytes, 16, self.length as u16);
    }

    /// Writes the sequence number: 1..=255, or 0 for no order.
    pub fn set_sequence(&mut self, sequence: u8) {
        self.bytes[12] = sequence;
    }
}
