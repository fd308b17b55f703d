//! From pixels to a plan: the homography of a plane that the camera sees.

use crate::decode::{Mapping, Reason};
use serde_json::{Value, json};
use std::collections::HashSet;

/// A place in the picture, and where that is on the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Pixels, to the right and down.
    pub pixel: [f64; 2],
    /// Metres on the plan.
    pub plan: [f64; 2],
}

/// The map of a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homography([[f64; 3]; 3]);

/// The highest absolute coordinate on a plan, in metres, which is that of rigs; and of a point's pixel.
const MOST_METRES: f64 = 1e5;
/// The most pairs.
const MAX_PAIRS: usize = 10_000;

impl Homography {
    /// The map that fits pairs best, by the direct linear transformation of normalised coordinates (R. Hartley, In Defence of the
    /// 8-point Algorithm, ICCV 1995); none for fewer than four pairs, or where three of four are on a line.
    pub fn of(pairs: &[Pair]) -> Option<Self> {
        if !(4..=MAX_PAIRS).contains(&pairs.len()) {
            return None;
        }
        let from = normal(pairs.iter().map(|pair| pair.pixel))?;
        let to = normal(pairs.iter().map(|pair| pair.plan))?;
        let mut square = [[0.0; 9]; 9];
        for pair in pairs {
            let [[x, y], [u, v]] = [apply(&from, pair.pixel)?, apply(&to, pair.plan)?];
            for row in [
                [-x, -y, -1.0, 0.0, 0.0, 0.0, u * x, u * y, u],
                [0.0, 0.0, 0.0, -x, -y, -1.0, v * x, v * y, v],
            ] {
                for (sums, one) in square.iter_mut().zip(row) {
                    for (sum, other) in sums.iter_mut().zip(row) {
                        *sum += one * other;
                    }
                }
            }
        }
        let (values, vectors) = eigen(square);
        let mut order: Vec<usize> = (0..9).collect();
        order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
        // Of pairs on lines, more than one map fits.
        if values[order[1]] < 1e-7 * values[order[8]] {
            return None;
        }
        let entry = |index: usize| vectors[index][order[0]];
        let middle = std::array::from_fn(|row| std::array::from_fn(|column| entry(3 * row + column)));
        let back = inverse(&to)?;
        let map = product(&back, &product(&middle, &from));
        let scale = map
            .as_flattened()
            .iter()
            .fold(0.0, |most: f64, entry| most.max(entry.abs()));
        // In front of the camera, where the pairs are, the third row is positive.
        let scale = scale.copysign(depth(&map, pairs[0].pixel));
        (scale.is_finite() && scale != 0.0).then(|| Self(map.map(|row| row.map(|entry| entry / scale))))
    }

    /// Where a pixel is on the plan; none for one on the plane's horizon or on its other side from the pairs.
    pub fn plan(&self, pixel: [f64; 2]) -> Option<[f64; 2]> {
        let is_seen = depth(&self.0, pixel) > 0.0;
        apply(&self.0, pixel).filter(|at| is_seen && at.iter().all(|at| at.abs() <= MOST_METRES))
    }
}

/// What is 0 on the horizon.
fn depth(map: &Matrix, [x, y]: [f64; 2]) -> f64 {
    map[2][0] * x + map[2][1] * y + map[2][2]
}

type Matrix = [[f64; 3]; 3];

fn apply(map: &Matrix, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let [a, b, c] = map.map(|row| row[0] * x + row[1] * y + row[2]);
    let mapped = [a / c, b / c];
    mapped.iter().all(|value| value.is_finite()).then_some(mapped)
}

fn product(one: &Matrix, other: &Matrix) -> Matrix {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (0..3).map(|index| one[row][index] * other[index][column]).sum())
    })
}

fn inverse(map: &Matrix) -> Option<Matrix> {
    // A scale and a shift.
    let [scale, [x, y]] = [[map[0][0], map[1][1]], [map[0][2], map[1][2]]];
    (scale[0] != 0.0 && scale[1] != 0.0).then(|| {
        [
            [1.0 / scale[0], 0.0, -x / scale[0]],
            [0.0, 1.0 / scale[1], -y / scale[1]],
            [0.0, 0.0, 1.0],
        ]
    })
}

/// The map of places to ones around 0 with a mean distance of the root of 2.
fn normal(places: impl Iterator<Item = [f64; 2]> + Clone) -> Option<Matrix> {
    let count = places.clone().count() as f64;
    let sum = places
        .clone()
        .fold([0.0; 2], |sum, place| [sum[0] + place[0], sum[1] + place[1]]);
    let middle = sum.map(|sum| sum / count);
    let distance = places
        .map(|place| (place[0] - middle[0]).hypot(place[1] - middle[1]))
        .sum::<f64>()
        / count;
    let scale = std::f64::consts::SQRT_2 / distance;
    let is_usable = scale.is_finite() && middle.iter().all(|middle| middle.is_finite());
    is_usable.then(|| {
        [
            [scale, 0.0, -scale * middle[0]],
            [0.0, scale, -scale * middle[1]],
            [0.0, 0.0, 1.0],
        ]
    })
}

/// The eigenvalues of a symmetric matrix, and their vectors in columns, by Jacobi's rotations.
pub(crate) fn eigen<const SIZE: usize>(
    mut matrix: [[f64; SIZE]; SIZE],
) -> ([f64; SIZE], [[f64; SIZE]; SIZE]) {
    let mut vectors: [[f64; SIZE]; SIZE] =
        std::array::from_fn(|row| std::array::from_fn(|column| if row == column { 1.0 } else { 0.0 }));
    for _ in 0..60 {
        for p in 0..SIZE - 1 {
            for q in p + 1..SIZE {
                if matrix[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
                let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                for row in &mut matrix {
                    (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
                }
                let (one, other) = (matrix[p], matrix[q]);
                matrix[p] = std::array::from_fn(|column| cosine * one[column] - sine * other[column]);
                matrix[q] = std::array::from_fn(|column| sine * one[column] + cosine * other[column]);
                for row in &mut vectors {
                    (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
                }
            }
        }
    }
    (std::array::from_fn(|index| matrix[index][index]), vectors)
}

/// Reads pairs and maps all fixtures of a result to the plan: `{"v":1,"points":[{"pixel":[10,20],"plan":[0,0]},{"id":3,"plan":[4,0]}]}`,
/// where an id stands for its place in the result. The answer has the distance of each point from its place on the plan, the places, and
/// why the other fixtures have none: the reason of the result, or `horizon` for those that are not in front of the camera on the plane.
///
/// # Errors
/// What is expected and what is there.
pub fn planned(mapping: &Mapping, points: &[u8]) -> Result<String, String> {
    let file: Value =
        serde_json::from_slice(points).map_err(|error| format!("points: expected JSON, got {error}"))?;
    if file["v"] != 1 {
        return Err(format!("v: expected 1, got {}", file["v"]));
    }
    let list = file["points"]
        .as_array()
        .ok_or("points: expected an array, got another value")?;
    let two = |value: &Value| {
        let at = match value.as_array().map(Vec::as_slice) {
            Some([x, y]) => x.as_f64().zip(y.as_f64()).map(|(x, y)| [x, y]),
            _ => None,
        };
        at.filter(|at| at.iter().all(|at| at.abs() <= MOST_METRES))
    };
    let mut pairs = Vec::new();
    let mut ids = HashSet::new();
    for (index, point) in list.iter().enumerate() {
        let plan = two(&point["plan"]);
        if let Some(id) = point["id"].as_u64()
            && !ids.insert(id)
        {
            return Err(format!("points[{index}].id: expected each once, got {id}"));
        }
        let pixel = match point["id"].as_u64() {
            Some(id) => mapping
                .fixtures
                .get(id as usize)
                .and_then(|found| Some(found.place.ok()?.at)),
            None => two(&point["pixel"]),
        };
        let (Some(pixel), Some(plan)) = (pixel, plan) else {
            return Err(format!(
                "points[{index}]: expected a pixel or the id of a fixture that was found, and its place on the plan, numbers of -{MOST_METRES} to {MOST_METRES}, got {point}"
            ));
        };
        pairs.push(Pair { pixel, plan });
    }
    let map = Homography::of(&pairs).ok_or_else(|| {
        format!(
            "points: expected four or more of which no three are on a line, got {}",
            pairs.len()
        )
    })?;
    let mut off = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let at = map.plan(pair.pixel).ok_or_else(|| {
            format!(
                "points[{index}]: expected all in front of the camera on one plane, got one beyond the horizon"
            )
        })?;
        off.push((at[0] - pair.plan[0]).hypot(at[1] - pair.plan[1]));
    }
    let (mut places, mut missing) = (Vec::new(), Vec::new());
    for found in &mapping.fixtures {
        let at = found.place.map_err(Reason::name);
        match at.and_then(|place| map.plan(place.at).ok_or("horizon")) {
            Ok([x, y]) => places.push(json!({"id": found.id, "x": x, "y": y}).to_string()),
            Err(reason) => missing.push(json!({"id": found.id, "reason": reason}).to_string()),
        }
    }
    Ok(format!(
        "{{\"v\":1,\"residuals\":{},\"homography\":{},\"places\":[\n{}\n],\"missing\":[{}]}}\n",
        json!(off),
        json!(map.0),
        places.join(",\n"),
        missing.join(",")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{Found, Place};

    /// A plane that is seen from the side.
    fn seen([x, y]: [f64; 2]) -> [f64; 2] {
        let depth = 4.0 + 0.3 * x + 0.1 * y;
        [
            320.0 + 400.0 * (x - 1.0) / depth,
            240.0 - 380.0 * (y - 0.5) / depth,
        ]
    }

    fn pairs(places: &[[f64; 2]]) -> Vec<Pair> {
        places
            .iter()
            .map(|plan| Pair {
                pixel: seen(*plan),
                plan: *plan,
            })
            .collect()
    }

    #[test]
    fn four_points_map_the_whole_plane() {
        let map = Homography::of(&pairs(&[[0.0, 0.0], [8.0, 0.0], [8.0, 5.0], [0.0, 5.0]])).expect("map");
        for place in [[4.0, 2.0], [1.0, 4.5], [-2.0, 7.0]] {
            let mapped = map.plan(seen(place)).expect("place");
            assert!(
                (mapped[0] - place[0]).abs() < 1e-6 && (mapped[1] - place[1]).abs() < 1e-6,
                "{mapped:?}"
            );
        }
    }

    #[test]
    fn points_on_lines_and_too_few_are_no_plane() {
        assert_eq!(
            Homography::of(&pairs(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])),
            None
        );
        assert_eq!(
            Homography::of(&pairs(&[
                [0.0, 0.0],
                [1.0, 1.0],
                [2.0, 2.0],
                [3.0, 3.0],
                [5.0, 5.0]
            ])),
            None
        );
        assert_eq!(Homography::of(&pairs(&[[1.0, 1.0]; 4])), None);
    }

    #[test]
    fn lamp_beyond_the_horizon_has_a_reason_and_no_place() {
        let mut mapping = Mapping::empty(4, (640, 480));
        // The depth is 0 where 4 + 0.3 x + 0.1 y is; the last two are beyond it, one of them far beyond.
        let plan = [[4.0, 2.5], [0.0, -39.0], [0.0, -41.0], [-500.0, -500.0]];
        for (found, plan) in mapping.fixtures.iter_mut().zip(plan) {
            found.place = Ok(Place {
                at: seen(plan),
                sigma: 0.0,
                brightness: 1.0,
                pixels: 1,
                mirror: None,
            });
        }
        mapping.fixtures.push(Found {
            id: 4,
            confidence: 0.0,
            place: Err(Reason::Hidden),
        });
        let point = |plan: [f64; 2]| json!({"pixel": seen(plan), "plan": plan});
        let corners = [[0.0, 0.0], [8.0, 0.0], [8.0, 6.0], [0.0, 6.0]];
        // Whichever way the points go round.
        for turn in [1, 3] {
            let points: Vec<_> = (0..4).map(|index| point(corners[index * turn % 4])).collect();
            let points = json!({"v": 1, "points": points}).to_string();
            let answer = planned(&mapping, points.as_bytes()).expect("plan");
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(answer["places"].as_array().map(Vec::len), Some(2), "{answer}");
            assert_eq!(
                answer["missing"],
                json!([{"id": 2, "reason": "horizon"}, {"id": 3, "reason": "horizon"}, {"id": 4, "reason": "hidden"}])
            );
        }
        let points: Vec<_> = corners
            .iter()
            .chain(&plan[3..])
            .map(|plan| point(*plan))
            .collect();
        let points = json!({"v": 1, "points": points}).to_string();
        let error = planned(&mapping, points.as_bytes()).expect_err("beyond");
        assert!(error.contains("points[4]: expected all in front"), "{error}");
    }

    #[test]
    fn residuals_show_the_point_that_is_wrong() {
        let mut mapping = Mapping::empty(6, (640, 480));
        let plan = [
            [0.0, 0.0],
            [8.0, 0.0],
            [8.0, 5.0],
            [0.0, 5.0],
            [4.0, 2.5],
            [3.0, 1.0],
        ];
        for (found, plan) in mapping.fixtures.iter_mut().zip(plan) {
            *found = Found {
                id: found.id,
                confidence: 1.0,
                place: Ok(Place {
                    at: seen(plan),
                    sigma: 0.0,
                    brightness: 1.0,
                    pixels: 1,
                    mirror: None,
                }),
            };
        }
        let points = br#"{"v":1,"points":[{"id":0,"plan":[0,0]},{"id":1,"plan":[8,0]},{"id":2,"plan":[8,5]},{"id":3,"plan":[0,5]}]}"#;
        let answer: Value = serde_json::from_str(&planned(&mapping, points).expect("plan")).expect("JSON");
        assert!(
            (answer["places"][5]["x"].as_f64().expect("x") - 3.0).abs() < 1e-6,
            "{answer}"
        );
        assert!(
            answer["residuals"]
                .as_array()
                .expect("residuals")
                .iter()
                .all(|off| off.as_f64() < Some(1e-6))
        );
        let wrong = br#"{"v":1,"points":[{"id":0,"plan":[0,0]},{"id":1,"plan":[8,0]},{"id":2,"plan":[8,5]},{"id":3,"plan":[0,5]},{"id":4,"plan":[4,3.5]}]}"#;
        let answer: Value = serde_json::from_str(&planned(&mapping, wrong).expect("plan")).expect("JSON");
        assert!(answer["residuals"][4].as_f64() > Some(0.3), "{answer}");
        for (points, expected) in [
            ("", "JSON"),
            ("{}", "v: expected 1"),
            (r#"{"v":1}"#, "points"),
            (r#"{"v":1,"points":[{"id":9,"plan":[0,0]}]}"#, "points[0]"),
            (r#"{"v":1,"points":[]}"#, "four or more"),
            (
                r#"{"v":1,"points":[{"pixel":[0,1e308],"plan":[0,0]}]}"#,
                "numbers of -100000 to 100000",
            ),
            (
                r#"{"v":1,"points":[{"id":0,"plan":[0,0]},{"id":0,"plan":[8,0]}]}"#,
                "points[1].id: expected each once, got 0",
            ),
        ] {
            let error = planned(&mapping, points.as_bytes()).expect_err(points);
            assert!(error.contains(expected), "{error}");
        }
    }
}
