//! The pitch of a signal: frame by frame as it comes in pieces, or of a whole one.

mod configuration;
mod contour;
mod fault;

pub use configuration::*;
pub use contour::*;

use crate::alone::alone;
use crate::framed::Counted;
use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use fault::PitchFault;
use rustle_dsp::pitch::{PitchFrame, PitchTracker};
use std::sync::{Mutex, MutexGuard};

/// The pitch at one time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePitchFrame {
    /// The time of the window's middle, in samples from the signal's beginning.
    pub sample: u64,
    /// The fundamental frequency in Hz, of an inharmonic tone that of its first partial; 0: the frame has none in the range.
    pub frequency: f64,
    /// 0 to 1. With `RUSTLE_PITCH_HARMONIC` the share of frames like this whose pitch is there and right; with the other methods
    /// what they have in its place.
    pub confidence: f64,
    /// The standard deviation of `frequency` in cents; 0 where a method does not tell.
    pub deviation: f64,
    /// B, where partial k is at k f0 sqrt(1 + B k^2), 0 to 0.02; 0 where the frame does not show it or the method does
    /// not tell.
    pub inharmonicity: f64,
    /// The tone's power over that of the rest, in dB; minus infinity where there is no tone or a method does not tell.
    pub harmonicity: f64,
    /// The frame's level without its mean, in dB relative to a full-scale square wave; minus infinity for silence.
    pub level: f64,
}

impl From<PitchFrame> for RustlePitchFrame {
    fn from(frame: PitchFrame) -> Self {
        let estimate = frame.estimate;
        Self {
            sample: frame.sample,
            frequency: estimate.frequency,
            confidence: estimate.confidence,
            deviation: estimate.deviation,
            inharmonicity: estimate.inharmonicity,
            harmonicity: estimate.harmonicity,
            level: estimate.level,
        }
    }
}

/// What a pitch tracker looks for, once its configuration has been read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePitchDescription {
    /// The lowest frequency that is looked for, in Hz: that of the configuration, or the lowest that the window holds, whichever
    /// is higher.
    pub lowest: f64,
    /// The highest, in Hz: that of the configuration, or 0.45 of the sample rate, whichever is lower.
    pub highest: f64,
    /// The samples of a frame.
    pub window: u32,
    /// The samples from frame to frame.
    pub hop: u32,
}

/// A tracker behind its handle.
struct Tracked {
    description: RustlePitchDescription,
    tracker: Mutex<Counted<PitchTracker>>,
}

static TRACKERS: SlotTable<Tracked> = SlotTable::new(Kind::Pitch);

/// Makes a pitch tracker, at the beginning of a signal. `pitch` receives its handle, to be freed with `rustle_pitch_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration that is not written during the call; `pitch` and `error` are NULL or
/// valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_pitch_new(
    configuration: *const RustlePitchConfiguration,
    pitch: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), PitchFault> {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `pitch` is handed on.
        let pitch = unsafe { out(pitch, "pitch") }?;
        let read = configuration::read(configuration)?;
        let tracker = PitchTracker::new(&read.configuration, read.hop)?;
        let range = tracker.estimator().range();
        let description = RustlePitchDescription {
            lowest: *range.start(),
            highest: *range.end(),
            window: tracker.estimator().window() as u32,
            hop: tracker.hop() as u32,
        };
        let tracker = Mutex::new(Counted::new(tracker));
        *pitch = TRACKERS.insert(Tracked { description, tracker })?;
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes what the tracker looks for to `description`.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the tracker.
///
/// # Safety
/// `description` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_pitch_describe(
    pitch: RustleHandle,
    description: *mut RustlePitchDescription,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut RustlePitchDescription| -> Result<(), CallFault> {
        *place = TRACKERS.pin(pitch, "pitch")?.description;
        Ok(())
    };
    // SAFETY: the caller's promises about `description` and `error` are handed on.
    unsafe { told(description, "description", error, tell) }
}

/// Takes in the next samples of the signal, `length` floats at `samples`, as far as the frames that they complete find room in
/// `frames`, `capacity` records. `taken` receives the number of samples that were taken, the others are to be given again;
/// `written` receives the number of frames. Room for 1 + `length` / hop frames is enough for all samples; with none, samples are
/// taken up to the next frame's last.
///
/// The first frame begins with the signal, each one a hop after the one before, and is written by the call that brings its last
/// sample. However the signal is cut, the numbers are the same.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE` (memory that
/// overlaps or is misaligned), `RUSTLE_WRONG_STATE` (another call uses the tracker at the moment); nothing is taken or written
/// then.
///
/// Thread-safe: no (a call beside another one with the same tracker is refused). Realtime-safe: yes, while nobody frees the
/// tracker.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `frames` is NULL or valid for reads and
/// writes of `capacity` records by this call alone; `taken`, `written` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_pitch_process(
    pitch: RustleHandle,
    samples: *const f32,
    length: usize,
    frames: *mut RustlePitchFrame,
    capacity: usize,
    taken: *mut usize,
    written: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), PitchFault> {
        let pitch = TRACKERS.pin(pitch, "pitch")?;
        check_apart([
            Piece::new("samples", samples, length),
            Piece::new("frames", frames, capacity),
            Piece::new("taken", taken, 1),
            Piece::new("written", written, 1),
        ])?;
        // SAFETY: the caller's promise about `taken` is handed on; it overlaps no other argument.
        let taken = unsafe { out(taken, "taken") }?;
        // SAFETY: as above, about `written`.
        let written = unsafe { out(written, "written") }?;
        // SAFETY: the caller promises that `samples` is readable and not written meanwhile.
        let samples = unsafe { borrowed(samples, length, "samples") }?;
        // SAFETY: the caller promises that this call alone uses `frames`, and it overlaps no other argument.
        let frames = unsafe { borrowed_mut(frames, capacity, "frames") }?;
        (*taken, *written) = own(&pitch.tracker)?.push(samples, frames)?;
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Forgets the signal; the next sample is the first of another.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_WRONG_STATE` (another call uses the tracker at the moment).
///
/// Thread-safe: no (a call beside another one with the same tracker is refused). Realtime-safe: yes, while nobody frees the
/// tracker.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_pitch_reset(pitch: RustleHandle, error: *mut RustleError) -> RustleStatus {
    let body = || {
        let pitch = TRACKERS.pin(pitch, "pitch")?;
        own(&pitch.tracker)?.reset();
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes a tracker's handle stale. A call that is using it finishes.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_pitch_free(pitch: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || TRACKERS.remove(pitch, "pitch")) }
}

/// The tracker for the one call that uses it. After a panic the counts of the two sides may differ: it begins anew.
fn own(tracker: &Mutex<Counted<PitchTracker>>) -> Result<MutexGuard<'_, Counted<PitchTracker>>, CallFault> {
    alone(tracker, "pitch", Counted::reset)
}
