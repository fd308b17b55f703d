//! A value in slots.

use crate::fixture::{ByteSlots, Capability, Channel, Function, MAX_BYTES};
use rustle_lighting::SLOTS;

/// In place of a slot: one past the end of the universe.
const NO_SLOT: u32 = u32::MAX;

/// 2^23: added to a number from 0 to 255, the lowest byte of the sum's bits is that number, rounded.
const ROUNDING: f32 = 8_388_608.0;

/// A level of 0 to 1 in 8 bits; 0 for what is not a number. Without a branch or a call, so that loops of it become vectors.
pub(super) fn byte(level: f32) -> u8 {
    let level = if level > 0.0 { level } else { 0.0 };
    let level = if level < 1.0 { level } else { 1.0 };
    (level * 255.0 + ROUNDING).to_bits() as u8
}

/// The level of 8 bits.
pub(super) fn level(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}

/// The slots of a channel in the flat array of all universes, the coarse one first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    slots: [u32; MAX_BYTES],
    count: u8,
}

impl Place {
    /// The slots of a fixture at an address of 1 to 512 of a universe, counted from 0.
    pub(super) fn new(slots: &ByteSlots, universe: usize, address: u16) -> Self {
        let mut all = [NO_SLOT; MAX_BYTES];
        for (place, offset) in all.iter_mut().zip(slots.offsets()) {
            let slot = usize::from(address) - 1 + usize::from(*offset);
            if slot < SLOTS {
                *place = u32::try_from(universe * SLOTS + slot).unwrap_or(NO_SLOT);
            }
        }
        Self {
            slots: all,
            count: slots.offsets().len() as u8,
        }
    }

    pub(super) fn write(&self, value: u32, slots: &mut [u8]) {
        let mut value = value;
        for place in self.slots[..usize::from(self.count)].iter().rev() {
            if let Some(slot) = slots.get_mut(*place as usize) {
                *slot = value as u8;
            }
            value >>= 8;
        }
    }

    /// Writes what other slots have.
    pub(super) fn copy(&self, from: &[u8], slots: &mut [u8]) {
        for place in &self.slots[..usize::from(self.count)] {
            if let (Some(slot), Some(value)) = (slots.get_mut(*place as usize), from.get(*place as usize)) {
                *slot = *value;
            }
        }
    }

    pub(super) fn read(&self, slots: &[u8]) -> u32 {
        let used = &self.slots[..usize::from(self.count)];
        used.iter().fold(0, |value, place| {
            value << 8 | u32::from(slots.get(*place as usize).copied().unwrap_or_default())
        })
    }
}

/// A range of values, and the attribute's value at both ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    first: u32,
    last: u32,
    from: f32,
    to: f32,
}

impl Scale {
    /// From a range, and the attribute's values at its ends.
    pub(super) fn new(capability: &Capability, from: f32, to: f32) -> Self {
        Self {
            first: capability.first,
            last: capability.last.max(capability.first),
            from,
            to,
        }
    }

    /// The scale of a channel: its widest range of levels, of equal ones the first, or else all values.
    pub(super) fn of(channel: &Channel, from: f32, to: f32) -> Self {
        let mut widest = None;
        for range in &channel.capabilities {
            let Function::Level { from, to } = range.function else {
                continue;
            };
            let scale = Self::new(range, from, to);
            if widest.is_none_or(|other: Self| other.last - other.first < scale.last - scale.first) {
                widest = Some(scale);
            }
        }
        widest.unwrap_or(Self {
            first: 0,
            last: channel.slots.highest_value(),
            from,
            to,
        })
    }

    /// The nearest of its values, v of n steps rounded.
    pub(super) fn raw(&self, value: f32) -> u32 {
        let span = self.last - self.first;
        let part = (f64::from(value) - f64::from(self.from)) / (f64::from(self.to) - f64::from(self.from));
        // Not so for NaN, of a value or of equal ends.
        let part = if part > 0.0 { part.min(1.0) } else { 0.0 };
        let step = if span == 255 {
            u32::from(byte(part as f32))
        } else {
            (part * f64::from(span) + 0.5) as u32
        };
        self.first + step.min(span)
    }

    /// The attribute's value; outside of the range, that at its end.
    pub(super) fn value(&self, raw: u32) -> f32 {
        let step = raw.clamp(self.first, self.last) - self.first;
        let part = f64::from(step) / f64::from((self.last - self.first).max(1));
        (f64::from(self.from) + (f64::from(self.to) - f64::from(self.from)) * part) as f32
    }
}

/// A channel whose attribute has a scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    place: Place,
    scale: Scale,
}

impl Output {
    pub(super) fn new(place: Place, scale: Scale) -> Self {
        Self { place, scale }
    }

    pub(super) fn copy(&self, from: &[u8], slots: &mut [u8]) {
        self.place.copy(from, slots);
    }

    pub(super) fn write(&self, value: f32, slots: &mut [u8]) {
        self.place.write(self.scale.raw(value), slots);
    }

    pub(super) fn read(&self, slots: &[u8]) -> f32 {
        self.scale.value(self.place.read(slots))
    }

    /// The value that is read after this one was written.
    pub(super) fn rounded(&self, value: f32) -> f32 {
        self.scale.value(self.scale.raw(value))
    }
}
