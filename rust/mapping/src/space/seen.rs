//! A rig as a camera at a place sees it.

use super::algebra::{Vector, cross, scaled, subtract, unit};
use super::view::{Lens, View};
use crate::decode::{Found, Mapping, Place};
use crate::lights::Lights;
use crate::simulate::random::Random;
use serde_json::Value;

/// The least standard deviation that is written, in pixels.
const LEAST: f64 = 0.01;

/// The result of a camera at a place, of all cells of a rig that are in its picture: `{"v":1,"place":[0,-8,2],"to":[0,3,3],"fov":66,
/// "width":1280,"height":720,"k1":0,"k2":0,"noise":0.1,"seed":1}`, in metres, degrees of the whole width and pixels; place and what it
/// looks to are needed. Nothing hides anything. The others are dark.
///
/// # Errors
/// What is expected and what is there.
pub fn seen(lights: &Lights, camera: &[u8]) -> Result<Mapping, String> {
    let file = super::input::parsed("camera", camera)?;
    let number = |key: &str, low: f64, high: f64, usual: f64| match &file[key] {
        Value::Null => Ok(usual),
        other => match other.as_f64().filter(|number| (low..=high).contains(number)) {
            Some(number) => Ok(number),
            None => Err(format!("{key}: expected {low} to {high}, got {other}")),
        },
    };
    let place = |key: &str| {
        let at = super::input::vector(&file[key]);
        at.ok_or_else(|| format!("{key}: expected three numbers of metres, got {}", file[key]))
    };
    let (at, to) = (place("place")?, place("to")?);
    let size = [
        number("width", 1.0, 8_192.0, 1_280.0)?,
        number("height", 1.0, 8_192.0, 720.0)?,
    ]
    .map(f64::trunc);
    let fov = number("fov", 5.0, 160.0, 66.0)?;
    let noise = number("noise", 0.0, 100.0, 0.1)?;
    let mut random = Random::new(number("seed", 0.0, f64::from(u32::MAX), 1.0)? as u64);
    let view = View {
        rotation: axes(subtract(to, at))
            .ok_or("to: expected another place than the camera's, got the same")?,
        place: at,
        focal: size[0] / 2.0 / libm::tan(fov.to_radians() / 2.0),
        lens: Lens {
            middle: size.map(|side| (side - 1.0) / 2.0),
            distortion: [number("k1", -1.0, 1.0, 0.0)?, number("k2", -1.0, 1.0, 0.0)?],
        },
    };
    let mut mapping = Mapping::empty(lights.count(), (size[0] as u32, size[1] as u32));
    let fixtures = lights.rig().fixtures.iter();
    let places = fixtures.flat_map(|fixture| fixture.element_positions());
    for (found, at) in mapping.fixtures.iter_mut().zip(places) {
        let off = [0, 1].map(|_| noise * f64::from(random.normal()));
        let pixel = view.see(at.map(f64::from));
        let is_inside = |pixel: &[f64; 2]| (0..2).all(|axis| (0.0..size[axis]).contains(&pixel[axis]));
        let Some([x, y]) = pixel.filter(is_inside) else {
            continue;
        };
        *found = Found {
            id: found.id,
            confidence: 0.999,
            place: Ok(Place {
                at: [x + off[0], y + off[1]],
                sigma: noise.max(LEAST),
                brightness: 1.0,
                pixels: 1,
                mirror: None,
            }),
        };
    }
    Ok(mapping)
}

/// The axes of a camera that is level and looks along a direction.
fn axes(forward: Vector) -> Option<[Vector; 3]> {
    let forward = unit(forward)?;
    // One that looks straight up or down has the rig's first axis to its right.
    let right = unit(cross(forward, [0.0, 0.0, 1.0])).unwrap_or([1.0, 0.0, 0.0]);
    Some([right, scaled(cross(right, forward), -1.0), forward])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapper::lights;
    use crate::space::located;
    use serde_json::json;

    #[test]
    fn rig_is_seen_and_located_again() {
        let place = |id: usize| {
            [
                f64::from((id * 7 % 10) as u8) - 4.5,
                f64::from((id * 3 % 8) as u8),
                1.0 + f64::from((id % 5) as u8),
            ]
        };
        let fixtures = (0..24).map(|id| {
            json!({"id": id, "profile": "rgb-par", "protocol": "sacn", "universe": 1, "address": 1 + 3 * id, "position": place(id)})
        });
        let rig = json!({"v": 1, "fixtures": fixtures.collect::<Vec<_>>()}).to_string();
        let lights = lights(rig.as_bytes()).expect("rig");
        let maps = [[-6.0, -8.0, 2.0], [5.0, -9.0, 1.6]].map(|at| {
            let camera = json!({"v": 1, "place": at, "to": [0, 4, 3], "noise": 0.05, "seed": 3});
            seen(&lights, camera.to_string().as_bytes())
                .expect("seen")
                .to_json()
        });
        let maps = format!("{{\"v\":1,\"maps\":[{}]}}", maps.join(","));
        let points = [0, 3, 5, 9, 14].map(|id| json!({"id": id, "at": place(id), "sigma": 0}));
        let points = json!({"v": 1, "points": points}).to_string();
        let answer = located(maps.as_bytes(), points.as_bytes()).expect("located");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let places = answer["places"].as_array().expect("places");
        assert_eq!(places.len(), 24, "{answer}");
        for found in places {
            let truth = place(found["id"].as_u64().expect("id") as usize);
            for (axis, key) in ["x", "y", "z"].into_iter().enumerate() {
                assert!(
                    (found[key].as_f64().expect("metres") - truth[axis]).abs() < 0.02,
                    "{found} {truth:?}"
                );
            }
        }
        for (camera, expected) in [
            ("{}", "v: expected 1"),
            (r#"{"v":1,"to":[0,0,0]}"#, "place: expected three"),
            (r#"{"v":1,"place":[0,0,0],"to":[0,0,0]}"#, "another place"),
            (
                r#"{"v":1,"place":[0,0,0],"to":[0,1,0],"fov":180}"#,
                "fov: expected 5 to 160",
            ),
        ] {
            let error = seen(&lights, camera.as_bytes()).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
        // Straight down, it sees what is below it.
        let down = br#"{"v":1,"place":[0,4,30],"to":[0,4,0],"noise":0}"#;
        assert!(seen(&lights, down).expect("seen").found() > 20);
    }
}
