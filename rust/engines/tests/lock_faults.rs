//! A panic behind each lock, on whatever thread takes it, and a thousand calls of everything afterwards: promise G19.

use rustle_dsp::equalizer::{Band, Settings};
use rustle_engines::faults::{Lock, arm_lock, disarm_lock, is_a_lock_armed};
use rustle_engines::*;
use rustle_market::{Format, Interval, Schema};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

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

/// What a call gave: `None` when it panicked, as an armed lock makes it.
fn call<T>(made: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(made)).ok()
}

/// What every lane promises.
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

/// A ticker of a thousand updates a second.
struct Tickers {
    engine: TickerEngine,
    running: Option<(TickerSession, Ends, u64)>,
}

impl Tickers {
    fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = TickerConfiguration {
            updates_per_second: 1_000.0,
            seed: Some(1),
            update_limit: None,
        };
        Self {
            engine: TickerEngine::on(runtime.clone(), configuration).expect("valid"),
            running: None,
        }
    }

    /// Whether the engine can still do something.
    fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        if self.running.is_none() {
            let ends = Ends::default();
            match call(|| {
                self.engine
                    .start_pulling(&["A"], Overflow::DropOldest, 64, ends.clone())
            }) {
                Some(Ok(session)) => self.running = Some((session, ends, 0)),
                Some(Err(error)) => {
                    assert!(matches!(error, TickerError::Poisoned), "{error}");
                    return false;
                }
                None => {
                    assert!(!is_calm);
                    call(|| runtime.advance(Duration::ZERO));
                    assert_eq!(ends.count(), 0, "a start that fails takes nothing");
                    return true;
                }
            }
        }
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        let (session, ends, next) = self.running.as_mut().expect("started");
        let drained = call(|| {
            session.drain(64, |tick, lost| {
                assert_eq!(tick.sequence, *next + u64::from(lost));
                assert!(tick.price > 0.0);
                *next = tick.sequence + 1;
            })
        });
        if let Some(Some((count, statistics))) = drained {
            check(statistics);
            assert!(!is_calm || count > 0 || ends.count() == 1, "nothing, and no end");
        } else {
            assert!(!is_calm);
        }
        // Every few turns another session: cancelled, it is released once.
        if advanced && *next % 7 == 0 {
            let cancelled = call(|| self.engine.cancel()).is_some();
            session.cancel();
            let settled = call(|| runtime.advance(Duration::ZERO)).is_some();
            if settled || cancelled && is_calm {
                assert_eq!(ends.count(), 1);
                self.running = None;
            }
        }
        if self
            .running
            .as_ref()
            .is_some_and(|(_, ends, _)| ends.count() == 1)
        {
            self.running = None;
        }
        true
    }
}

/// A simulated feed, of quotes and of candles.
struct Feeds {
    feed: FeedEngine,
    quotes: Option<(FeedSession<FeedQuote>, Ends)>,
    candles: Option<(FeedSession<rustle_market::Candle>, Ends)>,
    is_running: bool,
}

impl Feeds {
    fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = SourceConfiguration::Simulated(SimulatedConfiguration {
            symbols: vec!["A".to_owned(), "B".to_owned()],
            updates_per_second: 1_000.0,
            seed: 1,
            update_limit: None,
            model: Model::Walk,
        });
        Self {
            feed: FeedEngine::on(runtime.clone(), &configuration).expect("valid"),
            quotes: None,
            candles: None,
            is_running: false,
        }
    }

    fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        let policy = Policy::Awaited { capacity: 100 };
        let mut refused = 0;
        let mut note = |error: FeedError| {
            assert!(matches!(error, FeedError::Poisoned), "{error}");
            refused += 1;
        };
        if self.quotes.is_none() {
            let ends = Ends::default();
            match call(|| self.feed.quotes(&Subscription::All, policy, ends.clone())) {
                Some(Ok(session)) => self.quotes = Some((session, ends)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if self.candles.is_none() {
            let ends = Ends::default();
            let interval = Interval::from_ns(5_000_000).expect("an interval");
            match call(|| {
                self.feed
                    .candles(&Subscription::All, interval, 0, policy, ends.clone())
            }) {
                Some(Ok(session)) => self.candles = Some((session, ends)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if refused == 2 {
            return false;
        }
        self.is_running |= matches!(call(|| self.feed.run()), Some(Ok(())));
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        call(|| (self.feed.counts(), self.feed.wanted(), self.feed.symbol(0)));
        if let Some((session, ends)) = &self.quotes {
            let mut seen = HashSet::new();
            let drained = call(|| {
                session.drain(usize::MAX, |record, lost| {
                    assert_eq!(lost, 0, "it is waited for");
                    assert!(seen.insert((record.quote.symbol, record.quote.sequence)));
                })
            });
            match drained {
                Some((count, statistics)) => {
                    check(statistics);
                    let is_over = ends.count() == 1;
                    assert!(
                        !(is_calm && advanced) || count > 0 || is_over,
                        "nothing, and no end"
                    );
                    if is_over {
                        self.quotes = None;
                    }
                }
                None => assert!(!is_calm),
            }
        }
        if let Some((session, ends)) = &self.candles {
            if let Some((_, statistics)) = call(|| session.drain(usize::MAX, |_, _| {})) {
                check(statistics);
            }
            if ends.count() == 1 {
                self.candles = None;
            }
        }
        true
    }
}

/// A feed that its host fills: every line that is taken comes out once, or the feed is over.
struct PushedFeeds {
    feed: FeedEngine,
    quotes: FeedSession<FeedQuote>,
    ends: Ends,
    pushed: u64,
    heard: u64,
}

impl PushedFeeds {
    fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = SourceConfiguration::Pushed(PushedConfiguration {
            format: Format::Ndjson,
            schema: Schema::default(),
            message_limit: 1_000,
            restarts_numbers: false,
        });
        let feed = FeedEngine::on(runtime.clone(), &configuration).expect("valid");
        let ends = Ends::default();
        let policy = Policy::Awaited { capacity: 10 };
        let quotes = feed
            .quotes(&Subscription::All, policy, ends.clone())
            .expect("started");
        feed.run().expect("running");
        runtime.advance(Duration::ZERO);
        Self {
            feed,
            quotes,
            ends,
            pushed: 0,
            heard: 0,
        }
    }

    fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        let line = "{\"v\":1,\"symbol\":\"A\",\"price\":1,\"t_ms\":1}\n";
        let pushed = call(|| self.feed.push(line.as_bytes()));
        let is_over = match pushed {
            Some(Ok(taken)) => {
                assert!(taken == line.len() || taken == 0);
                self.pushed += u64::from(taken > 0);
                false
            }
            Some(Err(error)) => {
                assert!(matches!(error, FeedError::Ended), "{error}");
                true
            }
            None => {
                assert!(!is_calm);
                false
            }
        };
        call(|| self.feed.tell(HostNews::Connected, "here"));
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        if let Some((count, statistics)) = call(|| self.quotes.drain(usize::MAX, |_, _| {})) {
            check(statistics);
            self.heard += count as u64;
        }
        let is_released = self.ends.count() == 1;
        if is_calm && advanced {
            assert_eq!(is_over, is_released, "the end is heard");
            assert!(
                is_over || self.heard == self.pushed,
                "{} of {}",
                self.heard,
                self.pushed
            );
        }
        !is_released
    }
}

/// The demonstration's capture and playback.
struct Sounds {
    capture: CaptureEngine,
    playback: PlaybackEngine,
    captured: Option<(CaptureSession, Ends, u64)>,
    played: Option<(PlaybackSession, Ends)>,
}

impl Sounds {
    fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = SoundConfiguration {
            device: DEMO_DEVICE.to_owned(),
            rate: 48_000,
            channels: 1,
            period: 48,
            frame_limit: None,
        };
        Self {
            capture: CaptureEngine::on(runtime.clone(), configuration.clone()).expect("valid"),
            playback: PlaybackEngine::on(runtime.clone(), configuration).expect("valid"),
            captured: None,
            played: None,
        }
    }

    fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        let mut refused = 0;
        let mut note = |error: SoundError| {
            assert!(matches!(error, SoundError::Poisoned), "{error}");
            refused += 1;
        };
        if self.captured.is_none() {
            let ends = Ends::default();
            let delivery = Delivery::pull(Overflow::DropOldest, 64, ends.clone()).expect("a size of lanes");
            match call(|| self.capture.start(delivery)) {
                Some(Ok(session)) => self.captured = Some((session, ends, 0)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if self.played.is_none() {
            let ends = Ends::default();
            match call(|| {
                self.playback
                    .start_pulling(Overflow::DropOldest, 64, ends.clone())
            }) {
                Some(Ok(session)) => self.played = Some((session, ends)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if refused == 2 {
            return false;
        }
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        if let Some((session, ends, next)) = &mut self.captured {
            let drained = call(|| {
                session.drain(64, |block, lost| {
                    assert!(block.position == *next || lost > 0);
                    *next = block.position + u64::from(block.frames);
                })
            });
            if let Some(Some((count, statistics))) = drained {
                check(statistics);
                assert!(!(is_calm && advanced) || count > 0 || ends.count() == 1);
            }
            if ends.count() == 1 {
                self.captured = None;
            }
        }
        if let Some((session, ends)) = &mut self.played {
            let written = call(|| session.write(&[0.5; 480]));
            assert!(!is_calm || matches!(written, Some(Ok(1..))));
            if let Some(Some((count, statistics))) = call(|| session.drain(64, |_, _| {})) {
                check(statistics);
                assert!(!(is_calm && advanced) || count > 0 || ends.count() == 1);
            }
            if ends.count() == 1 {
                self.played = None;
            }
        }
        true
    }
}

/// An equalizer between two settings.
struct Equalizers {
    equalizer: LiveEqualizer,
    turns: u32,
}

impl Equalizers {
    fn settings(decibels: f64) -> Settings {
        Settings {
            left: vec![Band::peaking(1_000.0, decibels, 1.0)],
            right: vec![Band::peaking(1_000.0, decibels, 1.0)],
            preamp: 0.0,
        }
    }

    fn new() -> Self {
        Self {
            equalizer: LiveEqualizer::new(48_000.0, 1, 4, Settings::default()).expect("valid"),
            turns: 0,
        }
    }

    fn turn(&mut self, is_calm: bool) {
        self.turns += 1;
        let settings = Self::settings(f64::from(self.turns % 3));
        let changed = call(|| self.equalizer.change(&settings));
        assert!(changed == Some(Ok(())) || !is_calm);
        let mut block = [0.25; 256];
        let processed = call(|| self.equalizer.process(&mut block));
        assert!(processed == Some(Ok(())) || !is_calm);
        assert!(block.iter().all(|sample| sample.abs() < 1.0));
        assert!(!is_calm || block.iter().any(|sample| *sample != 0.0));
    }

    /// What was asked for last is in force in the end.
    fn end(&mut self) {
        for is_bypassed in [true, false] {
            self.equalizer.set_bypassed(is_bypassed).expect("valid");
        }
        self.equalizer.change(&Self::settings(6.0)).expect("valid");
        // A ramp that was under way, and the last one.
        for _ in 0..400 {
            self.equalizer.process(&mut [0.0; 256]).expect("free");
        }
        let tone = |n: usize| (std::f64::consts::TAU * n as f64 / 48.0).sin() as f32;
        let mut block: Vec<f32> = (0..4_800).map(tone).collect();
        self.equalizer.process(&mut block).expect("free");
        let loudest = block[2_400..]
            .iter()
            .fold(0.0_f32, |most, sample| most.max(*sample));
        assert!((loudest - 1.995).abs() < 0.01, "{loudest}");
    }
}

/// A server that nobody connects to.
struct Servers(Option<FeedServer>);

impl Servers {
    fn turn(&self, is_calm: bool) {
        let counts = self.0.as_ref().map(|server| call(|| server.counts()));
        assert!(!is_calm || matches!(counts, Some(Some(ServerCounts { accepted: 0, .. }))));
        if let Some(server) = &self.0 {
            call(|| (server.clients(), server.client_statistics()));
        }
    }
}

/// Arms a lock in the midst of everything, goes on until it has struck, and then for a thousand turns. Returns whether it struck.
fn strike(lock: Lock, takings_to_pass: u32) -> bool {
    let runtime = Arc::new(Runtime::manual(1_767_225_600_000));
    let mut tickers = Tickers::new(&runtime);
    let mut feeds = Feeds::new(&runtime);
    let mut pushed = PushedFeeds::new(&runtime);
    let mut sounds = Sounds::new(&runtime);
    let mut equalizers = Equalizers::new();
    let address: FeedAddress = "tcp://127.0.0.1:0".parse().expect("an address");
    let servers = Servers(pushed.feed.serve(&address, Policy::Latest, NoBell).ok());
    arm_lock(lock, takings_to_pass);
    for _ in 0..12 {
        tickers.turn(&runtime, false);
        feeds.turn(&runtime, false);
        pushed.turn(&runtime, false);
        sounds.turn(&runtime, false);
        equalizers.turn(false);
        servers.turn(false);
    }
    let has_struck = !disarm_lock();
    assert!(!is_a_lock_armed());
    for _ in 0..2 {
        runtime.advance(Duration::ZERO);
    }
    let (mut ticks, mut quotes, mut pushes, mut plays) = (true, true, true, true);
    // What a worker lost with the fault is found out in the first turn.
    for turn in 0..1_000 {
        let is_calm = turn > 0;
        ticks = ticks && tickers.turn(&runtime, is_calm);
        quotes = quotes && feeds.turn(&runtime, is_calm);
        pushes = pushes && pushed.turn(&runtime, is_calm);
        plays = plays && sounds.turn(&runtime, is_calm);
        equalizers.turn(is_calm);
        servers.turn(is_calm);
    }
    equalizers.end();
    // An engine that refuses is replaced by another one on the same runtime.
    let mut fresh = (
        Tickers::new(&runtime),
        Feeds::new(&runtime),
        Sounds::new(&runtime),
    );
    for _ in 0..10 {
        assert!(fresh.0.turn(&runtime, true));
        assert!(fresh.1.turn(&runtime, true));
        assert!(fresh.2.turn(&runtime, true));
    }
    has_struck
}

#[test]
fn after_a_panic_behind_any_lock_a_thousand_calls_are_right_or_refused() {
    // The locks that no part of this scene takes with a point behind them: only a device's thread has one.
    let untaken = [Lock::OwnThread];
    for lock in Lock::ALL {
        let struck = [0, 7].map(|takings| strike(lock, takings));
        assert_eq!(struck[0], !untaken.contains(&lock), "{lock:?}");
    }
}
