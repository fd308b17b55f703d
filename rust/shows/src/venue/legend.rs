//! What surrounds the fixtures: the outline of the venue, the grid of its floor, and the scale.

use super::picture::{Anchor, Line, Picture, Text};
use super::plan::{PictureSettings, View};
use super::projection::{Bounds, Projection};
use crate::fixture::Rig;

/// The colours of the floor's outline, of the walls' and the ceiling's, of the grid, and of the legend.
const FLOOR: [u8; 3] = [86, 92, 118];
const WALL: [u8; 3] = [50, 53, 72];
const GRID: [u8; 3] = [25, 26, 37];
const LEGEND: [u8; 3] = [128, 132, 150];
/// The shortest side that has a legend in pixels.
const LEAST_SIDE: u16 = 160;
/// The most grid lines along the longest side.
const GRID_LINES: f64 = 24.0;
/// A line whose ends differ by less in pixels is upright or level.
const ALONG_AXIS: f32 = 0.01;
/// The margin of the legend, in heights of its letters.
const MARGIN: f32 = 1.6;
/// The longest scale as a share of the width.
const SCALE: f64 = 0.2;

impl Picture {
    /// Adds a text in the upper left corner, such as the time of the frame, in the size of the legend.
    pub fn add_caption(&mut self, text: &str) {
        let size = size_for(self.width, self.height) as f32;
        self.texts.push(Text {
            at: [size * MARGIN, size * (1.0 + MARGIN)],
            size,
            anchor: Anchor::Start,
            color: LEGEND,
            text: text.to_owned(),
        });
    }
}

/// The height of a capital letter in pixels.
fn size_for(width: u16, height: u16) -> f64 {
    (f64::from(width.min(height)) * 0.019).clamp(7.0, 24.0)
}

pub(super) fn text_size(settings: PictureSettings) -> f64 {
    size_for(settings.width, settings.height)
}

/// The height that the legend takes in pixels.
pub(super) fn height(settings: PictureSettings) -> f64 {
    if has_legend(settings) {
        text_size(settings) * 2.2
    } else {
        0.0
    }
}

fn has_legend(settings: PictureSettings) -> bool {
    settings.has_legend && settings.width.min(settings.height) >= LEAST_SIDE
}

/// Adds the grid, the outline and the legend to a picture.
pub(super) fn draw(
    picture: &mut Picture,
    rig: &Rig,
    room: &Bounds,
    projection: &Projection,
    settings: PictureSettings,
) {
    let width = (f64::from(settings.width.min(settings.height)) / 450.0).clamp(1.0, 6.0) as f32;
    let mut line = |from: [f64; 3], to: [f64; 3], color| {
        let [from, to] = crisp([from, to].map(|place| projection.at(place).map(|at| at as f32)));
        picture.lines.push(Line {
            from,
            to,
            width,
            color,
        });
    };
    let Bounds { low, high } = *room;
    let around = [
        [low[0], low[1]],
        [high[0], low[1]],
        [high[0], high[1]],
        [low[0], high[1]],
    ];
    let floor = if rig.outline.is_empty() {
        &around[..]
    } else {
        &rig.outline
    };
    if settings.has_grid {
        for (axis, at, from, to) in grid(floor, room) {
            let point = |along| {
                if axis == 0 {
                    [at, along, 0.0]
                } else {
                    [along, at, 0.0]
                }
            };
            line(point(from), point(to), GRID);
        }
    }
    let height = if rig.height.is_finite() {
        rig.height.max(0.0)
    } else {
        0.0
    };
    for (index, [x, y]) in rig.outline.iter().copied().enumerate() {
        let [next_x, next_y] = rig.outline[(index + 1) % rig.outline.len()];
        if settings.view == View::Front && height > 0.0 {
            line([x, y, 0.0], [x, y, height], WALL);
            line([x, y, height], [next_x, next_y, height], WALL);
        }
        line([x, y, 0.0], [next_x, next_y, 0.0], FLOOR);
    }
    if has_legend(settings) {
        scale(picture, rig, projection, settings, width);
    }
}

/// A line's ends; those of an upright or level line are in the middle of pixels, so that it does not blur over two of them.
fn crisp(mut ends: [[f32; 2]; 2]) -> [[f32; 2]; 2] {
    for axis in 0..2 {
        if (ends[0][axis] - ends[1][axis]).abs() < ALONG_AXIS {
            let middle = ends[0][axis].floor() + 0.5;
            ends = ends.map(|mut end| {
                end[axis] = middle;
                end
            });
        }
    }
    ends
}

/// A rounded step of 1, 2 or 5 times a power of ten that is not above `most`.
fn step(most: f64) -> f64 {
    let mut power = 1e-3;
    while power * 10.0 <= most {
        power *= 10.0;
    }
    let factors = [5.0, 2.0, 1.0].into_iter().find(|factor| power * factor <= most);
    power * factors.unwrap_or(1.0)
}

/// The lines of the floor's grid within its outline: the axis across, the place on it, and both ends along the other axis.
fn grid(floor: &[[f64; 2]], room: &Bounds) -> Vec<(usize, f64, f64, f64)> {
    let longest = room.extent(0).max(room.extent(1));
    // The next step above, of 1, 2 or 5, and no less than a metre.
    let pitch = step(longest / GRID_LINES * 2.5).max(1.0);
    let mut lines = Vec::new();
    for axis in 0..2 {
        let first = (room.low[axis] / pitch).ceil();
        let count = ((room.high[axis] / pitch).floor() - first).clamp(-1.0, 4.0 * GRID_LINES);
        for index in 0..(count + 1.0) as u32 {
            let at = (first + f64::from(index)) * pitch;
            let mut crossings = crossings(floor, axis, at);
            crossings.sort_by(f64::total_cmp);
            let pairs = crossings.chunks_exact(2);
            lines.extend(pairs.map(|pair| (axis, at, pair[0], pair[1])));
        }
    }
    lines
}

/// Where a line across an axis meets the edges of an outline, along the other axis.
fn crossings(outline: &[[f64; 2]], axis: usize, at: f64) -> Vec<f64> {
    let nexts = outline.iter().skip(1).chain(outline.first());
    let meets = outline.iter().zip(nexts).filter_map(|(from, to)| {
        let is_crossed = (from[axis] <= at) != (to[axis] <= at);
        let share = (at - from[axis]) / (to[axis] - from[axis]);
        is_crossed.then(|| from[1 - axis] + share * (to[1 - axis] - from[1 - axis]))
    });
    meets.collect()
}

/// A bar of a round length with its metres at the left, and the count of the fixtures and the view at the right.
fn scale(picture: &mut Picture, rig: &Rig, projection: &Projection, settings: PictureSettings, width: f32) {
    let size = text_size(settings);
    let pixels_per_meter = projection.scale_at([0.0, f64::MIN, 0.0]);
    if !pixels_per_meter.is_normal() {
        return;
    }
    let meters = step(f64::from(settings.width) * SCALE / pixels_per_meter);
    let length = (meters * pixels_per_meter) as f32;
    let margin = size as f32 * MARGIN;
    let (left, right) = (margin, f32::from(settings.width) - margin);
    let base = f32::from(settings.height) - margin;
    let size = size as f32;
    let mut line = |from, to| {
        picture.lines.push(Line {
            from,
            to,
            width,
            color: LEGEND,
        });
    };
    line([left, base], [left + length, base]);
    for end in [left, left + length] {
        line([end, base - size / 2.0], [end, base]);
    }
    let count = rig.fixtures.len();
    let fixtures = if count == 1 { "fixture" } else { "fixtures" };
    let view = match settings.view {
        View::Top => "from above",
        View::Front => "from the front",
    };
    let counted = format!("{count} {fixtures}, {view}");
    let mut text = |at, anchor, text: String| {
        picture.texts.push(Text {
            at,
            size,
            anchor,
            color: LEGEND,
            text,
        });
    };
    let left = left + length + size;
    let meters = format!("{meters} m");
    // A narrow picture has the scale alone.
    if left + text_width(&meters, size) + size < right - text_width(&counted, size) {
        text([right, base], Anchor::End, counted);
    }
    text([left, base], Anchor::Start, meters);
}

/// The width of a text in pixels, as [`Canvas`](super::Canvas) draws it.
pub(super) fn text_width(text: &str, size: f32) -> f32 {
    text.chars().count() as f32 * size - size / 3.0
}
