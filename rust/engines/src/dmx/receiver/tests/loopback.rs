//! Receivers over the sockets of this machine: multicast, broadcast and unicast on the loopback.

use super::*;
use crate::clock::SystemClock;
use crate::dmx::receiver::network::{UdpNetwork, interface, unjoined, unopened};
use rustle_lighting::artnet::{Packet, Poll, parse};
use std::net::UdpSocket;

const PATIENCE: Duration = Duration::from_secs(30);

/// A port that no other test uses.
fn free_port() -> u16 {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    socket.local_addr().expect("bound").port()
}

fn start(configure: impl FnOnce(&mut DmxReceiverConfiguration)) -> (DmxReceiver, Kept<DmxLevels>) {
    start_on(Runtime::shared(), configure)
}

fn start_on(
    runtime: &Arc<Runtime>,
    configure: impl FnOnce(&mut DmxReceiverConfiguration),
) -> (DmxReceiver, Kept<DmxLevels>) {
    let mut configuration = configuration();
    configuration.interface = Ipv4Addr::LOCALHOST.to_string();
    configure(&mut configuration);
    let receiver = DmxReceiver::on(runtime.clone(), configuration).expect("a good configuration");
    let ((record, records), (end, ends)) = (channel(), channel());
    let session = receiver.start_levels(Delivery::Push(Box::new(Log(record, end))));
    let session = session.expect("a session");
    (
        receiver,
        Kept {
            session,
            records,
            ends,
        },
    )
}

fn multicasts() -> UdpSocket {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None).expect("a socket");
    socket
        .set_multicast_if_v4(&Ipv4Addr::LOCALHOST)
        .expect("a loopback");
    socket.into()
}

#[test]
fn groups_beyond_those_of_one_socket_are_heard() {
    let at = free_port();
    let (receiver, levels) = start(|c| {
        c.sacn = (40_001..=40_050).map(universe).collect();
        c.sacn_port = at;
    });
    let socket = multicasts();
    for number in 40_001..=40_050 {
        let packet = data(1, number, 1, &[number as u8, 7]);
        socket
            .send_to(packet.bytes(), (universe(number).group(), at))
            .expect("sent");
    }
    // Nobody listens to this one.
    socket
        .send_to(data(1, 40_051, 1, &[1]).bytes(), (universe(40_051).group(), at))
        .expect("sent");
    let mut got: Vec<_> = (0..50)
        .map(|_| levels.records.recv_timeout(PATIENCE).expect("levels"))
        .collect();
    got.sort_by_key(|record| record.universe);
    let wanted: Vec<_> = (40_001..=40_050_u16)
        .map(|number| (number, [number as u8, 7]))
        .collect();
    assert_eq!(shown(&got), wanted);
    levels.session.cancel();
    assert_eq!(levels.ends.recv_timeout(PATIENCE), Ok(Release::Cancelled));
    assert_eq!(receiver.counts().sacn.other_universes, 0);
}

#[test]
fn two_receivers_hear_one_group() {
    let at = free_port();
    let configure = |c: &mut DmxReceiverConfiguration| {
        c.sacn = vec![universe(40_100)];
        c.sacn_port = at;
    };
    let both = [start(configure), start(configure)];
    let packet = data(1, 40_100, 1, &[1, 2]);
    multicasts()
        .send_to(packet.bytes(), (universe(40_100).group(), at))
        .expect("sent");
    for (_, levels) in &both {
        let record = levels.records.recv_timeout(PATIENCE).expect("levels");
        assert_eq!(shown(&[record]), [(40_100, [1, 2])]);
    }
}

/// After an error of the system's wait for events nothing was heard any more.
#[test]
fn sockets_are_watched_anew_after_the_wait_for_events_failed() {
    let (at, runtime) = (free_port(), Arc::new(Runtime::of_system(1)));
    let (_receiver, levels) = start_on(&runtime, |c| {
        c.sacn = vec![universe(40_200)];
        c.sacn_port = at;
    });
    for sequence in 1..4 {
        let packet = data(1, 40_200, sequence, &[sequence, 7]);
        let to = (universe(40_200).group(), at);
        multicasts().send_to(packet.bytes(), to).expect("sent");
        let record = levels.records.recv_timeout(PATIENCE).expect("levels");
        assert_eq!(shown(&[record]), [(40_200, [sequence, 7])]);
        runtime.io().fail();
    }
}

#[test]
fn art_net_comes_by_unicast_and_by_broadcast_and_polls_are_answered() {
    let at = free_port();
    let home = Ipv4Addr::new(127, 0, 18, 2);
    let (_receiver, levels) = start(|c| {
        c.interface = home.to_string();
        c.art_net = vec![port(3), port(4)];
        c.art_net_port = at;
    });
    let controller = UdpSocket::bind((Ipv4Addr::new(127, 0, 18, 1), at)).expect("another address");
    controller.set_broadcast(true).expect("a socket");
    controller.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let all = Ipv4Addr::new(127, 255, 255, 255);
    controller
        .send_to(art(3, 0, 1, &[1, 2]).bytes(), (home, at))
        .expect("sent");
    controller
        .send_to(art(4, 0, 1, &[3, 4]).bytes(), (all, at))
        .expect("sent");
    let mut got = [(); 2].map(|()| levels.records.recv_timeout(PATIENCE).expect("levels"));
    got.sort_by_key(|record| record.universe);
    assert_eq!(shown(&got), [(3, [1, 2]), (4, [3, 4])]);
    controller
        .send_to(&Poll::default().bytes(), (all, at))
        .expect("sent");
    let mut bytes = [0; 600];
    for wanted in [3, 4] {
        let (length, from) = controller.recv_from(&mut bytes).expect("a reply");
        assert_eq!(from, (home, at).into());
        let Ok(Packet::PollReply(reply)) = parse(&bytes[..length]) else {
            panic!("expected a reply");
        };
        assert_eq!(
            reply.subscriptions().map(PortAddress::get).collect::<Vec<_>>(),
            [wanted]
        );
    }
}

#[test]
fn port_that_a_program_has_alone_is_an_error_of_the_start() {
    let taken = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).expect("a port");
    let at = taken.local_addr().expect("bound").port();
    let mut configuration = configuration();
    configuration.interface = "127.0.0.1".to_owned();
    configuration.sacn = vec![universe(1)];
    configuration.sacn_port = at;
    let receiver = DmxReceiver::on(Runtime::shared().clone(), configuration).expect("a good configuration");
    let ((record, _records), (end, ends)) = (channel(), channel());
    let started = receiver.start_levels(Delivery::Push(Box::new(Log(record, end))));
    assert!(matches!(started, Err(DmxError::PortTaken { port }) if port == at));
    assert!(ends.try_recv().is_err(), "the listener is not called");
}

#[test]
fn interface_that_there_is_not_is_refused_with_the_choices() {
    let error = interface("rustle9").expect_err("no such interface").to_string();
    assert!(
        error.contains("127.0.0.1") && error.contains("\"rustle9\""),
        "{error}"
    );
    assert_eq!(
        interface("127.0.18.7").map(|found| found.address).ok(),
        Some(Ipv4Addr::new(127, 0, 18, 7))
    );
}

#[test]
fn refusals_of_the_system_have_errors_of_their_own() {
    let system = io::Error::from_raw_os_error;
    assert!(matches!(
        unopened(5568, &system(13)),
        DmxError::NotPermitted { port: 5568 }
    ));
    let group = universe(1).group();
    let error = unjoined("eth0", group, &system(19));
    assert!(matches!(&error, DmxError::NoMulticast { interface } if interface == "eth0"));
    let error = unjoined("eth0", group, &system(5)).to_string();
    assert!(error.contains("239.255.0.1 on eth0"), "{error}");
}

#[test]
fn socket_of_a_group_refuses_an_address_that_no_interface_has() {
    let mut found = interface("127.0.0.1").expect("a loopback");
    found.address = Ipv4Addr::new(192, 0, 2, 1);
    let mut network = UdpNetwork {
        interface: found,
        sacn_port: free_port(),
        art_net_port: free_port(),
        clock: Arc::new(SystemClock::new()),
    };
    let error = network
        .sacn()
        .err()
        .or_else(|| network.sacn().ok()?.join(universe(1).group()).err());
    let error = error.expect("no such address");
    assert!(
        matches!(
            unjoined("gone", universe(1).group(), &error),
            DmxError::NoMulticast { .. }
        ),
        "{error}"
    );
}
