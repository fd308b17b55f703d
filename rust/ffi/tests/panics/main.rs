//! G7: a panic at any point of any call comes out as a status with its text, takes nothing with it and leaves nothing
//! behind; a panic of a worker ends its session with its text and its engine with a typed refusal.
#![cfg(feature = "faults")]

mod calls;
#[path = "../engines/mod.rs"]
mod engines;
mod equalizer;
mod feed;
mod meter;
mod objects;
mod pitch;
mod sound;
mod spectra;
mod ticker;
mod voice;

use calls::{Attempt, CALLS};
use engines::{free_session, Stage, Work, ENGINES};
use objects::Probe;
use rustle::live::rustle_live_objects;
use rustle::sink::{RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_PANICKED};
use rustle::status::{RUSTLE_OK, RUSTLE_PANICKED, RUSTLE_POISONED};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Panics in calls; with those in workers 10,000.
const IN_CALLS: u32 = 9_000;
const IN_WORKERS: usize = 1_000;

/// The count of live objects is the process's: one test at a time. Panics on purpose are not shown.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = rustle_engines::panic_message(panic.payload());
        if !text.starts_with("an injected panic at ") && text != "a panic on purpose" {
            shown(panic);
        }
    }));
    guard
}

/// The functions of the header that run inside the guard: those with a status, and the two that the brief names.
fn guarded_functions() -> BTreeSet<String> {
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/include/rustle.h");
    let header = std::fs::read_to_string(header).expect("the header is committed");
    header
        .lines()
        .filter(|line| line.starts_with(char::is_alphabetic))
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.rsplit_once([' ', '*']))
        .filter(|(result, name)| result.starts_with("RustleStatus") || name.ends_with("_rust"))
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[test]
fn every_guarded_function_of_the_header_is_called() {
    let called: BTreeSet<String> = CALLS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        called,
        guarded_functions(),
        "tests/panics/calls.rs lists the calls"
    );
}

#[test]
fn panic_at_any_point_of_a_call_is_a_status_and_leaves_nothing() {
    let _alone = alone();
    let before = rustle_live_objects();
    let mut injected = 0;
    let mut places = BTreeSet::new();
    while injected < IN_CALLS {
        for (name, call) in CALLS {
            // Each point in turn, until the call comes to its end without meeting the one that is next.
            for point in 0.. {
                let Attempt { status, error, met } = call(point);
                assert_eq!(rustle_live_objects(), before, "{name}, point {point}");
                if !met {
                    assert_eq!(status, RUSTLE_OK, "{name}, with no panic");
                    assert!(point > 0, "{name} does not run inside the guard");
                    break;
                }
                injected += 1;
                assert_eq!(status, RUSTLE_PANICKED, "{name}, point {point}");
                if let Some(text) = error {
                    let place = text.strip_prefix("an injected panic at ");
                    places.insert(format!("{name}: {}", place.expect(&text)));
                }
            }
        }
    }
    println!("{injected} panics in calls, at {} places", places.len());
}

#[test]
fn panic_of_a_worker_ends_the_session_with_its_text_and_poisons_the_engine() {
    let _alone = alone();
    let before = rustle_live_objects();
    for round in 0..IN_WORKERS {
        let engine = ENGINES[round % ENGINES.len()];
        let lane = engine.lanes[round / ENGINES.len() % engine.lanes.len()];
        let name = format!("{}, lane {lane}, round {round}", engine.name);
        let stage = Stage::new(engine, 1_000.0, 0);
        let start = |work, probe: &Probe| (engine.start)(stage.handle, work, lane, 64, probe.sink());
        let (running, panicking, refused) = (Probe::default(), Probe::default(), Probe::default());
        let other = start(Work::Regular, &running).expect("the engine is whole");
        let session = start(Work::Panic, &panicking).expect("the engine is whole");
        stage.advance(1);
        assert_eq!(
            panicking.ends(),
            [(RUSTLE_RELEASE_PANICKED, "a panic on purpose".to_owned())],
            "{name}"
        );
        assert_eq!(panicking.signals(), 0, "{name}");
        assert_eq!(
            start(Work::Regular, &refused).err(),
            Some(RUSTLE_POISONED),
            "{name}"
        );
        assert_eq!((refused.signals(), refused.ends().len()), (0, 0), "{name}");
        // The session that ran before goes on, until it is freed.
        let produced =
            |session| (engine.drain)(session, 0).map_or(0, |(_, _, statistics)| statistics.produced);
        let (signals, values) = (running.signals(), produced(other));
        stage.advance(5_000_000);
        assert!(running.signals() > signals || produced(other) > values, "{name}");
        assert_eq!(running.ends(), [], "{name}");
        assert_eq!(
            (free_session(other), free_session(session)),
            (RUSTLE_OK, RUSTLE_OK)
        );
        stage.advance(0);
        assert_eq!(
            running.ends(),
            [(RUSTLE_RELEASE_CANCELLED, String::new())],
            "{name}"
        );
        drop(stage);
        assert_eq!(rustle_live_objects(), before, "{name}");
    }
    println!("{IN_WORKERS} panics in workers");
}
