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

fn receiver() -> (Udp, u16) {
    let (udp, at) = open(&UdpOptions {
        shares_port: true,
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
fn socket_hears_the_groups_that_it_joined_and_no_other_s() {
    let ((own, port), sender) = (receiver(), sender());
    let group = |number| Ipv4Addr::new(239, 18, 2, number);
    let (other, _) = receiver();
    other.join(group(1), HOME).expect("joined");
    own.join(group(2), HOME).expect("joined");
    assert_eq!(kind(own.join(group(2), HOME)), Some(ErrorKind::AddrInUse));
    let send = |number: u8| {
        let to = SocketAddr::from((group(number), port));
        sender.try_send(&[number], Some(to)).expect("sent");
    };
    [1, 2].into_iter().for_each(send);
    assert_eq!(next(&own).0, [2]);
    own.leave(group(2), HOME).expect("left");
    assert_eq!(kind(own.leave(group(2), HOME)), Some(ErrorKind::AddrNotAvailable));
    own.join(group(3), HOME).expect("joined");
    [2, 3].into_iter().for_each(send);
    assert_eq!(next(&own).0, [3]);
    let refused = (4..=250).find_map(|number| own.join(group(number), HOME).err());
    assert!(rustle_udp::has_no_group_left(&refused.expect("a limit")));
}

/// Else a socket for broadcasts to all networks hears those of all interfaces.
#[cfg(target_os = "linux")]
#[test]
fn socket_of_an_interface_is_restricted_to_it() {
    let device = |name: Option<&str>| {
        let (udp, _) = open(&UdpOptions {
            device: name.map(str::to_owned),
            ..home(0)
        });
        udp.port.with(|socket| socket2::SockRef::from(socket).device())
    };
    assert_eq!(device(Some("lo")).expect("a name").as_deref(), Some(&b"lo"[..]));
    assert_eq!(device(None).expect("a socket"), None);
    assert_eq!(device(Some("rustle-none")).expect("not refused"), None);
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
