//! Layers: where they show, and what they control.

use crate::common::Play;
use rustle_shows::Moment;
use rustle_shows::Renderer;
use rustle_shows::effect::{Effect, EffectKind, Palette};
use rustle_shows::fixture::{FixtureId, Rig};
use rustle_shows::layer::{Attribute, Layer, Selection};
use rustle_shows::scene::Scene;
use rustle_shows::show::Demo;
use std::time::Instant;

fn at(beats: f64) -> Moment {
    Moment::new(beats, beats / 2.0).expect("a moment")
}

#[test]
fn layers_show_on_their_fixtures_alone() {
    let rig = Demo::Festival.rig();
    let mut layer = Layer::from(EffectKind::Solid);
    layer.fixtures = Selection::group("bars");
    let mut play = Play::new(&rig, vec![layer]);
    let stage = play.renderer.stage().clone();
    let look = play.at(at(0.0));
    for (element, red) in stage.elements().iter().zip(&look.red) {
        let is_bar = rig.fixtures[element.fixture as usize].group == "bars";
        assert_eq!(*red, f32::from(is_bar));
    }
}

#[test]
fn movement_is_of_the_topmost_layer_and_intensity_of_the_brightest() {
    let rig = Demo::Heads.rig();
    let aimed = |pan: f32| {
        let circle = Effect::new(EffectKind::Circle)
            .with("pan", pan)
            .expect("in range");
        let circle = circle.with("pan-size", 0.0).expect("in range");
        Layer::new(circle.with("tilt-size", 0.0).expect("in range"))
    };
    let mut half = aimed(100.0);
    half.set_opacity(0.5).expect("in range");
    let mut off = aimed(-100.0);
    off.is_enabled = false;
    let look = Play::new(&rig, vec![aimed(50.0), half, off]).at(at(0.0)).clone();
    assert!(
        look.heads
            .iter()
            .all(|head| head.pan == 75.0 && head.tilt == 45.0)
    );

    let level = |level: f32, touches: &[Attribute]| {
        let mut layer = Layer::new(
            Effect::new(EffectKind::Solid)
                .with("level", level)
                .expect("in range"),
        );
        layer.effect.palette = Palette::one([1.0, 0.5, 0.0]);
        layer.set_touches(touches).expect("of its effect");
        layer
    };
    let layers = vec![
        level(1.0, &[Attribute::Color]),
        level(0.75, &[Attribute::Intensity]),
        level(0.25, &[Attribute::Intensity]),
    ];
    let look = Play::new(&rig, layers).at(at(0.0)).clone();
    assert_eq!([look.red[0], look.green[0], look.blue[0]], [0.75, 0.375, 0.0]);
}

#[test]
fn amber_and_ultraviolet_are_lit_when_a_layer_touches_them() {
    let rig = Demo::Pars.rig();
    let effect = || {
        Effect::new(EffectKind::Solid)
            .with("amber", 0.5)
            .expect("in range")
    };
    let plain = Play::new(&rig, vec![Layer::new(effect())]).at(at(0.0)).clone();
    assert_eq!([plain.amber[0], plain.ultraviolet[0]], [0.0, 0.0]);
    let mut layer = Layer::new(effect().with("ultraviolet", 1.0).expect("in range"));
    layer
        .set_touches(&[Attribute::Amber, Attribute::Ultraviolet])
        .expect("of its effect");
    let look = Play::new(&rig, vec![layer]).at(at(0.0)).clone();
    assert_eq!([look.red[0], look.amber[0], look.ultraviolet[0]], [0.0, 0.5, 1.0]);
}

/// Sixteen times the fixtures with as many ids take sixteen times as long, not 256 times. The sizes alternate and the least ratio
/// of neighbours counts, since a busy machine holds up one run or another.
#[test]
#[expect(clippy::disallowed_methods, reason = "the time is the machine's own")]
fn time_to_select_fixtures_grows_with_their_number() {
    let selecting = |count: i64| {
        let fixture = &Demo::Pars.rig().fixtures[0];
        let fixtures = (0..count).map(|id| {
            let mut fixture = fixture.clone();
            fixture.id = FixtureId::Number(id);
            fixture
        });
        let rig = Rig {
            fixtures: fixtures.collect(),
            ..Rig::default()
        };
        let renderer = Renderer::new(&rig);
        let mut layer = Layer::from(EffectKind::Solid);
        layer.fixtures = Selection::Of {
            ids: (0..count).rev().map(FixtureId::Number).collect(),
            groups: Vec::new(),
        };
        let scene = Scene::new("all", vec![layer]);
        move || {
            let start = Instant::now();
            std::hint::black_box(renderer.ready(&scene));
            start.elapsed().as_secs_f64()
        }
    };
    let (many, few) = (selecting(32_000), selecting(2_000));
    let ratio = (0..12).map(|_| many() / few()).fold(f64::INFINITY, f64::min);
    assert!(ratio < 80.0, "{ratio}");
}
