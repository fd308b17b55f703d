//! What people know better: corrections of a result, and places in a rig.

use crate::decode::{Found, MOST_PIXELS, Mapping, Place, Reason};
use crate::lights::Lights;
use crate::space::turned_in_space;
use rustle_shows::fixture::Fixture;
use serde_json::{Value, json};

/// Applies corrections to a result, in their order: `{"v":1,"corrections":[{"id":3,"x":10.5,"y":20},{"id":4,"found":false},
/// {"swap":[1,2]}]}`.
///
/// # Errors
/// What is expected and what is there; the result is then as it was.
pub fn corrected(mapping: &Mapping, corrections: &[u8]) -> Result<Mapping, String> {
    let file: Value = serde_json::from_slice(corrections)
        .map_err(|error| format!("corrections: expected JSON, got {error}"))?;
    if file["v"] != 1 {
        return Err(format!("v: expected 1, got {}", file["v"]));
    }
    let list = file["corrections"]
        .as_array()
        .ok_or("corrections: expected an array, got another value")?;
    let mut mapping = mapping.clone();
    for (index, value) in list.iter().enumerate() {
        let known = |id: &Value| {
            id.as_u64()
                .filter(|id| *id < mapping.fixtures.len() as u64)
                .map(|id| id as usize)
        };
        if let Some([one, other]) = value["swap"].as_array().map(Vec::as_slice)
            && let (Some(one), Some(other)) = (known(one), known(other))
        {
            mapping.fixtures.swap(one, other);
            for id in [one, other] {
                mapping.fixtures[id].id = id as u32;
            }
            continue;
        }
        let place = match (value["x"].as_f64(), value["y"].as_f64(), &value["found"]) {
            (Some(x), Some(y), Value::Null | Value::Bool(true)) if x.abs().max(y.abs()) > MOST_PIXELS => {
                return Err(format!(
                    "corrections[{index}]: expected x and y of -{MOST_PIXELS} to {MOST_PIXELS}, got {value}"
                ));
            }
            (Some(x), Some(y), Value::Null | Value::Bool(true)) => Some(Ok(Place {
                at: [x, y],
                sigma: 0.0,
                brightness: 0.0,
                pixels: 0,
                mirror: None,
            })),
            (None, None, Value::Bool(false)) => Some(Err(Reason::Dark)),
            _ => None,
        };
        let (Some(id), Some(place)) = (known(&value["id"]), place) else {
            return Err(format!(
                "corrections[{index}]: expected an id with x and y or with \"found\":false, or two ids to swap, got {value}"
            ));
        };
        mapping.fixtures[id] = Found {
            id: id as u32,
            confidence: if place.is_ok() { 1.0 } else { 0.0 },
            place,
        };
    }
    Ok(mapping)
}

/// How much of the cells' places a direction explains, at least: they are those of the fixture, turned.
const STRAIGHT: f64 = 0.8;

/// Which axes of a rig places are along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Its first two: a plan of the floor.
    Floor,
    /// Its first and its third: an upright plan.
    Upright,
    /// All three.
    Space,
}

/// Writes places on a plan, as [`planned`](crate::plan::planned) answers, or in space, as [`located`](crate::space::located) does, into
/// the file of a rig: a fixture is in the middle of its cells and turned as they are, in their order.
///
/// # Errors
/// What is expected and what is there.
pub fn placed(rig: &[u8], lights: &Lights, plan: &[u8], axes: Axes) -> Result<String, String> {
    let mut file: Value =
        serde_json::from_slice(rig).map_err(|error| format!("rig: expected JSON, got {error}"))?;
    let plan: Value =
        serde_json::from_slice(plan).map_err(|error| format!("plan: expected JSON, got {error}"))?;
    let list = plan["places"]
        .as_array()
        .ok_or("places: expected an array, got another value")?;
    let mut all = vec![None; file["fixtures"].as_array().map_or(0, Vec::len)];
    for (index, place) in list.iter().enumerate() {
        let id = place["id"].as_u64().and_then(|id| u32::try_from(id).ok());
        let cell = id.and_then(|id| lights.cell(id));
        let [x, y, z] = ["x", "y", "z"].map(|axis| place[axis].as_f64());
        let z = if axes == Axes::Space { z } else { Some(0.0) };
        let (Some((fixture, cell)), Some(x), Some(y), Some(z)) = (cell, x, y, z) else {
            let wanted = if axes == Axes::Space {
                "x, y and z"
            } else {
                "x and y"
            };
            return Err(format!(
                "places[{index}]: expected the id of a cell of the rig, {wanted}, got {place}"
            ));
        };
        if let Some(known) = all.get_mut(fixture.place) {
            let (_, cells) = known.get_or_insert_with(|| (fixture, Vec::new()));
            cells.push((cell, [x, y, z]));
        }
    }
    for (index, known) in all.into_iter().enumerate() {
        let Some((placed, cells)) = known else { continue };
        let rotation = match axes {
            Axes::Space => turned_in_space(placed, &cells)
                .filter(|(_, part)| *part >= STRAIGHT)
                .map(|(turn, _)| turn),
            plane => turned(placed, &cells, plane == Axes::Upright),
        };
        // Cells without a place count, too: the others are beside the middle of all.
        let offsets = Fixture {
            position: [0.0; 3],
            rotation: rotation.unwrap_or(placed.rotation),
            ..placed.clone()
        }
        .element_positions();
        let [x, y, z] = middle(cells.iter().map(|(cell, [x, y, z])| {
            let [right, back, up] = offsets.get(*cell).map_or([0.0; 3], |at| at.map(f64::from));
            match axes {
                Axes::Upright => [x - right, y - up, *z],
                Axes::Floor => [x - right, y - back, *z],
                Axes::Space => [x - right, y - back, z - up],
            }
        }))
        .map(|at| (at * 1e4).round() / 1e4);
        let fixture = &mut file["fixtures"][index];
        let axis = |axis: usize| fixture["position"][axis].as_f64().unwrap_or_default();
        fixture["position"] = json!(match axes {
            Axes::Floor => [x, y, axis(2)],
            Axes::Upright => [x, axis(1), y],
            Axes::Space => [x, y, z],
        });
        if let Some(rotation) = rotation {
            fixture["rotation"] = json!(rotation.map(|degrees| (degrees * 1e2).round() / 1e2 + 0.0));
        }
    }
    Ok(format!("{file:#}\n"))
}

pub(crate) fn middle<const AXES: usize>(places: impl Iterator<Item = [f64; AXES]>) -> [f64; AXES] {
    let (mut sum, mut count) = ([0.0; AXES], 0.0);
    for place in places {
        sum = std::array::from_fn(|axis| sum[axis] + place[axis]);
        count += 1.0;
    }
    sum.map(|sum| sum / count)
}

/// The rotation with which cells of a fixture are at their places on the plan; none where these do not say it.
fn turned(fixture: &Fixture, cells: &[(usize, [f64; 3])], upright: bool) -> Option<[f64; 3]> {
    let [x, y, _] = fixture.rotation;
    // Seen from above it turns around z. Seen from the front it turns around y, and shows one side or, half a turn around z, the other.
    let starts: &[[f64; 3]] = if upright {
        &[[x, 0.0, 0.0], [x, 0.0, 180.0]]
    } else {
        &[[x, y, 0.0]]
    };
    let mut best: Option<(f64, [f64; 3])> = None;
    for start in starts {
        let positions = Fixture {
            position: [0.0; 3],
            rotation: *start,
            ..fixture.clone()
        }
        .element_positions();
        let plan = |cell: usize| {
            let at = positions.get(cell)?.map(f64::from);
            Some([at[0], at[if upright { 2 } else { 1 }]])
        };
        let pairs: Option<Vec<_>> = cells
            .iter()
            .map(|(cell, [x, y, _])| Some((plan(*cell)?, [*x, *y])))
            .collect();
        let Some((turn, part)) = turn(&pairs?) else {
            continue;
        };
        // Around y, x turns away from z. Half a turn around z has changed the direction of x before.
        let rotation = match (upright, start[2] == 0.0) {
            (false, _) => [x, y, turn],
            (true, true) => [x, -turn, 0.0],
            (true, false) => [x, turn, 180.0],
        };
        // Of rotations that fit alike, the one that leaves the beam's half of the venue.
        let is_better = best.is_none_or(|(most, best)| {
            part > most + 1e-6 || (part > most - 1e-6 && rotation[1].abs() < best[1].abs() - 1e-6)
        });
        if is_better {
            best = Some((part, rotation));
        }
    }
    best.filter(|(part, _)| *part >= STRAIGHT)
        .map(|(_, rotation)| rotation)
}

/// The degrees by which the first places of pairs are turned to the second ones, counter-clockwise, and how well they then fit, 0 to 1.
fn turn(pairs: &[([f64; 2], [f64; 2])]) -> Option<(f64, f64)> {
    let from = middle(pairs.iter().map(|(from, _)| *from));
    let to = middle(pairs.iter().map(|(_, to)| *to));
    let (mut along, mut across, mut sizes) = (0.0, 0.0, [0.0; 2]);
    for (one, other) in pairs {
        let [x, y] = [one[0] - from[0], one[1] - from[1]];
        let [u, v] = [other[0] - to[0], other[1] - to[1]];
        along += x * u + y * v;
        across += x * v - y * u;
        sizes = [sizes[0] + x * x + y * y, sizes[1] + u * u + v * v];
    }
    let part = along.hypot(across) / (sizes[0] * sizes[1]).sqrt();
    // Cells at one place have no direction.
    (sizes.iter().all(|size| *size > 1e-9) && part.is_finite())
        .then(|| (libm::atan2(across, along).to_degrees(), part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapper::lights;
    use rustle_shows::fixture::{Profile, Rig};

    #[test]
    fn fixtures_are_moved_removed_and_swapped() {
        let mapping = Mapping::empty(4, (640, 480));
        let json = br#"{"v":1,"corrections":[{"id":1,"x":5,"y":6.5},{"id":3,"x":7,"y":8},{"swap":[1,2]},{"id":3,"found":false}]}"#;
        let corrected = corrected(&mapping, json).expect("corrected");
        let places: Vec<_> = corrected
            .fixtures
            .iter()
            .map(|found| found.place.ok().map(|place| place.at))
            .collect();
        assert_eq!(places, [None, None, Some([5.0, 6.5]), None]);
        assert_eq!(
            corrected
                .fixtures
                .iter()
                .map(|found| found.id)
                .collect::<Vec<_>>(),
            [0, 1, 2, 3]
        );
        assert_eq!(corrected.fixtures[2].confidence, 1.0);
        for (json, expected) in [
            ("", "JSON"),
            ("{}", "v: expected 1"),
            (r#"{"v":1}"#, "corrections"),
            (
                r#"{"v":1,"corrections":[{"id":4,"x":1,"y":1}]}"#,
                "corrections[0]",
            ),
            (r#"{"v":1,"corrections":[{"swap":[1,4]}]}"#, "corrections[0]"),
            (
                r#"{"v":1,"corrections":[{"id":1,"x":1e308,"y":1}]}"#,
                "expected x and y of -1000000 to 1000000",
            ),
        ] {
            let error = super::corrected(&mapping, json.as_bytes()).expect_err(json);
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn bar_is_in_the_middle_of_its_cells() {
        let rig = br#"{"v":1,"fixtures":[
            {"id":1,"profile":"rgb-par","protocol":"sacn","universe":1,"address":1,"position":[9,9,3]},
            {"id":2,"profile":"bar-8","protocol":"sacn","universe":1,"address":10}]}"#;
        let lights = Lights::new(Rig::read(rig, &Profile::built_in()).expect("rig").0);
        let plan = br#"{"v":1,"places":[{"id":0,"x":1,"y":2},{"id":1,"x":3,"y":4},{"id":8,"x":5,"y":6}]}"#;
        let position = |axes, fixture: usize| {
            let text = placed(rig, &lights, plan, axes).expect("placed");
            serde_json::from_str::<Value>(&text).expect("JSON")["fixtures"][fixture]["position"].clone()
        };
        assert_eq!(
            (position(Axes::Floor, 0), position(Axes::Floor, 1)),
            (json!([1.0, 2.0, 3.0]), json!([4.0, 5.0, 0.0]))
        );
        assert_eq!(
            (position(Axes::Upright, 0), position(Axes::Upright, 1)),
            (json!([1.0, 9.0, 2.0]), json!([4.0, 0.0, 5.0]))
        );
        let error =
            placed(rig, &lights, br#"{"places":[{"id":9,"x":1,"y":1}]}"#, Axes::Floor).expect_err("id");
        assert!(error.contains("places[0]"), "{error}");
    }

    #[test]
    fn bar_with_dark_cells_is_where_all_are() {
        let rig =
            br#"{"v":1,"fixtures":[{"id":1,"profile":"bar-8","protocol":"sacn","universe":1,"address":1}]}"#;
        let lights = lights(rig).expect("rig");
        let bar = &lights.rig().fixtures[0];
        let cells = bar.element_positions();
        for (axes, up) in [(Axes::Floor, 0.0), (Axes::Upright, 0.0), (Axes::Space, 4.0)] {
            for seen in [&[0, 1, 2, 3][..], &[6, 7], &[5]] {
                let places = seen.iter().map(|cell| {
                    let along = f64::from(cells[*cell][0]);
                    json!({"id": cell, "x": 2.0 + along, "y": 3.0, "z": up})
                });
                let plan = json!({"v": 1, "places": places.collect::<Vec<_>>()}).to_string();
                let text = placed(rig, &lights, plan.as_bytes(), axes).expect("placed");
                let file: Value = serde_json::from_str(&text).expect("JSON");
                let expected = match axes {
                    Axes::Floor => [2.0, 3.0, 0.0],
                    Axes::Upright => [2.0, 0.0, 3.0],
                    Axes::Space => [2.0, 3.0, up],
                };
                assert_eq!(file["fixtures"][0]["position"], json!(expected), "{seen:?}");
            }
        }
    }

    #[test]
    fn bar_is_turned_as_its_cells_are() {
        let rig = |rotation: &str| {
            format!(
                r#"{{"v":1,"fixtures":[{{"id":1,"profile":"bar-8","protocol":"sacn","universe":1,"address":1,"rotation":{rotation}}}]}}"#
            )
        };
        let placed_fixture = |rig: &str, cells: &[usize], degrees: f64, upright| {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let places = cells.iter().map(|cell| {
                let along = *cell as f64 * 0.15;
                json!({"id": cell, "x": 2.0 + along * cosine, "y": 3.0 + along * sine})
            });
            let plan = json!({"v": 1, "places": places.collect::<Vec<_>>()}).to_string();
            let lights = lights(rig.as_bytes()).expect("rig");
            let axes = if upright { Axes::Upright } else { Axes::Floor };
            let text = placed(rig.as_bytes(), &lights, plan.as_bytes(), axes).expect("placed");
            let rig = Rig::read(text.as_bytes(), &Profile::built_in()).expect("rig").0;
            rig.fixtures[0].clone()
        };
        let all: Vec<usize> = (0..8).collect();
        for degrees in [0.0, 37.5, 90.0, 135.0, 180.0, -90.0, -120.0] {
            for upright in [false, true] {
                for (rotation, cells) in [
                    ("[0,0,0]", &all[..]),
                    ("[20,0,0]", &[7, 2][..]),
                    ("[0,30,200]", &all[..]),
                    ("[0,170,0]", &all[..]),
                ] {
                    let bar = placed_fixture(&rig(rotation), cells, degrees, upright);
                    let cells = bar.element_positions();
                    let way = |axis: usize| f64::from(cells[7][axis] - cells[0][axis]);
                    let found = way(if upright { 2 } else { 1 }).atan2(way(0)).to_degrees();
                    let off = (found - degrees).rem_euclid(360.0);
                    let message = format!("{degrees} {upright} {rotation}: {:?}", bar.rotation);
                    assert!(off.min(360.0 - off) < 0.02, "{found}: {message}");
                    // The beam stays in its half.
                    let wanted = if upright || rotation != "[0,170,0]" {
                        1.0
                    } else {
                        -1.0
                    };
                    assert!(wanted * bar.rotation[1].to_radians().cos() > -1e-9, "{message}");
                }
            }
        }
        // One cell has no direction.
        let bar = placed_fixture(&rig("[1,2,3]"), &[4], 90.0, false);
        assert_eq!(bar.rotation, [1.0, 2.0, 3.0]);
    }
}
