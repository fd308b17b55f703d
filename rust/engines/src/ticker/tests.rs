//! The engine on a manual runtime: every test moves the time itself.

mod ends;
mod refusals;

use super::*;
use crate::NoBell;
use crate::job::Release;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

#[derive(Debug, PartialEq)]
enum Heard {
    Price(String, u64, i64),
    Released(Release),
}

struct Recorder(Sender<Heard>);

impl RecordListener<PriceUpdate> for Recorder {
    fn on_record(&mut self, update: &PriceUpdate) {
        assert!(update.price > 0.0);
        let heard = Heard::Price(update.symbol.name().into(), update.sequence, update.timestamp_ms);
        self.0.send(heard).expect("the test listens");
    }

    fn on_release(self: Box<Self>, release: Release) {
        self.0.send(Heard::Released(release)).expect("the test listens");
    }
}

impl Doorbell for Recorder {
    fn on_ready(&mut self) {
        self.0
            .send(Heard::Price("bell".into(), 0, 0))
            .expect("the test listens");
    }

    fn on_release(self: Box<Self>, release: Release) {
        RecordListener::on_release(self, release);
    }
}

fn engine(configuration: TickerConfiguration) -> (Arc<Runtime>, TickerEngine) {
    let runtime = Arc::new(Runtime::manual(1_000_000));
    let engine = TickerEngine::on(runtime.clone(), configuration).expect("a valid configuration");
    (runtime, engine)
}

fn recorder() -> (Recorder, Receiver<Heard>) {
    let (sender, receiver) = mpsc::channel();
    (Recorder(sender), receiver)
}

fn all(receiver: &Receiver<Heard>) -> Vec<Heard> {
    receiver.try_iter().collect()
}

#[test]
fn symbols_take_turns_at_even_distances() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let (listener, heard) = recorder();
    engine.start_tracking(&["BTC", "ETH"], listener).expect("started");
    runtime.advance(Duration::from_millis(750));
    let expected: Vec<_> = [("BTC", 0, 0), ("ETH", 1, 250), ("BTC", 2, 500), ("ETH", 3, 750)]
        .map(|(name, sequence, ms)| Heard::Price(name.into(), sequence, 1_000_000 + ms))
        .into();
    assert_eq!(all(&heard), expected);
}

#[test]
fn three_symbols_at_the_default_rate_give_thirty_updates_in_five_seconds() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let (listener, heard) = recorder();
    engine
        .start_tracking(&["BTC", "ETH", "SOL"], listener)
        .expect("started");
    runtime.advance(Duration::from_millis(4_999));
    assert_eq!(all(&heard).len(), 30);
}

#[test]
fn same_seed_gives_the_same_prices() {
    let run = |seed| {
        let (runtime, engine) = engine(TickerConfiguration {
            seed,
            ..TickerConfiguration::default()
        });
        engine
            .start_pulling(&["BTC", "ETH"], Overflow::DropOldest, 64, NoBell)
            .expect("started");
        runtime.advance(Duration::from_secs(5));
        engine
            .drain_updates(64)
            .iter()
            .map(|update| update.price.to_bits())
            .collect::<Vec<_>>()
    };
    assert_eq!(run(Some(1)), run(Some(1)));
    assert_ne!(run(Some(1)), run(Some(2)));
    assert_ne!(run(None), run(None), "a drawn seed is another one each time");
}

#[test]
fn pulled_updates_wait_in_the_lane_and_the_bell_rings_once() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let (bell, heard) = recorder();
    let session = engine
        .start_pulling(&["BTC", "ETH"], Overflow::DropOldest, 4, bell)
        .expect("started");
    runtime.advance(Duration::from_millis(1_250));
    assert_eq!(all(&heard).len(), 1);
    let first = engine.next_price().expect("four wait");
    assert_eq!((first.symbol.name(), first.sequence), ("BTC", 2));
    assert_eq!(engine.drain_updates(9).len(), 3);
    assert_eq!(engine.next_price(), None);
    let statistics = session.statistics().expect("a lane");
    assert_eq!(
        (statistics.produced, statistics.delivered, statistics.dropped),
        (6, 4, 2)
    );
    runtime.advance(Duration::from_millis(250));
    assert_eq!(
        all(&heard).len(),
        1,
        "the bell rings again after the lane was drained"
    );
}

#[test]
fn ticker_and_feed_of_one_seed_have_the_same_prices() {
    use crate::{FeedEngine, Model, Policy, SimulatedConfiguration, SourceConfiguration, Subscription};
    let symbols = ["BTC", "ETH", "OTHER"];
    let (runtime, engine) = engine(TickerConfiguration {
        seed: Some(11),
        ..TickerConfiguration::default()
    });
    engine
        .start_pulling(&symbols, Overflow::DropOldest, 64, NoBell)
        .expect("started");
    let simulated = SourceConfiguration::Simulated(SimulatedConfiguration {
        symbols: symbols.map(str::to_owned).into(),
        updates_per_second: 2.0,
        seed: 11,
        update_limit: None,
        model: Model::Walk,
    });
    let feed = FeedEngine::on(runtime.clone(), &simulated).expect("a valid configuration");
    let trades = feed
        .trades(&Subscription::All, Policy::Lossless { capacity: 64 }, NoBell)
        .expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::from_secs(5));
    let updates: Vec<_> = engine
        .drain_updates(64)
        .iter()
        .map(|update| (update.symbol.index(), update.price.to_bits(), update.sequence))
        .collect();
    let mut of_feed = Vec::new();
    trades.drain(64, |record, _| {
        let trade = record.trade;
        let sequence = trade.sequence * 3 + u64::from(trade.symbol);
        of_feed.push((trade.symbol, trade.price.to_f64().to_bits(), sequence));
    });
    assert_eq!(updates.len(), 31);
    assert_eq!(updates, of_feed);
}

#[test]
fn newest_of_each_symbol_is_kept_where_a_lane_keeps_the_latest() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let session = engine
        .start_pulling(&["A", "B", "C"], Overflow::Conflate, 1, NoBell)
        .expect("started");
    runtime.advance(Duration::from_secs(2));
    let mut kept = Vec::new();
    session.drain(9, |tick, lost| kept.push((tick.symbol, tick.sequence, lost)));
    assert_eq!(kept, [(0, 12, 4), (1, 10, 3), (2, 11, 3)]);
}
