//! An idle process: promise G20.
#![cfg(target_os = "linux")]

use rustle_engines::{
    ExternalConfiguration, FeedEngine, NoBell, Overflow, Policy, Runtime, SourceConfiguration, Subscription,
    TickerConfiguration, TickerEngine,
};
use rustle_market::{Format, Schema};
use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
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
