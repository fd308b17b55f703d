//! Short-time spectra of a signal that comes in pieces.

use super::fault::FftFault;
use super::stft::find;
use crate::alone::alone;
use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::StftStream;
use std::sync::{Mutex, MutexGuard};

static STREAMS: SlotTable<Mutex<StftStream>> = SlotTable::new(Kind::StftStream);

/// The stream for the one call that uses it; whatever a panic left is a state that it can be in.
fn own(stream: &Mutex<StftStream>) -> Result<MutexGuard<'_, StftStream>, CallFault> {
    alone(stream, "stream", |_| ())
}

/// Makes a stream of the frames of the plan `stft`, at the beginning of a signal. `stream` receives its handle, to be freed
/// with `rustle_stft_stream_free`. The stream goes on when the plan is freed.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_STALE_HANDLE`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `stream` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_stream_new(
    stft: RustleHandle,
    stream: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `stream` is handed on.
        let stream = unsafe { out(stream, "stream") }?;
        let new = StftStream::new(find(stft)?.plan.clone());
        *stream = STREAMS.insert(Mutex::new(new))?;
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes a stream's handle stale. A call that is using it finishes.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_stream_free(
    stream: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || STREAMS.remove(stream, "stream")) }
}

/// Takes in the next samples of the signal, `length` floats at `samples`, as far as the frames that they complete find room
/// in `output`, `output_length` floats, a whole number of rows. `taken` receives the number of samples that were taken, the
/// others are to be given again; `frames` receives the number of rows that were written. Room for
/// 1 + `length` / hop + N / (2 hop) rows is enough for all samples; with none, samples are taken up to the next frame's last.
///
/// A frame is written by the call that brings its last sample; it is the frame that `rustle_stft_frames` writes.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE` (memory that
/// overlaps or is misaligned), `RUSTLE_WRONG_STATE` (another call uses the stream at the moment, or frames of a signal that
/// has ended are left); nothing is taken or written then.
///
/// Thread-safe: no (a call beside another one with the same stream is refused). Realtime-safe: yes, while nobody frees the
/// stream.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `output` is NULL or valid for
/// reads and writes of its length by this call alone; `taken`, `frames` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_stream_push(
    stream: RustleHandle,
    samples: *const f32,
    length: usize,
    output: *mut f32,
    output_length: usize,
    taken: *mut usize,
    frames: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FftFault> {
        let stream = STREAMS.pin(stream, "stream")?;
        check_apart([
            Piece::new("samples", samples, length),
            Piece::new("output", output, output_length),
            Piece::new("taken", taken, 1),
            Piece::new("frames", frames, 1),
        ])?;
        // SAFETY: the caller's promise about `taken` is handed on; it overlaps no other argument.
        let taken = unsafe { out(taken, "taken") }?;
        // SAFETY: as above, about `frames`.
        let frames = unsafe { out(frames, "frames") }?;
        // SAFETY: the caller promises that `samples` is readable and not written meanwhile.
        let samples = unsafe { borrowed(samples, length, "samples") }?;
        // SAFETY: the caller promises that this call alone uses `output`, and it overlaps no other argument.
        let output = unsafe { borrowed_mut(output, output_length, "output") }?;
        let progress = own(&stream)?.push(samples, output)?;
        (*taken, *frames) = (progress.taken, progress.frames);
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Ends the signal and writes the frames that are left into `output`, `output_length` floats, a whole number of rows, at
/// least one. `frames` receives how many rows were written; the function is to be called until that is 0. The stream is then
/// at the beginning of another signal.
///
/// Fails as `rustle_stft_stream_push`; nothing is written then.
///
/// Thread-safe: no (a call beside another one with the same stream is refused). Realtime-safe: yes, while nobody frees the
/// stream.
///
/// # Safety
/// `output` is NULL or valid for reads and writes of its length by this call alone; `frames` and `error` are NULL or valid
/// for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_stft_stream_finish(
    stream: RustleHandle,
    output: *mut f32,
    output_length: usize,
    frames: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FftFault> {
        let stream = STREAMS.pin(stream, "stream")?;
        check_apart([
            Piece::new("output", output, output_length),
            Piece::new("frames", frames, 1),
        ])?;
        // SAFETY: the caller's promise about `frames` is handed on; it does not overlap `output`.
        let frames = unsafe { out(frames, "frames") }?;
        // SAFETY: the caller promises that this call alone uses `output`.
        let output = unsafe { borrowed_mut(output, output_length, "output") }?;
        *frames = own(&stream)?.finish(output)?;
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
