//! The capture: its values are blocks.

use rustle::sound::capture::*;

super::sound::sound_engine! {
    name: "capture",
    calls: rustle_capture_new, rustle_capture_start, rustle_capture_drain, rustle_capture_free,
    record: RustleSoundBlock
}
