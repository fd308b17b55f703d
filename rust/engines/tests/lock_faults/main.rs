//! A panic behind each lock, on any thread that takes it, and a thousand calls of everything afterwards: promise G19.

mod feeds;
mod radios;
mod receivers;
mod senders;
mod shows;
mod sounds;
mod tickers;

use feeds::{ExternalFeeds, Feeds, Servers};
use radios::Radios;
use receivers::Receivers;
use rustle_engines::faults::{Lock, arm_lock, disarm_lock, is_a_lock_armed};
use rustle_engines::*;
use senders::Senders;
use shows::Shows;
use sounds::{Equalizers, Sounds};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tickers::Tickers;

/// Counts its releases.
#[derive(Clone, Default)]
struct Ends(Arc<AtomicU32>);

impl Ends {
    fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Doorbell for Ends {
    fn on_ready(&mut self) {}

    fn on_release(self: Box<Self>, _: Release) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// The result of a call: `None` if it panicked because of an armed lock.
fn call<T>(made: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(made)).ok()
}

/// The guarantees of every lane.
fn check(statistics: LaneStatistics) {
    let LaneStatistics {
        produced,
        delivered,
        dropped,
        waiting,
        ..
    } = statistics;
    assert_eq!(produced, delivered + dropped + waiting);
}

const SECOND_HUNDREDTH: Duration = Duration::from_millis(10);

/// Arms a lock during the run, continues until it has struck, and then for a thousand turns. Returns whether it struck.
fn strike(lock: Lock, takings_to_pass: u32) -> bool {
    let runtime = Arc::new(Runtime::manual(1_767_225_600_000));
    let mut tickers = Tickers::new(&runtime);
    let mut feeds = Feeds::new(&runtime);
    let mut pushed = ExternalFeeds::new(&runtime);
    let mut sounds = Sounds::new(&runtime);
    let mut receivers = Receivers::new(&runtime);
    let mut senders = Senders::new(&runtime);
    let mut shows = Shows::new(&runtime);
    let mut radios = Radios::new(&runtime);
    let mut equalizers = Equalizers::new();
    let address: FeedAddress = "tcp://127.0.0.1:0".parse().expect("an address");
    let servers = Servers(
        pushed
            .feed
            .serve(&address, Policy::Conflated, Access::Local, NoBell)
            .ok(),
    );
    arm_lock(lock, takings_to_pass);
    for _ in 0..12 {
        tickers.turn(&runtime, false);
        feeds.turn(&runtime, false);
        pushed.turn(&runtime, false);
        sounds.turn(&runtime, false);
        receivers.turn(&runtime, false);
        senders.turn(&runtime, false);
        shows.turn(&runtime, false);
        radios.turn(&runtime, false);
        equalizers.turn(false);
        servers.turn(false);
    }
    let has_struck = !disarm_lock();
    assert!(!is_a_lock_armed());
    for _ in 0..2 {
        runtime.advance(Duration::ZERO);
    }
    let (mut ticks, mut trades, mut pushes, mut plays, mut sends, mut lights, mut levels, mut nodes) =
        (true, true, true, true, true, true, true, true);
    // The first turn shows what a worker lost with the fault.
    for turn in 0..1_000 {
        let is_calm = turn > 0;
        ticks = ticks && tickers.turn(&runtime, is_calm);
        trades = trades && feeds.turn(&runtime, is_calm);
        pushes = pushes && pushed.turn(&runtime, is_calm);
        plays = plays && sounds.turn(&runtime, is_calm);
        levels = levels && receivers.turn(&runtime, is_calm);
        sends = sends && senders.turn(&runtime, is_calm);
        lights = lights && shows.turn(&runtime, is_calm);
        nodes = nodes && radios.turn(&runtime, is_calm);
        equalizers.turn(is_calm);
        servers.turn(is_calm);
    }
    equalizers.end();
    // An engine that refuses is replaced by another one on the same runtime.
    let mut fresh = (
        Tickers::new(&runtime),
        Feeds::new(&runtime),
        Sounds::new(&runtime),
        Senders::new(&runtime),
        Receivers::new(&runtime),
        Shows::new(&runtime),
        Radios::new(&runtime),
    );
    for _ in 0..10 {
        assert!(fresh.0.turn(&runtime, true));
        assert!(fresh.1.turn(&runtime, true));
        assert!(fresh.2.turn(&runtime, true));
        assert!(fresh.3.turn(&runtime, true));
        assert!(fresh.4.turn(&runtime, true));
        assert!(fresh.5.turn(&runtime, true));
        assert!(fresh.6.turn(&runtime, true));
    }
    has_struck
}

#[test]
fn after_a_panic_behind_any_lock_a_thousand_calls_are_right_or_refused() {
    // Locks that no part of this test takes with a point behind them: only a device's thread has one.
    let untaken = [Lock::OwnThread];
    for lock in Lock::ALL {
        let struck = [0, 7].map(|takings| strike(lock, takings));
        assert_eq!(struck[0], !untaken.contains(&lock), "{lock:?}");
    }
}
