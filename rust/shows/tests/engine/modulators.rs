//! What sound, beats and hands do to layers.

use crate::common::{Tempos, difference};
use rustle_shows::effect::{Effect, EffectKind, Rate};
use rustle_shows::layer::Layer;
use rustle_shows::modulator::{Modulator, Shape, Source};
use rustle_shows::player::{Input, Player};
use rustle_shows::scene::{Scene, Span};
use rustle_shows::show::{Demo, Show};
use rustle_shows::{Look, Moment};

const KIND: EffectKind = EffectKind::Solid;

/// A player of one white layer, whose level is moved by modulators.
fn player(level: f32, modulators: Vec<Modulator>) -> Player {
    let mut layer = Layer::new(Effect::new(KIND).with("level", level).expect("in range"));
    layer.modulators = modulators;
    let show = Show {
        scenes: vec![Scene::new("test", vec![layer])],
        faders: vec!["one".to_owned(), "two".to_owned()],
        ..Show::default()
    };
    let mut player = Player::new(&show, &Demo::Pars.rig());
    player
        .input(
            at(0.0),
            Input::Scene {
                scene: 0,
                fade: Span::NONE,
            },
        )
        .expect("a scene");
    player.frame(at(0.0));
    player
}

fn modulator(source: Source, amount: f32, times: [f32; 2]) -> Modulator {
    Modulator::new(KIND, "level", source, amount, times).expect("a modulator")
}

fn at(seconds: f64) -> Moment {
    Moment::new(2.0 * seconds, seconds).expect("a moment")
}

fn red(look: &Look) -> f32 {
    look.red[0]
}

#[test]
fn onset_is_in_the_next_frame_and_falls_with_the_release() {
    let mut player = player(0.25, vec![modulator(Source::Onset, 0.5, [0.0, 2.0])]);
    player.input(at(1.0), Input::Onset(1.0)).expect("an onset");
    assert_eq!(
        [1.0, 2.0, 3.0, 4.0].map(|time| red(player.frame(at(time)))),
        [0.75, 0.5, 0.25, 0.25]
    );
}

#[test]
fn levels_bands_and_faders_move_what_follows_them() {
    let mut player = player(
        0.0,
        vec![
            modulator(Source::Level, 0.5, [1.0, 1.0]),
            modulator(Source::Band(3), 0.25, [0.0, 0.0]),
            modulator(Source::Fader(1), 0.125, [0.0, 0.0]),
        ],
    );
    player
        .input(at(1.0), Input::Band { band: 3, level: 1.0 })
        .expect("a band");
    player
        .input(at(1.0), Input::Band { band: 2, level: 1.0 })
        .expect("a band");
    assert_eq!(red(player.frame(at(1.0))), 0.25);
    player
        .input(at(1.0), Input::Fader { fader: 1, level: 1.0 })
        .expect("a fader");
    player
        .input(at(1.0), Input::Fader { fader: 0, level: 1.0 })
        .expect("a fader");
    assert_eq!(red(player.frame(at(1.0))), 0.375);
    player.input(at(1.0), Input::Level(1.0)).expect("a level");
    assert_eq!(
        [1.5, 2.0, 9.0].map(|time| red(player.frame(at(time)))),
        [0.625, 0.875, 0.875]
    );
}

/// The level is where it was, however slowly it rises.
#[test]
fn replaced_scene_goes_on_at_the_levels_of_its_sources() {
    let mut player = player(0.0, vec![modulator(Source::Level, 1.0, [4.0, 4.0])]);
    player.input(at(0.0), Input::Level(1.0)).expect("a level");
    let mut layer = Layer::from(EffectKind::Solid);
    layer.effect.set("level", 0.0).expect("in range");
    layer.modulators = vec![modulator(Source::Level, 1.0, [4.0, 4.0])];
    assert_eq!(red(player.frame(at(9.0))), 1.0);
    let ready = player.ready(&Scene::new("again", vec![layer]));
    assert!(player.replace(0, ready).is_ok());
    assert_eq!(red(player.frame(at(9.0))), 1.0);
    player.input(at(10.0), Input::Level(0.0)).expect("a level");
    assert_eq!(red(player.frame(at(12.0))), 0.5);
}

/// A stroke that falls goes on where another opacity is all that is asked for.
#[test]
fn stroke_goes_on_in_a_scene_that_is_replaced() {
    let stroke = || modulator(Source::Onset, 1.0, [0.0, 2.0]);
    let mut player = player(0.0, vec![stroke()]);
    player.input(at(1.0), Input::Onset(1.0)).expect("an onset");
    assert_eq!(red(player.frame(at(2.0))), 0.5);
    for (opacity, expected) in [(1.0, 0.5), (0.5, 0.25)] {
        let mut layer = Layer::from(KIND);
        layer.effect.set("level", 0.0).expect("in range");
        layer.set_opacity(opacity).expect("in range");
        layer.modulators = vec![stroke()];
        let ready = player.ready(&Scene::new("again", vec![layer]));
        assert!(player.replace(0, ready).is_ok());
        assert_eq!(red(player.frame(at(2.0))), expected);
    }
    assert_eq!(red(player.frame(at(2.5))), 0.125);
}

#[test]
fn sums_stay_within_the_range_and_amounts_may_be_negative() {
    let faders = |amount: f32| modulator(Source::Fader(0), amount, [0.0, 0.0]);
    for (amounts, expected) in [([1.0, 1.0], 1.0), ([-1.0, -1.0], 0.0), ([1.0, -0.75], 0.75)] {
        let mut player = player(0.5, amounts.map(faders).to_vec());
        player
            .input(at(1.0), Input::Fader { fader: 0, level: 1.0 })
            .expect("a fader");
        assert_eq!(red(player.frame(at(1.0))), expected);
    }
}

#[test]
fn oscillators_have_their_shapes_and_no_step_at_a_change_of_the_tempo() {
    let rate = Rate::note("1 bar").expect("a note");
    let of = |shape: Shape| {
        let source = Source::Oscillator {
            shape,
            rate,
            offset: 0.25,
        };
        player(0.0, vec![modulator(source, 1.0, [0.0, 0.0])])
    };
    // Beats 0 to 3 are the phases 1/4, 1/2, 3/4 and 0.
    let levels = |shape: Shape| {
        let mut player = of(shape);
        [0.0, 0.5, 1.0, 1.5].map(|time| (red(player.frame(at(time))) * 1e4).round() / 1e4)
    };
    assert_eq!(levels(Shape::Sine), [1.0, 0.5, 0.0, 0.5]);
    assert_eq!(levels(Shape::Triangle), [0.5, 1.0, 0.5, 0.0]);
    assert_eq!(levels(Shape::Ramp), [0.25, 0.5, 0.75, 0.0]);
    assert_eq!(levels(Shape::Square), [1.0, 0.0, 0.0, 1.0]);
    for shape in [Shape::Sine, Shape::Triangle, Shape::Random] {
        let mut player = of(shape);
        let mut tempos = Tempos::new(120.0);
        for change in 1..100_u32 {
            tempos.change(f64::from(change) * 0.7, f64::from(30 + change * 37 % 170));
        }
        let mut before = player.frame(at(0.0)).clone();
        for frame in 1..3_000 {
            let look = player.frame(tempos.moment(f64::from(frame) / 44.0));
            // At 200 beats a minute a frame is 1/53 of a cycle; a sine moves by pi times that, and so does no other shape.
            assert!(difference(&before, look).0 < 3.2 / 52.0);
            before.clone_from(look);
        }
    }
}

#[test]
fn modulators_are_checked_and_named() {
    let fault = |target: &str, source: Source, amount: f32, times: [f32; 2]| {
        Modulator::new(EffectKind::Strobe, target, source, amount, times)
            .expect_err("wrong")
            .to_string()
    };
    assert_eq!(
        fault("width", Source::Onset, 0.1, [0.0; 2]),
        "target: expected opacity, level, got \"width\""
    );
    assert_eq!(
        fault("level", Source::Onset, f32::NAN, [0.0; 2]),
        "amount: expected -1 to 1, got NaN"
    );
    assert_eq!(
        fault("level", Source::Onset, 1.0, [-1.0, 0.0]),
        "attack: expected 0 to 60, got -1"
    );
    assert_eq!(
        fault("level", Source::Onset, 1.0, [0.0, 61.0]),
        "release: expected 0 to 60, got 61"
    );
    assert_eq!(
        fault("level", Source::Band(8), 1.0, [0.0; 2]),
        "band: expected 0 to 7, got 8"
    );
    assert_eq!(
        fault("level", Source::Fader(64), 1.0, [0.0; 2]),
        "fader: expected 0 to 63, got 64"
    );
}
