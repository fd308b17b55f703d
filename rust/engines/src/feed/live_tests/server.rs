//! A server between feeds: the subscriptions of its clients, what they receive, and what it reports of them.

use super::*;
use rustle_market::{Pace, Schema};

#[test]
fn client_of_a_server_chooses_and_hears_of_gaps_and_the_end() {
    let source = SourceConfiguration::Simulated(SimulatedConfiguration {
        symbols: vec!["A".into(), "B".into()],
        updates_per_second: 1_000.0,
        seed: 3,
        update_limit: Some(20_000),
        model: Model::Walk,
    });
    let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
    let address = "127.0.0.1:0".parse().expect("an address");
    let server = feed.serve(&address, ALL, Access::Local, NoBell).expect("served");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let mut stream = TcpStream::connect((host, port)).expect("the server");
    stream
        .write_all(b"rubbish\n{\"subscribe\":[\"B\"]}\n")
        .expect("the server");
    feed.run().expect("running");
    let lines = BufReader::new(stream.try_clone().expect("a socket")).lines();
    // Both symbols come until the subscription arrives; from then on only one.
    let mut of_one = 0;
    for line in lines {
        let line = line.expect("a line");
        of_one = if line.contains("\"A\"") { 0 } else { of_one + 1 };
        if of_one == 50 {
            break;
        }
    }
    assert_eq!(of_one, 50);
    let error = FeedEngine::on(Runtime::shared().clone(), &source)
        .and_then(|feed| feed.serve(server.address(), ALL, Access::Local, NoBell).map(drop))
        .expect_err("the port is taken");
    assert!(
        error
            .to_string()
            .starts_with("expected an address that can be served, got 127.0.0.1:")
    );
    drop(feed);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("the end of the stream");
}

#[test]
fn server_reports_of_its_clients_and_of_its_end_when_the_address_is_free() {
    for is_shut_down in [false, true] {
        let source = SourceConfiguration::Simulated(SimulatedConfiguration {
            symbols: vec!["A".into()],
            updates_per_second: 1_000.0,
            seed: 3,
            update_limit: Some(100),
            model: Model::Walk,
        });
        let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
        let (sender, bell) = mpsc::channel();
        let address = "tcp://127.0.0.1:0".parse().expect("an address");
        let server = feed
            .serve(&address, ALL, Access::Local, Bell(sender))
            .expect("served");
        let FeedAddress::Tcp { host, port } = server.address().clone() else {
            panic!("an address of TCP");
        };
        assert_eq!(server.counts(), ServerCounts::default());
        let mut stream = TcpStream::connect((host, port)).expect("the server");
        assert_eq!(bell.recv_timeout(PATIENCE), Ok(None));
        let [client] = server.client_statistics()[..] else {
            panic!("one client");
        };
        assert_eq!((client.number, client.bytes, client.lane.produced), (0, 0, 0));
        let expected = if is_shut_down {
            server.cancel();
            Release::Cancelled
        } else {
            feed.run().expect("running");
            let mut text = Vec::new();
            stream.read_to_end(&mut text).expect("all trades");
            drop(stream);
            assert_eq!(bell.recv_timeout(PATIENCE), Ok(None));
            let counts = server.counts();
            assert_eq!((counts.clients, counts.accepted, counts.dropped), (0, 1, 0));
            assert_eq!((counts.trades, counts.bytes), (100, text.len() as u64));
            Release::Ended
        };
        assert_eq!(bell.recv_timeout(PATIENCE), Ok(Some(expected)));
        assert!(
            bell.recv_timeout(PATIENCE).is_err(),
            "nothing follows the release"
        );
        let again = feed.serve(server.address(), ALL, Access::Local, NoBell);
        assert!(again.is_ok(), "the address is free: {:?}", again.err());
    }
}

#[test]
fn client_of_a_recording_that_is_repeated_gets_every_lap() {
    let name = format!("rustle-feed-laps-{}.ndjson", std::process::id());
    let path = std::env::temp_dir().join(name);
    let text: String = (0..10)
        .map(|n| format!("{{\"symbol\":\"A\",\"price\":1,\"t_ns\":{n},\"seq\":{n}}}\n"))
        .collect();
    std::fs::write(&path, text).expect("a writable folder");
    let source = SourceConfiguration::Replay(ReplayConfiguration {
        path: path.clone(),
        format: None,
        schema: Schema::default(),
        pace: Pace::Unpaced,
        repeats: true,
        from_ns: None,
        to_ns: None,
        is_strict: false,
    });
    let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
    std::fs::remove_file(&path).expect("written before");
    let address = "127.0.0.1:0".parse().expect("an address");
    let awaited = Policy::Lossless { capacity: 64 };
    let server = feed
        .serve(&address, awaited, Access::Local, NoBell)
        .expect("served");
    let client_feed = live(client(server.address().clone()));
    let mut got = trades(&client_feed);
    client_feed.run().expect("running");
    while server.clients() == 0 {
        std::thread::yield_now();
    }
    feed.run().expect("running");
    got.until(|records| records.len() >= 100);
    feed.shut_down();
    let mut numbers = got.records.iter().map(|record| record.trade.sequence);
    assert!((0..100).all(|number| numbers.next() == Some(number)));
    assert_eq!(client_feed.counts().duplicates, 0);
}

#[test]
fn what_a_source_without_numbers_skipped_is_reported_to_clients() {
    let source = SourceConfiguration::External(ExternalConfiguration {
        format: rustle_market::Format::Ndjson,
        schema: Schema::default(),
        message_limit: 64,
        restarts_numbers: false,
    });
    let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
    let address = "127.0.0.1:0".parse().expect("an address");
    let server = feed.serve(&address, ALL, Access::Local, NoBell).expect("served");
    let client_feed = live(client(server.address().clone()));
    let mut got = trades(&client_feed);
    client_feed.run().expect("running");
    while server.clients() == 0 {
        std::thread::yield_now();
    }
    feed.run().expect("running");
    let bare = "{\"symbol\":\"A\",\"price\":1}\n";
    let text = [bare, "{\"v\":1,\"gap\":3}\n", bare, bare].concat();
    let mut taken = 0;
    while taken < text.len() {
        taken += feed.push(&text.as_bytes()[taken..]).expect("a feed that goes on");
        std::thread::yield_now();
    }
    got.until(|records| records.len() == 3);
    let skipped: Vec<u64> = got.records.iter().map(|record| record.sequence_gap).collect();
    assert_eq!(skipped, [0, 3, 0]);
}

#[test]
fn what_a_client_lost_after_its_last_trade_is_reported_at_the_end() {
    let source = SourceConfiguration::Simulated(SimulatedConfiguration {
        symbols: vec!["A".into()],
        updates_per_second: 1e6,
        seed: 3,
        update_limit: Some(50_000),
        model: Model::Walk,
    });
    let feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
    let address = "127.0.0.1:0".parse().expect("an address");
    let policy = Policy::Buffered {
        overflow: Overflow::DropNewest,
        capacity: 1,
    };
    let server = feed
        .serve(&address, policy, Access::Local, NoBell)
        .expect("served");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let mut stream = TcpStream::connect((host, port)).expect("the server");
    while server.clients() == 0 {
        std::thread::yield_now();
    }
    feed.run().expect("running");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("all lines");
    let lines = text.lines().filter(|line| !line.contains("heartbeat"));
    let count = |line: &str| rustle_market::parse_gap(line.as_bytes()).unwrap_or(1);
    assert_eq!(lines.map(count).sum::<u64>(), 50_000);
}

#[test]
fn client_that_is_sent_nothing_hears_heartbeats() {
    let configuration = client("127.0.0.1:1".parse().expect("an address"));
    let runtime = Arc::new(Runtime::manual(0));
    let feed = FeedEngine::on(runtime.clone(), &SourceConfiguration::Live(configuration)).expect("valid");
    let address = "127.0.0.1:0".parse().expect("an address");
    let server = feed.serve(&address, ALL, Access::Local, NoBell).expect("served");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let mut stream = TcpStream::connect((host, port)).expect("the server");
    // The time stands still between the polls; the first one after the client's connection suffices.
    stream.set_read_timeout(Some(LOOK)).expect("a socket");
    let (mut line, mut looks) = (Vec::new(), 0);
    while !line.ends_with(b"\n") {
        runtime.advance(HEARTBEAT);
        let mut piece = [0; 64];
        let length = stream.read(&mut piece).unwrap_or(0);
        line.extend_from_slice(&piece[..length]);
        looks += 1;
        assert!(looks < 10_000, "no heartbeat");
    }
    let text = String::from_utf8(line).expect("text");
    let line = text.split_inclusive('\n').next().expect("a line");
    let number = line.strip_prefix("{\"v\":1,\"heartbeat\":");
    let number = number.and_then(|rest| rest.strip_suffix("}\n"));
    assert!(
        number.is_some_and(|number| number.parse::<u64>().is_ok()),
        "{line}"
    );
}

#[test]
fn subscriptions_that_come_together_are_one() {
    let configuration = client("127.0.0.1:1".parse().expect("an address"));
    let runtime = Arc::new(Runtime::manual(0));
    let feed = FeedEngine::on(runtime.clone(), &SourceConfiguration::Live(configuration)).expect("valid");
    let address = "127.0.0.1:0".parse().expect("an address");
    let server = feed.serve(&address, ALL, Access::Local, NoBell).expect("served");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let mut stream = TcpStream::connect((host, port)).expect("the server");
    let lines = "{\"subscribe\":[\"B\"]}\n{\"subscribe\":\"all\"}\n".repeat(1_000);
    stream.write_all(lines.as_bytes()).expect("the server");
    stream
        .write_all(b"{\"subscribe\":[\"C\"]}\nrubbish\n")
        .expect("the server");
    let demand = || feed.hub().demand(0).expect("a client");
    while server.clients() == 0 || demand().names.iter().all(|name| name.as_ref() != "C") {
        runtime.advance(Duration::ZERO);
        std::thread::yield_now();
    }
    assert!(demand().version < 100, "{}", demand().version);
}

#[cfg(unix)]
mod names {
    use super::*;
    use crate::transport::Stream;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("rustle-{name}-{}.socket", std::process::id()))
    }

    /// A feed that does not run, served at the path, and the events of its bell.
    fn served(path: &Path) -> Result<(FeedEngine, FeedServer, Receiver<Option<Release>>), FeedError> {
        let configuration = client("127.0.0.1:1".parse().expect("an address"));
        let feed = live(configuration);
        let (sender, bell) = mpsc::channel();
        let server = feed.serve(&FeedAddress::Unix(path.into()), ALL, Access::Local, Bell(sender))?;
        Ok((feed, server, bell))
    }

    #[test]
    fn server_leaves_the_name_of_another_alone() {
        let path = path("taken-over");
        let (_first_feed, first, first_bell) = served(&path).expect("served");
        std::fs::remove_file(&path).expect("its name");
        let (_feed, second, bell) = served(&path).expect("served");
        drop(first);
        assert_eq!(first_bell.recv_timeout(PATIENCE), Ok(Some(Release::Cancelled)));
        let _client = UnixStream::connect(&path).expect("the second server");
        assert_eq!(bell.recv_timeout(PATIENCE), Ok(None));
        drop(second);
        while bell.recv_timeout(PATIENCE) != Ok(Some(Release::Cancelled)) {}
        assert!(!path.exists(), "a server removes its own");
    }

    #[test]
    fn server_does_not_notice_that_another_found_its_name_taken() {
        let path = path("probed");
        let (_feed, server, bell) = served(&path).expect("served");
        let refused = served(&path).err().expect("refused").to_string();
        assert!(
            refused.starts_with("expected an address that can be served"),
            "{refused}"
        );
        let _client = UnixStream::connect(&path).expect("the server");
        assert_eq!(bell.recv_timeout(PATIENCE), Ok(None));
        // The first client has the number 0.
        let numbers = server.client_statistics();
        assert_eq!(
            numbers.iter().map(|client| client.number).collect::<Vec<_>>(),
            [0]
        );
    }

    #[test]
    fn name_that_was_left_behind_is_taken_and_a_file_is_not() {
        let path = path("left-behind");
        drop(UnixListener::bind(&path).expect("a free name"));
        assert!(path.exists(), "as of a process that was killed");
        let (_feed, server, bell) = served(&path).expect("served");
        let _client = UnixStream::connect(&path).expect("the server");
        drop(server);
        while bell.recv_timeout(PATIENCE) != Ok(Some(Release::Cancelled)) {}
        std::fs::write(&path, "a letter").expect("a free name");
        assert!(served(&path).is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("the file"), "a letter");
        std::fs::remove_file(path).expect("the file");
    }

    #[test]
    fn full_queue_is_tried_again_by_the_clock_until_the_feed_is_shut_down() {
        let path = path("retried");
        let listener = UnixListener::bind(&path).expect("a free name");
        let runtime = Arc::new(Runtime::manual(0));
        let fill = || Stream::connect_to_path(&path, runtime.shared_clock()).ok();
        let mut waiting: Vec<Stream> = std::iter::from_fn(fill).collect();
        let configuration = SourceConfiguration::Live(client(FeedAddress::Unix(path.clone())));
        let connect = |runtime: &Arc<Runtime>| {
            let feed = FeedEngine::on(runtime.clone(), &configuration).expect("valid");
            feed.run().expect("running");
            runtime.advance(Duration::ZERO);
            feed
        };
        let kind = |feed: &FeedEngine| feed.connection().map(|notice| notice.kind);
        let feed = connect(&runtime);
        assert_eq!(kind(&feed), Some(NoticeKind::Connecting));
        listener.accept().expect("room");
        runtime.advance(Duration::from_millis(19));
        assert_eq!(kind(&feed), Some(NoticeKind::Connecting));
        runtime.advance(Duration::from_millis(1));
        assert_eq!(kind(&feed), Some(NoticeKind::Connected));
        let cancelled = connect(&runtime);
        cancelled.shut_down();
        runtime.advance(Duration::ZERO);
        for _ in 0..waiting.len() {
            listener.accept().expect("one that waits");
        }
        // Nothing of the cancelled feed comes after them.
        waiting.extend(fill());
        listener.accept().expect("one that waits");
        listener.set_nonblocking(true).expect("a socket");
        assert!(listener.accept().is_err());
        std::fs::remove_file(&path).expect("its name");
    }

    #[test]
    fn server_that_lets_nobody_in_is_given_up_in_time() {
        let path = path("full");
        let listener = UnixListener::bind(&path).expect("a free name");
        // Until the queue is full; then it waits for the listener to go.
        let place = path.clone();
        let filling = std::thread::spawn(move || while UnixStream::connect(&place).is_ok() {});
        let feed = live(LiveConfiguration {
            connecting: Duration::from_millis(10),
            silence: Some(Duration::from_millis(10)),
            ..client(FeedAddress::Unix(path.clone()))
        });
        let mut reported = notices(&feed);
        feed.run().expect("running");
        reported.until(|records| {
            let is_late = |notice: &&Notice| notice.text.as_str().contains(": expected a connection within");
            records.iter().filter(is_late).count() >= 3
        });
        feed.shut_down();
        drop(listener);
        filling.join().expect("refused at last");
        std::fs::remove_file(path).expect("left behind");
    }
}
