//! Shows to JSON. Values that are the usual ones are left out.

use super::read::SOURCES;
use super::{RigSource, Show};
use crate::blend::Blend;
use crate::effect::{Direction, Effect, Palette, Rate};
use crate::fixture::FixtureId;
use crate::layer::{Layer, Selection};
use crate::modulator::{Modulator, Source, Target};
use crate::scene::{Cue, Scene, Span};
use serde_json::{Map, Value, json};

/// An object of the keys that have a value.
fn object<const N: usize>(pairs: [(&str, Option<Value>); N]) -> Value {
    let pairs = pairs
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// A value that is not the usual one.
fn unless<T: PartialEq + Into<Value>>(usual: T, value: T) -> Option<Value> {
    (value != usual).then(|| value.into())
}

/// The shortest digits of a number: those of the f64 of the same value are more.
fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

pub(super) fn show(show: &Show) -> Value {
    let cues = show.cues.iter().map(|each| cue(each, &show.scenes));
    object([
        ("v", Some(1.into())),
        ("name", unless("", &show.name)),
        (
            "rig",
            show.rig.as_ref().map(|rig| match rig {
                RigSource::File(name) => json!(name),
                RigSource::Inline(rig) => rig.clone(),
            }),
        ),
        ("faders", (!show.faders.is_empty()).then(|| json!(show.faders))),
        (
            "scenes",
            Some(show.scenes.iter().map(|each| scene(each, &show.faders)).collect()),
        ),
        ("cues", Some(cues.collect())),
        ("repeats", unless(false, show.repeats)),
    ])
}

fn scene(scene: &Scene, faders: &[String]) -> Value {
    object([
        ("name", Some(json!(scene.name))),
        ("tags", (!scene.tags.is_empty()).then(|| json!(scene.tags))),
        ("master", unless(number(1.0), number(scene.master()))),
        (
            "layers",
            Some(scene.layers.iter().map(|each| layer(each, faders)).collect()),
        ),
    ])
}

fn cue(cue: &Cue, scenes: &[Scene]) -> Value {
    let span = |span: Span| {
        let (unit, length) = span.parts();
        json!({ unit: length })
    };
    object([
        ("name", unless("", &cue.name)),
        ("scene", scenes.get(cue.scene).map(|scene| json!(scene.name))),
        ("fade_in", Some(span(cue.fade_in))),
        (
            "fade_out",
            (cue.fade_out != cue.fade_in).then(|| span(cue.fade_out)),
        ),
        ("follow", cue.follow.map(span)),
    ])
}

fn layer(layer: &Layer, faders: &[String]) -> Value {
    let effect = &layer.effect;
    let kind = effect.kind();
    let is_usual = layer.touches() == kind.usual_touches();
    let touches = || layer.touches().iter().map(|touch| touch.name());
    let modulators = layer.modulators.iter();
    object([
        ("name", unless("", &layer.name)),
        ("effect", Some(kind.name().into())),
        ("parameters", parameters(effect)),
        (
            "rate",
            (effect.rate() != kind.usual_rate()).then(|| rate(effect.rate())),
        ),
        ("fast", unless(false, effect.is_fast())),
        (
            "direction",
            unless(Direction::Right.name(), effect.direction.name()),
        ),
        ("palette", palette(&effect.palette)),
        ("seed", unless(0, effect.seed)),
        ("blend", unless(Blend::Normal.name(), layer.blend.name())),
        ("opacity", unless(number(1.0), number(layer.opacity()))),
        ("enabled", unless(true, layer.is_enabled)),
        ("fixtures", fixtures(&layer.fixtures)),
        ("touches", (!is_usual).then(|| touches().collect())),
        (
            "modulators",
            (!layer.modulators.is_empty())
                .then(|| modulators.map(|each| modulator(layer, each, faders)).collect()),
        ),
    ])
}

fn parameters(effect: &Effect) -> Option<Value> {
    let values = effect.kind().parameters().iter().zip(effect.values());
    let set = values.filter(|(parameter, value)| parameter.default != **value);
    let set: Map<_, _> = set
        .map(|(parameter, value)| (parameter.name.to_owned(), number(*value)))
        .collect();
    (!set.is_empty()).then_some(Value::Object(set))
}

fn rate(rate: Rate) -> Value {
    match (rate.name(), rate.per_second()) {
        (Some(name), _) => name.into(),
        (None, Some(hertz)) => json!({ "hertz": number(hertz) }),
        (None, None) => json!({ "beats": rate.beats_each().unwrap_or_default() as u16 }),
    }
}

fn palette(palette: &Palette) -> Option<Value> {
    let color = |color: &[f32; 3]| Value::from(color.map(number).to_vec());
    (*palette != Palette::one([1.0; 3])).then(|| palette.colors().iter().map(color).collect())
}

fn fixtures(selection: &Selection) -> Option<Value> {
    match selection {
        Selection::All => None,
        Selection::Of { ids, groups } => {
            let id = |id: &FixtureId| match id {
                FixtureId::Number(number) => json!(number),
                FixtureId::Name(name) => json!(name),
            };
            Some(object([
                ("ids", (!ids.is_empty()).then(|| ids.iter().map(id).collect())),
                ("groups", (!groups.is_empty()).then(|| json!(groups))),
            ]))
        }
    }
}

fn modulator(layer: &Layer, modulator: &Modulator, faders: &[String]) -> Value {
    let target = match modulator.target() {
        Target::Opacity => "opacity",
        Target::Parameter(index) => layer.effect.kind().parameters()[index].name,
    };
    let (source, band, fader, oscillator) = match modulator.source() {
        Source::Onset => (0, None, None, None),
        Source::Level => (1, None, None, None),
        Source::Band(band) => (2, Some(json!(band)), None, None),
        Source::Fader(fader) => (
            3,
            None,
            faders.get(usize::from(fader)).map(|name| json!(name)),
            None,
        ),
        Source::Oscillator { shape, rate, offset } => (4, None, None, Some((shape, rate, offset))),
    };
    object([
        ("target", Some(target.into())),
        ("source", Some(SOURCES[source].into())),
        ("amount", Some(number(modulator.amount()))),
        ("attack", Some(number(modulator.attack()))),
        ("release", Some(number(modulator.release()))),
        ("band", band),
        ("fader", fader),
        ("shape", oscillator.map(|(shape, _, _)| shape.name().into())),
        ("rate", oscillator.map(|(_, each, _)| rate(each))),
        ("offset", oscillator.map(|(_, _, offset)| number(offset))),
    ])
}
