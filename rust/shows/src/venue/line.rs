//! Lines with smooth edges.

use super::letters::segments;
use super::picture::{Anchor, Line, Text};

/// The points of the letters' grid per height of a capital, and per letter with the space after it.
const GRID: f32 = 6.0;

/// Visits each pixel of a line with how much of the pixel the line covers, 0 to 1. The line has round ends; `width` and `height`
/// are the picture's.
pub(super) fn pixels(line: &Line, [width, height]: [u16; 2], mut visit: impl FnMut(usize, usize, f32)) {
    let half = line.width / 2.0;
    let [dx, dy] = [0, 1].map(|axis| line.to[axis] - line.from[axis]);
    let length_squared = dx * dx + dy * dy;
    if !(length_squared + half).is_finite() {
        return;
    }
    let reach = half + 1.0;
    // Along the longer axis each step has only a few pixels across.
    let (long, across) = if dx.abs() >= dy.abs() { (0, 1) } else { (1, 0) };
    let sides = [width, height];
    let slope = if length_squared > 0.0 {
        (line.to[across] - line.from[across]) / (line.to[long] - line.from[long])
    } else {
        0.0
    };
    let first = line.from[long].min(line.to[long]) - reach;
    let last = line.from[long].max(line.to[long]) + reach;
    // Across a line of 45 degrees, its width is the square root of two times as long.
    let around = reach * 1.5;
    for along in span(first, last, sides[long]) {
        let at = along as f32 + 0.5;
        let middle = line.from[across] + (at - line.from[long]) * slope;
        for beside in span(middle - around, middle + around, sides[across]) {
            let (x, y) = if long == 0 {
                (along, beside)
            } else {
                (beside, along)
            };
            let [px, py] = [x as f32 + 0.5 - line.from[0], y as f32 + 0.5 - line.from[1]];
            let share = if length_squared > 0.0 {
                ((px * dx + py * dy) / length_squared).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let [away_x, away_y] = [px - share * dx, py - share * dy];
            let distance = (away_x * away_x + away_y * away_y).sqrt();
            let cover = (half + 0.5 - distance).clamp(0.0, 1.0).min(line.width);
            if cover > 0.0 {
                visit(x, y, cover);
            }
        }
    }
}

/// The pixels from one coordinate to another that are within a side.
pub(super) fn span(first: f32, last: f32, side: u16) -> std::ops::Range<usize> {
    let side = usize::from(side);
    // Casts saturate: below 0 and for what is no number to 0.
    let (first, last) = (first.floor() as usize, (last.floor() + 1.0) as usize);
    first.min(side)..last.min(side)
}

/// The lines of a text's letters.
pub(super) fn strokes(text: &Text) -> impl Iterator<Item = Line> {
    let unit = text.size / GRID;
    let width = super::legend::text_width(&text.text, text.size);
    let shift = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::End => width,
    };
    let [left, base] = [text.at[0] - shift, text.at[1]];
    text.text.chars().enumerate().flat_map(move |(index, character)| {
        let left = left + index as f32 * text.size;
        let point = move |[column, row]: [u8; 2]| {
            [
                left + f32::from(column) * unit,
                base - (GRID - f32::from(row)) * unit,
            ]
        };
        segments(character).map(move |[from, to]| Line {
            from: point(from),
            to: point(to),
            width: (text.size / 8.0).max(1.0),
            color: text.color,
        })
    })
}
