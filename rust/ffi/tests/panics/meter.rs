//! Calls of meters.

use crate::calls::{attempt, freed, made, Attempt};
use crate::objects::Owned;
use rustle::meter::*;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::RustleHandle;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// A second of sound.
static SOUND: [f32; 8_000] = [0.5; 8_000];

static CHANNELS: [u32; 1] = [RUSTLE_CHANNEL_FRONT];

fn configuration() -> RustleMeterConfiguration {
    RustleMeterConfiguration {
        sample_rate: 8_000.0,
        offset: 0.0,
        channels: CHANNELS.as_ptr(),
        channel_count: 1,
        response: null(),
        response_count: 0,
        metered: RUSTLE_CHANNEL_ALL,
        weighting: RUSTLE_WEIGHTING_Z,
        time: RUSTLE_TIME_FAST,
        loudness: 0,
        bands: RUSTLE_BANDS_OCTAVE,
        reserved: 0,
    }
}

fn free(meter: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_meter_free(meter, null_mut()) }
}

/// A meter that has measured a second.
fn used() -> Owned {
    let (mut meter, configuration) = (0, configuration());
    // SAFETY: both pointers are to this frame's own.
    let status = unsafe { rustle_meter_new(&raw const configuration, &raw mut meter, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    let meter = Owned::new(meter, free).expect("a handle");
    // SAFETY: the sound is readable for its length.
    let status = unsafe { rustle_meter_process(meter.handle, SOUND.as_ptr(), SOUND.len(), null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    meter
}

/// How long a meter has measured.
fn seconds(meter: &Owned) -> f64 {
    let mut reading = MaybeUninit::<RustleMeterReading>::uninit();
    // SAFETY: the reading's place is this frame's own.
    let status = unsafe { rustle_meter_read(meter.handle, reading.as_mut_ptr(), null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    // SAFETY: a call that succeeds writes the reading.
    unsafe { reading.assume_init() }.seconds
}

pub(crate) fn meter_new(point: u32) -> Attempt {
    let configuration = configuration();
    made(point, free, |meter, error| {
        // SAFETY: the configuration is this frame's own; the rest is the callers'.
        unsafe { rustle_meter_new(&raw const configuration, meter, error) }
    })
}

pub(crate) fn meter_free(point: u32) -> Attempt {
    freed(point, used(), rustle_meter_free, free)
}

pub(crate) fn meter_process(point: u32) -> Attempt {
    let meter = used();
    let attempt = attempt(point, |error| {
        // SAFETY: the sound is readable for its length.
        unsafe { rustle_meter_process(meter.handle, SOUND.as_ptr(), SOUND.len(), error) }
    });
    // Samples of a call that panicked do not count.
    let expected = if attempt.status == RUSTLE_OK { 2.0 } else { 1.0 };
    assert_eq!(seconds(&meter), expected);
    attempt
}

pub(crate) fn meter_read(point: u32) -> Attempt {
    let meter = used();
    let mut reading = MaybeUninit::<RustleMeterReading>::uninit();
    attempt(point, |error| {
        // SAFETY: the reading's place is this frame's own.
        unsafe { rustle_meter_read(meter.handle, reading.as_mut_ptr(), error) }
    })
}

pub(crate) fn meter_exceeded(point: u32) -> Attempt {
    let (meter, mut level) = (used(), 77.0);
    let attempt = attempt(point, |error| {
        // SAFETY: the level's place is this frame's own.
        unsafe { rustle_meter_exceeded(meter.handle, 50.0, &raw mut level, error) }
    });
    assert_eq!(level == 77.0, attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn meter_bands(point: u32) -> Attempt {
    let (meter, mut count) = (used(), 77);
    let (mut centres, mut levels) = ([77.0; 4], [77.0; 4]);
    let attempt = attempt(point, |error| {
        // SAFETY: all memory is this frame's own.
        unsafe {
            rustle_meter_bands(
                meter.handle,
                centres.as_mut_ptr(),
                levels.as_mut_ptr(),
                4,
                &raw mut count,
                error,
            )
        }
    });
    let is_untouched = (centres, levels, count) == ([77.0; 4], [77.0; 4], 77);
    assert_eq!(is_untouched, attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn meter_restart(point: u32) -> Attempt {
    let meter = used();
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe {
        rustle_meter_restart(meter.handle, error)
    });
    let expected = if attempt.status == RUSTLE_OK { 0.0 } else { 1.0 };
    assert_eq!(seconds(&meter), expected);
    attempt
}

pub(crate) fn noise_scale(point: u32) -> Attempt {
    let (mut place, mut class) = (77.0, 77);
    let attempt = attempt(point, |error| {
        // SAFETY: both places are this frame's own.
        unsafe { rustle_noise_scale(0.0, &raw mut place, &raw mut class, error) }
    });
    assert_eq!((place, class) == (77.0, 77), attempt.status != RUSTLE_OK);
    attempt
}
