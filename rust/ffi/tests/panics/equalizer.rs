//! Calls of equalizers.

use crate::calls::{attempt, freed, made, Attempt, HandleCall};
use crate::objects::Owned;
use rustle::equalizer::curves::*;
use rustle::equalizer::settings::*;
use rustle::equalizer::*;
use rustle::status::{RustleError, RustleStatus, RUSTLE_OK};
use rustle::RustleHandle;
use std::ptr::null_mut;

const RATE: f64 = 48_000.0;

static BAND: RustleEqualizerBand = RustleEqualizerBand {
    frequency: 1_000.0,
    gain: 6.0,
    q: 1.4,
    kind: RUSTLE_BAND_PEAKING,
    reserved: 0,
};

/// One band on the left, none on the right.
fn settings() -> RustleEqualizerSettings {
    RustleEqualizerSettings {
        left: &raw const BAND,
        left_count: 1,
        right: std::ptr::null(),
        right_count: 0,
        preamp: 0.0,
    }
}

fn free(equalizer: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_equalizer_free(equalizer, null_mut()) }
}

fn fresh() -> Owned {
    let (mut equalizer, settings) = (0, settings());
    // SAFETY: the settings and the handle's place are this frame's own.
    let status =
        unsafe { rustle_equalizer_new(RATE, 1, 2, &raw const settings, &raw mut equalizer, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    Owned::new(equalizer, free).expect("a handle")
}

/// What comes out of an equalizer for one sample at half of full scale.
fn first_sample(equalizer: &Owned) -> f32 {
    let mut block = [0.5];
    // SAFETY: the block is this frame's own.
    let status = unsafe { rustle_equalizer_process(equalizer.handle, block.as_mut_ptr(), 1, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    block[0]
}

pub(crate) fn equalizer_new(point: u32) -> Attempt {
    let settings = settings();
    made(point, free, |equalizer, error| {
        // SAFETY: the settings are this frame's own; the rest is the callers'.
        unsafe { rustle_equalizer_new(RATE, 1, 2, &raw const settings, equalizer, error) }
    })
}

pub(crate) fn equalizer_free(point: u32) -> Attempt {
    freed(point, fresh(), rustle_equalizer_free, free)
}

/// A change that panics changes nothing: after a reset, which ends every change, the sound tells.
fn changed(point: u32, call: impl FnOnce(RustleHandle, *mut RustleError) -> RustleStatus) -> Attempt {
    let (equalizer, other) = (fresh(), fresh());
    let attempt = attempt(point, |error| call(equalizer.handle, error));
    // SAFETY: NULL is allowed as the record of an error.
    let status = unsafe { rustle_equalizer_reset(equalizer.handle, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    let is_as_before = first_sample(&equalizer) == first_sample(&other);
    assert_eq!(is_as_before, attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn equalizer_change(point: u32) -> Attempt {
    let settings = RustleEqualizerSettings {
        preamp: -6.0,
        ..settings()
    };
    changed(point, |equalizer, error| {
        // SAFETY: the settings are this frame's own; the record is `attempt`'s.
        unsafe { rustle_equalizer_change(equalizer, &raw const settings, error) }
    })
}

pub(crate) fn equalizer_set_bypassed(point: u32) -> Attempt {
    changed(point, |equalizer, error| {
        // SAFETY: the record is `attempt`'s own.
        unsafe { rustle_equalizer_set_bypassed(equalizer, 1, error) }
    })
}

pub(crate) fn equalizer_process(point: u32) -> Attempt {
    let equalizer = fresh();
    let mut block = [0.5; 64];
    let attempt = attempt(point, |error| {
        // SAFETY: the block is this frame's own.
        unsafe { rustle_equalizer_process(equalizer.handle, block.as_mut_ptr(), 64, error) }
    });
    assert_eq!(block == [0.5; 64], attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn equalizer_reset(point: u32) -> Attempt {
    let equalizer = fresh();
    let first = first_sample(&equalizer);
    let call: HandleCall = rustle_equalizer_reset;
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe { call(equalizer.handle, error) });
    let is_fresh = first_sample(&equalizer) == first;
    assert_eq!(
        is_fresh,
        attempt.status == RUSTLE_OK,
        "the second sample has a past"
    );
    attempt
}

pub(crate) fn equalizer_response(point: u32) -> Attempt {
    let settings = settings();
    let (frequencies, mut left, mut right) = ([1_000.0, 2_000.0], [77.0; 2], [77.0; 2]);
    let attempt = attempt(point, |error| {
        // SAFETY: all memory is this frame's own.
        unsafe {
            rustle_equalizer_response(
                &raw const settings,
                RATE,
                frequencies.as_ptr(),
                left.as_mut_ptr(),
                right.as_mut_ptr(),
                2,
                error,
            )
        }
    });
    let is_untouched = (left, right) == ([77.0; 2], [77.0; 2]);
    assert_eq!(is_untouched, attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn equalizer_preamp(point: u32) -> Attempt {
    let (settings, mut preamp) = (settings(), 77.0);
    let attempt = attempt(point, |error| {
        // SAFETY: all memory is this frame's own.
        unsafe { rustle_equalizer_preamp(&raw const settings, RATE, &raw mut preamp, error) }
    });
    assert_eq!(preamp == 77.0, attempt.status != RUSTLE_OK);
    attempt
}

pub(crate) fn equalizer_solve(point: u32) -> Attempt {
    let (mut bands, targets, mut distance) = ([BAND; 2], [3.0; 2], 77.0);
    bands[1].frequency = 2_000.0;
    let attempt = attempt(point, |error| {
        // SAFETY: all memory is this frame's own.
        unsafe {
            rustle_equalizer_solve(
                bands.as_mut_ptr(),
                targets.as_ptr(),
                2,
                RATE,
                &raw mut distance,
                error,
            )
        }
    });
    let is_untouched = bands.iter().all(|band| band.gain == 6.0) && distance == 77.0;
    assert_eq!(is_untouched, attempt.status != RUSTLE_OK);
    attempt
}
