//! The list of devices.

use crate::error::AlsaError;
use crate::functions::Functions;
use std::ffi::{CStr, c_char, c_void};

/// A device that can be opened by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The name for [`Pcm::open`](crate::Pcm::open), such as `default` or `hw:CARD=PCH,DEV=0`.
    pub name: String,
    /// The description; several lines of the system's text are joined by commas.
    pub description: String,
    /// Whether it records.
    pub captures: bool,
    /// Whether it plays.
    pub plays: bool,
}

unsafe extern "C" {
    /// The C library's function.
    fn free(memory: *mut c_void);
}

/// Lists the devices that the system's configuration names. A machine without sound hardware has none, or `null` alone.
///
/// # Errors
/// [`AlsaError::Library`], [`AlsaError::Call`].
pub fn devices() -> Result<Vec<Device>, AlsaError> {
    let functions = Functions::get()?;
    let mut hints = std::ptr::null_mut();
    // SAFETY: the texts are terminated, and the pointer is to a variable of this function.
    let status = unsafe { (functions.snd_device_name_hint)(-1, c"pcm".as_ptr(), &mut hints) };
    if status < 0 {
        return Err(AlsaError::Call {
            function: "snd_device_name_hint",
            reason: functions.text(status),
        });
    }
    let mut devices = Vec::new();
    let mut next = hints;
    loop {
        // SAFETY: the array ends with a NULL, which is not passed.
        let hint = unsafe { *next };
        if hint.is_null() {
            break;
        }
        let value = |key: &CStr| text(functions, hint, key);
        if let Some(name) = value(c"NAME") {
            let direction = value(c"IOID");
            devices.push(Device {
                name,
                description: value(c"DESC").unwrap_or_default().replace('\n', ", "),
                captures: direction.as_deref() != Some("Output"),
                plays: direction.as_deref() != Some("Input"),
            });
        }
        // SAFETY: the array goes on to its NULL.
        next = unsafe { next.add(1) };
    }
    // SAFETY: the array is the library's, and is not used any more.
    unsafe { (functions.snd_device_name_free_hint)(hints) };
    Ok(devices)
}

/// A value of a hint; `None` when the hint has none.
fn text(functions: &Functions, hint: *const c_void, key: &CStr) -> Option<String> {
    // SAFETY: the hint is the library's, and the key is terminated.
    let value: *mut c_char = unsafe { (functions.snd_device_name_get_hint)(hint, key.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the library returns a terminated text.
    let text = unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned();
    // SAFETY: the text is the caller's to free, and is not used any more.
    unsafe { free(value.cast()) };
    Some(text)
}
