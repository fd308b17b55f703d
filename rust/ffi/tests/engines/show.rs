//! The show, as the tests of the boundary drive it: a dark one without senders, whose only reports are those of its state.

use super::{begin, make, stream, Engine, ALL_LANES};
use rustle::lent::RustleString;
use rustle::show::{RustleShowConfiguration, RustleShowReport};
use rustle::{RUSTLE_NEW_SHOW, RUSTLE_START_SHOW};

pub(super) const SHOW: Engine = Engine {
    name: "show",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_SHOW, RustleShowReport),
    new: |runtime, per_second, limit| {
        let configuration = RustleShowConfiguration {
            show: RustleString::of(""),
            rig: RustleString::of(""),
            demo: RustleString::of("pars"),
            beats_a_minute: 120.0,
            frames_a_second: 44.0,
            reports_per_second: per_second,
            report_limit: limit,
            runtime,
            sacn: 0,
            art_net: 0,
            clock: 0,
            starts_in_blackout: true.into(),
            reserved: 0,
        };
        make(RUSTLE_NEW_SHOW, &configuration)
    },
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &lane, sink)
    },
};
