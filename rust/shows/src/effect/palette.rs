//! The colours of an effect.

use crate::Fault;
use crate::number::{Lanes, around, least, most};

/// The most colours of a palette.
pub const MAX_COLORS: usize = 8;

/// One to eight colours of red, green and blue, 0 to 1 each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    colors: [[f32; 3]; MAX_COLORS],
    count: usize,
}

/// Red, green and blue per element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rgb {
    pub(crate) red: Lanes,
    pub(crate) green: Lanes,
    pub(crate) blue: Lanes,
}

impl Rgb {
    pub(crate) const BLACK: Self = Self {
        red: [0.0; _],
        green: [0.0; _],
        blue: [0.0; _],
    };

    pub(crate) fn planes(&mut self) -> [&mut Lanes; 3] {
        [&mut self.red, &mut self.green, &mut self.blue]
    }

    pub(crate) fn multiply(&mut self, factors: &Lanes) {
        for plane in self.planes() {
            for (value, factor) in plane.iter_mut().zip(factors) {
                *value *= factor;
            }
        }
    }
}

impl Palette {
    /// A palette of one colour.
    pub const fn one(color: [f32; 3]) -> Self {
        Self {
            colors: [color; MAX_COLORS],
            count: 1,
        }
    }

    /// A palette of colours.
    ///
    /// # Errors
    /// [`Fault`] for none, for more than eight, and for a level outside of 0 to 1.
    pub fn new(colors: &[[f32; 3]]) -> Result<Self, Fault> {
        if colors.is_empty() || colors.len() > MAX_COLORS {
            return Err(Fault {
                path: "palette".to_owned(),
                expected: format!("1 to {MAX_COLORS} colors"),
                got: colors.len().to_string(),
            });
        }
        let mut palette = Self::one([0.0; 3]);
        palette.count = colors.len();
        for (index, (to, from)) in palette.colors.iter_mut().zip(colors).enumerate() {
            for (to, &from) in to.iter_mut().zip(from) {
                if !(0.0..=1.0).contains(&from) {
                    return Err(Fault::number(&format!("palette[{index}]"), 0, 1, from));
                }
                *to = from;
            }
        }
        Ok(palette)
    }

    /// The colours.
    pub fn colors(&self) -> &[[f32; 3]] {
        &self.colors[..self.count]
    }

    /// The palette at a level.
    pub(crate) fn at_level(&self, level: f32) -> Self {
        let colors = self.colors.map(|color| color.map(|value| value * level));
        Self { colors, ..*self }
    }

    /// The colour of a cycle: one after the other.
    pub(crate) fn of_cycle(&self, cycle: i64) -> [f32; 3] {
        self.colors[cycle.rem_euclid(self.count as i64) as usize]
    }

    /// Colours along a closed line of length 1: the last one goes over into the first. Places are below 2^18.
    pub(crate) fn paint_circle(&self, places: &Lanes, to: &mut Rgb) {
        let [first, rest @ ..] = self.colors() else { return };
        fill(to, *first);
        let count = self.count as f32;
        // Each colour has weight 1 at its place, and none at its neighbours'; the first has the rest.
        for (index, color) in (1_u8..).zip(rest) {
            let at = f32::from(index) / count;
            let difference: [f32; 3] = std::array::from_fn(|plane| color[plane] - first[plane]);
            let weights = places.map(|place| most(0.0, 1.0 - count * around(place - at)));
            add(to, difference, &weights);
        }
    }

    /// Colours along a line from 0 to 1: the first at its start, the last at its end, and beyond.
    pub(crate) fn paint_line(&self, places: &Lanes, to: &mut Rgb) {
        let [first, rest @ ..] = self.colors() else { return };
        fill(to, *first);
        let steps = rest.len() as f32;
        let mut before = *first;
        for (index, color) in (0_u8..).zip(rest) {
            let start = f32::from(index);
            let difference: [f32; 3] = std::array::from_fn(|plane| color[plane] - before[plane]);
            let weights = places.map(|place| least(most(place * steps - start, 0.0), 1.0));
            add(to, difference, &weights);
            before = *color;
        }
    }
}

pub(crate) fn fill(to: &mut Rgb, color: [f32; 3]) {
    for (plane, value) in to.planes().into_iter().zip(color) {
        *plane = [value; _];
    }
}

fn add(to: &mut Rgb, color: [f32; 3], weights: &Lanes) {
    for (plane, value) in to.planes().into_iter().zip(color) {
        for (sum, weight) in plane.iter_mut().zip(weights) {
            *sum += value * weight;
        }
    }
}
