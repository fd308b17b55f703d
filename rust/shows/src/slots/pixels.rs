//! Pixels of red, green and blue in 8 bits each: the slots of most elements of large rigs, encoded without a look at each.

use super::value::{byte, level};
use crate::fixture::{Attribute, Curve, Fixture};
use crate::look::Look;
use rustle_lighting::SLOTS;

/// The colours of a pixel.
const COLORS: usize = 3;
/// The pixels that are rounded at once; their bytes fit in the first cache.
const BLOCK: usize = 128;

/// Pixels in successive slots, and in successive elements of the look.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The first slot in the flat array of all universes.
    slot: usize,
    /// The first element.
    element: usize,
    count: usize,
    /// Red, green or blue of each slot of a pixel.
    order: [usize; COLORS],
}

impl Run {
    /// The run of a fixture that has nothing but such pixels, all of them within the universe.
    pub(super) fn of(fixture: &Fixture, universe: usize, element: usize) -> Option<Self> {
        let mode = &fixture.mode;
        let count = mode.elements();
        let first = usize::from(fixture.address) - 1;
        if fixture.curve != Curve::Linear
            || mode.channels.len() != count * COLORS
            || first + count * COLORS > SLOTS
            || mode.channels.is_empty()
        {
            return None;
        }
        let mut order = [0; COLORS];
        for (index, channel) in mode.channels.iter().enumerate() {
            let (pixel, place) = (index / COLORS, index % COLORS);
            let color = match channel.attribute {
                Attribute::Red => 0,
                Attribute::Green => 1,
                Attribute::Blue => 2,
                _ => return None,
            };
            if pixel == 0 {
                order[place] = color;
            }
            let is_own = channel
                .element
                .map_or(count == 1, |own| usize::from(own) == pixel);
            let is_next = matches!(channel.slots.offsets(), [offset] if usize::from(*offset) == index);
            if !is_own || !is_next || order[place] != color || !channel.capabilities.is_empty() {
                return None;
            }
        }
        let mut colors = order;
        colors.sort_unstable();
        (colors == [0, 1, 2]).then_some(Self {
            slot: universe * SLOTS + first,
            element,
            count,
            order,
        })
    }

    /// Takes in the run of the next fixture if it continues this one.
    pub(super) fn join(&mut self, next: &Self) -> bool {
        let continues = self.order == next.order
            && self.slot + self.count * COLORS == next.slot
            && self.element + self.count == next.element;
        if continues {
            self.count += next.count;
        }
        continues
    }

    pub(super) fn encode(&self, look: &Look, slots: &mut [u8]) {
        let elements = self.element..self.element + self.count;
        let planes = [&look.red, &look.green, &look.blue];
        let [first, second, third] = self.order.map(|color| &planes[color][elements.clone()]);
        let slots = &mut slots[self.slot..self.slot + self.count * COLORS];
        let planes = first
            .chunks(BLOCK)
            .zip(second.chunks(BLOCK))
            .zip(third.chunks(BLOCK));
        for (slots, ((first, second), third)) in slots.chunks_mut(BLOCK * COLORS).zip(planes) {
            let [first, second, third] = [first, second, third].map(bytes);
            let pixels = slots.chunks_exact_mut(COLORS);
            for (pixel, ((first, second), third)) in pixels.zip(first.iter().zip(&second).zip(&third)) {
                pixel.copy_from_slice(&[*first, *second, *third]);
            }
        }
    }

    pub(super) fn decode(&self, slots: &[u8], look: &mut Look) {
        let slots = &slots[self.slot..self.slot + self.count * COLORS];
        for (place, color) in self.order.into_iter().enumerate() {
            let plane = [&mut look.red, &mut look.green, &mut look.blue];
            let elements = &mut plane[color][self.element..self.element + self.count];
            for (element, pixel) in elements.iter_mut().zip(slots.chunks_exact(COLORS)) {
                *element = level(pixel[place]);
            }
        }
        let elements = self.element..self.element + self.count;
        look.amber[elements.clone()].fill(0.0);
        look.ultraviolet[elements].fill(0.0);
    }
}

/// At most a block of levels in 8 bits.
fn bytes(levels: &[f32]) -> [u8; BLOCK] {
    let mut bytes = [0; BLOCK];
    for (byte_of, level) in bytes.iter_mut().zip(levels) {
        *byte_of = byte(*level);
    }
    bytes
}
