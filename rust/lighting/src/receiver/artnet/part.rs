//! A source of a Port-Address.

use crate::SLOTS;
use std::net::Ipv4Addr;

/// After this time without a packet a source may continue with any sequence number, in ns.
const SEQUENCE_LOSS_NS: u64 = 1_000_000_000;

/// A source of a Port-Address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtNetSource {
    /// The sender's address.
    pub address: Ipv4Addr,
    /// The physical input of its packets.
    pub physical: u8,
}

/// A source's state.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) id: ArtNetSource,
    /// The last sequence number, 0 when there is none to compare with.
    pub(super) sequence: u8,
    pub(super) last_ns: u64,
    pub(super) levels: [u8; SLOTS],
    pub(super) count: usize,
    /// When it was shown, in shown packets; `None` before.
    pub(super) shown: Option<u64>,
    held: [u8; SLOTS],
    held_count: Option<usize>,
    pub(super) learned: u8,
}

impl Part {
    /// A source without a packet.
    pub(super) fn new(id: ArtNetSource) -> Self {
        Self {
            id,
            sequence: 0,
            last_ns: 0,
            levels: [0; SLOTS],
            count: 0,
            shown: None,
            held: [0; SLOTS],
            held_count: None,
            learned: 0,
        }
    }

    /// Whether a sequence number is out of order at a time.
    pub(super) fn is_out_of_order(&self, now_ns: u64, sequence: u8) -> bool {
        let is_silent = now_ns.saturating_sub(self.last_ns) >= SEQUENCE_LOSS_NS;
        !is_silent && is_out_of_order(self.sequence, sequence)
    }

    pub(super) fn is_held(&self) -> bool {
        self.held_count.is_some()
    }

    /// The frames since the sequence number that was learned; `None` without sequence numbers.
    pub(super) fn frames(&self) -> Option<u8> {
        (self.sequence != 0).then(|| distance(self.learned, self.sequence))
    }

    pub(super) fn show(&mut self, slots: &[u8], order: u64) {
        self.levels[..slots.len()].copy_from_slice(slots);
        self.levels[slots.len()..].fill(0);
        self.count = slots.len();
        self.shown = Some(order);
        self.held_count = None;
    }

    pub(super) fn hold(&mut self, slots: &[u8]) {
        self.held[..slots.len()].copy_from_slice(slots);
        self.held_count = Some(slots.len());
    }

    pub(super) fn release(&mut self, order: u64) -> bool {
        let Some(count) = self.held_count else {
            return false;
        };
        let held = self.held;
        self.show(&held[..count], order);
        true
    }
}

/// The steps from one sequence number to another on the circle of 1..=255; 0 counts as 255.
fn distance(from: u8, to: u8) -> u8 {
    ((u16::from(to) + 255 - u16::from(from)) % 255) as u8
}

/// Whether a sequence number is out of order: 0 < (last - new) mod 255 < 20. Art-Net states no window; this one is sACN's.
fn is_out_of_order(last: u8, new: u8) -> bool {
    last != 0 && new != 0 && (1..20).contains(&distance(new, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_of_sequence_numbers_wraps_from_255_to_1() {
        assert_eq!(
            [(255, 1), (1, 2), (1, 255)].map(|(from, to)| distance(from, to)),
            [1, 1, 254]
        );
        for last in 1..=255 {
            let dropped = (1..=255).filter(|new| is_out_of_order(last, *new)).count();
            assert_eq!(dropped, 19, "{last}");
            assert!(!is_out_of_order(last, 0) && !is_out_of_order(0, last) && !is_out_of_order(last, last));
        }
        assert!(is_out_of_order(1, 255) && is_out_of_order(1, 237) && !is_out_of_order(1, 236));
    }
}
