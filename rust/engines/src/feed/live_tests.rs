//! Feeds over sockets of this machine, on the system's clock.

mod access;
mod endings;
mod reconnects;
mod server;
mod stalls;

use super::*;
use crate::job::Release;
use crate::lane::NoBell;
use rustle_market::{BackoffSettings, Decimal, write_ndjson, write_token};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::NonZeroU32;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

/// The wait of a test that looks again and again, for what moves with no time of the machine's.
const LOOK: Duration = Duration::from_millis(20);

/// Far longer than any step of these tests takes.
const PATIENCE: Duration = Duration::from_secs(600);

const ALL: Policy = Policy::Buffered {
    overflow: Overflow::DropOldest,
    capacity: 1 << 16,
};

/// Rings a channel.
struct Bell(Sender<Option<Release>>);

impl Doorbell for Bell {
    fn on_ready(&mut self) {
        // A test that is done no longer receives.
        drop(self.0.send(None));
    }

    fn on_release(self: Box<Self>, release: Release) {
        drop(self.0.send(Some(release)));
    }
}

/// A consumer that a test can wait for.
struct Heard<T> {
    session: FeedSession<T>,
    bell: Receiver<Option<Release>>,
    records: Vec<T>,
    lost: u64,
}

impl<T: Copy> Heard<T> {
    fn new(start: impl FnOnce(Bell) -> Result<FeedSession<T>, FeedError>) -> Self {
        let (sender, bell) = mpsc::channel();
        Self {
            session: start(Bell(sender)).expect("started"),
            bell,
            records: Vec::new(),
            lost: 0,
        }
    }

    /// Waits until the received events suffice.
    fn until(&mut self, is_enough: impl Fn(&[T]) -> bool) {
        while !is_enough(&self.records) {
            let ring = self.bell.recv_timeout(PATIENCE);
            let (records, lost) = (&mut self.records, &mut self.lost);
            self.session.drain(usize::MAX, |record, gap| {
                records.push(record);
                *lost += u64::from(gap);
            });
            if let Ok(Some(release)) = &ring {
                assert!(
                    is_enough(&self.records),
                    "released as {release:?} before it was enough"
                );
            }
            ring.expect("to hear something");
        }
    }
}

fn trades(feed: &FeedEngine) -> Heard<FeedTrade> {
    Heard::new(|bell| feed.trades(&Subscription::All, ALL, bell))
}

fn notices(feed: &FeedEngine) -> Heard<Notice> {
    Heard::new(|bell| feed.notices(Notices::All, 1_000, bell))
}

fn client(address: FeedAddress) -> LiveConfiguration {
    LiveConfiguration {
        backoff: BackoffSettings {
            base_ns: 1_000_000,
            cap_ns: 4_000_000,
            ..BackoffSettings::default()
        },
        ..LiveConfiguration::new(address)
    }
}

fn live(configuration: LiveConfiguration) -> FeedEngine {
    let configuration = SourceConfiguration::Live(configuration);
    FeedEngine::on(Runtime::shared().clone(), &configuration).expect("a valid configuration")
}

fn listener() -> (TcpListener, FeedAddress) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let host = "127.0.0.1".to_owned();
    (listener, FeedAddress::Tcp { host, port })
}

fn accepted(listener: &TcpListener) -> TcpStream {
    let (stream, _) = listener.accept().expect("a client");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    stream
}

fn line(sequence: u64) -> String {
    format!("{{\"symbol\":\"A\",\"price\":{sequence}.5,\"t_ms\":1,\"seq\":{sequence}}}\n")
}

#[test]
fn two_feeds_are_joined_and_say_the_same() {
    for is_unix in [false, true] {
        let source = SourceConfiguration::Simulated(SimulatedConfiguration {
            symbols: vec!["BTC".into(), "\"odd\\".into()],
            updates_per_second: 10_000.0,
            seed: 3,
            update_limit: Some(5_000),
            model: Model::Walk,
        });
        let server_feed = FeedEngine::on(Runtime::shared().clone(), &source).expect("valid");
        let name = format!("rustle-feed-{}.socket", std::process::id());
        let path = std::env::temp_dir().join(name);
        let address = if is_unix {
            FeedAddress::Unix(path.clone())
        } else {
            "127.0.0.1:0".parse().expect("an address")
        };
        let mut sent = trades(&server_feed);
        let server = server_feed
            .serve(&address, ALL, Access::Local, NoBell)
            .expect("served");
        let client_feed = live(client(server.address().clone()));
        let mut got = trades(&client_feed);
        client_feed.run().expect("running");
        while server.clients() == 0 {
            std::thread::yield_now();
        }
        // Once its feed has ended, a server ends too, and removes its name.
        assert_eq!(path.exists(), is_unix);
        server_feed.run().expect("running");
        sent.until(|records| records.len() == 5_000);
        got.until(|records| records.len() == 5_000);
        let text = |feed: &FeedEngine, record: &FeedTrade| {
            let mut line = Vec::new();
            let name = feed.symbol(record.trade.symbol).expect("a name");
            write_ndjson(&record.trade, &name, &mut line);
            line
        };
        for (sent, got) in sent.records.iter().zip(&got.records) {
            assert_eq!(text(&server_feed, sent), text(&client_feed, got));
        }
        assert_eq!(
            (sent.lost, got.lost, client_feed.counts().sequence_numbers_in_gaps),
            (0, 0, 0)
        );
        drop(server);
    }
}

#[test]
fn peer_is_reported_what_is_wanted_and_reported_again() {
    let (listener, address) = listener();
    let feed = live(client(address));
    let one = Subscription::Symbols(vec!["BTC".into(), "\"\\".into()]);
    let session = feed.trades(&one, ALL, NoBell).expect("started");
    feed.run().expect("running");
    let heard = |reader: &mut BufReader<TcpStream>| {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a subscription");
        line
    };
    let mut first = BufReader::new(accepted(&listener));
    assert_eq!(heard(&mut first), "{\"subscribe\":[\"\\\"\\\\\",\"BTC\"]}\n");
    session
        .subscribe(&["ETH".into()], &["\"\\".into()])
        .expect("changed");
    assert_eq!(heard(&mut first), "{\"subscribe\":[\"BTC\",\"ETH\"]}\n");
    drop(first);
    let mut second = BufReader::new(accepted(&listener));
    assert_eq!(heard(&mut second), "{\"subscribe\":[\"BTC\",\"ETH\"]}\n");
    let _all = feed.trades(&Subscription::All, ALL, NoBell).expect("started");
    assert_eq!(heard(&mut second), "{\"subscribe\":\"all\"}\n");
}

#[test]
fn silent_peer_counts_as_lost_by_the_clock() {
    const DAY: Duration = Duration::from_secs(86_400);
    let (listener, address) = listener();
    let configuration = SourceConfiguration::Live(LiveConfiguration {
        silence: Some(DAY),
        ..client(address)
    });
    let runtime = Arc::new(Runtime::manual(0));
    let feed = FeedEngine::on(runtime.clone(), &configuration).expect("a valid configuration");
    let reported = feed.notices(Notices::All, 1_000, NoBell).expect("started");
    feed.run().expect("running");
    let mut silent = accepted(&listener);
    silent.set_read_timeout(Some(LOOK)).expect("a socket");
    // Once it listens, one of these days suffices.
    let mut days = 0;
    while silent.read(&mut [0; 64]).map_or(true, |length| length > 0) {
        runtime.advance(DAY);
        days += 1;
        assert!(days < 10_000, "it still waits");
    }
    let mut lost = None;
    while lost.is_none() {
        std::thread::yield_now();
        reported.drain(usize::MAX, |notice, _| {
            lost = lost.or((notice.kind == NoticeKind::Disconnected).then_some(notice));
        });
    }
    let notice = lost.expect("reported");
    assert_eq!(notice.text.as_str(), "expected data within 86400s, got nothing");
    assert!(notice.count <= 4, "{}", notice.count);
}

#[test]
fn nobody_at_the_address_is_reported_with_the_reason() {
    let (listener, address) = listener();
    drop(listener);
    let feed = live(client(address.clone()));
    let mut reported = notices(&feed);
    feed.run().expect("running");
    reported.until(|records| records.len() >= 6);
    let kinds: Vec<NoticeKind> = reported
        .records
        .iter()
        .take(4)
        .map(|notice| notice.kind)
        .collect();
    use NoticeKind::{Connecting, Disconnected};
    assert_eq!(kinds, [Connecting, Disconnected, Connecting, Disconnected]);
    let text = reported.records[1].text;
    assert!(text.as_str().starts_with(&address.to_string()), "{text:?}");
    assert!(text.as_str().contains("refused"), "{text:?}");
}

#[test]
fn whatever_comes_the_feed_goes_on() {
    let (listener, address) = listener();
    let feed = live(client(address));
    let mut got = trades(&feed);
    feed.run().expect("running");
    let mut stream = accepted(&listener);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut rubbish = vec![0_u8; 1 << 20];
    for byte in &mut rubbish {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        *byte = random as u8;
    }
    stream.write_all(&rubbish).expect("a client");
    stream.write_all(b"\n\xff\xfe\n{\"symbol\":\n").expect("a client");
    // A line of 100 MB.
    for _ in 0..100 {
        stream.write_all(&[b'x'; 1 << 20]).expect("a client");
    }
    stream
        .write_all(format!("\n{}", line(7)).as_bytes())
        .expect("a client");
    got.until(|records| !records.is_empty());
    let last = got.records[0].trade;
    assert_eq!(
        (last.price, last.sequence),
        (Decimal::parse(b"7.5").expect("a number"), 7)
    );
    let counts = feed.counts();
    assert!(counts.malformed > 2_000 && counts.oversized >= 1, "{counts:?}");
    assert_eq!(
        counts.messages,
        counts.malformed + counts.oversized + counts.others + counts.trades
    );
}

#[test]
fn state_of_a_connection_is_reported_from_where_it_is() {
    let (listener, address) = listener();
    let feed = live(client(address.clone()));
    assert_eq!(feed.connection(), None);
    let connection = |feed: &FeedEngine| Heard::new(|bell| feed.notices(Notices::Connection, 16, bell));
    let mut first = connection(&feed);
    feed.run().expect("running");
    let mut stream = accepted(&listener);
    stream.write_all(b"rubbish\n").expect("a client");
    first.until(|records| records.len() == 2);
    let mut late = connection(&feed);
    late.until(|records| !records.is_empty());
    use NoticeKind::{Closed, Connected, Connecting, Disconnected};
    assert_eq!(
        (first.records[0].kind, first.records[1].kind),
        (Connecting, Connected)
    );
    assert_eq!(
        late.records[0], first.records[1],
        "a late consumer begins with the state"
    );
    assert_eq!(late.records[0].text.as_str(), address.to_string());
    // In this order: a client that is let go must not find the listener.
    drop((listener, stream));
    late.until(|records| {
        records
            .iter()
            .filter(|notice| notice.kind == Disconnected)
            .count()
            >= 3
    });
    let failures: Vec<u32> = late.records[1..6].iter().map(|notice| notice.failures).collect();
    assert_eq!(failures, [1, 1, 2, 2, 3], "{:?}", late.records);
    feed.shut_down();
    while feed.connection().is_none_or(|notice| notice.kind != Closed) {
        std::thread::yield_now();
    }
    assert!(matches!(feed.run(), Err(FeedError::ShutDown)), "after a run, too");
}
