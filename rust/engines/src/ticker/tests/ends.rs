//! The ends of sessions: by a cancel, at their limit, by a panic, with their engine, and from inside a call.

use super::*;

struct Panicking;

impl RecordListener<PriceUpdate> for Panicking {
    fn on_record(&mut self, update: &PriceUpdate) {
        panic!("cannot take update {}", update.sequence);
    }

    fn on_release(self: Box<Self>, _: Release) {}
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
    // The session that ran before continues.
    all(&heard_by_other);
    runtime.advance(Duration::from_secs(2));
    assert!(!running.is_released());
    assert_eq!(all(&heard_by_other).len(), 4);
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
