//! The pitch of a whole signal in one call.

use super::configuration::{read, read_decoding, RustlePitchConfiguration};
use super::fault::PitchFault;
use super::RustlePitchFrame;
use crate::slice::{borrowed, borrowed_mut, check_apart, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_dsp::pitch::{contour, PitchTracker};

/// Writes the frames of a whole signal, `length` floats at `samples`, to `frames`, which has room for `capacity` records.
/// `decoding` is one of `RUSTLE_DECODING_…`. `count` receives the number of frames: 1 + (`length` - window) / hop, none of a
/// signal that is shorter than the window. With a `capacity` of 0 nothing else is done.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH` (room for some of the frames only), `RUSTLE_INVALID_VALUE`; nothing is
/// written then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration, and `samples` is NULL or points to `length` floats, neither of which is
/// written during the call; `frames` is NULL or valid for reads and writes of `capacity` records by this call alone; `count` and
/// `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_pitch_contour(
    configuration: *const RustlePitchConfiguration,
    decoding: u32,
    samples: *const f32,
    length: usize,
    frames: *mut RustlePitchFrame,
    capacity: usize,
    count: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |count: &mut usize| -> Result<(), PitchFault> {
        check_apart([
            Piece::new("configuration", configuration, 1),
            Piece::new("samples", samples, length),
            Piece::new("frames", frames, capacity),
            Piece::new("count", std::ptr::from_ref(count), 1),
        ])?;
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller promises that `samples` is readable and not written meanwhile.
        let samples = unsafe { borrowed(samples, length, "samples") }?;
        // SAFETY: the caller promises that this call alone uses `frames`, and it overlaps no other argument.
        let frames = unsafe { borrowed_mut(frames, capacity, "frames") }?;
        let decoding = read_decoding(decoding)?;
        let read = read(configuration)?;
        let window = PitchTracker::new(&read.configuration, read.hop)?
            .estimator()
            .window();
        let due = match samples.len().checked_sub(window) {
            Some(rest) => 1 + rest / read.hop,
            None => 0,
        };
        if capacity > 0 {
            if capacity < due {
                let problem = "expected room for all frames, or none, got room for some";
                return Err(CallFault::length("frames", problem).into());
            }
            let found = contour(&read.configuration, read.hop, decoding, samples)?;
            for (place, frame) in frames.iter_mut().zip(found) {
                *place = frame.into();
            }
        }
        *count = due;
        Ok(())
    };
    // SAFETY: the caller's promises about `count` and `error` are handed on.
    unsafe { told(count, "count", error, tell) }
}
