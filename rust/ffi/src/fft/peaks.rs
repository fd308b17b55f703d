//! The sinusoids in a spectrum.

use super::fault::FftFault;
use super::window::window;
use crate::guard::guarded;
use crate::slice::{borrowed, borrowed_mut, out};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::{find_peaks, Peak, PeakSearch};
use std::mem::MaybeUninit;

/// What `rustle_spectrum_peaks` looks for, and in what.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePeakSearch {
    /// The sample rate of the signal in Hz, finite and above 0.
    pub sample_rate: f64,
    /// The least amplitude of a peak, linear, at least 0.
    pub threshold: f64,
    /// The least distance between two peaks in bins, at least 0; half the width of the window's main lobe in any case.
    pub separation: f64,
    /// The periodic window that the spectrum was made with: one of `RUSTLE_WINDOW_…`.
    pub window: u32,
    /// 0.
    pub reserved: u32,
}

/// A sinusoid that a spectrum shows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePeak {
    /// Its place in bins, between the bins.
    pub bin: f64,
    /// Its frequency in Hz.
    pub frequency: f64,
    /// Its amplitude, 1.0 for a full-scale sine.
    pub amplitude: f64,
}

/// Finds the sinusoids in `amplitudes`: `length` = N/2 + 1 magnitudes in `RUSTLE_SCALE_AMPLITUDE`, of one frame of N samples
/// or the root of the mean power of many. Writes at most `capacity` of them into `peaks`, the strongest first; `count`
/// receives their number. Side lobes of stronger peaks, a constant part, and bins that are not finite are left out.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`; nothing is written then.
///
/// Thread-safe: yes. Realtime-safe: no (it allocates a list of the local maxima).
///
/// # Safety
/// `amplitudes` is NULL or points to `length` floats, and `search` is NULL or points to a record, that are not written
/// during the call; `peaks` is NULL or valid for writes of `capacity` records; `count` and `error` are NULL or valid for a
/// write.
#[no_mangle]
pub unsafe extern "C" fn rustle_spectrum_peaks(
    amplitudes: *const f32,
    length: usize,
    search: *const RustlePeakSearch,
    peaks: *mut RustlePeak,
    capacity: usize,
    count: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `amplitudes` is handed on.
        let amplitudes = unsafe { borrowed(amplitudes, length, "amplitudes") }?;
        // SAFETY: the caller's promise about `search` is handed on; `as_ref` tests for NULL.
        let search = unsafe { search.as_ref() }.ok_or(CallFault::null("search"))?;
        if search.reserved != 0 {
            return Err(CallFault::value("search.reserved", "expected 0, got another number").into());
        }
        let peaks = peaks.cast::<MaybeUninit<RustlePeak>>();
        // SAFETY: the caller's promise about `peaks` is handed on; `MaybeUninit` asks for no initialised memory.
        let peaks = unsafe { borrowed_mut(peaks, capacity, "peaks") }?;
        // SAFETY: the caller's promise about `count` is handed on.
        let count = unsafe { out(count, "count") }?;
        let search = PeakSearch {
            window: window(search.window)?,
            sample_rate: search.sample_rate,
            threshold: search.threshold,
            separation: search.separation,
        };
        // There are no more peaks than bins, whatever the caller has room for.
        let mut found = vec![Peak::default(); capacity.min(length)];
        *count = find_peaks(amplitudes, &search, &mut found)?;
        for (place, peak) in peaks.iter_mut().zip(&found[..*count]) {
            place.write(RustlePeak {
                bin: peak.bin,
                frequency: peak.frequency,
                amplitude: peak.amplitude,
            });
        }
        Ok::<(), FftFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
