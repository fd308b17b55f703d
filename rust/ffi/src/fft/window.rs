//! Windows by their numbers, and their coefficients.

use super::fault::FftFault;
use crate::guard::guarded;
use crate::slice::borrowed_mut;
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::{Symmetry, Window};

/// No window: all coefficients are 1.
pub const RUSTLE_WINDOW_NONE: u32 = 0;
/// The Hann window, also called hanning.
pub const RUSTLE_WINDOW_HANN: u32 = 1;
/// The Hamming window, 0.54 and 0.46.
pub const RUSTLE_WINDOW_HAMMING: u32 = 2;
/// The Blackman window, 0.42, 0.5 and 0.08.
pub const RUSTLE_WINDOW_BLACKMAN: u32 = 3;

/// A window of N coefficients is one period of its cosines: for spectra.
pub const RUSTLE_SYMMETRY_PERIODIC: u32 = 0;
/// The last coefficient of a window equals the first: for filter design.
pub const RUSTLE_SYMMETRY_SYMMETRIC: u32 = 1;

/// The window behind one of `RUSTLE_WINDOW_…`.
pub(super) fn window(number: u32) -> Result<Window, CallFault> {
    match number {
        RUSTLE_WINDOW_NONE => Ok(Window::Rectangular),
        RUSTLE_WINDOW_HANN => Ok(Window::Hann),
        RUSTLE_WINDOW_HAMMING => Ok(Window::Hamming),
        RUSTLE_WINDOW_BLACKMAN => Ok(Window::Blackman),
        _ => Err(CallFault::value(
            "window",
            "expected one of RUSTLE_WINDOW_… (0 to 3), got another number",
        )),
    }
}

/// The symmetry behind one of `RUSTLE_SYMMETRY_…`.
pub(super) fn symmetry(number: u32) -> Result<Symmetry, CallFault> {
    match number {
        RUSTLE_SYMMETRY_PERIODIC => Ok(Symmetry::Periodic),
        RUSTLE_SYMMETRY_SYMMETRIC => Ok(Symmetry::Symmetric),
        _ => Err(CallFault::value(
            "symmetry",
            "expected one of RUSTLE_SYMMETRY_… (0 or 1), got another number",
        )),
    }
}

/// Writes the `length` coefficients, 0 to 1, of one of `RUSTLE_WINDOW_…` with one of `RUSTLE_SYMMETRY_…` into
/// `coefficients`, the caller's memory. Any length will do; with 0 nothing is written.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`.
///
/// Thread-safe: yes. Realtime-safe: yes, at the cost of two cosines per coefficient.
///
/// # Safety
/// `coefficients` is NULL or valid for writes of `length` floats; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_window(
    window: u32,
    symmetry: u32,
    coefficients: *mut f32,
    length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let (window, symmetry) = (self::window(window)?, self::symmetry(symmetry)?);
        // SAFETY: the caller's promise about `coefficients` is handed on; floats are only written.
        let coefficients = unsafe { borrowed_mut(coefficients, length, "coefficients") }?;
        window.fill(symmetry, coefficients);
        Ok::<(), FftFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
