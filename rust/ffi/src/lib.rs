//! The C interface of Rustle: declarations in plain Rust, of which rustle-kit generates `exports.rs` here, the header
//! `include/rustle.h`, and the Swift side's records and calls.
//!
//! Rules that every export keeps: it is named `rustle_…` (except the two that the project's brief names), it runs inside
//! [`guard`], it returns a [`status`] when it can fail, and its comment says whether it may be called from any thread, and
//! whether it may be called on a realtime thread. The ownership of each pointer follows from the parameters' types.

mod call_fault;
mod exclusive;
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "generated: each function's one promise stands above its one block"
)]
mod exports;
mod fault;
mod guard;
mod records;

pub mod handle;
pub mod lane;
pub mod lent;
pub mod object;
pub mod session;
pub mod sink;
mod slice;
pub mod status;

pub mod exercise;
pub mod layout;
pub mod live;
pub mod log;

pub mod dmx;
pub mod dmx_nodes;
pub mod dmx_receiver;
pub mod echo;
pub mod equalizer;
pub mod feed;
pub mod fft;
pub mod link_monitor;
pub mod mapping;
pub mod meter;
pub mod node_radio;
pub mod pitch;
pub mod profile;
pub mod rhythm;
pub mod rig;
pub mod runtime;
pub mod show;
pub mod sound;
pub mod stft;
pub mod tempo;
pub mod ticker;
pub mod voice;

pub use exports::*;
pub use handle::RustleHandle;
