//! The capture, as the tests of the boundary drive it: one block for each frame of the device that needs no hardware.

use super::{made, sound, Drained, Engine, Work, SOUND_LANES};
use rustle::sink::RustleSink;
use rustle::sound::capture::*;
use rustle::status::RustleStatus;
use rustle::RustleHandle;
use std::ptr::null_mut;

pub(super) const ENGINE: Engine = Engine {
    name: "capture",
    lanes: SOUND_LANES,
    new,
    start,
    drain,
    free,
};

fn new(runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus> {
    let configuration = sound(runtime, per_second, limit);
    // SAFETY: the configuration and its text are valid; NULL is allowed as the record of an error.
    made(|capture| unsafe { rustle_capture_new(&raw const configuration, capture, null_mut()) })
}

fn start(
    capture: RustleHandle,
    work: Work,
    lane: u32,
    capacity: usize,
    sink: RustleSink,
) -> Result<RustleHandle, RustleStatus> {
    work.arm();
    // SAFETY: the result is the call's own; NULL is allowed as the record of an error.
    made(|session| unsafe { rustle_capture_start(capture, lane, capacity, sink, session, null_mut()) })
}

fn drain(session: RustleHandle, most: usize) -> Drained {
    super::drained(
        most,
        |buffer: *mut RustleSoundBlock, count, statistics| {
            // SAFETY: the buffer has room for so many, and the results are the callers'; NULL is allowed as the record of an error.
            unsafe { rustle_capture_drain(session, buffer, most, count, statistics, null_mut()) }
        },
        |record| record.gap,
    )
}

fn free(capture: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_capture_free(capture, null_mut()) }
}
