//! The clock of beats, as the tests of the boundary drive it: one whose session is not joined, and whose only reports are those of its
//! state. And the monitor of sessions, without a network.

use super::{begin, make, stream, Engine, ALL_LANES};
use rustle::lent::RustleString;
use rustle::link_monitor::{RustleLinkDatagram, RustleLinkMonitorConfiguration};
use rustle::tempo::{RustleBeatReading, RustleTempoConfiguration, RustleTempoReport};
use rustle::{RUSTLE_NEW_LINK_MONITOR, RUSTLE_NEW_TEMPO, RUSTLE_START_LINK_MONITOR, RUSTLE_START_TEMPO};

pub(super) const TEMPO: Engine = Engine {
    name: "tempo",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_TEMPO, RustleTempoReport),
    new: |runtime, per_second, limit| {
        let configuration = RustleTempoConfiguration {
            interfaces: RustleString::of(""),
            beats_a_minute: 120.0,
            quantum: 4.0,
            reports_per_second: per_second,
            report_limit: limit,
            runtime,
            followed: 0,
            reading: RustleBeatReading::Smooth.into(),
            follows_start_stop: false.into(),
            port: 0,
            reserved: 0,
        };
        make(RUSTLE_NEW_TEMPO, &configuration)
    },
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &lane, sink)
    },
};

pub(super) const MONITOR: Engine = Engine {
    name: "link_monitor",
    lanes: ALL_LANES,
    stream: stream!(RUSTLE_START_LINK_MONITOR, RustleLinkDatagram),
    new: |runtime, per_second, limit| {
        let configuration = RustleLinkMonitorConfiguration {
            interfaces: RustleString::of("demo"),
            messages_per_second: per_second,
            message_limit: limit,
            runtime,
            port: 0,
            reserved: 0,
        };
        make(RUSTLE_NEW_LINK_MONITOR, &configuration)
    },
    begin: |engine, handle, work, lane, sink| {
        work.arm();
        begin(engine, handle, &lane, sink)
    },
};
