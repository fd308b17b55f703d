use super::*;
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};

fn socket() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_nonblocking(true).expect("a socket");
    let address = socket.local_addr().expect("bound");
    (socket, address)
}

type Got = (Vec<u8>, Option<SocketAddr>, bool);

fn got(slots: &Slots) -> Vec<Got> {
    let owned = |datagram: Received<'_>| (datagram.bytes.to_vec(), datagram.from, datagram.is_cut);
    slots.datagrams().map(owned).collect()
}

/// The next `count` datagrams.
fn received(slots: &mut Slots, socket: &UdpSocket, count: usize) -> Vec<Got> {
    let mut all = Vec::new();
    while all.len() < count {
        match slots.receive(socket) {
            Ok(length) => assert_eq!(length, slots.datagrams().count()),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        all.extend(got(slots));
    }
    all
}

#[test]
fn batch_arrives_in_order_at_each_of_its_destinations_with_its_sender() {
    let ((sender, from), (near, to), (other, aside)) = (socket(), socket(), socket());
    let texts: Vec<Vec<u8>> = (0..100).map(|number| vec![number as u8; number]).collect();
    let batch: Vec<Datagram<'_>> = (texts.iter().enumerate())
        .map(|(index, bytes)| Datagram {
            bytes,
            to: if index % 10 == 0 { aside } else { to },
        })
        .collect();
    assert_eq!(send(&sender, &batch).expect("as many as one call takes"), MOST);
    assert_eq!(send(&sender, &batch[MOST..]).expect("the rest"), 100 - MOST);
    let mut slots = Slots::new(7, 128);
    let wanted = |is_aside: bool| -> Vec<Got> {
        let chosen = texts
            .iter()
            .enumerate()
            .filter(|(index, _)| (index % 10 == 0) == is_aside);
        chosen
            .map(|(_, text)| (text.clone(), Some(from), false))
            .collect()
    };
    assert_eq!(received(&mut slots, &near, 90), wanted(false));
    assert_eq!(received(&mut slots, &other, 10), wanted(true));
    let error = slots.receive(&near).expect_err("nothing waits");
    assert_eq!((error.kind(), got(&slots)), (ErrorKind::WouldBlock, vec![]));
    assert_eq!(send(&sender, &[]).expect("nothing to send"), 0);
}

/// Runs of one length, a change of the destination, and empty datagrams.
#[test]
fn segmented_batch_arrives_as_the_same_datagrams() {
    let ((sender, from), (near, to), (other, aside)) = (socket(), socket(), socket());
    let lengths = [638; 12].into_iter().chain([12, 0, 0, 7, 7, 9]);
    let texts: Vec<Vec<u8>> = (lengths.enumerate())
        .map(|(number, length)| vec![number as u8; length])
        .collect();
    let batch: Vec<Datagram<'_>> = (texts.iter().enumerate())
        .map(|(index, bytes)| Datagram {
            bytes,
            to: if index == 5 { aside } else { to },
        })
        .collect();
    assert_eq!(send_segmented(&sender, &batch).expect("all"), texts.len());
    let mut slots = Slots::new(16, 638);
    let mut wanted: Vec<Got> = texts
        .iter()
        .map(|text| (text.clone(), Some(from), false))
        .collect();
    let odd = wanted.remove(5);
    assert_eq!(received(&mut slots, &near, wanted.len()), wanted);
    assert_eq!(received(&mut slots, &other, 1), [odd]);
    assert_eq!(send_segmented(&sender, &[]).expect("nothing to send"), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn run_of_datagrams_has_at_most_the_bytes_of_one() {
    let ((_, to), bytes) = (socket(), [0; 9_000]);
    let batch = [Datagram { bytes: &bytes, to }; 20];
    // 65,507 bytes of payload: RFC 768 and RFC 791.
    assert_eq!((together::run(&batch), together::run(&batch[18..])), (7, 2));
    let empty = [Datagram { bytes: &[], to }; 3];
    assert_eq!(together::run(&empty), 1);
}

#[test]
fn what_comes_before_an_error_of_a_segmented_batch_is_sent() {
    let ((sender, _), (receiver, to)) = (socket(), socket());
    let huge = vec![0; 70_000];
    let batch = [&b"a"[..], b"b", &huge, b"c"].map(|bytes| Datagram { bytes, to });
    assert_eq!(send_segmented(&sender, &batch).expect("the first two"), 2);
    assert!(send_segmented(&sender, &batch[2..]).is_err());
    assert_eq!(received(&mut Slots::new(4, 4), &receiver, 2).len(), 2);
}

#[test]
fn calls_of_one_datagram_each_do_the_same() {
    let ((sender, from), (receiver, to)) = (socket(), socket());
    let huge = vec![0; 70_000];
    let batch = [&b"one"[..], b"three", &huge].map(|bytes| Datagram { bytes, to });
    assert_eq!(one_by_one::send(&sender, &batch).expect("two"), 2);
    assert!(one_by_one::send(&sender, &batch[2..]).is_err());
    let mut slots = Slots::new(3, 4);
    while slots.datagrams().count() < 2 {
        // Nothing has arrived yet when it fails.
        drop(one_by_one::receive(&receiver, &mut slots));
    }
    let wanted = [
        (b"one".to_vec(), Some(from), false),
        (b"thre".to_vec(), Some(from), true),
    ];
    assert_eq!(got(&slots), wanted);
    let error = one_by_one::receive(&receiver, &mut Slots::new(1, 1)).expect_err("nothing waits");
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
}

#[test]
fn datagram_that_is_longer_than_its_slot_is_cut_and_says_so() {
    let ((sender, _), (receiver, to)) = (socket(), socket());
    let pair = [&b"12345"[..], b"1234"].map(|bytes| Datagram { bytes, to });
    assert_eq!(send(&sender, &pair).expect("sent"), 2);
    let got = received(&mut Slots::new(2, 4), &receiver, 2);
    let cuts: Vec<_> = got
        .iter()
        .map(|(bytes, _, is_cut)| (bytes.len(), *is_cut))
        .collect();
    assert_eq!(cuts, [(4, true), (4, false)]);
}

#[test]
fn what_comes_before_an_error_is_sent_and_the_error_follows() {
    let ((sender, _), (_receiver, to)) = (socket(), socket());
    let huge = vec![0; 70_000];
    let batch = [&b"a"[..], &huge].map(|bytes| Datagram { bytes, to });
    assert_eq!(send(&sender, &batch).expect("the first"), 1);
    assert!(send(&sender, &batch[1..]).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn addresses_of_both_families_go_out_and_come_back() {
    use crate::name::Name;
    let far = std::net::SocketAddrV6::new("fe80::1".parse().expect("an address"), 5568, 9, 7);
    let near = "192.0.2.1:6454".parse().expect("an address");
    for (address, bytes) in [(SocketAddr::V6(far), 28), (near, 16)] {
        let (name, length) = Name::new(address);
        assert_eq!((name.address(), length), (Some(address), bytes));
    }
    assert_eq!(Name::EMPTY.address(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn drops_are_counted_once_a_socket_is_told() {
    let ((sender, _), (receiver, to)) = (socket(), socket());
    let bytes = vec![0; 8_000];
    let batch = [Datagram { bytes: &bytes, to }; MOST];
    let mut slots = Slots::new(MOST, 8_000);
    count_drops(&receiver).expect("an option");
    assert_eq!(slots.dropped(), None);
    // Many times what its buffer holds.
    let mut sent: usize = (0..10).map(|_| send(&sender, &batch).expect("sent")).sum();
    let (mut heard, mut dropped, mut looks) = (0, 0, 0);
    // A later datagram reports those that were dropped before it.
    while sent != heard + dropped {
        sent += send(&sender, &batch[..1]).expect("sent");
        while let Ok(count) = slots.receive(&receiver) {
            heard += count;
            dropped = slots.dropped().map_or(dropped, |dropped| dropped as usize);
        }
        looks += 1;
        assert!(looks < 100_000, "{sent} sent, {heard} heard, {dropped} dropped");
    }
    assert!(dropped > 0);
}

#[cfg(target_os = "linux")]
#[test]
fn datagrams_of_several_sockets_have_the_times_of_their_arrival_once_they_are_told() {
    let ((sender, _), receivers) = (socket(), [(); 3].map(|()| socket()));
    let mut slots = Slots::new(8, 8);
    let times = |slots: &mut Slots| -> Vec<_> {
        let of_socket = |(receiver, _): &(UdpSocket, _)| {
            while slots.receive(receiver).is_err() {}
            let of_each = slots.datagrams().map(|got| (got.at_ns, got.bytes.to_vec()));
            of_each.collect::<Vec<_>>()
        };
        receivers.iter().flat_map(of_socket).collect()
    };
    let send_to = |place: usize, number: u8| {
        let (to, bytes) = (receivers[place].1, [number]);
        assert_eq!(send(&sender, &[Datagram { bytes: &bytes, to }]).expect("sent"), 1);
    };
    (0..3).for_each(|place| send_to(place, 0));
    assert!(times(&mut slots).iter().all(|(at_ns, _)| at_ns.is_none()));
    for (receiver, _) in &receivers {
        count_drops(receiver).expect("an option");
        stamp(receiver).expect("an option");
    }
    let mut got = vec![];
    // The system begins to note times a little later; until then they are those of the reading.
    for _ in 0..100_000 {
        (0..12).for_each(|number| send_to([2, 0, 1][usize::from(number) % 3], number));
        got = times(&mut slots);
        assert!(got.iter().all(|(at_ns, _)| at_ns.is_some()));
        if got[0].0 > got[8].0 {
            break;
        }
    }
    got.sort();
    let numbers: Vec<_> = got.into_iter().map(|(_, bytes)| bytes[0]).collect();
    assert_eq!(numbers, (0..12).collect::<Vec<_>>());
}

#[cfg(target_os = "linux")]
#[test]
fn receive_buffer_is_forced_or_refused_for_want_of_a_privilege() {
    let (receiver, _) = socket();
    if let Err(error) = force_receive_buffer(&receiver, 4 << 20) {
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }
}

#[test]
fn slots_that_a_call_fills_have_no_drops_of_an_earlier_one() {
    let mut slots = Slots::new(1, 8);
    slots.dropped = Some(3);
    let arrived = Arrived {
        length: 0,
        from: None,
        at_ns: None,
    };
    assert_eq!(slots.fill(|_| Ok(arrived)).expect("filled"), 1);
    assert_eq!(slots.dropped(), None);
}
