//! Layers from JSON.

use super::values;
use crate::Fault;
use crate::blend::Blend;
use crate::effect::{Direction, Effect, EffectKind, MAX_COLORS, Palette, Rate};
use crate::fixture::{FixtureId, MAX_FIXTURES};
use crate::json::{Values, fault, known_keys};
use crate::layer::{Attribute, Layer, Selection};
use crate::modulator::{Modulator, Shape, Source};
use serde_json::Value;

/// The most modulators of a layer.
const MAX_MODULATORS: usize = 32;
/// The attack and the release in seconds of a modulator of sound that says none, and of a fader.
const SOUND_TIMES: [f32; 2] = [0.02, 0.25];
const FADER_TIMES: [f32; 2] = [0.0, 0.0];

pub(in crate::show) const LAYER_KEYS: [&str; 14] = [
    "name",
    "effect",
    "parameters",
    "rate",
    "fast",
    "direction",
    "palette",
    "seed",
    "blend",
    "opacity",
    "enabled",
    "fixtures",
    "touches",
    "modulators",
];
pub(in crate::show) const RATE_KEYS: [&str; 2] = ["beats", "hertz"];
pub(in crate::show) const FIXTURES_KEYS: [&str; 2] = ["ids", "groups"];
pub(in crate::show) const MODULATOR_KEYS: [&str; 10] = [
    "target", "source", "amount", "attack", "release", "band", "fader", "shape", "rate", "offset",
];
pub(in crate::show) const SOURCES: [&str; 5] = ["onset", "level", "band", "fader", "oscillator"];

const RATES: &str =
    "1/16, 1/8, 1/4, 1/2, 1 bar, 2 bars, 4 bars, 8 bars, {\"beats\":1 to 128} or {\"hertz\":0.001 to 25}";

pub(super) fn layer(value: &Value, path: &str, faders: &[String], faults: &mut Vec<Fault>) -> Option<Layer> {
    let mut values = values(value, path, &LAYER_KEYS, faults)?;
    let before = values.faults.len();
    let kinds = names(EffectKind::ALL.iter().map(|kind| kind.name()));
    let kind = values.value("effect", &kinds, |value| EffectKind::named(value?.as_str()?));
    // Without an effect nothing is known of what is left.
    let mut layer = Layer::new(effect(kind?, &mut values));
    layer.name = values.name("name", true).unwrap_or_default();
    let blends = names(Blend::ALL.iter().map(|blend| blend.name()));
    layer.blend = values
        .value("blend", &blends, |value| {
            value.map_or(Some(Blend::Normal), |value| Blend::named(value.as_str()?))
        })
        .unwrap_or(Blend::Normal);
    layer.is_enabled = values.flag("enabled", true).unwrap_or(true);
    if let Some(opacity) = values.share("opacity", 1.0) {
        values.take(layer.set_opacity(opacity));
    }
    layer.fixtures = selection(&mut values).unwrap_or_default();
    if values.object.contains_key("touches") {
        let attributes = names(layer.effect.kind().attributes().iter().map(|each| each.name()));
        let expected = format!("one or more of {attributes}");
        let touches = values.value("touches", &expected, |value| -> Option<Vec<Attribute>> {
            let touches = value?.as_array()?.iter();
            touches.map(|touch| Attribute::named(touch.as_str()?)).collect()
        });
        if let Some(touches) = touches {
            values.take(layer.set_touches(&touches));
        }
    }
    let object = values.object;
    match object.get("modulators") {
        None => {}
        Some(Value::Array(modulators)) if modulators.len() <= MAX_MODULATORS => {
            for (index, value) in modulators.iter().enumerate() {
                let path = format!("{path}.modulators[{index}]");
                let kind = layer.effect.kind();
                layer
                    .modulators
                    .extend(modulator(kind, value, &path, faders, values.faults));
            }
        }
        Some(_) => values.wrong(
            "modulators",
            &format!("an array of at most {MAX_MODULATORS} modulators"),
        ),
    }
    (values.faults.len() == before).then_some(layer)
}

fn names(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn effect(kind: EffectKind, values: &mut Values<'_>) -> Effect {
    let mut effect = Effect::new(kind);
    match values.object.get("parameters") {
        None => {}
        Some(Value::Object(parameters)) => {
            let path = format!("{}.parameters", values.path);
            let known: Vec<_> = kind.parameters().iter().map(|parameter| parameter.name).collect();
            known_keys(parameters, &path, &known, values.faults);
            for parameter in kind.parameters() {
                let Some(value) = parameters.get(parameter.name) else {
                    continue;
                };
                let number = value.as_f64().map(|number| number as f32);
                if number.is_none_or(|number| effect.set(parameter.name, number).is_err()) {
                    let path = format!("{path}.{}", parameter.name);
                    let expected = format!("{} to {}", parameter.low, parameter.high);
                    values.faults.push(fault(&path, &expected, Some(value)));
                }
            }
        }
        Some(_) => values.wrong("parameters", "an object"),
    }
    let is_fast = values.flag("fast", false).unwrap_or_default();
    if let Some(rate) = rate(values) {
        let rate = rate.unwrap_or(effect.rate());
        values.take(effect.set_rate(rate, is_fast));
    }
    let directions = names(Direction::ALL.iter().map(|direction| direction.name()));
    let direction = values.value("direction", &directions, |value| {
        value.map_or(Some(Direction::Right), |value| Direction::named(value.as_str()?))
    });
    effect.direction = direction.unwrap_or(Direction::Right);
    let seed = values.value("seed", "0 to 4294967295", |value| {
        value.map_or(Some(0), |value| u32::try_from(value.as_u64()?).ok())
    });
    effect.seed = seed.unwrap_or_default();
    if values.object.contains_key("palette") {
        effect.palette = palette(values).unwrap_or(effect.palette);
    }
    effect
}

fn palette(values: &mut Values<'_>) -> Option<Palette> {
    let colors = values.value("palette", "an array of 1 to 8 colors", |value| {
        let colors = value?.as_array()?.clone();
        (1..=MAX_COLORS).contains(&colors.len()).then_some(colors)
    })?;
    let before = values.faults.len();
    let mut palette = Vec::new();
    for (index, value) in colors.iter().enumerate() {
        match color(value).filter(|color| Palette::new(&[*color]).is_ok()) {
            Some(color) => palette.push(color),
            None => {
                let path = format!("{}.palette[{index}]", values.path);
                let expected = "\"#rrggbb\" or [red, green, blue] of 0 to 1";
                values.faults.push(fault(&path, expected, Some(value)));
            }
        }
    }
    let is_whole = values.faults.len() == before;
    is_whole.then(|| Palette::new(&palette).ok())?
}

/// A rate, if there is one; none for one that cannot be read.
fn rate(values: &mut Values<'_>) -> Option<Option<Rate>> {
    let only = values.object.get("rate").and_then(Value::as_object);
    let only = only.filter(|rate| rate.len() == 1);
    let [beats, hertz] = RATE_KEYS.map(|key| only.and_then(|rate| rate.get(key)));
    let (key, expected, value, rate) = match (beats, hertz) {
        (Some(value), _) => {
            let beats = value.as_u64().and_then(|beats| u16::try_from(beats).ok());
            let rate = beats.and_then(|beats| Rate::every(beats).ok());
            (RATE_KEYS[0], "1 to 128", value, rate)
        }
        (None, Some(value)) => {
            let rate = value.as_f64().and_then(|hertz| Rate::hertz(hertz as f32).ok());
            (RATE_KEYS[1], "0.001 to 25", value, rate)
        }
        (None, None) => {
            return values.value("rate", RATES, |value| match value {
                None => Some(None),
                Some(value) => Rate::note(value.as_str()?).map(Some),
            });
        }
    };
    if rate.is_none() {
        let path = format!("{}.rate.{key}", values.path);
        values.faults.push(fault(&path, expected, Some(value)));
    }
    rate.map(Some)
}

/// `#rrggbb`, or three numbers.
fn color(value: &Value) -> Option<[f32; 3]> {
    if let Some(text) = value.as_str() {
        let digits = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        let number = u32::from_str_radix(digits, 16).ok()?;
        return Some([16, 8, 0].map(|shift| (number >> shift & 0xFF) as f32 / 255.0));
    }
    let levels: [f64; 3] = crate::json::numbers(value)?;
    Some(levels.map(|level| level as f32))
}

fn selection(values: &mut Values<'_>) -> Option<Selection> {
    match values.object.get("fixtures") {
        None => Some(Selection::All),
        Some(Value::String(all)) if all == "all" => Some(Selection::All),
        Some(Value::Object(object)) => {
            let path = format!("{}.fixtures", values.path);
            known_keys(object, &path, &FIXTURES_KEYS, values.faults);
            let mut values = Values {
                object,
                path: &path,
                faults: values.faults,
            };
            let ids = values.value(
                "ids",
                "an array of integers and texts of 1 to 64 bytes",
                |value| {
                    let Some(value) = value else {
                        return Some(Vec::new());
                    };
                    let ids = value.as_array().filter(|ids| ids.len() <= MAX_FIXTURES)?;
                    ids.iter().map(FixtureId::from_json).collect()
                },
            );
            let groups = values.names("groups", MAX_FIXTURES);
            Some(Selection::Of {
                ids: ids?,
                groups: groups?,
            })
        }
        Some(_) => {
            values.wrong("fixtures", "\"all\", or an object of ids and groups");
            None
        }
    }
}

fn modulator(
    kind: EffectKind,
    value: &Value,
    path: &str,
    faders: &[String],
    faults: &mut Vec<Fault>,
) -> Option<Modulator> {
    let mut values = values(value, path, &MODULATOR_KEYS, faults)?;
    let target = values.name("target", false);
    let source = values.value("source", &SOURCES.join(", "), |value| {
        let name = value?.as_str()?;
        SOURCES.iter().position(|source| *source == name)
    });
    let amount = values.value("amount", "a number", |value| Some(value?.as_f64()? as f32));
    let source = match source? {
        0 => Some(Source::Onset),
        1 => Some(Source::Level),
        2 => values
            .value("band", "0 to 7", |value| u8::try_from(value?.as_u64()?).ok())
            .map(Source::Band),
        3 => values
            .value("fader", "the name of a fader", |value| {
                let name = value?.as_str()?;
                let place = faders.iter().position(|fader| fader == name)?;
                u8::try_from(place).ok()
            })
            .map(Source::Fader),
        _ => oscillator(&mut values),
    };
    let [attack, release] = match source {
        Some(Source::Fader(_)) => FADER_TIMES,
        _ => SOUND_TIMES,
    };
    let times = [values.number("attack", attack), values.number("release", release)];
    let [attack, release] = times;
    let modulator = Modulator::new(kind, &target?, source?, amount?, [attack?, release?]);
    values.take(modulator)
}

fn oscillator(values: &mut Values<'_>) -> Option<Source> {
    let shapes = names(Shape::ALL.iter().map(|shape| shape.name()));
    let shape = values.value("shape", &shapes, |value| {
        value.map_or(Some(Shape::Sine), |value| Shape::named(value.as_str()?))
    });
    let offset = values.share("offset", 0.0);
    let rate = rate(values)?.unwrap_or(Rate::beats(4));
    Some(Source::Oscillator {
        shape: shape?,
        rate,
        offset: offset?,
    })
}
