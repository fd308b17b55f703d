//! The playback: its values are records of progress.

use rustle::sound::playback::*;

super::sound::sound_engine! {
    name: "playback",
    calls: rustle_playback_new, rustle_playback_start, rustle_playback_drain, rustle_playback_free,
    record: RustlePlaybackProgress
}
