//! The playback, as the tests of the boundary drive it: one record of progress for each frame of the device that needs no hardware.

use super::{made, sound, Drained, Engine, Work, SOUND_LANES};
use rustle::sink::RustleSink;
use rustle::sound::playback::*;
use rustle::status::RustleStatus;
use rustle::RustleHandle;
use std::ptr::null_mut;

pub(super) const ENGINE: Engine = Engine {
    name: "playback",
    lanes: SOUND_LANES,
    new,
    start,
    drain,
    free,
};

fn new(runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus> {
    let configuration = sound(runtime, per_second, limit);
    // SAFETY: the configuration and its text are valid; NULL is allowed as the record of an error.
    made(|playback| unsafe { rustle_playback_new(&raw const configuration, playback, null_mut()) })
}

fn start(
    playback: RustleHandle,
    work: Work,
    lane: u32,
    capacity: usize,
    sink: RustleSink,
) -> Result<RustleHandle, RustleStatus> {
    work.arm();
    // SAFETY: the result is the call's own; NULL is allowed as the record of an error.
    made(|session| unsafe { rustle_playback_start(playback, lane, capacity, sink, session, null_mut()) })
}

fn drain(session: RustleHandle, most: usize) -> Drained {
    super::drained(
        most,
        |buffer: *mut RustlePlaybackProgress, count, statistics| {
            // SAFETY: the buffer has room for so many, and the results are the callers'; NULL is allowed as the record of an error.
            unsafe { rustle_playback_drain(session, buffer, most, count, statistics, null_mut()) }
        },
        |record| record.gap,
    )
}

fn free(playback: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_playback_free(playback, null_mut()) }
}
