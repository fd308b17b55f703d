//! The C interface of Rustle. `include/rustle.h` is generated from this crate by cbindgen and committed.
//!
//! Rules that every export keeps: it is named `rustle_…` (but for the two that the project's brief names), it runs inside
//! [`guard`], it returns a [`status`] when it can fail, and its comment says who owns each pointer, whether it may be
//! called from any thread, and whether it may be called on a realtime thread.

mod alone;
mod fault;
mod framed;
mod guard;
mod handle;
mod slice;

pub mod equalizer;
pub mod exercise;
pub mod feed;
pub mod fft;
pub mod lane;
pub mod layout;
pub mod live;
pub mod log;
pub mod meter;
pub mod pitch;
pub mod runtime;
pub mod session;
pub mod sink;
pub mod sound;
pub mod status;
pub mod ticker;
pub mod version;
pub mod voice;

pub use handle::RustleHandle;
pub use slice::RustleString;
