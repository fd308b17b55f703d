//! Levels and events of universes.

use super::*;
use rustle_lighting::receiver::SyncRule;
use rustle_lighting::sender::{FrameRate, SacnOutput, SacnSender, SacnSenderSettings};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn levels_of_both_protocols_are_reported_when_they_change() {
    let stage = Stage::new(|c| {
        c.sacn = vec![universe(7), universe(3), universe(7)];
        c.art_net = vec![port(0)];
    });
    let (levels, events) = (stage.levels(), stage.events());
    stage.sacn(&data(1, 3, 1, &[10, 20]), 3);
    stage.sacn(&data(1, 3, 2, &[10, 20]), 3);
    stage.sacn(&data(1, 3, 3, &[11]), 3);
    stage.art_net(&art(0, 0, 1, &[30, 40]));
    stage.sacn(&data(1, 7, 1, &[50]), 7);
    stage.sacn(&data(1, 8, 1, &[60]), 8);
    let got = levels.take();
    assert_eq!(
        shown(&got),
        [(3, [10, 20]), (3, [11, 0]), (0, [30, 40]), (7, [50, 0])]
    );
    let numbers: Vec<_> = got
        .iter()
        .map(|record| (record.sequence, record.change))
        .collect();
    assert_eq!(numbers, [(0, 0), (1, 1), (2, 2), (3, 3)]);
    let kinds: Vec<_> = got.iter().map(|record| (record.protocol, record.place)).collect();
    let (sacn, art_net) = (DmxProtocol::Sacn, DmxProtocol::ArtNet);
    assert_eq!(kinds, [(sacn, 0), (sacn, 0), (art_net, 2), (sacn, 1)]);
    assert!(
        got.iter()
            .all(|record| record.sources == 1 && record.time_ns == 1_000_000_000)
    );
    let got = events.take();
    assert_eq!(
        super::kinds(&got),
        [3, 0, 7].map(|number| (number, DmxEventKind::SourceAppeared))
    );
    assert_eq!((got[0].text.as_str(), got[0].address), ("source 1", THERE));
    assert_eq!((got[1].cid, got[1].address), (None, THERE));
}

#[test]
fn sources_are_merged_by_priority_and_lost_after_their_time() {
    let stage = Stage::new(|c| c.sacn = vec![universe(1)]);
    let (levels, events) = (stage.levels(), stage.events());
    stage.sacn(&data(1, 1, 1, &[10, 200]), 1);
    stage.sacn(&data(2, 1, 1, &[90, 20]), 1);
    let mut high = data(3, 1, 1, &[5, 5]);
    high.set_priority(150);
    stage.sacn(&high, 1);
    let got = levels.take();
    assert_eq!(shown(&got), [(1, [10, 200]), (1, [90, 200]), (1, [5, 5])]);
    assert_eq!(got[2].sources, 3);
    events.take();
    // The winner stops; the others go on until it is lost.
    for second in 1..=3 {
        stage.runtime.advance(ms(1_000));
        stage.sacn(&data(1, 1, 1 + second, &[10, 200]), 1);
        stage.sacn(&data(2, 1, 1 + second, &[90, 20]), 1);
    }
    assert_eq!(shown(&levels.take()), [(1, [90, 200])]);
    assert_eq!(kinds(&events.take()), [(1, DmxEventKind::SourceTimedOut)]);
    let mut end = data(2, 1, 9, &[0, 0]);
    end.set_options(sacn::Options::TERMINATED);
    stage.sacn(&end, 1);
    stage.sacn(&data(1, 1, 9, &[10, 200]), 1);
    assert_eq!(shown(&levels.take()), [(1, [10, 200])]);
    assert_eq!(kinds(&events.take()), [(1, DmxEventKind::SourceTerminated)]);
    // Deadlines are kept without a packet: the universe holds what it showed.
    stage.runtime.advance(ms(2_500));
    assert_eq!(
        kinds(&events.take()),
        [(1, DmxEventKind::SourceTimedOut), (1, DmxEventKind::UniverseLost)]
    );
    assert_eq!(levels.take(), []);
}

#[test]
fn art_net_merges_two_sources_and_reports_a_third() {
    let stage = Stage::new(|c| c.art_net = vec![port(291)]);
    let (levels, events) = (stage.levels(), stage.events());
    for physical in 0..3 {
        let mut slots = [physical; 2];
        slots[usize::from(physical % 2)] = 100 + physical;
        stage.art_net(&art(291, physical, 1, &slots));
    }
    assert_eq!(shown(&levels.take()), [(291, [100, 0]), (291, [100, 101])]);
    assert_eq!(
        kinds(&events.take()),
        [
            (291, DmxEventKind::SourceAppeared),
            (291, DmxEventKind::SourceAppeared),
            (291, DmxEventKind::SourcesExceeded)
        ]
    );
    assert_eq!(stage.receiver.sources(DmxProtocol::ArtNet, 291).len(), 2);
    stage.runtime.advance(ms(10_000));
    assert_eq!(stage.receiver.sources(DmxProtocol::ArtNet, 291).len(), 0);
}

#[test]
fn forgotten_source_leaves_at_once() {
    let stage = Stage::new(|c| c.sacn = vec![universe(1)]);
    let (levels, events) = (stage.levels(), stage.events());
    stage.sacn(&data(1, 1, 1, &[10]), 1);
    stage.sacn(&data(2, 1, 1, &[20]), 1);
    let sources = stage.receiver.sources(DmxProtocol::Sacn, 1);
    assert!(stage.receiver.forget(1, &sources[1]));
    assert!(!stage.receiver.forget(1, &sources[1]));
    stage.runtime.advance(Duration::ZERO);
    assert_eq!(shown(&levels.take()), [(1, [10, 0]), (1, [20, 0]), (1, [10, 0])]);
    assert_eq!(kinds(&events.take())[2], (1, DmxEventKind::SourceForgotten));
}

#[test]
fn synchronized_universes_change_together_and_their_address_is_joined_and_left() {
    let stage = Stage::new(|c| c.sacn = (1..=3).map(universe).collect());
    let (levels, events) = (stage.levels(), stage.events());
    let frame = |frame: u8| {
        for number in 1..=3 {
            let mut packet = data(1, number, frame, &[frame]);
            packet.set_sync_address(Some(universe(700)));
            stage.sacn(&packet, number);
        }
        stage.send(
            sync(1, 700, frame).bytes(),
            (universe(700).group(), sacn::PORT).into(),
        );
    };
    frame(1);
    levels.take();
    for number in 2..5 {
        frame(number);
        let got = levels.take();
        assert_eq!(shown(&got), [1, 2, 3].map(|universe| (universe, [number, 0])));
        assert_eq!(
            got.iter()
                .map(|record| record.change)
                .collect::<BTreeSet<_>>()
                .len(),
            1
        );
    }
    assert!(kinds(&events.take()).contains(&(700, DmxEventKind::SyncHeard)));
    assert_eq!(stage.receiver.counts().sacn.syncs, 4);
    // Without synchronization, and without an address in the data, its group is left.
    for number in 1..=3 {
        stage.sacn(&data(1, number, 9, &[99]), number);
    }
    stage.send(
        sync(1, 700, 10).bytes(),
        (universe(700).group(), sacn::PORT).into(),
    );
    assert_eq!(stage.side.network.counts().unreachable, 1);
}

/// The synchronization packet waited in a socket that was read before those of the frame's data: universes of further sockets showed
/// the frame before.
#[test]
fn synchronization_is_heard_after_the_data_that_wait_in_other_sockets() {
    let mut stage = Stage::new(|c| c.sacn = (1..=5).map(universe).collect());
    stage.side.groups = 1;
    let levels = stage.levels();
    assert_eq!(stage.side.opened.load(Ordering::SeqCst), 5);
    // Each address is once that of the first socket, of one between and of the last.
    for (source, address) in [(1, 1), (2, 3), (3, 5)] {
        for frame in 1..=4 {
            for number in 1..=5 {
                let mut packet = data(source, number, frame, &[10 * source + frame]);
                packet.set_priority(100 + source);
                packet.set_sync_address(Some(universe(address)));
                let to = (universe(number).group(), sacn::PORT).into();
                stage.sender.try_send(packet.bytes(), Some(to)).expect("sent");
            }
            let to = (universe(address).group(), sacn::PORT).into();
            stage.send(sync(source, address, frame).bytes(), to);
            let got: BTreeMap<_, _> = shown(&levels.take()).into_iter().collect();
            let wanted = (1..=5).map(|universe| (universe, [10 * source + frame, 0]));
            assert_eq!(got, wanted.collect(), "address {address}");
        }
    }
}

#[test]
fn group_of_a_synchronization_address_that_is_refused_is_reported_once_and_tried_again() {
    let stage = Stage::new(|c| c.sacn = vec![universe(1)]);
    let refuse = |group| *stage.side.refused.lock().expect("a sound lock") = group;
    refuse(Some(universe(700).group()));
    let events = stage.events();
    let send = |sequence| {
        let mut packet = data(1, 1, sequence, &[1]);
        packet.set_sync_address(Some(universe(700)));
        stage.sacn(&packet, 1);
    };
    // Past the first new try.
    for sequence in 1..=12 {
        send(sequence);
        stage.runtime.advance(Duration::from_secs(1));
    }
    let got = events.take();
    assert_eq!(
        kinds(&got),
        [
            (1, DmxEventKind::SourceAppeared),
            (700, DmxEventKind::GroupRefused)
        ]
    );
    assert_eq!(got[1].text.as_str(), "permission denied");
    refuse(None);
    for sequence in 13..=24 {
        send(sequence);
        stage.runtime.advance(Duration::from_secs(1));
    }
    let group = (universe(700).group(), sacn::PORT);
    stage.send(sync(1, 700, 1).bytes(), group.into());
    assert_eq!(kinds(&events.take()), [(700, DmxEventKind::SyncHeard)]);
}

/// A source of eight universes that are synchronized, over a bad network: each change of a receiver of whole frames has all of them,
/// of one frame.
#[test]
fn no_universe_of_a_frame_is_shown_apart_over_a_network_with_accidents() {
    let conditions = Conditions {
        delay: 0..=4 * MS,
        loss: 0.03,
        duplication: 0.05,
        reordering: 0.05,
        lag: 6 * MS,
    };
    let stage = Stage::in_network(conditions, |c| {
        c.sacn = (1..=8).map(universe).collect();
        c.sync_rule = SyncRule::Whole;
    });
    let levels = stage.levels();
    let settings = SacnSenderSettings {
        cid: Cid::from_random([1; 16]),
        name: Name::new("source").expect("short"),
        rate: FrameRate::FULL,
        sync_gap_ns: 3 * MS,
    };
    let mut sender = SacnSender::new(settings, 0);
    for number in 1..=8 {
        let output = SacnOutput {
            sync_address: Some(universe(700)),
            ..SacnOutput::default()
        };
        sender.add(universe(number), output).expect("new");
    }
    let (mut now, mut frames, mut stages) = (0, BTreeMap::new(), BTreeSet::new());
    for frame in 0..1_000_u64 {
        for number in 1..=8 {
            let slots = (frame as u16).to_be_bytes();
            sender.set_levels(universe(number), &slots).expect("added");
        }
        let end = FrameRate::FULL.offset_ns(frame + 1);
        while let Some(next) = sender.next_ns().filter(|next| *next < end) {
            stage.runtime.advance(Duration::from_nanos(next - now));
            now = next;
            sender.advance(now);
            for datagram in sender.datagrams() {
                (stage.sender.try_send(datagram.bytes, Some(datagram.to.into()))).expect("sent");
            }
        }
        stage.runtime.advance(Duration::from_nanos(end - now));
        now = end;
        let mut change = None;
        for record in levels.take() {
            if change
                .replace(record.change)
                .is_some_and(|before| before != record.change)
            {
                assert_whole(&frames, &mut stages);
            }
            frames.insert(record.universe, [record.levels[0], record.levels[1]]);
        }
        if change.is_some() {
            assert_whole(&frames, &mut stages);
        }
    }
    let counts = stage.receiver.counts();
    assert!(counts.sacn.frames_incomplete > 0, "the network loses packets");
    assert!(stages.len() > 400, "{} frames of 1,000 were shown", stages.len());
}

fn assert_whole(frames: &BTreeMap<u16, [u8; 2]>, stages: &mut BTreeSet<[u8; 2]>) {
    let all: BTreeSet<_> = frames.values().copied().collect();
    assert_eq!((frames.len(), all.len()), (8, 1), "{frames:?}");
    stages.extend(all);
}
