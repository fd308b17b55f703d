//! Shows on several nodes, each a runtime with a calendar of its own.

use super::*;
use rustle_lighting::SLOTS;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The beginning of the show, in ms of the calendar.
const SINCE_MS: u64 = 1_000_000;

/// The levels of each universe that a node sends, by the time of the calendar in ns, which starts so many ms after the show's beginning.
fn played(
    show: &str,
    rig: &str,
    after_ms: u64,
    universes: Vec<RangeInclusive<u16>>,
    seconds: u64,
) -> BTreeMap<(u64, u16), Vec<u8>> {
    let wall_ms = SINCE_MS + after_ms;
    let runtime = Arc::new(Runtime::manual(wall_ms as i64));
    let capture = Scratch::new();
    let cid: Cid = "6f8c2a60-1e0b-4c39-9d3e-0a1b2c3d4e5f".parse().expect("a UUID");
    let configuration = DmxConfiguration {
        interface: DEMO_INTERFACE.to_owned(),
        capture: Some(capture.path()),
        since_ms: Some(SINCE_MS),
        universes,
        ..DmxConfiguration::new(DmxProtocol::Sacn, cid, Name::new("node").expect("short"))
    };
    let senders = DmxEngine::on(runtime.clone(), configuration).expect("a good configuration");
    let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a valid capacity");
    let sender = senders.start(delivery).expect("started");
    let (show, faults) = Show::read(show.as_bytes()).expect("a show");
    assert_eq!(faults, []);
    let (rig, faults) = Rig::read(rig.as_bytes(), &Profile::built_in()).expect("a rig");
    assert_eq!(faults, []);
    let engine = ShowEngine::on(runtime.clone(), ShowConfiguration::new(show, rig)).expect("a show");
    let outputs = vec![sender.output().clone()];
    let _session = engine.start(outputs, None, ring()).expect("started");
    runtime.advance(Duration::from_secs(seconds));
    let datagrams = capture.datagrams();
    let data = datagrams.iter().filter_map(|(time, bytes)| match parse(bytes) {
        Ok(Packet::Data(data)) => {
            let at = wall_ms * 1_000_000 + time;
            Some(((at, data.universe.get()), data.slots.to_vec()))
        }
        _ => None,
    });
    data.collect()
}

/// A wave, a chase in seconds, and cues that follow each other all the time.
const FOLLOWING: &str = r##"{"v":1,"scenes":[
    {"name":"wave","layers":[{"effect":"wave","rate":"2 bars"}]},
    {"name":"chase","layers":[{"effect":"chase","rate":{"hertz":0.6}}]},
    {"name":"rainbow","layers":[{"effect":"rainbow","rate":{"beats":3}}]}],
    "repeats":true,
    "cues":[{"scene":"wave","follow":{"beats":3}},
            {"scene":"chase","fade_in":{"seconds":0.5},"follow":{"seconds":1.3}},
            {"scene":"rainbow","fade_in":{"beats":1},"follow":{"beats":2}}]}"##;

fn rig() -> String {
    let fixture = |number: u32| {
        let universe = 1 + number % 4;
        let address = 1 + 3 * (number / 4);
        format!(
            r#"{{"id":{number},"profile":"rgb-par","protocol":"sacn","universe":{universe},"address":{address},"position":[{number},0,3]}}"#
        )
    };
    let fixtures: Vec<String> = (0..32).map(fixture).collect();
    format!(r#"{{"v":1,"fixtures":[{}]}}"#, fixtures.join(","))
}

#[test]
fn node_that_joins_a_show_sends_what_the_others_send() {
    let first = played(FOLLOWING, &rig(), 0, Vec::new(), 12);
    let whole = |levels: &[u8]| levels.len() == SLOTS;
    assert!(first.values().all(|levels| whole(levels)));
    // Frames begin at the same times, however much later a node starts.
    for after_ms in [1, 2_503, 7_777] {
        let other = played(FOLLOWING, &rig(), after_ms, Vec::new(), 12);
        let begin = *other.keys().next().expect("packets");
        let both: Vec<_> = first
            .range(begin..)
            .filter_map(|(at, levels)| Some((levels, other.get(at)?)))
            .collect();
        assert!(both.len() > 300, "{}", both.len());
        let differences = both.iter().filter(|(one, other)| one != other).count();
        assert_eq!(differences, 0, "of {} after {after_ms} ms", both.len());
    }
    let still = first
        .values()
        .map(|levels| levels[0])
        .collect::<std::collections::BTreeSet<_>>();
    assert!(still.len() > 20, "the show moves");
}

#[test]
fn node_sends_its_own_universes_alone() {
    let universes = |ranges| {
        let played = played(FOLLOWING, &rig(), 500, ranges, 1);
        let mut numbers: Vec<u16> = played.keys().map(|(_, universe)| *universe).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    assert_eq!(universes(Vec::new()), [1, 2, 3, 4]);
    assert_eq!(universes(vec![1..=1, 3..=9]), [1, 3, 4]);
    // A rig without its universes: nothing is sent, and nothing fails.
    assert_eq!(universes(vec![5..=9]), Vec::<u16>::new());
    // The levels are those of their universe.
    let (all, one) = (
        played(FOLLOWING, &rig(), 500, Vec::new(), 1),
        played(FOLLOWING, &rig(), 500, vec![3..=3], 1),
    );
    assert!(one.len() > 40 && one.iter().all(|(at, levels)| all.get(at) == Some(levels)));
}

#[test]
fn node_that_starts_early_waits_for_the_show() {
    let wall_ms = SINCE_MS as i64 - 2_500;
    let runtime = Arc::new(Runtime::manual(wall_ms));
    let frames = crate::dmx::Frames::since(SINCE_MS, FrameRate::FULL, runtime.clock());
    assert_eq!((frames.start, frames.elapsed), (2_500_000_000, Some(0)));
}
