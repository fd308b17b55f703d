//! The archive's fingerprint and the layout of every record that crosses the boundary, for comparison with the caller's.

use crate::exports::LAYOUT;
use std::ffi::c_char;

const BUILD_ID: &str = concat!(env!("RUSTLE_BUILD_ID"), "\0");

/// The fingerprint of this archive: a NUL-terminated string with static lifetime, never NULL, not to be freed.
///
/// Thread-safe: yes. Realtime-safe: yes.
#[no_mangle]
pub extern "C" fn rustle_build_id() -> *const c_char {
    BUILD_ID.as_ptr().cast()
}

/// One line of the layout table: a record as a whole (`field` is NULL, `offset` 0) or one of its fields.
#[repr(C)]
pub struct RustleLayoutEntry {
    /// The record's name: NUL-terminated, static.
    pub record: *const c_char,
    /// The field's name: NUL-terminated, static; NULL for the record itself.
    pub field: *const c_char,
    /// The size of the record in bytes, with its padding; for a field 0.
    pub size: usize,
    /// The alignment of the record in bytes; for a field 0.
    pub alignment: usize,
    /// The field's distance from the record's start in bytes.
    pub offset: usize,
}

// SAFETY: the pointers are to static, constant texts.
unsafe impl Sync for RustleLayoutEntry {}

/// The layout table: `count`, which may be NULL, receives the number of entries. Never NULL, static, not to be freed.
///
/// Thread-safe: yes. Realtime-safe: yes.
///
/// # Safety
/// `count` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_abi_layout(count: *mut usize) -> *const RustleLayoutEntry {
    if !count.is_null() {
        // SAFETY: validity is the caller's promise.
        unsafe { count.write_unaligned(LAYOUT.len()) };
    }
    LAYOUT.as_ptr()
}
