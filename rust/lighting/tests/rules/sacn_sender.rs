//! Sending sACN: ANSI E1.31-2018, 6.2, 6.6, 8 and 11.

use crate::support::{MS, SECOND, cid, name, universe};
use rustle_lighting::SacnUniverse;
use rustle_lighting::sacn::{DISCOVERY_GROUP, Options, PORT, Packet, parse};
use rustle_lighting::sender::{FrameRate, SacnOutput, SacnSender, SacnSenderSettings, SenderError, Target};
use std::net::{Ipv4Addr, SocketAddrV4};

const START: u64 = 77 * SECOND;
const ONE: SacnUniverse = SacnUniverse::FIRST;

/// A packet that was sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) at: u64,
    pub(crate) to: SocketAddrV4,
    pub(crate) bytes: Vec<u8>,
}

impl Sent {
    fn data(&self) -> Option<(u16, u8, u8, Options, u8)> {
        match parse(&self.bytes).expect("well-formed") {
            Packet::Data(data) => {
                let first = data.slots.first().copied().unwrap_or(0);
                Some((
                    data.universe.get(),
                    data.sequence,
                    data.start_code,
                    data.options,
                    first,
                ))
            }
            _ => None,
        }
    }

    fn sync(&self) -> Option<(u16, u8)> {
        match parse(&self.bytes).expect("well-formed") {
            Packet::Sync(sync) => Some((sync.address.get(), sync.sequence)),
            _ => None,
        }
    }

    fn discovery(&self) -> Option<(u8, u8, Vec<u16>)> {
        match parse(&self.bytes).expect("well-formed") {
            Packet::Discovery(page) => Some((
                page.page,
                page.last_page,
                page.universes().map(SacnUniverse::get).collect(),
            )),
            _ => None,
        }
    }
}

pub(crate) fn sender(rate: FrameRate, sync_gap_ns: u64) -> SacnSender {
    let settings = SacnSenderSettings {
        cid: cid(1),
        name: name(),
        rate,
        sync_gap_ns,
    };
    SacnSender::new(settings, START)
}

fn with_universes(numbers: &[u32], settings: &SacnOutput) -> SacnSender {
    let mut sender = sender(FrameRate::FULL, 0);
    for number in numbers {
        sender.add(universe(*number), settings.clone()).expect("new");
    }
    sender
}

/// Runs until a time, waking when something is due.
pub(crate) fn run(sender: &mut SacnSender, now: &mut u64, until: u64) -> Vec<Sent> {
    let mut sent = Vec::new();
    while let Some(next) = sender.next_ns().filter(|next| *next <= until) {
        *now = (*now).max(next);
        sender.advance(*now);
        sent.extend(sender.datagrams().map(|datagram| Sent {
            at: *now,
            to: datagram.to,
            bytes: datagram.bytes.to_vec(),
        }));
        assert!(
            sender.next_ns().is_none_or(|after| after > *now),
            "wakes for nothing"
        );
    }
    *now = until;
    sent
}

#[test]
fn sequence_numbers_count_per_universe() {
    let mut sender = with_universes(&[1, 2, 300], &SacnOutput::default());
    let mut now = START;
    let mut last = std::collections::HashMap::new();
    for frame in 0..600_u32 {
        for number in [1, 2, 300]
            .into_iter()
            .filter(|number| frame % number == 0 || *number == 1)
        {
            sender
                .set_levels(universe(number), &[frame as u8, (frame >> 8) as u8])
                .expect("added");
        }
        let until = now + FrameRate::FULL.offset_ns(1);
        for (number, sequence, ..) in run(&mut sender, &mut now, until).iter().filter_map(Sent::data) {
            let before = last.insert(number, sequence);
            assert!(
                before.is_none_or(|before: u8| before.wrapping_add(1) == sequence),
                "universe {number}"
            );
        }
    }
    assert_eq!(last.len(), 3);
}

#[test]
fn changed_data_are_sent_at_most_once_a_frame() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    let mut now = START;
    for level in 0..=255 {
        sender.set_levels(ONE, &[level]).expect("added");
        let until = now + 5 * MS;
        for sent in run(&mut sender, &mut now, until)
            .iter()
            .filter(|sent| sent.data().is_some())
        {
            let frame = ((sent.at - START) * 44).div_ceil(SECOND);
            assert_eq!(
                sent.at,
                START + FrameRate::FULL.offset_ns(frame),
                "at the time of a frame"
            );
        }
    }
    assert!(
        (56..=57).contains(&sender.counters().packets),
        "{:?}",
        sender.counters()
    );
}

#[test]
fn still_data_are_sent_three_more_times_and_then_every_800_to_1000_ms() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    let mut now = START;
    sender.set_levels(ONE, &[1; 512]).expect("added");
    sender.set_levels(ONE, &[1; 512]).expect("added");
    let sent = run(&mut sender, &mut now, START + 10 * SECOND - 1);
    let times: Vec<u64> = sent
        .iter()
        .filter(|sent| sent.data().is_some())
        .map(|sent| sent.at)
        .collect();
    let gaps: Vec<u64> = times.windows(2).map(|pair| (pair[1] - pair[0]) / MS).collect();
    assert_eq!(gaps[..3], [22, 22, 22]);
    assert!(
        gaps[3..].iter().all(|gap| (800..=1_000).contains(gap)) && gaps.len() >= 13,
        "{gaps:?}"
    );
    // The same levels again change nothing.
    sender.set_levels(ONE, &[1; 512]).expect("added");
    let until = now + 300 * MS;
    assert!(
        run(&mut sender, &mut now, until)
            .iter()
            .filter(|sent| sent.data().is_some())
            .count()
            <= 1
    );
}

#[test]
fn end_is_three_terminated_packets_of_rising_sequence_a_frame_apart() {
    let mut sender = with_universes(&[1, 2], &SacnOutput::default());
    let mut now = START;
    for number in [1, 2] {
        sender.set_levels(universe(number), &[9]).expect("added");
    }
    run(&mut sender, &mut now, START + SECOND);
    sender.remove(ONE).expect("added");
    assert_eq!(
        sender.set_levels(ONE, &[1]),
        Err(SenderError::UnknownUniverse { got: 1 })
    );
    let sent = run(&mut sender, &mut now, START + 2 * SECOND);
    let ends: Vec<_> = sent
        .iter()
        .filter_map(|sent| sent.data().map(|data| (sent.at, data)))
        .filter(|(_, data)| data.0 == 1)
        .collect();
    assert!(
        ends.len() == 3 && ends.iter().all(|(_, data)| data.3.has(Options::TERMINATED)),
        "{ends:?}"
    );
    assert!(
        ends.windows(2)
            .all(|pair| pair[1].1.1 == pair[0].1.1.wrapping_add(1))
    );
    assert!(
        ends.windows(2)
            .all(|pair| (22..=23).contains(&((pair[1].0 - pair[0].0) / MS)))
    );
    assert_eq!(sender.universes(), [universe(2)], "the other one continues");
    assert!(sent.iter().filter_map(Sent::data).any(|data| data.0 == 2));
}

#[test]
fn stop_ends_every_universe_and_then_is_finished() {
    let mut sender = with_universes(&[1, 2, 3], &SacnOutput::default());
    let mut now = START;
    for number in [1, 2] {
        sender.set_levels(universe(number), &[9]).expect("added");
    }
    run(&mut sender, &mut now, START + SECOND);
    sender.stop();
    assert!(!sender.is_finished());
    let sent = run(&mut sender, &mut now, START + 2 * SECOND);
    let terminated = sent
        .iter()
        .filter_map(Sent::data)
        .filter(|data| data.3.has(Options::TERMINATED));
    assert_eq!(terminated.count(), 6, "nothing for the universe without levels");
    assert!(sender.is_finished() && sender.next_ns().is_none());
}

#[test]
fn universe_that_is_ending_continues_when_it_is_added_again() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    let mut now = START;
    sender.set_levels(ONE, &[9]).expect("added");
    let before = run(&mut sender, &mut now, START + 10 * MS);
    assert_eq!(
        sender.add(ONE, SacnOutput::default()),
        Err(SenderError::UniverseExists { got: 1 })
    );
    sender.remove(ONE).expect("added");
    sender.add(ONE, SacnOutput::default()).expect("ending");
    sender.set_levels(ONE, &[8]).expect("added");
    let after = run(&mut sender, &mut now, START + 40 * MS);
    let sequence = |sent: &[Sent]| sent.iter().find_map(Sent::data).map(|data| data.1);
    assert_eq!(
        sequence(&after),
        sequence(&before).map(|before| before.wrapping_add(1))
    );
    assert!(
        after
            .iter()
            .filter_map(Sent::data)
            .all(|data| !data.3.has(Options::TERMINATED))
    );
}

#[test]
fn universe_without_levels_sends_nothing() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    let sent = run(&mut sender, &mut START.clone(), START + 5 * SECOND);
    assert!(sent.iter().all(|sent| sent.data().is_none()));
}

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
fn data_go_to_the_group_or_to_each_address() {
    let to: Vec<_> = [1, 2]
        .map(|host| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, host), PORT))
        .into();
    let mut sender = with_universes(&[258], &SacnOutput::default());
    let unicast = SacnOutput {
        target: Target::Unicast(to.clone()),
        ..SacnOutput::default()
    };
    sender.add(ONE, unicast).expect("new");
    for number in [1, 258] {
        sender.set_levels(universe(number), &[1]).expect("added");
    }
    let sent = run(&mut sender, &mut START.clone(), START + MS);
    let data: Vec<_> = sent.iter().filter(|sent| sent.data().is_some()).collect();
    assert_eq!([data[0].to, data[1].to], to[..]);
    assert_eq!(data[0].bytes, data[1].bytes, "one packet for all");
    assert_eq!(
        data[2].to,
        SocketAddrV4::new(Ipv4Addr::new(239, 255, 1, 2), 5_568)
    );
}

#[test]
fn full_universes_are_sent_no_faster_than_dmx512_takes_them() {
    let rate = FrameRate::from_millihertz(200_000).expect("in range");
    for (slots, least, most) in [(512, 38, 41), (100, 190, 201)] {
        let mut sender = sender(rate, 0);
        sender.add(ONE, SacnOutput::default()).expect("new");
        let mut now = START;
        for step in 0..200_u64 {
            sender.set_levels(ONE, &vec![step as u8; slots]).expect("added");
            run(&mut sender, &mut now, START + step * 5 * MS);
        }
        assert!(
            (least..=most).contains(&sender.counters().packets),
            "{slots}: {:?}",
            sender.counters()
        );
    }
}

#[test]
fn late_wake_sends_one_frame_and_counts_the_skipped() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    sender.set_levels(ONE, &[1]).expect("added");
    sender.advance(START);
    sender.advance(START + 500 * MS);
    assert_eq!(sender.datagrams().count(), 1);
    let counters = sender.counters();
    assert_eq!((counters.frames, counters.skipped), (2, 21));
}

#[test]
fn what_is_out_of_range_is_refused() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    assert_eq!(sender.set_levels(ONE, &[]), Err(SenderError::Slots { got: 0 }));
    assert_eq!(
        sender.set_levels(ONE, &[0; 513]),
        Err(SenderError::Slots { got: 513 })
    );
    assert_eq!(
        sender.set_levels(universe(2), &[0]),
        Err(SenderError::UnknownUniverse { got: 2 })
    );
    assert_eq!(
        sender.set_priority(ONE, 201),
        Err(SenderError::Priority { got: 201 })
    );
    assert_eq!(
        sender.set_priorities(ONE, Some(&[201])),
        Err(SenderError::Priority { got: 201 })
    );
    assert_eq!(
        sender.remove(universe(2)),
        Err(SenderError::UnknownUniverse { got: 2 })
    );
}
