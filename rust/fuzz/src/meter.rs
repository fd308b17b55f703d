//! Calls of meters and of the scale for display.

use crate::input::Input;
use crate::objects::{checked, Handles, Kind};
use crate::spectra::{signal, ROOM};
use rustle::meter::*;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

pub(crate) fn new(input: &mut Input<'_>, handles: &mut Handles) {
    let channels: Vec<u32> = (0..1 + input.below(3))
        .map(|_| u32::from(input.byte() % 32) / 9)
        .collect();
    let response: Vec<RustleResponsePoint> = (0..input.below(6).saturating_sub(2))
        .map(|place| RustleResponsePoint {
            frequency: input.real(100.0 * (1 << place) as f64),
            deviation: input.real(place as f64),
        })
        .collect();
    let configuration = RustleMeterConfiguration {
        sample_rate: input.real(48_000.0),
        offset: input.real(94.0),
        channels: if input.below(32) == 31 {
            null()
        } else {
            channels.as_ptr()
        },
        channel_count: if input.below(32) == 31 {
            usize::MAX
        } else {
            channels.len()
        },
        response: response.as_ptr(),
        response_count: response.len(),
        metered: match input.byte() {
            0..=127 => RUSTLE_CHANNEL_ALL,
            byte => u32::from(byte % 4),
        },
        weighting: u32::from(input.byte() % 32) / 10,
        time: u32::from(input.byte() % 32) / 15,
        loudness: u32::from(input.byte() % 2),
        bands: u32::from(input.byte() % 5),
        reserved: u32::from(input.below(64) == 63),
    };
    let record = if input.below(32) == 31 {
        null()
    } else {
        &raw const configuration
    };
    let mut meter = 0;
    // SAFETY: the record is NULL or this frame's own, with memory that is readable or refused; so is the handle's place.
    if checked(|error| unsafe { rustle_meter_new(record, &mut meter, error) }) {
        handles.add(Kind::Meter, meter);
    }
}

pub(crate) fn process(input: &mut Input<'_>, handles: &Handles) {
    let meter = handles.any(input, Kind::Meter);
    let sound = signal(input);
    let length = input.length(ROOM);
    let from = match input.byte() {
        0..=7 => null(),
        8..=15 => sound.as_ptr().wrapping_byte_add(1),
        _ => sound.as_ptr(),
    };
    // SAFETY: the samples are NULL, refused, or readable; a length beyond them is one that no memory has.
    checked(|error| unsafe { rustle_meter_process(meter, from, length, error) });
}

pub(crate) fn tell(input: &mut Input<'_>, handles: &Handles) {
    let meter = handles.any(input, Kind::Meter);
    match input.below(6) {
        0 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_meter_restart(meter, error) });
        }
        1 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_meter_free(meter, error) });
        }
        2 => {
            let (percent, mut level) = (input.real(10.0), 77.0);
            // SAFETY: the number's place is this frame's own.
            checked(|error| unsafe { rustle_meter_exceeded(meter, percent, &mut level, error) });
        }
        3 => bands(input, meter),
        4 => scale(input),
        _ => {
            let mut reading = MaybeUninit::<RustleMeterReading>::uninit();
            let place = if input.below(16) == 15 {
                null_mut()
            } else {
                reading.as_mut_ptr()
            };
            // SAFETY: the place is NULL or this frame's own.
            if checked(|error| unsafe { rustle_meter_read(meter, place, error) }) {
                // SAFETY: a call that succeeds writes the reading.
                let reading = unsafe { reading.assume_init() };
                assert!(reading.seconds >= 0.0 && (0.0..=120.0).contains(&reading.place));
                assert!(reading.noise_class <= 4);
            }
        }
    }
}

fn bands(input: &mut Input<'_>, meter: rustle::RustleHandle) {
    const ROOM: usize = 40;
    let (mut centres, mut levels) = ([77.0; ROOM], [77.0; ROOM]);
    let (capacity, mut count) = (input.length(ROOM), usize::MAX);
    let second = match input.byte() {
        0..=15 => centres.as_mut_ptr(),
        16..=31 => null_mut(),
        _ => levels.as_mut_ptr(),
    };
    let is_done = checked(|error| {
        // SAFETY: the memory is NULL, refused (overlapping), or this frame's own; a length beyond it is one that no memory has.
        unsafe { rustle_meter_bands(meter, centres.as_mut_ptr(), second, capacity, &mut count, error) }
    });
    let written = if is_done { count.min(capacity) } else { 0 };
    assert!(centres[written..].iter().all(|centre| *centre == 77.0));
    assert!(levels[written..].iter().all(|level| *level == 77.0));
}

fn scale(input: &mut Input<'_>) {
    let (power, mut place, mut class) = (input.real(-20.0), 77.0_f64, 77);
    let class_place = match input.byte() {
        0..=7 => null_mut(),
        8..=15 => (&raw mut place).cast(),
        _ => &raw mut class,
    };
    // SAFETY: the places are NULL, refused (overlapping), or this frame's own.
    if checked(|error| unsafe { rustle_noise_scale(power, &mut place, class_place, error) }) {
        assert!((0.0..=120.0).contains(&place) && class <= 4);
    }
}
