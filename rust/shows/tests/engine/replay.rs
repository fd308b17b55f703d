//! Long shows: replays are the same bytes, and nothing steps that was not asked for.

use crate::common::{FNV, Tempos, difference, hash_look};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_shows::Look;
use rustle_shows::Moment;
use rustle_shows::fixture::{Attribute, Rig};
use rustle_shows::player::{Event, Input, Player};
use rustle_shows::show::{Demo, Show};
use rustle_shows::slots::SlotMap;
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo, Time, Timeline};
use rustle_tempo::clock::{ClockEvent, ClockSnapshot, Reading, Report, Source, TempoClock};

const RATE: f64 = 44.0;
/// An hour has steeper places of the random effects than the hundred seconds in which their steps are measured.
const MARGIN: f32 = 1.05;

/// Inputs of all kinds at times in seconds.
fn script(length: f64, random: &mut ChaCha8Rng) -> Vec<(f64, Input)> {
    let mut time = 0.0;
    let mut inputs = vec![(0.0, Input::Go)];
    while time < length {
        time += random.gen_range(0.01..0.6);
        let level = random.gen_range(0.0..1.0);
        let input = match random.gen_range(0..60) {
            0 => Input::Go,
            1 => Input::Back,
            2 => Input::Cue(random.gen_range(0..9)),
            3 => Input::Pause(random.gen_bool(0.5)),
            4 => Input::Blackout(random.gen_bool(0.3)),
            5 => Input::Master(0.5 + level / 2.0),
            6..=15 => Input::Fader { fader: 0, level },
            16..=30 => Input::Onset(level),
            31..=45 => Input::Band {
                band: random.gen_range(0..8),
                level,
            },
            _ => Input::Level(level),
        };
        inputs.push((time, input));
    }
    inputs
}

fn tempos(length: f64, random: &mut ChaCha8Rng) -> Tempos {
    let mut tempos = Tempos::new(124.0);
    let mut time = 0.0;
    while time < length {
        time += random.gen_range(0.5..30.0);
        tempos.change(time, random.gen_range(60.0..180.0));
    }
    tempos
}

/// The smooth beats of a clock whose sources come, change and go.
struct Sources {
    /// The clock from a time on.
    changes: Vec<(HostTime, ClockSnapshot)>,
    /// The sources that it followed, one after another.
    followed: Vec<Source>,
}

impl Sources {
    fn new(length: f64, random: &mut ChaCha8Rng) -> Self {
        let start = HostTime::new(0);
        let mut clock = TempoClock::new(start, tempo(124.0), Quantum::default());
        let mut changes = vec![(start, clock.snapshot())];
        let mut followed = Vec::new();
        let (mut time, mut seconds) = (start, 0.0);
        while seconds < length {
            seconds += random.gen_range(0.5..15.0);
            let next = at(seconds);
            // Sources that are not heard again age.
            while let Some(aged) = clock.deadline().filter(|aged| (time..next).contains(aged)) {
                time = aged.saturating_add_micros(1);
                followed.extend(clock.advance(time).iter().filter_map(source));
                changes.push((time, clock.snapshot()));
            }
            time = next;
            let from = Source::ALL[random.gen_range(0..Source::ALL.len())];
            let events = if random.gen_bool(0.3) {
                clock.lost(from, time)
            } else {
                let timeline = Timeline {
                    tempo: tempo(random.gen_range(60.0..180.0)),
                    beat_origin: Beats::from_micro(random.gen_range(-9_000_000..9_000_000)),
                    time_origin: time,
                };
                let report = Report {
                    peers: u32::from(from == Source::Link),
                    ..Report::new(timeline)
                };
                clock.report(from, report, time)
            };
            followed.extend(events.iter().filter_map(source));
            changes.push((time, clock.snapshot()));
        }
        Self { changes, followed }
    }

    fn moment(&self, seconds: f64) -> Moment {
        let time = at(seconds);
        let after = self.changes.partition_point(|(start, _)| *start <= time);
        let beats = self.changes[after - 1].1.beats_at(time, Reading::Smooth);
        Moment::new(beats.as_f64(), seconds).expect("a moment")
    }
}

fn at(seconds: f64) -> HostTime {
    HostTime::new((seconds * 1e6) as i64)
}

fn tempo(bpm: f64) -> Tempo {
    Tempo::from_bpm(bpm).expect("a tempo")
}

fn source(event: &ClockEvent) -> Option<Source> {
    match event {
        ClockEvent::SourceChanged { to, .. } => Some(*to),
        _ => None,
    }
}

/// Plays a script; `see` gets each frame at a multiple of `step`.
fn play(
    player: &mut Player,
    inputs: &[(f64, Input)],
    tempos: &Tempos,
    frames: impl Iterator<Item = u32>,
    mut see: impl FnMut(u32, &Look),
) {
    let mut inputs = inputs.iter().peekable();
    for frame in frames {
        let time = f64::from(frame) / RATE;
        while let Some((at, input)) = inputs.next_if(|(at, _)| *at <= time) {
            player
                .input(tempos.moment(*at), *input)
                .expect("an input of the show");
        }
        see(frame, player.frame(tempos.moment(time)));
    }
}

/// The bytes of two minutes of a show with all kinds of inputs. They are those of this test's first run: any machine and any vector
/// width must have them, and a change of them is a change of how shows look.
#[test]
fn replay_of_a_show_is_the_same_bytes_on_every_machine() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (inputs, tempos) = (script(120.0, &mut random), tempos(120.0, &mut random));
    let mut player = Player::new(&Demo::Festival.show(), &Demo::Festival.rig());
    let mut hash = FNV;
    play(&mut player, &inputs, &tempos, 0..120 * 44, |frame, look| {
        if frame % 11 == 0 {
            hash = hash_look(look, hash);
        }
    });
    assert_eq!(hash, 0x0386_3d35_ae59_8585, "{hash:#018x}");
}

/// Frames that are not rendered change nothing in those that are, without cues that follow by themselves in the other unit.
#[test]
fn frames_do_not_depend_on_the_frames_between_them() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let (inputs, tempos) = (script(90.0, &mut random), tempos(90.0, &mut random));
    let (show, rig) = (Demo::Festival.show(), Demo::Festival.rig());
    let mut all = Vec::new();
    play(
        &mut Player::new(&show, &rig),
        &inputs,
        &tempos,
        0..90 * 44,
        |frame, look| {
            if frame % 44 == 0 {
                all.push(look.clone());
            }
        },
    );
    let mut few = Vec::new();
    let frames = (0..90 * 44).step_by(44);
    play(
        &mut Player::new(&show, &rig),
        &inputs,
        &tempos,
        frames,
        |_, look| few.push(look.clone()),
    );
    for (second, (all, few)) in all.iter().zip(&few).enumerate() {
        let (light, angle, gobo) = difference(all, few);
        assert!(
            light == 0.0 && angle == 0.0 && !gobo,
            "second {second}: {light} {angle}"
        );
    }
}

/// An hour of a festival's rig through changes of tempo, of cues and of the clock's source, with sound. Between two frames no light
/// and no angle moves more than the scenes that are seen do in steady running at the highest tempo, which a clock that walks to another
/// phase has, and the fades on top of that.
#[test]
fn an_hour_of_a_festival_has_no_step_that_was_not_asked_for() {
    let steps = |scene: &str| ["Slow strobe", "Gobo play"].contains(&scene);
    let mut show = Demo::Festival.show();
    show.cues.retain(|cue| !steps(&show.scenes[cue.scene].name));
    let rig = Demo::Festival.rig();
    let sound = |seconds: f64, random: &mut ChaCha8Rng| {
        let level = random.gen_range(0.0..1.0);
        let input = match random.gen_range(0..3) {
            0 => Input::Onset(level),
            1 => Input::Level(level),
            _ => Input::Band { band: 0, level },
        };
        (seconds, input)
    };
    const HIGHEST: f64 = 180.0 * (1.0 + 1.0 / 22.7);
    // The steps of each scene by itself.
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut most = vec![(0.0_f32, 0.0_f32); show.scenes.len()];
    for (cue, scene) in show.cues.iter().map(|cue| cue.scene).enumerate() {
        let mut player = Player::new(&still(&show), &rig);
        let mut inputs = vec![(0.0, Input::Cue(cue))];
        inputs.extend((0..1_000).map(|index| sound(f64::from(index) / 10.0, &mut random)));
        let mut before = None;
        play(
            &mut player,
            &inputs,
            &Tempos::new(HIGHEST),
            0..40 * 44,
            |_, look| {
                if let Some(before) = before.replace(look.clone()) {
                    let (light, angle, _) = difference(&before, look);
                    most[scene] = (most[scene].0.max(light), most[scene].1.max(angle));
                }
            },
        );
        let (light, angle) = most[scene];
        // The sixteen particles of a burst come in five frames, all at one place.
        assert!(
            light < 0.75 && angle < 10.0,
            "{}: {light} {angle}",
            show.scenes[scene].name
        );
    }
    // Four beats of a fade are 58 frames or more; up to five fades go on at a time, through 360 degrees at most.
    let share = (5.0 * HIGHEST / 60.0 / 4.0 / RATE) as f32;
    const HOUR: u32 = 3_600;
    let tempos = Sources::new(f64::from(HOUR), &mut random);
    for each in Source::ALL {
        let times = tempos.followed.iter().filter(|source| **source == each).count();
        assert!(times >= 10, "{each:?} is followed {times} times");
    }
    let mut inputs = vec![(0.0, Input::Go)];
    let mut time = 0.0;
    while time < f64::from(HOUR) {
        time += random.gen_range(0.05..1.0);
        let input = match random.gen_range(0..40) {
            0 => (time, [Input::Go, Input::Back][random.gen_range(0..2)]),
            _ => sound(time, &mut random),
        };
        inputs.push(input);
    }
    let mut player = Player::new(&show, &rig);
    let map = SlotMap::new(&rig);
    let (mut frame_before, mut slots, lamps) = (map.frame(), map.frame(), lamps(&rig, &map));
    assert!(lamps.len() >= 20, "{}", lamps.len());
    let mut before: Option<Look> = None;
    let mut inputs = inputs.iter().peekable();
    // The scenes that are seen: those that have come since one was all that was on.
    let (mut seen, mut was_fading, mut cues) = (Vec::new(), true, 0);
    for frame in 0..HOUR * 44 {
        let time = f64::from(frame) / RATE;
        while let Some((at, input)) = inputs.next_if(|(at, _)| *at <= time) {
            player
                .input(tempos.moment(*at), *input)
                .expect("an input of the show");
        }
        player.frame(tempos.moment(time));
        let events: Vec<Event> = std::iter::from_fn(|| player.next_event()).collect();
        let (look, now) = (player.look(), player.now());
        for event in &events {
            if let Event::CueStarted { scene, .. } = event {
                seen.push(*scene);
                cues += 1;
            }
        }
        let (mut most_light, mut most_angle) = seen
            .iter()
            .map(|scene| most[*scene])
            .fold((0.0_f32, 0.0_f32), |(light, angle), each| {
                (light.max(each.0), angle.max(each.1))
            });
        if now.is_fading || was_fading {
            most_light += share;
            most_angle += share * 360.0;
        }
        was_fading = now.is_fading;
        if events
            .iter()
            .any(|event| matches!(event, Event::FadeEnded { .. }))
        {
            seen.drain(..seen.len() - 1);
        }
        if let Some(before) = &before {
            let (light, angle, gobo) = difference(before, look);
            assert!(
                light <= most_light * MARGIN && angle <= most_angle * MARGIN && !gobo,
                "{light} {angle} {gobo} in frame {frame} of {now:?}, steady {most_light} {most_angle}"
            );
        }
        before.get_or_insert_with(|| look.clone()).copy_from(look);
        std::mem::swap(&mut slots, &mut frame_before);
        map.encode_after(&frame_before, look, &mut slots);
        let (old, new) = (frame_before.as_flattened(), slots.as_flattened());
        for (dimmer, colors) in &lamps {
            let is_still = new[*dimmer] > 0 || colors.iter().all(|slot| new[*slot] == old[*slot]);
            assert!(
                is_still,
                "a colour moves in the dark at slot {dimmer} in frame {frame}"
            );
        }
    }
    assert!(cues > 100, "{cues}");
}

/// The dimmer's slot of each lamp that has one of 8 bits, and those of its colours, in the flat array of all universes.
fn lamps(rig: &Rig, map: &SlotMap) -> Vec<(usize, Vec<usize>)> {
    use Attribute::{Blue, ColorWheel, Cyan, Dimmer, Green, Magenta, Red, White, Yellow};
    let lamps = rig.fixtures.iter().filter_map(|fixture| {
        let universe = map
            .universes()
            .binary_search(&fixture.universe)
            .expect("a universe");
        let first = universe * 512 + usize::from(fixture.address) - 1;
        let slots = |wanted: &[Attribute]| {
            let channels = fixture.mode.channels.iter();
            let found = channels.filter(|channel| wanted.contains(&channel.attribute));
            let offsets = found.flat_map(|channel| channel.slots.offsets());
            offsets
                .map(|offset| first + usize::from(*offset))
                .collect::<Vec<_>>()
        };
        let colors = slots(&[Red, Green, Blue, White, Cyan, Magenta, Yellow, ColorWheel]);
        let [dimmer] = slots(&[Dimmer])[..] else {
            return None;
        };
        Some((dimmer, colors))
    });
    lamps.collect()
}

/// A show without waits and fades.
fn still(show: &Show) -> Show {
    let mut show = show.clone();
    for cue in &mut show.cues {
        cue.follow = None;
        cue.fade_in = rustle_shows::scene::Span::NONE;
        cue.fade_out = rustle_shows::scene::Span::NONE;
    }
    show
}
