//! Plans: what a spectrum of one size and window needs, computed once.

use super::fault::FftFault;
use super::path::{self, RUSTLE_PATH_PREFERRED};
use super::scratch::ScratchPool;
use super::window::{symmetry, window};
use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::slice::{out, told};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::{Scale, SpectrumPlan};

/// The sum itself: a full-scale sine reads about half the window's sum.
pub const RUSTLE_SCALE_NONE: u32 = 0;
/// Amplitudes: a full-scale sine on a bin's frequency reads 1.0 with every window, and so does a constant of 1.0 in bin 0.
pub const RUSTLE_SCALE_AMPLITUDE: u32 = 1;

/// A plan and the scratch memory for callers who bring none.
pub(super) struct FftPlan {
    pub(super) spectrum: SpectrumPlan,
    pub(super) scratch: ScratchPool,
}

static PLANS: SlotTable<FftPlan> = SlotTable::new(Kind::FftPlan);

/// The plan behind a handle.
pub(super) fn find(plan: RustleHandle) -> Result<Pinned<'static, FftPlan>, CallFault> {
    PLANS.pin(plan, "plan")
}

/// Makes a plan for frames of `size` samples, a power of two from 64 to 65,536, with one each of `RUSTLE_WINDOW_…`,
/// `RUSTLE_SYMMETRY_…` and `RUSTLE_SCALE_…`. `plan` receives its handle, to be freed with `rustle_fft_plan_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `plan` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_new(
    size: usize,
    window: u32,
    symmetry: u32,
    scale: u32,
    plan: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { rustle_fft_plan_new_on_path(size, window, symmetry, scale, RUSTLE_PATH_PREFERRED, plan, error) }
}

/// As `rustle_fft_plan_new`, on one of `RUSTLE_PATH_…`. All paths compute the same sums by the same algorithm; their results
/// differ by rounding.
///
/// Fails as `rustle_fft_plan_new`; a path that this machine does not have is `RUSTLE_INVALID_VALUE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// As `rustle_fft_plan_new`.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_new_on_path(
    size: usize,
    window: u32,
    symmetry: u32,
    scale: u32,
    path: u32,
    plan: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `plan` is handed on.
        let plan = unsafe { out(plan, "plan") }?;
        let spectrum = spectrum(size, window, symmetry, scale, path)?;
        *plan = PLANS.insert(FftPlan {
            spectrum,
            scratch: ScratchPool::new(),
        })?;
        Ok::<(), FftFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// A plan from its numbers.
pub(super) fn spectrum(
    size: usize,
    window: u32,
    symmetry: u32,
    scale: u32,
    path: u32,
) -> Result<SpectrumPlan, FftFault> {
    let scale = match scale {
        RUSTLE_SCALE_NONE => Scale::None,
        RUSTLE_SCALE_AMPLITUDE => Scale::Amplitude,
        _ => {
            let problem = "expected one of RUSTLE_SCALE_… (0 or 1), got another number";
            return Err(CallFault::value("scale", problem).into());
        }
    };
    let (window, symmetry) = (self::window(window)?, self::symmetry(symmetry)?);
    Ok(SpectrumPlan::on_path(
        path::path(path)?,
        size,
        window,
        symmetry,
        scale,
    )?)
}

/// Makes a plan's handle stale. Calls that are using the plan finish; the last of them frees its memory.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_free(plan: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || PLANS.remove(plan, "plan")) }
}

/// `size` receives the number of samples N of a plan's frames.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the plan.
///
/// # Safety
/// `size` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_size(
    plan: RustleHandle,
    size: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises about `size` and `error` are handed on.
    unsafe {
        told(size, "size", error, |size| {
            *size = find(plan)?.spectrum.size();
            Ok::<(), CallFault>(())
        })
    }
}

/// `length` receives the least number of floats that a call with this plan takes as scratch memory.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the plan.
///
/// # Safety
/// `length` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_scratch_length(
    plan: RustleHandle,
    length: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises about `length` and `error` are handed on.
    unsafe {
        told(length, "length", error, |length| {
            *length = find(plan)?.spectrum.scratch_len();
            Ok::<(), CallFault>(())
        })
    }
}

/// `path` receives the one of `RUSTLE_PATH_…`, not `RUSTLE_PATH_PREFERRED`, that a plan computes on.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the plan.
///
/// # Safety
/// `path` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_path(
    plan: RustleHandle,
    path: *mut u32,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises about `path` and `error` are handed on.
    unsafe {
        told(path, "path", error, |path| {
            *path = path::number(find(plan)?.spectrum.path());
            Ok::<(), CallFault>(())
        })
    }
}
