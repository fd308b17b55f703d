//! What people know better: corrections of a result, and places in a rig.

use crate::decode::{Found, Mapping, Place, Reason};
use crate::lights::Lights;
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

/// Writes places on a plan, as [`planned`](crate::plan::planned) answers, into the file of a rig: a fixture is in the middle of its
/// cells. The plan's axes are the rig's first two; with `upright`, its first and its third.
///
/// # Errors
/// What is expected and what is there.
pub fn placed(rig: &[u8], lights: &Lights, plan: &[u8], upright: bool) -> Result<String, String> {
    let mut file: Value =
        serde_json::from_slice(rig).map_err(|error| format!("rig: expected JSON, got {error}"))?;
    let plan: Value =
        serde_json::from_slice(plan).map_err(|error| format!("plan: expected JSON, got {error}"))?;
    let list = plan["places"]
        .as_array()
        .ok_or("places: expected an array, got another value")?;
    let mut sums = vec![([0.0; 2], 0.0); file["fixtures"].as_array().map_or(0, Vec::len)];
    for (index, place) in list.iter().enumerate() {
        let id = place["id"].as_u64().and_then(|id| u32::try_from(id).ok());
        let cell = id.and_then(|id| lights.cell(id));
        let (Some((fixture, _)), Some(x), Some(y)) = (cell, place["x"].as_f64(), place["y"].as_f64()) else {
            return Err(format!(
                "places[{index}]: expected the id of a cell of the rig, x and y, got {place}"
            ));
        };
        if let Some((sum, count)) = sums.get_mut(fixture.place) {
            *sum = [sum[0] + x, sum[1] + y];
            *count += 1.0;
        }
    }
    for (index, (sum, count)) in sums
        .into_iter()
        .enumerate()
        .filter(|(_, (_, count))| *count > 0.0)
    {
        let [x, y] = sum.map(|sum| (sum / count * 1e4).round() / 1e4);
        let fixture = &mut file["fixtures"][index];
        let axis = |axis: usize| fixture["position"][axis].as_f64().unwrap_or_default();
        let position = if upright { [x, axis(1), y] } else { [x, y, axis(2)] };
        fixture["position"] = json!(position);
    }
    Ok(format!("{file:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let position = |upright, fixture: usize| {
            let text = placed(rig, &lights, plan, upright).expect("placed");
            serde_json::from_str::<Value>(&text).expect("JSON")["fixtures"][fixture]["position"].clone()
        };
        assert_eq!(
            (position(false, 0), position(false, 1)),
            (json!([1.0, 2.0, 3.0]), json!([4.0, 5.0, 0.0]))
        );
        assert_eq!(
            (position(true, 0), position(true, 1)),
            (json!([1.0, 9.0, 2.0]), json!([4.0, 0.0, 5.0]))
        );
        let error = placed(rig, &lights, br#"{"places":[{"id":9,"x":1,"y":1}]}"#, false).expect_err("id");
        assert!(error.contains("places[0]"), "{error}");
    }
}
