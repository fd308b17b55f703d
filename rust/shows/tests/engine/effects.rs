//! Effects: their parameters, their shapes, and that a change of the tempo is no jump.

use crate::common::{Play, Tempos, difference, planes};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_shows::effect::{Direction, Effect, EffectKind, Palette, Rate};
use rustle_shows::fixture::{Fixture, Rotation};
use rustle_shows::layer::{Attribute, Layer};
use rustle_shows::scene::Scene;
use rustle_shows::show::Demo;
use rustle_shows::{Look, Moment, Renderer};

const FRAME: f64 = 1.0 / 44.0;
const COLORS: [[f32; 3]; 3] = [[1.0, 0.1, 0.0], [0.0, 0.3, 1.0], [0.2, 0.9, 0.4]];

fn colored(kind: EffectKind) -> Effect {
    let mut effect = Effect::new(kind);
    effect.palette = Palette::new(&COLORS).expect("a palette");
    effect.seed = 5;
    effect
}

fn at(beats: f64) -> Moment {
    Moment::new(beats, beats / 2.0).expect("a moment")
}

/// The greatest steps of an effect in one frame of steady running, over many of its cycles.
fn steady_steps(play: &mut Play, bpm: f64) -> (f32, f32) {
    let tempos = Tempos::new(bpm);
    let mut before = play.at(tempos.moment(0.0)).clone();
    let (mut light, mut angle) = (0.0_f32, 0.0_f32);
    for frame in 1..3_000 {
        let look = play.at(tempos.moment(f64::from(frame) * FRAME));
        let (lights, angles, _) = difference(&before, look);
        light = light.max(lights);
        angle = angle.max(angles);
        before.clone_from(look);
    }
    (light, angle)
}

/// Both sides of each change are one frame of the show's time apart, with the change within it: no light and no angle differs by
/// more than in a frame of steady running at the highest tempo. With beats counted as time by tempo, they do.
#[test]
fn no_change_of_the_tempo_is_a_step_in_any_effect() {
    const HIGHEST: f64 = 200.0;
    let rig = Demo::Heads.rig();
    let mut random = ChaCha8Rng::seed_from_u64(19);
    for &kind in EffectKind::ALL {
        let mut play = Play::new(&rig, vec![Layer::new(colored(kind))]);
        let (light, angle) = steady_steps(&mut play, HIGHEST);
        let mut wrong_steps = 0;
        let mut tempos = Tempos::new(120.0);
        let (mut time, mut before) = (0.0, 120.0);
        for _ in 0..300 {
            time += random.gen_range(0.1..3.0);
            let bpm = random.gen_range(20.0..HIGHEST);
            tempos.change(time, bpm);
            let sides = [time - FRAME / 2.0, time + FRAME / 2.0];
            let left = play.at(tempos.moment(sides[0])).clone();
            let (lights, angles, _) = difference(&left, play.at(tempos.moment(sides[1])));
            assert!(
                lights <= light * 1.001 + 1e-5 && angles <= angle * 1.001 + 1e-3,
                "{}: {lights} {angles} at {time} s, steady {light} {angle}",
                kind.name()
            );
            // At the change itself nothing differs.
            let same = tempos.beats(time - 1e-9);
            assert!((same - tempos.beats(time)).abs() < 1e-7);
            let wrong = |time: f64, bpm: f64| Moment::new(time * bpm / 60.0, time).expect("a moment");
            let left = play.at(wrong(sides[0], before)).clone();
            let (lights, angles, gobo) = difference(&left, play.at(wrong(sides[1], bpm)));
            wrong_steps +=
                usize::from(lights > light * 1.001 + 1e-5 || angles > angle * 1.001 + 1e-3 || gobo);
            before = bpm;
        }
        // What has no rate on beats, or steps anyhow, has no smaller bound.
        let is_bounded = !matches!(kind, EffectKind::Solid | EffectKind::Strobe | EffectKind::Follow);
        assert!(!is_bounded || wrong_steps > 20, "{}: {wrong_steps}", kind.name());
    }
}

#[test]
fn every_effect_is_a_function_of_the_moment_alone() {
    let rig = Demo::Festival.rig();
    for &kind in EffectKind::ALL {
        let mut play = Play::new(&rig, vec![Layer::new(colored(kind))]);
        let moments = [7.25, 1e6 + 0.5, -3.75, 7.25, 12_345.678];
        let looks: Vec<Look> = moments.map(|beats| play.at(at(beats)).clone()).into();
        assert_eq!(looks[0], looks[3], "{}", kind.name());
        for (look, beats) in looks.iter().zip(moments) {
            let mut fresh = Play::new(&rig, vec![Layer::new(colored(kind))]);
            assert_eq!(fresh.at(at(beats)), look, "{}", kind.name());
            assert!(
                planes(look)
                    .into_iter()
                    .flatten()
                    .all(|level| (0.0..=1.0).contains(level))
            );
            assert!(
                look.heads
                    .iter()
                    .all(|head| head.pan.abs() <= 540.0 && head.tilt.abs() <= 270.0)
            );
        }
    }
}

#[test]
fn every_effect_but_the_constant_ones_moves() {
    let rig = Demo::Festival.rig();
    for &kind in EffectKind::ALL {
        let mut play = Play::new(&rig, vec![Layer::new(colored(kind))]);
        let first = play.at(at(0.3)).clone();
        let moved = (1..40).any(|step| {
            let (light, angle, gobo) = difference(&first, play.at(at(0.3 + f64::from(step) * 0.37)));
            light > 0.1 || angle > 1.0 || gobo
        });
        let is_constant = matches!(kind, EffectKind::Solid | EffectKind::Follow);
        assert_eq!(moved, !is_constant, "{}", kind.name());
    }
}

#[test]
fn parameters_are_checked_and_named() {
    for &kind in EffectKind::ALL {
        for parameter in kind.parameters() {
            let (low, high) = (parameter.low, parameter.high);
            let mut effect = Effect::new(kind);
            assert_eq!(effect.value(parameter.name), Some(parameter.default));
            assert!((low..=high).contains(&parameter.default), "{}", parameter.name);
            for wrong in [f32::NAN, f32::INFINITY, low - 0.5, high + 0.5] {
                let fault = effect.set(parameter.name, wrong).expect_err("out of range");
                let expected = format!("{}: expected {low} to {high}, got {wrong}", parameter.name);
                assert_eq!(fault.to_string(), expected);
            }
            effect.set(parameter.name, high).expect("within its range");
            assert_eq!(effect.value(parameter.name), Some(high));
        }
        let fault = Effect::new(kind).set("loudness", 1.0).expect_err("unknown");
        assert_eq!(
            (fault.path.as_str(), fault.got.as_str()),
            ("parameters", "\"loudness\"")
        );
    }
    assert_eq!(
        Palette::new(&[[0.0, f32::NAN, 0.0]])
            .expect_err("NaN")
            .to_string(),
        "palette[0]: expected 0 to 1, got NaN"
    );
    assert!(Moment::new(f64::NAN, 0.0).is_err() && Moment::new(0.0, f64::INFINITY).is_err());
    assert_eq!(
        Layer::from(EffectKind::Wave)
            .set_opacity(f32::NAN)
            .expect_err("NaN")
            .to_string(),
        "opacity: expected 0 to 1, got NaN"
    );
    assert_eq!(
        Layer::from(EffectKind::Wave)
            .set_touches(&[Attribute::Position])
            .expect_err("no position")
            .to_string(),
        "touches: expected one or more of intensity, color, got position"
    );
}

#[test]
fn rates_are_note_lengths_and_every_nth_beat() {
    let notes = ["1/16", "1/8", "1/4", "1/2", "1 bar", "2 bars", "4 bars", "8 bars"];
    let beats = notes.map(|note| Rate::note(note).and_then(Rate::beats_each).expect("a note"));
    assert_eq!(beats, [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
    assert_eq!(Rate::every(3).expect("3 beats").beats_each(), Some(3.0));
    assert!(Rate::every(0).is_err() && Rate::every(129).is_err() && Rate::note("3 bars").is_none());
    assert!(Rate::hertz(f32::NAN).is_err() && Rate::hertz(26.0).is_err());
}

/// The flashes of a strobe in a second, as an observer counts them.
#[test]
fn strobe_flashes_at_most_three_times_a_second_unless_it_is_asked_to() {
    let rig = Demo::Pars.rig();
    let flashes = |effect: Effect, bpm: f64| {
        let mut play = Play::new(&rig, vec![Layer::new(effect)]);
        let tempos = Tempos::new(bpm);
        let lit: Vec<bool> = (0..10_000)
            .map(|ms| play.at(tempos.moment(f64::from(ms) / 1_000.0)).red[0] > 0.5)
            .collect();
        let starts = |second: &[bool]| second.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        lit.windows(1_000).map(starts).max()
    };
    assert_eq!(flashes(Effect::new(EffectKind::Strobe), 999.0), Some(2));
    let mut strobe = Effect::new(EffectKind::Strobe);
    for (rate, is_calm) in [("1/4", false), ("1 bar", false), ("2 bars", true)] {
        let rate = Rate::note(rate).expect("a note");
        assert_eq!(strobe.set_rate(rate, false).is_ok(), is_calm);
    }
    assert_eq!(flashes(strobe.clone(), 999.0), Some(3));
    let fault = strobe
        .set_rate(Rate::hertz(3.5).expect("a rate"), false)
        .expect_err("fast");
    assert_eq!(
        fault.to_string(),
        "rate: expected at most 3 flashes a second at any tempo, or fast, got 3.5 Hz"
    );
    strobe
        .set_rate(Rate::hertz(10.0).expect("a rate"), true)
        .expect("asked for");
    assert_eq!(flashes(strobe, 60.0), Some(10));
}

#[test]
fn gradients_move_along_their_direction() {
    let rig = Demo::Wall.rig();
    let renderer = Renderer::new(&rig);
    let mut effect = Effect::new(EffectKind::Gradient);
    effect.palette = Palette::new(&[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).expect("a palette");
    effect
        .set_rate(Rate::note("1 bar").expect("a note"), false)
        .expect("a rate");
    let levels = |effect: &Effect, direction: Direction, beats: f64| {
        let mut effect = effect.clone();
        effect.direction = direction;
        let mut scene = renderer.ready(&Scene::new("test", vec![Layer::new(effect)]));
        let mut look = Look::dark(renderer.stage().elements().len(), rig.fixtures.len());
        scene.render(&renderer, at(beats), 1.0, &mut look);
        // The left and the right end of the top row, and of the bottom row.
        let last = look.red.len() - 1;
        [0, 399, last - 399, last].map(|element| (look.red[element] * 100.0).round())
    };
    assert_eq!(levels(&effect, Direction::Right, 0.0), [100.0; 4]);
    // A quarter of a cycle: halfway between the colours everywhere at the ends; the middle has moved.
    assert_eq!(levels(&effect, Direction::Right, 1.0), [50.0; 4]);
    assert_eq!(levels(&effect, Direction::Up, 0.0), [100.0; 4]);
    let effect = effect.with("repeat", 0.5).expect("in range");
    assert_eq!(levels(&effect, Direction::Right, 0.0), [100.0, 0.0, 100.0, 0.0]);
    assert_eq!(levels(&effect, Direction::Left, 0.0), [0.0, 100.0, 0.0, 100.0]);
    assert_eq!(levels(&effect, Direction::Up, 0.0), [0.0, 0.0, 100.0, 100.0]);
    assert_eq!(levels(&effect, Direction::Down, 0.0), [100.0, 100.0, 0.0, 0.0]);
}

#[test]
fn noise_is_even_smooth_and_another_one_for_each_seed() {
    let rig = Demo::Wall.rig();
    let noise = |seed: u32| {
        let mut effect = Effect::new(EffectKind::Noise)
            .with("scale", 8.0)
            .expect("in range");
        effect.palette = Palette::new(&[[0.0; 3], [1.0; 3]]).expect("a palette");
        effect.seed = seed;
        Play::new(&rig, vec![Layer::new(effect)]).at(at(5.3)).red.clone()
    };
    let (one, other) = (noise(1), noise(2));
    let mean =
        |values: &[f32]| values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64;
    assert!((mean(&one) - 0.5).abs() < 0.05, "{}", mean(&one));
    let deviation = |left: &[f32], right: &[f32]| {
        let products: Vec<f32> = left
            .iter()
            .zip(right)
            .map(|(a, b)| (a - 0.5) * (b - 0.5))
            .collect();
        mean(&products)
    };
    assert!(deviation(&one, &one) > 0.02);
    assert!(deviation(&one, &other).abs() < deviation(&one, &one) / 4.0);
    // 400 pixels across 8 clouds: neighbours are alike.
    let step = one[..400]
        .windows(2)
        .map(|pair| (pair[0] - pair[1]).abs())
        .fold(0.0, f32::max);
    assert!(step < 0.1, "{step}");
}

/// The beam of each head, from its angles, meets the target.
#[test]
fn followed_target_is_on_the_beam_of_every_head() {
    let mut rig = Demo::Heads.rig();
    for (index, fixture) in rig.fixtures.iter_mut().enumerate() {
        fixture.rotation = [20.0 * index as f64, -15.0 * index as f64, 30.0 * index as f64];
    }
    let target = [1.5_f32, -2.0, 1.7];
    let mut effect = Effect::new(EffectKind::Follow);
    for (name, value) in ["x", "y", "z"].iter().zip(target) {
        effect.set(name, value).expect("in range");
    }
    let look = Play::new(&rig, vec![Layer::new(effect)]).at(at(0.0)).clone();
    let miss = |fixture: &Fixture, pan: f32, tilt: f32| {
        let (pan, tilt) = (f64::from(pan).to_radians(), f64::from(tilt).to_radians());
        let beam = [-pan.sin() * tilt.sin(), pan.cos() * tilt.sin(), -tilt.cos()];
        let beam = Rotation::new(fixture.rotation).apply(beam);
        let away: [f64; 3] = std::array::from_fn(|axis| f64::from(target[axis]) - fixture.position[axis]);
        let along: f64 = beam.iter().zip(away).map(|(beam, away)| beam * away).sum();
        let beside: f64 = (0..3)
            .map(|axis| (away[axis] - along * beam[axis]).powi(2))
            .sum::<f64>()
            .sqrt();
        assert!(along > 0.0);
        beside
    };
    for (fixture, head) in rig.fixtures.iter().zip(&look.heads) {
        let beside = miss(fixture, head.pan, head.tilt);
        assert!(beside < 1e-4, "{beside} m");
        assert!(head.pan.abs() <= 90.001);
    }
}

#[test]
fn gobos_turn_in_order_or_change_in_every_cycle() {
    let rig = Demo::Heads.rig();
    let gobos = |kind: EffectKind| {
        let mut effect = colored(kind).with("count", 5.0).expect("in range");
        effect.set("first", 2.0).expect("in range");
        effect
            .set_rate(Rate::every(5).expect("a rate"), false)
            .expect("a rate");
        Play::new(&rig, vec![Layer::new(effect)])
    };
    let mut turning = gobos(EffectKind::GoboRotate);
    let seen: Vec<u8> = (0..7)
        .map(|beat| turning.at(at(f64::from(beat) + 0.5)).heads[3].gobo)
        .collect();
    assert_eq!(seen, [2, 3, 4, 5, 6, 2, 3]);
    let mut changing = gobos(EffectKind::GoboBeat);
    let seen: Vec<u8> = (0..500)
        .map(|cycle| changing.at(at(f64::from(cycle) * 5.0 + 2.0)).heads[3].gobo)
        .collect();
    assert!(seen.windows(2).all(|pair| pair[0] != pair[1]));
    for gobo in 2..=6 {
        assert!(seen.iter().filter(|each| **each == gobo).count() > 40, "{gobo}");
    }
}
