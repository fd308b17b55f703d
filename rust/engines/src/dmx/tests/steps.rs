//! The steps of a transmission, on a clock that the test moves.

use super::super::counters::{Counters, DmxSentCounts, Tally};
use super::super::error::DmxError;
use super::super::mailbox::Mailbox;
use super::super::source::Source;
use super::super::transmission::{Shared, Sleeper, Transmission};
use super::super::wire::{NoWire, Wire};
use super::{DEMO_INTERFACE, DmxConfiguration, DmxEngine, DmxProtocol, configuration, start};
use crate::job::Release;
use crate::lane::NoBell;
use crate::outlet::Delivery;
use crate::ring::Overflow;
use crate::runtime::Runtime;
use rustle_lighting::artnet;
use rustle_lighting::sacn::{Options, Packet, parse};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FRAME: u64 = 22_727_272;

/// A universe's packet: universe, sequence, first level, whether it ends the universe.
pub(super) type Sent = (u16, u8, u8, bool);

/// A wire that keeps the packets of the last step.
#[derive(Clone, Default)]
pub(super) struct Notes(Arc<Mutex<Vec<Sent>>>);

impl Notes {
    pub(super) fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.0.lock().expect("a sound lock"))
    }
}

impl Wire for Notes {
    fn send(&mut self, source: &Source, tally: &Tally, _: u64) {
        for datagram in source
            .packets()
            .flat_map(rustle_lighting::sender::Packet::datagrams)
        {
            tally.counters.sent(1, datagram.bytes.len());
            if let Ok(Packet::Data(data)) = parse(datagram.bytes) {
                let ends = data.options.has(Options::TERMINATED);
                let sent = (data.universe.get(), data.sequence, data.slots[0], ends);
                self.0.lock().expect("a sound lock").push(sent);
            }
            if let Ok(artnet::Packet::Dmx(dmx)) = artnet::parse(datagram.bytes) {
                let sent = (dmx.address.get(), dmx.sequence, dmx.slots[0], false);
                self.0.lock().expect("a sound lock").push(sent);
            }
        }
    }
}

pub(super) fn transmission(
    configuration: &DmxConfiguration,
    wire: impl Wire + 'static,
) -> (Transmission, Arc<Shared>) {
    let destinations = configuration.check().expect("a good configuration");
    let shared = Arc::new(Shared {
        mailbox: Mailbox::new(configuration.protocol),
        counters: Arc::new(Counters::new(destinations.len())),
        sleeper: Sleeper::default(),
        subscriptions: Default::default(),
    });
    let source = Source::new(configuration, destinations, None, 0);
    (Transmission::new(source, Box::new(wire), shared.clone()), shared)
}

#[test]
fn nothing_is_sent_before_levels_and_each_universe_counts_by_itself() -> Result<(), DmxError> {
    let notes = Notes::default();
    let (mut sender, shared) = transmission(&configuration(DmxProtocol::Sacn), notes.clone());
    for universe in [1, 2, 400] {
        shared.mailbox.set_priority(universe, 120)?;
    }
    assert_eq!(sender.step(0), None, "nothing to wait for");
    assert_eq!(shared.counters.look().datagrams, 0);
    shared.mailbox.set_levels(&[1], &[9])?;
    let mut next = sender.step(5);
    assert_eq!((next, notes.take()), (Some(FRAME), Vec::new()));
    next = sender.step(FRAME);
    assert_eq!(notes.take(), [(1, 1, 9, false)]);
    // With one counter for all, the second packet of a universe would be three or more ahead.
    for frame in 1..=3 {
        shared.mailbox.set_levels(&[1, 2, 400], &[frame; 3])?;
        next = sender.step(next.expect("another frame"));
        let sent = notes.take();
        let sequences: Vec<_> = sent.iter().map(|sent| (sent.0, sent.1)).collect();
        assert_eq!(sequences, [(1, frame + 1), (2, frame), (400, frame)]);
    }
    Ok(())
}

#[test]
fn packets_count_for_their_universe_from_its_addition_on() -> Result<(), DmxError> {
    let (mut sender, shared) = transmission(&configuration(DmxProtocol::Sacn), NoWire);
    let mailbox = &shared.mailbox;
    let packets = |universes: [u32; 3]| -> Result<[u64; 3], DmxError> {
        let [one, two, three] = universes.map(|universe| mailbox.counts(universe));
        Ok([one?.packets, two?.packets, three?.packets])
    };
    mailbox.set_levels(&[1, 2], &[5, 5])?;
    let mut frame = 1;
    for level in 6..9 {
        sender.step(frame * (FRAME + 1));
        mailbox.set_levels(&[1], &[level])?;
        frame += 1;
    }
    // A change and its repetitions of both, and nothing of one that is not there.
    assert_eq!(packets([1, 2, 3])?, [3, 3, 0]);
    for _ in 0..3 {
        sender.step(frame * (FRAME + 1));
        frame += 1;
    }
    assert_eq!(packets([1, 2, 3])?, [6, 4, 0]);
    mailbox.remove(1)?;
    assert_eq!(mailbox.counts(1)?, DmxSentCounts::default());
    mailbox.set_levels(&[1], &[1])?;
    sender.step(frame * (FRAME + 1));
    assert_eq!(packets([1, 2, 3])?, [1, 4, 0], "the universe begins anew");
    assert!(mailbox.counts(0).is_err());
    sender.finish((frame + 1) * (FRAME + 1));
    assert_eq!(packets([1, 2, 3])?, [4, 7, 0], "with the terminations");
    Ok(())
}

#[test]
fn levels_that_are_written_just_before_the_end_are_sent() -> Result<(), DmxError> {
    for (protocol, ends) in [(DmxProtocol::Sacn, 3), (DmxProtocol::ArtNet, 0)] {
        let notes = Notes::default();
        let (mut sender, shared) = transmission(&configuration(protocol), notes.clone());
        shared.mailbox.set_levels(&[1, 2], &[9, 9])?;
        sender.step(FRAME);
        notes.take();
        shared.mailbox.set_levels(&[1], &[7])?;
        shared.mailbox.remove(1)?;
        shared.mailbox.set_levels(&[2], &[0])?;
        sender.finish(2 * FRAME);
        let sent = notes.take();
        for (universe, level) in [(1, 7), (2, 0)] {
            let of_universe = sent.iter().filter(|sent| sent.0 == universe);
            let levels: Vec<_> = of_universe.map(|sent| (sent.2, sent.3)).collect();
            let mut expected = vec![(level, false)];
            expected.extend(vec![(level, true); ends]);
            assert_eq!(levels, expected, "{protocol:?}");
        }
    }
    Ok(())
}

#[test]
fn terminations_leave_three_times_a_frame_apart() -> Result<(), DmxError> {
    let notes = Notes::default();
    let (mut sender, shared) = transmission(&configuration(DmxProtocol::Sacn), notes.clone());
    shared.mailbox.set_levels(&[1, 7], &[3, 4])?;
    sender.step(0);
    notes.take();
    sender.stop();
    // What is written after the end is not sent.
    shared.mailbox.set_levels(&[1], &[200])?;
    let mut times = Vec::new();
    let mut next = sender.step(1);
    while let Some(at) = next.filter(|_| !sender.is_finished()) {
        next = sender.step(at);
        times.push((at / 1_000_000, notes.take()));
    }
    let ends = |sequence| vec![(1, sequence, 3, true), (7, sequence, 4, true)];
    assert_eq!(times, [(22, ends(2)), (45, ends(3)), (68, ends(4))]);
    assert_eq!(shared.counters.look().universes, 0);
    Ok(())
}

#[test]
fn late_step_sends_one_frame_and_counts_the_skipped_ones() -> Result<(), DmxError> {
    let notes = Notes::default();
    let (mut sender, shared) = transmission(&configuration(DmxProtocol::Sacn), notes.clone());
    shared.mailbox.set_levels(&[1], &[1])?;
    sender.step(0);
    notes.take();
    let next = sender.step(10 * FRAME + 500_000);
    assert_eq!(notes.take().len(), 1);
    let counts = shared.counters.report(0);
    assert_eq!((counts.frames, counts.skipped), (2, 9));
    assert_eq!(counts.lateness_ns, 9 * FRAME + 500_000);
    let next = next.expect("another frame");
    sender.step(next + 7);
    let later = shared.counters.report(1);
    assert_eq!(
        (later.lateness_ns, later.longest_lateness_ns),
        (7, counts.lateness_ns)
    );
    Ok(())
}

#[test]
fn frame_of_several_universes_is_never_torn() -> Result<(), DmxError> {
    const UNIVERSES: u32 = 50;
    let notes = Notes::default();
    let configuration = DmxConfiguration {
        destinations: vec!["127.0.0.1".to_owned()],
        ..configuration(DmxProtocol::ArtNet)
    };
    let (mut sender, shared) = transmission(&configuration, notes.clone());
    let universes: Vec<u32> = (0..UNIVERSES).collect();
    let writer = shared.clone();
    std::thread::scope(|scope| {
        let writing = scope.spawn(move || {
            for value in 0..=255 {
                let slots = vec![value; 2 * UNIVERSES as usize];
                writer
                    .mailbox
                    .set_levels(&universes, &slots)
                    .expect("universes of its own");
                std::thread::yield_now();
            }
        });
        let mut shown = vec![None; UNIVERSES as usize];
        // Two more steps than the caller needs: one takes its last levels, one is their frame.
        let (mut now, mut more) = (0, 2);
        while more > 0 {
            more -= u32::from(writing.is_finished());
            now = sender.step(now).unwrap_or(now + 1);
            for (universe, _, level, _) in notes.take() {
                shown[usize::from(universe)] = Some(level);
            }
            assert!(shown.iter().all(|level| *level == shown[0]), "torn: {shown:?}");
        }
        assert_eq!(shown[0], Some(255));
    });
    Ok(())
}

#[test]
fn steps_allocate_nothing_once_every_universe_was_written() -> Result<(), DmxError> {
    let (mut sender, shared) = transmission(&configuration(DmxProtocol::Sacn), NoWire);
    let universes: Vec<u32> = (1..=100).collect();
    let mut next = 0;
    let mut frame = |value: u8| {
        let slots = vec![value; 51_200];
        let written = shared.mailbox.set_levels(&universes, &slots);
        let (count, step) = rustle_testkit::allocations_in(|| sender.step(next));
        next = step.expect("another frame");
        written.map(|()| count)
    };
    frame(0)?;
    frame(1)?;
    for value in 2..100 {
        assert_eq!(frame(value)?, 0);
    }
    assert_eq!(shared.counters.look().packets, 10_000);
    Ok(())
}

#[test]
fn session_on_a_manual_clock_sends_reports_and_ends() {
    let runtime = Arc::new(Runtime::manual(0));
    let (engine, session, ends) = start(&runtime, configuration(DmxProtocol::Sacn));
    session.set_priority(5, 90).expect("a universe");
    runtime.advance(Duration::from_secs(1));
    assert_eq!(session.counts().datagrams, 0);
    session.set_levels(&[5], &[255; 512]).expect("levels");
    runtime.advance(Duration::from_secs(10));
    let counts = session.counts();
    // The change, three repetitions, and then one in 0.8 to 1 s; and the list of universes.
    assert_eq!(counts.packets, 4 + 10);
    assert_eq!((counts.datagrams, counts.universes, counts.skipped), (15, 1, 0));
    drop(engine);
    runtime.advance(Duration::ZERO);
    assert_eq!(ends.recv(), Ok(Release::Cancelled));
    assert_eq!(
        session.counts().packets,
        4 + 10 + 3,
        "terminations, though the owner was dropped"
    );
    assert_eq!(session.counts().universes, 0);
}

#[test]
fn reports_are_numbered_and_their_limit_is_the_end() {
    let runtime = Arc::new(Runtime::manual(0));
    let configuration = DmxConfiguration {
        reports_per_second: 2.0,
        report_limit: Some(3),
        ..configuration(DmxProtocol::Sacn)
    };
    let engine = DmxEngine::on(runtime.clone(), configuration).expect("a good configuration");
    let delivery = Delivery::pull(Overflow::DropOldest, 8, NoBell).expect("a capacity");
    let session = engine.start(delivery).expect("a session");
    runtime.advance(Duration::ZERO);
    session.set_levels(&[1], &[1]).expect("levels");
    runtime.advance(Duration::from_secs(5));
    let mut reports = Vec::new();
    session.drain(8, |report, _| reports.push((report.sequence, report.packets)));
    assert_eq!(reports, [(0, 0), (1, 4), (2, 5)]);
    assert!(session.is_released());
    assert_eq!(session.counts().packets, 5 + 3);
}

#[test]
fn settings_are_checked_before_anything_is_opened() {
    let runtime = Arc::new(Runtime::manual(0));
    let refusal = |change: fn(&mut DmxConfiguration), protocol| {
        let mut configuration = DmxConfiguration {
            interface: DEMO_INTERFACE.to_owned(),
            destinations: vec!["10.0.0.1".to_owned()],
            ..configuration(protocol)
        };
        change(&mut configuration);
        let refusal = DmxEngine::on(runtime.clone(), configuration).err();
        refusal.expect("a refusal").to_string()
    };
    let sacn = |change| refusal(change, DmxProtocol::Sacn);
    let art_net = |change| refusal(change, DmxProtocol::ArtNet);
    assert!(sacn(|c| c.priority = 201).contains("got 201"));
    assert!(sacn(|c| c.destinations.push("10.0.0".to_owned())).contains("got \"10.0.0\""));
    assert!(sacn(|c| c.destinations.push("10.0.0.1:0".to_owned())).contains("expected an IPv4"));
    assert!(sacn(|c| c.destinations = vec!["10.0.0.1".to_owned(); 1_025]).contains("got 1025"));
    assert!(sacn(|c| c.broadcasts = true).starts_with("broadcast"));
    assert!(sacn(|c| c.reports_per_second = f64::NAN).contains("NaN"));
    assert!(sacn(|c| c.destinations.push("239.255.0.1".to_owned())).contains("of a host or a broadcast"));
    assert!(art_net(|c| c.sync_gap_ns = 1_000_000_001).contains("got 1000000001"));
    let without = |c: &mut DmxConfiguration| {
        c.destinations.clear();
        c.interface = "lo".to_owned();
    };
    assert!(art_net(without).contains("for Art-Net, got none"));
    assert!(art_net(|c| c.is_preview = true).starts_with("preview"));
}
