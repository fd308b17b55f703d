use super::*;
use crate::clock::SystemClock;

const HOME: Ipv4Addr = Ipv4Addr::LOCALHOST;

fn home(port: u16) -> UdpOptions {
    UdpOptions::new((HOME, port).into())
}

fn open(options: &UdpOptions) -> (Udp, SocketAddr) {
    let udp = Udp::open(options, Arc::new(SystemClock::new())).expect("a socket");
    let address = udp.local_address().expect("bound");
    (udp, address)
}

/// The next datagram, which is on its way.
fn next(udp: &Udp) -> (Vec<u8>, SocketAddr) {
    let mut bytes = [0; 64];
    loop {
        match udp.try_receive(&mut bytes) {
            Ok(got) => return (bytes[..got.length].to_vec(), got.from.expect("a sender")),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        std::thread::yield_now();
    }
}

fn kind<T>(result: io::Result<T>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn datagrams_go_both_ways_alone_and_in_batches() {
    let ((near, here), (far, there)) = (open(&home(0)), open(&home(0)));
    assert_eq!(near.try_send(b"alone", Some(there)).expect("sent"), 5);
    assert_eq!(next(&far), (b"alone".to_vec(), here));
    let batch = [&b"a"[..], b"bc", b""].map(|bytes| Datagram { bytes, to: here });
    assert_eq!(far.try_send_batch(&batch).expect("sent"), 3);
    assert_eq!(next(&near), (b"a".to_vec(), there));
    let (mut slots, mut got) = (Slots::new(8, 64), Vec::new());
    while got.len() < 2 {
        if near.try_receive_batch(&mut slots).is_ok() {
            got.extend(slots.datagrams().map(|datagram| datagram.bytes.to_vec()));
        }
    }
    assert_eq!(got, [b"bc".to_vec(), b"".to_vec()]);
    assert_eq!(
        kind(near.try_receive_batch(&mut slots)),
        Some(ErrorKind::WouldBlock)
    );
}

#[test]
fn closed_socket_refuses_everything_and_its_port_is_free() {
    let (udp, address) = open(&home(0));
    assert_eq!(
        kind(Udp::open(&home(address.port()), Arc::new(SystemClock::new()))),
        Some(ErrorKind::AddrInUse)
    );
    udp.close();
    udp.close();
    let closed = Some(ErrorKind::NotConnected);
    assert_eq!(kind(udp.try_send(b"a", Some(address))), closed);
    assert_eq!(kind(udp.try_receive(&mut [0])), closed);
    assert_eq!(kind(udp.try_receive_batch(&mut Slots::new(1, 1))), closed);
    assert_eq!(kind(udp.join(Ipv4Addr::new(239, 1, 1, 1), HOME)), closed);
    assert_eq!(kind(udp.local_address()), closed);
    open(&home(address.port()));
}

#[test]
fn peer_that_is_not_there_is_an_error_of_the_next_datagram_to_it() {
    let ((udp, _), (gone, there)) = (open(&home(0)), open(&home(0)));
    gone.close();
    udp.connect(there).expect("connected");
    while kind(udp.try_send(b"a", None)) != Some(ErrorKind::ConnectionRefused) {
        std::thread::yield_now();
    }
    let (_back, _) = open(&home(there.port()));
    assert_eq!(udp.try_send(b"a", None).expect("it is there again"), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn broadcast_reaches_whoever_has_the_port_and_is_sent_by_who_may() {
    let everywhere = UdpOptions::new("0.0.0.0:0".parse().expect("an address"));
    let (receiver, at) = open(&everywhere);
    let to = SocketAddr::from(([127, 255, 255, 255], at.port()));
    let (refused, _) = open(&home(0));
    assert_eq!(
        kind(refused.try_send(b"a", Some(to))),
        Some(ErrorKind::PermissionDenied)
    );
    let (sender, from) = open(&UdpOptions {
        broadcasts: true,
        ..home(0)
    });
    sender.try_send(b"all", Some(to)).expect("sent");
    assert_eq!(next(&receiver), (b"all".to_vec(), from));
}

fn receiver(own_groups: bool) -> (Udp, u16) {
    let (udp, at) = open(&UdpOptions {
        shares_port: true,
        own_groups,
        ..UdpOptions::new("0.0.0.0:0".parse().expect("an address"))
    });
    (udp, at.port())
}

fn sender() -> Udp {
    let options = UdpOptions {
        multicast_interface: Some(HOME),
        ..home(0)
    };
    open(&options).0
}

#[cfg(target_os = "linux")]
#[test]
fn groups_beyond_the_limit_of_a_socket_are_joined_by_others() {
    let ((udp, port), sender) = (receiver(false), sender());
    let groups = (0..50).map(|number| Ipv4Addr::new(239, 18, 1, number));
    for group in groups.clone() {
        udp.join(group, HOME).expect("joined");
        assert_eq!(kind(udp.join(group, HOME)), Some(ErrorKind::AddrInUse));
    }
    assert!(!locked_surely(&udp.joined).helpers.is_empty());
    for group in groups.clone() {
        let text = group.octets();
        sender.try_send(&text, Some((group, port).into())).expect("sent");
        assert_eq!(next(&udp).0, text);
    }
    let (last, first) = (Ipv4Addr::new(239, 18, 1, 49), Ipv4Addr::new(239, 18, 1, 0));
    for group in [last, first] {
        udp.leave(group, HOME).expect("left");
        assert_eq!(kind(udp.leave(group, HOME)), Some(ErrorKind::AddrNotAvailable));
        sender
            .try_send(b"nobody", Some((group, port).into()))
            .expect("sent");
    }
    sender.try_send(b"mark", Some((HOME, port).into())).expect("sent");
    assert_eq!(next(&udp).0, b"mark");
    let helpers = locked_surely(&udp.joined).helpers.len();
    udp.join(last, HOME)
        .expect("joined in the place of the one that was left");
    udp.join(first, HOME).expect("joined");
    assert_eq!(locked_surely(&udp.joined).helpers.len(), helpers);
}

#[cfg(target_os = "linux")]
#[test]
fn socket_of_own_groups_hears_no_other_s_and_has_no_helpers() {
    let ((own, port), sender) = (receiver(true), sender());
    let group = |number| Ipv4Addr::new(239, 18, 2, number);
    let (all, _) = receiver(false);
    all.join(group(1), HOME).expect("joined");
    own.join(group(2), HOME).expect("joined");
    for number in [1, 2] {
        sender
            .try_send(&[number], Some((group(number), port).into()))
            .expect("sent");
    }
    assert_eq!(next(&own).0, [2]);
    let most = (3..=250).find(|number| own.join(group(*number), HOME).is_err());
    assert!(most.is_some(), "a limit");
}

#[test]
fn receive_buffer_is_what_the_system_gives() {
    let (small, _) = open(&UdpOptions {
        receive_buffer: Some(8_192),
        ..home(0)
    });
    let (large, _) = open(&UdpOptions {
        receive_buffer: Some(1 << 30),
        ..home(0)
    });
    let [small, large] = [small, large].map(|udp| udp.receive_buffer().expect("a socket"));
    assert!(small >= 8_192 && large > small, "{small} and {large}");
}

#[cfg(target_os = "linux")]
#[test]
fn datagrams_that_nobody_took_in_time_are_counted() {
    let ((sender, _), (udp, to)) = (open(&home(0)), open(&home(0)));
    let bytes = vec![0; 8_000];
    let batch = [Datagram { bytes: &bytes, to }; MOST_DATAGRAMS];
    let mut sent: usize = (0..10)
        .map(|_| sender.try_send_batch(&batch).expect("sent"))
        .sum();
    let (mut slots, mut heard, mut looks) = (Slots::new(64, 8_000), 0, 0);
    while sent != heard + udp.dropped() as usize {
        sent += sender.try_send_batch(&batch[..1]).expect("sent");
        while let Ok(count) = udp.try_receive_batch(&mut slots) {
            heard += count;
        }
        looks += 1;
        assert!(
            looks < 100_000,
            "{sent} sent, {heard} heard, {} dropped",
            udp.dropped()
        );
    }
    assert!(udp.dropped() > 0);
}
