//! One complete, valid call of every guarded function, with a panic armed for one of its points.

use crate::objects::{
    configuration, free_plan, free_runtime, free_session, free_ticker, new_plan, new_runtime, Owned, Probe,
    Ticker,
};
use rustle::fft::brief::{compute_fft_rust, free_fft_result_rust};
use rustle::fft::forms::*;
use rustle::fft::peaks::*;
use rustle::fft::plan::*;
use rustle::fft::window::*;
use rustle::log::*;
use rustle::runtime::*;
use rustle::session::*;
use rustle::status::{RustleError, RustleStatus, RUSTLE_OK, RUSTLE_PANICKED, RUSTLE_WRONG_STATE};
use rustle::ticker::*;
use rustle::{RustleHandle, RustleString};
use rustle_engines::faults;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// How a call went.
pub(crate) struct Attempt {
    pub(crate) status: RustleStatus,
    /// The text of the record; `None` for the functions that take none, and after a success.
    pub(crate) error: Option<String>,
    /// Whether the call came by the point where the panic was armed.
    pub(crate) met: bool,
}

type Call = fn(point: u32) -> Attempt;

/// Every guarded function by its name in the header.
pub(crate) const CALLS: &[(&str, Call)] = &[
    ("compute_fft_rust", compute_fft),
    ("free_fft_result_rust", free_fft_result),
    ("rustle_fft_magnitudes", |point| {
        form(point, 33, rustle_fft_magnitudes)
    }),
    ("rustle_fft_power", |point| form(point, 33, rustle_fft_power)),
    ("rustle_fft_decibels", |point| {
        form(point, 33, rustle_fft_decibels)
    }),
    ("rustle_fft_complex", |point| form(point, 66, rustle_fft_complex)),
    ("rustle_spectrum_peaks", spectrum_peaks),
    ("rustle_fft_plan_new", fft_plan_new),
    ("rustle_fft_plan_free", |point| {
        freed(point, new_plan(), rustle_fft_plan_free, free_plan)
    }),
    ("rustle_fft_plan_size", |point| {
        plan_number(point, rustle_fft_plan_size)
    }),
    ("rustle_fft_plan_scratch_length", |point| {
        plan_number(point, rustle_fft_plan_scratch_length)
    }),
    ("rustle_fft_window", fft_window),
    ("rustle_log_install", log_install),
    ("rustle_log_set_level", log_set_level),
    ("rustle_runtime_new_manual", runtime_new),
    ("rustle_runtime_advance", runtime_advance),
    ("rustle_runtime_free", |point| {
        freed(point, new_runtime(), rustle_runtime_free, free_runtime)
    }),
    ("rustle_session_cancel", session_cancel),
    ("rustle_session_free", session_free),
    ("rustle_ticker_new", ticker_new),
    ("rustle_ticker_start", ticker_start),
    ("rustle_ticker_drain", ticker_drain),
    ("rustle_ticker_cancel", |point| {
        on_ticker(point, rustle_ticker_cancel)
    }),
    ("rustle_ticker_shut_down", |point| {
        on_ticker(point, rustle_ticker_shut_down)
    }),
    ("rustle_ticker_free", ticker_free),
];

type HandleCall = unsafe extern "C" fn(RustleHandle, *mut RustleError) -> RustleStatus;

/// Makes the call with a panic armed and an error record at hand.
fn attempt(point: u32, call: impl FnOnce(*mut RustleError) -> RustleStatus) -> Attempt {
    let mut record = MaybeUninit::<RustleError>::uninit();
    faults::arm(point);
    let status = call(record.as_mut_ptr());
    let met = !faults::disarm();
    let error = (status != RUSTLE_OK).then(|| {
        // SAFETY: every function that is handed the record writes it when it fails.
        let record = unsafe { record.assume_init_ref() };
        assert_eq!(record.status, status);
        String::from_utf8_lossy(&record.message[..record.message_length as usize]).into_owned()
    });
    Attempt { status, error, met }
}

/// As [`attempt`], for a function that has no status: `call` says whether it did what it is for.
fn bare_attempt(point: u32, call: impl FnOnce() -> bool) -> Attempt {
    faults::arm(point);
    let is_done = call();
    let met = !faults::disarm();
    Attempt {
        status: if is_done { RUSTLE_OK } else { RUSTLE_PANICKED },
        error: None,
        met,
    }
}

/// Frees `object` with a panic armed. A free that panicked left the object alone: it can still be freed.
fn freed(point: u32, object: Owned, call: HandleCall, free: fn(RustleHandle) -> RustleStatus) -> Attempt {
    let handle = object.handle;
    std::mem::forget(object);
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe { call(handle, error) });
    if attempt.status != RUSTLE_OK {
        assert_eq!(free(handle), RUSTLE_OK, "the panic must leave the object alone");
    }
    attempt
}

const SIGNAL: [f32; 64] = [0.5; 64];

fn compute_fft(point: u32) -> Attempt {
    let mut result = null();
    let attempt = bare_attempt(point, || {
        // SAFETY: the signal is readable for its length.
        result = unsafe { compute_fft_rust(SIGNAL.as_ptr(), 64, 256, 1) };
        !result.is_null()
    });
    free_fft_result_rust(result);
    attempt
}

fn free_fft_result(point: u32) -> Attempt {
    // SAFETY: the signal is readable for its length.
    let result = unsafe { compute_fft_rust(SIGNAL.as_ptr(), 64, 256, 1) };
    assert!(!result.is_null());
    let before = rustle::live::rustle_live_objects();
    let attempt = bare_attempt(point, || {
        free_fft_result_rust(result);
        rustle::live::rustle_live_objects() == before - 1
    });
    // Does nothing when the result is freed already.
    free_fft_result_rust(result);
    attempt
}

type FormCall = unsafe extern "C" fn(
    RustleHandle,
    *const f32,
    usize,
    *mut f32,
    usize,
    *mut f32,
    usize,
    *mut RustleError,
) -> RustleStatus;

/// A call of one of the forms, which fills `length` floats.
fn form(point: u32, length: usize, call: FormCall) -> Attempt {
    let plan = new_plan();
    let mut output = [7.0; 66];
    let attempt = attempt(point, |error| {
        // SAFETY: the memory is this frame's own; NULL and 0 stand for the plan's scratch.
        unsafe {
            call(
                plan.handle,
                SIGNAL.as_ptr(),
                64,
                output.as_mut_ptr(),
                length,
                null_mut(),
                0,
                error,
            )
        }
    });
    let is_untouched = output == [7.0; 66];
    assert_eq!(is_untouched, attempt.status != RUSTLE_OK);
    attempt
}

fn spectrum_peaks(point: u32) -> Attempt {
    let search = RustlePeakSearch {
        sample_rate: 48_000.0,
        threshold: 0.0,
        separation: 0.0,
        window: 1,
        reserved: 0,
    };
    let mut peaks = MaybeUninit::<RustlePeak>::uninit();
    let mut count = 0;
    attempt(point, |error| {
        // SAFETY: all memory is this frame's own.
        unsafe {
            rustle_spectrum_peaks(
                SIGNAL.as_ptr(),
                33,
                &raw const search,
                peaks.as_mut_ptr(),
                1,
                &raw mut count,
                error,
            )
        }
    })
}

fn fft_plan_new(point: u32) -> Attempt {
    made(point, free_plan, |plan, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_fft_plan_new(64, 1, 0, 1, plan, error) }
    })
}

/// A call that makes an object: a panic makes none.
fn made(
    point: u32,
    free: fn(RustleHandle) -> RustleStatus,
    call: impl FnOnce(*mut RustleHandle, *mut RustleError) -> RustleStatus,
) -> Attempt {
    let mut handle = 0;
    let attempt = attempt(point, |error| call(&raw mut handle, error));
    let object = Owned::new(handle, free);
    assert_eq!(object.is_some(), attempt.status == RUSTLE_OK);
    attempt
}

fn plan_number(
    point: u32,
    call: unsafe extern "C" fn(RustleHandle, *mut usize, *mut RustleError) -> RustleStatus,
) -> Attempt {
    let plan = new_plan();
    let mut number = 0;
    // SAFETY: the number's place is this frame's own.
    attempt(point, |error| unsafe {
        call(plan.handle, &raw mut number, error)
    })
}

fn fft_window(point: u32) -> Attempt {
    let mut coefficients = [0.0; 64];
    attempt(point, |error| {
        // SAFETY: the coefficients are this frame's own.
        unsafe { rustle_fft_window(1, 0, coefficients.as_mut_ptr(), 64, error) }
    })
}

extern "C" fn on_record(_: *mut c_void, _: u32, _: *const u8, _: usize, _: *const u8, _: usize) {}

fn log_install(point: u32) -> Attempt {
    let mut attempt = attempt(point, |error| {
        // SAFETY: the function uses no context.
        unsafe { rustle_log_install(Some(on_record), null_mut(), 0, error) }
    });
    // It can be done once in a process; the tests do it often.
    if attempt.status == RUSTLE_WRONG_STATE {
        attempt.status = RUSTLE_OK;
    }
    attempt
}

fn log_set_level(point: u32) -> Attempt {
    // SAFETY: the record is `attempt`'s own.
    attempt(point, |error| unsafe { rustle_log_set_level(0, error) })
}

fn runtime_new(point: u32) -> Attempt {
    made(point, free_runtime, |runtime, error| {
        // SAFETY: the handle's place and the record are the callers' own.
        unsafe { rustle_runtime_new_manual(0, runtime, error) }
    })
}

fn runtime_advance(point: u32) -> Attempt {
    let runtime = new_runtime();
    // SAFETY: the record is `attempt`'s own.
    attempt(point, |error| unsafe {
        rustle_runtime_advance(runtime.handle, 1, error)
    })
}

fn ticker_new(point: u32) -> Attempt {
    let runtime = new_runtime();
    let configuration = configuration(runtime.handle, 0);
    made(point, free_ticker, |ticker, error| {
        // SAFETY: the configuration is this frame's own; the rest is the callers'.
        unsafe { rustle_ticker_new(&raw const configuration, ticker, error) }
    })
}

/// A call on a ticker with a session, which a panic leaves running and everything else ends.
fn on_ticker(point: u32, call: HandleCall) -> Attempt {
    let ticker = Ticker::new(0);
    let probe = Probe::default();
    let session = ticker
        .start("BTC", RUSTLE_LANE_EVENTS, &probe)
        .expect("the engine is whole");
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe { call(ticker.handle(), error) });
    settle(&ticker, &probe, attempt.status != RUSTLE_OK);
    drop(session);
    settle(&ticker, &probe, false);
    attempt
}

/// Lets the runtime do what is due; the session of `probe` then runs, or has been released once.
fn settle(ticker: &Ticker, probe: &Probe, is_running: bool) {
    ticker.advance(0);
    assert_eq!(probe.ends().len(), usize::from(!is_running));
}

fn ticker_free(point: u32) -> Attempt {
    let mut ticker = Ticker::new(0);
    let probe = Probe::default();
    let session = ticker
        .start("BTC", RUSTLE_LANE_KEEP_LATEST, &probe)
        .expect("the engine is whole");
    let owned = ticker.ticker.take().expect("it was not freed yet");
    let attempt = freed(point, owned, rustle_ticker_free, free_ticker);
    settle(&ticker, &probe, false);
    drop(session);
    attempt
}

fn session_cancel(point: u32) -> Attempt {
    let ticker = Ticker::new(0);
    let probe = Probe::default();
    let session = ticker
        .start("BTC", RUSTLE_LANE_EVENTS, &probe)
        .expect("the engine is whole");
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe {
        rustle_session_cancel(session.handle, error)
    });
    settle(&ticker, &probe, attempt.status != RUSTLE_OK);
    drop(session);
    settle(&ticker, &probe, false);
    attempt
}

fn session_free(point: u32) -> Attempt {
    let ticker = Ticker::new(0);
    let probe = Probe::default();
    let session = ticker
        .start("BTC", RUSTLE_LANE_EVENTS, &probe)
        .expect("the engine is whole");
    let attempt = freed(point, session, rustle_session_free, free_session);
    settle(&ticker, &probe, false);
    attempt
}

fn ticker_start(point: u32) -> Attempt {
    let ticker = Ticker::new(0);
    let probe = Probe::default();
    let name = RustleString {
        data: b"BTC".as_ptr(),
        length: 3,
    };
    let attempt = made(point, free_session, |session, error| {
        // SAFETY: the name is this frame's own; the probe outlives the session, which `settle` waits for.
        unsafe {
            rustle_ticker_start(
                ticker.handle(),
                &raw const name,
                1,
                [RUSTLE_LANE_EVENTS, RUSTLE_LANE_DROP_OLDEST][point as usize % 2],
                64,
                probe.sink(),
                session,
                error,
            )
        }
    });
    // A start that failed did not take the sink.
    settle(&ticker, &probe, attempt.status != RUSTLE_OK);
    attempt
}

fn ticker_drain(point: u32) -> Attempt {
    let ticker = Ticker::new(2);
    let probe = Probe::default();
    let session = ticker
        .start("BTC", RUSTLE_LANE_DROP_OLDEST, &probe)
        .expect("the engine is whole");
    ticker.advance(1_000_000_000);
    let mut updates = [const { MaybeUninit::<RustlePriceUpdate>::uninit() }; 4];
    let mut count = 0;
    let mut drain = |error| {
        // SAFETY: the buffer and the number are this frame's own.
        unsafe {
            rustle_ticker_drain(
                session.handle,
                updates.as_mut_ptr().cast(),
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
    attempt
}
