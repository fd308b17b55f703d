//! A thousand connections, and the threads that they take.
#![cfg(target_os = "linux")]

use rustle_engines::{
    Access, ExternalConfiguration, FeedAddress, FeedEngine, LiveConfiguration, NoBell, Overflow, Policy,
    Runtime, SourceConfiguration, Subscription,
};
use rustle_market::{Format, Schema};
use rustle_testkit::allow_descriptors;
use std::fs::{read_dir, read_to_string};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

const CLIENTS: usize = 1_024;

/// Four workers at most, one per core, and the thread of the sockets.
const MOST_THREADS: usize = 5;

/// The names of the engines' threads.
fn threads() -> Vec<String> {
    let tasks = read_dir("/proc/self/task").expect("threads").flatten();
    let names = tasks.map(|task| read_to_string(task.path().join("comm")).unwrap_or_default());
    names.filter(|name| name.starts_with("rustle-")).collect()
}

fn waits(mut until: impl FnMut() -> bool) {
    while !until() {
        std::thread::yield_now();
    }
}

fn external() -> FeedEngine {
    let pushed = SourceConfiguration::External(ExternalConfiguration {
        format: Format::Ndjson,
        schema: Schema::default(),
        message_limit: 64,
        restarts_numbers: false,
    });
    FeedEngine::on(Runtime::shared().clone(), &pushed).expect("valid")
}

const LINE: &str = "{\"v\":1,\"symbol\":\"A\",\"price\":1,\"t_ms\":1,\"seq\":1}\n";

#[test]
fn thousand_clients_and_a_thousand_feeds_share_five_threads() {
    allow_descriptors(3 * CLIENTS as u64);
    let policy = Policy::Buffered {
        overflow: Overflow::DropOldest,
        capacity: 64,
    };
    let feed = external();
    let address = "tcp://127.0.0.1:0".parse().expect("an address");
    let server = feed
        .serve(&address, policy, Access::Local, NoBell)
        .expect("served");
    feed.run().expect("running");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let clients: Vec<TcpStream> = (0..CLIENTS)
        .map(|_| TcpStream::connect((host.as_str(), port)).expect("the server"))
        .collect();
    waits(|| server.clients() == CLIENTS);
    waits(|| feed.push(LINE.as_bytes()).expect("a feed that goes on") == LINE.len());
    for client in &clients {
        // Connecting may take as long as a heartbeat's wait.
        let mut lines = BufReader::new(client).lines().map(|line| line.expect("a line"));
        let first = lines.find(|line| !line.contains("heartbeat")).expect("a trade");
        assert!(first.contains("\"seq\":1"), "{first}");
    }
    assert!(threads().len() <= MOST_THREADS, "{:?}", threads());
    let refused = TcpStream::connect((host.as_str(), port)).expect("the system");
    waits(|| server.counts().refused == 1);
    drop((refused, clients));
    waits(|| server.clients() == 0);

    // The other way round: as many feeds, whose peers are this test.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let mut joined = Vec::new();
    for _ in 0..CLIENTS {
        let host = "127.0.0.1".to_owned();
        let live = LiveConfiguration::new(FeedAddress::Tcp { host, port });
        let live = SourceConfiguration::Live(live);
        let feed = FeedEngine::on(Runtime::shared().clone(), &live).expect("valid");
        let trades = feed.trades(&Subscription::All, policy, NoBell).expect("started");
        feed.run().expect("running");
        let (mut peer, _) = listener.accept().expect("a feed");
        peer.write_all(LINE.as_bytes()).expect("a feed");
        joined.push((feed, trades, peer));
    }
    for (_, trades, _) in &joined {
        waits(|| trades.drain(1, |_, _| {}).0 == 1);
    }
    assert!(threads().len() <= MOST_THREADS, "{:?}", threads());
}
