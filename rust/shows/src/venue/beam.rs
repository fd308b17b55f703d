//! Where the beam of a moving head goes.

use super::projection::{Bounds, Projection};
use crate::Head;
use crate::fixture::Rotation;

/// Half of the angle of a beam as its tangent: 7 degrees, between a spot and a wash.
const SPREAD: f64 = 0.122_785;
/// The radius of the lens in metres.
const LENS: f64 = 0.1;
/// The longest beam, in lengths of the venue's longest side.
const LONGEST: f64 = 1.5;

/// The direction of a beam in the venue, of length 1: downwards at the middle of pan and tilt, towards the back for a positive
/// tilt, and turned counter-clockwise as seen from above by a positive pan.
pub(super) fn direction(head: &Head, rotation: &Rotation) -> [f64; 3] {
    let (pan, tilt) = (radians(head.pan), radians(head.tilt));
    let out = libm::sin(tilt);
    rotation.apply([-libm::sin(pan) * out, libm::cos(pan) * out, -libm::cos(tilt)])
}

/// 0 for an angle that is no number.
fn radians(degrees: f32) -> f64 {
    let degrees = if degrees.is_finite() {
        f64::from(degrees)
    } else {
        0.0
    };
    (degrees % 360.0).to_radians()
}

/// A beam in the picture: its ends, half of its widths there, and the half axes of the pool of light at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cone {
    pub(super) from: [f32; 2],
    pub(super) to: [f32; 2],
    pub(super) radii: [f32; 2],
    pub(super) pool: [f32; 2],
}

/// The beam from a place in a direction, up to the floor, a wall or the ceiling.
pub(super) fn cone(place: [f64; 3], direction: [f64; 3], room: &Bounds, projection: &Projection) -> Cone {
    let longest = (0..3).map(|axis| room.extent(axis)).fold(0.0, f64::max) * LONGEST;
    let mut length = longest;
    let mut wall = None;
    for axis in 0..3 {
        let side = if direction[axis] > 0.0 {
            room.high[axis]
        } else {
            room.low[axis]
        };
        let way = (side - place[axis]) / direction[axis];
        // A fixture outside of the room, or a beam along a wall, hits that wall nowhere.
        if way.is_finite() && way > 0.0 && way < length {
            length = way;
            wall = Some(axis);
        }
    }
    let end: [f64; 3] = std::array::from_fn(|axis| place[axis] + direction[axis] * length);
    let (near, far) = (projection.scale_at(place), projection.scale_at(end));
    let radius = LENS + length * SPREAD;
    let is_on_floor = wall == Some(2) && direction[2] < 0.0;
    let pool = if is_on_floor {
        let [[_, behind], [_, before]] =
            [radius, -radius].map(|offset| projection.at([end[0], end[1] + offset, end[2]]));
        [radius * far, (behind - before).abs() / 2.0]
    } else {
        [0.0; 2]
    };
    Cone {
        from: projection.at(place).map(|at| at as f32),
        to: projection.at(end).map(|at| at as f32),
        radii: [(LENS * near) as f32, (radius * far) as f32],
        pool: pool.map(|half| half as f32),
    }
}
