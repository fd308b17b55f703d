//! Equalizers: the part that sound runs through, and what their settings say.

use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, told, Piece};
use crate::status::{
    CallFault, Fault, RustleError, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE,
    RUSTLE_WRONG_STATE,
};
use rustle_dsp::equalizer::{automatic_preamp, gains_for_curve, Band, BandKind, EqualizerError, Settings};
use rustle_engines::{LiveEqualizer, ProcessError};
use std::fmt::{self, Display};

/// A band with its gain at the frequency, falling to 0 dB on both sides.
pub const RUSTLE_BAND_PEAKING: u32 = 0;
/// A band with its gain below the frequency.
pub const RUSTLE_BAND_LOW_SHELF: u32 = 1;
/// A band with its gain above the frequency.
pub const RUSTLE_BAND_HIGH_SHELF: u32 = 2;
/// A band above which the sound falls by 12 dB an octave; the gain is of no concern.
pub const RUSTLE_BAND_LOW_PASS: u32 = 3;
/// A band below which the sound falls by 12 dB an octave; the gain is of no concern.
pub const RUSTLE_BAND_HIGH_PASS: u32 = 4;

/// One band of one channel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleEqualizerBand {
    /// Its centre, or its edge at half the gain, in Hz: at least a millionth of the sample rate and below half of it.
    pub frequency: f64,
    /// In dB, -24 to 24.
    pub gain: f64,
    /// The quality: from that of 5 octaves, 0.18, to that of 0.05 octaves, 28.9.
    pub q: f64,
    /// One of `RUSTLE_BAND_…`.
    pub kind: u32,
    /// 0.
    pub reserved: u32,
}

/// A setting of the whole equalizer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleEqualizerSettings {
    /// The bands of the left or only channel, read during the call only; may be NULL when there are none.
    pub left: *const RustleEqualizerBand,
    /// Their number, at most 64.
    pub left_count: usize,
    /// The bands of the right channel, likewise.
    pub right: *const RustleEqualizerBand,
    /// Their number, at most 64.
    pub right_count: usize,
    /// What both channels are amplified by, in dB, -96 to 24.
    pub preamp: f64,
}

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
        Ok::<(), EqualizerFault>(equalizer.process(block)?)
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
    let body = || Ok::<(), EqualizerFault>(find(equalizer)?.reset()?);
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

/// Writes the factors on the amplitudes of sines, in dB, that `settings` give at `sample_rate` Hz: for each of the `count`
/// `frequencies` in Hz one to `left` and one to `right`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`; nothing is written then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable; `frequencies` is NULL or points to `count` numbers that
/// are not written during the call; `left` and `right` are NULL or valid for reads and writes of `count` numbers by this call
/// alone; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_response(
    settings: *const RustleEqualizerSettings,
    sample_rate: f64,
    frequencies: *const f64,
    left: *mut f64,
    right: *mut f64,
    count: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        check_apart([
            Piece::new("frequencies", frequencies, count),
            Piece::new("left", left, count),
            Piece::new("right", right, count),
        ])?;
        // SAFETY: the caller's promise about `settings` is handed on.
        let settings = unsafe { read(settings) }?;
        settings.check(sample_rate)?;
        // SAFETY: the caller promises that the frequencies are not written meanwhile; they overlap no output.
        let frequencies = unsafe { borrowed(frequencies, count, "frequencies") }?;
        if !frequencies.iter().all(|frequency| frequency.is_finite()) {
            return Err(CallFault::value("frequencies", "expected finite numbers, got another one").into());
        }
        // SAFETY: the caller promises that this call alone uses the output; it overlaps no other argument.
        let left = unsafe { borrowed_mut(left, count, "left") }?;
        // SAFETY: as above.
        let right = unsafe { borrowed_mut(right, count, "right") }?;
        let curves = settings.curves(sample_rate);
        for ((frequency, left), right) in frequencies.iter().zip(left).zip(right) {
            [*left, *right] = curves(*frequency);
        }
        Ok::<(), EqualizerFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes to `preamp` the preamplification in dB, -96 to 0, that keeps a full-scale sine of any frequency below full scale.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable; `preamp` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_preamp(
    settings: *const RustleEqualizerSettings,
    sample_rate: f64,
    preamp: *mut f64,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |preamp: &mut f64| -> Result<(), EqualizerFault> {
        // SAFETY: the caller's promise about `settings` is handed on.
        *preamp = automatic_preamp(&unsafe { read(settings) }?, sample_rate)?;
        Ok(())
    };
    // SAFETY: the caller's promises about `preamp` and `error` are handed on.
    unsafe { told(preamp, "preamp", error, tell) }
}

/// Changes the gains of the peaking ones of `count` bands so that the curve of all bands together goes through `targets`, finite
/// and in dB, at the bands' frequencies, within -24 to 24 dB each. `distance` receives the greatest distance that is left, in dB.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`; nothing is changed then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `bands` is NULL or valid for reads and writes of `count` records by this call alone; `targets` is NULL or points to `count`
/// numbers that are not written during the call; `distance` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_equalizer_solve(
    bands: *mut RustleEqualizerBand,
    targets: *const f64,
    count: usize,
    sample_rate: f64,
    distance: *mut f64,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |distance: &mut f64| -> Result<(), EqualizerFault> {
        check_apart([
            Piece::new("bands", bands, count),
            Piece::new("targets", targets, count),
            Piece::new("distance", std::ptr::from_ref(distance), 1),
        ])?;
        // SAFETY: the caller promises that this call alone uses the bands; they overlap no other argument.
        let bands = unsafe { borrowed_mut(bands, count, "bands") }?;
        // SAFETY: the caller promises that the targets are not written meanwhile.
        let targets = unsafe { borrowed(targets, count, "targets") }?;
        let mut solved = bands.iter().map(band).collect::<Result<Vec<_>, _>>()?;
        *distance = gains_for_curve(&mut solved, targets, sample_rate)?;
        for (band, solved) in bands.iter_mut().zip(solved) {
            band.gain = solved.gain;
        }
        Ok(())
    };
    // SAFETY: the caller's promises about `distance` and `error` are handed on.
    unsafe { told(distance, "distance", error, tell) }
}

fn find(equalizer: RustleHandle) -> Result<Pinned<'static, LiveEqualizer>, CallFault> {
    EQUALIZERS.pin(equalizer, "equalizer")
}

/// The settings that a record names.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable.
unsafe fn read(settings: *const RustleEqualizerSettings) -> Result<Settings, CallFault> {
    // SAFETY: the promise is handed on; `as_ref` tests for NULL.
    let settings = unsafe { settings.as_ref() }.ok_or(CallFault::null("settings"))?;
    // SAFETY: the promise is handed on.
    let left = unsafe { borrowed(settings.left, settings.left_count, "settings.left") }?;
    // SAFETY: as above.
    let right = unsafe { borrowed(settings.right, settings.right_count, "settings.right") }?;
    Ok(Settings {
        left: left.iter().map(band).collect::<Result<_, _>>()?,
        right: right.iter().map(band).collect::<Result<_, _>>()?,
        preamp: settings.preamp,
    })
}

fn band(band: &RustleEqualizerBand) -> Result<Band, CallFault> {
    let kind = match band.kind {
        RUSTLE_BAND_PEAKING => BandKind::Peaking,
        RUSTLE_BAND_LOW_SHELF => BandKind::LowShelf,
        RUSTLE_BAND_HIGH_SHELF => BandKind::HighShelf,
        RUSTLE_BAND_LOW_PASS => BandKind::LowPass,
        RUSTLE_BAND_HIGH_PASS => BandKind::HighPass,
        _ => {
            let problem = "expected one of RUSTLE_BAND_…, got another number";
            return Err(CallFault::value("band.kind", problem));
        }
    };
    if band.reserved != 0 {
        return Err(CallFault::value(
            "band.reserved",
            "expected 0, got another number",
        ));
    }
    Ok(Band {
        kind,
        frequency: band.frequency,
        gain: band.gain,
        q: band.q,
    })
}

/// A fault of the arguments as C sees them, or of what they say.
enum EqualizerFault {
    Call(CallFault),
    Settings(EqualizerError),
    Process(ProcessError),
}

impl From<CallFault> for EqualizerFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<EqualizerError> for EqualizerFault {
    fn from(error: EqualizerError) -> Self {
        Self::Settings(error)
    }
}

impl From<ProcessError> for EqualizerFault {
    fn from(error: ProcessError) -> Self {
        Self::Process(error)
    }
}

impl Display for EqualizerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Settings(error) => error.fmt(f),
            Self::Process(error) => error.fmt(f),
        }
    }
}

impl Fault for EqualizerFault {
    fn status(&self) -> RustleStatus {
        let of_settings = |error: &EqualizerError| match error {
            EqualizerError::BandCount { .. } | EqualizerError::BlockLength { .. } => RUSTLE_INVALID_LENGTH,
            _ => RUSTLE_INVALID_VALUE,
        };
        match self {
            Self::Call(fault) => fault.status(),
            Self::Settings(error) | Self::Process(ProcessError::Block(error)) => of_settings(error),
            Self::Process(ProcessError::Busy) => RUSTLE_WRONG_STATE,
        }
    }
}
