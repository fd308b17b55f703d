//! Feeds on a manual runtime: every test moves the time itself.

mod external;
mod held_up;
mod losses;
mod malformed;
#[cfg(unix)]
mod pipes;
mod recordings;

use super::*;
use crate::NoBell;
use crate::job::Release;
use recordings::{Recording, line};
use rustle_market::{Format, Pace, SymbolError};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug, PartialEq)]
enum Heard {
    Ready,
    Released(Release),
}

struct Bell(Sender<Heard>);

impl Doorbell for Bell {
    fn on_ready(&mut self) {
        self.0.send(Heard::Ready).expect("the test listens");
    }

    fn on_release(self: Box<Self>, release: Release) {
        self.0.send(Heard::Released(release)).expect("the test listens");
    }
}

fn bell() -> (Bell, Receiver<Heard>) {
    let (sender, receiver) = mpsc::channel();
    (Bell(sender), receiver)
}

fn simulated(symbols: &[&str], rate: f64, limit: Option<u64>) -> SourceConfiguration {
    SourceConfiguration::Simulated(SimulatedConfiguration {
        symbols: names(symbols),
        updates_per_second: rate,
        seed: 7,
        update_limit: limit,
        model: Model::Walk,
    })
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn feed(configuration: &SourceConfiguration) -> (Arc<Runtime>, FeedEngine) {
    let runtime = Arc::new(Runtime::manual(1_000));
    let feed = FeedEngine::on(runtime.clone(), configuration).expect("a valid configuration");
    (runtime, feed)
}

const ALL: Policy = Policy::Buffered {
    overflow: Overflow::DropOldest,
    capacity: 1_000,
};

fn drained<T: Copy>(session: &FeedSession<T>) -> Vec<(T, u32)> {
    let mut all = Vec::new();
    session.drain(usize::MAX, |record, lost| all.push((record, lost)));
    all
}

fn prices(session: &FeedSession<FeedTrade>) -> Vec<String> {
    let all = drained(session).into_iter();
    all.map(|(record, _)| record.trade.price.to_string()).collect()
}

#[test]
fn consumers_of_one_source_see_the_same_each_by_its_policy() {
    let (runtime, feed) = feed(&simulated(&["BTC", "ETH"], 10.0, Some(40)));
    let all = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    let latest = feed
        .trades(&Subscription::All, Policy::Conflated, NoBell)
        .expect("started");
    let one = Subscription::Symbols(names(&["ETH"]));
    let one = feed.trades(&one, ALL, NoBell).expect("started");
    runtime.advance(SECOND);
    assert_eq!(drained(&all), [], "the source waits to be run");
    feed.run().expect("running");
    feed.run().expect("idempotent");
    runtime.advance(5 * SECOND);
    let all = drained(&all);
    assert_eq!(all.len(), 40);
    let sequences: Vec<u64> = all.iter().map(|(record, _)| record.trade.sequence).collect();
    assert_eq!(sequences[..5], [0, 0, 1, 1, 2]);
    assert!(
        all.iter()
            .all(|(record, lost)| *lost == 0 && record.sequence_gap == 0)
    );
    let of_one: Vec<_> = all
        .iter()
        .filter(|(record, _)| record.trade.symbol == 1)
        .copied()
        .collect();
    assert_eq!(drained(&one), of_one);
    let newest = drained(&latest);
    assert_eq!(newest.iter().map(|(_, lost)| *lost).collect::<Vec<_>>(), [19, 19]);
    assert_eq!(
        newest.iter().map(|(record, _)| *record).collect::<Vec<_>>(),
        [all[38].0, all[39].0]
    );
    assert_eq!(feed.symbol(1).as_deref(), Some("ETH"));
    assert_eq!(feed.symbol(2), None);
    assert_eq!(feed.counts().trades, 40);
}

#[test]
fn bell_rings_when_there_is_something_again_and_reports_of_the_end_last() {
    let (runtime, feed) = feed(&simulated(&["BTC"], 1.0, Some(3)));
    let (bell, heard) = bell();
    let session = feed.trades(&Subscription::All, ALL, bell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::ZERO);
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), [Heard::Ready]);
    runtime.advance(SECOND);
    assert_eq!(heard.try_recv().ok(), None, "it was not drained");
    assert_eq!(drained(&session).len(), 2);
    runtime.advance(SECOND);
    assert_eq!(heard.recv(), Ok(Heard::Ready));
    assert_eq!(heard.recv(), Ok(Heard::Released(Release::Ended)));
    assert!(session.is_released());
    assert_eq!(
        drained(&session).len(),
        1,
        "waiting records can be drained after the end"
    );
    let (late, heard) = self::bell();
    feed.trades(&Subscription::All, ALL, late).expect("started");
    runtime.advance(Duration::ZERO);
    assert_eq!(
        heard.try_iter().collect::<Vec<_>>(),
        [Heard::Released(Release::Ended)]
    );
}

#[test]
fn subscription_changes_while_the_source_runs() {
    let (runtime, feed) = feed(&simulated(&["A", "B", "C"], 1.0, None));
    let first = Subscription::Symbols(names(&["A", "LATER"]));
    let session = feed.trades(&first, ALL, NoBell).expect("started");
    feed.run().expect("running");
    let symbols = |session: &FeedSession<FeedTrade>| -> Vec<u32> {
        drained(session)
            .iter()
            .map(|(record, _)| record.trade.symbol)
            .collect()
    };
    runtime.advance(Duration::from_millis(999));
    assert_eq!(symbols(&session), [0]);
    session
        .subscribe(&names(&["C"]), &names(&["A", "NEVER"]))
        .expect("changed");
    runtime.advance(SECOND);
    assert_eq!(symbols(&session), [2]);
    let error = session
        .subscribe(&names(&["B", "B"]), &[])
        .expect_err("twice the same");
    assert!(matches!(error, FeedError::Symbols(SymbolError::Duplicate { .. })));
    let all = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    all.subscribe(&[], &names(&["B"])).expect("changed");
    runtime.advance(SECOND);
    assert_eq!(symbols(&all), [0, 2]);
    session.cancel();
    runtime.advance(Duration::ZERO);
    assert!(matches!(
        session.subscribe(&names(&["A"]), &[]),
        Err(FeedError::Ended)
    ));
    assert!(!all.is_released());
}

#[test]
fn samples_come_at_even_distances_with_what_is_newest() {
    let (runtime, feed) = feed(&simulated(&["A", "B"], 10.0, None));
    let (bell, heard) = bell();
    let policy = Policy::Sampled {
        interval: 500_000_000,
    };
    let session = feed.trades(&Subscription::All, policy, bell).expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::from_millis(499));
    assert_eq!((heard.try_recv().ok(), drained(&session)), (None, vec![]));
    runtime.advance(Duration::from_millis(1));
    assert_eq!(heard.recv(), Ok(Heard::Ready));
    let sample = drained(&session);
    assert_eq!(sample.len(), 2);
    assert!(
        sample
            .iter()
            .all(|(record, lost)| record.trade.sequence >= 4 && u64::from(*lost) == record.trade.sequence)
    );
    runtime.advance(Duration::from_millis(2_000));
    assert_eq!(heard.try_iter().count(), 1, "not again before it was drained");
    assert_eq!(drained(&session).len(), 2);
}

#[test]
fn what_cannot_be_is_refused_with_what_came() {
    let texts = |error: FeedError| error.to_string();
    let runtime = Arc::new(Runtime::manual(0));
    let refusal = |configuration| FeedEngine::on(runtime.clone(), &configuration).err().map(texts);
    assert_eq!(
        refusal(simulated(&["A"], f64::NAN, None)).as_deref(),
        Some("updates per second: expected 0.001 to 10000000, got NaN")
    );
    assert!(refusal(simulated(&[], 1.0, None)).is_some());
    let mut missing = Recording::new("").played(Pace::Unpaced);
    assert!(
        refusal(SourceConfiguration::Replay(missing.clone()))
            .is_some_and(|text| text.ends_with(": no such file or folder"))
    );
    missing.path = "prices.txt".into();
    assert!(
        refusal(SourceConfiguration::Replay(missing.clone()))
            .is_some_and(|text| text.contains("got \"prices.txt\""))
    );
    missing.format = Some(Format::Csv);
    missing.path = std::env::temp_dir();
    assert!(refusal(SourceConfiguration::Replay(missing)).is_some());
    let (_, feed) = feed(&simulated(&["A"], 1.0, None));
    let refusal = |policy| feed.trades(&Subscription::All, policy, NoBell).err().map(texts);
    assert!(refusal(Policy::Lossless { capacity: 0 }).is_some());
    assert!(refusal(Policy::Sampled { interval: 999_999 }).is_some());
    feed.shut_down();
    assert!(refusal(ALL).is_some_and(|text| text.contains("shut down")));
    assert!(feed.run().is_err());
}

#[test]
fn dropped_feed_releases_every_consumer() {
    let (runtime, feed) = feed(&simulated(&["A"], 1_000.0, None));
    let heard: Vec<Receiver<Heard>> = (0..32)
        .map(|_| {
            let (bell, heard) = bell();
            drop(feed.trades(&Subscription::All, ALL, bell).expect("started"));
            heard
        })
        .collect();
    feed.run().expect("running");
    runtime.advance(SECOND);
    drop(feed);
    runtime.advance(Duration::ZERO);
    for heard in heard {
        assert_eq!(heard.try_iter().last(), Some(Heard::Released(Release::Cancelled)));
    }
}

/// A derivation that panics at the end of the feed.
struct PanicsAtTheEnd;

impl derive::Derive<FeedTrade> for PanicsAtTheEnd {
    fn take(&mut self, trade: &FeedTrade, _: &[Arc<str>], out: &mut Vec<FeedTrade>) {
        out.push(*trade);
    }

    fn finish(&mut self, _: &mut Vec<FeedTrade>) {
        panic!("no end in sight");
    }
}

#[test]
fn consumer_that_panics_at_the_end_ends_every_session_with_the_message() {
    let (runtime, feed) = feed(&simulated(&["A"], 10.0, Some(3)));
    let ((first, of_first), (second, of_second)) = (bell(), bell());
    let started = feed
        .consumers
        .start(&Subscription::All, ALL, PanicsAtTheEnd, first);
    let (first, second) = (
        started.expect("started"),
        feed.trades(&Subscription::All, ALL, second).expect("started"),
    );
    feed.run().expect("running");
    runtime.advance(SECOND);
    let reason = "the end of the feed panicked: no end in sight";
    for heard in [of_first, of_second] {
        let release = Release::Failed(reason.to_owned());
        assert_eq!(heard.try_iter().last(), Some(Heard::Released(release)));
    }
    assert_eq!((drained(&first).len(), drained(&second).len()), (3, 3));
    let connection = feed.connection().expect("it has ended");
    assert_eq!(
        (connection.kind, connection.text.as_str()),
        (NoticeKind::Closed, reason)
    );
    let refused = feed.trades(&Subscription::All, ALL, NoBell);
    assert!(matches!(refused, Err(FeedError::Poisoned)));
    let served = feed.serve(
        &"tcp:127.0.0.1:0".parse().expect("an address"),
        ALL,
        Access::Local,
        NoBell,
    );
    assert!(matches!(served, Err(FeedError::Poisoned)));
}
