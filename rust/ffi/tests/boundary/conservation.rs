//! Ten million values through each policy of the batched lane of each engine: every dropped value is counted, and a consumer that
//! does not drain costs no memory.

use crate::engines::{free, Engine, Stage, Work, ENGINES, RUSTLE_LANE_DROP_NEWEST, RUSTLE_LANE_PER_VALUE};
use crate::harness::Probe;
use rustle::status::RUSTLE_OK;
use rustle::RustleHandle;

const VALUES: u64 = 10_000_000;
const MILLISECOND: u64 = 1_000_000;

/// Each engine in each of its lanes that has a ring.
fn rings() -> impl Iterator<Item = (Engine, u32)> {
    ENGINES.iter().flat_map(|engine| {
        let rings = engine.lanes.iter().filter(|lane| **lane != RUSTLE_LANE_PER_VALUE);
        rings.map(|lane| (*engine, *lane))
    })
}

/// An engine of a million values per second on a stopped clock, with a session of ten million.
fn started(engine: Engine, lane: u32, probe: &Probe) -> (Stage, RustleHandle) {
    let stage = Stage::new(engine, 1e6, VALUES);
    let session = engine.start(stage.handle, Work::Regular, lane, 4_096, probe.sink());
    (stage, session.expect(engine.name))
}

/// Frees a session and its engine, and checks the release.
fn end(stage: Stage, session: RustleHandle, probe: &Probe) {
    assert_eq!(free(session), RUSTLE_OK);
    drop(stage);
    assert_eq!(probe.ends().len(), 1);
}

#[test]
fn ten_million_values_are_delivered_or_counted_as_dropped() {
    let _alone = crate::alone();
    for (engine, lane) in rings() {
        let name = format!("{}, lane {lane}", engine.name);
        let probe = Probe::default();
        let (stage, session) = started(engine, lane, &probe);
        let drain = |most| engine.drain(session, most).expect(&name);
        let (mut delivered, mut reported) = (0, 0);
        for step in 0..2_001 {
            stage.advance(5 * MILLISECOND);
            // Some steps drain all, some a part, some nothing: 5,000 values come in each.
            let (count, gaps, s) = drain([8_192, 0, 1_000, 4_096][step % 4]);
            delivered += count;
            reported += gaps;
            assert_eq!(s.produced, s.delivered + s.dropped + s.waiting, "{name}");
            assert_eq!(s.delivered, delivered, "{name}");
        }
        let (count, gaps, statistics) = drain(8_192);
        delivered += count;
        reported += gaps;
        assert_eq!(statistics.produced, VALUES, "{name}");
        assert_eq!(statistics.waiting, 0, "{name}");
        assert_eq!(delivered + statistics.dropped, VALUES, "{name}");
        assert_eq!(reported + statistics.unreported, statistics.dropped, "{name}");
        if lane != RUSTLE_LANE_DROP_NEWEST {
            assert_eq!(statistics.unreported, 0, "{name}: a loss after the last value");
        }
        end(stage, session, &probe);
    }
}

#[test]
fn bell_rings_whenever_a_ring_stops_being_empty() {
    let _alone = crate::alone();
    for (engine, lane) in rings() {
        let name = format!("{}, lane {lane}", engine.name);
        let probe = Probe::default();
        let (stage, session) = started(engine, lane, &probe);
        let drain = |most| engine.drain(session, most).expect(&name);
        let mut before = 0;
        for step in 0..400 {
            // Within a step the ring is filled once or several times before anybody looks.
            for _ in 0..1 + step % 3 {
                stage.advance((1 + step % 5) * MILLISECOND);
            }
            assert!(drain(0).2.waiting > 0, "{name}, step {step}");
            let rung = probe.signals();
            assert!(rung > before, "{name}, step {step}: values wait and no bell rang");
            before = rung;
            while drain(4_096).0 > 0 {}
        }
        assert_eq!(probe.events(), 0, "{name}: a bell has no event");
        end(stage, session, &probe);
    }
}

#[test]
fn ten_million_events_are_each_called_for() {
    let _alone = crate::alone();
    let has_events = |engine: &&Engine| engine.lanes.contains(&RUSTLE_LANE_PER_VALUE);
    for engine in ENGINES.iter().filter(has_events) {
        let probe = Probe::default();
        let (stage, session) = started(*engine, RUSTLE_LANE_PER_VALUE, &probe);
        for _ in 0..11 {
            stage.advance(1_000 * MILLISECOND);
        }
        assert_eq!(u64::from(probe.events()), VALUES, "{}", engine.name);
        end(stage, session, &probe);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn stalled_consumer_costs_no_memory() {
    let _alone = crate::alone();
    /// The bytes of this process that are in memory: the second number of statm, in pages of 4 KiB.
    fn resident() -> i64 {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
        let pages = statm.split(' ').nth(1).expect("the second number");
        4_096 * pages.parse::<i64>().expect("a number")
    }
    for (engine, lane) in rings() {
        let name = format!("{}, lane {lane}", engine.name);
        let probe = Probe::default();
        let (stage, session) = started(engine, lane, &probe);
        // The ring and the batch reach their size.
        stage.advance(100 * MILLISECOND);
        let before = resident();
        stage.advance(10_000 * MILLISECOND);
        let growth = resident() - before;
        assert!(growth < 1_000_000, "{name}: {growth} bytes");
        let (_, _, statistics) = engine.drain(session, 0).expect(&name);
        assert_eq!(statistics.produced, VALUES, "{name}");
        end(stage, session, &probe);
    }
}
