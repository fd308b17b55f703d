//! A libFuzzer target: the bytes are a show, or changes of a good one, and what is played of it.
//!
//! Nothing may panic; a show that was read is written and read the same; looks have levels of 0 to 1 and angles within the ranges of
//! the heads, and become slots.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

#[path = "changes.rs"]
mod changes;

use rustle_shows::fixture::{Profile, Rig};
use rustle_shows::player::{Input, Player};
use rustle_shows::scene::Span;
use rustle_shows::show::Show;
use rustle_shows::slots::SlotMap;
use rustle_shows::{Look, Moment};

/// Good shows.
const SEEDS: [&[u8]; 2] = [
    include_bytes!("../src/scene/built_in.json"),
    br##"{"v":1,"name":"a","rig":"b.json","faders":["one"],"repeats":true,"scenes":[{"name":"c","tags":["d"],"master":0.5,"layers":[
        {"effect":"chase","parameters":{"width":0.3},"rate":{"beats":3},"direction":"reverse","palette":["#ff0000",[0,0.5,1]],
         "seed":9,"blend":"overlay","opacity":0.5,"fixtures":{"ids":[1,"e"],"groups":["f"]},"touches":["color"],"modulators":[
         {"target":"width","source":"fader","fader":"one","amount":-0.5,"attack":1,"release":2},
         {"target":"opacity","source":"oscillator","shape":"random","rate":{"hertz":0.5},"amount":1,"offset":0.5}]},
        {"effect":"follow","modulators":[{"target":"y","source":"band","band":3,"amount":-2000}]},
        {"effect":"strobe","rate":{"hertz":25},"fast":true,"enabled":false},{"effect":"random","direction":"down"}]},{"name":"g"}],
        "cues":[{"scene":"c","fade_in":{"beats":4},"fade_out":{"seconds":0},"follow":{"seconds":1}},{"scene":"g","follow":{"beats":0}}]}"##,
];
const RIG: &[u8] = br#"{"v":1,"fixtures":[
    {"id":1,"profile":"moving-head","protocol":"sacn","universe":1,"address":1,"position":[1,2,5],"rotation":[9,8,7]},
    {"id":"e","profile":"bar-8","protocol":"sacn","universe":1,"address":11,"group":"f"},
    {"id":2,"profile":"rgbawuv-par","protocol":"artnet","universe":0,"address":1}]}"#;

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    let Some((first, rest)) = bytes.split_first() else {
        return 0;
    };
    let (played, rest) = rest.split_at(usize::from(first >> 2).min(rest.len()));
    let file = match SEEDS.get(usize::from(first & 3)) {
        Some(seed) => changes::changed(seed, rest),
        None => rest.to_vec(),
    };
    if let Ok((show, _)) = Show::read(&file) {
        let again = Show::read(show.to_json().as_bytes());
        assert_eq!(again.as_ref(), Ok(&(show.clone(), Vec::new())));
        play(&show, played);
    }
    0
}

fn play(show: &Show, bytes: &[u8]) {
    let Ok((rig, _)) = Rig::read(RIG, &Profile::built_in()) else {
        return;
    };
    let mut player = Player::new(show, &rig);
    let map = SlotMap::new(&rig);
    let mut frame = map.frame();
    let mut now = [0.0_f64; 2];
    let _ = player.input(Moment::default(), Input::Go);
    for step in bytes.chunks_exact(2) {
        // From a thousandth to thousands, on and back.
        let way = f64::from(step[0] as i8).powi(3) / 1e3;
        now[usize::from(step[1] & 1)] += way;
        let Ok(moment) = Moment::new(now[0], now[1]) else {
            return;
        };
        let level = f32::from(step[0]) / 255.0;
        let place = step[0] % 4;
        let _ = player.input(
            moment,
            match step[1] >> 1 & 15 {
                0 => Input::Onset(level),
                1 => Input::Level(level),
                2 => Input::Band { band: place, level },
                3 => Input::Fader { fader: place, level },
                4 => Input::Master(level),
                5 => Input::Blackout(place == 0),
                6 => Input::Panic,
                7 => Input::Pause(place == 0),
                8 => Input::Go,
                9 => Input::Back,
                10 => Input::Cue(usize::from(place)),
                11 => Input::Scene {
                    scene: usize::from(place),
                    fade: Span::beats(way.abs()).unwrap_or(Span::NONE),
                },
                _ => Input::Level(f32::NAN),
            },
        );
        check(player.frame(moment), &rig);
        map.encode(player.look(), &mut frame);
    }
}

fn check(look: &Look, rig: &Rig) {
    let planes = [&look.red, &look.green, &look.blue, &look.amber, &look.ultraviolet];
    assert!(planes
        .into_iter()
        .flatten()
        .all(|level| (0.0..=1.0).contains(level)));
    for (head, fixture) in look.heads.iter().zip(&rig.fixtures) {
        assert!(head.pan.abs() <= fixture.mode.pan / 2.0 && head.tilt.abs() <= fixture.mode.tilt / 2.0);
    }
}
