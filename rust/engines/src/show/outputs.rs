//! Where a show's slots go.

use crate::dmx::{DmxOutput, DmxProtocol};
use rustle_lighting::SLOTS;
use rustle_shows::fixture::RigUniverse;

/// A sender, with the universes of a rig that are of its protocol and its own.
pub(super) struct Output {
    sender: DmxOutput,
    universes: Vec<u32>,
    /// Their places among the universes of the rig.
    places: Vec<usize>,
    /// The slots of a frame.
    slots: Vec<[u8; SLOTS]>,
}

impl Output {
    pub(super) fn new(sender: DmxOutput, universes: &[RigUniverse]) -> Self {
        let number = |universe: &RigUniverse| match universe {
            RigUniverse::Sacn(universe) => (DmxProtocol::Sacn, universe.get()),
            RigUniverse::ArtNet(address) => (DmxProtocol::ArtNet, address.get()),
        };
        let of_rig = universes.iter().map(number).enumerate();
        let taken = of_rig.filter(|(_, (kind, number))| *kind == sender.protocol() && sender.takes(*number));
        let (places, universes): (Vec<_>, Vec<_>) = taken
            .map(|(place, (_, number))| (place, u32::from(number)))
            .unzip();
        Self {
            slots: vec![[0; SLOTS]; places.len()],
            universes,
            sender,
            places,
        }
    }

    pub(super) fn sender(&self) -> &DmxOutput {
        &self.sender
    }

    /// Gives it a frame; false: it has ended.
    pub(super) fn set(&mut self, frame: &[[u8; SLOTS]]) -> bool {
        for (slots, place) in self.slots.iter_mut().zip(&self.places) {
            slots.copy_from_slice(&frame[*place]);
        }
        let slots = self.slots.as_flattened();
        // Universes of a rig are of their protocol; what refuses a frame is the end of the process that it was started in.
        self.sender.is_live() && self.sender.set_levels(&self.universes, slots).is_ok()
    }
}
