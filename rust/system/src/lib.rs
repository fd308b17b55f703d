//! Calls of the system of which the standard library has no safe form: the list of network interfaces, and the scheduling of a thread
//! with deadlines.

mod interfaces;
mod realtime;

pub use interfaces::{Interface, interfaces};
pub use realtime::{be_realtime, sharpen_timers};
