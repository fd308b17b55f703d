//! How much of a beam's light is seen at the pixels of a row.

use super::line::span;
use super::picture::Beam;
use std::ops::Range;

/// The share of the light that is seen of a beam where it begins, and where it ends.
const BEGIN: f32 = 0.30;
const END: f32 = 0.035;
/// The share of the length where a beam without a pool fades out.
const FADE: f32 = 0.1;
/// The share of the light that is seen in the middle of the pool at a beam's end.
const POOL: f32 = 0.26;

/// The memory for a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Shade {
    columns: Vec<f32>,
    weights: Vec<u16>,
}

impl Shade {
    /// Takes the width of a picture.
    pub(super) fn resize(&mut self, width: u16) {
        self.columns.clear();
        self.columns.extend((0..width).map(f32::from));
        self.weights.resize(usize::from(width), 0);
    }

    /// Visits the rows of a beam and of its pool: the row, the first column, and the shares of the light from there on, 0 to 65,535.
    pub(super) fn rows(&mut self, beam: &Beam, sides: [u16; 2], mut visit: impl FnMut(usize, usize, &[u16])) {
        self.pool(beam, sides, &mut visit);
        self.cone(beam, sides, &mut visit);
    }

    /// A soft ellipse.
    fn pool(&mut self, beam: &Beam, sides: [u16; 2], visit: &mut impl FnMut(usize, usize, &[u16])) {
        let [across, upright] = beam.pool;
        let [x, y] = beam.to;
        if !(across > 0.0 && upright > 0.0 && (across + upright + x + y).is_finite()) {
            return;
        }
        let columns = span(x - across, x + across, sides[0]);
        for row in span(y - upright, y + upright, sides[1]) {
            let down = (row as f32 + 0.5 - y) / upright;
            let first = columns.start;
            let (columns, weights) = self.part(columns.clone());
            ellipse(weights, columns, [0.5 - x, across], 1.0 - down * down);
            visit(row, first, weights);
        }
    }

    /// A cone that is brightest along its middle and where it begins.
    fn cone(&mut self, beam: &Beam, sides: [u16; 2], visit: &mut impl FnMut(usize, usize, &[u16])) {
        let [dx, dy] = [0, 1].map(|axis| beam.to[axis] - beam.from[axis]);
        let length = (dx * dx + dy * dy).sqrt();
        let [near, far] = beam.radii;
        if !(length >= 0.5 && near >= 0.0 && far > 0.0 && (length + near + far).is_finite()) {
            return;
        }
        let reach = near.max(far);
        let [top, bottom] = [beam.from[1].min(beam.to[1]), beam.from[1].max(beam.to[1])];
        let [ux, uy] = [dx / length, dy / length];
        // A beam with a pool reaches it.
        let fade = if beam.pool == [0.0; 2] {
            1.0 / FADE
        } else {
            f32::MAX
        };
        for row in span(top - reach, bottom + reach, sides[1]) {
            // At column 0, and what a column adds: the rest of the way to the end, the distance beside the axis, and half of the width.
            let [px, py] = [0.5 - beam.from[0], row as f32 + 0.5 - beam.from[1]];
            let rest = [1.0 - (px * ux + py * uy) / length, -ux / length];
            let beside = [py * ux - px * uy, -uy];
            let half = [far + (near - far) * rest[0], (near - far) * rest[1]];
            let edges = [
                rest,
                [1.0 - rest[0], -rest[1]],
                [half[0] + beside[0], half[1] + beside[1]],
                [half[0] - beside[0], half[1] - beside[1]],
            ];
            let columns = where_positive(edges, sides[0]);
            let first = columns.start;
            let (columns, weights) = self.part(columns);
            cone(weights, columns, rest, beside, [far, near - far], fade);
            visit(row, first, weights);
        }
    }

    fn part(&mut self, columns: Range<usize>) -> (&[f32], &mut [u16]) {
        (&self.columns[columns.clone()], &mut self.weights[columns])
    }
}

/// A row of an ellipse: `across` is what is added to a column, and the half axis; `inside` is what is left of 1 in this row. Not inlined,
/// as [`cone`], so that the loop alone is compiled, and vectorised.
#[inline(never)]
fn ellipse(weights: &mut [u16], columns: &[f32], across: [f32; 2], inside: f32) {
    for (weight, column) in weights.iter_mut().zip(columns) {
        let right = (column + across[0]) / across[1];
        let inside = positive(inside - right * right);
        *weight = whole(POOL * inside * inside);
    }
}

/// A row of a cone: values at column 0 and what a column adds; `half` is half of the width at the end, and what is added at the
/// beginning.
#[inline(never)]
fn cone(weights: &mut [u16], columns: &[f32], rest: [f32; 2], beside: [f32; 2], half: [f32; 2], fade: f32) {
    for (weight, column) in weights.iter_mut().zip(columns) {
        let rest = at_most_1(positive(rest[0] + column * rest[1]));
        let share = (beside[0] + column * beside[1]) / (half[0] + half[1] * rest);
        let inside = positive(1.0 - share * share);
        let along = (END + (BEGIN - END) * rest * rest) * at_most_1(rest * fade);
        *weight = whole(inside * inside * along);
    }
}

/// A level of 0 to 1 as 0 to 65,535, without the checks of a cast, which are not vectorised: from 2^23 on, the step between floats is 1,
/// so that the sum's last bits are the rounded integer.
fn whole(level: f32) -> u16 {
    (level * 65_535.0 + 8_388_608.0).to_bits() as u16
}

/// The value, or 0 if it is negative or no number.
fn positive(value: f32) -> f32 {
    if value > 0.0 { value } else { 0.0 }
}

fn at_most_1(value: f32) -> f32 {
    if value < 1.0 { value } else { 1.0 }
}

/// The columns of a row where all of these straight lines, each its value at column 0 and what a column adds, are positive.
fn where_positive(lines: [[f32; 2]; 4], side: u16) -> Range<usize> {
    let (mut first, mut last) = (0.0_f32, f32::from(side));
    for [start, slope] in lines {
        let zero = -start / slope;
        if slope > 0.0 {
            first = first.max(zero);
        } else if slope < 0.0 {
            last = last.min(zero);
        } else if start < 0.0 {
            return 0..0;
        }
    }
    let side = usize::from(side);
    // Casts saturate: below 0 to 0.
    let (first, last) = (first.ceil() as usize, (last.floor() + 1.0) as usize);
    first.min(side)..last.clamp(first.min(side), side)
}
