//! Calls of feeds and their sessions.

mod host;
mod server;

use crate::calls::{attempt, freed, made, Attempt, HandleCall};
use crate::objects::{free_session, new_runtime, Owned, Probe};
use rustle::feed::*;
use rustle::lane::RustleLaneStatistics;
use rustle::runtime::rustle_runtime_advance;
use rustle::status::{RustleError, RustleStatus, RUSTLE_OK};
use rustle::{RustleHandle, RustleString};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

pub(crate) use host::*;
pub(crate) use server::*;

const NAME: &str = "BTC";

/// The kinds of consumers.
#[derive(Clone, Copy)]
pub(crate) enum Records {
    Quotes,
    Candles,
    Statistics,
    Alerts,
    Notices,
}

fn string(text: &str) -> RustleString {
    RustleString {
        data: text.as_ptr(),
        length: text.len(),
    }
}

fn free_feed(feed: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_feed_free(feed, null_mut()) }
}

/// A feed of two quotes, on a runtime of its own, which stands still. The feed goes first.
struct Stage {
    feed: Option<Owned>,
    runtime: Owned,
}

fn new_simulated(runtime: RustleHandle, feed: *mut RustleHandle, error: *mut RustleError) -> RustleStatus {
    let symbol = string(NAME);
    let configuration = RustleSimulatedFeed {
        symbols: &raw const symbol,
        symbol_count: 1,
        parameters: null(),
        parameter_count: 0,
        updates_per_second: 1_000.0,
        seed: 1,
        update_limit: 2,
        runtime,
        model: RUSTLE_MODEL_GBM,
        reserved: 0,
    };
    // SAFETY: the configuration is this frame's own; the rest is the callers'.
    unsafe { rustle_feed_new_simulated(&raw const configuration, feed, error) }
}

impl Stage {
    fn new() -> Self {
        let runtime = new_runtime();
        let mut feed = 0;
        assert_eq!(
            new_simulated(runtime.handle, &raw mut feed, null_mut()),
            RUSTLE_OK
        );
        Self {
            feed: Owned::new(feed, free_feed),
            runtime,
        }
    }

    fn handle(&self) -> RustleHandle {
        self.feed.as_ref().map_or(0, |feed| feed.handle)
    }

    fn advance(&self, nanoseconds: u64) {
        // SAFETY: NULL is allowed as the record of an error.
        let status = unsafe { rustle_runtime_advance(self.runtime.handle, nanoseconds, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
    }

    fn start(&self, records: Records, probe: &Probe) -> Owned {
        let mut session = 0;
        let status = start(self.handle(), records, probe, &raw mut session, null_mut());
        assert_eq!(status, RUSTLE_OK);
        Owned::new(session, free_session).expect("a handle")
    }

    fn run(&self, error: *mut RustleError) -> RustleStatus {
        // SAFETY: the record is the caller's.
        unsafe { rustle_feed_run(self.handle(), error) }
    }

    /// Lets the runtime do what is due; the session of `probe` then runs, or has been released once.
    fn settle(&self, probe: &Probe, is_running: bool) {
        self.advance(0);
        assert_eq!(probe.ends().len(), usize::from(!is_running));
    }
}

fn start(
    feed: RustleHandle,
    records: Records,
    probe: &Probe,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let all = RustleFeedSubscription {
        symbols: null(),
        symbol_count: 0,
        all: 1,
        reserved: 0,
    };
    let policy = RustleFeedPolicy {
        kind: RUSTLE_POLICY_DROP_OLDEST,
        reserved: 0,
        capacity: 64,
        interval_ns: 0,
    };
    let threshold = RustleFeedThreshold {
        symbol: string(NAME),
        level_units: 1,
        hysteresis_units: 0,
        direction: RUSTLE_DIRECTION_ABOVE,
        level_scale: 2,
        hysteresis_scale: 0,
        reserved: [0; 2],
    };
    let (all, policy, sink) = (&raw const all, &raw const policy, probe.sink());
    match records {
        // SAFETY: the records are this frame's own, here and below; the probe outlives its session; the rest is the callers'.
        Records::Quotes => unsafe { rustle_feed_start_quotes(feed, all, policy, sink, session, error) },
        // SAFETY: as above.
        Records::Candles => unsafe {
            rustle_feed_start_candles(feed, all, 1_000_000_000, 0, policy, sink, session, error)
        },
        // SAFETY: as above.
        Records::Statistics => unsafe {
            rustle_feed_start_statistics(feed, all, 1_000_000_000, policy, sink, session, error)
        },
        // SAFETY: as above.
        Records::Alerts => unsafe {
            rustle_feed_start_alerts(feed, &raw const threshold, 1, policy, sink, session, error)
        },
        // SAFETY: as above.
        Records::Notices => unsafe {
            rustle_feed_start_notices(feed, RUSTLE_NOTICES_ALL, 64, sink, session, error)
        },
    }
}

pub(crate) fn feed_new_simulated(point: u32) -> Attempt {
    let runtime = new_runtime();
    made(point, free_feed, |feed, error| {
        new_simulated(runtime.handle, feed, error)
    })
}

pub(crate) fn feed_new_replay(point: u32) -> Attempt {
    let runtime = new_runtime();
    let configuration = RustleReplayFeed {
        // A file that can be opened: this one.
        path: string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/panics/feed.rs")),
        schema: string("symbol=s,price=p"),
        speed: 0.0,
        from_ns: 0,
        runtime: runtime.handle,
        format: RUSTLE_FORMAT_NDJSON,
        repeats: 0,
        has_from: 0,
        reserved: 0,
    };
    made(point, free_feed, |feed, error| {
        // SAFETY: the configuration and its texts are readable; the rest is the callers'.
        unsafe { rustle_feed_new_replay(&raw const configuration, feed, error) }
    })
}

pub(crate) fn feed_new_live(point: u32) -> Attempt {
    let runtime = new_runtime();
    let configuration = RustleLiveFeed {
        // Nobody is there; that is found once it runs.
        address: string("unix:/there-is-none"),
        schema: string("symbol=s,price=p"),
        connecting_ns: 1_000_000_000,
        silence_ns: 0,
        base_ns: 1_000_000,
        cap_ns: 1_000_000,
        healthy_ns: 0,
        runtime: runtime.handle,
        restarts_numbers: 1,
        subscribes: 1,
    };
    made(point, free_feed, |feed, error| {
        // SAFETY: the configuration and its texts are readable; the rest is the callers'.
        unsafe { rustle_feed_new_live(&raw const configuration, feed, error) }
    })
}

pub(crate) fn feed_run(point: u32) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let session = stage.start(Records::Quotes, &probe);
    let attempt = attempt(point, |error| stage.run(error));
    // A call that panicked left the source to be run later, or ended the feed.
    assert!(attempt.status == RUSTLE_OK || stage.run(null_mut()) == RUSTLE_OK);
    stage.advance(10_000_000);
    stage.settle(&probe, false);
    drop(session);
    attempt
}

pub(crate) fn feed_start(point: u32, records: Records) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let attempt = made(point, free_session, |session, error| {
        start(stage.handle(), records, &probe, session, error)
    });
    // A start that failed did not take the sink; the session of the other ones was freed.
    stage.settle(&probe, attempt.status != RUSTLE_OK);
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

/// Drains a consumer that has got `expected` records from the feed's two quotes.
pub(crate) fn feed_drain<Record>(
    point: u32,
    records: Records,
    expected: usize,
    call: Drain<Record>,
) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let session = stage.start(records, &probe);
    assert_eq!(stage.run(null_mut()), RUSTLE_OK);
    stage.advance(10_000_000);
    let mut buffer = [const { MaybeUninit::<Record>::uninit() }; 4];
    let mut count = usize::MAX;
    let mut drain = |error| {
        // SAFETY: the buffer and the number are this frame's own.
        unsafe {
            call(
                session.handle,
                buffer.as_mut_ptr().cast(),
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
    assert_eq!(count, expected);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

/// A call on a session, which goes on.
fn on_session(point: u32, call: impl FnOnce(RustleHandle, *mut RustleError) -> RustleStatus) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let session = stage.start(Records::Candles, &probe);
    assert_eq!(stage.run(null_mut()), RUSTLE_OK);
    stage.advance(0);
    let attempt = attempt(point, |error| call(session.handle, error));
    stage.settle(&probe, true);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

pub(crate) fn feed_subscribe(point: u32) -> Attempt {
    let name = string(NAME);
    on_session(point, |session, error| {
        // SAFETY: the name is this frame's own; the rest is the callers'.
        unsafe { rustle_feed_subscribe(session, &raw const name, 1, null(), 0, error) }
    })
}

pub(crate) fn feed_symbol(point: u32) -> Attempt {
    let (mut name, mut length) = ([0; RUSTLE_SYMBOL_CAPACITY], 0);
    let attempt = on_session(point, |session, error| {
        // SAFETY: the buffer and the length are this frame's own; the rest is the callers'.
        unsafe { rustle_feed_symbol(session, 0, name.as_mut_ptr(), name.len(), &raw mut length, error) }
    });
    let expected = if attempt.status == RUSTLE_OK { NAME } else { "" };
    assert_eq!(&name[..length], expected.as_bytes());
    attempt
}

pub(crate) fn feed_late(point: u32) -> Attempt {
    let mut late = 7;
    let attempt = on_session(point, |session, error| {
        // SAFETY: the number's place is this frame's own; the rest is the callers'.
        unsafe { rustle_feed_late(session, &raw mut late, error) }
    });
    assert_eq!(late, if attempt.status == RUSTLE_OK { 0 } else { 7 });
    attempt
}

pub(crate) fn feed_evicted(point: u32) -> Attempt {
    let mut evicted = 7;
    let attempt = on_session(point, |session, error| {
        // SAFETY: the number's place is this frame's own; the rest is the callers'.
        unsafe { rustle_feed_evicted(session, &raw mut evicted, error) }
    });
    assert_eq!(evicted, if attempt.status == RUSTLE_OK { 0 } else { 7 });
    attempt
}

pub(crate) fn feed_counts(point: u32) -> Attempt {
    let stage = Stage::new();
    assert_eq!(stage.run(null_mut()), RUSTLE_OK);
    stage.advance(10_000_000);
    let mut counts = MaybeUninit::uninit();
    // SAFETY: the record's place is this frame's own.
    let attempt = attempt(point, |error| unsafe {
        rustle_feed_counts(stage.handle(), counts.as_mut_ptr(), error)
    });
    if attempt.status == RUSTLE_OK {
        // SAFETY: a call that succeeds writes the record.
        assert_eq!(unsafe { counts.assume_init() }.quotes, 2);
    }
    attempt
}

/// A call on a feed with a session, which a panic leaves running and everything else ends.
pub(crate) fn on_feed(point: u32, call: HandleCall) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let session = stage.start(Records::Notices, &probe);
    // SAFETY: the record is `attempt`'s own.
    let attempt = attempt(point, |error| unsafe { call(stage.handle(), error) });
    stage.settle(&probe, attempt.status != RUSTLE_OK);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

pub(crate) fn feed_free(point: u32) -> Attempt {
    let mut stage = Stage::new();
    let probe = Probe::default();
    let session = stage.start(Records::Quotes, &probe);
    let owned = stage.feed.take().expect("it was not freed yet");
    let attempt = freed(point, owned, rustle_feed_free, free_feed);
    stage.settle(&probe, false);
    drop(session);
    attempt
}
