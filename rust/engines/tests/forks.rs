//! Forks of a process whose engines have started: promise G21.
#![cfg(unix)]

use rustle_engines::{
    Access, CaptureEngine, DEMO_DEVICE, Delivery, EchoEngine, ExternalConfiguration, FeedAddress, FeedEngine,
    FeedError, HostNews, LiveConfiguration, Model, NoBell, Overflow, PlaybackEngine, Policy, Runtime,
    RuntimeError, SimulatedConfiguration, SoundConfiguration, SoundError, SourceConfiguration, StartError,
    Subscription, TickerConfiguration, TickerEngine, TickerError,
};
use rustle_market::{Format, Schema};
use rustle_testkit::{in_fork, leave_descriptors};
use std::fs::File;
use std::net::TcpStream;
use std::process::Command;
use std::sync::{Arc, mpsc};
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

const POLICY: Policy = Policy::Conflated;

/// Polls every few milliseconds for a value, for longer than it ever takes.
fn comes(mut what: impl FnMut() -> bool) -> bool {
    let (_sender, silence) = mpsc::channel::<()>();
    (0..4_000).any(|_| what() || silence.recv_timeout(Duration::from_millis(5)).is_ok())
}

/// Whether every engine refuses to start sessions of any kind, because this is a fork.
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
        feed.trades(&Subscription::All, POLICY, NoBell).map(drop).err(),
        feed.run().err(),
        feed.serve(&address, POLICY, Access::Local, NoBell)
            .map(drop)
            .err(),
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

/// A walk of one symbol.
fn simulated(updates_per_second: f64) -> SourceConfiguration {
    SourceConfiguration::Simulated(SimulatedConfiguration {
        symbols: vec!["A".into()],
        updates_per_second,
        seed: 3,
        update_limit: None,
        model: Model::Walk,
    })
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
            "expected a call in process {parent}, which has the engines' threads, got one in process {}, a fork of it",
            std::process::id()
        );
        // None of these blocks without end.
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
fn call_whose_effect_is_a_worker_s_is_refused_in_a_fork() {
    let runtime = Arc::new(Runtime::manual(0));
    let external = SourceConfiguration::External(ExternalConfiguration {
        format: Format::Ndjson,
        schema: Schema::default(),
        message_limit: 1_000,
        restarts_numbers: false,
    });
    let feed = FeedEngine::on(runtime.clone(), &external).expect("valid");
    let trades = feed.trades(&Subscription::All, POLICY, NoBell).expect("started");
    feed.run().expect("running");
    let playback = PlaybackEngine::on(runtime.clone(), sound()).expect("valid");
    let playing = playback
        .start_pulling(Overflow::DropOldest, 1, NoBell)
        .expect("started");
    let echo = EchoEngine::on(runtime.clone(), 1.0, None, 7, 0).expect("a rate");
    let delivery = Delivery::pull(Overflow::DropOldest, 1, NoBell).expect("a size of lanes");
    echo.start(delivery).expect("started");
    let names = ["A".to_owned()];
    let are_refused = in_fork(|| {
        let of_feed = [
            feed.push(b"{}\n").map(drop),
            feed.report(HostNews::Connected, "a"),
            trades.subscribe(&names, &[]),
            trades.set_subscription(&Subscription::All),
        ];
        let of_playback = [playing.write(&[0.5]).map(drop), playing.finish()];
        // These have no effect there, and do not wait.
        trades.cancel();
        playing.cancel();
        feed.shut_down();
        of_feed
            .iter()
            .all(|result| matches!(result, Err(FeedError::Runtime(RuntimeError::Forked { .. }))))
            && of_playback
                .iter()
                .all(|result| matches!(result, Err(SoundError::Runtime(RuntimeError::Forked { .. }))))
            && matches!(echo.say(8), Err(StartError::Runtime(RuntimeError::Forked { .. })))
    });
    assert!(are_refused);
    assert!(feed.push(b"{}\n").is_ok() && trades.subscribe(&names, &[]).is_ok());
    assert!(playing.write(&[0.5]).is_ok() && playing.finish().is_ok() && echo.say(8).is_ok());
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

#[test]
fn server_leaves_files_to_a_fork_and_refuses_clients_that_would_take_them() {
    let source = simulated(1.0);
    assert!(in_fork(|| {
        let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
        let address = "tcp://127.0.0.1:0".parse().expect("an address");
        let serve = || feed.serve(&address, POLICY, Access::Local, NoBell);
        let server = serve().expect("served");
        let FeedAddress::Tcp { host, port } = server.address().clone() else {
            return false;
        };
        // Both ends of a connection are of this process: the ends of all clients fit, and fewer of the server.
        leave_descriptors(16 + 8 + 6);
        let clients: Vec<_> = (0..8)
            .map(|_| TcpStream::connect((host.as_str(), port)))
            .collect();
        let is_decided = comes(|| {
            let counts = server.counts();
            counts.accepted + counts.refused == 8
        });
        let counts = server.counts();
        let is_free = File::open("/dev/null").is_ok();
        // Nor is another server begun, with nobody whom it could serve.
        let refusal = serve().err().map(|error| error.to_string()).unwrap_or_default();
        drop(clients);
        is_decided
            && counts.accepted > 0
            && counts.refused > 0
            && is_free
            && refusal.contains("Too many open files")
            && comes(|| server.clients() == 0)
    }));
}

#[test]
fn client_that_cannot_be_served_holds_nobody_up_in_a_fork_without_descriptors() {
    let source = simulated(10_000.0);
    // A limit holds for the whole process.
    assert!(in_fork(|| {
        let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
        let address = "tcp://127.0.0.1:0".parse().expect("an address");
        let server = feed
            .serve(&address, Policy::Lossless { capacity: 64 }, Access::Local, NoBell)
            .expect("served");
        feed.run().expect("running");
        let FeedAddress::Tcp { host, port } = server.address().clone() else {
            return false;
        };
        let connect = || TcpStream::connect((host.as_str(), port));
        let first = connect();
        let is_served = comes(|| server.counts().accepted == 1);
        drop(first);
        let is_alone = comes(|| server.clients() == 0);
        // What a server leaves to the rest of the process, and more.
        let held: Vec<_> = (0..20)
            .map(|_| File::open("/dev/null").expect("a file"))
            .collect();
        // For the client's end, but not for the server's.
        leave_descriptors(1);
        let second = connect();
        // Many times the room of a consumer that is not drained.
        let before = feed.counts().trades;
        let is_held_up = second.is_err() || !comes(|| feed.counts().trades > before + 1_000);
        let is_out = server.counts().accepted == 1;
        drop(held);
        is_served && is_alone && !is_held_up && is_out && comes(|| server.counts().accepted == 2)
    }));
}

#[test]
fn seconds_in_which_a_fork_is_stopped_by_a_signal_are_a_hole_in_the_numbers() {
    let source = simulated(1_000.0);
    assert!(in_fork(|| {
        let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
        let policy = Policy::Buffered {
            overflow: Overflow::DropOldest,
            capacity: 65_536,
        };
        let session = feed.trades(&Subscription::All, policy, NoBell).expect("started");
        feed.run().expect("running");
        let mut numbers = Vec::new();
        // What has not begun cannot be late.
        let has_begun = comes(|| {
            session.drain(1_024, |record, _| numbers.push(record.trade.sequence));
            !numbers.is_empty()
        });
        // Longer than a late source catches up with.
        let stopped = Command::new("sh")
            .args(["-c", "kill -STOP $PPID; sleep 1.5; kill -CONT $PPID"])
            .status();
        let hole = |numbers: &[u64]| {
            numbers
                .windows(2)
                .map(|pair| pair[1] - pair[0])
                .max()
                .unwrap_or(0)
        };
        let is_seen = comes(|| {
            session.drain(1_024, |record, _| numbers.push(record.trade.sequence));
            hole(&numbers) > 1
        });
        has_begun && is_seen && stopped.is_ok_and(|status| status.success()) && hole(&numbers) >= 1_000
    }));
}
