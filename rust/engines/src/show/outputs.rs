//! Where a show's slots go.

use crate::dmx::{DmxOutput, DmxProtocol};
use rustle_lighting::SLOTS;
use rustle_shows::fixture::RigUniverse;
use std::ops::Range;

/// A sender, with the universes of a rig that are of its protocol.
pub(super) struct Output {
    sender: DmxOutput,
    universes: Vec<u32>,
    /// Their places among the universes of the rig.
    places: Range<usize>,
}

impl Output {
    pub(super) fn new(sender: DmxOutput, universes: &[RigUniverse]) -> Self {
        let of = |universe: &RigUniverse| match universe {
            RigUniverse::Sacn(_) => DmxProtocol::Sacn,
            RigUniverse::ArtNet(_) => DmxProtocol::ArtNet,
        };
        // Universes are in ascending order: those of a protocol stand together.
        let first = universes.iter().position(|each| of(each) == sender.protocol());
        let first = first.unwrap_or(universes.len());
        let count = universes[first..]
            .iter()
            .take_while(|each| of(each) == sender.protocol())
            .count();
        let places = first..first + count;
        let number = |universe: &RigUniverse| match universe {
            RigUniverse::Sacn(universe) => universe.get().into(),
            RigUniverse::ArtNet(address) => address.get().into(),
        };
        Self {
            universes: universes[places.clone()].iter().map(number).collect(),
            sender,
            places,
        }
    }

    pub(super) fn sender(&self) -> &DmxOutput {
        &self.sender
    }

    /// Gives it a frame; false: it has ended.
    pub(super) fn set(&self, frame: &[[u8; SLOTS]]) -> bool {
        let slots = frame[self.places.clone()].as_flattened();
        // Universes of a rig are of their protocol; what refuses a frame is the end of the process that it was started in.
        self.sender.is_live() && self.sender.set_levels(&self.universes, slots).is_ok()
    }
}
