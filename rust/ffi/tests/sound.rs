//! Sound as a user of the C interface has it: what several threads give a playback arrives whole, and changes of an equalizer
//! beside its sound come to the last of them.

use rustle::equalizer::settings::*;
use rustle::equalizer::*;
use rustle::lane::RUSTLE_LANE_EVENTS;
use rustle::runtime::*;
use rustle::session::rustle_session_free;
use rustle::sink::{RustleSink, RUSTLE_RELEASE_ENDED};
use rustle::sound::playback::*;
use rustle::sound::RustleSoundConfiguration;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::{RustleHandle, RustleString};
use rustle_testkit::sine;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

const RATE: f64 = 48_000.0;

fn made(call: impl FnOnce(*mut RustleHandle) -> RustleStatus) -> RustleHandle {
    let mut handle = 0;
    assert_eq!(call(&raw mut handle), RUSTLE_OK);
    handle
}

/// What a playback has told.
struct Heard {
    played: AtomicU64,
    starved: AtomicU64,
    reason: AtomicI32,
}

extern "C" fn on_progress(context: *mut c_void, event: *const c_void) {
    // SAFETY: the context outlives the session, and an event is a record of the playback's.
    let heard = unsafe { &*context.cast::<Heard>() };
    // SAFETY: as above.
    let progress = unsafe { &*event.cast::<RustlePlaybackProgress>() };
    assert!(progress.played + progress.starved <= progress.position);
    heard.played.store(progress.played, Ordering::SeqCst);
    heard.starved.store(progress.starved, Ordering::SeqCst);
}

extern "C" fn on_release(context: *mut c_void, reason: i32, _: *const u8, _: usize) {
    // SAFETY: as above.
    let heard = unsafe { &*context.cast::<Heard>() };
    heard.reason.store(reason, Ordering::SeqCst);
}

#[test]
fn sound_of_several_threads_is_played_whole() {
    const DEVICE: &str = "demo";
    let heard = Heard {
        played: AtomicU64::new(0),
        starved: AtomicU64::new(0),
        reason: AtomicI32::new(-1),
    };
    // SAFETY: the result is the call's own; NULL is allowed as the record of an error.
    let runtime = made(|runtime| unsafe { rustle_runtime_new_manual(0, runtime, null_mut()) });
    let configuration = RustleSoundConfiguration {
        device: RustleString {
            data: DEVICE.as_ptr(),
            length: DEVICE.len(),
        },
        frame_limit: 0,
        runtime,
        sample_rate: 48_000,
        channels: 2,
        period: 480,
        reserved: 0,
    };
    // SAFETY: the configuration is this frame's own; NULL is allowed as the record of an error.
    let playback =
        made(|playback| unsafe { rustle_playback_new(&raw const configuration, playback, null_mut()) });
    let sink = RustleSink {
        context: (&raw const heard).cast_mut().cast(),
        on_signal: Some(on_progress),
        on_release: Some(on_release),
    };
    // SAFETY: what has been heard outlives the session, which ends below.
    let session = made(|session| unsafe {
        rustle_playback_start(playback, RUSTLE_LANE_EVENTS, 0, sink, session, null_mut())
    });
    // Four times 5,000 frames: less than the half second that finds room.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let block = [0.5; 200];
                for _ in 0..50 {
                    let mut taken = 0;
                    // SAFETY: the samples and the number are this frame's own.
                    let status = unsafe {
                        rustle_playback_write(session, block.as_ptr(), 200, &raw mut taken, null_mut())
                    };
                    assert_eq!((status, taken), (RUSTLE_OK, 200));
                }
            });
        }
    });
    // SAFETY: NULL is allowed as the record of an error, here and below.
    assert_eq!(unsafe { rustle_playback_finish(session, null_mut()) }, RUSTLE_OK);
    // SAFETY: as above.
    let status = unsafe { rustle_runtime_advance(runtime, 1_000_000_000, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    assert_eq!(heard.reason.load(Ordering::SeqCst), RUSTLE_RELEASE_ENDED);
    assert_eq!(heard.played.load(Ordering::SeqCst), 20_000);
    assert_eq!(heard.starved.load(Ordering::SeqCst), 0);
    // SAFETY: as above.
    assert_eq!(unsafe { rustle_session_free(session, null_mut()) }, RUSTLE_OK);
    // SAFETY: as above.
    assert_eq!(unsafe { rustle_playback_free(playback, null_mut()) }, RUSTLE_OK);
    // SAFETY: as above.
    assert_eq!(unsafe { rustle_runtime_free(runtime, null_mut()) }, RUSTLE_OK);
}

#[test]
fn equalizer_that_is_changed_all_the_while_comes_to_the_last_change() {
    // SAFETY: NULL settings are none; the result is the call's own.
    let equalizer =
        made(|equalizer| unsafe { rustle_equalizer_new(RATE, 1, 1, null(), equalizer, null_mut()) });
    let change = |gain: f64| {
        let band = RustleEqualizerBand {
            frequency: 1_000.0,
            gain,
            q: 1.4,
            kind: RUSTLE_BAND_PEAKING,
            reserved: 0,
        };
        let settings = RustleEqualizerSettings {
            left: &raw const band,
            left_count: 1,
            right: null(),
            right_count: 0,
            preamp: 0.0,
        };
        // SAFETY: the settings and their band are this frame's own.
        let status = unsafe { rustle_equalizer_change(equalizer, &raw const settings, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
    };
    let process = |sound: &mut [f32]| {
        for block in sound.chunks_mut(256) {
            // SAFETY: the block is this call's alone.
            let status =
                unsafe { rustle_equalizer_process(equalizer, block.as_mut_ptr(), block.len(), null_mut()) };
            assert_eq!(status, RUSTLE_OK);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for step in 0..500 {
                change(f64::from(step % 25) - 12.0);
            }
            change(4.0);
        });
        for _ in 0..20 {
            process(&mut sine(4_800, 1_000.0, RATE, 0.1, 0.0));
        }
    });
    let mut sound = sine(48_000, 1_000.0, RATE, 0.1, 0.0);
    process(&mut sound);
    // The last tenth of a second: whole periods.
    let sum: f64 = sound[43_200..]
        .iter()
        .map(|sample| f64::from(*sample).powi(2))
        .sum();
    let level = 10.0 * (sum / 4_800.0 / 0.005).log10();
    assert!((level - 4.0).abs() < 0.001, "{level} dB");
    // SAFETY: NULL is allowed as the record of an error.
    assert_eq!(unsafe { rustle_equalizer_free(equalizer, null_mut()) }, RUSTLE_OK);
}
