//! The feed, as the tests of the boundary drive it: one symbol, whose quotes a consumer gets. Its numbers of policies are those
//! of the lanes.

use super::{drained, made, Drained, Engine, Work, RINGS};
use rustle::feed::*;
use rustle::sink::RustleSink;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::{RustleHandle, RustleString};
use std::ptr::{null, null_mut};

pub(super) const ENGINE: Engine = Engine {
    name: "feed",
    lanes: RINGS,
    new,
    start,
    drain,
    free,
};

fn new(runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus> {
    let symbol = RustleString {
        data: b"BTC".as_ptr(),
        length: 3,
    };
    let configuration = RustleSimulatedFeed {
        symbols: &raw const symbol,
        symbol_count: 1,
        parameters: null(),
        parameter_count: 0,
        updates_per_second: per_second,
        seed: 1,
        update_limit: limit,
        runtime,
        model: RUSTLE_MODEL_WALK,
        reserved: 0,
    };
    // SAFETY: the configuration is this frame's own; NULL is allowed as the record of an error.
    made(|feed| unsafe { rustle_feed_new_simulated(&raw const configuration, feed, null_mut()) })
}

/// The first start also runs the source.
fn start(
    feed: RustleHandle,
    work: Work,
    lane: u32,
    capacity: usize,
    sink: RustleSink,
) -> Result<RustleHandle, RustleStatus> {
    let subscription = RustleFeedSubscription {
        symbols: null(),
        symbol_count: 0,
        all: 1,
        reserved: 0,
    };
    let policy = RustleFeedPolicy {
        kind: lane,
        reserved: 0,
        capacity,
        interval_ns: 0,
    };
    work.arm();
    let session = made(|session| {
        // SAFETY: the records are this frame's own; NULL is allowed as the record of an error.
        unsafe {
            rustle_feed_start_quotes(
                feed,
                &raw const subscription,
                &raw const policy,
                sink,
                session,
                null_mut(),
            )
        }
    })?;
    // SAFETY: NULL is allowed as the record of an error.
    assert_eq!(unsafe { rustle_feed_run(feed, null_mut()) }, RUSTLE_OK);
    Ok(session)
}

fn drain(session: RustleHandle, most: usize) -> Drained {
    drained(
        most,
        |buffer: *mut RustleQuote, count, statistics| {
            // SAFETY: the buffer has room for so many, and the results are the callers'; NULL is allowed as the record of an
            // error.
            unsafe { rustle_feed_drain_quotes(session, buffer, most, count, statistics, null_mut()) }
        },
        |quote| quote.gap,
    )
}

fn free(feed: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_feed_free(feed, null_mut()) }
}
