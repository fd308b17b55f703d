//! Sound-level meters: levels, loudness, bands, and the scale for display.

use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::slice::{borrowed, borrowed_mut, check_apart, out, told, Piece};
use crate::status::{
    CallFault, Fault, RustleError, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE,
};
use rustle_dsp::level::{
    decibels, noise_scale, BandWidth, FrequencyWeighting, MeterError, MicrophoneResponse, NoiseClass,
    TimeWeighting,
};
use rustle_dsp::loudness::ChannelWeight;
use rustle_dsp::sound_meter::{MeteredChannel, SoundMeter, SoundMeterConfiguration, SoundMeterError};
use std::fmt::{self, Display};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// The A weighting.
pub const RUSTLE_WEIGHTING_A: u32 = 0;
/// The C weighting.
pub const RUSTLE_WEIGHTING_C: u32 = 1;
/// The Z weighting: none.
pub const RUSTLE_WEIGHTING_Z: u32 = 2;

/// A time constant of 0.125 s.
pub const RUSTLE_TIME_FAST: u32 = 0;
/// A time constant of 1 s.
pub const RUSTLE_TIME_SLOW: u32 = 1;

/// A channel that counts once in loudness: left, right, centre.
pub const RUSTLE_CHANNEL_FRONT: u32 = 0;
/// A surround channel, which counts 1.41 times.
pub const RUSTLE_CHANNEL_SURROUND: u32 = 1;
/// The low-frequency channel, which does not count.
pub const RUSTLE_CHANNEL_LOW_FREQUENCY: u32 = 2;

/// In the place of a channel: the mean of all.
pub const RUSTLE_CHANNEL_MIX: u32 = u32::MAX;

/// No bands.
pub const RUSTLE_BANDS_NONE: u32 = 0;
/// Bands of an octave.
pub const RUSTLE_BANDS_OCTAVE: u32 = 1;
/// Bands of a third of an octave.
pub const RUSTLE_BANDS_THIRD_OCTAVE: u32 = 3;

/// A point of a microphone's response.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleResponsePoint {
    /// In Hz, above that of the point before.
    pub frequency: f64,
    /// By how many dB the microphone reads too high: within 24 dB of the deviation at 1 kHz.
    pub deviation: f64,
}

/// What a meter measures.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleMeterConfiguration {
    /// In Hz, 8000 to 768,000.
    pub sample_rate: f64,
    /// The calibration: what is added to a level relative to full scale, in dB, -300 to 300.
    pub offset: f64,
    /// One of `RUSTLE_CHANNEL_FRONT`, `…_SURROUND`, `…_LOW_FREQUENCY` per channel; read during the call only.
    pub channels: *const u32,
    /// The number of channels, 1 to 24.
    pub channel_count: usize,
    /// The microphone's response, which is undone before levels and bands are measured; read during the call only; may be NULL
    /// when there is none.
    pub response: *const RustleResponsePoint,
    /// The number of its points, at most 4096; 0: there is none.
    pub response_count: usize,
    /// Which channel the levels and bands are of, counted from 0, or `RUSTLE_CHANNEL_MIX`.
    pub metered: u32,
    /// One of `RUSTLE_WEIGHTING_…`.
    pub weighting: u32,
    /// One of `RUSTLE_TIME_…`.
    pub time: u32,
    /// Not 0: loudness is measured.
    pub loudness: u32,
    /// One of `RUSTLE_BANDS_…`.
    pub bands: u32,
    /// 0.
    pub reserved: u32,
}

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
    /// The C-weighted peak, LCpeak.
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
        let configuration = unsafe { read(configuration) }?;
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
        alone(&meter)?.process(samples).map_err(SoundMeterError::Meter)?;
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
        let reading = alone(&meter)?.reading();
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
        *level = alone(&meter)?.exceeded(percent).unwrap_or(f64::NAN);
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
        let meter = alone(&meter)?;
        let Some(bands) = meter.bands() else {
            *count = 0;
            return Ok(());
        };
        for (place, centre) in centres.iter_mut().zip(bands.centres()) {
            *place = *centre;
        }
        let known = bands.centres().len().min(capacity);
        bands.mean_squares(&mut levels[..known]);
        for level in &mut levels[..known] {
            *level = decibels(*level);
        }
        *count = bands.centres().len();
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
        alone(&meter)?.restart();
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

/// The meter for the one call that uses it.
fn alone(meter: &Mutex<SoundMeter>) -> Result<MutexGuard<'_, SoundMeter>, CallFault> {
    match meter.try_lock() {
        Ok(meter) => Ok(meter),
        // A panic of an earlier call was told there; whatever it left is a state that a meter can be in.
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(CallFault::wrong_state(
            "meter",
            "expected one call at a time, got a second one",
        )),
    }
}

/// The configuration that a record says.
///
/// # Safety
/// Its channels and points are readable.
unsafe fn read(c: &RustleMeterConfiguration) -> Result<SoundMeterConfiguration, MeterFault> {
    if c.reserved != 0 {
        return Err(CallFault::value("configuration.reserved", "expected 0, got another number").into());
    }
    let unknown = |name, problem| MeterFault::from(CallFault::value(name, problem));
    // SAFETY: the promise is handed on.
    let channels = unsafe { borrowed(c.channels, c.channel_count, "configuration.channels") }?;
    let channels = channels.iter().map(|channel| match *channel {
        RUSTLE_CHANNEL_FRONT => Ok(ChannelWeight::Front),
        RUSTLE_CHANNEL_SURROUND => Ok(ChannelWeight::Surround),
        RUSTLE_CHANNEL_LOW_FREQUENCY => Ok(ChannelWeight::LowFrequency),
        _ => Err(unknown(
            "configuration.channels",
            "expected RUSTLE_CHANNEL_…, got another number",
        )),
    });
    // SAFETY: the promise is handed on.
    let points = unsafe { borrowed(c.response, c.response_count, "configuration.response") }?;
    let points: Vec<_> = points
        .iter()
        .map(|point| (point.frequency, point.deviation))
        .collect();
    let response = (!points.is_empty()).then(|| MicrophoneResponse::new(points));
    Ok(SoundMeterConfiguration {
        rate: c.sample_rate,
        channels: channels.collect::<Result<_, _>>()?,
        metered: match c.metered {
            RUSTLE_CHANNEL_MIX => MeteredChannel::Mix,
            channel => MeteredChannel::One(channel as usize),
        },
        frequency: match c.weighting {
            RUSTLE_WEIGHTING_A => FrequencyWeighting::A,
            RUSTLE_WEIGHTING_C => FrequencyWeighting::C,
            RUSTLE_WEIGHTING_Z => FrequencyWeighting::Z,
            _ => {
                return Err(unknown(
                    "configuration.weighting",
                    "expected RUSTLE_WEIGHTING_…, got another number",
                ))
            }
        },
        time: match c.time {
            RUSTLE_TIME_FAST => TimeWeighting::Fast,
            RUSTLE_TIME_SLOW => TimeWeighting::Slow,
            _ => {
                return Err(unknown(
                    "configuration.time",
                    "expected RUSTLE_TIME_…, got another number",
                ))
            }
        },
        offset: c.offset,
        loudness: c.loudness != 0,
        bands: match c.bands {
            RUSTLE_BANDS_NONE => None,
            RUSTLE_BANDS_OCTAVE => Some(BandWidth::Octave),
            RUSTLE_BANDS_THIRD_OCTAVE => Some(BandWidth::ThirdOctave),
            _ => {
                return Err(unknown(
                    "configuration.bands",
                    "expected RUSTLE_BANDS_…, got another number",
                ))
            }
        },
        response: response.transpose().map_err(SoundMeterError::Response)?,
    })
}

/// A fault of the arguments as C sees them, or of what they say.
enum MeterFault {
    Call(CallFault),
    Meter(SoundMeterError),
}

impl From<CallFault> for MeterFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<SoundMeterError> for MeterFault {
    fn from(error: SoundMeterError) -> Self {
        Self::Meter(error)
    }
}

impl Display for MeterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Meter(error) => error.fmt(f),
        }
    }
}

impl Fault for MeterFault {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Call(fault) => fault.status(),
            Self::Meter(SoundMeterError::Meter(MeterError::BlockLength { .. })) => RUSTLE_INVALID_LENGTH,
            Self::Meter(_) => RUSTLE_INVALID_VALUE,
        }
    }
}
