//! A server between feeds: what its clients choose and hear, and what it tells of them.

use super::*;

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
    let server = feed.serve(&address, ALL, NoBell).expect("served");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let mut stream = TcpStream::connect((host, port)).expect("the server");
    stream
        .write_all(b"rubbish\n{\"subscribe\":[\"B\"]}\n")
        .expect("the server");
    feed.run().expect("running");
    let lines = BufReader::new(stream.try_clone().expect("a socket")).lines();
    // Both come until the wish was heard; then only one, for long.
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
        .and_then(|feed| feed.serve(server.address(), ALL, NoBell).map(drop))
        .expect_err("the port is taken");
    assert!(
        error
            .to_string()
            .starts_with("expected an address that can be served, got 127.0.0.1:")
    );
    drop(feed);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("to be told of the end");
}

#[test]
fn server_tells_of_its_clients_and_of_its_end_when_the_address_is_free() {
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
        let server = feed.serve(&address, ALL, Bell(sender)).expect("served");
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
            stream.read_to_end(&mut text).expect("all quotes");
            drop(stream);
            assert_eq!(bell.recv_timeout(PATIENCE), Ok(None));
            let counts = server.counts();
            assert_eq!((counts.clients, counts.accepted, counts.dropped), (0, 1, 0));
            assert_eq!((counts.quotes, counts.bytes), (100, text.len() as u64));
            Release::Ended
        };
        assert_eq!(bell.recv_timeout(PATIENCE), Ok(Some(expected)));
        assert!(
            bell.recv_timeout(PATIENCE).is_err(),
            "nothing follows the release"
        );
        let again = feed.serve(server.address(), ALL, NoBell);
        assert!(again.is_ok(), "the address is free: {:?}", again.err());
    }
}
