//! A source of a universe.

use crate::receiver::{LossReason, Share};
use crate::sacn::{DataPacket, Options};
use crate::{Cid, Name, SLOTS, SacnUniverse};
use std::cmp::Reverse;
use std::net::Ipv4Addr;

/// A source of a universe, as it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SacnSource {
    /// The source.
    pub cid: Cid,
    /// Its name.
    pub name: Name<64>,
    /// The address of its last packet.
    pub address: Ipv4Addr,
    /// The priority of its last packet.
    pub priority: u8,
    /// Whether it has per-address priorities.
    pub has_priorities: bool,
    /// Whether it sends previews.
    pub is_preview: bool,
    /// The synchronization address that its levels name.
    pub sync_address: Option<SacnUniverse>,
    /// When its last packet came, in ns.
    pub last_ns: u64,
}

/// Levels of a packet that wait for synchronization.
#[derive(Clone, Debug)]
struct Held {
    is_there: bool,
    levels: [u8; SLOTS],
    count: usize,
    priority: u8,
}

#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) cid: Cid,
    name: Name<64>,
    address: Ipv4Addr,
    pub(super) sequence: u8,
    pub(super) first_ns: u64,
    pub(super) last_ns: u64,
    pub(super) priority: u8,
    pub(super) is_preview: bool,
    /// Why it is lost, while other sources are awaited.
    pub(super) lost: Option<LossReason>,
    /// Whether it sent something since another source was lost.
    pub(super) is_verified: bool,
    sync_address: Option<SacnUniverse>,
    /// Whether what is held acts when synchronization is lost.
    forces_sync: bool,
    held: Held,
    /// What counts: levels, how many slots, with which priority.
    levels: [u8; SLOTS],
    count: usize,
    shown_priority: u8,
    is_lit: bool,
    priorities: Option<[u8; SLOTS]>,
    priorities_ns: u64,
    keys: [u8; SLOTS],
    /// The sequence number of its latest levels, and the one that was learned for whole frames.
    level_sequence: u8,
    learned: u8,
}

impl Source {
    pub(super) fn new(now_ns: u64, from: Ipv4Addr, data: &DataPacket<'_>) -> Self {
        Self {
            cid: data.cid,
            name: data.source_name,
            address: from,
            sequence: data.sequence,
            first_ns: now_ns,
            last_ns: now_ns,
            priority: data.priority,
            is_preview: data.options.has(Options::PREVIEW),
            lost: None,
            is_verified: true,
            sync_address: None,
            forces_sync: false,
            held: Held {
                is_there: false,
                levels: [0; SLOTS],
                count: 0,
                priority: 0,
            },
            levels: [0; SLOTS],
            count: 0,
            shown_priority: 0,
            is_lit: false,
            priorities: None,
            priorities_ns: 0,
            keys: [0; SLOTS],
            level_sequence: 0,
            learned: 0,
        }
    }

    /// Takes what every packet has.
    pub(super) fn hear(&mut self, now_ns: u64, from: Ipv4Addr, data: &DataPacket<'_>) {
        self.name = data.source_name;
        self.address = from;
        self.sequence = data.sequence;
        self.last_ns = now_ns;
        self.priority = data.priority;
        self.lost = None;
        self.is_verified = true;
        self.is_preview = data.options.has(Options::PREVIEW);
    }

    /// The order of those that are kept when there are too many: lost ones go first, then previews, then the lowest priority, then
    /// the highest CID.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        (
            self.lost.is_none(),
            !self.is_preview,
            self.priority,
            Reverse(self.cid),
        )
    }

    pub(super) fn sync_address(&self) -> Option<SacnUniverse> {
        self.sync_address
    }

    pub(super) fn set_sync_address(&mut self, address: Option<SacnUniverse>) {
        self.sync_address = address;
    }

    pub(super) fn forces_sync(&self) -> bool {
        self.forces_sync
    }

    /// Shows levels at once; what was held is discarded.
    pub(super) fn show(&mut self, data: &DataPacket<'_>) {
        self.held.is_there = false;
        self.level_sequence = data.sequence;
        write(&mut self.levels, self.count, data.slots);
        self.latch(data.slots.len(), data.priority);
    }

    /// Holds levels until synchronization, in place of those that were held.
    pub(super) fn hold(&mut self, data: &DataPacket<'_>) {
        self.forces_sync = data.options.has(Options::FORCE_SYNC);
        self.level_sequence = data.sequence;
        let before = if self.held.is_there {
            self.held.count
        } else {
            SLOTS
        };
        write(&mut self.held.levels, before, data.slots);
        self.held.is_there = true;
        self.held.count = data.slots.len();
        self.held.priority = data.priority;
    }

    pub(super) fn is_held(&self) -> bool {
        self.held.is_there
    }

    /// Shows what is held; returns whether something was.
    pub(super) fn release(&mut self) -> bool {
        if !self.held.is_there {
            return false;
        }
        self.held.is_there = false;
        self.levels = self.held.levels;
        self.latch(self.held.count, self.held.priority);
        true
    }

    fn latch(&mut self, count: usize, priority: u8) {
        let differs = !self.is_lit || (count, priority) != (self.count, self.shown_priority);
        (self.count, self.shown_priority, self.is_lit) = (count, priority, true);
        if differs {
            self.write_keys();
        }
    }

    /// Takes per-address priorities; slots that the packet does not have are not driven.
    pub(super) fn set_priorities(&mut self, now_ns: u64, slots: &[u8]) {
        // The packet is one of the universe's sequence, and none of a frame.
        self.learned = self.learned.wrapping_add(1);
        self.priorities_ns = now_ns;
        let mut priorities = [0; SLOTS];
        priorities[..slots.len()].copy_from_slice(slots);
        if self.priorities != Some(priorities) {
            self.priorities = Some(priorities);
            self.write_keys();
        }
    }

    /// When the per-address priorities came that count now.
    pub(super) fn priorities_ns(&self) -> Option<u64> {
        self.priorities.map(|_| self.priorities_ns)
    }

    pub(super) fn forget_priorities(&mut self) {
        self.priorities = None;
        self.write_keys();
    }

    fn write_keys(&mut self) {
        self.keys = [0; SLOTS];
        let keys = &mut self.keys[..self.count];
        match &self.priorities {
            None => keys.fill(self.shown_priority + 1),
            Some(priorities) => {
                for (key, priority) in keys.iter_mut().zip(priorities) {
                    *key = if *priority == 0 { 0 } else { *priority + 1 };
                }
            }
        }
    }

    /// The share in the merge; `None` before the first levels.
    pub(super) fn share(&self) -> Option<Share<'_>> {
        self.is_lit.then_some(Share {
            levels: &self.levels,
            keys: &self.keys,
        })
    }

    /// Whether its levels are a part of the frames of a synchronization address.
    pub(super) fn is_frame_of(&self, address: Option<SacnUniverse>) -> bool {
        self.sync_address == address && self.lost.is_none() && !self.is_preview
    }

    /// The frames since the sequence number that was learned.
    pub(super) fn frames(&self) -> u8 {
        self.level_sequence.wrapping_sub(self.learned)
    }

    pub(super) fn learn(&mut self) {
        self.learned = self.level_sequence;
    }

    pub(super) fn description(&self) -> SacnSource {
        SacnSource {
            cid: self.cid,
            name: self.name,
            address: self.address,
            priority: self.priority,
            has_priorities: self.priorities.is_some(),
            is_preview: self.is_preview,
            sync_address: self.sync_address,
            last_ns: self.last_ns,
        }
    }
}

/// Writes slots, and zeros over those of `before` that follow.
fn write(levels: &mut [u8; SLOTS], before: usize, slots: &[u8]) {
    let (written, rest) = levels.split_at_mut(slots.len());
    written.copy_from_slice(slots);
    rest[..before.saturating_sub(slots.len())].fill(0);
}
