//! Tempo: beats and phase in integers, and a session that is compatible with Ableton Link, as state machines: they are given messages
//! and host times, and return messages, deadlines and events. No clock, no thread, no socket.
#![forbid(unsafe_code)]

pub mod beats;
pub mod clock;
mod fit;
pub mod link;
pub mod tap;
