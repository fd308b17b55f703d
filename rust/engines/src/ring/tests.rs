//! A ring's policies, and their reports of losses.

use super::*;

fn ring_of(overflow: Overflow, capacity: usize, keys: usize) -> Ring<u32> {
    Ring::new(overflow, capacity, keys).expect("memory")
}

fn drained(ring: &mut Ring<u32>, most: usize) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    ring.drain(most, |element, lost| out.push((element, lost)));
    out
}

#[test]
fn oldest_makes_room_and_the_gap_stands_before_the_next() {
    let mut ring = ring_of(Overflow::DropOldest, 3, 1);
    let bells: Vec<bool> = (0..5).map(|n| ring.push(0, n)).collect();
    assert_eq!(bells, [true, false, false, false, false]);
    assert_eq!(drained(&mut ring, 2), [(2, 2), (3, 0)]);
    assert!(!ring.push(0, 5));
    assert_eq!(drained(&mut ring, 9), [(4, 0), (5, 0)]);
    assert!(ring.push(0, 6), "the bell rings again after the lane was drained");
}

#[test]
fn newest_is_dropped_and_the_gap_stands_where_it_was() {
    let mut ring = ring_of(Overflow::DropNewest, 2, 1);
    for n in 0..5 {
        ring.push(0, n);
    }
    assert_eq!(drained(&mut ring, 9), [(0, 0), (1, 0)]);
    ring.push(0, 5);
    assert_eq!(drained(&mut ring, 9), [(5, 3)]);
}

#[test]
fn one_place_still_counts_every_loss() {
    let mut ring = ring_of(Overflow::DropOldest, 1, 1);
    for n in 0..4 {
        ring.push(0, n);
    }
    assert_eq!(drained(&mut ring, 9), [(3, 3)]);
}

#[test]
fn latest_keeps_one_per_key_in_order_of_waiting() {
    let mut ring = ring_of(Overflow::Conflate, 0, 3);
    for (key, element) in [(2, 20), (0, 1), (2, 21), (2, 22), (1, 10)] {
        ring.push(key, element);
    }
    assert_eq!(drained(&mut ring, 9), [(22, 2), (1, 0), (10, 0)]);
    assert_eq!(
        ring.statistics(),
        LaneStatistics {
            produced: 5,
            delivered: 3,
            dropped: 2,
            waiting: 0,
            unreported: 0,
        }
    );
}

#[test]
fn keys_are_added_while_elements_wait() {
    let mut ring = ring_of(Overflow::Conflate, 0, 1);
    ring.push(0, 1);
    ring.grow_keys(3);
    ring.grow_keys(2);
    ring.push(2, 20);
    ring.push(0, 2);
    assert_eq!(drained(&mut ring, 9), [(2, 1), (20, 0)]);
}

#[test]
fn many_at_a_time_are_the_same_as_one_at_a_time() {
    for overflow in [Overflow::DropOldest, Overflow::DropNewest, Overflow::Conflate] {
        let (mut many, mut one) = (ring_of(overflow, 7, 5), ring_of(overflow, 7, 5));
        for turn in 0..5_000_u32 {
            let elements: Vec<u32> = (0..turn.wrapping_mul(2_654_435_761) % 19)
                .map(|n| turn + n)
                .collect();
            let bell = many.push_all(&elements, |element| element % 5, |element, _| element);
            let bells = elements.iter().map(|element| one.push(element % 5, *element));
            assert_eq!(bell, bells.fold(false, |a, b| a | b), "{overflow:?}");
            let most = (turn % 11) as usize;
            assert_eq!(drained(&mut many, most), drained(&mut one, most), "{overflow:?}");
            assert_eq!(many.statistics(), one.statistics(), "{overflow:?}");
        }
    }
}

#[test]
fn what_may_not_be_lost_waits_beyond_the_capacity() {
    let mut ring = ring_of(Overflow::DropNewest, 2, 1);
    assert!(!ring.push_beyond(&[]));
    assert!(ring.push_beyond(&[0, 1, 2]));
    assert!(!ring.push_all(&[3, 4], |_| 0, |element, _| element));
    assert!(!ring.push_beyond(&[5]));
    assert_eq!(drained(&mut ring, 3), [(0, 0), (1, 0), (2, 0)]);
    ring.push(0, 6);
    ring.push(0, 7);
    assert_eq!(ring.statistics().unreported, 1);
    assert_eq!(drained(&mut ring, 9), [(5, 2), (6, 0)]);
    assert_eq!((ring.statistics().dropped, ring.statistics().produced), (3, 8));
}

#[test]
fn element_that_replaces_another_may_take_over_what_that_had() {
    let mut ring = ring_of(Overflow::Conflate, 0, 2);
    ring.push_all(&[1, 10, 2, 3], |n| n / 10, |new, old| new + old);
    assert_eq!(drained(&mut ring, 9), [(6, 2), (10, 0)]);
}

#[test]
fn loss_beyond_32_bits_is_reported_in_parts() {
    let mut ring = ring_of(Overflow::DropNewest, 1, 1);
    let Storage::Queue { lost, .. } = &mut ring.storage else {
        panic!("a queue")
    };
    *lost = 5_000_000_000;
    let reported: Vec<u32> = (0..3)
        .flat_map(|n| {
            ring.push(0, n);
            drained(&mut ring, 1)
        })
        .map(|(_, lost)| lost)
        .collect();
    assert_eq!(
        reported,
        [
            u32::MAX,
            5_000_000_000u64.wrapping_sub(u64::from(u32::MAX)) as u32,
            0
        ]
    );
}

#[test]
fn nothing_is_lost_uncounted_under_any_policy() {
    for overflow in [Overflow::DropOldest, Overflow::DropNewest, Overflow::Conflate] {
        let mut ring = ring_of(overflow, 7, 5);
        let (mut seen, mut reported) = (0_u64, 0_u64);
        for n in 0..100_000_u32 {
            ring.push(n.wrapping_mul(2_654_435_761) % 5, n);
            if n % 11 == 0 {
                ring.drain((n % 13) as usize, |_, lost| {
                    seen += 1;
                    reported += u64::from(lost);
                });
            }
            let s = ring.statistics();
            assert_eq!(s.produced, s.delivered + s.dropped + s.waiting);
        }
        let mut drain = |ring: &mut Ring<u32>| {
            ring.drain(usize::MAX, |_, lost| {
                seen += 1;
                reported += u64::from(lost);
            });
            let s = ring.statistics();
            assert_eq!((s.delivered, s.waiting), (seen, 0), "{overflow:?}");
            assert_eq!(s.dropped, reported + s.unreported, "{overflow:?}");
            s.unreported
        };
        let unreported = drain(&mut ring);
        assert_eq!(unreported > 0, overflow == Overflow::DropNewest, "{overflow:?}");
        // Drops after the last element in the lane are reported with the next accepted one.
        ring.push(0, 0);
        assert_eq!(drain(&mut ring), 0, "{overflow:?}");
    }
}
