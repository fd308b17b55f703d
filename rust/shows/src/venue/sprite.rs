//! Glows, drawn once and then added to many pixels.

use super::picture::Lamp;

/// The largest glow in pixels; a larger one is drawn with this radius.
const LARGEST: f32 = 256.0;
/// The positions between two pixels that a glow is drawn for, along each axis, up to a radius; larger ones are drawn at pixels.
const PHASES: usize = 4;
const LARGEST_WITH_PHASES: f32 = 40.0;
/// The glow's share of the light beside its disc.
const HALO: f32 = 0.34;
/// Radii are drawn in steps of a quarter of a pixel.
const STEPS: f32 = 4.0;

/// The glow of lamps of one size, at each position between pixels.
#[derive(Clone, Debug)]
pub(super) struct Sprite {
    /// Radii of the disc and the glow in quarters of a pixel.
    size: (u32, u32),
    phases: usize,
    /// The pixels before the one that the middle is in, and those of a row.
    before: usize,
    side: usize,
    /// The shares of the light, 0 to 65,535 and once for each channel, by phase down, phase across, row and column.
    weights: Vec<[u16; 4]>,
}

/// The part of a sprite that is in a picture.
pub(super) struct Placed<'a> {
    /// The first row and column of the picture.
    pub(super) row: usize,
    pub(super) column: usize,
    /// The rows and columns that are in the picture.
    pub(super) rows: usize,
    pub(super) width: usize,
    /// The weights from the first of these on, `side` a row.
    pub(super) weights: &'a [[u16; 4]],
    pub(super) side: usize,
}

impl Sprite {
    /// The radii of a lamp's disc and glow in quarters of a pixel.
    pub(super) fn size(lamp: &Lamp) -> (u32, u32) {
        let quarters = |radius: f32| (radius.min(LARGEST) * STEPS + 0.5) as u32;
        let disc = quarters(lamp.radius).max(1);
        (disc, quarters(lamp.glow).max(disc + STEPS as u32))
    }

    pub(super) fn has_size(&self, size: (u32, u32)) -> bool {
        self.size == size
    }

    /// Its number of weights.
    pub(super) fn weights(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn new(size: (u32, u32)) -> Self {
        let [disc, glow] = [size.0, size.1].map(|quarters| quarters as f32 / STEPS);
        let phases = if glow <= LARGEST_WITH_PHASES { PHASES } else { 1 };
        let before = glow.ceil() as usize;
        let side = 2 * before + 2;
        let mut weights = Vec::with_capacity(phases * phases * side * side);
        let offset = |index: usize, phase: usize| index as f32 - before as f32 - phase as f32 / phases as f32;
        for down in 0..phases {
            for across in 0..phases {
                for row in 0..side {
                    let y = offset(row, down);
                    weights
                        .extend((0..side).map(|column| [weight(disc, glow, offset(column, across), y); 4]));
                }
            }
        }
        Self {
            size,
            phases,
            before,
            side,
            weights,
        }
    }

    /// The sprite with its middle at a place of a picture; none if nothing of it is in the picture.
    pub(super) fn placed(&self, at: [f32; 2], sides: [u16; 2]) -> Option<Placed<'_>> {
        let [(left, across), (top, down)] = at.map(|at| self.position(at));
        let [columns, rows] = [(left, sides[0]), (top, sides[1])].map(|(first, side)| {
            let from = usize::try_from(-first).unwrap_or(0).min(self.side);
            let to = usize::try_from(i64::from(side) - first)
                .unwrap_or(0)
                .min(self.side);
            from..to.max(from)
        });
        if columns.is_empty() || rows.is_empty() {
            return None;
        }
        let start = (down * self.phases + across) * self.side * self.side;
        Some(Placed {
            row: usize::try_from(top).unwrap_or(0),
            column: usize::try_from(left).unwrap_or(0),
            rows: rows.len(),
            width: columns.len(),
            weights: &self.weights[start + rows.start * self.side + columns.start..],
            side: self.side,
        })
    }

    /// The first pixel along an axis, and the phase.
    fn position(&self, at: f32) -> (i64, usize) {
        let phases = self.phases as i64;
        // Pixel 0 has its middle at 0.5. The cast saturates, far from an overflow of what follows.
        let steps = ((at - 0.5) * self.phases as f32 + 0.5).floor() as i32;
        let steps = i64::from(steps);
        (
            steps.div_euclid(phases) - self.before as i64,
            steps.rem_euclid(phases) as usize,
        )
    }
}

/// The share of a lamp's light at a distance from its middle: all of it on the disc, whose edge is smooth, and less and less in the
/// glow.
fn weight(disc: f32, glow: f32, x: f32, y: f32) -> u16 {
    let squared = x * x + y * y;
    let on_disc = (disc + 0.5 - squared.sqrt()).clamp(0.0, 1.0);
    let inside = (1.0 - squared / (glow * glow)).max(0.0);
    let halo = HALO * inside * inside * inside * inside;
    ((on_disc + (1.0 - on_disc) * halo) * 65_535.0) as u16
}
