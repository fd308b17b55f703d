//! Plans: what a spectrum of one size and window needs, computed once.

use super::fault::FftFault;
use super::scratch::ScratchPool;
use super::window::{symmetry, window};
use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::slice::out;
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
    let body = || {
        // SAFETY: the caller's promise about `plan` is handed on.
        let plan = unsafe { out(plan, "plan") }?;
        let scale = match scale {
            RUSTLE_SCALE_NONE => Scale::None,
            RUSTLE_SCALE_AMPLITUDE => Scale::Amplitude,
            _ => {
                let problem = "expected one of RUSTLE_SCALE_… (0 or 1), got another number";
                return Err(CallFault::value("scale", problem).into());
            }
        };
        let spectrum = SpectrumPlan::new(size, self::window(window)?, self::symmetry(symmetry)?, scale)?;
        *plan = PLANS.insert(FftPlan {
            spectrum,
            scratch: ScratchPool::new(),
        })?;
        Ok::<(), FftFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
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
/// Thread-safe: yes. Realtime-safe: yes.
///
/// # Safety
/// `size` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_size(
    plan: RustleHandle,
    size: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `size` is handed on.
        let size = unsafe { out(size, "size") }?;
        *size = find(plan)?.spectrum.size();
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// `length` receives the least number of floats that a call with this plan takes as scratch memory.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: yes.
///
/// # Safety
/// `length` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_plan_scratch_length(
    plan: RustleHandle,
    length: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `length` is handed on.
        let length = unsafe { out(length, "length") }?;
        *length = find(plan)?.spectrum.scratch_len();
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
