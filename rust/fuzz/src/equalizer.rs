//! Calls of equalizers.

use crate::input::Input;
use crate::objects::{checked, Handles, Kind};
use crate::spectra::{signal, Buffer, ROOM};
use rustle::equalizer::curves::*;
use rustle::equalizer::settings::*;
use rustle::equalizer::*;
use std::ptr::{null, null_mut};

/// At most so many bands a channel: more of them only take longer.
const MOST: usize = 6;

fn band(input: &mut Input<'_>, place: usize) -> RustleEqualizerBand {
    RustleEqualizerBand {
        frequency: input.real(60.0 * (1 << place) as f64),
        gain: match input.byte() {
            byte @ 0..=223 => f64::from(byte % 49) - 24.0,
            _ => f64::from_bits(input.word()),
        },
        q: input.real(1.4),
        kind: u32::from(input.byte() % 8).saturating_sub(2),
        reserved: u32::from(input.below(64) == 63),
    }
}

fn bands(input: &mut Input<'_>) -> Vec<RustleEqualizerBand> {
    (0..input.below(MOST + 1))
        .map(|place| band(input, place))
        .collect()
}

/// Hands settings of any kind to a call, at times NULL or with lengths that no memory has.
fn with_settings<R>(
    input: &mut Input<'_>,
    call: impl FnOnce(&mut Input<'_>, *const RustleEqualizerSettings) -> R,
) -> R {
    let (left, right) = (bands(input), bands(input));
    let settings = RustleEqualizerSettings {
        left: if input.below(32) == 31 {
            null()
        } else {
            left.as_ptr()
        },
        left_count: if input.below(32) == 31 {
            usize::MAX
        } else {
            left.len()
        },
        right: right.as_ptr(),
        right_count: right.len(),
        preamp: input.real(-3.0),
    };
    let record = if input.below(32) == 31 {
        null()
    } else {
        &raw const settings
    };
    call(input, record)
}

pub(crate) fn new(input: &mut Input<'_>, handles: &mut Handles) {
    let (rate, channels) = (input.real(48_000.0), input.below(4));
    let most = match input.byte() {
        0..=223 => MOST,
        224..=239 => input.below(70),
        _ => usize::MAX,
    };
    let mut equalizer = 0;
    let is_made = with_settings(input, |_, settings| {
        // SAFETY: the settings are NULL, refused, or readable; the handle's place is this frame's own.
        checked(|error| unsafe {
            rustle_equalizer_new(rate, channels, most, settings, &mut equalizer, error)
        })
    });
    if is_made {
        handles.add(Kind::Equalizer, equalizer);
    }
}

pub(crate) fn change(input: &mut Input<'_>, handles: &Handles) {
    let equalizer = handles.any(input, Kind::Equalizer);
    match input.below(8) {
        0 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_equalizer_reset(equalizer, error) });
        }
        1 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_equalizer_free(equalizer, error) });
        }
        2 | 3 => {
            let bypassed = u32::from(input.byte());
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_equalizer_set_bypassed(equalizer, bypassed, error) });
        }
        _ => {
            with_settings(input, |_, settings| {
                // SAFETY: the settings are NULL, refused, or readable.
                checked(|error| unsafe { rustle_equalizer_change(equalizer, settings, error) })
            });
        }
    }
}

pub(crate) fn process(input: &mut Input<'_>, handles: &Handles) {
    let equalizer = handles.any(input, Kind::Equalizer);
    let (sound, mut block) = (signal(input), Buffer::new());
    let length = input.length(ROOM);
    let start = match input.byte() {
        0..=7 => null_mut(),
        8..=15 => block.start().wrapping_byte_add(1),
        _ => {
            block.fill(&sound[..length.min(ROOM)]);
            block.start()
        }
    };
    let is_filled = start == block.start();
    // SAFETY: the block is NULL, refused, or this frame's own; a length beyond it is one that no memory has.
    checked(|error| unsafe { rustle_equalizer_process(equalizer, start, length, error) });
    block.check(if is_filled { length } else { 0 });
}

pub(crate) fn tell(input: &mut Input<'_>) {
    let rate = input.real(48_000.0);
    let most_of_preamp = 1e7;
    let (mut preamp, mut left, mut right) = (77.0, [77.0; 8], [77.0; 8]);
    let frequencies: [f64; 8] = std::array::from_fn(|_| input.real(1_000.0));
    let count = input.length(8);
    with_settings(input, |input, settings| {
        let other = if input.below(16) == 15 {
            left.as_mut_ptr()
        } else {
            right.as_mut_ptr()
        };
        let is_done = checked(|error| {
            // SAFETY: the memory is refused (overlapping) or this frame's own; a length beyond it is one that no memory has.
            unsafe {
                rustle_equalizer_response(
                    settings,
                    rate,
                    frequencies.as_ptr(),
                    left.as_mut_ptr(),
                    other,
                    count,
                    error,
                )
            }
        });
        assert!(is_done || (left == [77.0; 8] && right == [77.0; 8]));
        // A rate beyond all sense makes a grid that is only long.
        let rate = if rate > most_of_preamp { -1.0 } else { rate };
        // SAFETY: the settings are NULL, refused, or readable; the number's place is this frame's own.
        if checked(|error| unsafe { rustle_equalizer_preamp(settings, rate, &mut preamp, error) }) {
            assert!((-96.0..=0.0).contains(&preamp));
        }
    });
}

pub(crate) fn solve(input: &mut Input<'_>) {
    let rate = input.real(48_000.0);
    let mut sought: Vec<_> = (0..MOST).map(|place| band(input, place)).collect();
    let gains: Vec<u64> = sought.iter().map(|band| band.gain.to_bits()).collect();
    let targets: [f64; MOST] = std::array::from_fn(|_| input.real(3.0));
    let mut distance = 77.0;
    let count = input.length(MOST);
    let place = if input.below(32) == 31 {
        (&raw mut sought[0].gain).cast()
    } else {
        &raw mut distance
    };
    let is_done = checked(|error| {
        // SAFETY: the memory is refused (overlapping) or this frame's own; a length beyond it is one that no memory has.
        unsafe { rustle_equalizer_solve(sought.as_mut_ptr(), targets.as_ptr(), count, rate, place, error) }
    });
    for (at, (band, gain)) in sought.iter().zip(gains).enumerate() {
        if is_done && at < count && band.kind == RUSTLE_BAND_PEAKING {
            assert!((-24.0..=24.0).contains(&band.gain), "gain {}", band.gain);
        } else {
            assert_eq!(band.gain.to_bits(), gain);
        }
    }
    assert!(!is_done || distance.is_finite());
}
