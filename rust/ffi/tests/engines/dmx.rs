//! The sender of DMX, as the tests of the boundary drive it: without a network, one value for each report.

use super::{begin, make, stream, Engine, ALL_LANES};
use rustle::dmx::{RustleDMXConfiguration, RustleDMXProtocol, RustleDMXReport};
use rustle::lent::RustleString;
use rustle::{RUSTLE_NEW_DMX_SENDER, RUSTLE_START_DMX_SENDER};

pub(super) const SENDER: Engine = Engine {
    name: "dmx_sender",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_DMX_SENDER, RustleDMXReport),
    new: |runtime, per_second, limit| {
        let configuration = RustleDMXConfiguration {
            interface: RustleString::of("demo"),
            destinations: RustleString::of(""),
            cid: RustleString::of("6f8c2a60-1e0b-4c39-9d3e-0a1b2c3d4e5f"),
            name: RustleString::of("rows"),
            capture: RustleString::of(""),
            universes: RustleString::of(""),
            frames_a_second: 44.0,
            reports_per_second: per_second,
            report_limit: limit,
            sync_gap_ns: 0,
            since_ms: 0,
            runtime,
            kind: RustleDMXProtocol::Sacn.into(),
            priority: 100,
            sync_address: 0,
            time_to_live: 1,
            broadcasts: false.into(),
            sends_art_sync: false.into(),
            forces_sync: false.into(),
            is_preview: false.into(),
        };
        make(RUSTLE_NEW_DMX_SENDER, &configuration)
    },
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &lane, sink)
    },
};
