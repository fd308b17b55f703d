//! External sources.

use super::*;

pub(super) fn external() -> SourceConfiguration {
    SourceConfiguration::External(ExternalConfiguration {
        format: Format::Ndjson,
        schema: rustle_market::Schema::default(),
        message_limit: 64,
        restarts_numbers: false,
    })
}

fn text(numbers: std::ops::Range<u64>) -> String {
    numbers
        .map(|n| line("A", &format!("{n}.5"), n as i64, n))
        .collect()
}

#[test]
fn loss_that_is_reported_is_that_of_the_trade_after_it_unless_numbers_tell_it() {
    let (runtime, feed) = feed(&external());
    let awaited = Policy::Lossless { capacity: 2 };
    let session = feed.trades(&Subscription::All, awaited, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    let bare = "{\"symbol\":\"B\",\"price\":1}\n";
    let lost = |count: u64| format!("{{\"v\":1,\"gap\":{count}}}\n");
    let text = [
        bare.into(),
        lost(3),
        bare.into(),
        text(0..1),
        lost(4),
        text(5..6),
        bare.into(),
        lost(5),
        "{\"v\":1,\"heartbeat\":7}\n".into(),
        lost(u64::MAX),
        bare.into(),
        lost(6),
    ];
    let text: String = text.concat();
    let (mut taken, mut skipped) = (0, Vec::new());
    // More trades than fit wait inside, losses included.
    while taken < text.len() || skipped.len() < 6 {
        taken += feed.push(&text.as_bytes()[taken..]).expect("a feed that goes on");
        runtime.advance(Duration::from_millis(1));
        skipped.extend(drained(&session).iter().map(|(record, _)| record.sequence_gap));
    }
    assert_eq!(skipped, [0, 3, 0, 4, 0, u64::MAX]);
    let counts = feed.counts();
    assert_eq!(
        (counts.gaps, counts.sequence_numbers_in_gaps, counts.others),
        (3, u64::MAX, 6)
    );
}

#[test]
fn room_that_a_consumer_makes_wakes_a_source_that_waits_though_no_time_passes() {
    let source = simulated(&["A"], 1_000.0, Some(100));
    for (configuration, is_pushed) in [(external(), true), (source, false)] {
        let (runtime, feed) = feed(&configuration);
        let awaited = Policy::Lossless { capacity: 1 };
        let [first, other] =
            [(); 2].map(|()| feed.trades(&Subscription::All, awaited, NoBell).expect("started"));
        feed.run().expect("running");
        runtime.advance(Duration::from_millis(200));
        if is_pushed {
            let text = text(0..100);
            assert!(feed.push(text.as_bytes()).expect("taken") > 0);
        }
        let mut got = Vec::new();
        while got.len() < 50 {
            runtime.advance(Duration::ZERO);
            let before = feed.counts().trades;
            runtime.advance(Duration::from_millis(10));
            assert_eq!(feed.counts().trades, before, "both consumers are full");
            let now = sequences(&first);
            assert_eq!((now.len(), &now), (1, &sequences(&other)));
            got.extend(now);
        }
        assert!(got.iter().copied().eq(0..50));
        // A consumer that goes makes room as well.
        runtime.advance(Duration::ZERO);
        first.cancel();
        runtime.advance(Duration::ZERO);
        assert_eq!(sequences(&other), [50]);
        runtime.advance(Duration::ZERO);
        assert_eq!(sequences(&other), [51]);
    }
}

fn sequences(session: &FeedSession<FeedTrade>) -> Vec<u64> {
    let all = drained(session).into_iter();
    all.map(|(record, _)| record.trade.sequence).collect()
}

#[test]
fn bytes_of_the_host_become_trades_wherever_they_are_cut() {
    let (runtime, feed) = feed(&external());
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    assert_eq!(feed.push(b"too early\n").expect("a feed that waits"), 0);
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    let text = text(0..100);
    for piece in text.as_bytes().chunks(7) {
        assert_eq!(feed.push(piece).expect("taken"), piece.len());
    }
    assert_eq!(sequences(&session), (0..100).collect::<Vec<_>>());
    assert_eq!(feed.counts().bytes, text.len() as u64);
    // Without a line feed; the end of the feed ends the line.
    let last = line("A", "7", 7, 100);
    feed.push(last.trim_end().as_bytes()).expect("taken");
    feed.report(HostNews::Closed, "").expect("closed");
    assert!(matches!(feed.push(b"x"), Err(FeedError::Ended)));
    runtime.advance(Duration::ZERO);
    assert_eq!(sequences(&session), [100]);
    assert!(session.is_released());
}

#[test]
fn feed_that_was_shut_down_takes_no_bytes_and_no_reports() {
    for runs in [false, true] {
        let (_runtime, feed) = feed(&external());
        if runs {
            feed.run().expect("running");
        }
        feed.shut_down();
        assert!(matches!(feed.push(b"x"), Err(FeedError::Ended)), "{runs}");
        let reported = feed.report(HostNews::Connected, "");
        assert!(matches!(reported, Err(FeedError::Ended)), "{runs}");
        assert!(matches!(feed.run(), Err(FeedError::ShutDown)), "{runs}");
    }
}

#[test]
fn consumer_that_is_waited_for_holds_the_host_up_and_nothing_is_lost() {
    let (runtime, feed) = feed(&external());
    let policy = Policy::Lossless { capacity: 10 };
    let session = feed.trades(&Subscription::All, policy, NoBell).expect("started");
    let (bell, rings) = bell();
    let room = feed.notices(Notices::Room, 1, bell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    let text = text(0..5_000);
    let (mut taken, mut refusals, mut got) = (0, 0, Vec::new());
    while got.len() < 5_000 {
        taken += feed.push(&text.as_bytes()[taken..]).expect("a feed that runs");
        if taken < text.len() {
            refusals += 1;
            assert!(rings.try_recv().is_err(), "no room yet");
            // While trades wait inside there is no room.
            while drained(&room).is_empty() {
                got.extend(sequences(&session));
                runtime.advance(Duration::from_millis(1));
            }
            assert_eq!(rings.try_recv(), Ok(Heard::Ready));
        } else {
            got.extend(sequences(&session));
            runtime.advance(Duration::from_millis(1));
        }
    }
    assert_eq!(got, (0..5_000).collect::<Vec<_>>());
    assert!(refusals >= 10, "{refusals}");
}

#[test]
fn host_reports_that_its_source_numbers_anew() {
    let (runtime, feed) = feed(&external());
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    let notices = feed.notices(Notices::All, 16, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    feed.push(text(7..9).as_bytes()).expect("taken");
    feed.report(HostNews::Renumbered, "epoch 2").expect("reported");
    feed.push([text(0..2), text(3..4)].concat().as_bytes())
        .expect("taken");
    runtime.advance(Duration::ZERO);
    let read: Vec<_> = drained(&session)
        .iter()
        .map(|(record, _)| (record.sequence_gap, record.is_out_of_order))
        .collect();
    assert_eq!(
        read.iter().map(|(gap, _)| *gap).collect::<Vec<_>>(),
        [0, 0, 0, 0, 1]
    );
    assert!(read.iter().all(|(_, is_out_of_order)| !is_out_of_order));
    let kinds: Vec<_> = drained(&notices).iter().map(|(notice, _)| notice.kind).collect();
    assert_eq!(kinds, [NoticeKind::Renumbered]);
    assert_eq!((feed.counts().duplicates, feed.counts().connections), (0, 0));
}

#[test]
fn what_waits_where_its_source_numbers_anew_keeps_its_numbers() {
    let mut restarting = external();
    if let SourceConfiguration::External(external) = &mut restarting {
        external.restarts_numbers = true;
    }
    for (configuration, news) in [
        (external(), HostNews::Renumbered),
        (restarting, HostNews::Connected),
    ] {
        let (runtime, feed) = feed(&configuration);
        let awaited = Policy::Lossless { capacity: 4 };
        let session = feed.trades(&Subscription::All, awaited, NoBell).expect("started");
        feed.run().expect("running");
        runtime.advance(Duration::ZERO);
        let (before, after) = (text(0..20), [text(0..10), text(13..20)].concat());
        let mut read = Vec::new();
        // All is taken, and what there is no room for waits inside.
        assert_eq!(feed.push(before.as_bytes()).expect("taken"), before.len());
        feed.report(news, "epoch 2").expect("reported");
        let mut taken = 0;
        for _ in 0..1_000 {
            taken += feed
                .push(&after.as_bytes()[taken..])
                .expect("a feed that goes on");
            runtime.advance(Duration::from_millis(1));
            read.extend(
                drained(&session)
                    .iter()
                    .map(|(record, _)| (record.trade.sequence, record.sequence_gap, record.is_out_of_order)),
            );
        }
        assert_eq!(taken, after.len(), "{news:?}");
        let expected: Vec<_> = (0..30)
            .map(|n| (n, 0, false))
            .chain([(33, 3, false)])
            .chain((34..40).map(|n| (n, 0, false)))
            .collect();
        let counts = feed.counts();
        assert_eq!(read, expected, "{news:?}: {counts:?}");
        assert_eq!(
            (
                counts.sequence_numbers_in_gaps,
                counts.duplicates,
                counts.out_of_order
            ),
            (3, 0, 0),
            "{news:?}"
        );
    }
}

#[test]
fn host_reports_of_its_connection() {
    let (runtime, feed) = feed(&external());
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    let reported = feed.notices(Notices::Connection, 16, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    feed.report(HostNews::Connecting { failures: 0 }, "wss://there")
        .expect("reported");
    feed.report(HostNews::Connected, "wss://there").expect("reported");
    feed.push(&text(0..2).as_bytes()[..70]).expect("taken");
    let lost = HostNews::Disconnected {
        retry_ms: 250,
        failures: 1,
    };
    feed.report(lost, "reset by peer").expect("reported");
    feed.report(HostNews::Connected, "wss://there").expect("reported");
    feed.push(text(4..5).as_bytes()).expect("taken");
    feed.report(HostNews::Closed, "no more").expect("reported");
    runtime.advance(Duration::ZERO);
    use NoticeKind::{Closed, Connected, Connecting, Disconnected};
    let reported: Vec<_> = drained(&reported)
        .into_iter()
        .map(|(notice, _)| {
            (
                notice.kind,
                notice.count,
                notice.failures,
                notice.text.as_str().to_owned(),
            )
        })
        .collect();
    let there = "wss://there".to_owned();
    assert_eq!(
        reported,
        [
            (Connecting, 0, 0, there.clone()),
            (Connected, 0, 0, there.clone()),
            (Disconnected, 250, 1, "reset by peer".to_owned()),
            (Connected, 0, 0, there),
            (Closed, 0, 0, "no more".to_owned()),
        ]
    );
    let skipped: Vec<u64> = drained(&session)
        .iter()
        .map(|(record, _)| record.sequence_gap)
        .collect();
    assert_eq!(skipped, [0, 3], "a line that was cut off is not a trade");
    let counts = feed.counts();
    assert_eq!(
        (counts.connections, counts.disconnections, counts.malformed),
        (2, 1, 0)
    );
}

#[test]
fn host_learns_what_is_wanted_whenever_it_changes() {
    let (runtime, feed) = feed(&external());
    let (bell, rings) = bell();
    let reported = feed.notices(Notices::Wanted, 1, bell).expect("started");
    let all = feed.notices(Notices::All, 16, NoBell).expect("started");
    let wanted = |all, symbols: &[&str]| {
        let wanted = feed.wanted();
        let names: Vec<&str> = wanted.names.iter().map(AsRef::as_ref).collect();
        assert_eq!((wanted.all, &names[..]), (all, symbols));
        wanted.version
    };
    let mut version = wanted(false, &[]);
    assert!(drained(&reported).is_empty(), "notices subscribe to no symbols");
    let mut next = |all, symbols: &[&str]| {
        runtime.advance(Duration::ZERO);
        let before = std::mem::replace(&mut version, wanted(all, symbols));
        assert!(version > before, "{version} {before}");
        let kinds: Vec<NoticeKind> = drained(&reported).iter().map(|(notice, _)| notice.kind).collect();
        assert_eq!(kinds, [NoticeKind::Wanted]);
        assert_eq!(rings.try_recv(), Ok(Heard::Ready));
    };
    let some = Subscription::Symbols(names(&["B", "A"]));
    let first = feed.trades(&some, ALL, NoBell).expect("started");
    next(false, &["A", "B"]);
    let second = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    next(true, &["A", "B"]);
    first.subscribe(&names(&["C"]), &names(&["B"])).expect("changed");
    next(true, &["A", "C"]);
    second.cancel();
    next(false, &["A", "C"]);
    first.cancel();
    next(false, &[]);
    assert!(drained(&all).is_empty(), "only those who ask for it get it");
}

#[test]
fn messages_have_the_length_that_was_said() {
    let (runtime, feed) = feed(&external());
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    let fine = line("A", "1.5", 1, 0);
    let long = format!("{}{}", " ".repeat(65), line("A", "2.5", 2, 1));
    let text = format!("{fine}{long}{fine}");
    feed.push(text.as_bytes()).expect("taken");
    assert_eq!(sequences(&session), [0]);
    assert_eq!((feed.counts().oversized, feed.counts().duplicates), (1, 1));
    for limit in [0, 16 * 1_024 * 1_024 + 1] {
        let SourceConfiguration::External(mut configuration) = external() else {
            unreachable!("it is pushed");
        };
        configuration.message_limit = limit;
        let refused = FeedEngine::on(runtime.clone(), &SourceConfiguration::External(configuration));
        assert!(matches!(refused.err(), Some(FeedError::MessageLimit { got }) if got == limit));
    }
}

#[test]
fn other_sources_are_not_filled_by_the_host_and_notices_have_no_symbols() {
    let (_, feed) = feed(&simulated(&["A"], 1.0, None));
    assert!(matches!(feed.push(b""), Err(FeedError::NotExternal)));
    assert!(matches!(
        feed.report(HostNews::Closed, ""),
        Err(FeedError::NotExternal)
    ));
    let reported = feed.notices(Notices::All, 1, NoBell).expect("started");
    let refused = reported.subscribe(&names(&["A"]), &[]);
    assert!(matches!(refused, Err(FeedError::NoSymbols)), "{refused:?}");
}

#[test]
fn source_that_panicked_poisons_its_feed() {
    let (runtime, feed) = feed(&external());
    let session = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    feed.hub().end(Release::Panicked("the source bites".into()));
    runtime.advance(Duration::ZERO);
    assert!(session.is_released());
    let refused = feed.trades(&Subscription::All, ALL, NoBell).map(drop);
    assert!(matches!(refused, Err(FeedError::Poisoned)), "{refused:?}");
    let address = "127.0.0.1:0".parse().expect("an address");
    let refused = feed.serve(&address, ALL, Access::Local, NoBell).map(drop);
    assert!(matches!(refused, Err(FeedError::Poisoned)), "{refused:?}");
}

#[test]
fn source_that_is_closed_while_it_begins_ends() {
    for round in 0..5_000 {
        let feed = FeedEngine::on(Runtime::shared().clone(), &external()).expect("valid");
        let (bell, heard) = bell();
        let _session = feed.trades(&Subscription::All, ALL, bell).expect("started");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20 * (round % 100) {
                    std::hint::spin_loop();
                }
                feed.report(HostNews::Closed, "").expect("a feed that goes on");
            });
            feed.run().expect("running");
        });
        let end = heard.recv_timeout(20 * SECOND);
        assert_eq!(end, Ok(Heard::Released(Release::Ended)), "round {round}");
    }
}
