//! Losses are reported, and lossless consumers have none.

use super::*;
use rustle_market::{Decimal, Direction};

const SECOND_NS: i64 = 1_000_000_000;

/// Plays `text` as fast as the consumer permits.
fn played(text: &str) -> (Arc<Runtime>, FeedEngine, Recording) {
    let recording = Recording::new(text);
    let (runtime, feed) = feed(&SourceConfiguration::Replay(recording.played(Pace::Unpaced)));
    (runtime, feed, recording)
}

fn second() -> Interval {
    Interval::parse("1s").expect("an interval")
}

/// Drains a session until its end, at most `most` records a turn. Returns the records, none of which was dropped, and the most
/// that waited.
fn awaited<T: Copy>(runtime: &Runtime, session: &FeedSession<T>, most: usize) -> (Vec<T>, u64) {
    let (mut all, mut longest) = (Vec::new(), 0);
    while !session.is_released() || session.lane_statistics().waiting > 0 {
        runtime.advance(Duration::from_millis(1));
        longest = longest.max(session.lane_statistics().waiting);
        session.drain(most, |record, lost| {
            assert_eq!(lost, 0);
            all.push(record);
        });
    }
    let statistics = session.lane_statistics();
    assert_eq!((statistics.dropped, statistics.unreported), (0, 0));
    (all, longest)
}

#[test]
fn candles_that_one_trade_or_the_end_closes_are_waited_for() {
    // 20 symbols with 60 candles each, all of which the last trade of a symbol or the end closes.
    for (lateness_s, last_s) in [(60, 1_000), (0, 59), (60, 59)] {
        let times = (0..60).chain([last_s]);
        let trades = times.flat_map(|t| (0..20).map(move |symbol| (symbol, t)));
        let text: String = (trades.zip(0..))
            .map(|((symbol, t), n)| line(&format!("S{symbol}"), "1.5", 1_000 * t, n))
            .collect();
        let (runtime, feed, _recording) = played(&text);
        let policy = Policy::Lossless { capacity: 16 };
        let session = feed.candles(
            &Subscription::All,
            second(),
            lateness_s * SECOND_NS,
            policy,
            NoBell,
        );
        let session = session.expect("started");
        feed.run().expect("running");
        let (candles, _) = awaited(&runtime, &session, 7);
        assert_eq!(candles.iter().map(|candle| candle.count).sum::<u64>(), 61 * 20);
        let expected = 20 * if last_s == 1_000 { 61 } else { 60 };
        assert_eq!(candles.len(), expected, "lateness {lateness_s}, last {last_s}");
    }
}

#[test]
fn alerts_that_one_trade_fires_are_waited_for() {
    let text: String = (0..2_000)
        .map(|n| line("A", if n % 2 == 0 { "1" } else { "200" }, n, n as u64))
        .collect();
    let (runtime, feed, _recording) = played(&text);
    let thresholds: Vec<Threshold> = (101..=140)
        .map(|level| Threshold {
            symbol: "A".into(),
            direction: Direction::Above,
            level: Decimal::parse(level.to_string().as_bytes()).expect("a number"),
            hysteresis: Decimal::ZERO,
        })
        .collect();
    let capacity = 100;
    let session = feed.alerts(&thresholds, Policy::Lossless { capacity }, NoBell);
    let session = session.expect("started");
    feed.run().expect("running");
    let (alerts, longest) = awaited(&runtime, &session, 33);
    assert_eq!(alerts.len(), 40 * 1_000);
    assert!(longest <= capacity as u64 + 40, "{longest} waited");
}

#[test]
fn what_is_lost_after_the_last_record_is_reported_at_the_end() {
    let text: String = (0..20)
        .map(|n| line(&format!("S{n}"), "1.5", 0, n as u64))
        .collect();
    let (runtime, feed, _recording) = played(&text);
    let start = |overflow| {
        let policy = Policy::Buffered {
            overflow,
            capacity: 16,
        };
        let session = feed.candles(&Subscription::All, second(), 0, policy, NoBell);
        session.expect("started")
    };
    let sessions = [Overflow::DropNewest, Overflow::DropOldest].map(start);
    feed.run().expect("running");
    runtime.advance(SECOND);
    let reported = sessions.map(|session| {
        assert!(session.is_released());
        let gaps: u32 = drained(&session).iter().map(|(_, lost)| *lost).sum();
        (gaps, session.lane_statistics().unreported)
    });
    assert_eq!(reported, [(0, 4), (4, 0)]);
}

#[test]
fn sample_that_waited_when_its_consumer_was_cancelled_can_be_drained() {
    let (runtime, feed) = feed(&simulated(&["A"], 10.0, None));
    let policy = Policy::Sampled {
        interval: 3_600_000_000_000,
    };
    let session = feed.trades(&Subscription::All, policy, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND);
    session.cancel();
    runtime.advance(Duration::ZERO);
    let [(record, lost)] = drained(&session)[..] else {
        panic!("the newest");
    };
    assert_eq!(u64::from(lost), record.trade.sequence);
}

#[test]
fn trade_that_replaces_another_takes_over_what_was_skipped_before_that() {
    let (runtime, feed) = feed(&external::external());
    let session = feed
        .trades(&Subscription::All, Policy::Conflated, NoBell)
        .expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    let bare = "{\"symbol\":\"A\",\"price\":1}\n";
    let lost = |count: u64| format!("{{\"v\":1,\"gap\":{count}}}\n");
    let text = [&lost(3), bare, &lost(4), bare, bare].concat();
    assert_eq!(feed.push(text.as_bytes()).expect("taken"), text.len());
    runtime.advance(Duration::ZERO);
    let [(record, lost)] = drained(&session)[..] else {
        panic!("the newest");
    };
    assert_eq!((record.sequence_gap, lost), (7, 2));
}

#[test]
fn late_trade_gives_no_statistics_again() {
    let text: String = [0, 500, 200, 900]
        .iter()
        .zip(0..)
        .fold(String::new(), |text, (t, n)| text + &line("A", "1.5", *t, n));
    let (runtime, feed, _recording) = played(&text);
    let session = feed.statistics(&Subscription::All, second(), ALL, NoBell);
    let session = session.expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND);
    let times: Vec<i64> = (drained(&session).iter())
        .map(|(record, _)| record.time_ns / 1_000_000)
        .collect();
    assert_eq!(times, [0, 500, 900]);
    assert_eq!(session.omissions(), Omissions { late: 1, evicted: 0 });
}

#[test]
fn trades_that_a_full_window_dropped_are_counted_also_after_the_end() {
    let count = rustle_market::DEFAULT_WINDOW_ENTRIES as u64 + 3;
    let (runtime, feed) = feed(&simulated(&["A"], 1e7, Some(count)));
    let hour = Interval::parse("1h").expect("an interval");
    let session = feed
        .statistics(&Subscription::All, hour, Policy::Conflated, NoBell)
        .expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND);
    assert!(session.is_released());
    assert_eq!(drained(&session)[0].0.count, count - 3);
    assert_eq!(session.omissions(), Omissions { late: 0, evicted: 3 });
}
