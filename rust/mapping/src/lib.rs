//! Mapping: where the fixtures of a rig are in the picture of a camera. Frames of files and pipes, schedules of what is lit when, the
//! decoder of coded light and of one fixture at a time, the loop that drives a rig, planes and plans, and a simulated camera that
//! judges all of it. Each is a value: frames, times in ns and levels go in, levels and results come out. No clock, no thread, no file.
#![forbid(unsafe_code)]

mod align;
mod assign;
mod candidates;
mod contrast;
pub mod correct;
pub mod decode;
mod drift;
pub mod film;
pub mod frames;
mod joint;
pub mod judge;
pub mod lights;
pub mod live;
pub mod mapper;
mod mirrors;
pub mod overlay;
pub mod plan;
pub mod report;
pub mod schedule;
mod sequential;
pub mod simulate;
pub mod space;

pub use decode::{Decoder, decode};
