//! An idle process: promise G20.
#![cfg(target_os = "linux")]

use rustle_engines::{
    Access, ExternalConfiguration, FeedAddress, FeedEngine, LiveConfiguration, Model, NoBell, Overflow,
    Policy, Runtime, SimulatedConfiguration, SourceConfiguration, Subscription, TickerConfiguration,
    TickerEngine,
};
use rustle_market::{Format, Schema};
use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

/// The context switches of each thread of the runtime, by thread number.
fn switches() -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for task in read_dir("/proc/self/task").expect("threads").flatten() {
        let (name, status) = (task.path().join("comm"), task.path().join("status"));
        if !read_to_string(name).expect("a name").starts_with("rustle-") {
            continue;
        }
        let status = read_to_string(status).expect("a status");
        let count = status
            .lines()
            .filter(|line| line.contains("ctxt_switches"))
            .collect();
        all.insert(task.file_name().to_string_lossy().into_owned(), count);
    }
    all
}

/// Lets real time pass, because the system's counts follow it.
fn pass(time: Duration) {
    let (_sender, silence) = mpsc::channel::<()>();
    assert_eq!(silence.recv_timeout(time), Err(mpsc::RecvTimeoutError::Timeout));
}

#[test]
fn sessions_that_have_nothing_to_do_wake_no_thread() {
    let runtime = Runtime::shared();
    let slow = TickerConfiguration {
        updates_per_second: 0.001,
        ..TickerConfiguration::default()
    };
    let ticker = TickerEngine::on(runtime.clone(), slow).expect("valid");
    let sessions: Vec<_> = (0..16)
        .map(|_| ticker.start_pulling(&["A"], Overflow::DropOldest, 64, NoBell))
        .collect();
    let pushed = SourceConfiguration::External(ExternalConfiguration {
        format: Format::Ndjson,
        schema: Schema::default(),
        message_limit: 64,
        restarts_numbers: false,
    });
    let feed = FeedEngine::on(runtime.clone(), &pushed).expect("valid");
    let trades = feed.trades(&Subscription::All, Policy::Conflated, NoBell);
    feed.run().expect("running");
    assert!(sessions.iter().all(Result::is_ok) && trades.is_ok());
    // A server that nobody connects to, a peer that says nothing, and a source that waits for a consumer.
    let anywhere = "tcp://127.0.0.1:0".parse().expect("an address");
    let server = feed.serve(&anywhere, Policy::Conflated, Access::Local, NoBell);
    assert!(server.is_ok());
    let peer = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = peer.local_addr().expect("bound").port();
    let host = "127.0.0.1".to_owned();
    let live = LiveConfiguration::new(FeedAddress::Tcp { host, port });
    let live = FeedEngine::on(runtime.clone(), &SourceConfiguration::Live(live)).expect("valid");
    live.run().expect("running");
    let _silent = peer.accept().expect("a client");
    let fast = SourceConfiguration::Simulated(SimulatedConfiguration {
        symbols: vec!["A".into()],
        updates_per_second: 1_000.0,
        seed: 3,
        update_limit: None,
        model: Model::Walk,
    });
    let fast = FeedEngine::on(runtime.clone(), &fast).expect("valid");
    let full = fast.trades(&Subscription::All, Policy::Lossless { capacity: 4 }, NoBell);
    fast.run().expect("running");
    assert!(full.is_ok());
    // Initial work is done once they all sleep.
    let mut before = switches();
    for _ in 0..100 {
        pass(Duration::from_millis(200));
        let now = switches();
        if now == before {
            break;
        }
        before = now;
    }
    pass(Duration::from_secs(2));
    assert!(!before.is_empty());
    assert_eq!(switches(), before);
}
