//! What is sent beside levels: universe discovery, per-address priority, synchronization (ANSI E1.31-2018, 8 and 11).

use crate::sent::{START, Sent, run, sender, with_universes};
use crate::support::{MS, SECOND, universe};
use rustle_lighting::SacnUniverse;
use rustle_lighting::sacn::{DISCOVERY_GROUP, Options, PORT};
use rustle_lighting::sender::{FrameRate, SacnOutput, SacnSender, Target};
use std::net::{Ipv4Addr, SocketAddrV4};

const ONE: SacnUniverse = SacnUniverse::FIRST;

#[test]
fn discovery_lists_universes_and_sync_addresses_at_the_start_and_every_10_seconds() {
    let settings = SacnOutput {
        sync_address: Some(universe(500)),
        target: Target::Unicast(vec![SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT)]),
        ..SacnOutput::default()
    };
    let mut sender = with_universes(&[7, 9, 800], &settings);
    let mut now = START;
    for number in [9, 7] {
        sender.set_levels(universe(number), &[1]).expect("added");
    }
    let sent = run(&mut sender, &mut now, START + 30 * SECOND);
    let pages: Vec<_> = sent
        .iter()
        .filter_map(|sent| sent.discovery().map(|page| (sent.at, sent.to, page)))
        .collect();
    assert_eq!(pages.len(), 4);
    for (index, (at, to, page)) in pages.iter().enumerate() {
        assert_eq!(
            (*at, *to.ip()),
            (START + index as u64 * 10 * SECOND, DISCOVERY_GROUP)
        );
        assert_eq!(*page, (0, 0, vec![7, 9, 500]), "with data, and ascending");
    }
}

#[test]
fn discovery_of_many_universes_has_pages_of_512() {
    let numbers: Vec<u32> = (1..=1_025).collect();
    let mut sender = with_universes(&numbers, &SacnOutput::default());
    for number in &numbers {
        sender.set_levels(universe(*number), &[1]).expect("added");
    }
    let sent = run(&mut sender, &mut START.clone(), START + MS);
    let pages: Vec<_> = sent.iter().filter_map(Sent::discovery).collect();
    assert_eq!(
        pages
            .iter()
            .map(|page| (page.0, page.1, page.2.len()))
            .collect::<Vec<_>>(),
        [(0, 2, 512), (1, 2, 512), (2, 2, 1)]
    );
    assert!(pages.into_iter().flat_map(|page| page.2).eq(1..=1_025));
}

#[test]
fn per_address_priorities_are_sent_once_a_second_and_on_change_in_the_universes_sequence() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    let mut now = START;
    sender.set_priorities(ONE, Some(&[200, 0])).expect("added");
    let mut sent = run(&mut sender, &mut now, START + 500 * MS);
    assert!(sent.iter().all(|sent| sent.data().is_none()), "no levels yet");
    sender.set_levels(ONE, &[5]).expect("added");
    sent = run(&mut sender, &mut now, START + 5_500 * MS);
    sender.set_priorities(ONE, Some(&[100, 0])).expect("added");
    sent.extend(run(&mut sender, &mut now, START + 5_600 * MS));
    sender.set_priorities(ONE, None).expect("added");
    sent.extend(run(&mut sender, &mut now, START + 9_000 * MS));
    let data: Vec<_> = sent
        .iter()
        .filter_map(|sent| sent.data().map(|data| (sent.at, data)))
        .collect();
    assert!(
        data.windows(2)
            .all(|pair| pair[1].1.1 == pair[0].1.1.wrapping_add(1)),
        "one sequence"
    );
    assert_eq!((data[0].1.2, data[1].1.2), (0xDD, 0), "priorities first");
    let times: Vec<u64> = data
        .iter()
        .filter(|(_, data)| data.2 == 0xDD)
        .map(|(at, _)| at / MS)
        .collect();
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(
        gaps.len() == 6 && gaps[..5].iter().all(|gap| (950..=1_000).contains(gap)),
        "{gaps:?}"
    );
}

#[test]
fn synchronized_frame_is_all_its_data_and_then_one_sync_packet() {
    let settings = SacnOutput {
        sync_address: Some(universe(9)),
        forces_sync: true,
        ..SacnOutput::default()
    };
    let mut sender = with_universes(&[1, 2, 3], &settings);
    let mut now = START;
    for number in [1, 2, 3] {
        sender.set_levels(universe(number), &[1]).expect("added");
    }
    run(&mut sender, &mut now, START + 2 * SECOND);
    // One universe changes: the frame has all of them.
    sender.set_levels(universe(2), &[2]).expect("added");
    let until = now + 23 * MS;
    let sent = run(&mut sender, &mut now, until);
    let numbers: Vec<_> = sent.iter().filter_map(Sent::data).map(|data| data.0).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(
        sent.iter()
            .filter_map(Sent::data)
            .all(|data| data.3.has(Options::FORCE_SYNC))
    );
    assert_eq!((sent.len(), sent[3].sync().map(|sync| sync.0)), (4, Some(9)));
    assert_eq!(sent[3].to, SocketAddrV4::new(universe(9).group(), PORT));
    // Its sequence is its own, and rises by one.
    let until = now + 3 * SECOND;
    let syncs: Vec<_> = run(&mut sender, &mut now, until)
        .iter()
        .filter_map(Sent::sync)
        .map(|sync| sync.1)
        .collect();
    assert!(syncs.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1)) && syncs.len() > 4);
}

#[test]
fn sync_packet_follows_after_the_gap() {
    let mut sender = sender(FrameRate::FULL, 2 * MS);
    let settings = SacnOutput {
        sync_address: Some(universe(9)),
        ..SacnOutput::default()
    };
    sender.add(ONE, settings).expect("new");
    sender.set_levels(ONE, &[1]).expect("added");
    let sent = run(&mut sender, &mut START.clone(), START + 10 * MS);
    let syncs: Vec<u64> = sent
        .iter()
        .filter(|sent| sent.sync().is_some())
        .map(|sent| sent.at)
        .collect();
    assert_eq!(syncs, [START + 2 * MS]);
}

#[test]
fn sync_packet_of_a_late_frame_comes_before_the_next_frames_data_and_none_is_sent_twice() {
    let mut sender = sender(FrameRate::FULL, 2 * MS);
    let settings = SacnOutput {
        sync_address: Some(universe(9)),
        ..SacnOutput::default()
    };
    sender.add(ONE, settings).expect("new");
    let mut sequences = Vec::new();
    let mut late = |sender: &mut SacnSender, now| {
        sender.advance(now);
        let sent = sender.datagrams().map(|datagram| Sent {
            at: now,
            to: datagram.to,
            bytes: datagram.bytes.to_vec(),
        });
        let sent: Vec<_> = sent.filter(|sent| sent.discovery().is_none()).collect();
        sequences.extend(sent.iter().filter_map(Sent::sync).map(|sync| sync.1));
        sent.iter().filter(|sent| sent.data().is_some()).count()
    };
    sender.set_levels(ONE, &[1]).expect("added");
    assert_eq!(late(&mut sender, START), 1);
    sender.set_levels(ONE, &[2]).expect("added");
    // The first packet and the next frame are both due, and the frame's packet too.
    let now = START + 30 * MS;
    assert_eq!(late(&mut sender, now), 0, "synchronization alone");
    assert!(
        sender.next_ns().is_some_and(|next| next <= now),
        "the frame is still due"
    );
    assert_eq!(late(&mut sender, now), 1);
    assert_eq!(sequences, [1, 2]);
}

#[test]
fn gap_of_more_than_a_period_synchronizes_several_frames_by_one_packet() {
    let mut sender = sender(FrameRate::FULL, 25 * MS);
    let settings = SacnOutput {
        sync_address: Some(universe(9)),
        ..SacnOutput::default()
    };
    sender.add(ONE, settings).expect("new");
    let (mut now, mut syncs) = (START, 0);
    for frame in 0..200_u64 {
        sender.set_levels(ONE, &frame.to_be_bytes()).expect("added");
        let sent = run(&mut sender, &mut now, START + FrameRate::FULL.offset_ns(frame));
        syncs += sent.iter().filter(|sent| sent.sync().is_some()).count();
    }
    assert!((98..=101).contains(&syncs), "{syncs}");
}

#[test]
fn discovery_begins_with_the_first_levels_and_ends_with_the_last_universe() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    let mut now = START;
    assert!(
        run(&mut sender, &mut now, START + 10 * MS).is_empty(),
        "nothing before levels"
    );
    sender.set_levels(ONE, &[1]).expect("added");
    let sent = run(&mut sender, &mut now, START + SECOND);
    let pages: Vec<_> = sent.iter().filter_map(Sent::discovery).collect();
    assert_eq!(pages, [(0, 0, vec![1])]);
    sender.stop();
    run(&mut sender, &mut now, START + 2 * SECOND);
    assert!(sender.is_finished());
    sender.add(ONE, SacnOutput::default()).expect("removed");
    assert!(run(&mut sender, &mut now, START + 30 * SECOND).is_empty());
}

#[test]
fn discovery_does_not_list_universes_that_are_ending_nor_send_missed_lists() {
    let mut sender = with_universes(&[1, 2], &SacnOutput::default());
    for number in [1, 2] {
        sender.set_levels(universe(number), &[1]).expect("added");
    }
    let pages = |sender: &mut SacnSender, now| {
        sender.advance(now);
        let sent = sender.datagrams().map(|datagram| Sent {
            at: now,
            to: datagram.to,
            bytes: datagram.bytes.to_vec(),
        });
        sent.filter_map(|sent| sent.discovery())
            .map(|page| page.2)
            .collect::<Vec<_>>()
    };
    assert_eq!(pages(&mut sender, START), [[1, 2]]);
    sender.remove(universe(2)).expect("added");
    let late = START + 35 * SECOND;
    assert_eq!(pages(&mut sender, late), [[1]]);
    assert!(
        pages(&mut sender, late + 30 * MS).is_empty(),
        "those of 20 s and 30 s are over"
    );
    assert_eq!(pages(&mut sender, START + 40 * SECOND), [[1]], "in step again");
    assert_eq!(pages(&mut sender, u64::MAX), [[1]]);
}

#[test]
fn per_address_priorities_are_sent_no_faster_than_dmx512_takes_full_universes() {
    let rate = FrameRate::from_millihertz(200_000).expect("in range");
    let mut sender = sender(rate, 0);
    sender.add(ONE, SacnOutput::default()).expect("new");
    sender.set_levels(ONE, &[1]).expect("added");
    let (mut now, mut count) = (START, 0_u32);
    for frame in 0..200 {
        sender
            .set_priorities(ONE, Some(&[frame as u8; 512]))
            .expect("added");
        let sent = run(&mut sender, &mut now, START + rate.offset_ns(frame));
        count += sent
            .iter()
            .filter_map(Sent::data)
            .filter(|data| data.2 == 0xDD)
            .count() as u32;
    }
    assert!((43..=46).contains(&count), "{count}");
}

#[test]
fn every_packet_has_the_configured_priority_address_and_options() {
    let settings = SacnOutput {
        priority: 7,
        sync_address: Some(universe(9)),
        forces_sync: true,
        is_preview: true,
        target: Target::Multicast,
    };
    let mut sender = with_universes(&[1], &settings);
    let mut now = START;
    sender.set_levels(ONE, &[1]).expect("added");
    sender.set_priorities(ONE, Some(&[100])).expect("added");
    let mut check = |sender: &mut SacnSender, until, priority| {
        let sent = run(sender, &mut now, until);
        for start_code in [0, 0xDD] {
            let is_such = |sent: &&Sent| sent.data().is_some_and(|data| data.2 == start_code);
            let such: Vec<_> = sent.iter().filter(is_such).collect();
            assert!(!such.is_empty(), "{start_code}");
            for sent in such {
                assert_eq!(sent.merged_by(), Some((priority, Some(9))), "{start_code}");
                let options = sent.data().map(|data| data.3);
                assert_eq!(options, Some(Options::PREVIEW.with(Options::FORCE_SYNC)));
            }
        }
    };
    check(&mut sender, START + SECOND, 7);
    sender.set_priority(ONE, 150).expect("added");
    check(&mut sender, START + 3 * SECOND, 150);
}
