//! Calls of the inverse transform and of short-time spectra.

use crate::input::Input;
use crate::objects::{checked, Handles, Kind};
use crate::spectra::{signal, Buffer, ROOM};
use rustle::fft::inverse::*;
use rustle::fft::stft::*;
use rustle::fft::stft_stream::*;
use std::ptr::{null, null_mut};

/// A size that is mostly right and never slow.
fn size(input: &mut Input<'_>) -> usize {
    match input.byte() {
        power @ 0..=199 => 64 << (power % 4),
        200..=227 => usize::from(input.byte()),
        _ => input.word() as usize | 1 << 17,
    }
}

pub(crate) fn new_inverse(input: &mut Input<'_>, handles: &mut Handles) {
    let (size, path) = (size(input), input.below(7) as u32);
    let mut inverse = 0;
    // SAFETY: the handle's place and the record are this side's own.
    if checked(|error| unsafe { rustle_fft_inverse_new(size, path, &mut inverse, error) }) {
        handles.add(Kind::Inverse, inverse);
    }
}

/// The length that is right for a memory, or another one that it has room for or that no memory has.
fn length(input: &mut Input<'_>, right: usize) -> usize {
    if input.byte() < 192 && right <= ROOM {
        right
    } else {
        input.length(ROOM)
    }
}

pub(crate) fn inverse(input: &mut Input<'_>, handles: &Handles) {
    let inverse = handles.any(input, Kind::Inverse);
    let mut needed = 0;
    // SAFETY: the number's place is this frame's own.
    let is_live = checked(|error| unsafe { rustle_fft_inverse_scratch_length(inverse, &mut needed, error) });
    assert!(!is_live || needed > 128);
    let bins = signal(input);
    let size = 64 << input.below(4);
    let (bins_length, output_length) = (length(input, size + 2), length(input, size));
    let (mut output, mut scratch) = (Buffer::new(), Buffer::new());
    let (from, to) = match input.byte() {
        0..=7 => (null(), output.start()),
        8..=15 => (bins.as_ptr(), null_mut()),
        16..=23 => (output.start().cast_const(), output.start()),
        _ => (bins.as_ptr(), output.start()),
    };
    let (scratch_start, scratch_length) = match input.byte() {
        0..=191 => (null_mut(), 0),
        192..=207 => (output.start(), ROOM),
        _ => (scratch.start(), input.length(ROOM)),
    };
    let is_done = checked(|error| {
        // SAFETY: each pointer is NULL, refused (overlapping), or this side's own with room for its length; a length beyond
        // that is one that no memory has, which is refused.
        unsafe {
            rustle_fft_inverse_samples(
                inverse,
                from,
                bins_length,
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

pub(crate) fn new_stft(input: &mut Input<'_>, handles: &mut Handles) {
    let configuration = RustleStftConfiguration {
        size: size(input),
        hop: match input.byte() {
            0..=239 => usize::from(input.byte()),
            _ => input.word() as usize,
        },
        window: input.below(5) as u32,
        symmetry: input.below(3) as u32,
        scale: input.below(3) as u32,
        padding: input.below(4) as u32,
        form: input.below(5) as u32,
        path: input.below(7) as u32,
    };
    let record = if input.below(32) == 31 {
        null()
    } else {
        &raw const configuration
    };
    let mut stft = 0;
    // SAFETY: the record is NULL or this frame's own; so are the other places.
    if checked(|error| unsafe { rustle_stft_new(record, &mut stft, error) }) {
        handles.add(Kind::Stft, stft);
    }
    let mut stream = 0;
    // SAFETY: the handle's place and the record are this side's own.
    if checked(|error| unsafe { rustle_stft_stream_new(handles.any(input, Kind::Stft), &mut stream, error) })
    {
        handles.add(Kind::Stream, stream);
    }
}

pub(crate) fn frames(input: &mut Input<'_>, handles: &Handles) {
    let stft = handles.any(input, Kind::Stft);
    let samples = signal(input);
    let mut needed = 0;
    // SAFETY: the number's place is this frame's own.
    checked(|error| unsafe { rustle_stft_scratch_length(stft, &mut needed, error) });
    let signal_length = input.length(ROOM);
    let (mut output, mut scratch) = (Buffer::new(), Buffer::new());
    let row = [33, 66, 65, 130, 129, 258][input.below(6)];
    let rows = input.below(8);
    let output_length = length(input, row * rows);
    let (scratch_start, scratch_length) = match input.byte() {
        0..=191 => (null_mut(), 0),
        192..=207 => (output.start(), ROOM),
        _ => (scratch.start(), input.length(ROOM)),
    };
    let first = match input.byte() {
        0..=127 => 0,
        128..=239 => usize::from(input.byte()),
        _ => input.word() as usize,
    };
    let (mut count, mut all) = (usize::MAX, 0);
    // SAFETY: the number's place is this frame's own.
    checked(|error| unsafe { rustle_stft_frame_count(stft, signal_length, &mut all, error) });
    let is_done = checked(|error| {
        // SAFETY: each pointer is NULL, refused (overlapping), or this side's own with room for its length; a length beyond
        // that is one that no memory has, which is refused.
        unsafe {
            rustle_stft_frames(
                stft,
                samples.as_ptr(),
                signal_length,
                first,
                output.start(),
                output_length,
                scratch_start,
                scratch_length,
                &mut count,
                error,
            )
        }
    });
    assert!(!is_done || count <= all.saturating_sub(first));
    output.check(if is_done { output_length } else { 0 });
    scratch.check(if is_done { scratch_length } else { 0 });
}

pub(crate) fn push(input: &mut Input<'_>, handles: &Handles) {
    let stream = handles.any(input, Kind::Stream);
    let samples = signal(input);
    let mut output = Buffer::new();
    let row = [33, 66, 65, 130, 129, 258][input.below(6)];
    let rows = input.below(8);
    let output_length = length(input, row * rows);
    let (mut taken, mut frames) = (0, 0);
    if input.below(4) == 3 {
        // SAFETY: the memory is this frame's own; a length beyond it is one that no memory has.
        let is_done = checked(|error| unsafe {
            rustle_stft_stream_finish(stream, output.start(), output_length, &mut frames, error)
        });
        output.check(if is_done { output_length } else { 0 });
        return;
    }
    let places = if input.below(32) == 31 {
        (&raw mut taken, &raw mut taken)
    } else {
        (&raw mut taken, &raw mut frames)
    };
    let samples_length = input.length(ROOM);
    let is_done = checked(|error| {
        // SAFETY: the memory is this frame's own, or overlaps, which is refused; a length beyond it is one that no memory has.
        unsafe {
            rustle_stft_stream_push(
                stream,
                samples.as_ptr(),
                samples_length,
                output.start(),
                output_length,
                places.0,
                places.1,
                error,
            )
        }
    });
    assert!(!is_done || taken <= samples_length && frames * 33 <= output_length);
    output.check(if is_done { output_length } else { 0 });
}

/// Frees one of the three kinds.
pub(crate) fn end(input: &mut Input<'_>, handles: &Handles) {
    match input.below(3) {
        // SAFETY: the record is this side's own.
        0 => checked(|error| unsafe { rustle_fft_inverse_free(handles.any(input, Kind::Inverse), error) }),
        // SAFETY: as above.
        1 => checked(|error| unsafe { rustle_stft_free(handles.any(input, Kind::Stft), error) }),
        // SAFETY: as above.
        _ => checked(|error| unsafe { rustle_stft_stream_free(handles.any(input, Kind::Stream), error) }),
    };
}
