//! Calls of pitch trackers.

use crate::input::Input;
use crate::objects::{checked, Handles, Kind};
use crate::spectra::{signal, ROOM};
use rustle::pitch::*;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// Frames that the caller's memory has room for.
const FRAMES: usize = 8;

/// A frame that no call writes.
const UNTOUCHED: RustlePitchFrame = RustlePitchFrame {
    sample: 77,
    frequency: -77.0,
    confidence: -77.0,
    deviation: -77.0,
    inharmonicity: -77.0,
    harmonicity: -77.0,
    level: -77.0,
};

fn configuration(input: &mut Input<'_>) -> RustlePitchConfiguration {
    let size = |input: &mut Input<'_>, usual| match input.byte() {
        0..=159 => usual,
        160..=223 => 1 << (input.byte() % 18),
        _ => input.word() as u32,
    };
    RustlePitchConfiguration {
        sample_rate: input.real(8_000.0),
        lowest: input.real(100.0),
        highest: input.real(1_000.0),
        method: u32::from(input.byte() % 32) / 6,
        window: size(input, 256),
        hop: size(input, 64),
        reserved: u32::from(input.below(64) == 63),
    }
}

pub(crate) fn new(input: &mut Input<'_>, handles: &mut Handles) {
    let configuration = configuration(input);
    let record = if input.below(32) == 31 {
        null()
    } else {
        &raw const configuration
    };
    let mut pitch = 0;
    // SAFETY: the record is NULL or this frame's own; so is the handle's place.
    if checked(|error| unsafe { rustle_pitch_new(record, &mut pitch, error) }) {
        handles.add(Kind::Pitch, pitch);
    }
}

pub(crate) fn process(input: &mut Input<'_>, handles: &Handles) {
    let pitch = handles.any(input, Kind::Pitch);
    let sound = signal(input);
    let length = input.length(ROOM);
    let from = match input.byte() {
        0..=7 => null(),
        8..=15 => sound.as_ptr().wrapping_byte_add(1),
        _ => sound.as_ptr(),
    };
    let mut frames = [UNTOUCHED; FRAMES];
    let capacity = input.length(FRAMES);
    let (mut taken, mut written) = (usize::MAX, usize::MAX);
    let second = match input.byte() {
        0..=15 => null_mut(),
        16..=31 => &raw mut taken,
        _ => &raw mut written,
    };
    let is_done = checked(|error| {
        // SAFETY: the memory is NULL, refused (misaligned, overlapping), or this frame's own; a length beyond it is one that no
        // memory has.
        unsafe {
            rustle_pitch_process(
                pitch,
                from,
                length,
                frames.as_mut_ptr(),
                capacity,
                &mut taken,
                second,
                error,
            )
        }
    });
    let count = if is_done { written } else { 0 };
    assert!(!is_done || (taken <= length && written <= capacity));
    check(&frames, count);
}

/// Checks what was written, and that nothing else was.
fn check(frames: &[RustlePitchFrame], count: usize) {
    for frame in &frames[..count] {
        assert!(frame.frequency >= 0.0 && frame.frequency.is_finite());
        assert!((0.0..=1.0).contains(&frame.confidence));
        assert!(frame.deviation >= 0.0 && !frame.harmonicity.is_nan() && !frame.level.is_nan());
    }
    assert!(frames[count..]
        .iter()
        .all(|frame| frame.sample == 77 && frame.level == -77.0));
}

pub(crate) fn tell(input: &mut Input<'_>, handles: &Handles) {
    let pitch = handles.any(input, Kind::Pitch);
    match input.below(4) {
        0 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_pitch_reset(pitch, error) });
        }
        1 => {
            // SAFETY: every number is allowed as a handle.
            checked(|error| unsafe { rustle_pitch_free(pitch, error) });
        }
        2 => contour(input),
        _ => {
            let mut description = MaybeUninit::<RustlePitchDescription>::uninit();
            let place = if input.below(16) == 15 {
                null_mut()
            } else {
                description.as_mut_ptr()
            };
            // SAFETY: the place is NULL or this frame's own.
            if checked(|error| unsafe { rustle_pitch_describe(pitch, place, error) }) {
                // SAFETY: a call that succeeds writes the description.
                let description = unsafe { description.assume_init() };
                assert!(0.0 < description.lowest && description.lowest < description.highest);
                assert!(description.window.is_power_of_two() && description.hop > 0);
            }
        }
    }
}

fn contour(input: &mut Input<'_>) {
    let configuration = configuration(input);
    let sound = signal(input);
    let (length, decoding) = (input.length(ROOM), u32::from(input.byte() % 32) / 15);
    let mut frames = [UNTOUCHED; FRAMES];
    let (capacity, mut count) = (input.length(FRAMES), usize::MAX);
    let is_done = checked(|error| {
        // SAFETY: all memory is this frame's own; a length beyond it is one that no memory has.
        unsafe {
            rustle_pitch_contour(
                &configuration,
                decoding,
                sound.as_ptr(),
                length,
                frames.as_mut_ptr(),
                capacity,
                &mut count,
                error,
            )
        }
    });
    let written = if is_done && capacity > 0 { count } else { 0 };
    assert!(written <= capacity);
    check(&frames, written);
}
