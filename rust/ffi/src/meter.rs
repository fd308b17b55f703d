//! Sound-level meters: levels, loudness, bands, and the scale for display.

mod configuration;
mod fault;

pub use configuration::*;

use crate::alone::alone;
use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, told, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use fault::MeterFault;
use rustle_dsp::level::{decibels, noise_scale, NoiseClass};
use rustle_dsp::sound_meter::{SoundMeter, SoundMeterError};
use std::sync::{Mutex, MutexGuard};

/// What a meter shows. Levels are in dB with the calibration; minus infinity is silence.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleMeterReading {
    /// The length of the measurement in seconds.
    pub seconds: f64,
    /// The time-weighted level, such as LAF.
    pub level: f64,
    /// The equivalent level, such as LAeq.
    pub equivalent: f64,
    /// The highest time-weighted level, such as LAFmax.
    pub highest: f64,
    /// The lowest time-weighted level, such as LAFmin, from 5 time constants after the start on; until then not a number.
    pub lowest: f64,
    /// The C-weighted peak, LCpeak: the highest of any metered channel.
    pub peak: f64,
    /// The exposure level, such as LAE.
    pub exposure: f64,
    /// The number of samples at or beyond full scale.
    pub overloads: u64,
    /// The loudness of the last 0.4 s in LUFS; this and the six that follow are not numbers when loudness is not measured.
    pub momentary: f64,
    /// The highest of them.
    pub momentary_highest: f64,
    /// The loudness of the last 3 s in LUFS.
    pub short_term: f64,
    /// The highest of them.
    pub short_term_highest: f64,
    /// The integrated loudness in LUFS.
    pub integrated: f64,
    /// The loudness range in LU.
    pub range: f64,
    /// The highest true peak of any channel in dBTP.
    pub true_peak: f64,
    /// The place on the scale for display, 0 to 120; see `rustle_noise_scale`.
    pub place: f64,
    /// Its class, 0 to 4: silent, quiet, average, noisy, loud.
    pub noise_class: u32,
    /// 0.
    pub reserved: u32,
}

static METERS: SlotTable<Mutex<SoundMeter>> = SlotTable::new(Kind::Meter);

/// Makes a meter. `meter` receives its handle, to be freed with `rustle_meter_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration whose channels and points are readable, and that is not written during
/// the call; `meter` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_meter_new(
    configuration: *const RustleMeterConfiguration,
    meter: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `meter` is handed on.
        let meter = unsafe { out(meter, "meter") }?;
        // SAFETY: the caller's promise about the configuration's memory is handed on.
        let configuration = unsafe { configuration::read(configuration) }?;
        *meter = METERS.insert(Mutex::new(SoundMeter::new(&configuration)?))?;
        Ok::<(), MeterFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Measures `length` interleaved samples, whole frames. One that is NaN or infinite counts as silence, and as an overload.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH` (no whole frames), `RUSTLE_INVALID_VALUE` (a
/// misaligned pointer), `RUSTLE_WRONG_STATE` (another call uses the meter at the moment); the samples do not count then.
///
/// Thread-safe: no (a call beside another one with the same meter is refused). Realtime-safe: yes, while nobody frees the
/// meter.
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_meter_process(
    meter: RustleHandle,
    samples: *const f32,
    length: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let meter = METERS.pin(meter, "meter")?;
        // SAFETY: the caller promises that the samples are readable and not written meanwhile.
        let samples = unsafe { borrowed(samples, length, "samples") }?;
        own(&meter)?.process(samples).map_err(SoundMeterError::Meter)?;
        Ok::<(), MeterFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes what the meter shows now to `reading`.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_WRONG_STATE` (another call uses the meter at the moment).
///
/// Thread-safe: no (a call beside another one with the same meter is refused). Realtime-safe: yes, while nobody frees the
/// meter.
///
/// # Safety
/// `reading` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_meter_read(
    meter: RustleHandle,
    reading: *mut RustleMeterReading,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut RustleMeterReading| -> Result<(), MeterFault> {
        let meter = METERS.pin(meter, "meter")?;
        let reading = own(&meter)?.reading();
        let loudness = |measure: fn(&rustle_dsp::loudness::LoudnessReading) -> f64| {
            reading.loudness.as_ref().map_or(f64::NAN, measure)
        };
        *place = RustleMeterReading {
            seconds: reading.levels.seconds,
            level: reading.levels.level,
            equivalent: reading.levels.equivalent,
            highest: reading.levels.highest,
            lowest: reading.levels.lowest,
            peak: reading.levels.peak,
            exposure: reading.levels.exposure,
            overloads: reading.levels.overloads,
            momentary: loudness(|loudness| loudness.momentary),
            momentary_highest: loudness(|loudness| loudness.momentary_highest),
            short_term: loudness(|loudness| loudness.short_term),
            short_term_highest: loudness(|loudness| loudness.short_term_highest),
            integrated: loudness(|loudness| loudness.integrated),
            range: loudness(|loudness| loudness.range),
            true_peak: loudness(|loudness| loudness.true_peak),
            place: reading.place,
            noise_class: reading.class as u32,
            reserved: 0,
        };
        Ok(())
    };
    // SAFETY: the caller's promises about `reading` and `error` are handed on.
    unsafe { told(reading, "reading", error, tell) }
}

/// Writes to `level` the level that was exceeded for `percent` (0 to 100) of the measurement, such as LA10 for 10; not a number
/// in the first 5 time constants, minus infinity for silence.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_WRONG_STATE` (another call uses the
/// meter at the moment).
///
/// Thread-safe: no (a call beside another one with the same meter is refused). Realtime-safe: yes, while nobody frees the
/// meter.
///
/// # Safety
/// `level` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_meter_exceeded(
    meter: RustleHandle,
    percent: f64,
    level: *mut f64,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |level: &mut f64| -> Result<(), MeterFault> {
        if !(0.0..=100.0).contains(&percent) {
            return Err(CallFault::value("percent", "expected 0 to 100, got another number").into());
        }
        let meter = METERS.pin(meter, "meter")?;
        *level = own(&meter)?.exceeded(percent).unwrap_or(f64::NAN);
        Ok(())
    };
    // SAFETY: the caller's promises about `level` and `error` are handed on.
    unsafe { told(level, "level", error, tell) }
}

/// Writes the centre frequencies of the meter's bands in Hz to `centres` and their equivalent levels in dB relative to full
/// scale, without calibration, to `levels`, as many as both have room for: `capacity` each. `count` receives the number of bands.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE` (memory that
/// overlaps or is misaligned), `RUSTLE_WRONG_STATE` (another call uses the meter at the moment).
///
/// Thread-safe: no (a call beside another one with the same meter is refused). Realtime-safe: yes, while nobody frees the
/// meter.
///
/// # Safety
/// `centres` and `levels` are NULL or valid for reads and writes of `capacity` numbers by this call alone; `count` and `error`
/// are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_meter_bands(
    meter: RustleHandle,
    centres: *mut f64,
    levels: *mut f64,
    capacity: usize,
    count: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |count: &mut usize| -> Result<(), MeterFault> {
        check_apart([
            Piece::new("centres", centres, capacity),
            Piece::new("levels", levels, capacity),
            Piece::new("count", std::ptr::from_ref(count), 1),
        ])?;
        // SAFETY: the caller promises that this call alone uses the memory; it overlaps no other argument.
        let centres = unsafe { borrowed_mut(centres, capacity, "centres") }?;
        // SAFETY: as above.
        let levels = unsafe { borrowed_mut(levels, capacity, "levels") }?;
        let meter = METERS.pin(meter, "meter")?;
        let meter = own(&meter)?;
        let known = meter.band_centres().len().min(capacity);
        centres[..known].copy_from_slice(&meter.band_centres()[..known]);
        meter.band_mean_squares(&mut levels[..known]);
        for level in &mut levels[..known] {
            *level = decibels(*level);
        }
        *count = meter.band_centres().len();
        Ok(())
    };
    // SAFETY: the caller's promises about `count` and `error` are handed on.
    unsafe { told(count, "count", error, tell) }
}

/// Begins a new measurement. The filters go on: a sound that lasts has no beginning.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_WRONG_STATE` (another call uses the meter at the moment).
///
/// Thread-safe: no (a call beside another one with the same meter is refused). Realtime-safe: yes, while nobody frees the
/// meter.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_meter_restart(meter: RustleHandle, error: *mut RustleError) -> RustleStatus {
    let body = || {
        let meter = METERS.pin(meter, "meter")?;
        own(&meter)?.restart();
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes a meter's handle stale. A call that is using it finishes.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_meter_free(meter: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || METERS.remove(meter, "meter")) }
}

/// Writes to `place` where an average power of `power` dB relative to full scale stands on the scale for display, 0 to 120, and
/// to `noise_class` what that is called, 0 to 4: silent below 50, quiet below 75, average below 90, noisy below 100, loud up to
/// and including 120. The place is 120 sqrt((a - m) / (1 - m)) with a = 10^(power / 20) and m = 10^-4; it is not a sound
/// pressure level.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE` (memory that overlaps).
///
/// Thread-safe: yes. Realtime-safe: yes.
///
/// # Safety
/// `place`, `noise_class` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_noise_scale(
    power: f64,
    place: *mut f64,
    noise_class: *mut u32,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut f64| -> Result<(), CallFault> {
        check_apart([
            Piece::new("place", std::ptr::from_ref(place), 1),
            Piece::new("noise_class", noise_class, 1),
        ])?;
        // SAFETY: the caller's promise about `noise_class` is handed on; it overlaps no other argument.
        let noise_class = unsafe { out(noise_class, "noise_class") }?;
        *place = noise_scale(power);
        *noise_class = NoiseClass::of(*place) as u32;
        Ok(())
    };
    // SAFETY: the caller's promises about `place` and `error` are handed on.
    unsafe { told(place, "place", error, tell) }
}

/// The meter for the one call that uses it; whatever a panic left is a state that it can be in.
fn own(meter: &Mutex<SoundMeter>) -> Result<MutexGuard<'_, SoundMeter>, CallFault> {
    alone(meter, "meter", |_| ())
}
