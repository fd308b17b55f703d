//! Many universes, many packets, and hostile ones.

use super::*;
use crate::lane::NoBell;
use crate::ring::Overflow;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

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
fn poll_takes_a_bounded_number_of_packets_and_the_next_one_the_others() {
    let conditions = Conditions {
        delay: MS..=MS,
        ..Conditions::default()
    };
    let stage = Stage::in_network(conditions, |c| c.art_net = vec![port(1)]);
    let levels = stage.levels();
    // They arrive at one time, and each poll reports what it has.
    for number in 0..3_000_u16 {
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
    assert_eq!(got, [1_023, 2_047, 2_999]);
    assert_eq!(stage.receiver.counts().datagrams, 3_000);
}

#[test]
fn hostile_packets_are_counted_and_the_next_good_one_is_heard() {
    let stage = Stage::new(|c| {
        c.sacn = vec![universe(1)];
        c.art_net = vec![port(1)];
    });
    let levels = stage.levels();
    let mut random = StdRng::seed_from_u64(3);
    let good = [
        data(9, 1, 1, &[1; 512]).bytes().to_vec(),
        art(1, 0, 1, &[2; 512]).bytes().to_vec(),
    ];
    let (sacn, art_net) = ((universe(1).group(), 5568).into(), (HERE, 6454).into());
    let mut sent = 0;
    for round in 0..100 {
        for _ in 0..500 {
            let index = random.gen_range(0..2);
            let mut bytes = good[index].clone();
            // The identifier: what comes after it may make another good packet.
            bytes[random.gen_range(0..9)] ^= random.gen_range(1..=255_u8);
            bytes.truncate(random.gen_range(0..=bytes.len()));
            if random.gen_bool(0.1) {
                bytes = (0..random.gen_range(0..2_000)).map(|_| random.r#gen()).collect();
            }
            stage
                .sender
                .try_send(&bytes, Some([sacn, art_net][index]))
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
    let malformed = counts
        .sacn
        .malformed
        .iter()
        .chain(&counts.art_net.malformed)
        .sum::<u64>();
    assert!(malformed > 40_000, "{malformed} of {sent}");
}
