//! Shows from JSON. Unknown keys are refused with their path, so that a misspelt one is not overlooked.

mod layer;

pub(super) use layer::SOURCES;

use super::{MAX_CUES, MAX_LAYERS, MAX_SCENES, MAX_SHOW_BYTES, RigSource, Show};
use crate::Fault;
use crate::json::{Object, Values, fault, known_keys};
use crate::modulator::MAX_FADERS;
use crate::scene::{Cue, Scene, Span};
use serde_json::Value;
use std::collections::HashMap;

/// The most tags of a scene.
const MAX_TAGS: usize = 64;

pub(super) const SHOW_KEYS: [&str; 7] = ["v", "name", "rig", "faders", "scenes", "cues", "repeats"];
pub(super) const SCENE_KEYS: [&str; 4] = ["name", "tags", "master", "layers"];
pub(super) const CUE_KEYS: [&str; 5] = ["name", "scene", "fade_in", "fade_out", "follow"];
pub(super) const SPAN_KEYS: [&str; 2] = ["beats", "seconds"];

/// The JSON of a file, or of a part of one.
fn json(name: &str, json: &[u8]) -> Result<Value, Fault> {
    let wrong = |expected: &str, got: String| Fault {
        path: name.to_owned(),
        expected: expected.to_owned(),
        got,
    };
    if json.len() > MAX_SHOW_BYTES {
        let most = format!("at most {MAX_SHOW_BYTES} bytes");
        return Err(wrong(&most, json.len().to_string()));
    }
    serde_json::from_slice(json).map_err(|error| wrong("JSON", error.to_string()))
}

/// As [`Show::read_scene`].
pub(super) fn one_scene(text: &[u8], faders: &[String]) -> Result<Scene, Fault> {
    let value = json("scene", text)?;
    let mut faults = Vec::new();
    let read = scene(&value, "scene", faders, &mut faults);
    match (read, faults.into_iter().next()) {
        (Some(scene), None) => Ok(scene),
        (_, fault_within) => Err(fault_within.unwrap_or_else(|| fault("scene", "an object", Some(&value)))),
    }
}

/// As [`Show::read`].
pub(super) fn show(text: &[u8]) -> Result<(Show, Vec<Fault>), Fault> {
    let value = json("show", text)?;
    let file = value
        .as_object()
        .ok_or_else(|| fault("show", "an object", Some(&value)))?;
    if file.get("v").and_then(Value::as_u64) != Some(1) {
        return Err(fault("v", "1", file.get("v")));
    }
    if !file.get("scenes").is_some_and(Value::is_array) {
        return Err(fault(
            "scenes",
            &expected("scenes", MAX_SCENES),
            file.get("scenes"),
        ));
    }
    let mut faults = Vec::new();
    known_keys(file, "show", &SHOW_KEYS, &mut faults);
    let mut values = Values {
        object: file,
        path: "",
        faults: &mut faults,
    };
    let mut show = Show {
        name: values.name("name", true).unwrap_or_default(),
        repeats: values.flag("repeats", false).unwrap_or_default(),
        rig: values
            .value("rig", "an object, or the name of a file", |value| {
                value.map_or(Some(None), |value| rig(value).map(Some))
            })
            .flatten(),
        faders: values.names("faders", MAX_FADERS).unwrap_or_default(),
        ..Show::default()
    };
    // The names of all scenes of the file, so that a fault of a scene is none of the cues that name it.
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (index, value) in array(file, "scenes", MAX_SCENES, &mut faults).iter().enumerate() {
        let path = format!("scenes[{index}]");
        let read = scene(value, &path, &show.faders, &mut faults);
        let name = value.get("name").and_then(Value::as_str);
        let Some(name) = name.filter(|name| !places.contains_key(name)) else {
            if read.is_some() {
                faults.push(fault(
                    &format!("{path}.name"),
                    "a name of its own",
                    value.get("name"),
                ));
            }
            continue;
        };
        places.insert(name, read.is_some().then_some(show.scenes.len()));
        show.scenes.extend(read);
    }
    for (index, value) in array(file, "cues", MAX_CUES, &mut faults).iter().enumerate() {
        let path = format!("cues[{index}]");
        show.cues.extend(cue(value, &path, &places, &mut faults));
    }
    Ok((show, faults))
}

fn expected(kind: &str, most: usize) -> String {
    format!("an array of at most {most} {kind}")
}

/// The values of an array that may be absent; none of one that is too long.
fn array<'a>(object: &'a Object, kind: &str, most: usize, faults: &mut Vec<Fault>) -> &'a [Value] {
    match object.get(kind) {
        None => &[],
        Some(Value::Array(values)) if values.len() <= most => values,
        other => {
            faults.push(fault(kind, &expected(kind, most), other));
            &[]
        }
    }
}

fn rig(value: &Value) -> Option<RigSource> {
    match value {
        Value::String(name) if !name.is_empty() => Some(RigSource::File(name.clone())),
        Value::Object(_) => Some(RigSource::Inline(value.clone())),
        _ => None,
    }
}

/// The values of an object with the given keys; a fault of another value.
fn values<'a>(
    value: &'a Value,
    path: &'a str,
    keys: &[&str],
    faults: &'a mut Vec<Fault>,
) -> Option<Values<'a>> {
    let Some(object) = value.as_object() else {
        faults.push(fault(path, "an object", Some(value)));
        return None;
    };
    known_keys(object, path, keys, faults);
    Some(Values { object, path, faults })
}

fn scene(value: &Value, path: &str, faders: &[String], faults: &mut Vec<Fault>) -> Option<Scene> {
    let mut values = values(value, path, &SCENE_KEYS, faults)?;
    let name = values.name("name", false);
    let tags = values.names("tags", MAX_TAGS).unwrap_or_default();
    let master = values.share("master", 1.0);
    let layers = match value.get("layers") {
        None => &[][..],
        Some(Value::Array(layers)) if layers.len() <= MAX_LAYERS => layers,
        Some(_) => {
            values.wrong("layers", &expected("layers", MAX_LAYERS));
            &[]
        }
    };
    let mut read = Vec::new();
    for (index, value) in layers.iter().enumerate() {
        read.extend(layer::layer(
            value,
            &format!("{path}.layers[{index}]"),
            faders,
            faults,
        ));
    }
    let mut scene = Scene::new(&name?, read);
    scene.tags = tags;
    scene.set_master(master?).ok()?;
    Some(scene)
}

/// A cue; none also of a scene that was left out.
fn cue(
    value: &Value,
    path: &str,
    scenes: &HashMap<&str, Option<usize>>,
    faults: &mut Vec<Fault>,
) -> Option<Cue> {
    let mut values = values(value, path, &CUE_KEYS, faults)?;
    let name = values.name("name", true);
    let scene = values.value("scene", "the name of a scene", |value| {
        scenes.get(value?.as_str()?).copied()
    });
    let expected = "{\"beats\":number} or {\"seconds\":number} of 0 to 100000";
    let mut spans = |key: &str| {
        values.value(key, expected, |value| {
            value.map_or(Some(None), |value| span(value).map(Some))
        })
    };
    let (fade_in, fade_out, follow) = (spans("fade_in"), spans("fade_out"), spans("follow"));
    let fade_in = fade_in?.unwrap_or(Span::NONE);
    Some(Cue {
        name: name?,
        scene: scene??,
        fade_in,
        fade_out: fade_out?.unwrap_or(fade_in),
        follow: follow?,
    })
}

fn span(value: &Value) -> Option<Span> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let number = |key: &str| object.get(key).and_then(Value::as_f64);
    match (number(SPAN_KEYS[0]), number(SPAN_KEYS[1])) {
        (Some(beats), _) => Span::beats(beats).ok(),
        (_, Some(seconds)) => Span::seconds(seconds).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::schema_keys;

    fn schema() -> Value {
        serde_json::from_str(include_str!("../../../../docs/show.schema.json")).expect("JSON")
    }

    #[test]
    fn schema_has_the_keys_of_the_reader() {
        let schema = schema();
        let definitions = &schema["$defs"];
        let expected = [
            (&schema, &SHOW_KEYS[..]),
            (&definitions["scene"], &SCENE_KEYS),
            (&definitions["cue"], &CUE_KEYS),
            (&definitions["span"], &SPAN_KEYS),
            (&definitions["layer"], &layer::LAYER_KEYS),
            (&definitions["rate"]["anyOf"][1], &layer::RATE_KEYS),
            (&definitions["fixtures"]["anyOf"][1], &layer::FIXTURES_KEYS),
            (&definitions["modulator"], &layer::MODULATOR_KEYS),
        ];
        for (object, expected) in expected {
            assert_eq!(schema_keys(object), expected.iter().copied().collect());
        }
    }

    #[test]
    fn schema_has_the_names_of_the_reader() {
        use crate::{blend::Blend, effect, layer::Attribute, modulator::Shape};
        let schema = schema();
        let definitions = &schema["$defs"];
        let names = |value: &Value| -> Vec<String> {
            let names = value["enum"].as_array().expect("names").iter();
            names
                .map(|name| name.as_str().expect("a name").to_owned())
                .collect()
        };
        let layer = &definitions["layer"]["properties"];
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            names(&layer["effect"]),
            owned(effect::EffectKind::ALL.iter().map(|each| each.name()).collect())
        );
        assert_eq!(
            names(&layer["direction"]),
            owned(effect::Direction::ALL.iter().map(|each| each.name()).collect())
        );
        assert_eq!(
            names(&layer["blend"]),
            owned(Blend::ALL.iter().map(|each| each.name()).collect())
        );
        assert_eq!(
            names(&layer["touches"]["items"]),
            owned(Attribute::ALL.iter().map(|each| each.name()).collect())
        );
        let modulator = &definitions["modulator"]["properties"];
        assert_eq!(
            names(&modulator["shape"]),
            owned(Shape::ALL.iter().map(|each| each.name()).collect())
        );
        assert_eq!(names(&modulator["source"]), layer::SOURCES.map(str::to_owned));
        for note in names(&definitions["rate"]["anyOf"][0]) {
            assert_eq!(
                effect::Rate::note(&note).and_then(effect::Rate::name),
                Some(&note[..])
            );
        }
    }
}
