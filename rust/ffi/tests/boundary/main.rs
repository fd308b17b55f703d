//! The promises of the boundary for every engine, tested through the C interface for each row of `ENGINES`.

mod conservation;
#[path = "../engines/mod.rs"]
mod engines;
#[cfg(feature = "faults")]
mod faults;
mod harness;
mod races;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: some look at the memory of the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
