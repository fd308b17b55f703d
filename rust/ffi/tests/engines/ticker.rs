//! The ticker, as the tests of the boundary drive it.

use super::{made, Drained, Engine, Work, ALL_LANES};
use rustle::sink::RustleSink;
use rustle::status::RustleStatus;
use rustle::ticker::*;
use rustle::{RustleHandle, RustleString};
use std::ptr::null_mut;

pub(super) const ENGINE: Engine = Engine {
    name: "ticker",
    lanes: ALL_LANES,
    new,
    start,
    drain,
    free,
};

fn new(runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus> {
    let configuration = RustleTickerConfiguration {
        updates_per_second: per_second,
        seed: 1,
        update_limit: limit,
        runtime,
        has_seed: 1,
        reserved: 0,
    };
    // SAFETY: the configuration is this frame's own; NULL is allowed as the record of an error.
    made(|ticker| unsafe { rustle_ticker_new(&raw const configuration, ticker, null_mut()) })
}

fn start(
    ticker: RustleHandle,
    work: Work,
    lane: u32,
    capacity: usize,
    sink: RustleSink,
) -> Result<RustleHandle, RustleStatus> {
    let symbols: &[&str] = match work {
        // Three: a lane that keeps the latest of each then has more than one to keep.
        Work::Regular => &["A", "B", "C"],
        // The symbol of `rustle_engines::faults`, which other archives take for a name like any other.
        Work::Panic => &["!PANIC"],
    };
    let names: Vec<RustleString> = symbols
        .iter()
        .map(|name| RustleString {
            data: name.as_ptr(),
            length: name.len(),
        })
        .collect();
    // SAFETY: the names are this frame's own; NULL is allowed as the record of an error.
    made(|session| unsafe {
        rustle_ticker_start(
            ticker,
            names.as_ptr(),
            names.len(),
            lane,
            capacity,
            sink,
            session,
            null_mut(),
        )
    })
}

fn drain(session: RustleHandle, most: usize) -> Drained {
    super::drained(
        most,
        |buffer: *mut RustlePriceUpdate, count, statistics| {
            // SAFETY: the buffer has room for so many, and the results are the callers'; NULL is allowed as the record of an error.
            unsafe { rustle_ticker_drain(session, buffer, most, count, statistics, null_mut()) }
        },
        |update| update.gap,
    )
}

fn free(ticker: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_ticker_free(ticker, null_mut()) }
}
