//! Recordings with messages that cannot be read.

use super::*;

#[test]
fn message_that_cannot_be_understood_is_counted_reported_and_skipped() {
    let long = "x".repeat(70_000);
    let text = format!(
        "{}\n\nnot json\n{{\"heartbeat\":1}}\n{{\"symbol\":\"A\"}}\n{long}\n{}{}{}{}",
        line("A", "1.0", 1, 0),
        line("A", "2.0", 2, 3),
        line("A", "2.0", 2, 3),
        line("A", "1.5", 2, 2),
        line("A", "3.0", 3, 4).trim_end(),
    );
    let recording = Recording::new(&text);
    let (runtime, feed) = feed(&SourceConfiguration::Replay(recording.played(Pace::Unpaced)));
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    let notices = feed.notices(Notices::All, 16, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::from_millis(10));
    let all: Vec<FeedTrade> = drained(&session).into_iter().map(|(record, _)| record).collect();
    assert_eq!(
        all.iter().map(|record| record.sequence_gap).collect::<Vec<_>>(),
        [0, 2, 0, 0]
    );
    assert_eq!(
        all.iter()
            .map(|record| record.is_out_of_order)
            .collect::<Vec<_>>(),
        [false, false, true, false]
    );
    let expected = FeedCounts {
        bytes: text.len() as u64,
        messages: 9,
        trades: 4,
        malformed: 2,
        oversized: 1,
        others: 1,
        gaps: 1,
        sequence_numbers_in_gaps: 2,
        duplicates: 1,
        out_of_order: 1,
        ..FeedCounts::default()
    };
    assert_eq!(feed.counts(), expected);
    let reported: Vec<(NoticeKind, u64)> = drained(&notices)
        .iter()
        .map(|(notice, _)| (notice.kind, notice.count))
        .collect();
    use NoticeKind::{Closed, Malformed, Oversized};
    assert_eq!(reported, [(Malformed, 1), (Oversized, 8), (Closed, 0)]);
}

#[test]
fn malformed_message_ends_a_strict_recording_after_the_trades_before_it() {
    let lines = [
        line("A", "1.0", 1_000, 0),
        line("A", "2.0", 2_000, 1),
        "not json\n".into(),
        line("A", "3.0", 3_000, 2),
    ];
    let recording = Recording::new(&lines.concat());
    let mut strict = recording.played(Pace::Times(1.0));
    strict.is_strict = true;
    let (runtime, feed) = feed(&SourceConfiguration::Replay(strict));
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND / 2);
    assert_eq!((drained(&session).len(), session.is_released()), (1, false));
    runtime.advance(2 * SECOND);
    assert_eq!((drained(&session).len(), session.is_released()), (1, true));
    let end = feed.connection().expect("the end");
    let text = end.text.as_str();
    assert!(
        end.kind == NoticeKind::Closed && text.starts_with("message 3: "),
        "{text}"
    );
    assert_eq!((feed.counts().messages, feed.counts().malformed), (3, 1));
}

#[test]
fn oversized_message_ends_a_strict_recording_after_the_trades_before_it() {
    let long = "x".repeat(70_000);
    let text = [
        line("A", "1", 1, 0),
        format!("{long}\nrubbish\n"),
        line("A", "2", 2, 1),
    ]
    .concat();
    let recording = Recording::new(&text);
    let mut strict = recording.played(Pace::Unpaced);
    strict.is_strict = true;
    let (runtime, feed) = feed(&SourceConfiguration::Replay(strict));
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(SECOND);
    assert_eq!(drained(&session).len(), 1);
    let expected = "message 2: expected messages of at most 65536 bytes, got a longer one";
    assert_eq!(
        feed.connection()
            .map(|end| end.text.as_str().to_owned())
            .as_deref(),
        Some(expected)
    );
    let counts = feed.counts();
    assert_eq!((counts.messages, counts.oversized, counts.malformed), (2, 1, 0));
}

#[test]
fn header_without_a_column_ends_the_feed_and_names_the_columns() {
    let rows = "time,symbol,last\n1,A,2\n1,B,3\n";
    let recording = Recording::new(rows);
    let mut configuration = recording.played(Pace::Unpaced);
    configuration.format = Some(Format::Csv);
    let (runtime, feed) = feed(&SourceConfiguration::Replay(configuration));
    feed.run().expect("running");
    runtime.advance(SECOND);
    let expected = "message 1: price: expected a column \"price\" in the header, got time,symbol,last";
    assert_eq!(
        feed.connection()
            .map(|end| end.text.as_str().to_owned())
            .as_deref(),
        Some(expected)
    );
    assert_eq!((feed.counts().messages, feed.counts().malformed), (1, 1));
}
