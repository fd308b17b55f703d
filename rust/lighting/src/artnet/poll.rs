//! ArtPoll (Art-Net 4, "ArtPoll").

use super::{OP_POLL, header};
use crate::PortAddress;
use crate::bytes::{be16, put16};

/// The bytes of an ArtPoll that is sent.
pub const POLL_BYTES: usize = 22;

/// A controller's question who is there. Fields that a datagram does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poll {
    /// Bit 1: reply when something changes; 2: send diagnostics; 3: by unicast; 4: no VLC; 5: targeted.
    pub flags: u8,
    /// The lowest priority of diagnostics to send.
    pub diagnostics_priority: u8,
    /// The highest and the lowest Port-Address of a targeted poll, as they came.
    pub target: [u16; 2],
    /// The asker's ESTA manufacturer code.
    pub esta: u16,
    /// The asker's OEM code.
    pub oem: u16,
}

impl Poll {
    /// Flag: reply when something changes, too.
    pub const REPLY_ON_CHANGE: u8 = 0x02;
    /// Flag: only nodes with a Port-Address of the target answer.
    pub const TARGETED: u8 = 0x20;

    pub(super) fn read(bytes: &[u8]) -> Self {
        let byte = |offset| bytes.get(offset).copied().unwrap_or(0);
        let word = |offset| be16(bytes, offset).unwrap_or(0);
        Self {
            flags: byte(12),
            diagnostics_priority: byte(13),
            target: [word(14), word(16)],
            esta: word(18),
            oem: word(20),
        }
    }

    /// The bytes to send.
    pub fn bytes(&self) -> [u8; POLL_BYTES] {
        let mut bytes = [0; POLL_BYTES];
        header(&mut bytes, OP_POLL);
        bytes[12] = self.flags;
        bytes[13] = self.diagnostics_priority;
        for (offset, value) in [
            (14, self.target[0]),
            (16, self.target[1]),
            (18, self.esta),
            (20, self.oem),
        ] {
            put16(&mut bytes, offset, value);
        }
        bytes
    }

    /// Whether a node with this Port-Address is asked.
    pub fn asks(&self, address: PortAddress) -> bool {
        let [top, bottom] = self.target;
        self.flags & Self::TARGETED == 0 || (bottom..=top).contains(&address.get())
    }
}
