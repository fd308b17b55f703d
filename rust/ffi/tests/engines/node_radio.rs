//! The radio for nodes, as the tests of the boundary drive it: the demonstration's scan, four nodes.

use super::{begin, make, stream, Engine, ALL_LANES};
use rustle::lent::RustleString;
use rustle::node_radio::{RustleNodeRadioConfiguration, RustleNodeSighting};
use rustle::{RUSTLE_NEW_NODE_RADIO, RUSTLE_START_NODE_RADIO_SCAN};

pub(super) const RADIO: Engine = Engine {
    name: "node_radio",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_NODE_RADIO_SCAN, RustleNodeSighting),
    new: |runtime, per_second, limit| {
        let configuration = RustleNodeRadioConfiguration {
            adapter: RustleString::of("demo"),
            changes_per_second: per_second / 4.0,
            changes_limit: limit,
            runtime,
        };
        make(RUSTLE_NEW_NODE_RADIO, &configuration)
    },
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &lane, sink)
    },
};
