//! Who may connect to a server.

use super::*;

/// A feed of simulated prices.
fn simulated(symbols: &[&str], update_limit: Option<u64>) -> FeedEngine {
    let source = SourceConfiguration::Simulated(SimulatedConfiguration {
        symbols: symbols.iter().map(|&name| name.into()).collect(),
        updates_per_second: 1_000.0,
        seed: 3,
        update_limit,
        model: Model::Walk,
    });
    FeedEngine::on(Runtime::shared().clone(), &source).expect("valid")
}

#[test]
fn address_that_other_machines_reach_needs_a_token_or_anyone() {
    let feed = live(client("unix:/no/such/socket".parse().expect("an address")));
    let serve = |address: &str, access: Access| {
        let address: FeedAddress = address.parse().expect("an address");
        feed.serve(&address, ALL, access, NoBell).map(|_| ())
    };
    let token = || Access::Token("0123456789abcdef".into());
    for address in ["0.0.0.0:0", "[::]:0"] {
        let error = serve(address, Access::Local).expect_err("for this machine only");
        assert!(matches!(error, FeedError::NotLoopback { .. }), "{error}");
        assert!(
            error
                .to_string()
                .ends_with(&format!("got {address} without either")),
            "{error}"
        );
    }
    assert!(serve("0.0.0.0:0", token()).is_ok());
    assert!(serve("0.0.0.0:0", Access::Anyone).is_ok());
    for local in ["127.0.0.1:0", "127.3.2.1:0", "localhost:0"] {
        assert!(serve(local, Access::Local).is_ok(), "{local}");
    }
    for length in [0, 15, 513] {
        let error = serve("127.0.0.1:0", Access::Token("x".repeat(length)));
        assert!(matches!(error, Err(FeedError::TokenLength { got }) if got == length));
    }
    let mut configuration = client("127.0.0.1:1".parse().expect("an address"));
    configuration.token = Some("0123456789abcdef".into());
    for text in [format!("{:?}", token()), format!("{configuration:?}")] {
        assert!(!text.contains("0123"), "a token is a secret: {text}");
    }
}

#[cfg(unix)]
#[test]
fn socket_in_the_file_system_is_for_its_user() {
    use std::os::unix::fs::PermissionsExt;
    let feed = live(client("unix:/no/such/socket".parse().expect("an address")));
    let name = format!("rustle-feed-mode-{}.socket", std::process::id());
    let address = FeedAddress::Unix(std::env::temp_dir().join(name));
    let FeedAddress::Unix(path) = &address else { return };
    for (access, mode) in [
        (Access::Local, 0o600),
        (Access::Anyone, 0o666),
        (Access::Token("0123456789abcdef".into()), 0o666),
    ] {
        let (sender, bell) = mpsc::channel();
        let server = feed.serve(&address, ALL, access, Bell(sender)).expect("served");
        let found = std::fs::metadata(path).expect("a socket").permissions().mode() & 0o777;
        assert_eq!(found, mode, "{found:o}");
        drop(server);
        assert_eq!(bell.recv_timeout(PATIENCE), Ok(Some(Release::Cancelled)));
    }
}

#[test]
fn strangers_take_no_place_from_clients_and_do_not_keep_a_server() {
    const TOKEN: &str = "0123456789abcdef";
    let feed = simulated(&["A"], Some(100));
    let (sender, bell) = mpsc::channel();
    let address = "127.0.0.1:0".parse().expect("an address");
    let server = feed
        .serve(&address, ALL, Access::Token(TOKEN.into()), Bell(sender))
        .expect("served");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let connect = || TcpStream::connect((host.as_str(), port)).expect("the server");
    let silent: Vec<TcpStream> = (0..100).map(|_| connect()).collect();
    let mut friend = connect();
    let mut token = Vec::new();
    write_token(TOKEN, &mut token);
    friend.write_all(&token).expect("the server");
    assert_eq!(bell.recv_timeout(PATIENCE), Ok(None));
    assert!(server.counts().refused >= 36, "{:?}", server.counts());
    feed.run().expect("running");
    let mut text = Vec::new();
    friend.read_to_end(&mut text).expect("all trades");
    assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 100);
    drop(friend);
    // The silent ones are still there.
    let ends: Vec<_> = bell.iter().flatten().collect();
    assert_eq!(ends, [Release::Ended]);
    drop(silent);
}

#[test]
fn only_clients_with_the_token_get_trades() {
    const TOKEN: &str = "0123456789\"cdef\u{e9}";
    let feed = simulated(&["A", "B"], None);
    let address = "127.0.0.1:0".parse().expect("an address");
    // Nothing waits for a client without a token: it has no lane.
    let lossless = Policy::Lossless { capacity: 1 };
    let server = feed
        .serve(&address, lossless, Access::Token(TOKEN.into()), NoBell)
        .expect("served");
    let FeedAddress::Tcp { host, port } = server.address().clone() else {
        panic!("an address of TCP");
    };
    let connect = || TcpStream::connect((host.as_str(), port)).expect("the server");
    feed.run().expect("running");
    let silent = connect();
    let mut sent = Vec::new();
    write_token(TOKEN, &mut sent);
    let mut other = sent.clone();
    other[13] ^= 1;
    for wrong in [
        &b"{\"subscribe\":\"all\"}\n"[..],
        &other,
        &[b'x'; 10_000],
        b"{\"token\":\"\"}\n",
    ] {
        let mut stream = connect();
        // It may be disconnected while it writes.
        drop(stream.write_all(wrong));
        let mut got = Vec::new();
        drop(stream.read_to_end(&mut got));
        assert_eq!(got, b"", "{:?}", String::from_utf8_lossy(wrong));
    }
    assert_eq!((server.counts().refused, server.counts().accepted), (4, 0));
    // In pieces, with the subscription behind it.
    let mut stream = connect();
    stream.set_nodelay(true).expect("a socket");
    sent.extend_from_slice(b"{\"subscribe\":[\"B\"]}\n");
    for piece in sent.chunks(7) {
        stream.write_all(piece).expect("the server");
        std::thread::yield_now();
    }
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    assert!(
        lines
            .by_ref()
            .take(100)
            .filter(|line| line.contains("\"B\""))
            .count()
            > 0
    );
    let mut configuration = client(server.address().clone());
    configuration.token = Some(TOKEN.into());
    let joined = live(configuration);
    let mut got = trades(&joined);
    joined.run().expect("running");
    got.until(|records| records.len() > 10);
    assert_eq!(server.counts().accepted, 2);
    let mut configuration = client(server.address().clone());
    configuration.token = Some("short".into());
    let refused = FeedEngine::on(
        Runtime::shared().clone(),
        &SourceConfiguration::Live(configuration),
    );
    assert!(matches!(refused.err(), Some(FeedError::TokenLength { got: 5 })));
    drop(silent);
}
