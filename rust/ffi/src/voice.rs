//! Voices: pitch, formants, noise and steadiness along a signal that comes in pieces, or one measure of a whole one.

mod fault;
mod measures;
mod records;

pub use measures::*;
pub use records::*;

use crate::alone::alone;
use crate::framed::Counted;
use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use fault::VoiceFault;
use rustle_dsp::voice::VoiceAnalyzer;
use std::sync::{Mutex, MutexGuard};

/// An analyzer behind its handle.
struct Analyzed {
    description: RustleVoiceDescription,
    analyzer: Mutex<Counted<VoiceAnalyzer>>,
}

static ANALYZERS: SlotTable<Analyzed> = SlotTable::new(Kind::Voice);

/// Makes a voice analyzer, at the beginning of a signal. `voice` receives its handle, to be freed with `rustle_voice_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration that is not written during the call; `voice` and `error` are NULL or
/// valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_new(
    configuration: *const RustleVoiceConfiguration,
    voice: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), VoiceFault> {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `voice` is handed on.
        let voice = unsafe { out(voice, "voice") }?;
        let analyzer = VoiceAnalyzer::new(&records::read(configuration)?)?;
        let description = RustleVoiceDescription {
            window: analyzer.window() as u32,
            hop: analyzer.hop() as u32,
        };
        let analyzer = Mutex::new(Counted::new(analyzer));
        *voice = ANALYZERS.insert(Analyzed {
            description,
            analyzer,
        })?;
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes the lengths that the analyzer chose to `description`.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`.
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the analyzer.
///
/// # Safety
/// `description` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_describe(
    voice: RustleHandle,
    description: *mut RustleVoiceDescription,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut RustleVoiceDescription| -> Result<(), CallFault> {
        *place = ANALYZERS.pin(voice, "voice")?.description;
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
/// overlaps or is misaligned), `RUSTLE_WRONG_STATE` (another call uses the analyzer at the moment); nothing is taken or written
/// then.
///
/// Thread-safe: no (a call beside another one with the same analyzer is refused). Realtime-safe: yes, while nobody frees the
/// analyzer.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `frames` is NULL or valid for reads and
/// writes of `capacity` records by this call alone; `taken`, `written` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_process(
    voice: RustleHandle,
    samples: *const f32,
    length: usize,
    frames: *mut RustleVoiceFrame,
    capacity: usize,
    taken: *mut usize,
    written: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), VoiceFault> {
        let voice = ANALYZERS.pin(voice, "voice")?;
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
        (*taken, *written) = own(&voice.analyzer)?.push(samples, frames)?;
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes all frames since the beginning of the signal in sum to `summary`. Takes time in proportion to the range of pitch, not to
/// the signal's length.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_WRONG_STATE` (another call uses the analyzer at the moment).
///
/// Thread-safe: no (a call beside another one with the same analyzer is refused). Realtime-safe: yes, while nobody frees the
/// analyzer.
///
/// # Safety
/// `summary` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_summary(
    voice: RustleHandle,
    summary: *mut RustleVoiceSummary,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut RustleVoiceSummary| -> Result<(), CallFault> {
        let voice = ANALYZERS.pin(voice, "voice")?;
        *place = own(&voice.analyzer)?.framer.summary().into();
        Ok(())
    };
    // SAFETY: the caller's promises about `summary` and `error` are handed on.
    unsafe { told(summary, "summary", error, tell) }
}

/// Forgets the signal; the next sample is the first of another.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_WRONG_STATE` (another call uses the analyzer at the moment).
///
/// Thread-safe: no (a call beside another one with the same analyzer is refused). Realtime-safe: yes, while nobody frees the
/// analyzer.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_reset(voice: RustleHandle, error: *mut RustleError) -> RustleStatus {
    let body = || {
        let voice = ANALYZERS.pin(voice, "voice")?;
        own(&voice.analyzer)?.reset();
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes an analyzer's handle stale. A call that is using it finishes.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_voice_free(voice: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || ANALYZERS.remove(voice, "voice")) }
}

/// The analyzer for the one call that uses it. After a panic the counts of the two sides may differ: it begins anew.
fn own(
    analyzer: &Mutex<Counted<VoiceAnalyzer>>,
) -> Result<MutexGuard<'_, Counted<VoiceAnalyzer>>, CallFault> {
    alone(analyzer, "voice", Counted::reset)
}
