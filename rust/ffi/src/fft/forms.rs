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
use crate::slice::{borrowed, borrowed_mut};
use crate::status::{CallFault, RustleError, RustleStatus};
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
    let body = || {
        let plan = find(plan)?;
        frame.check_overlap()?;
        // SAFETY: the caller promises that `input` is readable and not written meanwhile.
        let input = unsafe { borrowed(frame.input, frame.input_length, "input") }?;
        // SAFETY: the caller promises that this call alone uses `output`, and it overlaps no other argument.
        let output = unsafe { borrowed_mut(frame.output, frame.output_length, "output") }?;
        if frame.scratch.is_null() && frame.scratch_length == 0 {
            let length = plan.spectrum.scratch_len();
            plan.scratch
                .with(length, |scratch| form(&plan.spectrum, input, output, scratch))?;
        } else {
            // SAFETY: the caller promises that this call alone uses `scratch`, and it overlaps no other argument.
            let scratch = unsafe { borrowed_mut(frame.scratch, frame.scratch_length, "scratch") }?;
            form(&plan.spectrum, input, output, scratch)?;
        }
        Ok::<(), FftFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

impl Frame {
    /// Two slices that share memory, one of them mutable, would be undefined behaviour however they are used.
    fn check_overlap(&self) -> Result<(), CallFault> {
        let input = (self.input.addr(), self.input_length);
        let output = (self.output.addr(), self.output_length);
        let scratch = (self.scratch.addr(), self.scratch_length);
        if overlap(input, output) || overlap(scratch, output) {
            return Err(CallFault::value(
                "output",
                "expected memory of its own, got memory that overlaps",
            ));
        }
        if overlap(input, scratch) {
            return Err(CallFault::value(
                "scratch",
                "expected memory of its own, got memory that overlaps",
            ));
        }
        Ok(())
    }
}

/// Whether two ranges of floats, each an address and a number of floats, share a byte.
fn overlap((a, a_length): (usize, usize), (b, b_length): (usize, usize)) -> bool {
    let end = |start: usize, length: usize| start.saturating_add(length.saturating_mul(size_of::<f32>()));
    a_length > 0 && b_length > 0 && a < end(b, b_length) && b < end(a, a_length)
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn ranges_overlap_when_they_share_a_byte() {
        assert!(overlap((100, 4), (112, 4)));
        assert!(overlap((112, 4), (100, 4)));
        assert!(!overlap((100, 4), (116, 4)), "one ends where the other starts");
        assert!(!overlap((100, 0), (100, 4)), "an empty range shares nothing");
        assert!(
            overlap((100, usize::MAX), (4000, 1)),
            "a length beyond the address space"
        );
    }
}
