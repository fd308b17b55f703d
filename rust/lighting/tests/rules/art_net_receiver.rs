//! Receiving ArtDmx and ArtSync: merge, sequence, synchronization.

use crate::support::{ArtNetEvent, MS, Node, SECOND, dmx, port};
use rustle_lighting::artnet::Malformed;
use rustle_lighting::receiver::{ArtNetSource, LossReason, MergeMode, OnLoss, PortSettings, ReceiverEvent};
use std::net::Ipv4Addr;

fn node() -> Node {
    Node::new(PortSettings::default())
}

fn source(host: u8, physical: u8) -> ArtNetSource {
    ArtNetSource {
        address: Ipv4Addr::new(10, 0, 0, host),
        physical,
    }
}

fn lost(host: u8, reason: LossReason) -> ArtNetEvent {
    ReceiverEvent::SourceLost {
        universe: port(0),
        source: source(host, 0),
        reason,
    }
}

#[test]
fn two_sources_merge_htp() {
    let mut node = node();
    node.dmx(1, 0, 1, &[10, 200]);
    node.dmx(2, 0, 1, &[20, 100]);
    assert_eq!(node.slots(0), [20, 200, 0]);
    assert!(node.receiver.is_merging(port(0)) && !node.receiver.is_merging(port(1)));
}

#[test]
fn two_sources_merge_ltp_when_configured() {
    let mut node = Node::new(PortSettings {
        merge: MergeMode::Ltp,
        ..PortSettings::default()
    });
    node.dmx(1, 0, 1, &[10, 200, 7, 7]);
    node.dmx(2, 0, 1, &[20, 100]);
    assert_eq!(node.slots(0), [20, 100, 7, 7]);
    node.dmx(1, 0, 2, &[10, 200, 7, 7]);
    assert_eq!(node.slots(0), [10, 200, 7, 7]);
}

#[test]
fn sources_are_told_apart_by_address_and_physical_input() {
    let mut node = node();
    node.hear(1, &dmx(0, 0, 0, &[10, 0]));
    node.hear(1, &dmx(0, 0, 1, &[0, 20]));
    assert_eq!(node.slots(0), [10, 20]);
    assert!(node.receiver.sources(port(0)).eq([source(1, 0), source(1, 1)]));
}

#[test]
fn third_source_is_ignored_and_reported_once() {
    let mut node = node();
    for (host, level) in [(1, 1), (2, 2), (3, 255), (3, 255)] {
        node.dmx(host, 0, 0, &[level]);
    }
    assert_eq!(node.slots(0), [2]);
    let exceeded = ReceiverEvent::SourcesExceeded { universe: port(0) };
    assert_eq!(
        node.events().iter().filter(|event| **event == exceeded).count(),
        1
    );
    assert_eq!(
        node.receiver
            .port_counters(node.now, port(0))
            .map(|counters| counters.excess),
        Some(2)
    );
    // A place that was freed by hand.
    assert!(node.receiver.forget(node.now, port(0), source(1, 0)));
    node.dmx(3, 0, 0, &[255]);
    assert_eq!(node.slots(0), [255]);
    node.dmx(4, 0, 0, &[1]);
    assert!(node.events().contains(&exceeded), "again, since there was room");
}

#[test]
fn silent_source_stays_in_the_merge_for_10_seconds() {
    let mut node = node();
    node.dmx(1, 0, 0, &[100]);
    for _ in 0..9 {
        node.dmx(2, 0, 0, &[50]);
        node.pass(SECOND);
    }
    node.dmx(2, 0, 0, &[50]);
    node.pass(SECOND - 1);
    assert_eq!(node.slots(0), [100]);
    node.pass(1);
    assert_eq!(node.slots(0), [50]);
    assert!(node.events().contains(&lost(1, LossReason::Timeout)));
}

#[test]
fn last_merged_result_is_held_when_both_sources_are_gone() {
    let mut node = node();
    node.dmx(1, 0, 0, &[100, 0]);
    node.dmx(2, 0, 0, &[0, 50]);
    node.pass(11 * SECOND);
    assert_eq!(
        (node.slots(0), node.receiver.sources(port(0)).count()),
        ([100, 50], 0)
    );
    assert_eq!(node.receiver.next_ns(), None);
    assert!(node.events().ends_with(&[
        lost(2, LossReason::Timeout),
        ReceiverEvent::UniverseLost { universe: port(0) }
    ]));
}

#[test]
fn what_follows_the_loss_can_be_configured() {
    let mut node = Node::new(PortSettings {
        on_loss: OnLoss::Zero,
        ..PortSettings::default()
    });
    node.dmx(1, 0, 0, &[100, 0]);
    node.pass(11 * SECOND);
    assert_eq!(node.slots(0), [0, 0]);
}

#[test]
fn packets_out_of_order_are_dropped_within_a_window_of_20() {
    for (new, is_taken) in [
        (11, true),
        (10, true),
        (9, false),
        (1, false),
        (246, false),
        (245, true),
        (0, true),
    ] {
        let mut node = node();
        node.dmx(1, 0, 10, &[1]);
        node.dmx(1, 0, new, &[2]);
        assert_eq!(node.slots(0), [if is_taken { 2 } else { 1 }], "{new}");
    }
}

#[test]
fn sequence_0_and_a_second_of_silence_forget_the_last() {
    let mut node = node();
    node.dmx(1, 0, 10, &[1]);
    node.dmx(1, 0, 0, &[2]);
    node.dmx(1, 0, 9, &[3]);
    assert_eq!(node.slots(0), [3]);
    node.pass(SECOND - 1);
    node.dmx(1, 0, 8, &[4]);
    assert_eq!(node.slots(0), [3]);
    node.pass(1);
    node.dmx(1, 0, 8, &[5]);
    assert_eq!(node.slots(0), [5]);
    assert_eq!(
        node.receiver
            .port_counters(node.now, port(0))
            .map(|counters| counters.out_of_order),
        Some(1)
    );
}

#[test]
fn sequence_wraps_from_255_to_1_and_is_per_port_address() {
    let mut node = node();
    for (number, sequence, level) in [(0, 254, 1), (0, 255, 2), (1, 3, 9), (0, 1, 3), (1, 4, 10)] {
        node.dmx(1, number, sequence, &[level]);
    }
    assert_eq!((node.slots(0), node.slots(1)), ([3], [10]));
}

#[test]
fn data_act_at_once_until_an_art_sync_and_wait_for_the_next_one_afterwards() {
    let mut node = node();
    node.dmx(1, 0, 0, &[1]);
    assert_eq!(node.slots(0), [1]);
    node.events();
    node.sync(1);
    assert_eq!(node.events(), [ReceiverEvent::SyncHeard { address: None }]);
    node.dmx(1, 0, 0, &[2]);
    node.dmx(1, 1, 0, &[2]);
    assert!(node.slots(0) == [1] && !node.shown.contains_key(&1));
    node.sync(1);
    assert_eq!((node.slots(0), node.slots(1)), ([2], [2]));
    assert_eq!(
        node.events(),
        [ReceiverEvent::SourceAppeared {
            universe: port(1),
            source: source(1, 0),
        }]
    );
}

#[test]
fn four_seconds_without_art_sync_are_immediate_again() {
    let mut node = node();
    node.dmx(1, 0, 0, &[1]);
    node.sync(1);
    for level in 2..=5 {
        node.pass(SECOND - MS);
        node.dmx(1, 0, 0, &[level]);
        assert_eq!(node.slots(0), [1]);
    }
    node.pass(4 * MS);
    assert_eq!(node.slots(0), [5]);
    node.dmx(1, 0, 0, &[6]);
    assert_eq!(node.slots(0), [6]);
    assert!(node.events().contains(&ReceiverEvent::SyncLost { address: None }));
}

#[test]
fn art_sync_of_another_sender_than_the_latest_art_dmx_is_ignored() {
    let mut node = node();
    node.sync(1);
    node.dmx(1, 0, 0, &[1]);
    node.sync(1);
    node.dmx(1, 0, 0, &[2]);
    node.sync(2);
    assert_eq!((node.slots(0), node.receiver.counters().syncs_ignored), ([1], 2));
    node.sync(1);
    assert_eq!(node.slots(0), [2]);
}

#[test]
fn art_sync_is_ignored_while_the_port_merges() {
    let mut node = node();
    node.dmx(1, 0, 0, &[1, 0]);
    node.sync(1);
    node.dmx(1, 0, 0, &[2, 0]);
    assert_eq!(node.slots(0), [1, 0]);
    node.dmx(2, 0, 0, &[0, 3]);
    assert_eq!(node.slots(0), [2, 3], "what was held acts with the second source");
    node.dmx(1, 0, 0, &[4, 0]);
    assert_eq!(node.slots(0), [4, 3]);
}

#[test]
fn what_is_not_levels_is_counted_or_returned() {
    let mut node = node();
    node.dmx(1, 100, 0, &[1]);
    node.hear(1, b"Art-Net\0\x00\x97\x00\x0E");
    node.hear(1, b"Art-Not\0");
    let counters = node.receiver.counters();
    assert_eq!((counters.other_universes, counters.other_opcodes), (1, 1));
    assert_eq!(counters.malformed[Malformed::Identifier.index()], 1);
    let poll = rustle_lighting::artnet::Poll::default().bytes();
    let packet = node.receiver.receive(node.now, Ipv4Addr::LOCALHOST, &poll);
    assert!(matches!(
        packet,
        Ok(Some(rustle_lighting::artnet::Packet::Poll(_)))
    ));
}

#[test]
fn packets_that_wait_after_a_stall_are_heard_before_sources_are_lost() {
    let mut node = node();
    node.dmx(1, 0, 1, &[1]);
    node.events();
    node.now += 11 * SECOND;
    node.dmx(1, 0, 2, &[2]);
    assert_eq!((node.slots(0), node.events()), ([2], vec![]));
}
