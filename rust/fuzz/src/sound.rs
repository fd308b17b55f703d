//! Calls of captures, playbacks and the list of devices.

use crate::input::Input;
use crate::lane::drained;
use crate::objects::{checked, runtime, settle, Handles, Kind, Watch};
use rustle::sound::capture::*;
use rustle::sound::devices::*;
use rustle::sound::playback::*;
use rustle::sound::RustleSoundConfiguration;
use rustle::status::{RustleError, RustleStatus};
use rustle::{RustleHandle, RustleString};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// A device's name: the one that needs no hardware, or none that there is. Any text might name a real one.
fn device(input: &mut Input<'_>) -> RustleString {
    let bytes: &[u8] = match input.byte() {
        0..=223 => b"demo",
        224..=231 => b"",
        232..=239 => b"\xff\xfe",
        240..=247 => b"de\0mo",
        _ => b"no such device",
    };
    let text = RustleString {
        data: bytes.as_ptr(),
        length: bytes.len(),
    };
    match input.byte() {
        // NULL with a length, or a length that no memory has.
        0..=3 => RustleString {
            data: null(),
            length: 4,
        },
        4..=7 => RustleString {
            length: usize::MAX,
            ..text
        },
        _ => text,
    }
}

pub(crate) fn new_engine(input: &mut Input<'_>, handles: &mut Handles) {
    let configuration = RustleSoundConfiguration {
        device: device(input),
        frame_limit: if input.below(4) == 3 {
            input.word()
        } else {
            input.below(200) as u64
        },
        runtime: match input.byte() {
            0..=223 => runtime(),
            // The shared runtime, 0, has a clock of its own: what it does is not the input's doing.
            _ => handles.any(input, Kind::Runtime).max(1),
        },
        sample_rate: match input.byte() {
            byte @ 0..=223 => 1_000 * (1 + u32::from(byte % 48)),
            byte @ 224..=239 => u32::from(byte % 2),
            // Above the highest.
            _ => input.word() as u32 | 1 << 20,
        },
        channels: match input.byte() {
            byte @ 0..=223 => 1 + u32::from(byte % 4),
            byte => u32::from(byte % 35),
        },
        period: match input.byte() {
            byte @ 0..=223 => 1 + u32::from(byte),
            byte @ 224..=239 => u32::from(byte % 2),
            _ => input.word() as u32 | 1 << 17,
        },
        reserved: u32::from(input.below(32) == 31),
    };
    let record = if input.below(32) == 31 {
        null()
    } else {
        &raw const configuration
    };
    let mut engine = 0;
    let kind = [Kind::Capture, Kind::Playback][input.below(2)];
    let new = match kind {
        Kind::Capture => rustle_capture_new,
        _ => rustle_playback_new,
    };
    // SAFETY: the record is NULL or this frame's own, with a text that is readable or refused; so is the handle's place.
    if checked(|error| unsafe { new(record, &mut engine, error) }) {
        if configuration.runtime == runtime() {
            handles.add_settled(kind, engine);
        } else {
            handles.add(kind, engine);
        }
    }
}

pub(crate) fn start(input: &mut Input<'_>, handles: &mut Handles) {
    let (kind, start) = if input.below(2) == 0 {
        (Kind::Capture, rustle_capture_start as StartCall)
    } else {
        (Kind::Playback, rustle_playback_start as StartCall)
    };
    let engine = handles.any(input, kind);
    let lane = match input.byte() {
        byte @ 0..=239 => u32::from(byte % 4),
        byte => u32::from(byte),
    };
    let capacity = match input.byte() {
        byte @ 0..=239 => 1 << (byte % 9),
        byte => [0, 1_048_577, usize::MAX][usize::from(byte % 3)],
    };
    let watch = Watch::new(input.byte());
    let sink = watch.sink(input.byte());
    let mut session = 0;
    // SAFETY: the watcher lives until its release; the handle's place is this frame's own.
    if checked(|error| unsafe { start(engine, lane, capacity, sink, &mut session, error) }) {
        handles.add_session(session, engine, watch.was_taken(session));
    } else {
        watch.was_not_taken();
    }
    settle();
}

type StartCall = unsafe extern "C" fn(
    RustleHandle,
    u32,
    usize,
    rustle::sink::RustleSink,
    *mut RustleHandle,
    *mut RustleError,
) -> RustleStatus;

pub(crate) fn drain(input: &mut Input<'_>, handles: &Handles) {
    if input.below(2) == 0 {
        drained(
            input,
            handles,
            rustle_capture_drain,
            |block: &RustleSoundBlock, s| {
                assert!(block.sequence < s.produced && block.lost == 0 && block.overruns == 0);
                let used = (block.frames * block.channels) as usize;
                assert!((1..=RUSTLE_BLOCK_SAMPLES).contains(&used));
                assert!(block.samples.iter().all(|sample| sample.abs() <= 1.0));
                assert!(block.samples[used..].iter().all(|sample| *sample == 0.0));
            },
        );
    } else {
        drained(
            input,
            handles,
            rustle_playback_drain,
            |at: &RustlePlaybackProgress, s| {
                assert!(at.sequence < s.produced && at.underruns == 0);
                assert!(at.played + at.starved <= at.position);
            },
        );
    }
}

pub(crate) fn write(input: &mut Input<'_>, handles: &Handles) {
    const ROOM: usize = 64;
    let session = handles.any(input, Kind::Session);
    let samples = [0.25_f32; ROOM];
    let mut taken = usize::MAX;
    let length = input.length(ROOM);
    let (from, place) = match input.byte() {
        0..=7 => (null(), &raw mut taken),
        8..=15 => (samples.as_ptr(), null_mut()),
        16..=23 => (samples.as_ptr().wrapping_byte_add(2), &raw mut taken),
        // Refused, as it overlaps, when it is a length that the number has.
        24..=31 if length <= 2 => ((&raw mut taken).cast_const().cast(), &raw mut taken),
        _ => (samples.as_ptr(), &raw mut taken),
    };
    // SAFETY: the memory is NULL, refused, or this frame's own; a length beyond it is one that no memory has.
    if checked(|error| unsafe { rustle_playback_write(session, from, length, place, error) }) {
        assert!(taken <= length);
    }
    if input.below(4) == 3 {
        // SAFETY: every number is allowed as a handle.
        checked(|error| unsafe { rustle_playback_finish(session, error) });
    }
}

type HandleCall = unsafe extern "C" fn(RustleHandle, *mut RustleError) -> RustleStatus;

const HANDLE_CALLS: [(Kind, HandleCall); 6] = [
    (Kind::Capture, rustle_capture_cancel),
    (Kind::Capture, rustle_capture_shut_down),
    (Kind::Capture, rustle_capture_free),
    (Kind::Playback, rustle_playback_cancel),
    (Kind::Playback, rustle_playback_shut_down),
    (Kind::Playback, rustle_playback_free),
];

pub(crate) fn end(input: &mut Input<'_>, handles: &Handles) {
    let (kind, call) = HANDLE_CALLS[input.below(HANDLE_CALLS.len())];
    let handle = handles.any(input, kind);
    // SAFETY: every number is allowed as a handle.
    checked(|error| unsafe { call(handle, error) });
    settle();
}

extern "C" fn visit(context: *mut c_void, device: *const RustleSoundDevice) {
    assert!(context.is_null());
    // SAFETY: the record is valid during the call.
    let device = unsafe { &*device };
    assert!(device.captures != 0 || device.plays != 0);
    for text in [device.name, device.description] {
        // SAFETY: a text is readable during the call.
        let text = unsafe { std::slice::from_raw_parts(text.data, text.length) };
        assert!(std::str::from_utf8(text).is_ok());
    }
}

pub(crate) fn devices(input: &mut Input<'_>) {
    // The library reads the system's configuration, which takes long: seldom.
    let visit = (input.word() == 0).then_some(visit as extern "C" fn(*mut c_void, *const RustleSoundDevice));
    // SAFETY: the function uses no context.
    checked(|error| unsafe { rustle_sound_devices(visit, null_mut(), error) });
}
