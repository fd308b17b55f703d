//! The engine on a manual runtime: every test moves the time itself.

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

struct Panicking;

impl RecordListener<PriceUpdate> for Panicking {
    fn on_record(&mut self, update: &PriceUpdate) {
        panic!("cannot take update {}", update.sequence);
    }

    fn on_release(self: Box<Self>, _: Release) {}
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
fn cancel_is_idempotent_and_the_release_is_the_last_call() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let (listener, heard) = recorder();
    let session = engine.start_tracking(&["BTC"], listener).expect("started");
    runtime.advance(Duration::ZERO);
    engine.cancel();
    session.cancel();
    engine.cancel();
    runtime.advance(Duration::from_secs(10));
    assert!(session.is_released());
    assert_eq!(
        all(&heard),
        [
            Heard::Price("BTC".into(), 0, 1_000_000),
            Heard::Released(Release::Cancelled)
        ]
    );
}

#[test]
fn late_cancel_of_an_old_session_leaves_the_new_one_alone() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let (listener, _old) = recorder();
    let old = engine.start_tracking(&["BTC"], listener).expect("started");
    engine.cancel();
    let (listener, heard) = recorder();
    engine
        .start_tracking(&["BTC"], listener)
        .expect("started again after a cancel");
    old.cancel();
    runtime.advance(Duration::from_secs(1));
    assert_eq!(all(&heard).len(), 3);
}

#[test]
fn limit_is_the_natural_end() {
    let (runtime, engine) = engine(TickerConfiguration {
        update_limit: Some(2),
        ..TickerConfiguration::default()
    });
    let (listener, heard) = recorder();
    engine.start_tracking(&["BTC"], listener).expect("started");
    runtime.advance(Duration::from_secs(10));
    let heard = all(&heard);
    assert_eq!(heard.len(), 3);
    assert_eq!(heard[2], Heard::Released(Release::Ended));
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
fn panic_releases_with_the_message_and_poisons_the_engine() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let (listener, heard) = recorder();
    struct Half(Recorder);
    impl RecordListener<PriceUpdate> for Half {
        fn on_record(&mut self, update: &PriceUpdate) {
            Panicking.on_record(update);
        }
        fn on_release(self: Box<Self>, release: Release) {
            RecordListener::on_release(Box::new(self.0), release);
        }
    }
    let (other, heard_by_other) = recorder();
    let running = engine.start_tracking(&["ETH"], other).expect("started");
    engine.start_tracking(&["BTC"], Half(listener)).expect("started");
    runtime.advance(Duration::ZERO);
    assert_eq!(
        all(&heard),
        [Heard::Released(Release::Panicked("cannot take update 0".into()))]
    );
    let refused = engine.start_tracking(&["BTC"], Panicking);
    assert!(matches!(refused, Err(TickerError::Poisoned)));
    // The session that ran before goes on.
    all(&heard_by_other);
    runtime.advance(Duration::from_secs(2));
    assert!(!running.is_released());
    assert_eq!(all(&heard_by_other).len(), 4);
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
        "the bell rings again after the lane was emptied"
    );
}

#[test]
fn waiting_updates_can_be_drained_after_the_end() {
    let (runtime, engine) = engine(TickerConfiguration {
        update_limit: Some(3),
        ..TickerConfiguration::default()
    });
    let session = engine
        .start_pulling(&["BTC"], Overflow::DropNewest, 9, NoBell)
        .expect("started");
    runtime.advance(Duration::from_secs(10));
    assert!(session.is_released());
    let mut sequences = Vec::new();
    session.drain(9, |tick, lost| sequences.push((tick.sequence, lost)));
    assert_eq!(sequences, [(0, 0), (1, 0), (2, 0)]);
}

#[test]
fn refusals_say_expected_and_got() {
    let rate = |updates_per_second| {
        TickerEngine::new(TickerConfiguration {
            updates_per_second,
            ..TickerConfiguration::default()
        })
        .err()
        .map(|error| error.to_string())
    };
    assert_eq!(
        rate(0.0).as_deref(),
        Some("expected 0.001 to 10000000 updates a second, got 0")
    );
    assert_eq!(
        rate(f64::NAN).as_deref(),
        Some("expected 0.001 to 10000000 updates a second, got NaN")
    );
    assert_eq!(
        rate(f64::INFINITY).as_deref(),
        Some("expected 0.001 to 10000000 updates a second, got inf")
    );
    assert_eq!(rate(2.0), None);

    let (_runtime, engine) = engine(TickerConfiguration::default());
    let (listener, _heard) = recorder();
    let refused = engine.start_tracking(&[], listener).err().expect("refused");
    assert_eq!(refused.to_string(), "expected at least one symbol, got none");
    let refused = engine
        .start_pulling(&["A"], Overflow::DropOldest, 0, NoBell)
        .err()
        .expect("refused");
    assert_eq!(
        refused.to_string(),
        "expected a lane of 1 to 1048576 elements, got 0"
    );
    engine.shut_down();
    let refused = engine.start_pulling(&["A"], Overflow::DropOldest, 1, NoBell);
    assert!(matches!(refused, Err(TickerError::ShutDown)));
}

#[test]
fn dropping_the_engine_or_the_runtime_releases_its_sessions() {
    let (runtime, engine_) = engine(TickerConfiguration::default());
    let (listener, heard) = recorder();
    engine_.start_tracking(&["BTC"], listener).expect("started");
    drop(engine_);
    runtime.advance(Duration::ZERO);
    assert!(all(&heard).contains(&Heard::Released(Release::Cancelled)));

    let (runtime, engine_) = engine(TickerConfiguration::default());
    let (listener, heard) = recorder();
    let session = engine_.start_tracking(&["BTC"], listener).expect("started");
    drop((engine_, runtime));
    assert!(session.is_released());
    assert!(all(&heard).contains(&Heard::Released(Release::Cancelled)));
}

#[test]
fn listener_may_start_cancel_and_drop_from_inside_a_call() {
    struct Restarting(Arc<TickerEngine>, Sender<Heard>);
    impl RecordListener<PriceUpdate> for Restarting {
        fn on_record(&mut self, _: &PriceUpdate) {
            self.0.cancel();
            self.0
                .start_tracking(&["NEXT"], Recorder(self.1.clone()))
                .expect("started inside a call");
        }
        fn on_release(self: Box<Self>, release: Release) {
            self.0.next_price();
            self.1.send(Heard::Released(release)).expect("the test listens");
        }
    }
    let (runtime, engine) = engine(TickerConfiguration::default());
    let engine = Arc::new(engine);
    let (sender, heard) = mpsc::channel();
    engine
        .start_tracking(&["BTC"], Restarting(engine.clone(), sender))
        .expect("started");
    runtime.advance(Duration::ZERO);
    let heard = all(&heard);
    assert!(heard.contains(&Heard::Released(Release::Cancelled)), "{heard:?}");
    assert!(
        heard.contains(&Heard::Price("NEXT".into(), 0, 1_000_000)),
        "{heard:?}"
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
    let quotes = feed
        .quotes(&Subscription::All, Policy::Awaited { capacity: 64 }, NoBell)
        .expect("started");
    feed.run().expect("running");
    runtime.advance(Duration::from_secs(5));
    let updates: Vec<_> = engine
        .drain_updates(64)
        .iter()
        .map(|update| (update.symbol.index(), update.price.to_bits(), update.sequence))
        .collect();
    let mut of_feed = Vec::new();
    quotes.drain(64, |record, _| {
        let quote = record.quote;
        let sequence = quote.sequence * 3 + u64::from(quote.symbol);
        of_feed.push((quote.symbol, quote.price.to_f64().to_bits(), sequence));
    });
    assert_eq!(updates.len(), 31);
    assert_eq!(updates, of_feed);
}

#[test]
fn session_that_is_cancelled_within_a_batch_hears_no_more_of_it() {
    struct Enough(mpsc::Receiver<TickerSession>, Option<TickerSession>, Recorder);
    impl RecordListener<PriceUpdate> for Enough {
        fn on_record(&mut self, update: &PriceUpdate) {
            if self.1.is_none() {
                self.1 = self.0.try_recv().ok();
            }
            RecordListener::on_record(&mut self.2, update);
            if update.sequence == 702 {
                self.1.as_ref().expect("the test has sent it").cancel();
            }
        }
        fn on_release(self: Box<Self>, release: Release) {
            RecordListener::on_release(Box::new(self.2), release);
        }
    }
    let (runtime, engine) = engine(TickerConfiguration {
        updates_per_second: 1e6,
        ..TickerConfiguration::default()
    });
    let (recorder, heard) = recorder();
    let (sender, receiver) = mpsc::channel();
    let session = engine
        .start_tracking(&["A"], Enough(receiver, None, recorder))
        .expect("started");
    runtime.advance(Duration::ZERO);
    sender.send(session).expect("the listener waits");
    runtime.advance(Duration::from_millis(5));
    let heard = all(&heard);
    assert_eq!(heard.len(), 704);
    assert_eq!(heard[702], Heard::Price("A".into(), 702, 1_000_001));
    assert_eq!(heard[703], Heard::Released(Release::Cancelled));
}

#[test]
fn newest_of_each_symbol_is_kept_where_a_lane_keeps_the_latest() {
    let (runtime, engine) = engine(TickerConfiguration::default());
    let session = engine
        .start_pulling(&["A", "B", "C"], Overflow::KeepLatest, 1, NoBell)
        .expect("started");
    runtime.advance(Duration::from_secs(2));
    let mut kept = Vec::new();
    session.drain(9, |tick, lost| kept.push((tick.symbol, tick.sequence, lost)));
    assert_eq!(kept, [(0, 12, 4), (1, 10, 3), (2, 11, 3)]);
}

#[test]
fn numbers_at_the_ends_of_their_ranges_are_taken_and_those_beyond_are_not() {
    let rate = |updates_per_second| {
        let configuration = TickerConfiguration {
            updates_per_second,
            ..TickerConfiguration::default()
        };
        TickerEngine::on(Arc::new(Runtime::manual(0)), configuration).is_ok()
    };
    let (least, most) = (*RATE_RANGE.start(), *RATE_RANGE.end());
    assert_eq!(
        [least, most, least.next_down(), most.next_up(), -1.0].map(rate),
        [true, true, false, false, false]
    );
    let (_runtime, engine) = engine(TickerConfiguration::default());
    let capacity = |capacity| {
        let started = engine.start_pulling(&["A"], Overflow::DropNewest, capacity, NoBell);
        started.is_ok()
    };
    assert_eq!(
        [1, MAX_LANE_CAPACITY, 0, MAX_LANE_CAPACITY + 1, usize::MAX].map(capacity),
        [true, true, false, false, false]
    );
    let name = "A".repeat(rustle_market::MAX_SYMBOL_BYTES + 1);
    let named = |symbols: &[&str]| {
        let started = engine.start_pulling(symbols, Overflow::DropNewest, 1, NoBell);
        started.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(named(&[&name[1..]]), Ok(()));
    assert!(named(&[&name]).is_err());
    let numbers: Vec<String> = (0..=rustle_market::MAX_SYMBOLS).map(|n| n.to_string()).collect();
    let names: Vec<&str> = numbers.iter().map(String::as_str).collect();
    assert_eq!(named(&names[1..]), Ok(()));
    assert!(named(&names).is_err());
}
