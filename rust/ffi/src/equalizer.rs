//! Equalizers: the part that sound runs through, and what their settings say.

pub mod curves;
mod fault;
pub mod settings;

use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::slice::{borrowed_mut, out};
use crate::status::{CallFault, RustleError, RustleStatus};
use fault::{EqualizerFault, ProcessFault};
use rustle_dsp::equalizer::Settings;
use rustle_engines::LiveEqualizer;
use settings::{read, RustleEqualizerSettings};

static EQUALIZERS: SlotTable<LiveEqualizer> = SlotTable::new(Kind::Equalizer);

/// Makes an equalizer for `channels` (1 or 2) at `sample_rate` Hz, of at most `bands` (at most 64) bands a channel, with
/// `settings` in force; NULL: none. `equalizer` receives its handle, to be freed with `rustle_equalizer_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE` (a number out of its range), `RUSTLE_INVALID_LENGTH` (too many
/// bands), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable; `equalizer` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_new(
    sample_rate: f64,
    channels: usize,
    bands: usize,
    settings: *const RustleEqualizerSettings,
    equalizer: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `equalizer` is handed on.
        let equalizer = unsafe { out(equalizer, "equalizer") }?;
        let settings = if settings.is_null() {
            Settings::default()
        } else {
            // SAFETY: the caller's promise about `settings` is handed on.
            unsafe { read(settings) }?
        };
        *equalizer = EQUALIZERS.insert(LiveEqualizer::new(sample_rate, channels, bands, settings)?)?;
        Ok::<(), EqualizerFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Changes the settings of an equalizer; the sound follows within 40 ms of it, without a click. A change that comes before the
/// one before has begun takes its place; one that comes while another is under way follows it.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`; nothing is
/// changed then.
///
/// Thread-safe: yes, also beside `rustle_equalizer_process`. Realtime-safe: no.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_change(
    equalizer: RustleHandle,
    settings: *const RustleEqualizerSettings,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let equalizer = find(equalizer)?;
        // SAFETY: the caller's promise about `settings` is handed on.
        Ok::<(), EqualizerFault>(equalizer.change(&unsafe { read(settings) }?)?)
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Lets the sound through as it is when `bypassed` is not 0, or ends that; the way there and back takes 40 ms of sound like any
/// change. Changes that are made meanwhile are kept for its end.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also beside `rustle_equalizer_process`. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_set_bypassed(
    equalizer: RustleHandle,
    bypassed: u32,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || Ok::<(), EqualizerFault>(find(equalizer)?.set_bypassed(bypassed != 0)?);
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Replaces `length` interleaved samples at `block`, whole frames, by their equalized form. The output is not delayed, and does
/// not depend on how the sound is cut into blocks, bit for bit; without gains it is the input, bit for bit. The CPU's
/// floating-point modes are neither read nor changed.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH` (no whole frames), `RUSTLE_INVALID_VALUE` (a
/// misaligned pointer), `RUSTLE_WRONG_STATE` (another call processes a block at the moment); the block is as it was then.
///
/// Thread-safe: no (a call beside another one with the same equalizer is refused). Realtime-safe: yes, while nobody frees the
/// equalizer.
///
/// # Safety
/// `block` is NULL or valid for reads and writes of `length` floats by this call alone; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_process(
    equalizer: RustleHandle,
    block: *mut f32,
    length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let equalizer = find(equalizer)?;
        // SAFETY: the caller promises that this call alone uses the block.
        let block = unsafe { borrowed_mut(block, length, "block") }?;
        Ok::<(), ProcessFault>(equalizer.process(block)?)
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Forgets the sound so far; a change that is under way or waits is over at once.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_WRONG_STATE` (another call processes a block at the moment).
///
/// Thread-safe: yes. Realtime-safe: yes, while nobody frees the equalizer.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_reset(
    equalizer: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || Ok::<(), ProcessFault>(find(equalizer)?.reset()?);
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes an equalizer's handle stale. A call that is using it finishes.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_free(
    equalizer: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || EQUALIZERS.remove(equalizer, "equalizer")) }
}

fn find(equalizer: RustleHandle) -> Result<Pinned<'static, LiveEqualizer>, CallFault> {
    EQUALIZERS.pin(equalizer, "equalizer")
}
