//! The two functions that the project's brief names: one call from samples to magnitudes, and its free.

use super::results::Results;
use super::scratch::{first, Pool};
use super::RustleWindow;
use crate::fault::{CallOr, Outcome};
use crate::guard::guarded;
use crate::lent::Choice;
use crate::slice::borrowed;
use crate::status::CallFault;
use rustle_dsp::{DspError, PlanCache};
use std::ops::RangeInclusive;

/// The transform sizes of `compute_fft_rust`: the powers of two among them. A plan has a wider range.
const SIZES: RangeInclusive<usize> = 256..=8192;

static PLANS: PlanCache = PlanCache::empty();
static RESULTS: Results = Results::new();
static WORKSPACES: Pool<Workspace> = Pool::new();

/// The working memory of one call.
#[derive(Default)]
struct Workspace {
    /// Scratch memory for the transform, and for the zero-padded signal.
    buffer: Vec<f32>,
    /// Memory for the next result of the same length.
    spare: Option<Box<[f32]>>,
}

/// The magnitudes of the first `fft_size` / 2 bins of a signal: bin k is at k R / `fft_size` Hz for a sample rate of R.
///
/// `buffer` are `length` samples, at least 1, read during the call only. A shorter signal than `fft_size` is padded with zeros at
/// its end, a longer one is truncated to its first `fft_size` samples. `fft_size` is a power of two from 256 to 8192.
/// `window_type` is 0 for none, 1 for Hann, 2 for Hamming, 3 for Blackman; the periodic window spans the `fft_size` samples,
/// padding included. The magnitudes are those of the sum, without normalization: numpy.abs(numpy.fft.rfft(padded * window)).
///
/// Returns `fft_size` / 2 floats that stay valid until they are passed to `free_fft_result_rust`; NULL, and nothing to free, when
/// an argument is invalid, or the variable RUSTLE_FFT_INSTRUCTION_SET names an instruction set that this machine does not have
/// (`rustle_fft_instruction_set` reports it). A sample that is not finite is not an error: it makes every magnitude NaN or
/// infinite.
///
/// Thread-safe: yes. Realtime-safe: no (it allocates the result, and the plan of a size and a window when it
/// is first used; plans are kept).
///
/// # Safety
/// `buffer` is NULL or points to `length` floats that are not written during the call.
#[no_mangle]
pub unsafe extern "C" fn compute_fft_rust(
    buffer: *const f32,
    length: i32,
    fft_size: i32,
    window_type: i32,
) -> *const f32 {
    let mut result = std::ptr::null();
    let body = || {
        let length = positive(length, "length")?;
        // SAFETY: the caller promises that `buffer` points to `length` floats.
        let signal = unsafe { borrowed(buffer, length, "buffer") }?;
        result = compute(signal, fft_size, window_type)?;
        Ok::<(), CallOr<DspError>>(())
    };
    // SAFETY: NULL stands for no record. The status is not needed: NULL as the result reports the failure.
    let _ = unsafe { guarded(std::ptr::null_mut(), body) };
    result
}

/// Frees a result of `compute_fft_rust`. Does nothing for NULL, for a pointer that is not one of its results, and for a result
/// that was freed before, if fewer than 64 others were freed since.
///
/// Thread-safe: yes. Realtime-safe: no.
#[no_mangle]
pub extern "C" fn free_fft_result_rust(result: *const f32) {
    let body = || {
        RESULTS.free(result);
        Ok::<(), CallFault>(())
    };
    // SAFETY: NULL stands for no record. Freeing has no status to report.
    let _ = unsafe { guarded(std::ptr::null_mut(), body) };
}

/// The number of live results.
pub(crate) fn live_results() -> usize {
    RESULTS.count()
}

fn compute(signal: &[f32], fft_size: i32, window_type: i32) -> Outcome<DspError, *const f32> {
    let size = positive(fft_size, "fft_size")?;
    if !SIZES.contains(&size) {
        let expected = "a power of two from 256 to 8192";
        return Err(CallFault::number("fft_size", expected, size).into());
    }
    // A negative number turns into one that no window has.
    let window = Choice::<RustleWindow>::of_number(window_type as u32).get("window_type")?;
    let plan = PLANS.plan(size, window.into())?;

    WORKSPACES.borrow(|workspace| {
        let spare = workspace.spare.take().filter(|spare| spare.len() == size / 2);
        let mut magnitudes = spare.unwrap_or_else(|| vec![0.0; size / 2].into());
        let length = plan.scratch_len();
        let (scratch, frame) = first(&mut workspace.buffer, length + size).split_at_mut(length);
        let frame = if signal.len() < size {
            let (start, rest) = frame.split_at_mut(signal.len());
            start.copy_from_slice(signal);
            rest.fill(0.0);
            &*frame
        } else {
            &signal[..size]
        };
        plan.magnitudes(frame, &mut magnitudes, scratch)?;
        Ok(RESULTS.insert(magnitudes, &mut workspace.spare))
    })
}

fn positive(number: i32, name: &'static str) -> Result<usize, CallFault> {
    let positive = usize::try_from(number).ok().filter(|number| *number > 0);
    positive.ok_or_else(|| CallFault::length(name, "at least 1", i64::from(number)))
}
