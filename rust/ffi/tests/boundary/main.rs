//! What the boundary promises for every engine, shown through the C interface for each row of `ENGINES`.

mod conservation;
#[path = "../engines/mod.rs"]
mod engines;
#[cfg(feature = "faults")]
mod faults;
mod harness;
mod races;
