//! Shows: fixtures and rigs, effects on beats, layers, scenes and cues, and pictures of the venue. Each is a function of a rig, of
//! times and of inputs: the same ones make the same bytes, on every machine. No clock, no thread, no file.
#![forbid(unsafe_code)]

pub mod blend;
pub mod effect;
pub mod fixture;
pub mod import;
mod json;
pub mod layer;
mod look;
pub mod modulator;
mod moment;
mod names;
mod number;
pub mod player;
mod render;
pub mod scene;
pub mod show;
pub mod slots;
mod stage;
pub mod venue;

pub use json::Fault;
pub use look::{Head, Look};
pub use moment::Moment;
pub use render::{ReadyScene, Renderer};
pub use stage::{Element, Stage};
