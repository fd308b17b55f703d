//! A synchronization address that universes name.

use crate::sacn::SyncBuffer;
use crate::{Cid, SacnUniverse};

#[derive(Debug)]
pub(super) struct SyncOutput {
    packet: SyncBuffer,
    sequence: u8,
    /// The universes that name it.
    pub(super) users: usize,
    is_wanted: bool,
    is_blocked: bool,
    due_ns: Option<u64>,
}

impl SyncOutput {
    pub(super) fn new(cid: Cid, address: SacnUniverse) -> Self {
        Self {
            packet: SyncBuffer::new(cid, address),
            sequence: 0,
            users: 0,
            is_wanted: false,
            is_blocked: false,
            due_ns: None,
        }
    }

    /// A universe says whether it wants this frame, and whether it may be sent.
    pub(super) fn ask(&mut self, is_wanted: bool, is_free: bool) {
        self.is_wanted |= is_wanted;
        self.is_blocked |= !is_free;
    }

    /// Whether all universes are sent in this frame.
    pub(super) fn is_asked(&self) -> bool {
        self.is_wanted && !self.is_blocked
    }

    /// The frame's data are sent: its packet follows at a time.
    pub(super) fn schedule(&mut self, at_ns: u64) {
        if self.is_asked() {
            // One that is waiting is not put off.
            self.due_ns.get_or_insert(at_ns);
        }
        (self.is_wanted, self.is_blocked) = (false, false);
    }

    pub(super) fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }

    /// Writes the next sequence number when the packet is due.
    pub(super) fn take(&mut self, now_ns: u64) -> bool {
        let is_due = self.due_ns.is_some_and(|due| due <= now_ns);
        if is_due {
            self.due_ns = None;
            self.sequence = self.sequence.wrapping_add(1);
            self.packet.set_sequence(self.sequence);
        }
        is_due
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.packet.bytes()
    }
}
