//! Sending ArtDmx and ArtSync.

use crate::support::{MS, SECOND, port};
use rustle_lighting::PortAddress;
use rustle_lighting::artnet::{PORT, Packet, parse};
use rustle_lighting::sender::{ArtNetSender, ArtNetSenderSettings, Destinations, FrameRate, SenderError};
use std::net::{Ipv4Addr, SocketAddrV4};

const START: u64 = 77 * SECOND;
const ZERO: PortAddress = PortAddress::FIRST;

fn host(number: u8) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, number), PORT)
}

fn sender(sync: &[SocketAddrV4], sync_gap_ns: u64) -> ArtNetSender {
    let settings = ArtNetSenderSettings {
        rate: FrameRate::FULL,
        sync: sync.to_vec(),
        sync_gap_ns,
    };
    ArtNetSender::new(settings, START)
}

/// The time, the destination, and Port-Address, sequence number and first slot; `None` for an ArtSync.
type Sent = (u64, SocketAddrV4, Option<(u16, u8, u8)>);

fn run(sender: &mut ArtNetSender, now: &mut u64, until: u64) -> Vec<Sent> {
    let mut sent = Vec::new();
    while let Some(next) = sender.next_ns().filter(|next| *next <= until) {
        *now = (*now).max(next);
        sender.advance(*now);
        sent.extend(sender.datagrams().map(|datagram| {
            let packet = match parse(datagram.bytes).expect("well-formed") {
                Packet::Dmx(dmx) => Some((dmx.address.get(), dmx.sequence, dmx.slots[0])),
                Packet::Sync => None,
                packet => panic!("{packet:?}"),
            };
            (*now, datagram.to, packet)
        }));
    }
    *now = until;
    sent
}

#[test]
fn sequence_numbers_count_per_port_address_from_255_to_1() {
    let mut sender = sender(&[], 0);
    let mut now = START;
    for number in [0, 5] {
        sender
            .add(port(number), 0, Destinations::Fixed(vec![host(1)]))
            .expect("new");
    }
    let mut sequences = [Vec::new(), Vec::new()];
    for frame in 0..600_u32 {
        sender.set_levels(ZERO, &frame.to_be_bytes()).expect("added");
        if frame % 2 == 0 {
            sender.set_levels(port(5), &frame.to_be_bytes()).expect("added");
        }
        let until = START + FrameRate::FULL.offset_ns(u64::from(frame));
        for (_, _, packet) in run(&mut sender, &mut now, until) {
            let (address, sequence, _) = packet.expect("no ArtSync");
            sequences[usize::from(address == 5)].push(sequence);
        }
    }
    let expected = |count: usize| {
        (0..count)
            .map(|index| (index % 255 + 1) as u8)
            .collect::<Vec<_>>()
    };
    assert_eq!(sequences, [expected(600), expected(300)]);
}

#[test]
fn still_data_are_repeated_every_800_to_1000_ms() {
    let mut sender = sender(&[], 0);
    sender
        .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
        .expect("new");
    sender.set_levels(ZERO, &[1, 2, 3]).expect("added");
    let mut now = START;
    let mut sent = run(&mut sender, &mut now, START + 5 * SECOND);
    // An odd number of slots is the same data again.
    sender.set_levels(ZERO, &[1, 2, 3]).expect("added");
    sent.extend(run(&mut sender, &mut now, START + 10 * SECOND));
    let gaps: Vec<u64> = sent.windows(2).map(|pair| (pair[1].0 - pair[0].0) / MS).collect();
    assert!(
        gaps.iter().all(|gap| (800..=1_000).contains(gap)) && gaps.len() > 9,
        "{gaps:?}"
    );
}

#[test]
fn data_go_to_the_nodes_that_list_the_address_and_to_nobody_else() {
    let mut sender = sender(&[], 0);
    let mut now = START;
    sender.add(ZERO, 0, Destinations::Subscribers).expect("new");
    sender.set_levels(ZERO, &[1]).expect("added");
    assert!(run(&mut sender, &mut now, START + SECOND).is_empty());
    sender
        .subscribe(ZERO, [*host(4).ip(), *host(5).ip()].into_iter())
        .expect("added");
    let sent = run(&mut sender, &mut now, START + SECOND + 23 * MS);
    assert_eq!(
        sent.iter().map(|sent| sent.1).collect::<Vec<_>>(),
        [host(4), host(5)],
        "with the next frame"
    );
    sender
        .subscribe(ZERO, [*host(5).ip()].into_iter())
        .expect("added");
    sender.set_levels(ZERO, &[2]).expect("added");
    let sent = run(&mut sender, &mut now, START + SECOND + 50 * MS);
    assert_eq!(sent.iter().map(|sent| sent.1).collect::<Vec<_>>(), [host(5)]);
}

#[test]
fn subscriptions_do_not_replace_explicit_addresses() {
    let mut sender = sender(&[], 0);
    sender
        .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
        .expect("new");
    sender
        .subscribe(ZERO, [*host(9).ip()].into_iter())
        .expect("added");
    sender.set_levels(ZERO, &[1]).expect("added");
    let sent = run(&mut sender, &mut START.clone(), START + MS);
    assert_eq!(sent.iter().map(|sent| sent.1).collect::<Vec<_>>(), [host(1)]);
}

#[test]
fn synchronized_frame_is_all_its_data_and_then_one_art_sync() {
    let broadcast = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 255), PORT);
    let mut sender = sender(&[broadcast], MS);
    let mut now = START;
    for number in 0..3 {
        sender
            .add(port(number), 0, Destinations::Fixed(vec![host(1)]))
            .expect("new");
        sender.set_levels(port(number), &[1]).expect("added");
    }
    run(&mut sender, &mut now, START + SECOND + 500 * MS);
    sender.set_levels(port(1), &[2]).expect("added");
    let until = now + 24 * MS;
    let sent = run(&mut sender, &mut now, until);
    let data: Vec<_> = sent
        .iter()
        .filter_map(|sent| sent.2)
        .map(|packet| (packet.0, packet.2))
        .collect();
    assert_eq!(data, [(0, 1), (1, 2), (2, 1)]);
    let last = sent.last().expect("an ArtSync");
    assert_eq!((last.1, last.2, last.0 - sent[0].0), (broadcast, None, MS));
    assert_eq!(sent.len(), 4);
}

#[test]
fn art_sync_of_a_late_frame_comes_before_the_next_frames_data() {
    let mut sender = sender(&[host(255)], MS);
    sender
        .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
        .expect("new");
    sender.set_levels(ZERO, &[1]).expect("added");
    sender.advance(START);
    sender.set_levels(ZERO, &[2]).expect("added");
    let mut now = START + SECOND;
    let sent = run(&mut sender, &mut now, START + SECOND + MS);
    assert!(
        matches!(sent[..], [(_, _, None), (_, _, Some((0, 2, 2))), ..]),
        "{sent:?}"
    );
}

#[test]
fn removed_address_is_not_sent_again() {
    let mut sender = sender(&[], 0);
    sender
        .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
        .expect("new");
    assert_eq!(
        sender.add(ZERO, 0, Destinations::Subscribers),
        Err(SenderError::UniverseExists { got: 0 })
    );
    sender.set_levels(ZERO, &[1]).expect("added");
    sender.advance(START);
    sender.remove(ZERO).expect("added");
    assert_eq!((sender.datagrams().count(), sender.next_ns()), (0, None));
    assert_eq!(sender.remove(ZERO), Err(SenderError::UnknownUniverse { got: 0 }));
    assert_eq!(
        sender.set_levels(ZERO, &[1]),
        Err(SenderError::UnknownUniverse { got: 0 })
    );
}

#[test]
fn levels_that_wait_are_sent_before_the_address_is_removed() {
    for is_stopped in [false, true] {
        let mut sender = sender(&[host(9)], 0);
        let mut now = START;
        sender
            .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
            .expect("new");
        sender.set_levels(ZERO, &[9]).expect("added");
        run(&mut sender, &mut now, START + SECOND);
        sender.set_levels(ZERO, &[0]).expect("added");
        if is_stopped {
            sender.stop();
            assert!(!sender.is_finished());
        } else {
            sender.remove(ZERO).expect("added");
        }
        assert_eq!(
            sender.set_levels(ZERO, &[5]),
            Err(SenderError::UnknownUniverse { got: 0 })
        );
        let sent = run(&mut sender, &mut now, START + 3 * SECOND);
        let packets: Vec<_> = sent.iter().map(|sent| sent.2.map(|packet| packet.2)).collect();
        assert_eq!(packets, [Some(0), None], "the blackout and its ArtSync");
        sender.advance(now);
        assert!(sender.addresses().is_empty() && sender.is_finished());
    }
}

/// A receiver drops numbers that are up to 19 behind the last one.
#[test]
fn address_that_is_added_again_continues_its_sequence() {
    let mut sender = sender(&[], 0);
    let mut now = START;
    let to = || Destinations::Fixed(vec![host(1)]);
    sender.add(ZERO, 0, to()).expect("new");
    let mut last = 0;
    for round in 0..5_u8 {
        sender.set_levels(ZERO, &[round]).expect("added");
        if round % 2 == 0 {
            let until = now + SECOND / 10;
            run(&mut sender, &mut now, until);
            last += 1;
        }
        // Also while its last levels wait.
        sender.remove(ZERO).expect("added");
        sender.add(ZERO, 0, to()).expect("removed");
    }
    sender.set_levels(ZERO, &[99]).expect("added");
    let until = now + SECOND / 10;
    let sent = run(&mut sender, &mut now, until);
    assert_eq!(sent[0].2, Some((0, last + 1, 99)));
}

#[test]
fn address_without_subscribers_does_not_keep_the_others_at_the_full_rate() {
    let mut sender = sender(&[host(255)], 0);
    sender
        .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
        .expect("new");
    sender.add(port(1), 0, Destinations::Subscribers).expect("new");
    for number in [0, 1] {
        sender.set_levels(port(number), &[1]).expect("added");
    }
    let sent = run(&mut sender, &mut START.clone(), START + 10 * SECOND);
    let syncs = sent.iter().filter(|sent| sent.2.is_none()).count();
    assert!((11..=13).contains(&syncs) && sent.len() == 2 * syncs, "{syncs}");
}

#[test]
fn gap_of_more_than_a_period_synchronizes_several_frames_by_one_art_sync() {
    let mut sender = sender(&[host(255)], 25 * MS);
    sender
        .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
        .expect("new");
    let (mut now, mut syncs) = (START, 0);
    for frame in 0..200_u64 {
        sender.set_levels(ZERO, &frame.to_be_bytes()).expect("added");
        let sent = run(&mut sender, &mut now, START + FrameRate::FULL.offset_ns(frame));
        syncs += sent.iter().filter(|sent| sent.2.is_none()).count();
    }
    assert!((98..=101).contains(&syncs), "{syncs}");
}

#[test]
fn full_universes_are_sent_no_faster_than_dmx512_takes_them() {
    for sync in [&[][..], &[host(255)]] {
        for (hertz, slots, expected) in [(50, 512, 440), (200, 512, 440), (200, 100, 2_000)] {
            let settings = ArtNetSenderSettings {
                rate: FrameRate::from_millihertz(hertz * 1_000).expect("in range"),
                sync: sync.to_vec(),
                sync_gap_ns: 0,
            };
            let rate = settings.rate;
            let mut sender = ArtNetSender::new(settings, START);
            sender
                .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
                .expect("new");
            let mut now = START;
            for frame in 0..10 * u64::from(hertz) {
                sender.set_levels(ZERO, &vec![frame as u8; slots]).expect("added");
                run(&mut sender, &mut now, START + rate.offset_ns(frame));
            }
            let packets = sender.counters().packets;
            assert!(packets.abs_diff(expected) <= 3, "{hertz} Hz, {slots}: {packets}");
        }
    }
}

#[test]
fn frames_before_the_first_levels_are_not_skipped_ones() {
    let mut sender = sender(&[], 0);
    sender
        .add(ZERO, 0, Destinations::Fixed(vec![host(1)]))
        .expect("new");
    sender.advance(START);
    sender.set_levels(ZERO, &[1]).expect("added");
    sender.advance(START + 3 * SECOND);
    assert_eq!((sender.counters().frames, sender.counters().skipped), (1, 0));
    sender.advance(START + 4 * SECOND);
    assert_eq!((sender.counters().frames, sender.counters().skipped), (2, 43));
}
