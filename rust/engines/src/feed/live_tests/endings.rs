//! What has arrived before a connection counts as lost.

use super::*;
use std::os::unix::net::UnixListener;

#[test]
fn trades_of_a_peer_that_closes_at_once_are_read() {
    let path = std::env::temp_dir().join(format!("rustle-endings-{}.socket", std::process::id()));
    let listener = UnixListener::bind(&path).expect("a name");
    let feed = live(client(FeedAddress::Unix(path.clone())));
    let mut got = trades(&feed);
    feed.run().expect("running");
    for round in 0..200 {
        let (mut peer, _) = listener.accept().expect("a client");
        peer.write_all(line(round).as_bytes()).expect("a client");
        drop(peer);
        got.until(|records| records.len() as u64 == round + 1);
    }
    std::fs::remove_file(path).expect("its name");
}

#[test]
fn silence_counts_what_has_arrived_and_is_not_reported_yet() {
    for round in 0..50 {
        let (listener, address) = listener();
        let runtime = Arc::new(Runtime::manual(0));
        let configuration = SourceConfiguration::Live(client(address));
        let feed = FeedEngine::on(runtime.clone(), &configuration).expect("a valid configuration");
        feed.run().expect("running");
        let mut peer = accepted(&listener);
        while feed.counts().connections == 0 {
            std::thread::yield_now();
        }
        runtime.advance(Duration::from_secs(29));
        peer.write_all(line(round).as_bytes()).expect("a client");
        runtime.advance(Duration::from_secs(1));
        assert_eq!(feed.counts().disconnections, 0);
    }
}
