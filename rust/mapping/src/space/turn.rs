//! How a fixture is turned whose cells have places.

use super::algebra::{add, dot, subtract};
use crate::correct::middle;
use crate::plan::eigen;
use rustle_shows::fixture::{Fixture, Rotation};

/// Of the cells' size, what the present rotation counts: it decides what they do not say, as around the axis of a bar.
const PRESENT: f64 = 1e-3;

/// The rotation in degrees with which cells of a fixture are at their places, and how well they then fit, 0 to 1; none for cells at one
/// place (B. K. P. Horn, Closed-form solution of absolute orientation using unit quaternions, 1987).
pub(crate) fn turned_in_space(fixture: &Fixture, cells: &[(usize, [f64; 3])]) -> Option<([f64; 3], f64)> {
    let positions = Fixture {
        position: [0.0; 3],
        rotation: [0.0; 3],
        ..fixture.clone()
    }
    .element_positions();
    let from: Option<Vec<_>> = cells
        .iter()
        .map(|(cell, _)| Some(positions.get(*cell)?.map(f64::from)))
        .collect();
    let from = from?;
    let (first, second) = (
        middle(from.iter().copied()),
        middle(cells.iter().map(|(_, at)| *at)),
    );
    let pairs = from
        .iter()
        .zip(cells)
        .map(|(from, (_, at))| (subtract(*from, first), subtract(*at, second)));
    let (mut sums, mut sizes) = ([[0.0; 3]; 3], [0.0; 2]);
    for (from, to) in pairs {
        for (row, from) in sums.iter_mut().zip(from) {
            *row = add(*row, to.map(|to| from * to));
        }
        sizes = [sizes[0] + dot(from, from), sizes[1] + dot(to, to)];
    }
    let size = (sizes[0] * sizes[1]).sqrt();
    if sizes.iter().any(|size| *size <= 1e-9) {
        return None;
    }
    let present = Rotation::new(fixture.rotation);
    for (axis, row) in sums.iter_mut().enumerate() {
        let mut along = [0.0; 3];
        along[axis] = PRESENT * size;
        *row = add(*row, present.apply(along));
    }
    let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = sums;
    let (values, vectors) = eigen([
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ]);
    let most = (0..4).max_by(|one, other| values[*one].total_cmp(&values[*other]))?;
    let [w, x, y, z] = std::array::from_fn(|row| vectors[row][most]);
    // The rows of the rotation that its angles around x, then y, then z are read from.
    let [first, second] = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z)],
    ];
    let third = [
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    ];
    let tilt = libm::asin((-third[0]).clamp(-1.0, 1.0));
    let (roll, turn) = if third[0].abs() < 1.0 - 1e-9 {
        (libm::atan2(third[1], third[2]), libm::atan2(second[0], first[0]))
    } else {
        // Around x and around z are then one.
        (0.0, libm::atan2(-first[1], second[1]))
    };
    let part = values[most] / size - PRESENT;
    part.is_finite()
        .then(|| ([roll, tilt, turn].map(f64::to_degrees), part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correct::{Axes, placed};
    use crate::mapper::lights;
    use rustle_shows::fixture::{Profile, Rig};
    use serde_json::json;

    #[test]
    fn fixtures_in_space_are_turned_as_their_cells_are() {
        let rig = |rotation: [f64; 3]| {
            let bar = json!({"id": 1, "profile": "bar-8", "protocol": "sacn", "universe": 1, "address": 1, "rotation": rotation});
            json!({"v": 1, "fixtures": [bar]}).to_string()
        };
        let read = |text: &str| {
            Rig::read(text.as_bytes(), &Profile::built_in())
                .expect("rig")
                .0
                .fixtures
                .remove(0)
        };
        for wanted in [
            [0.0; 3],
            [30.0, 0.0, 0.0],
            [0.0, 40.0, 20.0],
            [10.0, -90.0, 0.0],
            [0.0, 90.0, 30.0],
            [-170.0, 60.0, 135.0],
        ] {
            for present in [[0.0; 3], wanted, [0.0, 20.0, 170.0]] {
                let truth = Fixture {
                    position: [3.0, -2.0, 4.0],
                    ..read(&rig(wanted))
                };
                let places = truth.element_positions();
                let cells = places
                    .iter()
                    .enumerate()
                    .filter(|(cell, _)| ![2, 5].contains(cell));
                let cells = cells.map(|(cell, [x, y, z])| json!({"id": cell, "x": x, "y": y, "z": z}));
                let located = json!({"places": cells.collect::<Vec<_>>()}).to_string();
                let file = rig(present);
                let lights = lights(file.as_bytes()).expect("rig");
                let text = placed(file.as_bytes(), &lights, located.as_bytes(), Axes::Space).expect("placed");
                let found = read(&text);
                for (found, place) in found.element_positions().iter().zip(&places) {
                    for axis in 0..3 {
                        assert!(
                            (found[axis] - place[axis]).abs() < 2e-3,
                            "{wanted:?} {present:?} {text}"
                        );
                    }
                }
                // Around its own axis a bar stays as it was.
                if present == wanted {
                    let [one, other] =
                        [found.rotation, wanted].map(|degrees| Rotation::new(degrees).apply([0.0, 0.0, 1.0]));
                    assert!(dot(one, other) > 0.9999, "{wanted:?} {:?}", found.rotation);
                }
            }
        }
        let lights = lights(rig([0.0; 3]).as_bytes()).expect("rig");
        let flat = br#"{"places":[{"id":0,"x":1,"y":2}]}"#;
        let error = placed(rig([0.0; 3]).as_bytes(), &lights, flat, Axes::Space).expect_err("z");
        assert!(error.contains("x, y and z"), "{error}");
    }
}
