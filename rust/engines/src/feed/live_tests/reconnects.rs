//! Connections that are lost, and the backoff between them.

use super::*;
use std::net::Shutdown;

#[test]
fn connection_that_is_lost_is_made_again_and_what_is_missing_is_reported() {
    let (listener, address) = listener();
    let feed = live(client(address));
    let (mut got, mut reported) = (trades(&feed), notices(&feed));
    feed.run().expect("running");
    let mut sequence = 0;
    for round in 0..20 {
        let mut stream = accepted(&listener);
        for _ in 0..10 {
            stream.write_all(line(sequence).as_bytes()).expect("a client");
            sequence += 1;
        }
        // Cut off in the middle of a line, and three trades that are never sent.
        stream
            .write_all(&line(sequence).as_bytes()[..20])
            .expect("a client");
        got.until(|records| records.len() == 10 * (round + 1));
        sequence += 3;
    }
    reported.until(|records| {
        records
            .iter()
            .filter(|notice| notice.kind == NoticeKind::Disconnected)
            .count()
            >= 20
    });
    let skipped: Vec<u64> = got
        .records
        .iter()
        .map(|record| record.sequence_gap)
        .filter(|n| *n > 0)
        .collect();
    assert_eq!(skipped, [3; 19]);
    let counts = feed.counts();
    assert_eq!(
        (
            counts.gaps,
            counts.sequence_numbers_in_gaps,
            counts.duplicates,
            counts.malformed
        ),
        (19, 57, 0, 0)
    );
    assert!(counts.connections >= 20 && counts.trades == 200);
}

#[test]
fn connection_that_carried_trades_begins_the_backoff_anew() {
    let (listener, address) = listener();
    let feed = live(client(address));
    let (mut got, mut reported) = (trades(&feed), notices(&feed));
    feed.run().expect("running");
    // Every third connection carries a trade.
    for round in 1..=9 {
        let mut stream = accepted(&listener);
        if round % 3 == 0 {
            stream.write_all(line(round).as_bytes()).expect("a client");
            got.until(|records| records.len() == round as usize / 3);
        } else {
            stream.write_all(b"rubbish\n").expect("a client");
        }
    }
    let failures = |records: &[Notice]| {
        let lost = records
            .iter()
            .filter(|notice| notice.kind == NoticeKind::Disconnected);
        lost.map(|notice| notice.failures).collect::<Vec<u32>>()
    };
    reported.until(|records| failures(records).len() >= 9);
    assert_eq!(failures(&reported.records)[..9], [1, 2, 1, 2, 3, 1, 2, 3, 1]);
}

#[test]
fn connection_that_carried_duplicates_alone_begins_the_backoff_anew() {
    let (listener, address) = listener();
    let feed = live(client(address));
    let mut reported = notices(&feed);
    feed.run().expect("running");
    for round in 0..4 {
        let mut stream = accepted(&listener);
        // The source restarted, and sends what it has sent before.
        stream.write_all(line(7).as_bytes()).expect("a client");
        // Closed once the client has read it.
        stream.shutdown(Shutdown::Write).expect("a client");
        stream.read_to_end(&mut Vec::new()).expect("a client");
        reported.until(|records| {
            let lost = records
                .iter()
                .filter(|notice| notice.kind == NoticeKind::Disconnected);
            lost.count() > round
        });
    }
    let failures = (reported.records.iter()).filter(|notice| notice.kind == NoticeKind::Disconnected);
    assert_eq!(
        failures.map(|notice| notice.failures).collect::<Vec<u32>>(),
        [1; 4]
    );
    assert_eq!((feed.counts().trades, feed.counts().duplicates), (1, 3));
}

#[test]
fn feed_without_an_attempt_left_ends_with_the_reason() {
    let (listener, address) = listener();
    let mut configuration = client(address);
    configuration.backoff.attempts = NonZeroU32::new(3);
    let feed = live(configuration);
    let mut reported = notices(&feed);
    feed.run().expect("running");
    drop(accepted(&listener));
    drop(listener);
    reported.until(|records| {
        records
            .last()
            .is_some_and(|notice| notice.kind == NoticeKind::Closed)
    });
    let (closed, before) = reported.records.split_last().expect("the end");
    let text = closed.text.as_str();
    assert!(
        text.starts_with("no attempt to connect is left after 3: "),
        "{text}"
    );
    let lost = before
        .iter()
        .filter(|notice| notice.kind == NoticeKind::Disconnected);
    assert_eq!((lost.count(), feed.counts().disconnections), (2, 3));
}

#[test]
fn host_is_found_by_its_name() {
    let (listener, address) = listener();
    let FeedAddress::Tcp { port, .. } = address else {
        panic!("an address of TCP");
    };
    let host = "localhost".to_owned();
    let feed = live(client(FeedAddress::Tcp { host, port }));
    let mut got = trades(&feed);
    feed.run().expect("running");
    accepted(&listener)
        .write_all(line(1).as_bytes())
        .expect("a client");
    got.until(|records| records.len() == 1);
    let host = "no.such.host.invalid".to_owned();
    let lost = live(client(FeedAddress::Tcp { host, port }));
    let mut reported = notices(&lost);
    lost.run().expect("running");
    reported.until(|records| {
        records
            .iter()
            .any(|notice| notice.kind == NoticeKind::Disconnected)
    });
    let text = reported.records[1].text;
    assert!(text.as_str().starts_with("no.such.host.invalid:"), "{text:?}");
}

#[test]
fn shutdown_ends_an_idle_connection_though_no_time_passes() {
    let (listener, address) = listener();
    let runtime = Arc::new(Runtime::manual(0));
    let configuration = SourceConfiguration::Live(client(address));
    let feed = FeedEngine::on(runtime.clone(), &configuration).expect("a valid configuration");
    let kind = |feed: &FeedEngine| feed.connection().map(|notice| notice.kind);
    feed.run().expect("running");
    let mut peer = accepted(&listener);
    while kind(&feed) != Some(NoticeKind::Connected) {
        std::thread::yield_now();
    }
    // Nor does a changed subscription wait for a time.
    let one = Subscription::Symbols(vec!["BTC".into()]);
    let _one = feed.trades(&one, ALL, NoBell).expect("started");
    let mut lines = BufReader::new(peer.try_clone().expect("a socket")).lines();
    let mut heard = || lines.next().expect("a line").expect("text");
    while heard() != "{\"subscribe\":[\"BTC\"]}" {}
    feed.shut_down();
    runtime.advance(Duration::ZERO);
    assert_eq!(
        kind(&feed),
        Some(NoticeKind::Closed),
        "with the poll that was asked for"
    );
    peer.read_to_end(&mut Vec::new()).expect("the end");
}
