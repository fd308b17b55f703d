//! Many universes, many packets, and hostile ones.

use super::*;
use crate::lane::NoBell;
use crate::ring::Overflow;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustle_lighting::artnet::{self, PollReply};
use rustle_lighting::sender::{FrameRate, SacnOutput, SacnSender, SacnSenderSettings};

#[test]
fn thousand_universes_arrive_without_loss_in_fifty_sockets() {
    let stage = Stage::new(|c| c.sacn = (1..=1_000).map(universe).collect());
    let levels = stage.levels();
    assert_eq!(stage.side.opened.load(Ordering::SeqCst), 50);
    let mut last = 0;
    for frame in 1..=5 {
        for number in 1..=1_000 {
            let packet = data(1, number, frame, &[frame, number as u8]);
            let to = (universe(number).group(), sacn::PORT).into();
            stage.sender.try_send(packet.bytes(), Some(to)).expect("sent");
        }
        stage.runtime.advance(ms(23));
        let got = levels.take();
        assert_eq!(got.len(), 1_000);
        let mut numbers: Vec<_> = shown(&got);
        numbers.sort_unstable();
        let wanted = (1..=1_000).map(|number| (number, [frame, number as u8]));
        assert!(numbers.into_iter().eq(wanted));
        last = got.last().map_or(last, |record| record.sequence);
    }
    assert_eq!(last, 4_999);
    assert_eq!(stage.receiver.counts().datagrams, 5_000);
    for number in [1, 500, 1_000] {
        let counts = stage.receiver.universe_counts(DmxProtocol::Sacn, number);
        assert!(
            matches!(counts, Some(DmxUniverseCounts::Sacn(counts)) if counts.packets == 5 && counts.out_of_order == 0)
        );
    }
}

#[test]
fn sockets_with_fewer_groups_than_usual_are_more() {
    let mut stage = Stage::new(|c| c.sacn = (1..=20).map(universe).collect());
    stage.side.groups = 3;
    let levels = stage.levels();
    assert_eq!(stage.side.opened.load(Ordering::SeqCst), 7);
    for number in 1..=20 {
        stage.sacn(&data(1, number, 1, &[1]), number);
    }
    assert_eq!(levels.take().len(), 20);
}

#[test]
fn slow_consumer_has_the_latest_levels_of_each_universe_and_their_gaps() {
    let stage = Stage::new(|c| c.sacn = vec![universe(1), universe(2)]);
    let delivery = Delivery::pull(Overflow::Conflate, 1, NoBell).expect("a size of lanes");
    let session = stage.start_levels(delivery).expect("a session");
    stage.runtime.advance(Duration::ZERO);
    for level in 1..=5 {
        stage.sacn(&data(1, 1, level, &[level]), 1);
    }
    stage.sacn(&data(1, 2, 1, &[9]), 2);
    let mut got = Vec::new();
    let drained = session.drain(10, |record, gap| {
        got.push((record.universe, record.levels[0], gap))
    });
    assert_eq!(got, [(1, 5, 4), (2, 9, 0)]);
    let (
        _,
        LaneStatistics {
            produced,
            delivered,
            dropped,
            ..
        },
    ) = drained.expect("a lane");
    assert_eq!((produced, delivered, dropped), (6, 2, 4));
}

#[test]
fn packets_that_wait_are_heard_before_they_are_reported_up_to_a_bound() {
    let conditions = Conditions {
        delay: MS..=MS,
        ..Conditions::default()
    };
    let stage = Stage::in_network(conditions, |c| c.art_net = vec![port(1)]);
    let levels = stage.levels();
    // They arrive at one time, and a poll takes 1,024.
    for number in 0..10_000_u16 {
        let packet = art(1, 0, 0, &number.to_be_bytes());
        stage
            .sender
            .try_send(packet.bytes(), Some((HERE, 6454).into()))
            .expect("sent");
    }
    stage.runtime.advance(ms(1));
    let got: Vec<_> = shown(&levels.take())
        .into_iter()
        .map(|(_, levels)| u16::from_be_bytes(levels))
        .collect();
    assert_eq!(got, [8 * 1_024 - 1, 9_999]);
    assert_eq!(stage.receiver.counts().datagrams, 10_000);
}

/// A page of universe discovery, of two universes.
fn discovery() -> Vec<u8> {
    let settings = SacnSenderSettings {
        cid: Cid::from_random([8; 16]),
        name: Name::new("a source").expect("short"),
        rate: FrameRate::FULL,
        sync_gap_ns: 0,
    };
    let mut sender = SacnSender::new(settings, 0);
    for number in [2, 3] {
        sender.add(universe(number), SacnOutput::default()).expect("new");
        sender.set_levels(universe(number), &[0]).expect("a slot");
    }
    sender.advance(0);
    let is_page = |bytes: &[u8]| bytes.len() == 124;
    let pages: Vec<_> = sender.datagrams().filter(|sent| is_page(sent.bytes)).collect();
    pages[0].bytes.to_vec()
}

#[test]
fn hostile_packets_are_counted_and_the_next_good_one_is_heard() {
    let stage = Stage::new(|c| {
        c.sacn = vec![universe(1)];
        c.art_net = vec![port(1)];
    });
    let levels = stage.levels();
    let mut random = StdRng::seed_from_u64(3);
    // Those that are good after all are of other sources and universes, and change nothing where a byte makes them this one's.
    let mut other = data(8, 2, 1, &[0; 512]);
    other.set_priority(0);
    let good = [
        other.bytes().to_vec(),
        art(2, 9, 1, &[0; 512]).bytes().to_vec(),
        sync(8, 2, 1).bytes().to_vec(),
        discovery(),
        PollReply::default().bytes().to_vec(),
    ];
    let (sacn, art_net) = ((universe(1).group(), 5568).into(), (HERE, 6454).into());
    let mut sent = 0;
    for round in 0..100 {
        for _ in 0..500 {
            let index = random.gen_range(0..good.len());
            let mut bytes = good[index].clone();
            // Every check of the headers is met.
            let header = [126, 18, 49, 122, 12][index];
            bytes[random.gen_range(0..header)] = [0, 0xFF, random.r#gen()][random.gen_range(0..3)];
            if random.gen_bool(0.3) {
                bytes.truncate(random.gen_range(0..=bytes.len()));
            }
            if random.gen_bool(0.1) {
                bytes = (0..random.gen_range(0..2_000)).map(|_| random.r#gen()).collect();
            }
            // A good ArtSync holds the levels that follow, as it should.
            if artnet::parse(&bytes) == Ok(artnet::Packet::Sync) {
                continue;
            }
            stage
                .sender
                .try_send(&bytes, Some([sacn, art_net, sacn, sacn, art_net][index]))
                .expect("sent");
            sent += 1;
        }
        stage.runtime.advance(ms(1));
        let level = round as u8;
        stage.sacn(&data(9, 1, level, &[level, 1]), 1);
        stage.art_net(&art(1, 0, 0, &[level, 2]));
        let got = shown(&levels.take());
        assert!(
            got.contains(&(1, [level, 1])) && got.contains(&(1, [level, 2])),
            "{round}: {got:?}"
        );
    }
    let counts = stage.receiver.counts();
    assert_eq!(counts.datagrams, sent + 200);
    let reasons = [&counts.sacn.malformed[..], &counts.art_net.malformed].concat();
    assert!(reasons.iter().all(|count| *count > 0), "each reason: {reasons:?}");
}
