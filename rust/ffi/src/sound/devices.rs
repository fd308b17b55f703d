//! Which devices there are.

use super::fault::SoundFault;
use crate::guard::guarded;
use crate::slice::RustleString;
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::SoundError;
use std::ffi::c_void;

/// A device that can be opened by its name.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleSoundDevice {
    /// Its name.
    pub name: RustleString,
    /// What it is, in words.
    pub description: RustleString,
    /// Not 0 when it can be captured from.
    pub captures: u32,
    /// Not 0 when it can be played to.
    pub plays: u32,
}

fn text(text: &str) -> RustleString {
    RustleString {
        data: text.as_ptr(),
        length: text.len(),
    }
}

/// Shows `visit` every device that the system's configuration names, on the calling thread, before the call returns. The
/// `demo` device, which is always there, is not among them. The record and its texts are valid during each call of `visit`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_NO_SOUND_LIBRARY`, `RUSTLE_DEVICE_FAILED`; nothing was shown then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `visit` may be called with `context`, and does not unwind; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_sound_devices(
    visit: Option<extern "C" fn(context: *mut c_void, device: *const RustleSoundDevice)>,
    context: *mut c_void,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let visit = visit.ok_or(CallFault::null("visit"))?;
        for device in rustle_alsa::devices().map_err(SoundError::Device)? {
            let record = RustleSoundDevice {
                name: text(&device.name),
                description: text(&device.description),
                captures: u32::from(device.captures),
                plays: u32::from(device.plays),
            };
            visit(context, &raw const record);
        }
        Ok::<(), SoundFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
