//! The feed, as the tests of the boundary drive it: one symbol, whose trades a consumer gets. Its numbers of policies are those
//! of the lanes.

use super::{begin, make, stream, Engine, RINGS};
use rustle::feed::*;
use rustle::lent::{Choice, Lent, RustleString};
use rustle::status::RUSTLE_OK;
use rustle::{rustle_feed_run, RUSTLE_NEW_FEED_SIMULATED, RUSTLE_START_FEED_TRADES};
use std::ptr::{null, null_mut};

pub(super) const ENGINE: Engine = Engine {
    name: "feed",
    lanes: RINGS,
    stream: stream!(RUSTLE_START_FEED_TRADES, RustleTrade),
    new: |runtime, per_second, limit| {
        let symbol = RustleString::of("BTC");
        let configuration = RustleSimulatedFeed {
            // SAFETY: the symbol is this frame's own, as is the record.
            symbols: unsafe { Lent::new(&raw const symbol) },
            symbol_count: 1,
            // SAFETY: there are none.
            parameters: unsafe { Lent::new(null()) },
            parameter_count: 0,
            updates_per_second: per_second,
            seed: 1,
            update_limit: limit,
            runtime,
            model: RustleModel::Walk.into(),
            reserved: 0,
        };
        make(RUSTLE_NEW_FEED_SIMULATED, &configuration)
    },
    // The first start also runs the source.
    begin: |engine, feed, work, lane, sink| {
        let request = RustleTradeRequest {
            subscription: RustleFeedSubscription {
                // SAFETY: there are none.
                symbols: unsafe { Lent::new(null()) },
                symbol_count: 0,
                all: true.into(),
                reserved: 0,
            },
            policy: RustleFeedPolicy {
                kind: Choice::of_number(lane.lane.number()),
                reserved: 0,
                capacity: lane.capacity,
                interval_ns: 0,
            },
        };
        work.arm();
        let session = begin(engine, feed, &request, sink)?;
        // SAFETY: NULL is allowed as the record of an error.
        assert_eq!(unsafe { rustle_feed_run(feed, null_mut()) }, RUSTLE_OK);
        Ok(session)
    },
};
