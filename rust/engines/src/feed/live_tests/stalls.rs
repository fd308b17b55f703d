//! Clients that read nothing, on a clock that the test moves.

use super::*;
use rustle_market::Schema;
use std::os::unix::net::UnixStream;

/// The longest time that a client may read nothing.
const STALL: Duration = Duration::from_secs(10);
const NANOSECOND: Duration = Duration::from_nanos(1);

/// A feed that the test pushes to, served in the file system, and one client of it.
struct Bench {
    runtime: Arc<Runtime>,
    feed: FeedEngine,
    server: FeedServer,
    client: UnixStream,
}

impl Bench {
    fn new(name: &str) -> Self {
        let runtime = Arc::new(Runtime::manual(1_000));
        let source = SourceConfiguration::External(ExternalConfiguration {
            format: rustle_market::Format::Ndjson,
            schema: Schema::default(),
            message_limit: 100,
            restarts_numbers: false,
        });
        let feed = FeedEngine::on(runtime.clone(), &source).expect("valid");
        let path = std::env::temp_dir().join(format!("rustle-{name}-{}.socket", std::process::id()));
        let address = FeedAddress::Unix(path.clone());
        let server = feed.serve(&address, ALL, Access::Local, NoBell).expect("served");
        feed.run().expect("running");
        let client = UnixStream::connect(path).expect("the server");
        client.set_nonblocking(true).expect("a socket");
        while server.clients() == 0 {
            std::thread::yield_now();
        }
        runtime.advance(Duration::ZERO);
        Self {
            runtime,
            feed,
            server,
            client,
        }
    }

    fn push(&self, numbers: std::ops::Range<u64>) {
        let text: String = numbers.map(line).collect();
        assert_eq!(
            self.feed.push(text.as_bytes()).expect("a feed that goes on"),
            text.len()
        );
        self.runtime.advance(Duration::ZERO);
    }

    /// What waits for the client.
    fn read(&mut self) -> String {
        let mut text = Vec::new();
        let error = self.client.read_to_end(&mut text).err();
        assert!(error.is_none_or(|error| error.kind() == std::io::ErrorKind::WouldBlock));
        String::from_utf8(text).expect("text")
    }
}

#[test]
fn heartbeat_comes_when_nothing_was_sent_for_its_time_and_not_before() {
    let mut bench = Bench::new("heartbeats");
    bench.runtime.advance(HEARTBEAT - NANOSECOND);
    assert_eq!(bench.read(), "");
    bench.push(0..1);
    assert_eq!(bench.read().lines().count(), 1);
    bench.runtime.advance(HEARTBEAT - NANOSECOND);
    assert_eq!(bench.read(), "");
    bench.runtime.advance(NANOSECOND);
    assert_eq!(bench.read(), "{\"v\":1,\"heartbeat\":10999}\n");
    bench.runtime.advance(3 * HEARTBEAT);
    assert_eq!(bench.read().lines().count(), 3);
}

#[test]
fn client_that_reads_nothing_is_given_up_in_time_and_listened_to_no_longer() {
    let mut bench = Bench::new("stalled");
    // Far more than the system holds for it.
    bench.push(0..50_000);
    bench.runtime.advance(STALL - NANOSECOND);
    assert_eq!(bench.server.clients(), 1);
    // Whatever it reads gives it the whole time again.
    let before = bench.server.counts().bytes;
    while bench.server.counts().bytes == before {
        bench.read();
    }
    bench.runtime.advance(STALL - NANOSECOND);
    assert_eq!(bench.server.clients(), 1);
    // What was written when the system found room, perhaps later, does so too.
    let mut times = 0;
    while bench.server.clients() > 0 {
        bench.runtime.advance(STALL);
        times += 1;
        assert!(times < 100, "it still waits");
    }
    let counts = bench.server.counts();
    assert_eq!((counts.clients, counts.accepted, counts.refused), (0, 1, 0));
    assert!(counts.dropped > 0);
    assert!(bench.client.write(b"\n").is_err(), "nobody listens");
}

#[test]
fn client_that_stays_after_the_end_is_listened_to_for_a_while() {
    let mut bench = Bench::new("lingering");
    bench.push(0..10);
    bench
        .feed
        .report(HostNews::Closed, "")
        .expect("a feed that goes on");
    bench.runtime.advance(STALL - NANOSECOND);
    assert_eq!((bench.read().lines().count(), bench.server.clients()), (10, 1));
    assert_eq!(bench.client.write(b"\n").expect("it is listened to"), 1);
    bench.runtime.advance(NANOSECOND);
    assert_eq!(bench.server.clients(), 0);
    assert!(bench.client.write(b"\n").is_err(), "nobody listens");
}

#[test]
fn connections_wait_when_time_has_ended() {
    let mut bench = Bench::new("ended");
    let nobody = client(FeedAddress::Unix("/no/such/socket".into()));
    let lost = FeedEngine::on(bench.runtime.clone(), &SourceConfiguration::Live(nobody)).expect("valid");
    lost.run().expect("running");
    bench.runtime.advance(Duration::ZERO);
    bench
        .runtime
        .set(|clock| clock.leap(Duration::from_nanos(u64::MAX)));
    bench.runtime.advance(Duration::ZERO);
    assert_eq!(bench.read().lines().count(), 1, "the last heartbeat");
    assert_eq!(bench.server.clients(), 1);
    assert!(lost.counts().disconnections <= 2);
}
