//! Gradient noise in three dimensions (Perlin, Improving noise, SIGGRAPH 2002), with gradients to the corners of a cube.

use crate::number::{LANES, Lanes, ROUNDING, unit};

/// Odd numbers that spread the places of a lattice: the first digits of the golden, the plastic and the silver ratio times 2^32.
const SPREAD: [u32; 3] = [0x9E37_79B9, 0xC13F_A9A9, 0x6A09_E667];
/// The multiplier of a 32-bit mixing function with low bias (Mulvey, Hash functions, 2014: murmur3's first).
const MIXER: u32 = 0x85EB_CA6B;

/// A field of noise at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    scale: f32,
    contrast: f32,
    /// The seed, spread over the lattice.
    origin: u32,
    /// The cells that have passed along the third axis, whole ones and the rest.
    whole: u32,
    rest: f32,
}

impl Noise {
    /// `cycle` is where the field is on its way along the third axis, a cell each; after 2^32 of them it begins again.
    pub(crate) fn new(seed: u32, scale: f32, contrast: f32, (cycle, rest): (i64, f32)) -> Self {
        Self {
            scale,
            contrast: contrast / 2.0,
            origin: seed.wrapping_mul(0x27D4_EB2F),
            whole: cycle as u32,
            rest,
        }
    }

    /// The noise at places of the rig: the first axis, the third and then the second, since a rig that is flat hangs in front of
    /// the audience. 0 to 1.
    pub(crate) fn at(&self, places: &[&Lanes; 3]) -> Lanes {
        let [x, y, z] = places;
        let mut values = [0.0; LANES];
        for (index, value) in values.iter_mut().enumerate() {
            let (left, x) = cell(x[index] * self.scale);
            let (low, z) = cell(z[index] * self.scale);
            let (near, y) = cell(y[index] * self.scale + self.rest);
            let near = near.wrapping_add(self.whole);
            *value = self.gradients([left, low, near], [x, z, y]);
        }
        values.map(|value| unit(0.5 + self.contrast * value))
    }

    #[inline(always)]
    fn gradients(&self, cell: [u32; 3], [x, y, z]: [f32; 3]) -> f32 {
        let left = cell[0].wrapping_mul(SPREAD[0]) ^ self.origin;
        let right = cell[0].wrapping_add(1).wrapping_mul(SPREAD[0]) ^ self.origin;
        let low = cell[1].wrapping_mul(SPREAD[1]);
        let high = low.wrapping_add(SPREAD[1]);
        let near = cell[2].wrapping_mul(SPREAD[2]);
        let far = near.wrapping_add(SPREAD[2]);
        let (fx, fy, fz) = (fade(x), fade(y), fade(z));
        let line = |row: u32, y: f32, z: f32| {
            let from = corner(left ^ row, x, y, z);
            let to = corner(right ^ row, x - 1.0, y, z);
            from + (to - from) * fx
        };
        let plane = |layer: u32, z: f32| {
            let from = line(low ^ layer, y, z);
            let to = line(high ^ layer, y - 1.0, z);
            from + (to - from) * fy
        };
        let from = plane(near, z);
        let to = plane(far, z - 1.0);
        from + (to - from) * fz
    }
}

/// The number of a cell, as its bits, and the place within it, 0 to 1; places are 0 to 2^20.
#[inline(always)]
fn cell(place: f32) -> (u32, f32) {
    let rounded = (place - 0.5) + ROUNDING;
    (rounded.to_bits(), place - (rounded - ROUNDING))
}

/// The product of a corner's gradient with the way from it: each of its components is 1 or -1.
#[inline(always)]
fn corner(place: u32, x: f32, y: f32, z: f32) -> f32 {
    let bits = (place ^ place >> 15).wrapping_mul(MIXER);
    let signed = |value: f32, bits: u32| f32::from_bits(value.to_bits() ^ (bits & 0x8000_0000));
    signed(x, bits) + signed(y, bits << 1) + signed(z, bits << 2)
}

/// Perlin's curve 6x^5 - 15x^4 + 10x^3.
#[inline(always)]
fn fade(x: f32) -> f32 {
    x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
}
