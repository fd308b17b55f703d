//! The C interface of Rustle. `include/rustle.h` is generated from this crate by cbindgen and committed.
pub mod version;
