//! The loop against a simulated camera.

use rustle_mapping::decode::Reason;
use rustle_mapping::frames::Frame;
use rustle_mapping::judge::judge;
use rustle_mapping::live::{Live, Method, Phase};
use rustle_mapping::schedule::Schedule;
use rustle_mapping::simulate::{Camera, Difficulty, Light, Scene};

/// Runs a loop; the camera's frames come so many intervals after their exposures began, and changes take so long to reach the lamps.
fn run(scene: Scene, method: Method, late: f64, network: f64) -> (Live, Camera, f64) {
    let live = Live::new(method, scene.count, 2, true).expect("loop");
    run_on(live, Camera::new(scene), late, network)
}

/// As [`run`], with a loop and a camera.
fn run_on(live: Live, camera: Camera, late: f64, network: f64) -> (Live, Camera, f64) {
    run_seeing(live, camera, late, network, |_| {})
}

/// As [`run_on`]; what is to be lit is seen.
fn run_seeing(
    mut live: Live,
    mut camera: Camera,
    late: f64,
    network: f64,
    mut see: impl FnMut(&[Option<bool>]),
) -> (Live, Camera, f64) {
    let count = camera.scene().count;
    let mut light = Light::default();
    let interval = camera.interval_ns();
    let after = |part: f64| (part * interval as f64) as u64;
    let mut shown = None;
    let mut frame = 0;
    // A change is seen by exposures that begin later than it.
    let mut waiting = std::collections::VecDeque::new();
    while live.progress().phase != Phase::Done {
        let begin = 1_000_000_000 + frame * interval;
        if let Some(picture) = camera.frame(begin, &light) {
            waiting.push_back((begin + after(late), picture));
        }
        while waiting.front().is_some_and(|(time, _)| *time < begin + interval) {
            let (time, picture) = waiting.pop_front().expect("frame");
            live.frame(picture, time);
            let lit: Vec<_> = (0..count as u32).map(|id| live.lights(id)).collect();
            if shown.as_ref() != Some(&lit) {
                see(&lit);
                let levels = lit
                    .iter()
                    .map(|lit| if lit == &Some(true) { 255 } else { 0 })
                    .collect();
                light.change(time + after(network), levels);
                shown = Some(lit);
            }
        }
        frame += 1;
        assert!(frame < 10_000, "the loop ends");
    }
    let seconds = (frame * interval) as f64 / 1e9;
    (live, camera, seconds)
}

#[test]
fn three_hundred_fixtures_take_five_seconds_and_the_delay_is_known_within_a_frame() {
    for (seed, late, network) in [(1, 1.0, 0.3), (2, 2.4, 1.0), (3, 4.7, 2.9)] {
        let scene = Scene::new(Difficulty::Club, seed, 640, 480, 300);
        let (live, camera, seconds) = run(scene, Method::Coded, late, network);
        let verdict = judge(&camera.truth(), live.mapping());
        assert_eq!((verdict.found, verdict.wrong), (300, 0), "{verdict:?}");
        assert!(seconds <= 5.0, "{seconds} s");
        let delay = live.progress().delay.expect("delay");
        assert!((f64::from(delay.mean) - late - network).abs() <= 1.0, "{delay:?}");
        assert!(delay.spread < 1.0, "{delay:?}");
    }
}

#[test]
fn hard_venues_are_mapped_by_lighting_what_is_missing_once_more() {
    let (mut alive, mut found, mut wrong) = (0, 0, 0);
    for seed in 1..=3 {
        let scene = Scene::new(Difficulty::Hard, 100 + seed, 640, 480, 200);
        let (live, camera, _) = run(scene, Method::Checked, 1.6, 0.6);
        let verdict = judge(&camera.truth(), live.mapping());
        alive += verdict.alive;
        found += verdict.found;
        wrong += verdict.wrong;
    }
    assert!(
        found as f64 >= 0.97 * alive as f64 && wrong <= 3,
        "{found} of {alive}, {wrong} wrong"
    );
}

#[test]
fn frames_that_are_dropped_are_counted_and_cost_nothing() {
    let mut scene = Scene::new(Difficulty::Club, 5, 640, 480, 100);
    scene.drops = 0.03;
    let (live, camera, _) = run(scene, Method::Coded, 1.5, 0.5);
    let verdict = judge(&camera.truth(), live.mapping());
    assert_eq!((verdict.found, verdict.wrong), (100, 0), "{verdict:?}");
    assert!(live.progress().dropped > 0);
}

#[test]
fn frames_that_are_only_late_are_not_dropped() {
    const MS: u64 = 1_000_000;
    for interval in [33 * MS, 66 * MS] {
        for missing in [0, 1, 3] {
            let mut live = Live::new(Method::Sequential, 100, 2, true).expect("loop");
            let mut last = 0;
            for number in (0..75).filter(|number| !(30..30 + missing).contains(number)) {
                // Those behind a late one wait for it.
                last = last.max(number * interval + if number % 4 == 3 { 50 * MS } else { 0 });
                let level = if live.lights(0) == Some(true) { u16::MAX } else { 0 };
                live.frame(
                    Frame {
                        width: 16,
                        height: 16,
                        pixels: vec![level; 256],
                    },
                    last,
                );
            }
            assert_eq!(live.progress().frames, 75 - missing);
            assert_eq!(live.progress().dropped, missing, "{interval} ns");
        }
    }
}

#[test]
fn what_was_found_is_known_when_the_camera_ends_in_the_second_pass() {
    let mut live = Live::new(Method::Sequential, 2, 2, true).expect("loop");
    let mut frame = 0;
    while live.progress().phase != Phase::Again {
        let mut pixels = vec![1_000; 64 * 64];
        // The second one is dead.
        if live.lights(0) == Some(true) {
            for row in 19..=21 {
                pixels[row * 64 + 39..=row * 64 + 41].fill(40_000);
            }
        }
        live.frame(
            Frame {
                width: 64,
                height: 64,
                pixels,
            },
            frame * 33_000_000,
        );
        frame += 1;
        assert!(frame < 1_000, "the second pass begins");
    }
    live.end();
    assert_eq!((live.progress().phase, live.mapping().found()), (Phase::Done, 1));
}

#[test]
fn one_after_the_other_finds_all_in_a_club() {
    let scene = Scene::new(Difficulty::Club, 6, 320, 240, 12);
    let (live, camera, _) = run(scene, Method::Sequential, 2.2, 0.5);
    let verdict = judge(&camera.truth(), live.mapping());
    assert_eq!((verdict.found, verdict.wrong), (12, 0), "{verdict:?}");
}

#[test]
fn known_places_stay_and_only_the_others_are_lit() {
    for (seed, missing) in [(8, 3), (9, 4), (10, 5)] {
        let scene = Scene::new(Difficulty::Club, seed, 320, 240, 12);
        let (live, _, _) = run(scene.clone(), Method::Coded, 1.2, 0.4);
        let mut known = live.mapping().clone();
        assert_eq!(known.found(), 12);
        for found in &mut known.fixtures[4..4 + missing] {
            found.place = Err(Reason::Hidden);
        }
        let mut live = Live::new(Method::Coded, 12, 2, true).expect("loop");
        live.keep(known.clone(), Method::Coded).expect("schedule");
        let (live, camera, _) = run_seeing(live, Camera::new(scene), 1.2, 0.4, |lit| {
            let known = known.fixtures.iter().map(|known| known.place.is_ok());
            assert!(
                known
                    .zip(lit)
                    .all(|(is_known, lit)| !is_known || *lit != Some(true))
            );
        });
        let verdict = judge(&camera.truth(), live.mapping());
        assert_eq!(
            (verdict.found, verdict.wrong),
            (12, 0),
            "{:?}",
            live.mapping().fixtures
        );
        assert_eq!(live.mapping().fixtures[..4], known.fixtures[..4]);
    }
}

#[test]
fn states_of_one_frame_and_listed_frames_are_found() {
    let listed = |count: usize| {
        let states = Schedule::standard(count, 1).expect("schedule").states().len();
        let frames: Vec<_> = (0..states).flat_map(|state| vec![state; 2 + state % 2]).collect();
        let json = Schedule::standard(count, 1).expect("schedule").to_json();
        let frames = format!("{{\"frames\":{frames:?},");
        Schedule::read(json.replacen('{', &frames, 1).as_bytes(), count).expect("schedule")
    };
    for count in [24, 100] {
        for schedule in [Schedule::standard(count, 1).expect("schedule"), listed(count)] {
            for late in [1.0, 3.0] {
                let scene = Scene::new(Difficulty::Club, 11, 320, 240, count);
                let live = Live::of(schedule.clone(), false);
                let (live, camera, _) = run_on(live, Camera::new(scene), late, 0.0);
                let verdict = judge(&camera.truth(), live.mapping());
                assert_eq!((verdict.found, verdict.wrong), (count, 0), "{late}: {verdict:?}");
            }
        }
    }
}

#[test]
fn complete_mapping_lights_nothing_and_is_over_with_the_first_frame() {
    let scene = Scene::new(Difficulty::Club, 8, 320, 240, 12);
    let (live, mut camera, _) = run(scene, Method::Coded, 1.2, 0.4);
    let known = live.mapping().clone();
    assert_eq!(known.found(), 12);
    let mut live = Live::new(Method::Coded, 12, 2, true).expect("loop");
    live.keep(known.clone(), Method::Coded).expect("schedule");
    assert!((0..12).all(|id| live.lights(id) == Some(false)));
    let frame = (0..9).find_map(|_| camera.frame(1 << 40, &Light::default()));
    live.frame(frame.expect("frame"), 0);
    let progress = live.progress();
    assert_eq!((progress.phase, progress.frames), (Phase::Done, 1));
    assert_eq!((live.lights(0), live.mapping()), (None, &known));
}

#[test]
fn without_light_all_fixtures_are_dark_and_the_loop_ends() {
    let mut scene = Scene::new(Difficulty::Dark, 7, 320, 240, 8);
    scene.dead = 1.0;
    let (live, _, _) = run(scene, Method::Coded, 1.0, 0.0);
    assert_eq!(live.progress().delay, None);
    assert_eq!(live.mapping().found(), 0);
    assert_eq!(live.lights(0), None);
}

#[test]
fn cancelled_loop_lights_what_was_lit_before() {
    let mut live = Live::new(Method::Coded, 4, 2, true).expect("loop");
    assert_eq!(live.lights(0), Some(false));
    live.cancel();
    assert_eq!((live.lights(0), live.progress().phase), (None, Phase::Done));
    assert_eq!(live.mapping().fixtures.len(), 4);
}

#[test]
fn pictures_of_another_size_than_the_first_are_left_out() {
    let picture = |side| Frame {
        width: side,
        height: side,
        pixels: vec![0; (side * side) as usize],
    };
    let mut live = Live::new(Method::Coded, 4, 2, false).expect("loop");
    for (index, side) in [8, 16, 16, 16].into_iter().enumerate() {
        live.frame(picture(side), 1_000_000 * index as u64);
    }
    assert_eq!((live.mapping().width, live.mapping().height), (8, 8));
    assert_eq!(live.progress().dropped, 3);
}

#[test]
fn missing_frames_leave_no_sure_place_where_frames_are_known_by_number() {
    let count = 24;
    let schedule = Schedule::standard(count, 1).expect("schedule");
    let listed: Vec<_> = (0..schedule.states().len())
        .flat_map(|state| [state; 2])
        .collect();
    let json = schedule
        .to_json()
        .replacen('{', &format!("{{\"frames\":{listed:?},"), 1);
    let listed = Schedule::read(json.as_bytes(), count).expect("schedule");
    for (drops, is_sure) in [(0.0, true), (0.1, false)] {
        let mut scene = Scene::new(Difficulty::Dark, 5, 320, 240, count);
        scene.drops = drops;
        let (live, _, _) = run_on(Live::of(listed.clone(), false), Camera::new(scene), 1.0, 0.0);
        let sure = live.mapping().fixtures.iter().filter(|found| found.is_sure());
        assert_eq!(
            sure.count(),
            if is_sure { count } else { 0 },
            "{:?}",
            live.progress()
        );
    }
}
