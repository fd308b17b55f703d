//! Calls of captures, playbacks and the list of devices.

use crate::calls::{attempt, freed, made, Attempt, HandleCall};
use crate::objects::{free_session, new_runtime, Owned, Probe};
use rustle::lane::{RustleLaneStatistics, RUSTLE_LANE_DROP_OLDEST, RUSTLE_LANE_EVENTS};
use rustle::runtime::rustle_runtime_advance;
use rustle::sink::RustleSink;
use rustle::sound::capture::*;
use rustle::sound::devices::*;
use rustle::sound::playback::*;
use rustle::sound::RustleSoundConfiguration;
use rustle::status::{RustleError, RustleStatus, RUSTLE_NO_SOUND_LIBRARY, RUSTLE_OK};
use rustle::{RustleHandle, RustleString};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{from_mut, null_mut};

/// What captures and playbacks have in common.
pub(crate) struct Direction {
    new: unsafe extern "C" fn(
        *const RustleSoundConfiguration,
        *mut RustleHandle,
        *mut RustleError,
    ) -> RustleStatus,
    start: unsafe extern "C" fn(
        RustleHandle,
        u32,
        usize,
        RustleSink,
        *mut RustleHandle,
        *mut RustleError,
    ) -> RustleStatus,
    free: HandleCall,
    /// The same, for an owner.
    freed: fn(RustleHandle) -> RustleStatus,
}

pub(crate) static CAPTURE: Direction = Direction {
    new: rustle_capture_new,
    start: rustle_capture_start,
    free: rustle_capture_free,
    // SAFETY: NULL is allowed as the record of an error.
    freed: |capture| unsafe { rustle_capture_free(capture, null_mut()) },
};

pub(crate) static PLAYBACK: Direction = Direction {
    new: rustle_playback_new,
    start: rustle_playback_start,
    free: rustle_playback_free,
    // SAFETY: NULL is allowed as the record of an error.
    freed: |playback| unsafe { rustle_playback_free(playback, null_mut()) },
};

fn configuration(runtime: RustleHandle) -> RustleSoundConfiguration {
    const DEVICE: &str = "demo";
    RustleSoundConfiguration {
        device: RustleString {
            data: DEVICE.as_ptr(),
            length: DEVICE.len(),
        },
        frame_limit: 0,
        runtime,
        sample_rate: 1_000,
        channels: 1,
        period: 1,
        reserved: 0,
    }
}

/// An engine on a runtime of its own, which stands still. The engine goes first.
struct Stage {
    direction: &'static Direction,
    engine: Option<Owned>,
    runtime: Owned,
}

impl Stage {
    fn new(direction: &'static Direction) -> Self {
        let runtime = new_runtime();
        let configuration = configuration(runtime.handle);
        let mut engine = 0;
        // SAFETY: both pointers are to this frame's own.
        let status = unsafe { (direction.new)(&raw const configuration, &raw mut engine, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
        Self {
            direction,
            engine: Owned::new(engine, direction.freed),
            runtime,
        }
    }

    fn handle(&self) -> RustleHandle {
        self.engine.as_ref().map_or(0, |engine| engine.handle)
    }

    fn start(&self, lane: u32, probe: &Probe) -> Owned {
        let mut session = 0;
        // SAFETY: the result is this frame's own; the probe outlives its session, which `settle` waits for.
        let status = unsafe {
            (self.direction.start)(
                self.handle(),
                lane,
                64,
                probe.sink(),
                &raw mut session,
                null_mut(),
            )
        };
        assert_eq!(status, RUSTLE_OK);
        Owned::new(session, free_session).expect("a handle")
    }

    fn advance(&self, nanoseconds: u64) {
        // SAFETY: NULL is allowed as the record of an error.
        let status = unsafe { rustle_runtime_advance(self.runtime.handle, nanoseconds, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
    }

    /// Lets the runtime do what is due; the session of `probe` then runs, or has been released once.
    fn settle(&self, probe: &Probe, is_running: bool) {
        self.advance(0);
        assert_eq!(probe.ends().len(), usize::from(!is_running));
    }
}

pub(crate) fn new(point: u32, direction: &Direction) -> Attempt {
    let runtime = new_runtime();
    let configuration = configuration(runtime.handle);
    made(point, direction.freed, |engine, error| {
        // SAFETY: the configuration is this frame's own; the rest is the callers'.
        unsafe { (direction.new)(&raw const configuration, engine, error) }
    })
}

pub(crate) fn start(point: u32, direction: &'static Direction) -> Attempt {
    let stage = Stage::new(direction);
    let probe = Probe::default();
    let attempt = made(point, free_session, |session, error| {
        let lane = [RUSTLE_LANE_EVENTS, RUSTLE_LANE_DROP_OLDEST][point as usize % 2];
        // SAFETY: the probe outlives the session, which `settle` waits for; the rest is the callers'.
        unsafe { (direction.start)(stage.handle(), lane, 64, probe.sink(), session, error) }
    });
    // A start that failed did not take the sink.
    stage.settle(&probe, attempt.status != RUSTLE_OK);
    attempt
}

/// A call on an engine with a session, which a panic leaves running and everything else ends.
pub(crate) fn on_engine(point: u32, direction: &'static Direction, call: HandleCall) -> Attempt {
    let stage = Stage::new(direction);
    let probe = Probe::default();
    let session = stage.start(RUSTLE_LANE_EVENTS, &probe);
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe { call(stage.handle(), error) });
    stage.settle(&probe, attempt.status != RUSTLE_OK);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

pub(crate) fn free(point: u32, direction: &'static Direction) -> Attempt {
    let mut stage = Stage::new(direction);
    let probe = Probe::default();
    let session = stage.start(RUSTLE_LANE_DROP_OLDEST, &probe);
    let owned = stage.engine.take().expect("it was not freed yet");
    let attempt = freed(point, owned, direction.free, direction.freed);
    stage.settle(&probe, false);
    drop(session);
    attempt
}

type Drain<Record> = unsafe extern "C" fn(
    RustleHandle,
    *mut Record,
    usize,
    *mut usize,
    *mut RustleLaneStatistics,
    *mut RustleError,
) -> RustleStatus;

pub(crate) fn drain<Record>(point: u32, direction: &'static Direction, call: Drain<Record>) -> Attempt {
    let stage = Stage::new(direction);
    let probe = Probe::default();
    let session = stage.start(RUSTLE_LANE_DROP_OLDEST, &probe);
    // A value at once, and one a millisecond.
    stage.advance(1_000_000);
    let mut records = [const { MaybeUninit::<Record>::uninit() }; 4];
    let mut count = 0;
    let mut drain = |error| {
        // SAFETY: the buffer and the number are this frame's own.
        unsafe {
            call(
                session.handle,
                records.as_mut_ptr().cast(),
                4,
                &raw mut count,
                null_mut(),
                error,
            )
        }
    };
    let attempt = attempt(point, &mut drain);
    // Nothing was taken by a call that panicked.
    if attempt.status != RUSTLE_OK {
        assert_eq!(drain(null_mut()), RUSTLE_OK);
    }
    assert_eq!(count, 2);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

pub(crate) fn playback_write(point: u32) -> Attempt {
    let stage = Stage::new(&PLAYBACK);
    let probe = Probe::default();
    let session = stage.start(RUSTLE_LANE_EVENTS, &probe);
    // More than the 500 samples that find room.
    let (samples, mut taken) = ([0.5; 600], 0);
    let mut write = |error| {
        // SAFETY: the samples and the number are this frame's own.
        unsafe { rustle_playback_write(session.handle, samples.as_ptr(), 600, &raw mut taken, error) }
    };
    let attempt = attempt(point, &mut write);
    // Nothing was taken by a call that panicked.
    if attempt.status != RUSTLE_OK {
        assert_eq!(write(null_mut()), RUSTLE_OK);
    }
    assert_eq!(taken, 500);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

pub(crate) fn playback_finish(point: u32) -> Attempt {
    let stage = Stage::new(&PLAYBACK);
    let probe = Probe::default();
    let session = stage.start(RUSTLE_LANE_EVENTS, &probe);
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe {
        rustle_playback_finish(session.handle, error)
    });
    stage.advance(10_000_000);
    stage.settle(&probe, attempt.status != RUSTLE_OK);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

extern "C" fn count(context: *mut c_void, device: *const RustleSoundDevice) {
    assert!(!device.is_null());
    // SAFETY: the context is the caller's number.
    *unsafe { &mut *context.cast::<usize>() } += 1;
}

pub(crate) fn sound_devices(point: u32) -> Attempt {
    let mut shown = 0_usize;
    let mut attempt = attempt(point, |error| {
        // SAFETY: the number lives during the call.
        unsafe { rustle_sound_devices(Some(count), from_mut(&mut shown).cast(), error) }
    });
    // A machine without the library has no devices to show.
    if attempt.status == RUSTLE_NO_SOUND_LIBRARY {
        attempt.status = RUSTLE_OK;
    }
    assert!(attempt.status == RUSTLE_OK || shown == 0);
    attempt
}
