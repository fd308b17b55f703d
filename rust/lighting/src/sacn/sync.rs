//! Synchronization packets (ANSI E1.31-2018, table 4-2).

use super::{Malformed, cid_at};
use crate::bytes::be16;
use crate::{Cid, SacnUniverse};

/// VECTOR_E131_EXTENDED_SYNCHRONIZATION (ANSI E1.31-2018, 6.3.1).
pub(super) const VECTOR: u32 = 1;

/// Ends the holding of all data that name its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncPacket {
    /// The source.
    pub cid: Cid,
    /// The number of the packet at its source, for this address.
    pub sequence: u8,
    /// The synchronization address.
    pub address: SacnUniverse,
}

impl SyncPacket {
    /// Reads the layers of a packet whose framing layer is as long as it says.
    pub(super) fn read(layers: &[u8]) -> Result<Self, Malformed> {
        if layers.len() != super::SYNC_BYTES {
            return Err(Malformed::FramingLength);
        }
        let address = be16(layers, 45).map_or(0, u32::from);
        Ok(Self {
            cid: cid_at(layers),
            sequence: layers[44],
            address: SacnUniverse::new(address).map_err(|_| Malformed::SyncAddress)?,
        })
    }
}
