//! The maps and the measured places that are given.

use super::adjust::{Known, Point, Seen};
use super::algebra::Vector;
use super::dimensions;
use super::start::{Camera, Setup};
use super::view::Lens;
use crate::decode::Mapping;
use serde_json::Value;

/// The most maps, known points, and the highest absolute coordinate in metres, which is that of rigs.
const MAX_MAPS: usize = 32;
const MAX_POINTS: usize = 10_000;
const MOST_METRES: f64 = 1e5;
/// The standard deviation of a measured place in metres, unless it is given.
const MEASURED: f64 = 0.01;
/// The standard deviation of a place that somebody set in a map, in pixels.
const SET: f64 = 1.0;

pub(super) fn parsed(name: &str, json: &[u8]) -> Result<Value, String> {
    let file: Value =
        serde_json::from_slice(json).map_err(|error| format!("{name}: expected JSON, got {error}"))?;
    if file["v"] == 1 {
        Ok(file)
    } else {
        Err(format!("v: expected 1, got {}", file["v"]))
    }
}

pub(super) fn read_maps(json: &[u8]) -> Result<Vec<Mapping>, String> {
    let file = parsed("maps", json)?;
    let list = file["maps"]
        .as_array()
        .filter(|list| (2..=MAX_MAPS).contains(&list.len()))
        .ok_or_else(|| format!("maps: expected an array of 2 to {MAX_MAPS}, got another value"))?;
    let mut maps: Vec<Mapping> = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let map =
            Mapping::read(value.to_string().as_bytes()).map_err(|error| format!("maps[{index}].{error}"))?;
        if let Some(first) = maps
            .first()
            .filter(|first| first.fixtures.len() != map.fixtures.len())
        {
            let [wanted, count] = [first, &map].map(|map| map.fixtures.len());
            return Err(format!(
                "maps[{index}]: expected {wanted} fixtures as in the first, got {count}"
            ));
        }
        if map.width == 0 || map.height == 0 {
            return Err(format!("maps[{index}]: expected the size of the picture, got 0"));
        }
        maps.push(map);
    }
    Ok(maps)
}

/// What the maps and the points give, and the ids of the points in their order.
pub(super) fn read_points(maps: &[Mapping], json: &[u8]) -> Result<(Setup, Vec<u32>), String> {
    let file = parsed("points", json)?;
    let mut points: Vec<Point> = (0..maps[0].fixtures.len())
        .map(|id| Point {
            id: id as u32,
            at: None,
            known: None,
            seen: maps
                .iter()
                .enumerate()
                .filter_map(|(view, map)| seen(view, map, id))
                .collect(),
        })
        .collect();
    let list = file["points"]
        .as_array()
        .filter(|list| list.len() <= MAX_POINTS)
        .ok_or_else(|| format!("points: expected an array of at most {MAX_POINTS}, got another value"))?;
    let mut ids = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let known = read_known(value).ok_or_else(|| {
            format!(
                "points[{index}]: expected the id of a fixture, at of three numbers of -{MOST_METRES} to {MOST_METRES}, and a sigma of 0 to 100 if any, got {value}"
            )
        })?;
        let point = value["id"]
            .as_u64()
            .and_then(|id| points.get_mut(usize::try_from(id).ok()?));
        let point = point.ok_or_else(|| {
            let most = maps[0].fixtures.len();
            format!("points[{index}].id: expected below {most}, got {}", value["id"])
        })?;
        if point.known.replace(known).is_some() {
            return Err(format!(
                "points[{index}].id: expected each once, got {}",
                point.id
            ));
        }
        point.at = Some(known.at);
        ids.push(point.id);
    }
    let seen: Vec<Vector> = points
        .iter()
        .filter(|point| !point.seen.is_empty())
        .filter_map(|point| Some(point.known?.at))
        .collect();
    if seen.len() < 3 {
        return Err(format!(
            "points: expected three or more that a map has found, got {}",
            seen.len()
        ));
    }
    if dimensions(&seen) < 2 {
        return Err(format!(
            "points: expected three or more that are on no line, got {} on one",
            seen.len()
        ));
    }
    let setup = Setup {
        cameras: read_cameras(maps, &file["cameras"])?,
        is_one_lens: match &file["oneLens"] {
            Value::Null => false,
            Value::Bool(is_one) => *is_one,
            other => return Err(format!("oneLens: expected true or false, got {other}")),
        },
        points,
    };
    let size = |map: &Mapping| (map.width, map.height);
    if setup.is_one_lens && maps.iter().any(|map| size(map) != size(&maps[0])) {
        return Err("oneLens: expected maps of one size, got several".to_owned());
    }
    Ok((setup, ids))
}

fn seen(view: usize, map: &Mapping, id: usize) -> Option<Seen> {
    let found = map.fixtures[id];
    let place = found.place.ok()?;
    Some(Seen {
        view,
        pixel: place.at,
        sigma: if place.sigma > 0.0 {
            place.sigma.clamp(0.01, 100.0)
        } else {
            SET
        },
        is_sure: found.is_sure(),
        counts: true,
    })
}

pub(super) fn vector(value: &Value) -> Option<Vector> {
    let Some([x, y, z]) = value.as_array().map(Vec::as_slice) else {
        return None;
    };
    let at = [x.as_f64()?, y.as_f64()?, z.as_f64()?];
    at.iter().all(|at| at.abs() <= MOST_METRES).then_some(at)
}

fn read_known(value: &Value) -> Option<Known> {
    let at = vector(&value["at"])?;
    let sigma = match &value["sigma"] {
        Value::Null => MEASURED,
        sigma => sigma.as_f64()?,
    };
    (0.0..=100.0).contains(&sigma).then_some(Known {
        at,
        sigma,
        counts: true,
    })
}

fn read_cameras(maps: &[Mapping], list: &Value) -> Result<Vec<Camera>, String> {
    let given = match list {
        Value::Null => &[][..],
        Value::Array(list) if list.len() == maps.len() => list,
        other => {
            return Err(format!(
                "cameras: expected one for each of {} maps, got {other}",
                maps.len()
            ));
        }
    };
    let mut cameras = Vec::with_capacity(maps.len());
    for (index, map) in maps.iter().enumerate() {
        let value = given.get(index).unwrap_or(&Value::Null);
        let number = |key: &str, low: f64, high: f64| match &value[key] {
            Value::Null => Ok(None),
            other => match other.as_f64().filter(|number| (low..=high).contains(number)) {
                Some(number) => Ok(Some(number)),
                None => Err(format!(
                    "cameras[{index}].{key}: expected {low} to {high}, got {other}"
                )),
            },
        };
        let [width, height] = [map.width, map.height].map(f64::from);
        let fov = number("fov", 5.0, 160.0)?;
        let distortion = [number("k1", -1.0, 1.0)?, number("k2", -1.0, 1.0)?];
        cameras.push(Camera {
            lens: Lens {
                middle: [(width - 1.0) / 2.0, (height - 1.0) / 2.0],
                distortion: distortion.map(Option::unwrap_or_default),
            },
            width,
            focal: fov.map(|degrees| width / 2.0 / libm::tan(degrees.to_radians() / 2.0)),
        });
    }
    Ok(cameras)
}
