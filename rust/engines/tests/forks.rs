//! Forks of a process whose engines have started: promise G21.
#![cfg(unix)]

use rustle_engines::{
    CaptureEngine, DEMO_DEVICE, Delivery, FeedAddress, FeedEngine, FeedError, LiveConfiguration, NoBell,
    Overflow, PlaybackEngine, Policy, Runtime, RuntimeError, SoundConfiguration, SoundError,
    SourceConfiguration, Subscription, TickerConfiguration, TickerEngine, TickerError,
};
use rustle_testkit::in_fork;
use std::sync::Arc;
use std::time::Duration;

fn sound() -> SoundConfiguration {
    SoundConfiguration {
        device: DEMO_DEVICE.to_owned(),
        rate: 48_000,
        channels: 1,
        period: 480,
        frame_limit: None,
    }
}

fn live() -> SourceConfiguration {
    let address: FeedAddress = "tcp://127.0.0.1:9".parse().expect("an address");
    SourceConfiguration::Live(LiveConfiguration::new(address))
}

const POLICY: Policy = Policy::Latest;

/// Whether each engine refuses to start a session, whatever kind it is of, because this is a fork.
fn every_start_is_refused(runtime: &Arc<Runtime>, ticker: &TickerEngine, feed: &FeedEngine) -> bool {
    let is_forked = |error: &RuntimeError| {
        let got = std::process::id();
        matches!(error, RuntimeError::Forked { threads_in, got: is } if *threads_in != got && *is == got)
    };
    let capture = CaptureEngine::on(runtime.clone(), sound()).expect("valid");
    let playback = PlaybackEngine::on(runtime.clone(), sound()).expect("valid");
    let other = FeedEngine::on(runtime.clone(), &live()).expect("valid");
    let address: FeedAddress = "tcp://127.0.0.1:0".parse().expect("an address");
    let delivery = Delivery::pull(Overflow::DropOldest, 1, NoBell).expect("a size of lanes");
    let of_sounds = [
        capture.start(delivery).map(drop).err(),
        playback
            .start_pulling(Overflow::DropOldest, 1, NoBell)
            .map(drop)
            .err(),
    ];
    let of_feeds = [
        feed.quotes(&Subscription::All, POLICY, NoBell).map(drop).err(),
        feed.run().err(),
        feed.serve(&address, POLICY, NoBell).map(drop).err(),
        other.run().err(),
    ];
    let of_ticker = ticker.start_pulling(&["A"], Overflow::DropOldest, 1, NoBell);
    of_sounds
        .iter()
        .all(|error| matches!(error, Some(SoundError::Runtime(error)) if is_forked(error)))
        && of_feeds
            .iter()
            .all(|error| matches!(error, Some(FeedError::Runtime(error)) if is_forked(error)))
        && matches!(of_ticker.map(drop), Err(TickerError::Runtime(error)) if is_forked(&error))
}

#[test]
fn start_in_a_fork_is_refused_and_nothing_there_waits_for_threads_of_the_parent() {
    let runtime = Arc::new(Runtime::manual(0));
    let ticker = TickerEngine::on(runtime.clone(), TickerConfiguration::default()).expect("valid");
    let feed = FeedEngine::on(runtime.clone(), &live()).expect("valid");
    let session = ticker
        .start_pulling(&["A"], Overflow::DropOldest, 64, NoBell)
        .expect("started");
    runtime.advance(Duration::from_secs(1));
    let parent = std::process::id();
    let is_refused = in_fork(|| {
        let is_refused = every_start_is_refused(&runtime, &ticker, &feed);
        let text = ticker.start_pulling(&["A"], Overflow::DropOldest, 1, NoBell);
        let text = text.map(drop).map_err(|error| error.to_string());
        let expected = format!(
            "expected a call in process {parent}, which has the engines' threads, got one in its fork {}",
            std::process::id()
        );
        // None of these waits for ever.
        ticker.cancel();
        ticker.shut_down();
        session.cancel();
        runtime.advance(Duration::from_secs(1));
        let what_waited = ticker.drain_updates(64).len();
        drop((ticker, feed, runtime));
        is_refused && text == Err(expected) && what_waited == 3
    });
    assert!(is_refused);
}

#[test]
fn parent_goes_on_beside_its_forks() {
    let runtime = Arc::new(Runtime::manual(0));
    let ticker = TickerEngine::on(runtime.clone(), TickerConfiguration::default()).expect("valid");
    ticker
        .start_pulling(&["A"], Overflow::DropOldest, 64, NoBell)
        .expect("started");
    runtime.advance(Duration::from_secs(1));
    assert!(in_fork(|| {
        runtime.advance(Duration::from_secs(1));
        ticker.cancel();
        true
    }));
    runtime.advance(Duration::from_secs(1));
    assert_eq!(ticker.drain_updates(64).len(), 5);
    assert!(
        ticker
            .start_pulling(&["B"], Overflow::DropOldest, 64, NoBell)
            .is_ok()
    );
}

#[test]
fn fork_of_a_process_that_has_started_nothing_may_start() {
    let runtime = Arc::new(Runtime::manual(0));
    let ticker = TickerEngine::on(runtime.clone(), TickerConfiguration::default()).expect("valid");
    assert!(in_fork(|| {
        let started = ticker.start_pulling(&["A"], Overflow::DropOldest, 64, NoBell);
        runtime.advance(Duration::from_secs(1));
        started.is_ok() && ticker.drain_updates(64).len() == 3
    }));
}
