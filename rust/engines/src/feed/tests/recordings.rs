//! Feeds that play a recording.

use super::*;
use flate2::{Compression, write::GzEncoder};
use rustle_market::{Decimal, Direction, Schema};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// A recording in a file that is removed with it.
pub(super) struct Recording(PathBuf);

impl Recording {
    pub(super) fn new(text: &str) -> Self {
        Self::of(text.as_bytes())
    }

    fn of(bytes: &[u8]) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("rustle-feed-{}-{number}.ndjson", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a writable folder");
        Self(path)
    }

    pub(super) fn played(&self, pace: Pace) -> ReplayConfiguration {
        ReplayConfiguration {
            path: self.0.clone(),
            format: None,
            schema: Schema::default(),
            pace,
            repeats: false,
            from_ns: None,
            to_ns: None,
            is_strict: false,
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

pub(super) fn line(symbol: &str, price: &str, t_ms: i64, seq: u64) -> String {
    format!("{{\"v\":1,\"symbol\":\"{symbol}\",\"price\":{price},\"t_ms\":{t_ms},\"seq\":{seq}}}\n")
}

#[test]
fn recording_is_played_at_its_pace() {
    let text: String = (0..5)
        .map(|n| line("BTC", &format!("{n}.50"), 1_000 * n, n as u64))
        .collect();
    let recording = Recording::new(&text);
    let configuration = SourceConfiguration::Replay(recording.played(Pace::Times(2.0)));
    let (runtime, feed) = feed(&configuration);
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    assert_eq!(prices(&session), ["0.50"]);
    runtime.advance(Duration::from_millis(499));
    assert_eq!(prices(&session), [""; 0]);
    runtime.advance(Duration::from_millis(1));
    assert_eq!(prices(&session), ["1.50"]);
    runtime.advance(Duration::from_millis(1_000));
    assert_eq!(prices(&session), ["2.50", "3.50"]);
    assert!(!session.is_released());
    runtime.advance(Duration::from_millis(500));
    assert_eq!(prices(&session), ["4.50"]);
    assert!(session.is_released());
}

#[test]
fn recording_begins_where_it_is_asked_to_and_again() {
    let text: String = (0..4)
        .map(|n| line("BTC", &n.to_string(), 1_000 * n, n as u64))
        .collect();
    let recording = Recording::new(&text);
    let mut configuration = recording.played(Pace::Times(1.0));
    configuration.from_ns = Some(2_000_000_000);
    configuration.repeats = true;
    let (runtime, feed) = feed(&SourceConfiguration::Replay(configuration));
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(5 * SECOND);
    let all = drained(&session);
    let seen: Vec<_> = all
        .iter()
        .map(|(record, _)| (record.trade.sequence, record.trade.time_ns / 1_000_000))
        .collect();
    assert_eq!(
        seen,
        [
            (2, 2_000),
            (3, 3_000),
            (4, 4_000),
            (5, 5_000),
            (6, 6_000),
            (7, 7_000)
        ]
    );
    assert!(
        all.iter()
            .all(|(record, _)| record.sequence_gap == 0 && !record.is_out_of_order)
    );
}

#[test]
fn compressed_recording_is_played_as_the_plain_one() {
    let text: String = (0..50_000)
        .map(|n| line("BTC", &format!("{n}.50"), 1_000 * n, n as u64))
        .collect();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory");
    let recordings = [
        Recording::new(&text),
        Recording::of(&encoder.finish().expect("memory")),
    ];
    let [plain, compressed] = recordings.each_ref().map(|recording| {
        let mut looped = recording.played(Pace::Times(1_000_000.0));
        looped.repeats = true;
        let (runtime, source) = feed(&SourceConfiguration::Replay(looped));
        let policy = Policy::Lossless { capacity: 1 << 17 };
        let session = source
            .trades(&Subscription::All, policy, NoBell)
            .expect("started");
        source.run().expect("running");
        while session.lane_statistics().produced < 120_000 {
            runtime.advance(SECOND / 1_000);
        }
        drained(&session).into_iter().take(120_000).collect::<Vec<_>>()
    });
    assert!(plain == compressed, "two laps and a part of a third");
}

#[test]
fn recording_ends_where_it_is_asked_to() {
    let text: String = [1, 2, 5, 3, 4]
        .map(|n| line("A", "1", 1_000 * n, n as u64))
        .concat();
    let recording = Recording::new(&text);
    let mut part = recording.played(Pace::Unpaced);
    (part.from_ns, part.to_ns) = (Some(2_000_000_000), Some(4_000_000_000));
    let (runtime, feed) = feed(&SourceConfiguration::Replay(part));
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND);
    let numbers = drained(&session)
        .into_iter()
        .map(|(record, _)| record.trade.sequence);
    assert_eq!(
        numbers.collect::<Vec<_>>(),
        [2, 3],
        "one out of order does not end it"
    );
}

#[test]
fn laps_that_were_recorded_are_all_read_back() {
    let lines = [("A", 3), ("B", 7), ("A", 2), ("A", 6), ("B", 8)];
    let text: String = (lines.iter().zip(0..))
        .map(|((symbol, seq), n)| line(symbol, "1.5", 1_000 * n, *seq))
        .collect();
    let recording = Recording::new(&text);
    let mut looped = recording.played(Pace::Times(1.0));
    looped.repeats = true;
    let (runtime, source) = feed(&SourceConfiguration::Replay(looped));
    let session = source.trades(&Subscription::All, ALL, NoBell).expect("started");
    source.run().expect("running");
    runtime.advance(20 * SECOND);
    let (mut written, mut count) = (Vec::new(), 0);
    for (record, _) in drained(&session) {
        let name = source.symbol(record.trade.symbol).expect("a name");
        rustle_market::write_ndjson(&record.trade, &name, &mut written);
        count += 1;
    }
    assert_eq!(count, 21, "the first of a fifth lap is the last");
    let recorded = Recording::new(std::str::from_utf8(&written).expect("text"));
    let (runtime, again) = feed(&SourceConfiguration::Replay(recorded.played(Pace::Unpaced)));
    again.run().expect("running");
    runtime.advance(SECOND);
    let counts = again.counts();
    assert_eq!((counts.trades, counts.duplicates), (count, 0));
    // Each lap of A: 3, 2, and 6, before which two are missing; the one out of order is in a gap of later laps.
    assert_eq!(
        (
            counts.sequence_numbers_in_gaps,
            source.counts().sequence_numbers_in_gaps
        ),
        (12, 12)
    );
}

#[test]
fn source_waits_for_a_consumer_that_must_not_lose_anything() {
    let text: String = (0..10_000)
        .map(|n| line("BTC", &n.to_string(), n, n as u64))
        .collect();
    let recording = Recording::new(&text);
    let (runtime, feed) = feed(&SourceConfiguration::Replay(recording.played(Pace::Unpaced)));
    let awaited = Policy::Lossless { capacity: 100 };
    let slow = feed.trades(&Subscription::All, awaited, NoBell).expect("started");
    let lossy = Policy::Buffered {
        overflow: Overflow::DropOldest,
        capacity: 10,
    };
    let lossy = feed.trades(&Subscription::All, lossy, NoBell).expect("started");
    feed.run().expect("running");
    let mut seen = 0;
    let mut turns = 0;
    while !slow.is_released() || seen < 10_000 {
        runtime.advance(Duration::from_millis(1));
        for (record, lost) in drained(&slow) {
            assert_eq!((record.trade.sequence, lost), (seen, 0));
            seen += 1;
        }
        turns += 1;
    }
    assert!(turns >= 100, "no more than fit at a time");
    let statistics = slow.lane_statistics();
    assert_eq!(
        (statistics.produced, statistics.delivered, statistics.dropped),
        (10_000, 10_000, 0)
    );
    let left = drained(&lossy);
    assert_eq!(left[0].1, 9_990);
    assert_eq!(lossy.lane_statistics().dropped, 9_990);
}

#[test]
fn candles_statistics_and_alerts_are_made_of_the_trades() {
    let text: String = [
        (0, "10"),
        (400, "12"),
        (900, "9"),
        (1_000, "11"),
        (2_500, "12.5"),
        (2_600, "8"),
    ]
    .iter()
    .zip(0..)
    .map(|((t_ms, price), seq)| line("A", price, *t_ms, seq))
    .collect();
    let recording = Recording::new(&text);
    let (runtime, feed) = feed(&SourceConfiguration::Replay(recording.played(Pace::Unpaced)));
    let second = Interval::parse("1s").expect("an interval");
    let candles = feed
        .candles(&Subscription::All, second, 0, ALL, NoBell)
        .expect("started");
    let statistics = feed
        .statistics(&Subscription::All, second, ALL, NoBell)
        .expect("started");
    let decimal = |text: &str| Decimal::parse(text.as_bytes()).expect("a number");
    let threshold = |direction, level: &str| Threshold {
        symbol: "A".into(),
        direction,
        level: decimal(level),
        hysteresis: decimal("1"),
    };
    let thresholds = [
        threshold(Direction::Above, "12"),
        threshold(Direction::Below, "9"),
    ];
    let alerts = feed.alerts(&thresholds, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::from_millis(10));
    let candles: Vec<_> = drained(&candles)
        .iter()
        .map(|(c, _)| {
            (
                c.start_ns / 1_000_000,
                [c.open, c.high, c.low, c.close].map(Decimal::to_f64),
                c.count,
            )
        })
        .collect();
    let expected = [
        (0, [10.0, 12.0, 9.0, 9.0], 3),
        (1_000, [11.0; 4], 1),
        (2_000, [12.5, 12.5, 8.0, 8.0], 2),
    ];
    assert_eq!(candles, expected, "the last with the end of the recording");
    let statistics = drained(&statistics);
    assert_eq!(statistics.len(), 6);
    assert_eq!(statistics[2].0.mean, 31.0 / 3.0);
    let fired: Vec<_> = drained(&alerts)
        .iter()
        .map(|(alert, _)| (alert.threshold, alert.trade.sequence))
        .collect();
    assert_eq!(fired, [(0, 1), (1, 2), (0, 4), (1, 5)]);
}
