//! Senders over the sockets of the loopback.

use super::super::error::DmxError;
use super::{DmxConfiguration, DmxProtocol, configuration, start};
use crate::job::Release;
use crate::runtime::Runtime;
use rustle_lighting::sacn::{DataPacket, Options, PORT, Packet, SyncPacket, parse};
use rustle_lighting::{Cid, SacnUniverse, artnet};
use socket2::{Domain, SockAddr, Socket, Type};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

/// More than the time between two frames.
const FRAME: Duration = Duration::from_millis(23);
const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));

fn universe(number: u32) -> SacnUniverse {
    SacnUniverse::new(number).expect("in range")
}

/// A receiver of a universe's group on the loopback, beside those of other tests.
fn receiver(group: Ipv4Addr) -> UdpSocket {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).expect("a socket");
    socket.set_reuse_address(true).expect("an option");
    let address = SocketAddrV4::new(group, PORT);
    socket
        .bind(&SockAddr::from(address))
        .expect("the group's address");
    let joined = socket.join_multicast_v4(&group, &Ipv4Addr::LOCALHOST);
    joined.expect("multicast on the loopback");
    socket.set_read_timeout(PATIENCE).expect("an option");
    socket.into()
}

/// The next datagram of a source, in `bytes`.
fn heard<'a>(socket: &UdpSocket, cid: Cid, bytes: &'a mut [u8; 1_500]) -> &'a [u8] {
    loop {
        let count = socket.recv(bytes).expect("a datagram");
        if bytes.get(22..38) == Some(cid.bytes()) {
            return &bytes[..count];
        }
    }
}

fn data(bytes: &[u8]) -> DataPacket<'_> {
    match parse(bytes) {
        Ok(Packet::Data(data)) => data,
        other => panic!("expected data, got {other:?}"),
    }
}

fn on_loopback(protocol: DmxProtocol) -> DmxConfiguration {
    DmxConfiguration {
        interface: "127.0.0.1".to_owned(),
        ..configuration(protocol)
    }
}

#[test]
fn multicast_has_every_field_and_each_synchronization_follows_its_data() {
    let runtime = Arc::new(Runtime::manual(0));
    let configuration = DmxConfiguration {
        priority: 150,
        sync_address: Some(universe(7_999)),
        forces_sync: true,
        is_preview: true,
        interface: "lo".to_owned(),
        ..configuration(DmxProtocol::Sacn)
    };
    let cid = configuration.cid;
    let [levels, syncs] = [7_201, 7_999].map(|number| receiver(universe(number).group()));
    let (_engine, session, ends) = start(&runtime, configuration);
    session.set_levels(&[7_201], &[1, 2, 3]).expect("levels");
    session.set_priorities(7_201, &[200, 0, 5]).expect("priorities");
    runtime.advance(FRAME);
    let mut bytes = [0; 1_500];
    let priorities = data(heard(&levels, cid, &mut bytes));
    assert_eq!(
        (priorities.start_code, priorities.slots),
        (0xDD, &[200, 0, 5][..])
    );
    assert_eq!(priorities.sequence, 1);
    let packet = heard(&levels, cid, &mut bytes);
    assert_eq!(packet.len(), 126 + 3);
    let packet = data(packet);
    let expected = DataPacket {
        cid,
        source_name: rustle_lighting::Name::new("a test").expect("short"),
        priority: 150,
        sync_address: Some(universe(7_999)),
        sequence: 2,
        options: Options::PREVIEW.with(Options::FORCE_SYNC),
        universe: universe(7_201),
        start_code: 0,
        slots: &[1, 2, 3],
    };
    assert_eq!(packet, expected);
    let sync = parse(heard(&syncs, cid, &mut bytes));
    let (address, sequence) = (universe(7_999), 1);
    let expected = SyncPacket {
        cid,
        sequence,
        address,
    };
    assert_eq!(sync, Ok(Packet::Sync(expected)));
    session.cancel();
    runtime.advance(Duration::ZERO);
    for sequence in 3..6 {
        let packet = data(heard(&levels, cid, &mut bytes));
        assert!(packet.options.has(Options::TERMINATED));
        assert_eq!(packet.sequence, sequence);
    }
    assert_eq!(ends.recv(), Ok(Release::Cancelled));
}

#[test]
fn thread_sends_without_a_call_and_its_release_follows_the_terminations() {
    let configuration = on_loopback(DmxProtocol::Sacn);
    let cid = configuration.cid;
    let levels = receiver(universe(7_202).group());
    let (engine, session, ends) = start(Runtime::shared(), configuration);
    session.set_levels(&[7_202], &[8; 512]).expect("levels");
    let mut bytes = [0; 1_500];
    // The change, its repetitions, and one that keeps still data alive.
    for sequence in 1..=5 {
        let packet = heard(&levels, cid, &mut bytes);
        assert_eq!(packet.len(), 638);
        assert_eq!(
            (data(packet).sequence, data(packet).slots),
            (sequence, &[8; 512][..])
        );
    }
    // The thread sleeps until the next keep-alive: new levels need no call to wake it before its frame.
    session.set_levels(&[7_202], &[9]).expect("levels");
    while data(heard(&levels, cid, &mut bytes)).slots != [9] {}
    drop(engine);
    let mut terminations = 0;
    while terminations < 3 {
        let packet = data(heard(&levels, cid, &mut bytes));
        terminations += u32::from(packet.options.has(Options::TERMINATED));
    }
    assert_eq!(ends.recv(), Ok(Release::Cancelled));
    let counts = session.counts();
    assert_eq!((counts.universes, counts.refusals), (0, 0));
    assert!(counts.packets >= 9);
}

#[test]
fn thread_that_has_nothing_to_send_ends_at_once() {
    let (engine, session, ends) = start(Runtime::shared(), on_loopback(DmxProtocol::Sacn));
    session.set_priority(7_203, 90).expect("a universe");
    drop(engine);
    assert_eq!(ends.recv(), Ok(Release::Cancelled));
    assert_eq!(session.counts().datagrams, 0);
}

#[test]
fn art_net_goes_to_each_node_and_one_that_is_down_is_counted() {
    let runtime = Arc::new(Runtime::manual(0));
    let nodes = [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback"));
    let addresses = nodes
        .each_ref()
        .map(|node| node.local_addr().expect("bound").to_string());
    let [up, down] = nodes;
    drop(down);
    up.set_read_timeout(PATIENCE).expect("an option");
    let configuration = DmxConfiguration {
        destinations: addresses.to_vec(),
        sends_art_sync: true,
        ..on_loopback(DmxProtocol::ArtNet)
    };
    let (_engine, session, _ends) = start(&runtime, configuration);
    let mut bytes = [0; 1_500];
    for level in 1..=3 {
        session.set_levels(&[0, 291], &[level; 3 * 2]).expect("levels");
        runtime.advance(FRAME);
        for address in [0, 291] {
            let count = up.recv(&mut bytes).expect("a datagram");
            let Ok(artnet::Packet::Dmx(dmx)) = artnet::parse(&bytes[..count]) else {
                panic!("expected levels, got {:?}", &bytes[..count])
            };
            assert_eq!(
                (dmx.address.get(), dmx.sequence, dmx.physical),
                (address, level, 0)
            );
            assert_eq!(dmx.slots, [level, level, level, 0], "an even number");
        }
        let count = up.recv(&mut bytes).expect("a datagram");
        assert_eq!(artnet::parse(&bytes[..count]), Ok(artnet::Packet::Sync));
    }
    let refusals: Vec<_> = session.refusals().collect();
    assert_eq!((refusals.len(), refusals[0], refusals[2]), (3, 0, 0));
    assert!(refusals[1] > 0, "the node that is down: {refusals:?}");
    // Its answers are those to both, whichever met them.
    let [first, second] = [0, 291].map(|address| session.universe(address).expect("a Port-Address"));
    assert_eq!((first.packets, first), (3, second));
    assert!((1..=3).contains(&first.refusals), "{first:?}");
}

#[test]
fn art_net_is_broadcast_on_request_to_the_interfaces_own_network() {
    let runtime = Arc::new(Runtime::manual(0));
    let node = Socket::new(Domain::IPV4, Type::DGRAM, None).expect("a socket");
    node.set_reuse_address(true).expect("an option");
    let address = SocketAddrV4::new(Ipv4Addr::new(127, 255, 255, 255), artnet::PORT);
    node.bind(&SockAddr::from(address))
        .expect("the broadcast address");
    node.set_read_timeout(PATIENCE).expect("an option");
    let node = UdpSocket::from(node);
    let configuration = DmxConfiguration {
        broadcasts: true,
        ..on_loopback(DmxProtocol::ArtNet)
    };
    let (_engine, session, _ends) = start(&runtime, configuration);
    session.set_levels(&[32_767], &[42, 43]).expect("levels");
    runtime.advance(FRAME);
    let mut bytes = [0; 1_500];
    loop {
        let count = node.recv(&mut bytes).expect("a datagram");
        if let Ok(artnet::Packet::Dmx(dmx)) = artnet::parse(&bytes[..count])
            && dmx.address.get() == 32_767
        {
            assert_eq!(dmx.slots, [42, 43]);
            return;
        }
    }
}

#[test]
fn interface_that_is_none_is_refused_with_the_choices() {
    let configuration = DmxConfiguration {
        interface: "lo7".to_owned(),
        ..configuration(DmxProtocol::Sacn)
    };
    let engine = super::DmxEngine::on(Arc::new(Runtime::manual(0)), configuration).expect("no system yet");
    let (sender, ends) = std::sync::mpsc::channel();
    let refusal = engine.start(crate::outlet::Delivery::Push(Box::new(super::Ends(sender))));
    let Some(DmxError::Interface { got, choices }) = refusal.err() else {
        panic!("expected a refusal")
    };
    assert_eq!(got, "lo7");
    assert!(choices.contains("lo (127.0.0.1)"), "{choices}");
    assert!(ends.recv().is_err(), "the listener was dropped without a call");
}
