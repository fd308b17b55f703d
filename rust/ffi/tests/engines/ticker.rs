//! The ticker, as the tests of the boundary drive it.

use super::{begin, make, stream, Engine, Work, ALL_LANES};
use rustle::lent::{Lent, RustleString};
use rustle::ticker::*;
use rustle::{RUSTLE_NEW_TICKER, RUSTLE_START_TICKER};

pub(super) const ENGINE: Engine = Engine {
    name: "ticker",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_TICKER, RustlePriceUpdate),
    new: |runtime, per_second, limit| {
        let configuration = RustleTickerConfiguration {
            updates_per_second: per_second,
            seed: 1,
            update_limit: limit,
            runtime,
            has_seed: true.into(),
            reserved: 0,
        };
        make(RUSTLE_NEW_TICKER, &configuration)
    },
    begin: |engine, ticker, work, lane, sink| {
        let symbols: &[RustleString] = match work {
            // Three: a conflating lane then has more than one value to keep.
            Work::Regular => &["A", "B", "C"].map(RustleString::of),
            // The symbol of `rustle_engines::faults`, which is an ordinary name in other archives.
            Work::Panic => &["!PANIC"].map(RustleString::of),
        };
        let request = RustleTickerRequest {
            // SAFETY: the symbols are this frame's own.
            symbols: unsafe { Lent::new(symbols.as_ptr()) },
            symbol_count: symbols.len(),
            lane,
        };
        begin(engine, ticker, &request, sink)
    },
};
