//! Sound as a user of the C interface has it: what several threads give a playback arrives whole, and changes of an equalizer
//! beside its sound come to the last of them.

use rustle::equalizer::*;
use rustle::lane::{RustleLane, RustleLaneRequest};
use rustle::lent::{Lent, RustleString};
use rustle::sink::{RustleSink, RUSTLE_RELEASE_ENDED};
use rustle::sound::{RustlePlaybackProgress, RustleSoundConfiguration};
use rustle::status::RUSTLE_OK;
use rustle::*;
use rustle_testkit::sine;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use verbs::{advance, free, make, manual_runtime, start};

mod verbs;

const RATE: f64 = 48_000.0;

/// What a playback has reported.
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
    let heard = Heard {
        played: AtomicU64::new(0),
        starved: AtomicU64::new(0),
        reason: AtomicI32::new(-1),
    };
    let runtime = manual_runtime();
    let configuration = RustleSoundConfiguration {
        device: RustleString::of("demo"),
        frame_limit: 0,
        runtime,
        sample_rate: 48_000,
        channels: 2,
        period: 480,
        reserved: 0,
    };
    let playback = make(RUSTLE_NEW_PLAYBACK, &configuration).expect("a playback");
    let sink = RustleSink {
        context: (&raw const heard).cast_mut().cast(),
        on_signal: Some(on_progress),
        on_release: Some(on_release),
    };
    let request = RustleLaneRequest {
        capacity: 0,
        lane: RustleLane::Events.into(),
        reserved: 0,
    };
    let session = start(
        playback,
        RUSTLE_START_PLAYBACK,
        &request,
        size_of::<RustlePlaybackProgress>(),
        sink,
    )
    .expect("a session");
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
    // SAFETY: NULL is allowed as the record of an error.
    assert_eq!(unsafe { rustle_playback_finish(session, null_mut()) }, RUSTLE_OK);
    advance(runtime, 1_000_000_000);
    assert_eq!(heard.reason.load(Ordering::SeqCst), RUSTLE_RELEASE_ENDED);
    assert_eq!(heard.played.load(Ordering::SeqCst), 20_000);
    assert_eq!(heard.starved.load(Ordering::SeqCst), 0);
    for object in [session, playback, runtime] {
        assert_eq!(free(object), RUSTLE_OK);
    }
}

#[test]
fn equalizer_that_is_changed_all_the_while_comes_to_the_last_change() {
    let settings = |bands: &[RustleEqualizerBand]| RustleEqualizerSettings {
        // SAFETY: the settings are gone before the bands are.
        left: unsafe { Lent::new(bands.as_ptr()) },
        left_count: bands.len(),
        // SAFETY: NULL is allowed when there are none.
        right: unsafe { Lent::new(std::ptr::null()) },
        right_count: 0,
        preamp: 0.0,
    };
    let configuration = RustleEqualizerConfiguration {
        sample_rate: RATE,
        channels: 1,
        bands: 1,
        settings: settings(&[]),
    };
    let equalizer = make(RUSTLE_NEW_EQUALIZER, &configuration).expect("an equalizer");
    let change = |gain: f64| {
        let band = RustleEqualizerBand {
            frequency: 1_000.0,
            gain,
            q: 1.4,
            kind: RustleBandKind::Peaking.into(),
            reserved: 0,
        };
        let bands = [band];
        let settings = settings(&bands);
        // SAFETY: the settings and their band are this frame's own.
        let status = unsafe {
            rustle_equalizer_change_sized(equalizer, &raw const settings, size_of_val(&settings), null_mut())
        };
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
    assert_eq!(free(equalizer), RUSTLE_OK);
}
