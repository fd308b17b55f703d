//! The receiver of DMX and the browser of nodes, as the tests of the boundary drive them: without a network, one universe.

use super::{begin, make, stream, Engine, ALL_LANES};
use rustle::dmx_nodes::{RustleDMXNode, RustleDMXNodesConfiguration};
use rustle::dmx_receiver::{
    RustleDMXLevels, RustleDMXLevelsRequest, RustleDMXLoss, RustleDMXMerge, RustleDMXReceiverConfiguration,
    RustleDMXSyncRule,
};
use rustle::lent::RustleString;
use rustle::{
    RUSTLE_NEW_DMX_NODES, RUSTLE_NEW_DMX_RECEIVER, RUSTLE_START_DMX_NODES, RUSTLE_START_DMX_RECEIVER_LEVELS,
};

pub(super) const RECEIVER: Engine = Engine {
    name: "dmx_receiver",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_DMX_RECEIVER_LEVELS, RustleDMXLevels),
    new: |runtime, per_second, limit| {
        let configuration = RustleDMXReceiverConfiguration {
            interface: RustleString::of("demo"),
            sacn: RustleString::of("1"),
            art_net: RustleString::of(""),
            short_name: RustleString::of("rows"),
            long_name: RustleString::of("rows"),
            levels_per_second: per_second,
            levels_limit: limit,
            settle_ns: 0,
            fade_ns: 0,
            runtime,
            sync_rule: RustleDMXSyncRule::Latest.into(),
            merge: RustleDMXMerge::Htp.into(),
            on_loss: RustleDMXLoss::Hold.into(),
            sources: 16,
            sacn_port: 0,
            art_net_port: 0,
            includes_previews: false.into(),
            answers_polls: true.into(),
        };
        make(RUSTLE_NEW_DMX_RECEIVER, &configuration)
    },
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &RustleDMXLevelsRequest { lane }, sink)
    },
};

pub(super) const NODES: Engine = Engine {
    name: "dmx_nodes",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_DMX_NODES, RustleDMXNode),
    new: |runtime, per_second, limit| {
        let configuration = RustleDMXNodesConfiguration {
            interface: RustleString::of("demo"),
            addresses: RustleString::of(""),
            short_name: RustleString::of("rows"),
            long_name: RustleString::of("rows"),
            changes_per_second: per_second / 4.0,
            changes_limit: limit,
            runtime,
            port: 0,
            reserved: 0,
        };
        make(RUSTLE_NEW_DMX_NODES, &configuration)
    },
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &lane, sink)
    },
};
