//! The fingerprint of the archive.

use std::ffi::c_char;

const BUILD_ID: &str = concat!(env!("RUSTLE_BUILD_ID"), "\0");

/// The fingerprint of this archive: a NUL-terminated string with static lifetime, never NULL, not to be freed.
///
/// Thread-safe: yes. Realtime-safe: yes.
#[no_mangle]
pub extern "C" fn rustle_build_id() -> *const c_char {
    BUILD_ID.as_ptr().cast()
}
