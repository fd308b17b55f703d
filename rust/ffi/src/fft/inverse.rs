//! The way back: samples from complex bins.

use super::fault::FftFault;
use super::path::path;
use super::scratch::ScratchPool;
use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::InversePlan;

/// A plan and the scratch memory for callers who bring none.
struct Inverse {
    plan: InversePlan,
    scratch: ScratchPool,
}

static INVERSES: SlotTable<Inverse> = SlotTable::new(Kind::InverseFft);

/// Makes a plan for the inverse transform of `size` samples, a power of two from 64 to 65,536, on one of `RUSTLE_PATH_…`.
/// `inverse` receives its handle, to be freed with `rustle_fft_inverse_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `inverse` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_inverse_new(
    size: usize,
    path: u32,
    inverse: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `inverse` is handed on.
        let inverse = unsafe { out(inverse, "inverse") }?;
        let plan = InversePlan::on_path(self::path(path)?, size)?;
        let scratch = ScratchPool::new();
        *inverse = INVERSES.insert(Inverse { plan, scratch })?;
        Ok::<(), FftFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes the handle of an inverse stale. Calls that are using it finish; the last of them frees its memory.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_inverse_free(
    inverse: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || INVERSES.remove(inverse, "inverse")) }
}

/// `length` receives the least number of floats that `rustle_fft_inverse_samples` takes as scratch memory.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the handle.
///
/// # Safety
/// `length` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_inverse_scratch_length(
    inverse: RustleHandle,
    length: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises about `length` and `error` are handed on.
    unsafe {
        told(length, "length", error, |length| {
            *length = INVERSES.pin(inverse, "inverse")?.plan.scratch_len();
            Ok::<(), CallFault>(())
        })
    }
}

/// Writes the N samples into `output` whose complex bins are in `bins`, N + 2 floats as `rustle_fft_complex` writes them with
/// `RUSTLE_SCALE_NONE`: numpy's irfft. The imaginary parts of bin 0 and bin N/2 are ignored.
///
/// `output_length` is N. `scratch` are `scratch_length` floats of the caller's, at least
/// `rustle_fft_inverse_scratch_length` of them, or NULL and 0 for memory of the plan's, which is allocated once for each of up
/// to eight calls at a time and anew for more. Bins, output and scratch must not overlap. A bin that is not finite makes
/// every sample NaN or infinite.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE` (memory that
/// overlaps or is misaligned); nothing is written to `output` then.
///
/// Thread-safe: yes, also with one handle. Realtime-safe: yes with the caller's scratch, while nobody frees the handle.
///
/// # Safety
/// `bins` is NULL or points to `bins_length` floats that are not written during the call; `output` and `scratch` are NULL
/// or valid for reads and writes of their lengths by this call alone; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_inverse_samples(
    inverse: RustleHandle,
    bins: *const f32,
    bins_length: usize,
    output: *mut f32,
    output_length: usize,
    scratch: *mut f32,
    scratch_length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FftFault> {
        let inverse = INVERSES.pin(inverse, "inverse")?;
        check_apart([
            Piece::new("bins", bins, bins_length),
            Piece::new("scratch", scratch, scratch_length),
            Piece::new("output", output, output_length),
        ])?;
        // SAFETY: the caller promises that `bins` is readable and not written meanwhile.
        let bins = unsafe { borrowed(bins, bins_length, "bins") }?;
        // SAFETY: the caller promises that this call alone uses `output`, and it overlaps no other argument.
        let output = unsafe { borrowed_mut(output, output_length, "output") }?;
        let run = |scratch: &mut [f32]| Ok(inverse.plan.samples(bins, output, scratch)?);
        let (lent, length) = ((scratch, scratch_length), inverse.plan.scratch_len());
        // SAFETY: the caller promises that this call alone uses `scratch`, and it overlaps no other argument.
        unsafe { inverse.scratch.lent_or_own(lent, length, run) }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
