//! The engines of sound, as the tests of the boundary drive them: one value for each frame of the device that needs no hardware.

use rustle::sound::RustleSoundConfiguration;
use rustle::{RustleHandle, RustleString};

/// The device that needs no hardware, with a value for each frame.
pub(super) fn configuration(runtime: RustleHandle, per_second: f64, limit: u64) -> RustleSoundConfiguration {
    const DEVICE: &str = "demo";
    RustleSoundConfiguration {
        device: RustleString {
            data: DEVICE.as_ptr(),
            length: DEVICE.len(),
        },
        frame_limit: limit,
        runtime,
        sample_rate: per_second as u32,
        channels: 1,
        period: 1,
        reserved: 0,
    }
}

/// The row `ENGINE` of an engine of sound, by its functions and its record.
macro_rules! sound_engine {
    (name: $name:literal, calls: $new:path, $start:path, $drain:path, $free:path, record: $record:ty) => {
        use super::sound::configuration;
        use super::{drained, made, Drained, Engine, Work, ALL_LANES};
        use rustle::sink::RustleSink;
        use rustle::status::RustleStatus;
        use rustle::RustleHandle;
        use std::ptr::null_mut;

        pub(super) const ENGINE: Engine = Engine {
            name: $name,
            lanes: ALL_LANES,
            new,
            start,
            drain,
            free,
        };

        fn new(runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus> {
            let configuration = configuration(runtime, per_second, limit);
            // SAFETY: the configuration and its text are valid; NULL is allowed as the record of an error.
            made(|engine| unsafe { $new(&raw const configuration, engine, null_mut()) })
        }

        fn start(
            engine: RustleHandle,
            work: Work,
            lane: u32,
            capacity: usize,
            sink: RustleSink,
        ) -> Result<RustleHandle, RustleStatus> {
            work.arm();
            // SAFETY: the result is the call's own; NULL is allowed as the record of an error.
            made(|session| unsafe { $start(engine, lane, capacity, sink, session, null_mut()) })
        }

        fn drain(session: RustleHandle, most: usize) -> Drained {
            drained(
                most,
                |buffer: *mut $record, count, statistics| {
                    // SAFETY: the buffer has room for so many, and the results are the callers'; NULL is allowed as the record of an
                    // error.
                    unsafe { $drain(session, buffer, most, count, statistics, null_mut()) }
                },
                |record| record.gap,
            )
        }

        fn free(engine: RustleHandle) -> RustleStatus {
            // SAFETY: NULL is allowed as the record of an error.
            unsafe { $free(engine, null_mut()) }
        }
    };
}

pub(super) use sound_engine;
