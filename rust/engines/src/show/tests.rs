//! Shows on a clock that the test moves, on senders whose packets go to captures.

mod changes;
mod frames;
mod live;
mod nodes;

use super::shared::Shared;
use super::*;
use crate::dmx::{DEMO_INTERFACE, DmxConfiguration, DmxEngine, DmxProtocol, DmxSession};
use crate::lane::{Lane, NoBell};
use crate::outlet::{Delivery, Outlet};
use crate::ring::Overflow;
use crate::runtime::Runtime;
use rustle_lighting::sacn::{Packet, parse};
use rustle_lighting::sender::FrameRate;
use rustle_lighting::{Cid, Name};
use rustle_shows::fixture::{Profile, Rig};
use rustle_shows::player::{Input, Player};
use rustle_shows::show::{Demo, Show};
use rustle_testkit::allocations_in;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The bytes of a capture's header, of a record's, and of the headers of IPv4 and UDP.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const HEADERS: usize = 28;
const FRAME: u64 = 22_727_272;

/// A show with one full white scene, a dark one, and a cue for each.
const TWO_SCENES: &str = r#"{"v":1,"scenes":[
    {"name":"full","layers":[{"effect":"solid"}]},
    {"name":"dark","layers":[]}],
    "cues":[{"scene":"full"},{"scene":"dark"}]}"#;
const ONE_DIMMER: &str = r#"{"v":1,"fixtures":[
    {"id":1,"profile":"dimmer","protocol":"sacn","universe":7,"address":3}]}"#;

/// A file that is removed with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("rustle-show-{}-{number}.pcap", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn path(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }

    /// The datagrams, each with its time in ns.
    fn datagrams(&self) -> Vec<(u64, Vec<u8>)> {
        let bytes = fs::read(&self.0).expect("a capture");
        let mut rest = &bytes[FILE_HEADER..];
        let mut datagrams = Vec::new();
        while let Some((header, packets)) = rest.split_at_checked(RECORD_HEADER) {
            let word = |place: usize| {
                let four = header[place..].first_chunk().expect("a whole header");
                u64::from(u32::from_le_bytes(*four))
            };
            let (time, length) = (word(0) * 1_000_000_000 + word(4), word(8) as usize);
            let (packet, others) = packets.split_at(length);
            datagrams.push((time, packet[HEADERS..].to_vec()));
            rest = others;
        }
        assert!(rest.is_empty(), "whole records");
        datagrams
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A sender without a network whose packets go to a capture.
fn sender(
    runtime: &Arc<Runtime>,
    capture: String,
    protocol: DmxProtocol,
    rate: FrameRate,
) -> (DmxEngine, DmxSession) {
    let cid: Cid = "6f8c2a60-1e0b-4c39-9d3e-0a1b2c3d4e5f".parse().expect("a UUID");
    let configuration = DmxConfiguration {
        interface: DEMO_INTERFACE.to_owned(),
        // sACN multicasts without one.
        destinations: match protocol {
            DmxProtocol::Sacn => Vec::new(),
            DmxProtocol::ArtNet => vec!["10.0.0.7".to_owned()],
        },
        capture: Some(capture),
        rate,
        ..DmxConfiguration::new(protocol, cid, Name::new("show").expect("short"))
    };
    let senders = DmxEngine::on(runtime.clone(), configuration).expect("a good configuration");
    let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a valid capacity");
    let sender = senders.start(delivery).expect("started");
    (senders, sender)
}

struct Stand {
    runtime: Arc<Runtime>,
    capture: Scratch,
    _senders: DmxEngine,
    sender: DmxSession,
    engine: ShowEngine,
}

impl Stand {
    fn new(show: Show, rig: Rig) -> Self {
        let runtime = Arc::new(Runtime::manual(0));
        let capture = Scratch::new();
        let (senders, sender) = sender(&runtime, capture.path(), DmxProtocol::Sacn, FrameRate::FULL);
        let engine = ShowEngine::on(runtime.clone(), ShowConfiguration::new(show, rig));
        Self {
            engine: engine.expect("a good configuration"),
            runtime,
            capture,
            _senders: senders,
            sender,
        }
    }

    fn of(show: &str, rig: &str) -> Self {
        let (show, faults) = Show::read(show.as_bytes()).expect("a show");
        assert_eq!(faults, []);
        let (rig, faults) = Rig::read(rig.as_bytes(), &Profile::built_in()).expect("a rig");
        assert_eq!(faults, []);
        Self::new(show, rig)
    }

    fn start(&self) -> ShowSession {
        let outputs = vec![self.sender.output().clone()];
        self.engine.start(outputs, None, ring()).expect("started")
    }

    /// The levels of a slot of a universe, in its packets, with their times.
    fn levels(&self, universe: u16, slot: usize) -> Vec<(u64, u8)> {
        let datagrams = self.capture.datagrams();
        let data = datagrams.iter().filter_map(|(time, bytes)| match parse(bytes) {
            Ok(Packet::Data(data)) if data.universe.get() == universe => Some((*time, data.slots[slot - 1])),
            _ => None,
        });
        data.collect()
    }
}

fn ring() -> Delivery<ShowReport> {
    Delivery::pull(Overflow::DropOldest, 1_024, NoBell).expect("a valid capacity")
}

fn reports(session: &ShowSession) -> Vec<ShowReport> {
    let mut reports = Vec::new();
    session.drain(1_024, |report, _| reports.push(report));
    reports
}

#[test]
fn frame_is_rendered_a_quarter_of_a_frame_before_it_is_sent() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    stand.runtime.advance(Duration::from_nanos(FRAME - 1));
    let session = stand.start();
    stand.runtime.advance(Duration::from_nanos(3 * FRAME));
    let levels = stand.levels(7, 3);
    // A sender that had nothing to send does not wait for its frame.
    let times: Vec<u64> = levels.iter().map(|(time, _)| *time).collect();
    assert_eq!(times[..2], [39_772_727, 45_454_545]);
    assert_eq!(levels[0].1, 255);
    session.with_frame(|frame, time, beats| {
        assert_eq!((frame.len(), frame[0][2]), (1, 255));
        assert!(time > 0 && beats > 0.0);
    });
}

#[test]
fn blackout_is_in_the_next_packets_and_the_light_comes_back() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::from_millis(500));
    session.input(Input::Blackout(true)).expect("an input");
    let asked = 500_000_000;
    stand.runtime.advance(Duration::from_millis(500));
    let dark: Vec<u64> = stand
        .levels(7, 3)
        .iter()
        .filter(|(_, level)| *level == 0)
        .map(|(time, _)| *time)
        .collect();
    let latency = dark[0] - asked;
    assert!(latency <= FRAME, "{latency} ns");
    session.input(Input::Blackout(false)).expect("an input");
    stand.runtime.advance(Duration::from_millis(500));
    assert_eq!(stand.levels(7, 3).last().map(|(_, level)| *level), Some(255));
    let kinds: Vec<_> = reports(&session)
        .iter()
        .map(|report| (report.kind, report.is_blackout))
        .collect();
    assert!(
        kinds.contains(&(ShowReportKind::Blackout, true))
            && kinds.contains(&(ShowReportKind::Blackout, false))
    );
}

/// The level is the part of a beat that has passed, 12 more in each frame.
#[test]
fn packet_has_the_beats_of_its_own_time() {
    let ramp = r#"{"v":1,"scenes":[{"name":"ramp","layers":[{"effect":"solid","opacity":0,"modulators":[
        {"target":"opacity","source":"oscillator","shape":"ramp","rate":{"beats":1},"amount":1}]}]}]}"#;
    let stand = Stand::of(ramp, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::from_millis(2_010));
    session.set_tempo(90.0).expect("a tempo");
    stand.runtime.advance(Duration::from_secs(2));
    let levels = stand.levels(7, 3);
    let start = levels[0].0;
    // The tempo is that of the coming frame.
    let change = levels.iter().find(|(time, _)| *time > 2_010_000_000);
    let (change, _) = change.expect("a packet after the change");
    for (time, level) in &levels {
        let minutes = |from: u64, to: u64| to.saturating_sub(from) as f64 / 60e9;
        let beats = 120.0 * minutes(start, *time.min(change)) + 90.0 * minutes(*change, *time);
        let expected = 255.0 * beats.fract();
        let distance = (f64::from(*level) - expected).abs();
        // A whole beat is none.
        let distance = distance.min(255.0 - distance);
        assert!(distance < 0.6, "{level}, not {expected}, at {time}");
    }
    assert!(levels.len() > 170, "{}", levels.len());
    session.with_frame(|_, time, _| {
        // The frame that is sent next, or was sent last.
        let now = stand.runtime.clock().now() - start;
        assert!(time.abs_diff(now) <= FRAME, "{time} at {now}");
    });
}

#[test]
fn steady_frames_need_no_memory() {
    let stand = Stand::new(Demo::Festival.show(), Demo::Festival.rig());
    // Without a sender, which is woken for each frame.
    let shared = Arc::new(Shared::new(stand.engine.map().frame()));
    let ShowConfiguration { show, rig, .. } = stand.engine.configuration();
    let (lane, bell) = (Lane::new(Overflow::DropOldest, 1, 1), Box::new(NoBell));
    let lane = Arc::new(lane.expect("memory"));
    let outlet = Outlet::Pull { lane, bell };
    let mut job = stand.engine.job(shared, Player::new(show, rig), None, outlet);
    let frames = job.own_frames;
    let mut time = job.begin(frames.from(0), frames);
    let mut render = || {
        let (count, ()) = allocations_in(|| job.render(time, frames));
        // As in a poll, which delivers them.
        job.course.reports.clear();
        time = frames.from(time + 1);
        count
    };
    // Whatever grows has its size after the first cues.
    let counts: Vec<u64> = (0..44 * 90).map(|_| render()).collect();
    let (first, steady) = counts.split_at(44 * 60);
    assert!(first.iter().sum::<u64>() > 0, "the counter counts");
    assert_eq!(steady.iter().sum::<u64>(), 0);
}

#[test]
fn show_that_is_played_again_sends_the_same_packets() {
    let play = |steps: &[u64]| {
        let stand = Stand::new(Demo::Festival.show(), Demo::Festival.rig());
        let session = stand.start();
        let (mut left, mut step) = (20_000_u64, 0);
        while left > 0 {
            let by = steps[step % steps.len()].min(left);
            // At the same time, whatever the steps.
            stand.runtime.advance(Duration::from_millis(by));
            left -= by;
            step += 1;
            if left == 10_000 {
                session.set_tempo(93.0).expect("a tempo");
                session.input(Input::Go).expect("an input");
            }
        }
        stand.capture.datagrams()
    };
    let first = play(&[1_000]);
    assert!(first.len() > 1_000, "{}", first.len());
    assert!(first == play(&[10_000]), "the same packets at the same times");
}

#[test]
fn session_reports_cues_and_counts_its_frames() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::from_secs(1));
    session.input(Input::Go).expect("an input");
    stand.runtime.advance(Duration::from_secs(1));
    session.input(Input::Go).expect("an input");
    stand.runtime.advance(Duration::from_secs(1));
    let reports = reports(&session);
    let of = |kind| {
        reports
            .iter()
            .filter(move |report| report.kind == kind)
            .map(|report| report.cue)
    };
    assert_eq!(
        of(ShowReportKind::CueStarted).collect::<Vec<_>>(),
        [Some(0), Some(1)]
    );
    assert_eq!(of(ShowReportKind::CuesEnded).collect::<Vec<_>>(), [Some(1)]);
    let sequences: Vec<_> = reports.iter().map(|report| report.sequence).collect();
    assert_eq!(sequences, (0..reports.len() as u64).collect::<Vec<_>>());
    let last = reports.last().expect("reports");
    assert!((131..=134).contains(&last.frames), "{last:?}");
    assert_eq!((last.skipped, last.outputs), (0, 1));
}

#[test]
fn input_that_the_show_does_not_have_is_refused_and_changes_nothing() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    for input in [
        Input::Cue(2),
        Input::Master(1.5),
        Input::Master(f32::NAN),
        Input::Fader { fader: 0, level: 1.0 },
    ] {
        assert!(
            matches!(session.input(input), Err(ShowError::Input(_))),
            "{input:?}"
        );
    }
    for bpm in [0.5, 1_000.0, f64::NAN] {
        assert!(matches!(session.set_tempo(bpm), Err(ShowError::Tempo { .. })));
    }
    stand.runtime.advance(Duration::from_secs(1));
    assert!(
        reports(&session)
            .iter()
            .all(|report| report.bpm == 120.0 && report.master == 1.0)
    );
}

#[test]
fn output_that_ends_leaves_the_show_to_the_others() {
    let stand = Stand::of(TWO_SCENES, ONE_DIMMER);
    let session = stand.start();
    stand.runtime.advance(Duration::from_millis(500));
    stand.sender.cancel();
    stand.runtime.advance(Duration::from_secs(2));
    let last = *reports(&session).last().expect("reports");
    assert_eq!(last.outputs, 0);
    assert!(last.frames > 80, "{last:?}");
    assert!(!session.is_released());
    session.detach(stand.sender.output());
}
