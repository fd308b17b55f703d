//! Fixtures in space, by venues whose truth is known.

mod venue;

use rustle_mapping::space::located;
use serde_json::{Value, json};
use venue::{Camera, PLACES, Random, Vector, Venue};

fn part(sorted: &[f64], part: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}

/// Errors in metres of all fixtures that were not measured, in parts of what the noise causes, and of their own standard deviations.
#[derive(Default)]
struct Errors {
    possible: usize,
    parts: Vec<f64>,
    normalised: Vec<f64>,
}

impl Errors {
    fn add(&mut self, venue: &Venue) {
        let answer = venue.located().expect("places");
        let places = venue.places();
        let twice = |at: &Vector| {
            venue
                .cameras
                .iter()
                .filter(|camera| camera.see(*at).is_some())
                .count()
                >= 2
        };
        self.possible += places[venue.known.len()..].iter().filter(|at| twice(at)).count();
        for (id, error, normalised) in venue.errors(&answer) {
            self.parts.push(error / venue.expected(places[id]));
            self.normalised.extend(normalised);
        }
    }

    /// The part of fixtures with a place, the median and the 95th percentile of errors, the part that is far off, and the root of the
    /// mean square of those of the others in their standard deviations.
    fn summary(mut self) -> [f64; 5] {
        self.parts.sort_by(f64::total_cmp);
        let count = self.parts.len() as f64;
        let near: Vec<f64> = self
            .normalised
            .into_iter()
            .filter(|off| off.abs() < 10.0)
            .collect();
        let square = near.iter().map(|off| off * off).sum::<f64>() / near.len() as f64;
        [
            count / self.possible as f64,
            part(&self.parts, 0.5),
            part(&self.parts, 0.95),
            self.parts.iter().filter(|part| **part > 10.0).count() as f64 / count,
            square.sqrt(),
        ]
    }
}

/// The root of the mean square error of a place is 1 here: a normal error along three axes has its median at 0.6 to 0.9 of that, and the
/// 95th percentile at 1.6 to 2. The cameras, which are not known exactly, add to it.
#[test]
fn errors_are_what_the_noise_causes_and_what_the_standard_deviations_say() {
    for (cameras, seeds) in [(2, 1..=4), (3, 1..=2), (5, 1..=1)] {
        for noise in [0.05, 0.5] {
            for is_one_lens in [false, true] {
                let mut errors = Errors::default();
                for seed in seeds.clone() {
                    errors.add(&Venue {
                        is_one_lens,
                        ..Venue::new(seed, cameras, noise)
                    });
                }
                let [found, median, most, gross, deviation] = errors.summary();
                let message = format!(
                    "{cameras} cameras, {noise} px, {is_one_lens}: {found} {median} {most} {gross} {deviation}"
                );
                assert!(
                    found > 0.995 && median < 1.0 && most < 2.4 && gross == 0.0,
                    "{message}"
                );
                assert!((0.8..1.25).contains(&deviation), "{message}");
            }
        }
    }
}

/// Two of a hundred and five of a hundred fixtures of each picture have the place of another one.
#[test]
fn wrong_ids_have_no_place_and_disturb_no_other() {
    for (cameras, swapped, least) in [(2, 0.02, 0.93), (2, 0.05, 0.88), (3, 0.05, 0.97)] {
        let mut errors = Errors::default();
        for seed in 1..=5 {
            errors.add(&Venue {
                swapped,
                ..Venue::new(seed, cameras, 0.2)
            });
        }
        let [found, median, most, gross, deviation] = errors.summary();
        let message = format!("{cameras} cameras, {swapped}: {found} {median} {most} {gross} {deviation}");
        assert!(
            found > least && median < 1.1 && most < 2.6 && gross < 0.005,
            "{message}"
        );
        assert!((0.8..1.3).contains(&deviation), "{message}");
    }
    let venue = Venue {
        swapped: 0.05,
        ..Venue::new(1, 2, 0.2)
    };
    let answer = venue.located().expect("places");
    let missing = answer["missing"].as_array().expect("missing");
    assert!(
        missing.len() > 3 && missing.iter().all(|missing| missing["reason"] == "residual"),
        "{missing:?}"
    );
}

/// The audience's left is the stage's right.
#[test]
fn points_with_a_mirrored_axis_are_refused() {
    for (seed, known) in (1..=12).flat_map(|seed| [(seed, 6), (seed, 9)]) {
        let venue = Venue {
            known: (0..known).collect(),
            ..Venue::new(seed, 2 + seed as usize % 2, 0.2)
        };
        let mut points: Value = serde_json::from_str(&venue.points()).expect("points");
        for point in points["points"].as_array_mut().expect("points") {
            point["at"][0] = json!(-point["at"][0].as_f64().expect("x"));
        }
        let result = located(venue.maps().as_bytes(), points.to_string().as_bytes());
        assert!(result.is_err(), "seed {seed}, {known} points");
    }
}

#[test]
fn measured_places_are_as_exact_as_they_say() {
    let mut errors = Errors::default();
    for seed in 1..=12 {
        errors.add(&Venue {
            measured: 0.02,
            ..Venue::new(seed, 2, 0.2)
        });
    }
    let [_, median, _, _, deviation] = errors.summary();
    // Six places that are off by 2 cm move all others, which the standard deviations know.
    assert!(
        median > 1.5 && (0.6..1.4).contains(&deviation),
        "{median} {deviation}"
    );
}

#[test]
fn three_measured_places_and_a_known_lens_are_enough() {
    let fov = json!([{"fov": 66}, {"fov": 66}]);
    for known in [vec![0, 1, 2], vec![0, 1, 2, 4]] {
        let venue = Venue {
            known,
            cameras_json: fov.clone(),
            ..Venue::new(3, 2, 0.1)
        };
        let answer = venue.located().expect("places");
        let worst = venue
            .errors(&answer)
            .iter()
            .map(|(_, error, _)| *error)
            .fold(0.0, f64::max);
        assert!(worst < 0.02, "{worst}");
        for (camera, truth) in answer["cameras"]
            .as_array()
            .expect("cameras")
            .iter()
            .zip(&venue.cameras)
        {
            for axis in 0..3 {
                let off = camera["place"][axis].as_f64().expect("place") - truth.place[axis];
                assert!(off.abs() < 0.02, "{camera}");
            }
            assert!(
                camera["rms"].as_f64() < Some(0.12) && camera["fov"].as_f64() == Some(66.0),
                "{camera}"
            );
        }
    }
}

#[test]
fn distortion_that_is_given_is_corrected() {
    let bent = |place: Vector| Camera {
        distortion: [-0.12, 0.02],
        ..Camera::at(place)
    };
    let lens = json!({"k1": -0.12, "k2": 0.02});
    let median = |cameras_json: Value| {
        let venue = Venue {
            cameras: vec![bent(PLACES[0]), bent(PLACES[1])],
            cameras_json,
            ..Venue::new(1, 2, 0.1)
        };
        let errors = venue.errors(&venue.located().expect("places"));
        let mut errors: Vec<f64> = errors.iter().map(|(_, error, _)| *error).collect();
        errors.sort_by(f64::total_cmp);
        part(&errors, 0.5)
    };
    let (given, ignored) = (median(json!([lens, lens])), median(Value::Null));
    assert!(given < 0.005 && ignored > 4.0 * given, "{given} {ignored}");
}

#[test]
fn measured_place_that_is_wrong_is_shown_and_moves_nothing() {
    let venue = Venue::new(2, 3, 0.2);
    let mut points: Value = serde_json::from_str(&venue.points()).expect("JSON");
    let x = points["points"][3]["at"][0].as_f64().expect("x");
    points["points"][3]["at"][0] = json!(x + 0.7);
    let answer = located(venue.maps().as_bytes(), points.to_string().as_bytes()).expect("places");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let residuals = answer["residuals"].as_array().expect("residuals");
    for (index, residual) in residuals.iter().enumerate() {
        let off = residual.as_f64().expect("residual");
        assert!(
            (off - if index == 3 { 0.7 } else { 0.0 }).abs() < 0.03,
            "{residuals:?}"
        );
    }
    assert!(venue.errors(&answer).iter().all(|(_, error, _)| *error < 0.1));
}

#[test]
fn what_has_no_place_has_a_reason() {
    let mut venue = Venue::new(4, 2, 0.1);
    let places = venue.places();
    // One that looks away from some.
    venue.cameras[1].to = [6.0, 4.0, 2.5];
    let answer = venue.located().expect("places");
    let seen = |id: usize| {
        venue
            .cameras
            .iter()
            .filter(|camera| camera.see(places[id]).is_some())
            .count()
    };
    let missing = answer["missing"].as_array().expect("missing");
    let mut reasons = std::collections::HashSet::new();
    for missing in missing {
        let id = missing["id"].as_u64().expect("id") as usize;
        let reason = missing["reason"].as_str().expect("reason");
        assert_eq!(reason, ["dark", "oneCamera"][seen(id)], "{id}");
        reasons.insert(reason.to_owned());
    }
    assert!(reasons.contains("oneCamera"), "{missing:?}");
    let located = answer["places"].as_array().map_or(0, Vec::len);
    assert_eq!(located + missing.len(), venue.count);
}

#[test]
fn what_does_not_fix_the_cameras_is_refused() {
    let base = || Venue::new(1, 2, 0.1);
    let front = |x: f64| Camera {
        to: [x, 10.0, 2.5],
        ..Camera::at([x, -6.0, 2.5])
    };
    let turned = |x: f64| Camera {
        to: [x, 10.0, 2.5],
        ..Camera::at([-2.0, -6.0, 2.5])
    };
    let fov = json!([{"fov": 66}, {"fov": 66}]);
    let wall = Venue {
        is_flat: true,
        cameras: vec![front(-2.0), front(2.0)],
        ..base()
    };
    let one_place = Venue {
        cameras: vec![turned(-2.0), turned(1.0)],
        ..base()
    };
    for (venue, expected) in [
        (
            Venue {
                known: vec![0, 1],
                ..base()
            },
            "three or more that a map has found",
        ),
        (
            Venue {
                known: vec![0, 1, 2],
                cameras_json: fov.clone(),
                count: 6,
                ..base()
            },
            "4 measurements beyond",
        ),
        // A plane that both face: nearer, or seen with a shorter focal length.
        (
            wall.clone(),
            "expected one arrangement of the cameras that fits, got two",
        ),
        (one_place.clone(), "cameras at places apart"),
        (
            Venue {
                cameras_json: fov.clone(),
                ..one_place
            },
            "cameras at places apart",
        ),
        (
            Venue {
                cameras: vec![turned(0.0), Camera::at([-1.99, -6.0, 2.5])],
                ..base()
            },
            "cameras at places apart",
        ),
        (
            Venue {
                cameras: vec![Camera::at(PLACES[0]); 2],
                known: vec![0, 1, 2, 4],
                count: 20,
                ..base()
            },
            "cameras at places apart",
        ),
        (
            Venue {
                swapped: 2.0,
                ..base()
            },
            "expected",
        ),
    ] {
        let error = venue.located().expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    Venue {
        cameras_json: fov,
        ..wall
    }
    .located()
    .expect("a known lens decides");
    let line = r#"{"v":1,"points":[{"id":0,"at":[0,0,0]},{"id":1,"at":[1,1,1]},{"id":2,"at":[2,2,2.01]},{"id":3,"at":[4,4,4]}]}"#;
    let error = located(base().maps().as_bytes(), line.as_bytes()).expect_err("line");
    assert!(error.contains("on no line"), "{error}");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let venue = Venue::new(1, 2, 0.1);
    let (maps, points) = (venue.maps(), venue.points());
    let other = Venue {
        count: 79,
        ..Venue::new(1, 2, 0.1)
    }
    .maps();
    let mut mixed: Value = serde_json::from_str(&maps).expect("JSON");
    mixed["maps"][1] = serde_json::from_str::<Value>(&other).expect("JSON")["maps"][0].clone();
    for (maps, expected) in [
        ("", "maps: expected JSON"),
        ("{}", "v: expected 1"),
        (r#"{"v":1}"#, "maps: expected an array of 2 to 32"),
        (r#"{"v":1,"maps":[{}]}"#, "array of 2"),
        (r#"{"v":1,"maps":[{},{}]}"#, "maps[0].v: expected 1"),
        (&mixed.to_string(), "maps[1]: expected 80 fixtures"),
    ] {
        let error = located(maps.as_bytes(), points.as_bytes()).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    for (points, expected) in [
        ("", "points: expected JSON"),
        ("{}", "v: expected 1"),
        (r#"{"v":1}"#, "points: expected an array"),
        (
            r#"{"v":1,"points":[{"id":80,"at":[0,0,0]}]}"#,
            "points[0].id: expected below 80",
        ),
        (r#"{"v":1,"points":[{"id":1,"at":[0,0]}]}"#, "points[0]: expected"),
        (
            r#"{"v":1,"points":[{"id":1,"at":[0,0,1e9]}]}"#,
            "points[0]: expected",
        ),
        (
            r#"{"v":1,"points":[{"id":1,"at":[0,0,1],"sigma":-1}]}"#,
            "points[0]: expected",
        ),
        (
            r#"{"v":1,"points":[{"id":1,"at":[0,0,1]},{"id":1,"at":[0,0,1]}]}"#,
            "each once",
        ),
        (
            r#"{"v":1,"points":[{"id":0,"at":[0,0,0]},{"id":1,"at":[5,0,0]},{"id":2,"at":[0,5,0]}],"cameras":[{}]}"#,
            "cameras: expected one for each of 2 maps",
        ),
        (
            r#"{"v":1,"points":[{"id":0,"at":[0,0,0]},{"id":1,"at":[5,0,0]},{"id":2,"at":[0,5,0]}],"cameras":[{},{"fov":0}]}"#,
            "cameras[1].fov: expected 5 to 160",
        ),
        (
            r#"{"v":1,"points":[{"id":0,"at":[0,0,0]},{"id":1,"at":[5,0,0]},{"id":2,"at":[0,5,0]}],"oneLens":1}"#,
            "oneLens",
        ),
    ] {
        let error = located(maps.as_bytes(), points.as_bytes()).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
}

/// Files with numbers and bytes that are others: any answer is one, a panic is none.
#[test]
fn no_input_panics() {
    let mut random = Random(7);
    let small = Venue {
        count: 12,
        ..Venue::new(6, 2, 0.1)
    };
    let (maps, points) = (small.maps(), small.points());
    let odd = [
        json!(0),
        json!(-1),
        json!(1e6),
        json!(-1e6),
        json!(1e-300),
        json!(null),
        json!("x"),
        json!(0.5),
    ];
    let mut answers = 0;
    for turn in 0..150 {
        let mut files = [maps.clone(), points.clone()];
        for _ in 0..1 + turn % 4 {
            let which = (random.unit() * 2.0) as usize;
            if turn % 3 == 0 {
                let mut bytes = files[which].clone().into_bytes();
                let place = (random.unit() * bytes.len() as f64) as usize;
                bytes[place] = b"0123456789.,-e[]{}\"x"[(random.unit() * 20.0) as usize];
                files[which] = String::from_utf8_lossy(&bytes).into_owned();
                continue;
            }
            let Ok(mut file) = serde_json::from_str::<Value>(&files[which]) else {
                continue;
            };
            let value = odd[(random.unit() * odd.len() as f64) as usize].clone();
            let index = (random.unit() * 12.0) as usize;
            if which == 0 {
                let key = ["x", "y", "sigma", "confidence", "found"][(random.unit() * 5.0) as usize];
                file["maps"][index % 2]["fixtures"][index][key] = value;
            } else {
                match file["points"].as_array().map_or(0, Vec::len) {
                    0 => continue,
                    count => file["points"][index % count]["at"][index % 3] = value,
                }
            }
            files[which] = file.to_string();
        }
        let answer = located(files[0].as_bytes(), files[1].as_bytes());
        if let Ok(answer) = answer {
            answers += 1;
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            assert!(
                !answer.to_string().contains("null") || answer["residuals"].to_string().contains("null"),
                "{answer}"
            );
        }
    }
    assert!(answers > 10, "{answers}");
}
