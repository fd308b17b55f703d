//! The spectrum of one frame, in four forms.
//!
//! The four functions share their arguments:
//! - `input`: `input_length` samples, exactly the plan's size N; the caller's memory, read during the call only.
//! - `output`: `output_length` floats of the caller's, written when the call succeeds.
//! - `scratch`: at least `rustle_fft_plan_scratch_length` floats of the caller's, whose content does not matter before or
//!   after; or NULL with a `scratch_length` of 0 for memory of the plan's, which the first call (of each of up to eight that
//!   run at a time) allocates.
//!
//! None of the three may overlap another.

use super::fault::FftFault;
use super::plan::find;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::slice::{borrowed, borrowed_mut, check_apart, Piece};
use crate::status::{RustleError, RustleStatus};
use rustle_dsp::{DspError, SpectrumPlan};

/// The memory of one call.
struct Frame {
    input: *const f32,
    input_length: usize,
    output: *mut f32,
    output_length: usize,
    scratch: *mut f32,
    scratch_length: usize,
}

type Form = fn(&SpectrumPlan, &[f32], &mut [f32], &mut [f32]) -> Result<(), DspError>;

/// Writes the magnitude of each bin into `output`: N/2 + 1 floats, or N/2 to leave out the bin at half the sample rate.
///
/// `input` are `input_length` samples, exactly the plan's size N, read during the call only. `scratch` are `scratch_length`
/// floats of the caller's, at least `rustle_fft_plan_scratch_length` of them, or NULL and 0 for memory of the plan's, which
/// is allocated once for each of up to eight calls at a time and anew for more. Input, output and scratch must not overlap.
/// A sample that is not finite makes every bin NaN or infinite.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE` (memory that
/// overlaps or is misaligned); nothing is written to `output` then.
///
/// Thread-safe: yes, also with one plan. Realtime-safe: yes with the caller's scratch, while nobody frees the plan.
///
/// # Safety
/// `input` is NULL or points to `input_length` floats that are not written during the call; `output` and `scratch` are
/// NULL or valid for reads and writes of their lengths by this call alone; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_magnitudes(
    plan: RustleHandle,
    input: *const f32,
    input_length: usize,
    output: *mut f32,
    output_length: usize,
    scratch: *mut f32,
    scratch_length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let frame = Frame {
        input,
        input_length,
        output,
        output_length,
        scratch,
        scratch_length,
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { run(plan, frame, error, SpectrumPlan::magnitudes) }
}

/// Writes the square of each bin's magnitude into `output`. Arguments, failures and safety as for
/// `rustle_fft_magnitudes`.
///
/// Thread-safe: yes, also with one plan. Realtime-safe: yes with the caller's scratch, while nobody frees the plan.
///
/// # Safety
/// As `rustle_fft_magnitudes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_power(
    plan: RustleHandle,
    input: *const f32,
    input_length: usize,
    output: *mut f32,
    output_length: usize,
    scratch: *mut f32,
    scratch_length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let frame = Frame {
        input,
        input_length,
        output,
        output_length,
        scratch,
        scratch_length,
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { run(plan, frame, error, SpectrumPlan::power) }
}

/// Writes the level of each bin, 20 log10 of its magnitude and at least -200 dB, into `output`. With
/// `RUSTLE_SCALE_AMPLITUDE` it is relative to a full-scale sine. Arguments, failures and safety as for
/// `rustle_fft_magnitudes`.
///
/// Thread-safe: yes, also with one plan. Realtime-safe: yes with the caller's scratch, while nobody frees the plan.
///
/// # Safety
/// As `rustle_fft_magnitudes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_decibels(
    plan: RustleHandle,
    input: *const f32,
    input_length: usize,
    output: *mut f32,
    output_length: usize,
    scratch: *mut f32,
    scratch_length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let frame = Frame {
        input,
        input_length,
        output,
        output_length,
        scratch,
        scratch_length,
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { run(plan, frame, error, SpectrumPlan::decibels) }
}

/// Writes the N/2 + 1 bins themselves into `output`, N + 2 floats: a real and an imaginary part for each. The phase is
/// that of a cosine that starts at the first sample. Arguments, failures and safety as for `rustle_fft_magnitudes`.
///
/// Thread-safe: yes, also with one plan. Realtime-safe: yes with the caller's scratch, while nobody frees the plan.
///
/// # Safety
/// As `rustle_fft_magnitudes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_fft_complex(
    plan: RustleHandle,
    input: *const f32,
    input_length: usize,
    output: *mut f32,
    output_length: usize,
    scratch: *mut f32,
    scratch_length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let frame = Frame {
        input,
        input_length,
        output,
        output_length,
        scratch,
        scratch_length,
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { run(plan, frame, error, SpectrumPlan::complex) }
}

/// One call of any form.
///
/// # Safety
/// As `rustle_fft_magnitudes`.
unsafe fn run(plan: RustleHandle, frame: Frame, error: *mut RustleError, form: Form) -> RustleStatus {
    let body = || -> Result<(), FftFault> {
        let plan = find(plan)?;
        check_apart([
            Piece::new("input", frame.input, frame.input_length),
            Piece::new("scratch", frame.scratch, frame.scratch_length),
            Piece::new("output", frame.output, frame.output_length),
        ])?;
        // SAFETY: the caller promises that `input` is readable and not written meanwhile.
        let input = unsafe { borrowed(frame.input, frame.input_length, "input") }?;
        // SAFETY: the caller promises that this call alone uses `output`, and it overlaps no other argument.
        let output = unsafe { borrowed_mut(frame.output, frame.output_length, "output") }?;
        let run = |scratch: &mut [f32]| Ok(form(&plan.spectrum, input, output, scratch)?);
        let lent = (frame.scratch, frame.scratch_length);
        // SAFETY: the caller promises that this call alone uses `scratch`, and it overlaps no other argument.
        unsafe { plan.scratch.lent_or_own(lent, plan.spectrum.scratch_len(), run) }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
