//! Calls of the ticker and its sessions, and of a sink by itself.

use crate::calls::{attempt, freed, made, Attempt, HandleCall};
use crate::objects::{configuration, free_session, free_ticker, new_runtime, Probe, Ticker};
use rustle::exercise::rustle_sink_exercise;
use rustle::lane::*;
use rustle::session::*;
use rustle::status::RUSTLE_OK;
use rustle::ticker::*;
use rustle::RustleString;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

pub(crate) fn ticker_new(point: u32) -> Attempt {
    let runtime = new_runtime();
    let configuration = configuration(runtime.handle, 0);
    made(point, free_ticker, |ticker, error| {
        // SAFETY: the configuration is this frame's own; the rest is the callers'.
        unsafe { rustle_ticker_new(&raw const configuration, ticker, error) }
    })
}

/// A call on a ticker with a session, which a panic leaves running and everything else ends.
pub(crate) fn on_ticker(point: u32, call: HandleCall) -> Attempt {
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

pub(crate) fn ticker_free(point: u32) -> Attempt {
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

pub(crate) fn session_cancel(point: u32) -> Attempt {
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

pub(crate) fn session_free(point: u32) -> Attempt {
    let ticker = Ticker::new(0);
    let probe = Probe::default();
    let session = ticker
        .start("BTC", RUSTLE_LANE_EVENTS, &probe)
        .expect("the engine is whole");
    let attempt = freed(point, session, rustle_session_free, free_session);
    settle(&ticker, &probe, false);
    attempt
}

pub(crate) fn ticker_start(point: u32) -> Attempt {
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

pub(crate) fn ticker_drain(point: u32) -> Attempt {
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

pub(crate) fn sink_exercise(point: u32) -> Attempt {
    let probe = Probe::default();
    // SAFETY: the probe outlives the call, and does not read the event.
    let attempt = attempt(point, |error| unsafe {
        rustle_sink_exercise(probe.sink(), null(), 3, error)
    });
    let is_done = attempt.status == RUSTLE_OK;
    assert_eq!(
        (probe.signals(), probe.ends().len()),
        if is_done { (3, 1) } else { (0, 0) }
    );
    attempt
}
