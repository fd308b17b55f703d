//! Data packets (ANSI E1.31-2018, table 4-1).

use super::{MAX_PRIORITY, Malformed, Options, cid_at, length_at, name_at};
use crate::bytes::be16;
use crate::{Cid, Name, SacnUniverse};

/// VECTOR_E131_DATA_PACKET (ANSI E1.31-2018, 6.2.1).
pub(super) const VECTOR: u32 = 2;
/// The DMP layer's length counts from here.
pub(super) const DMP: usize = 115;
/// Where the start code is.
pub(super) const START_CODE: usize = 125;

/// A data packet, borrowed from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataPacket<'a> {
    /// The source.
    pub cid: Cid,
    /// The source's name.
    pub source_name: Name<64>,
    /// The priority of all slots, 0..=200.
    pub priority: u8,
    /// The synchronization address; `None`: data act at once.
    pub sync_address: Option<SacnUniverse>,
    /// The number of the packet at its source, for this universe.
    pub sequence: u8,
    /// The options.
    pub options: Options,
    /// The universe.
    pub universe: SacnUniverse,
    /// [`LEVELS`](super::LEVELS), [`PRIORITIES`](super::PRIORITIES), or another.
    pub start_code: u8,
    /// The values of slots 1 to at most 512.
    pub slots: &'a [u8],
}

impl<'a> DataPacket<'a> {
    /// Reads the layers of a packet whose framing layer is as long as it says.
    #[inline]
    pub(super) fn read(layers: &'a [u8]) -> Result<Self, Malformed> {
        let dmp = length_at(layers, DMP).ok_or(Malformed::DmpLength)?;
        if DMP + dmp != layers.len() || dmp < 10 {
            return Err(Malformed::DmpLength);
        }
        let [vector, address_type] = [layers.get(117), layers.get(118)];
        if vector != Some(&0x02) {
            return Err(Malformed::DmpVector);
        }
        if address_type != Some(&0xA1) {
            return Err(Malformed::AddressType);
        }
        if be16(layers, 119) != Some(0) {
            return Err(Malformed::FirstAddress);
        }
        if be16(layers, 121) != Some(1) {
            return Err(Malformed::Increment);
        }
        let count = usize::from(be16(layers, 123).unwrap_or(0));
        if count != dmp - 10 || count > 1 + crate::SLOTS {
            return Err(Malformed::ValueCount);
        }
        let (&start_code, slots) = layers[START_CODE..].split_first().ok_or(Malformed::ValueCount)?;
        let priority = layers[108];
        if priority > MAX_PRIORITY {
            return Err(Malformed::Priority);
        }
        let universe = be16(layers, 113).map_or(0, u32::from);
        let sync_address = be16(layers, 109).map_or(0, u32::from);
        Ok(Self {
            cid: cid_at(layers),
            source_name: name_at(layers),
            priority,
            sequence: layers[111],
            options: Options::from_bits(layers[112]),
            universe: SacnUniverse::new(universe).map_err(|_| Malformed::Universe)?,
            sync_address: match sync_address {
                0 => None,
                address => Some(SacnUniverse::new(address).map_err(|_| Malformed::SyncAddress)?),
            },
            start_code,
            slots,
        })
    }
}
