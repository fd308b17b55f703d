//! Packets that are made once and then written in place.

use super::data::START_CODE;
use super::discovery::{LAYER, LIST, PAGE_UNIVERSES, UNIVERSES};
use super::{
    DATA_BYTES, DEFAULT_PRIORITY, DISCOVERY_BYTES, FRAMING, IDENTIFIER, Options, PREAMBLE, ROOT, ROOT_DATA,
    ROOT_EXTENDED, SYNC_BYTES, data, discovery, sync,
};
use crate::bytes::{put16, put32};
use crate::{Cid, Name, SLOTS, SacnUniverse};

/// A data packet of one universe: a frame writes slots, sequence number and options.
#[derive(Clone, Debug)]
pub struct DataBuffer {
    bytes: [u8; DATA_BYTES],
    slots: usize,
}

impl DataBuffer {
    /// A packet without slots, of priority 100 and without synchronization address.
    pub fn new(cid: Cid, name: &Name<64>, universe: SacnUniverse, start_code: u8) -> Self {
        let mut bytes = [0; DATA_BYTES];
        root(&mut bytes, cid, ROOT_DATA);
        put32(&mut bytes, 40, data::VECTOR);
        bytes[44..108].copy_from_slice(name.field());
        bytes[108] = DEFAULT_PRIORITY;
        put16(&mut bytes, 113, universe.get());
        bytes[117] = 0x02;
        bytes[118] = 0xA1;
        put16(&mut bytes, 121, 1);
        bytes[START_CODE] = start_code;
        let mut packet = Self { bytes, slots: 0 };
        packet.set_slots(&[]);
        packet
    }

    /// The bytes to send.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..=START_CODE + self.slots]
    }

    /// The slots.
    pub fn slots(&self) -> &[u8] {
        &self.bytes[START_CODE + 1..][..self.slots]
    }

    /// Writes the slots, at most 512: more are not read.
    pub fn set_slots(&mut self, slots: &[u8]) {
        let slots = &slots[..slots.len().min(SLOTS)];
        self.bytes[START_CODE + 1..][..slots.len()].copy_from_slice(slots);
        self.slots = slots.len();
        let end = START_CODE + 1 + slots.len();
        for layer in [ROOT, FRAMING, data::DMP] {
            put_length(&mut self.bytes, layer, end);
        }
        put16(&mut self.bytes, 123, slots.len() as u16 + 1);
    }

    /// Writes the sequence number.
    pub fn set_sequence(&mut self, sequence: u8) {
        self.bytes[111] = sequence;
    }

    /// Writes the options.
    pub fn set_options(&mut self, options: Options) {
        self.bytes[112] = options.bits();
    }

    /// Writes the priority, 0..=200: a receiver drops a packet with more.
    pub fn set_priority(&mut self, priority: u8) {
        self.bytes[108] = priority;
    }

    /// Writes the synchronization address; `None`: data act at once.
    pub fn set_sync_address(&mut self, address: Option<SacnUniverse>) {
        put16(&mut self.bytes, 109, address.map_or(0, SacnUniverse::get));
    }
}

/// A synchronization packet of one address.
#[derive(Clone, Debug)]
pub struct SyncBuffer([u8; SYNC_BYTES]);

impl SyncBuffer {
    /// A packet of sequence number 0.
    pub fn new(cid: Cid, address: SacnUniverse) -> Self {
        let mut bytes = [0; SYNC_BYTES];
        root(&mut bytes, cid, ROOT_EXTENDED);
        put_length(&mut bytes, ROOT, SYNC_BYTES);
        put_length(&mut bytes, FRAMING, SYNC_BYTES);
        put32(&mut bytes, 40, sync::VECTOR);
        put16(&mut bytes, 45, address.get());
        Self(bytes)
    }

    /// The bytes to send.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Writes the sequence number.
    pub fn set_sequence(&mut self, sequence: u8) {
        self.0[44] = sequence;
    }
}

/// A page of universe discovery.
#[derive(Clone, Debug)]
pub struct DiscoveryBuffer {
    bytes: [u8; DISCOVERY_BYTES],
    length: usize,
}

impl DiscoveryBuffer {
    /// A page of at most 512 universes, which are in ascending order: more are not read.
    pub fn new(cid: Cid, name: &Name<64>, page: u8, last_page: u8, universes: &[SacnUniverse]) -> Self {
        let universes = &universes[..universes.len().min(PAGE_UNIVERSES)];
        let length = UNIVERSES + 2 * universes.len();
        let mut bytes = [0; DISCOVERY_BYTES];
        root(&mut bytes, cid, ROOT_EXTENDED);
        put32(&mut bytes, 40, discovery::VECTOR);
        bytes[44..108].copy_from_slice(name.field());
        for layer in [ROOT, FRAMING, LAYER] {
            put_length(&mut bytes, layer, length);
        }
        put32(&mut bytes, 114, LIST);
        bytes[118] = page;
        bytes[119] = last_page;
        for (index, universe) in universes.iter().enumerate() {
            put16(&mut bytes, UNIVERSES + 2 * index, universe.get());
        }
        Self { bytes, length }
    }

    /// The bytes to send.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Writes the root layer except its length.
fn root(bytes: &mut [u8], cid: Cid, vector: u32) {
    bytes[..4].copy_from_slice(&PREAMBLE);
    bytes[4..16].copy_from_slice(&IDENTIFIER);
    put32(bytes, 18, vector);
    bytes[22..38].copy_from_slice(cid.bytes());
}

/// Writes flags and length of a layer that ends at `end`.
fn put_length(bytes: &mut [u8], layer: usize, end: usize) {
    put16(bytes, layer, 0x7000 | (end - layer) as u16);
}
