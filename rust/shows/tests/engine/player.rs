//! The player: cues, fades, blackout.

use crate::common::{Tempos, difference, planes};
use rustle_shows::effect::{Effect, EffectKind, Palette};
use rustle_shows::fixture::Rig;
use rustle_shows::layer::Layer;
use rustle_shows::player::{Event, Input, Player};
use rustle_shows::scene::{Cue, Scene, Span};
use rustle_shows::show::{Demo, Show};
use rustle_shows::{Look, Moment};

fn moment(beats: f64, seconds: f64) -> Moment {
    Moment::new(beats, seconds).expect("a moment")
}

/// Two beats a second.
fn at(seconds: f64) -> Moment {
    moment(2.0 * seconds, seconds)
}

fn beats(beats: f64) -> Span {
    Span::beats(beats).expect("a span")
}

fn seconds(seconds: f64) -> Span {
    Span::seconds(seconds).expect("a span")
}

/// A scene of one colour with the heads at a pan and a gobo.
fn scene(name: &str, color: [f32; 3], pan: f32, gobo: f32) -> Scene {
    let mut solid = Effect::new(EffectKind::Solid);
    solid.palette = Palette::one(color);
    let still = [("pan", pan), ("pan-size", 0.0), ("tilt-size", 0.0)];
    let mut circle = Effect::new(EffectKind::Circle);
    for (parameter, value) in still {
        circle.set(parameter, value).expect("in range");
    }
    let mut wheel = Effect::new(EffectKind::GoboRotate);
    wheel.set("first", gobo).expect("in range");
    wheel.set("count", 1.0).expect("in range");
    Scene::new(name, [solid, circle, wheel].map(Layer::new).to_vec())
}

fn cue(scene: usize, fade: Span, follow: Option<Span>) -> Cue {
    Cue {
        name: String::new(),
        scene,
        fade_in: fade,
        fade_out: fade,
        follow,
    }
}

/// Red to the right, blue to the left, green in the middle.
fn show(cues: Vec<Cue>, repeats: bool) -> Show {
    Show {
        scenes: vec![
            scene("red", [1.0, 0.0, 0.0], 170.0, 1.0),
            scene("blue", [0.0, 0.0, 1.0], -170.0, 2.0),
            scene("green", [0.0, 1.0, 0.0], 0.0, 3.0),
        ],
        cues,
        repeats,
        ..Show::default()
    }
}

fn rig() -> Rig {
    Demo::Heads.rig()
}

fn cut(scene: usize) -> Cue {
    cue(scene, Span::NONE, None)
}

fn light(look: &Look) -> [f32; 3] {
    [look.red[0], look.green[0], look.blue[0]]
}

fn events(player: &mut Player) -> Vec<Event> {
    std::iter::from_fn(|| player.next_event()).collect()
}

#[test]
fn player_is_dark_until_the_first_cue() {
    let mut player = Player::new(&show(vec![cut(0)], false), &rig());
    assert_eq!(light(player.frame(at(1.0))), [0.0; 3]);
    assert_eq!((player.now().cue, player.now().scene), (None, None));
    player.input(at(1.5), Input::Go).expect("a cue");
    assert_eq!(light(player.frame(at(1.5))), [1.0, 0.0, 0.0]);
    assert_eq!(
        events(&mut player),
        [Event::CueStarted {
            from: None,
            cue: 0,
            scene: 0
        }]
    );
    player.frame(at(1.6));
    assert_eq!(events(&mut player), [Event::FadeEnded { scene: 0 }]);
}

#[test]
fn crossfade_of_light_is_linear_in_beats_over_changes_of_the_tempo() {
    let mut player = Player::new(&show(vec![cut(0), cue(1, beats(4.0), None)], false), &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    player.frame(at(0.0));
    player.frame(at(0.5));
    let mut tempos = Tempos::new(120.0);
    tempos.change(1.5, 40.0);
    tempos.change(3.0, 300.0);
    player.input(tempos.moment(1.0), Input::Go).expect("a cue");
    for frame in 0..200 {
        let now = tempos.moment(1.0 + f64::from(frame) / 44.0);
        let share = ((now.beats() - 2.0) / 4.0).clamp(0.0, 1.0) as f32;
        let got = light(player.frame(now));
        for (got, expected) in got.into_iter().zip([1.0 - share, 0.0, share]) {
            assert!((got - expected).abs() < 1e-6, "{got} for {expected} at {now:?}");
        }
        assert_eq!(player.now().is_fading, share < 1.0);
    }
}

#[test]
fn fades_in_seconds_may_come_and_go_at_different_speeds() {
    let both = Cue {
        fade_in: seconds(1.0),
        fade_out: seconds(4.0),
        ..cut(1)
    };
    let mut player = Player::new(&show(vec![cut(0), both], false), &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    player.frame(at(0.0));
    player.input(at(1.0), Input::Go).expect("a cue");
    assert_eq!(light(player.frame(at(1.5))), [0.875, 0.0, 0.5]);
    assert_eq!(light(player.frame(at(2.0))), [0.75, 0.0, 1.0]);
    assert_eq!(light(player.frame(at(4.0))), [0.25, 0.0, 1.0]);
    assert_eq!(light(player.frame(at(5.0))), [0.0, 0.0, 1.0]);
}

#[test]
fn heads_go_the_shorter_way_and_gobos_change_at_the_start() {
    let fade = seconds(10.0);
    let mut player = Player::new(
        &show(vec![cut(0), cue(1, fade, None), cue(2, fade, None)], false),
        &rig(),
    );
    player.input(at(0.0), Input::Go).expect("a cue");
    player.frame(at(0.0));
    let head = player.frame(at(0.1)).heads[3];
    assert_eq!((head.pan, head.gobo), (170.0, 1));
    // From 170 to -170 degrees: through the back, where 190 is -170.
    player.input(at(1.0), Input::Go).expect("a cue");
    let pans = [1.0, 3.5, 6.0, 11.0, 20.0].map(|time| {
        let head = player.frame(at(time)).heads[3];
        assert_eq!(head.gobo, 2);
        head.pan
    });
    assert_eq!(pans, [170.0, 175.0, 180.0, 190.0, 190.0]);
    // Heads do not turn further than their range: back to the middle.
    player.input(at(20.0), Input::Go).expect("a cue");
    let pans = [20.0, 25.0, 30.0, 31.0].map(|time| player.frame(at(time)).heads[3].pan);
    assert_eq!(pans, [190.0, 95.0, 0.0, 0.0]);
}

#[test]
fn fade_within_fades_goes_on_from_what_is_seen() {
    let fade = seconds(2.0);
    let cues = vec![cut(0), cue(1, fade, None), cue(2, fade, None), cue(0, fade, None)];
    let mut player = Player::new(&show(cues, true), &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    player.frame(at(0.0));
    let mut before = player.frame(at(0.01)).clone();
    // Far more fades at a time than there can be, also several between two frames.
    for frame in 1..2_000_u32 {
        let now = at(f64::from(frame) / 44.0);
        if frame % 7 == 0 {
            for _ in 0..1 + frame % 3 {
                player
                    .input(now, Input::Cue(frame as usize / 7 % 3 + 1))
                    .expect("a cue");
            }
        }
        let look = player.frame(now);
        let (lights, angles, _) = difference(&before, look);
        // Each of five fades moves light by a frame of its two seconds at most, and heads by that share of 360 degrees.
        let share = 5.0 / 88.0;
        assert!(
            lights <= share && angles <= share * 360.0,
            "{lights} {angles} in frame {frame}"
        );
        before.clone_from(look);
    }
    let last = player.frame(at(100.0)).clone();
    assert_eq!(last, *player.frame(at(101.0)));
    assert!(!player.now().is_fading);
}

#[test]
fn cues_go_back_pause_and_end() {
    let mut player = Player::new(&show(vec![cut(0), cut(1), cut(2)], false), &rig());
    let started = |from: Option<usize>, cue: usize| Event::CueStarted {
        from,
        cue,
        scene: cue,
    };
    for (input, expected) in [
        (Input::Back, Event::CuesEnded),
        (Input::Go, started(None, 0)),
        (Input::Go, started(Some(0), 1)),
        (Input::Go, started(Some(1), 2)),
        (Input::Go, Event::CuesEnded),
        (Input::Back, started(Some(2), 1)),
        (Input::Cue(0), started(Some(1), 0)),
        (Input::Back, Event::CuesEnded),
        (Input::Pause(true), Event::Paused(true)),
        (Input::Pause(false), Event::Paused(false)),
    ] {
        player.input(at(1.0), input).expect("an input of the show");
        assert_eq!(events(&mut player), [expected], "{input:?}");
    }
    player
        .input(
            at(1.0),
            Input::Scene {
                scene: 2,
                fade: Span::NONE,
            },
        )
        .expect("a scene");
    assert_eq!(events(&mut player), [Event::SceneStarted { scene: 2 }]);
    assert_eq!(player.now().cue, None);
    assert_eq!(light(player.frame(at(1.0))), [0.0, 1.0, 0.0]);
}

#[test]
fn cues_follow_in_beats_and_seconds_and_repeat() {
    let cues = vec![
        cue(0, Span::NONE, Some(beats(8.0))),
        cue(1, Span::NONE, Some(seconds(1.0))),
        cue(2, Span::NONE, Some(beats(2.0))),
    ];
    let mut player = Player::new(&show(cues, true), &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    // 4 s, 1 s and 1 s.
    let mut on = Vec::new();
    for tenth in 0..130 {
        player.frame(at(f64::from(tenth) / 10.0 + 0.05));
        on.push(player.now().cue.expect("a cue"));
    }
    let expected = [[0; 40].as_slice(), &[1; 10], &[2; 10]].concat().repeat(3);
    assert_eq!(on, expected[..130]);
    // A frame after a long time starts all that followed in between.
    player.frame(at(600.05));
    assert_eq!(player.now().cue, Some(0));
}

#[test]
fn paused_fades_and_waits_stand_still_and_effects_go_on() {
    let cues = vec![cut(0), cue(1, seconds(2.0), Some(seconds(4.0))), cut(2)];
    let mut show = show(cues, false);
    show.scenes[1].layers.push(Layer::from(EffectKind::Figure));
    let mut player = Player::new(&show, &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    player.frame(at(0.0));
    player.input(at(0.0), Input::Go).expect("a cue");
    let before = player.frame(at(1.0)).clone();
    player.input(at(1.0), Input::Pause(true)).expect("a pause");
    let still = player.frame(at(50.0)).clone();
    assert_eq!(light(&still), [0.5, 0.0, 0.5]);
    assert_ne!(still.heads, before.heads);
    player.input(at(61.0), Input::Pause(false)).expect("a pause");
    assert_eq!(light(player.frame(at(61.5))), [0.25, 0.0, 0.75]);
    player.frame(at(63.9));
    assert_eq!(player.now().cue, Some(1));
    player.frame(at(64.1));
    assert_eq!(player.now().cue, Some(2));
}

/// The light is off in the next frame, heads go on, and when it returns nothing shows that it was off.
#[test]
fn blackout_takes_one_frame_and_ends_where_the_beats_are() {
    let show = Demo::Festival.show();
    let rig = Demo::Festival.rig();
    let (mut lit, mut dark) = (Player::new(&show, &rig), Player::new(&show, &rig));
    for player in [&mut lit, &mut dark] {
        player.input(at(0.0), Input::Go).expect("a cue");
    }
    for frame in 0..2_000_u32 {
        let now = at(f64::from(frame) / 44.0);
        if frame % 100 == 30 {
            let off = if frame % 200 == 30 {
                Input::Blackout(true)
            } else {
                Input::Panic
            };
            dark.input(now, off).expect("an input");
            if off == Input::Panic {
                lit.input(now, Input::Pause(true)).expect("an input");
            }
        }
        if frame % 100 == 80 {
            dark.input(now, Input::Blackout(false)).expect("an input");
            for player in [&mut lit, &mut dark] {
                player.input(now, Input::Pause(false)).expect("an input");
            }
        }
        let expected = lit.frame(now);
        let look = dark.frame(now);
        assert_eq!(look.heads, expected.heads);
        if (30..80).contains(&(frame % 100)) {
            assert!(planes(look).into_iter().flatten().all(|level| *level == 0.0));
            assert!(expected.blue.iter().any(|level| *level > 0.0));
        } else {
            assert_eq!(look, expected, "frame {frame}");
        }
    }
}

#[test]
fn master_multiplies_the_light_at_the_end() {
    let mut player = Player::new(&show(vec![cut(0), cue(1, seconds(2.0), None)], false), &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    player.input(at(0.0), Input::Master(0.5)).expect("a level");
    player.frame(at(0.0));
    assert_eq!(light(player.frame(at(0.5))), [0.5, 0.0, 0.0]);
    player.input(at(1.0), Input::Go).expect("a cue");
    assert_eq!(light(player.frame(at(1.5))), [0.375, 0.0, 0.125]);
}

#[test]
fn inputs_out_of_their_range_are_refused_and_change_nothing() {
    let mut player = Player::new(&show(vec![cut(0)], false), &rig());
    for (input, expected) in [
        (Input::Master(f32::NAN), "level: expected 0 to 1, got NaN"),
        (Input::Onset(1.5), "level: expected 0 to 1, got 1.5"),
        (
            Input::Band { band: 8, level: 0.0 },
            "band: expected one of 8, counted from 0, got 8",
        ),
        (
            Input::Fader { fader: 0, level: 0.5 },
            "fader: expected one of 0, counted from 0, got 0",
        ),
        (Input::Cue(1), "cue: expected one of 1, counted from 0, got 1"),
        (
            Input::Scene {
                scene: 3,
                fade: Span::NONE,
            },
            "scene: expected one of 3, counted from 0, got 3",
        ),
    ] {
        assert_eq!(
            player
                .input(at(0.0), input)
                .expect_err("out of range")
                .to_string(),
            expected
        );
    }
    assert_eq!(events(&mut player), []);
    assert_eq!(player.now().master, 1.0);
    assert!(Span::beats(f64::NAN).is_err() && Span::seconds(-1.0).is_err());
}

/// A phase that is set back moves effects, and leaves what has passed of a fade as it is.
#[test]
fn clock_that_is_set_back_does_not_move_fades_and_waits() {
    let cues = vec![cut(0), cue(1, beats(8.0), Some(beats(16.0))), cut(2)];
    let mut player = Player::new(&show(cues, false), &rig());
    player.input(moment(100.0, 50.0), Input::Go).expect("a cue");
    player.frame(moment(100.0, 50.0));
    player.input(moment(100.0, 50.0), Input::Go).expect("a cue");
    assert_eq!(light(player.frame(moment(104.0, 52.0))), [0.5, 0.0, 0.5]);
    assert_eq!(light(player.frame(moment(1.0, 52.0))), [0.5, 0.0, 0.5]);
    assert_eq!(light(player.frame(moment(3.0, 53.0))), [0.25, 0.0, 0.75]);
    player.frame(moment(12.5, 58.0));
    assert_eq!(player.now().cue, Some(1));
    player.frame(moment(13.0, 58.5));
    assert_eq!(player.now().cue, Some(2));
}

#[test]
fn late_inputs_do_not_speed_fades_up() {
    let mut player = Player::new(&show(vec![cut(0), cue(1, seconds(4.0), None)], false), &rig());
    player.input(at(10.0), Input::Go).expect("a cue");
    player.frame(at(10.0));
    player.input(at(10.0), Input::Go).expect("a cue");
    for frame in 0..88 {
        let time = 10.0 + f64::from(frame) / 44.0;
        player.frame(at(time));
        player.input(at(time - 0.01), Input::Level(0.5)).expect("a level");
    }
    assert_eq!(light(player.frame(at(12.0))), [0.5, 0.0, 0.5]);
}

#[test]
fn replaced_scene_shows_in_the_next_frame() {
    let mut player = Player::new(&show(vec![cut(0)], false), &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    player.frame(at(0.0));
    let ready = player.ready(&scene("white", [1.0; 3], 0.0, 0.0));
    assert!(player.replace(0, ready.clone()).is_ok());
    assert_eq!(light(player.frame(at(0.1))), [1.0; 3]);
    assert!(player.replace(3, ready).is_err());
}

/// After more cues than a join plays.
#[test]
fn join_of_a_list_that_repeats_finds_the_cue_of_its_time() {
    // Rounds of two seconds.
    let cues = vec![
        cue(0, seconds(0.4), Some(beats(3.0))),
        cue(1, beats(0.3), Some(seconds(0.2))),
        cue(2, seconds(0.2), Some(beats(0.6))),
    ];
    let joined = |seconds: f64| {
        let mut player = Player::new(&show(cues.clone(), true), &rig());
        player.input(at(0.0), Input::Go).expect("a cue");
        player.join(at(seconds));
        assert_eq!(events(&mut player), []);
        (player.now().cue, light(player.look()))
    };
    for (phase, cue) in [(0.2, 0), (1.0, 0), (1.6, 1), (1.85, 2)] {
        let (first, look) = joined(4.0 + phase);
        assert_eq!(first, Some(cue));
        for rounds in [3.0, 1_000.0, 500_000.0] {
            let (late, light) = joined(2.0 * rounds + phase);
            assert_eq!(late, Some(cue), "after {rounds} rounds and {phase} s");
            for (one, other) in light.iter().zip(look) {
                assert!(
                    (one - other).abs() < 1e-4,
                    "{light:?} {look:?} after {rounds} rounds and {phase} s"
                );
            }
        }
    }
}

/// A list that waits goes on from where it is.
#[test]
fn join_of_a_list_that_waits_stays_at_its_cue() {
    let cues = vec![cue(0, Span::NONE, Some(seconds(0.2))), cut(1)];
    let mut player = Player::new(&show(cues, true), &rig());
    player.input(at(0.0), Input::Go).expect("a cue");
    player.join(at(1e6));
    assert_eq!(player.now().cue, Some(1));
}
