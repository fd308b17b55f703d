//! Attempts with scripted nodes, in virtual time.

mod drive;
mod faults;
mod order;
mod regressions;
