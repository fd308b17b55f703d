//! Feeds of a process that is stopped for a while, and under a calendar that jumps: promise G21.

use super::*;
use crate::{Tick, TickerConfiguration, TickerEngine};

#[test]
fn seconds_in_which_the_process_is_stopped_are_a_hole_in_the_numbers_of_a_simulated_feed() {
    let (runtime, feed) = feed(&simulated(&["A", "B", "C"], 10.0, None));
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND);
    let before = drained(&session);
    assert_eq!(before.len(), 31);
    assert!(before.iter().all(|(record, _)| record.sequence_gap == 0));
    runtime.set(|clock| clock.leap(5 * SECOND));
    runtime.advance(SECOND);
    let after = drained(&session);
    assert_eq!(after.len(), 31);
    let skipped: u64 = after.iter().map(|(record, _)| record.sequence_gap).sum();
    let counts = feed.counts();
    assert_eq!(
        (skipped, counts.gaps, counts.sequence_numbers_in_gaps),
        (149, 3, 149)
    );
    for symbol in 0..3 {
        let newest = after
            .iter()
            .rev()
            .find(|(record, _)| record.trade.symbol == symbol);
        let newest = newest.expect("a trade").0.trade.sequence;
        assert!(
            (69..=70).contains(&newest),
            "seven seconds at ten a second, got {newest}"
        );
    }
}

/// The number of elements that each of several consumers got after each of ten tenths of a second.
fn paces(between: impl Fn(&Runtime, i64)) -> Vec<[usize; 4]> {
    let recording = Recording::new(
        &(0..100)
            .map(|n| line("A", "1", 10 * n, n as u64))
            .collect::<String>(),
    );
    let (runtime, replayed) = feed(&SourceConfiguration::Replay(recording.played(Pace::Times(1.0))));
    let replay = replayed.trades(&Subscription::All, ALL, NoBell).expect("started");
    replayed.run().expect("running");
    let made_up = FeedEngine::on(runtime.clone(), &simulated(&["A"], 70.0, None)).expect("valid");
    let trades = made_up.trades(&Subscription::All, ALL, NoBell).expect("started");
    let policy = Policy::Sampled { interval: 30_000_000 };
    let sampled = made_up
        .trades(&Subscription::All, policy, NoBell)
        .expect("started");
    made_up.run().expect("running");
    let ticker = TickerEngine::on(runtime.clone(), TickerConfiguration::default()).expect("valid");
    let ticks = ticker
        .start_pulling(&["A", "B", "C", "D"], Overflow::DropOldest, 64, NoBell)
        .expect("started");
    (0..10)
        .map(|turn| {
            between(&runtime, turn);
            runtime.advance(SECOND / 10);
            let drained_ticks = ticks.drain(64, |_: Tick, _| {}).map_or(0, |(count, _)| count);
            [
                drained(&replay).len(),
                drained(&trades).len(),
                drained(&sampled).len(),
                drained_ticks,
            ]
        })
        .collect()
}

#[test]
fn calendar_that_jumps_moves_no_pace() {
    let usual = paces(|_, _| {});
    let jumping = paces(|runtime, turn| {
        let hours = if turn % 2 == 0 { 30 } else { -50 };
        runtime.set(|clock| clock.set_calendar(hours * 3_600_000));
    });
    assert_eq!(usual, jumping);
    let sums = usual.iter().fold([0; 4], |sums: [usize; 4], turn| {
        std::array::from_fn(|n| sums[n] + turn[n])
    });
    assert_eq!(sums, [100, 71, 10, 9]);
}
