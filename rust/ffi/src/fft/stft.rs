//! Short-time spectra: frame after frame along a signal that is there as a whole.

use super::fault::FftFault;
use super::plan::spectrum;
use super::scratch::ScratchPool;
use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::{Form, Padding, StftPlan};
use std::sync::Arc;

/// A row is N/2 + 1 magnitudes.
pub const RUSTLE_FORM_MAGNITUDES: u32 = 0;
/// A row is the squares of N/2 + 1 magnitudes.
pub const RUSTLE_FORM_POWER: u32 = 1;
/// A row is N/2 + 1 levels in dB, at least -200.
pub const RUSTLE_FORM_DECIBELS: u32 = 2;
/// A row is N/2 + 1 complex bins, N + 2 floats.
pub const RUSTLE_FORM_COMPLEX: u32 = 3;

/// Frame f begins at sample f `hop`, and every frame lies inside the signal.
pub const RUSTLE_PADDING_NONE: u32 = 0;
/// The middle of frame f lies on sample f `hop`; beyond the signal's ends are zeros.
pub const RUSTLE_PADDING_ZERO: u32 = 1;
/// The middle of frame f lies on sample f `hop`; beyond its ends the signal is mirrored at its first and its last sample.
pub const RUSTLE_PADDING_REFLECT: u32 = 2;

/// What the frames of a short-time transform are.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleStftConfiguration {
    /// The number of samples N of a frame: a power of two from 64 to 65,536.
    pub size: usize,
    /// The distance from frame to frame in samples, 1 to 1,048,576.
    pub hop: usize,
    /// One of `RUSTLE_WINDOW_…`.
    pub window: u32,
    /// One of `RUSTLE_SYMMETRY_…`.
    pub symmetry: u32,
    /// One of `RUSTLE_SCALE_…`.
    pub scale: u32,
    /// One of `RUSTLE_PADDING_…`.
    pub padding: u32,
    /// One of `RUSTLE_FORM_…`.
    pub form: u32,
    /// One of `RUSTLE_PATH_…`.
    pub path: u32,
}

/// A plan, which its streams share, and the scratch memory for callers who bring none.
pub(super) struct Stft {
    pub(super) plan: Arc<StftPlan>,
    scratch: ScratchPool,
}

static PLANS: SlotTable<Stft> = SlotTable::new(Kind::Stft);

/// The plan behind a handle.
pub(super) fn find(stft: RustleHandle) -> Result<Pinned<'static, Stft>, CallFault> {
    PLANS.pin(stft, "stft")
}

fn plan(configuration: &RustleStftConfiguration) -> Result<StftPlan, FftFault> {
    let padding = match configuration.padding {
        RUSTLE_PADDING_NONE => Padding::None,
        RUSTLE_PADDING_ZERO => Padding::Zero,
        RUSTLE_PADDING_REFLECT => Padding::Reflect,
        _ => {
            let problem = "expected one of RUSTLE_PADDING_… (0 to 2), got another number";
            return Err(CallFault::value("padding", problem).into());
        }
    };
    let form = match configuration.form {
        RUSTLE_FORM_MAGNITUDES => Form::Magnitudes,
        RUSTLE_FORM_POWER => Form::Power,
        RUSTLE_FORM_DECIBELS => Form::Decibels,
        RUSTLE_FORM_COMPLEX => Form::Complex,
        _ => {
            let problem = "expected one of RUSTLE_FORM_… (0 to 3), got another number";
            return Err(CallFault::value("form", problem).into());
        }
    };
    let spectrum = spectrum(
        configuration.size,
        configuration.window,
        configuration.symmetry,
        configuration.scale,
        configuration.path,
    )?;
    Ok(StftPlan::new(spectrum, configuration.hop, padding, form)?)
}

/// Makes a plan for short-time spectra. `configuration` is read during the call only; `stft` receives the plan's handle, to
/// be freed with `rustle_stft_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a record; `stft` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_new(
    configuration: *const RustleStftConfiguration,
    stft: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `configuration` is handed on.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `stft` is handed on.
        let stft = unsafe { out(stft, "stft") }?;
        *stft = PLANS.insert(Stft {
            plan: Arc::new(plan(configuration)?),
            scratch: ScratchPool::new(),
        })?;
        Ok::<(), FftFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes a plan's handle stale. Calls that are using the plan finish, and its streams go on.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_free(stft: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || PLANS.remove(stft, "stft")) }
}

/// `count` receives the number of frames of a signal of `length` samples L. With `RUSTLE_PADDING_NONE` that is
/// 1 + (L - N) / hop, and 0 when L is below N; otherwise 1 + L / hop, and 0 when L is 0. Divisions round down.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the plan.
///
/// # Safety
/// `count` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_frame_count(
    stft: RustleHandle,
    length: usize,
    count: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises about `count` and `error` are handed on.
    unsafe {
        told(count, "count", error, |count| {
            *count = find(stft)?.plan.frame_count(length);
            Ok::<(), CallFault>(())
        })
    }
}

/// `length` receives the least number of floats that `rustle_stft_frames` takes as scratch memory.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the plan.
///
/// # Safety
/// `length` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_scratch_length(
    stft: RustleHandle,
    length: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises about `length` and `error` are handed on.
    unsafe {
        told(length, "length", error, |length| {
            *length = find(stft)?.plan.scratch_len();
            Ok::<(), CallFault>(())
        })
    }
}

/// Writes the frames of a signal from frame `first` on into `output`, one row after the other, as many as there are or as
/// find room; `count`, which may be NULL, receives how many that is.
///
/// `signal` are the `length` samples of the whole signal, read during the call only. `output_length` is a whole number of
/// rows; rows that are not written keep what they hold. `scratch` are `scratch_length` floats of the caller's, at least
/// `rustle_stft_scratch_length` of them, or NULL and 0 for memory of the plan's, which is allocated once for each of up to
/// eight calls at a time and anew for more. Signal, output and scratch must not overlap. A sample that is not finite makes
/// every bin of its frames NaN or infinite.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE` (memory that
/// overlaps or is misaligned); nothing is written to `output` then.
///
/// Thread-safe: yes, also with one plan. Realtime-safe: yes with the caller's scratch, while nobody frees the plan.
///
/// # Safety
/// `signal` is NULL or points to `length` floats that are not written during the call; `output` and `scratch` are NULL or
/// valid for reads and writes of their lengths by this call alone; `count` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_frames(
    stft: RustleHandle,
    signal: *const f32,
    length: usize,
    first: usize,
    output: *mut f32,
    output_length: usize,
    scratch: *mut f32,
    scratch_length: usize,
    count: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FftFault> {
        let stft = find(stft)?;
        check_apart([
            Piece::new("signal", signal, length),
            Piece::new("scratch", scratch, scratch_length),
            Piece::new("output", output, output_length),
        ])?;
        // SAFETY: the caller promises that `signal` is readable and not written meanwhile.
        let signal = unsafe { borrowed(signal, length, "signal") }?;
        // SAFETY: the caller promises that this call alone uses `output`, and it overlaps no other argument.
        let output = unsafe { borrowed_mut(output, output_length, "output") }?;
        let mut written = 0;
        let run = |scratch: &mut [f32]| {
            written = stft.plan.frames(signal, first, output, scratch)?;
            Ok(())
        };
        let lent = (scratch, scratch_length);
        // SAFETY: the caller promises that this call alone uses `scratch`, and it overlaps no other argument.
        unsafe { stft.scratch.lent_or_own(lent, stft.plan.scratch_len(), run) }?;
        // SAFETY: `as_mut` tests for NULL; validity is the caller's promise.
        if let Some(count) = unsafe { count.as_mut() } {
            *count = written;
        }
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
