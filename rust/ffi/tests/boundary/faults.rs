//! With seeded faults: the race test can fail, since each of them is caught within 500 rounds; and a panic of a worker ends its
//! session with its text and its engine with a typed refusal.

use crate::engines::{free, Stage, Work, ENGINES};
use crate::harness::{self, Probe};
use rustle::live::rustle_live_objects;
use rustle::sink::{RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_PANICKED};
use rustle::status::{RUSTLE_OK, RUSTLE_POISONED};
use rustle_engines::faults::Fault;
use rustle_testkit::{hide_panics, this_program};

/// Run by the test below in a process of its own, with a fault in force.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "with a lock held for ever the process would not end"
)]
fn five_hundred_rounds() {
    let _alone = crate::alone();
    if let Err(broken) = std::panic::catch_unwind(|| harness::run(500)) {
        println!("caught: {}", rustle_engines::panic_message(&*broken));
        std::process::exit(3);
    }
}

#[test]
fn every_seeded_fault_is_caught_within_500_rounds() {
    let _alone = crate::alone();
    for (name, _) in Fault::ALL {
        let output = this_program()
            .args(["faults::five_hundred_rounds", "--exact", "--nocapture"])
            .env("RUSTLE_FAULT", name)
            .output()
            .expect("the test runs again");
        let text = String::from_utf8_lossy(&output.stdout);
        let caught = text.lines().find(|line| line.starts_with("caught: "));
        assert!(caught.is_some(), "{name} was not caught: {text}");
        assert_eq!(output.status.code(), Some(3), "{name}");
        println!("{name}: {}", caught.unwrap_or_default());
    }
}

/// With those in calls 10,000.
const PANICS: usize = 1_000;

const ON_PURPOSE: &str = "a panic on purpose";

#[test]
fn panic_of_a_worker_ends_the_session_with_its_text_and_poisons_the_engine() {
    let _alone = crate::alone();
    hide_panics(ON_PURPOSE);
    let before = rustle_live_objects();
    for round in 0..PANICS {
        let engine = ENGINES[round % ENGINES.len()];
        let lane = engine.lanes[round / ENGINES.len() % engine.lanes.len()];
        let name = format!("{}, lane {lane}, round {round}", engine.name);
        let stage = Stage::new(engine, 1_000.0, 0);
        let start = |work, probe: &Probe| engine.start(stage.handle, work, lane, 64, probe.sink());
        let (running, panicking, refused) = (Probe::default(), Probe::default(), Probe::default());
        let other = start(Work::Regular, &running).expect("the engine is whole");
        let session = start(Work::Panic, &panicking).expect("the engine is whole");
        stage.advance(1);
        let panicked = (RUSTLE_RELEASE_PANICKED, ON_PURPOSE.to_owned());
        assert_eq!(*panicking.ends(), [panicked], "{name}");
        assert_eq!(panicking.signals(), 0, "{name}");
        let refusal = start(Work::Regular, &refused);
        assert_eq!(refusal, Err(RUSTLE_POISONED), "{name}");
        assert_eq!((refused.signals(), refused.ends().len()), (0, 0), "{name}");
        // The session that ran before goes on, until it is freed.
        let produced = |session| engine.drain(session, 0).map_or(0, |drained| drained.2.produced);
        let (signals, values) = (running.signals(), produced(other));
        stage.advance(5_000_000);
        assert!(running.signals() > signals || produced(other) > values, "{name}");
        assert_eq!(*running.ends(), [], "{name}");
        assert_eq!((free(other), free(session)), (RUSTLE_OK, RUSTLE_OK));
        stage.advance(0);
        let cancelled = (RUSTLE_RELEASE_CANCELLED, String::new());
        assert_eq!(*running.ends(), [cancelled], "{name}");
        drop(stage);
        assert_eq!(rustle_live_objects(), before, "{name}");
    }
    println!("{PANICS} panics in workers");
}
