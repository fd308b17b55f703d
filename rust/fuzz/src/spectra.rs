//! Calls of the spectrum domain.

use crate::input::Input;
use crate::objects::{checked, Handles, Kind};
use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
use rustle::fft::forms::*;
use rustle::fft::path::rustle_fft_path;
use rustle::fft::peaks::*;
use rustle::fft::plan::*;
use rustle::fft::window::rustle_fft_window;
use rustle::status::{RustleError, RustleStatus};
use rustle::RustleHandle;
use std::ptr::{null, null_mut};

/// The room in a buffer, in floats: small plans fit, larger ones are refused by their length.
pub(crate) const ROOM: usize = 512;
pub(crate) const CANARY: f32 = 12_345.678;

/// Floats for a call to write, and some beside them that it must not.
pub(crate) struct Buffer {
    floats: [f32; ROOM + 16],
}

impl Buffer {
    pub(crate) fn new() -> Self {
        Self {
            floats: [CANARY; ROOM + 16],
        }
    }

    pub(crate) fn start(&mut self) -> *mut f32 {
        self.floats[8..].as_mut_ptr()
    }

    /// Puts samples in, as many as there is room for.
    pub(crate) fn fill(&mut self, samples: &[f32]) {
        for (place, sample) in self.floats[8..8 + ROOM].iter_mut().zip(samples) {
            *place = *sample;
        }
    }

    /// Checks that nothing outside the first `length` floats was written.
    pub(crate) fn check(&self, length: usize) {
        let end = 8 + length.min(ROOM);
        let is_whole = |floats: &[f32]| floats.iter().all(|float| *float == CANARY);
        assert!(
            is_whole(&self.floats[..8]) && is_whole(&self.floats[end..]),
            "written outside"
        );
    }
}

pub(crate) fn signal(input: &mut Input<'_>) -> Vec<f32> {
    let mut signal: Vec<f32> = (0..ROOM).map(|i| (i % 23) as f32 - 11.0).collect();
    let special = [f32::NAN, f32::INFINITY, f32::MIN_POSITIVE / 4.0, f32::MAX, -0.0];
    for _ in 0..input.below(4) {
        let place = input.byte() as usize;
        signal[place] = special[input.below(special.len())];
    }
    signal
}

pub(crate) fn new_plan(input: &mut Input<'_>, handles: &mut Handles) {
    let size = match input.byte() {
        power @ 0..=199 => 1 << (power % 12),
        200..=227 => usize::from(input.byte()),
        228..=241 => input.word() as usize,
        _ => 1 << (input.byte() % 64),
    };
    // Large plans are right, and slow: they would take the time of a thousand other calls.
    if (8_193..=65_536).contains(&size) {
        return;
    }
    let (window, symmetry, scale) = (
        input.below(5) as u32,
        input.below(3) as u32,
        input.below(3) as u32,
    );
    let mut plan = 0;
    let path = input.below(8) as u32;
    let is_made = checked(|error| {
        if path > 4 {
            // SAFETY: the handle's place and the record are this side's own.
            return unsafe { rustle_fft_plan_new(size, window, symmetry, scale, &mut plan, error) };
        }
        // SAFETY: as above.
        unsafe { rustle_fft_plan_new_on_path(size, window, symmetry, scale, path, &mut plan, error) }
    });
    if is_made {
        handles.add(Kind::Plan, plan);
    }
}

pub(crate) fn free_plan(input: &mut Input<'_>, handles: &Handles) {
    // SAFETY: the record is this side's own.
    checked(|error| unsafe { rustle_fft_plan_free(handles.any(input, Kind::Plan), error) });
}

pub(crate) fn plan_numbers(input: &mut Input<'_>, handles: &Handles) {
    let plan = handles.any(input, Kind::Plan);
    let (mut size, mut length) = (0, 0);
    let number = if input.below(16) == 15 {
        null_mut()
    } else {
        &raw mut size
    };
    // SAFETY: the number's place is NULL or this frame's own.
    let has_size = checked(|error| unsafe { rustle_fft_plan_size(plan, number, error) });
    // SAFETY: as above.
    checked(|error| unsafe { rustle_fft_plan_scratch_length(plan, &mut length, error) });
    let mut path = 0;
    // SAFETY: as above.
    let has_path = checked(|error| unsafe { rustle_fft_plan_path(plan, &mut path, error) });
    assert!(!has_path || (1..=4).contains(&path));
    // SAFETY: as above.
    let is_known = checked(|error| unsafe { rustle_fft_path(&mut path, error) });
    assert!(is_known && (1..=4).contains(&path));
    assert!(!has_size || size.is_power_of_two() && length > 0);
}

type Form = unsafe extern "C" fn(
    RustleHandle,
    *const f32,
    usize,
    *mut f32,
    usize,
    *mut f32,
    usize,
    *mut RustleError,
) -> RustleStatus;

const FORMS: [Form; 4] = [
    rustle_fft_magnitudes,
    rustle_fft_power,
    rustle_fft_decibels,
    rustle_fft_complex,
];

pub(crate) fn form(input: &mut Input<'_>, handles: &Handles) {
    let plan = handles.any(input, Kind::Plan);
    let number = input.below(FORMS.len());
    let form = FORMS[number];
    let mut size = 0;
    // SAFETY: the number's place is this frame's own; NULL is allowed as the record of an error.
    unsafe { rustle_fft_plan_size(plan, &mut size, null_mut()) };
    let bins = if number == 3 {
        size + 2
    } else {
        size / 2 + input.below(2)
    };
    let samples = signal(input);
    let (mut output, mut scratch) = (Buffer::new(), Buffer::new());
    let length = |input: &mut Input<'_>, right: usize| {
        if input.byte() < 192 && right <= ROOM {
            right
        } else {
            input.length(ROOM)
        }
    };
    let (input_length, output_length) = (length(input, size), length(input, bins));
    let (from, to) = match input.byte() {
        0..=7 => (null(), output.start()),
        8..=15 => (samples.as_ptr(), null_mut()),
        16..=23 => (output.start().cast_const(), output.start()),
        24..=31 => (samples.as_ptr(), output.start().wrapping_byte_add(1)),
        _ => (samples.as_ptr(), output.start()),
    };
    let (scratch_start, scratch_length) = match input.byte() {
        0..=127 => (null_mut(), 0),
        128..=143 => (output.start(), ROOM),
        _ => (scratch.start(), input.length(ROOM)),
    };
    let is_done = checked(|error| {
        // SAFETY: each pointer is NULL, refused (misaligned or overlapping), or this side's own with room for its length; a
        // length beyond that is one that no memory has, which is refused.
        unsafe {
            form(
                plan,
                from,
                input_length,
                to,
                output_length,
                scratch_start,
                scratch_length,
                error,
            )
        }
    });
    output.check(if is_done { output_length } else { 0 });
    scratch.check(if is_done { scratch_length } else { 0 });
}

pub(crate) fn window(input: &mut Input<'_>) {
    let mut output = Buffer::new();
    let (window, symmetry) = (input.below(5) as u32, input.below(3) as u32);
    let length = input.length(ROOM);
    let start = if input.below(16) == 15 {
        null_mut()
    } else {
        output.start()
    };
    // SAFETY: the memory is NULL or this frame's own; a length beyond it is one that no memory has.
    let is_done = checked(|error| unsafe { rustle_fft_window(window, symmetry, start, length, error) });
    output.check(if is_done { length } else { 0 });
}

pub(crate) fn peaks(input: &mut Input<'_>) {
    let samples = signal(input);
    let search = RustlePeakSearch {
        sample_rate: input.real(48_000.0),
        threshold: input.real(0.001),
        separation: input.real(1.0),
        window: input.below(5) as u32,
        reserved: 0,
    };
    let mut peaks = [const { std::mem::MaybeUninit::<RustlePeak>::uninit() }; 16];
    let (length, capacity) = (input.length(257), input.length(16));
    let mut count = usize::MAX;
    let places = if input.below(16) == 15 {
        null_mut()
    } else {
        peaks.as_mut_ptr().cast()
    };
    let is_done = checked(|error| {
        // SAFETY: all memory is NULL or this frame's own; a length beyond it is one that no memory has.
        unsafe {
            rustle_spectrum_peaks(
                samples.as_ptr(),
                length,
                &search,
                places,
                capacity,
                &mut count,
                error,
            )
        }
    });
    assert!(!is_done || count <= capacity.min(length));
}

/// The brief's two functions: results are pointers, the right ones and wrong ones.
pub(crate) fn brief(input: &mut Input<'_>, results: &mut Vec<*const f32>) {
    let samples = signal(input);
    let number = |input: &mut Input<'_>| match input.byte() {
        0..=159 => 1 << input.below(14),
        160..=223 => i32::from(input.byte()) - 16,
        _ => input.word() as i32,
    };
    let (length, size, window) = (number(input), number(input), input.below(6) as i32 - 1);
    // Only what the buffer holds may be claimed; what is not above 0 is refused.
    let length = length.min(ROOM as i32);
    let buffer = if input.below(16) == 15 {
        null()
    } else {
        samples.as_ptr()
    };
    // SAFETY: the buffer is NULL or readable for the length.
    let result = unsafe { compute_fft_rust(buffer, length, size, window) };
    if !result.is_null() {
        // SAFETY: a result that is not NULL has half the size's floats.
        let floats = unsafe { std::slice::from_raw_parts(result, size as usize / 2) };
        assert!(floats.iter().all(|float| float.is_nan() || *float >= 0.0));
        assert!(!results.contains(&result), "an address that is in use");
        results.push(result);
    }
    match input.byte() {
        0..=31 => free_fft_result_rust(input.word() as *const f32),
        32..=63 => free_fft_result_rust(result.wrapping_add(1)),
        64..=95 => free_fft_result_rust(null()),
        96..=191 => {
            if let Some(result) = results.pop() {
                free_fft_result_rust(result);
                free_fft_result_rust(result);
            }
        }
        _ => {}
    }
}
