//! The suites that make calls of every function of the interface from its description: random sequences (G13), realtime safety,
//! and, with the feature `faults`, panics (G7, G19).

#[cfg(feature = "faults")]
#[path = "../engines/mod.rs"]
mod engines;
mod interface;
#[cfg(feature = "faults")]
mod panics;
#[cfg(feature = "faults")]
mod probe;
mod realtime;
mod records;
mod sequences;

use interface::{Arguments, Exact, World, CALLS};
use rustle::status::RUSTLE_OK;
use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The count of live objects is the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The functions of the header that have a status, but for the verbs, which are called by their other names.
fn functions_with_a_status() -> BTreeSet<String> {
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/include/rustle.h");
    let header = std::fs::read_to_string(header).expect("the header is committed");
    let verbs = [
        "new",
        "start",
        "drain",
        "describe",
        "reset",
        "cancel",
        "shut_down",
        "free",
    ];
    header
        .lines()
        .filter(|line| line.starts_with("RustleStatus ") || line.starts_with("static inline RustleStatus "))
        .filter_map(|line| line.split_once('(')?.0.rsplit(' ').next())
        .filter(|name| !verbs.contains(&name.trim_start_matches("rustle_")) && !name.ends_with("_sized"))
        .map(str::to_owned)
        .collect()
}

/// Functions that are written out for C and take what no table describes, a function of the caller's: the C programs `log.c` and
/// `sound.c`, and the Swift benchmark of callbacks, call them.
const WRITTEN_OUT: [&str; 3] = [
    "rustle_sink_exercise",
    "rustle_log_install",
    "rustle_sound_devices",
];

#[test]
fn every_function_of_the_header_with_a_status_is_called() {
    let mut called: BTreeSet<String> = CALLS.iter().map(|call| call.name.to_owned()).collect();
    called.extend(WRITTEN_OUT.map(str::to_owned));
    assert_eq!(called, functions_with_a_status());
}

#[test]
fn every_example_of_the_declarations_is_in_order() {
    let _alone = alone();
    let mut refused = Vec::new();
    for call in CALLS {
        let mut world = World::new();
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let arguments = Arguments::new(call, &mut Exact, &mut world);
            let result = world.run(call, &arguments);
            assert!(
                result.0 != RUSTLE_OK || arguments.is_written(),
                "{} wrote nothing",
                call.name
            );
            result
        }));
        match attempt {
            Ok((RUSTLE_OK, _)) => {}
            Ok((status, text)) => refused.push(format!("{}: {status}: {text}", call.name)),
            Err(_) => refused.push(format!("{}: no object to call it on", call.name)),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
