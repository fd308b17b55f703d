//! The engines of sound, as the tests of the boundary drive them: one value for each frame of the device that needs no hardware.

use super::{begin, make, stream, Engine, ALL_LANES};
use rustle::lent::RustleString;
use rustle::sound::*;
use rustle::status::RustleStatus;
use rustle::{
    RustleHandle, RUSTLE_NEW_CAPTURE, RUSTLE_NEW_PLAYBACK, RUSTLE_START_CAPTURE, RUSTLE_START_PLAYBACK,
};

pub(super) const CAPTURE: Engine = Engine {
    name: "capture",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_CAPTURE, RustleSoundBlock),
    new: |runtime, per_second, limit| new(RUSTLE_NEW_CAPTURE, runtime, per_second, limit),
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &lane, sink)
    },
};

pub(super) const PLAYBACK: Engine = Engine {
    name: "playback",
    stream: stream!(RUSTLE_START_PLAYBACK, RustlePlaybackProgress),
    new: |runtime, per_second, limit| new(RUSTLE_NEW_PLAYBACK, runtime, per_second, limit),
    ..CAPTURE
};

fn new(what: u32, runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus> {
    let configuration = RustleSoundConfiguration {
        device: RustleString::of("demo"),
        frame_limit: limit,
        runtime,
        sample_rate: per_second as u32,
        channels: 1,
        period: 1,
        reserved: 0,
    };
    make(what, &configuration)
}
