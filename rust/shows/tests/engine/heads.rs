//! Heads: where they go from frame to frame, and within which range.

use crate::common::{Play, difference};
use rustle_shows::Moment;
use rustle_shows::effect::{Direction, Effect, EffectKind, Palette, Rate};
use rustle_shows::fixture::Rig;
use rustle_shows::layer::Layer;
use rustle_shows::modulator::{Modulator, Shape, Source};
use rustle_shows::player::{Input, Player};
use rustle_shows::scene::{Scene, Span};
use rustle_shows::show::{Demo, Show};

fn at(seconds: f64) -> Moment {
    Moment::new(2.0 * seconds, seconds).expect("a moment")
}

fn heads(pan: f32, tilt: f32) -> Rig {
    let mut rig = Demo::Heads.rig();
    for fixture in &mut rig.fixtures {
        (fixture.mode.pan, fixture.mode.tilt) = (pan, tilt);
    }
    rig
}

fn movement(kind: EffectKind, values: &[(&str, f32)]) -> Layer {
    let mut effect = Effect::new(kind);
    for (name, value) in values {
        effect.set(name, *value).expect("in range");
    }
    Layer::new(effect)
}

/// The pans of a head, seconds after the fade from one movement to another began.
fn fade(rig: &Rig, from: Layer, to: Layer, times: [f64; 3]) -> [f32; 3] {
    let scenes = [("from", from), ("to", to)].map(|(name, layer)| Scene::new(name, vec![layer]));
    let show = Show {
        scenes: scenes.to_vec(),
        ..Show::default()
    };
    let mut player = Player::new(&show, rig);
    let mut start = |scene, seconds| {
        let fade = Span::seconds(seconds).expect("a span");
        let input = Input::Scene { scene, fade };
        player.input(at(0.0), input).expect("a scene");
        player.frame(at(0.0));
    };
    start(0, 0.0);
    start(1, 10.0);
    times.map(|time| player.frame(at(time)).heads[3].pan)
}

fn still(pan: f32) -> Layer {
    movement(
        EffectKind::Circle,
        &[("pan", pan), ("pan-size", 0.0), ("tilt-size", 0.0)],
    )
}

#[test]
fn no_effect_steps_where_its_cycles_meet_in_any_direction() {
    const AROUND: f64 = 1e-4;
    let rig = Demo::Festival.rig();
    let steps = [EffectKind::Strobe, EffectKind::GoboRotate, EffectKind::GoboBeat];
    for &kind in EffectKind::ALL.iter().filter(|kind| !steps.contains(kind)) {
        for &direction in Direction::ALL {
            let mut effect = Effect::new(kind);
            effect.palette = Palette::new(&[[1.0, 0.1, 0.0], [0.0, 0.3, 1.0]]).expect("a palette");
            effect.direction = direction;
            let cycle = effect.rate().beats_each().expect("on beats");
            let mut play = Play::new(&rig, vec![Layer::new(effect)]);
            for count in -3..=3 {
                let middle = f64::from(count) * cycle / 2.0;
                let left = play.at(at(middle - AROUND)).clone();
                let (light, angle, _) = difference(&left, play.at(at(middle + AROUND)));
                assert!(
                    light < 0.01 && angle < 0.1,
                    "{} {} at {middle}: {light} {angle}",
                    kind.name(),
                    direction.name()
                );
            }
        }
    }
}

/// A target that walks past a head, from in front of it to behind it and back; its scene is replaced by an equal one meanwhile.
#[test]
fn followed_target_that_goes_behind_a_head_does_not_flip_it() {
    let mut layer = movement(EffectKind::Follow, &[("x", 0.5), ("y", -4.0)]);
    let source = Source::Oscillator {
        shape: Shape::Triangle,
        rate: Rate::note("8 bars").expect("a note"),
        offset: 0.0,
    };
    let walk = Modulator::new(EffectKind::Follow, "y", source, 16.0, [0.0; 2]).expect("a modulator");
    layer.modulators.push(walk);
    let scene = Scene::new("walk", vec![layer]);
    let show = Show {
        scenes: vec![scene.clone()],
        ..Show::default()
    };
    let mut player = Player::new(&show, &Demo::Heads.rig());
    let fade = Span::NONE;
    let input = Input::Scene { scene: 0, fade };
    player.input(at(0.0), input).expect("a scene");
    let mut before = player.frame(at(0.0)).clone();
    let (mut step, mut most) = (0.0_f32, 0.0_f32);
    for frame in 1..44 * 16 {
        if frame % 88 == 0 {
            let ready = player.ready(&scene);
            assert!(player.replace(0, ready).is_ok());
        }
        let look = player.frame(at(f64::from(frame) / 44.0));
        step = step.max(difference(&before, look).1);
        most = most.max(look.heads[0].pan.abs());
        before.clone_from(look);
    }
    // A metre a beat, no nearer to the axis of a head than 0.7 m: 4 degrees a frame.
    assert!(step < 4.0 && most > 100.0, "{step} {most}");
}

#[test]
fn heads_stay_within_their_ranges_and_what_does_not_turn_stays() {
    let pans = |rig: &Rig| {
        let layers = vec![movement(
            EffectKind::Figure,
            &[("pan", 200.0), ("tilt", -120.0), ("pan-size", 0.0)],
        )];
        let look = Play::new(rig, layers).at(at(0.0)).clone();
        let head = look.heads[3];
        (head.pan, head.tilt)
    };
    assert_eq!(pans(&heads(540.0, 270.0)), (200.0, -120.0));
    assert_eq!(pans(&heads(180.0, 90.0)), (90.0, -45.0));
    assert_eq!(pans(&Demo::Pars.rig()), (0.0, 0.0));
}

#[test]
fn shorter_way_of_a_fade_is_within_the_range_of_the_head() {
    let times = [0.0, 5.0, 10.0];
    let around = |pan: f32| fade(&heads(pan, 270.0), still(170.0), still(-170.0), times);
    assert_eq!(around(540.0), [170.0, 180.0, 190.0]);
    // 190 degrees are beyond half a turn.
    assert_eq!(around(360.0), [170.0, 0.0, -170.0]);
}

/// The turned movement would end at the range: from 220 degrees it goes to 300, and the head stops at 270.
#[test]
fn shorter_way_of_a_fade_has_room_for_the_movement() {
    let times = [0.0, 20.0, 26.0];
    let swinging = |size: f32| {
        let values = [
            ("pan", -140.0),
            ("pan-size", size),
            ("tilt-size", 0.0),
            ("spread", 0.0),
        ];
        fade(
            &heads(540.0, 270.0),
            still(170.0),
            movement(EffectKind::Figure, &values),
            times,
        )
    };
    assert_eq!(swinging(0.0)[1..], [220.0, 220.0]);
    // A cycle has 16 beats: after 40 and 52 of them it is in the middle, and at its right end.
    let [_, middle, end] = swinging(80.0);
    assert!(
        (middle + 140.0).abs() < 1e-3 && (end + 60.0).abs() < 1e-3,
        "{middle} {end}"
    );
}
