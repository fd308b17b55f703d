//! Sending levels: ANSI E1.31-2018, 6.2 and 6.6.

use crate::sent::{START, Sent, run, sender, with_universes};
use crate::support::{MS, SECOND, universe};
use rustle_lighting::SacnUniverse;
use rustle_lighting::sacn::{Options, PORT};
use rustle_lighting::sender::{FrameRate, SacnOutput, SenderError, Target};
use std::net::{Ipv4Addr, SocketAddrV4};

const ONE: SacnUniverse = SacnUniverse::FIRST;

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

/// Repetitions took the time of changes: at 100 frames a second 33 of 44 changes a second were sent.
#[test]
fn changes_at_the_rate_of_dmx512_are_all_sent_at_any_rate_of_frames() {
    for hertz in [44, 50, 88, 100, 200] {
        let rate = FrameRate::from_millihertz(hertz * 1_000).expect("in range");
        let mut sender = crate::sent::sender(rate, 0);
        sender.add(ONE, SacnOutput::default()).expect("new");
        let (mut now, mut levels) = (START, Vec::new());
        for change in 0..440_u64 {
            // Full universes of a source of 44 Hz.
            sender
                .set_levels(ONE, &[(change % 251) as u8; 512])
                .expect("added");
            let until = START + FrameRate::FULL.offset_ns(change + 1);
            let sent = run(&mut sender, &mut now, until);
            levels.extend(sent.iter().filter_map(Sent::data).map(|data| data.4));
        }
        levels.dedup();
        assert!(levels.len() >= 438, "{} of 440 at {hertz} Hz", levels.len());
    }
}

/// A blackout that is written just before the end reaches receivers, which ignore the levels of terminated packets.
#[test]
fn levels_that_wait_are_sent_before_the_terminations() {
    for (is_stopped, sync_address) in [(false, None), (true, None), (true, Some(universe(7)))] {
        let settings = SacnOutput {
            sync_address,
            ..SacnOutput::default()
        };
        let mut sender = with_universes(&[1], &settings);
        let mut now = START;
        sender.set_levels(ONE, &[9]).expect("added");
        run(&mut sender, &mut now, START + SECOND);
        sender.set_levels(ONE, &[0]).expect("added");
        if is_stopped {
            sender.stop();
        } else {
            sender.remove(ONE).expect("added");
        }
        let sent = run(&mut sender, &mut now, START + 2 * SECOND);
        let data: Vec<_> = sent.iter().filter_map(Sent::data).collect();
        let ends: Vec<_> = data
            .iter()
            .map(|data| (data.3.has(Options::TERMINATED), data.4))
            .collect();
        assert_eq!(ends, [(false, 0), (true, 0), (true, 0), (true, 0)]);
        assert!(data.windows(2).all(|pair| pair[1].1 == pair[0].1.wrapping_add(1)));
        let syncs = sent.iter().filter(|sent| sent.sync().is_some()).count();
        assert_eq!(
            syncs,
            usize::from(sync_address.is_some()),
            "the last levels are shown"
        );
        assert!(sender.is_finished());
    }
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
fn data_for_no_address_go_nowhere() {
    let nobody = SacnOutput {
        target: Target::Unicast(Vec::new()),
        ..SacnOutput::default()
    };
    let mut sender = with_universes(&[1], &nobody);
    sender.set_levels(ONE, &[1]).expect("added");
    let sent = run(&mut sender, &mut START.clone(), START + SECOND);
    assert!(sent.iter().all(|sent| sent.data().is_none()));
}

#[test]
fn full_universes_are_sent_no_faster_than_dmx512_takes_them() {
    let synchronized = SacnOutput {
        sync_address: Some(universe(9)),
        ..SacnOutput::default()
    };
    let rates = [
        (45, 512, 440),
        (50, 512, 440),
        (60, 512, 440),
        (200, 512, 440),
        (200, 100, 2_000),
    ];
    for (hertz, slots, expected) in rates {
        for settings in [SacnOutput::default(), synchronized.clone()] {
            let rate = FrameRate::from_millihertz(hertz * 1_000).expect("in range");
            let mut sender = sender(rate, 0);
            sender.add(ONE, settings).expect("new");
            let mut now = START;
            for frame in 0..10 * u64::from(hertz) {
                sender.set_levels(ONE, &vec![frame as u8; slots]).expect("added");
                run(&mut sender, &mut now, START + rate.offset_ns(frame));
            }
            let packets = sender.counters().packets;
            assert!(packets.abs_diff(expected) <= 3, "{hertz} Hz, {slots}: {packets}");
        }
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
fn frames_before_the_first_levels_are_not_skipped_ones() {
    let mut sender = with_universes(&[1], &SacnOutput::default());
    sender.advance(START);
    sender.advance(START + SECOND);
    sender.set_levels(ONE, &[1]).expect("added");
    sender.advance(START + 3 * SECOND);
    assert_eq!((sender.counters().frames, sender.counters().skipped), (1, 0));
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
