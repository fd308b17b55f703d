//! The suites that make calls of every function of the interface from its description: refusals and random sequences (G13),
//! missing memory, realtime safety, and, with the feature `faults`, panics (G7, G19).

mod interface;
mod memory;
#[cfg(feature = "faults")]
mod panics;
mod realtime;
mod refusals;
mod sequences;

use interface::CALLS;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The count of live objects is the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The functions of the header that have a status, except the verbs, which are called by their other names.
fn functions_with_a_status() -> BTreeSet<String> {
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/include/rustle.h");
    let header = std::fs::read_to_string(header).expect("the header is committed");
    let verbs = "new start drain describe reset cancel shut_down free refuse_kind";
    header
        .lines()
        .filter(|line| line.starts_with("RustleStatus ") || line.starts_with("static inline RustleStatus "))
        .filter_map(|line| line.split_once('(')?.0.rsplit(' ').next())
        .filter(|name| {
            let is_verb = verbs
                .split(' ')
                .any(|verb| name.strip_prefix("rustle_") == Some(verb));
            !is_verb && !name.ends_with("_sized")
        })
        .map(str::to_owned)
        .collect()
}

/// Hand-written functions with an argument that no table describes, a function of the caller: the C programs `log.c`,
/// `sound.c` and `dmx.c`, and the Swift benchmark of callbacks, call them.
const WRITTEN_OUT: [&str; 4] = [
    "rustle_sink_exercise",
    "rustle_log_install",
    "rustle_sound_devices",
    "rustle_dmx_interfaces",
];

#[test]
fn every_function_of_the_header_with_a_status_is_called() {
    let mut called: BTreeSet<String> = CALLS.iter().map(|call| call.name.to_owned()).collect();
    called.extend(WRITTEN_OUT.map(str::to_owned));
    assert_eq!(called, functions_with_a_status());
}
