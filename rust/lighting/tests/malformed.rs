//! Every reason for which a datagram is dropped, the order of the checks, and what is accepted beside the usual.

use rustle_lighting::artnet::{self, DmxBuffer, Poll, PollReply};
use rustle_lighting::sacn::{self, DataBuffer, DiscoveryBuffer, Malformed, Packet, SyncBuffer};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse};

fn cid() -> Cid {
    Cid::from_random([7; 16])
}

fn data(slots: usize) -> Vec<u8> {
    let name = Name::new("source").expect("short");
    let mut buffer = DataBuffer::new(cid(), &name, SacnUniverse::FIRST, sacn::LEVELS);
    buffer.set_slots(&vec![9; slots]);
    buffer.bytes().to_vec()
}

fn sync() -> Vec<u8> {
    SyncBuffer::new(cid(), SacnUniverse::FIRST).bytes().to_vec()
}

fn discovery(numbers: &[u32]) -> Vec<u8> {
    let universes: Vec<_> = numbers
        .iter()
        .filter_map(|number| SacnUniverse::new(*number).ok())
        .collect();
    let name = Name::new("source").expect("short");
    DiscoveryBuffer::new(cid(), &name, 1, 2, &universes)
        .bytes()
        .to_vec()
}

fn with(mut bytes: Vec<u8>, offset: usize, values: &[u8]) -> Vec<u8> {
    bytes[offset..offset + values.len()].copy_from_slice(values);
    bytes
}

/// The checks of data in their order: where, what, and the reason.
const DATA_FAULTS: [(usize, &[u8], Malformed); 20] = [
    (12, b"8", Malformed::Identifier),
    (1, &[0x11], Malformed::Preamble),
    (3, &[0x01], Malformed::Preamble),
    (16, &[0x60], Malformed::RootLength),
    (16, &[0x72, 0x6F], Malformed::RootLength),
    (16, &[0x70, 0x20], Malformed::RootLength),
    (21, &[5], Malformed::RootVector),
    (38, &[0x82], Malformed::FramingLength),
    (39, &[0x59], Malformed::FramingLength),
    (43, &[3], Malformed::FramingVector),
    (115, &[0x62], Malformed::DmpLength),
    (116, &[0x00], Malformed::DmpLength),
    (117, &[3], Malformed::DmpVector),
    (118, &[0xA2], Malformed::AddressType),
    (120, &[1], Malformed::FirstAddress),
    (122, &[2], Malformed::Increment),
    (124, &[0], Malformed::ValueCount),
    (108, &[201], Malformed::Priority),
    (113, &[0, 0], Malformed::Universe),
    (109, &[0xFA, 0x00], Malformed::SyncAddress),
];

#[test]
fn strict_order_of_checks_reports_the_first_failure() {
    assert!(sacn::parse(&data(512)).is_ok());
    let mut all = data(512);
    // From the last check to the first: each fault is reported before those that were there.
    for (offset, values, reason) in DATA_FAULTS.into_iter().rev() {
        assert_eq!(
            sacn::parse(&with(data(512), offset, values)),
            Err(reason),
            "alone at {offset}"
        );
        let is_length = matches!(
            reason,
            Malformed::RootLength | Malformed::FramingLength | Malformed::DmpLength
        );
        all = with(all, offset, values);
        assert_eq!(sacn::parse(&all), Err(reason), "at {offset}");
        if is_length || offset == 3 {
            // Two faults of one reason: the next is to be seen alone.
            all = with(all, offset, &data(512)[offset..offset + values.len()]);
        }
    }
}

#[test]
fn universes_outside_1_to_63999_are_dropped_and_not_clamped() {
    for number in [0_u16, 64_000, 64_214, 65_535] {
        let bytes = with(data(1), 113, &number.to_be_bytes());
        assert_eq!(sacn::parse(&bytes), Err(Malformed::Universe), "{number}");
    }
}

#[test]
fn every_number_of_slots_is_read_and_513_are_not() {
    for slots in 0..=512 {
        let bytes = data(slots);
        assert!(
            matches!(sacn::parse(&bytes), Ok(Packet::Data(data)) if data.slots.len() == slots),
            "{slots}"
        );
    }
    let mut bytes = data(512);
    bytes.push(0);
    for (offset, extra) in [(16, 110), (38, 88), (115, 11)] {
        bytes = with(bytes, offset, &(0x7000 | (extra + 513_u16)).to_be_bytes());
    }
    bytes = with(bytes, 123, &514_u16.to_be_bytes());
    assert_eq!(sacn::parse(&bytes), Err(Malformed::ValueCount));
}

#[test]
fn bytes_after_the_root_length_are_ignored() {
    for good in [data(3), sync(), discovery(&[1, 5])] {
        let mut long = good.clone();
        long.extend_from_slice(&[0xFF; 40]);
        assert!(sacn::parse(&long).is_ok());
        assert_eq!(sacn::parse(&long), sacn::parse(&good));
    }
}

#[test]
fn no_beginning_of_a_packet_is_one() {
    for good in [data(3), sync(), discovery(&[1, 5])] {
        for length in 0..good.len() {
            assert!(
                sacn::parse(&good[..length]).is_err(),
                "{length} of {}",
                good.len()
            );
        }
    }
}

#[test]
fn faults_of_synchronization_are_named() {
    for (offset, values, reason) in [
        (46, &[0][..], Malformed::SyncAddress),
        (45, &[0xFA][..], Malformed::SyncAddress),
        (43, &[9][..], Malformed::FramingVector),
    ] {
        assert_eq!(sacn::parse(&with(sync(), offset, values)), Err(reason));
    }
    // A layer more than a synchronization packet has.
    let mut long = sync();
    long.push(0);
    long = with(with(long, 17, &[0x22]), 39, &[0x0C]);
    assert_eq!(sacn::parse(&long), Err(Malformed::FramingLength));
}

#[test]
fn faults_of_discovery_are_named() {
    let good = discovery(&[1, 5, 63_999]);
    assert!(sacn::parse(&good).is_ok());
    for (offset, values, reason) in [
        (113, &[0x0D][..], Malformed::Discovery),
        (117, &[2][..], Malformed::Discovery),
        (118, &[3][..], Malformed::Page),
        (121, &[5][..], Malformed::Universes),
        (121, &[6][..], Malformed::Universes),
        (120, &[0, 0][..], Malformed::Universes),
        (124, &[0xFA, 0][..], Malformed::Universes),
    ] {
        assert_eq!(
            sacn::parse(&with(good.clone(), offset, values)),
            Err(reason),
            "{offset}"
        );
    }
    assert!(sacn::parse(&discovery(&[])).is_ok(), "an empty list is allowed");
}

fn dmx(slots: &[u8]) -> Vec<u8> {
    let mut buffer = DmxBuffer::new(PortAddress::LAST, 0);
    buffer.set_slots(slots);
    buffer.bytes().to_vec()
}

#[test]
fn faults_of_art_net_are_named() {
    use artnet::Malformed;
    let good = dmx(&[1, 2, 3]);
    assert_eq!(good.len(), 22, "an odd number of slots is sent with one more");
    for (offset, values, reason) in [
        (7, &[1][..], Malformed::Identifier),
        (11, &[13][..], Malformed::Version),
        (15, &[0x80][..], Malformed::Address),
        (16, &[0, 0][..], Malformed::DmxLength),
        (16, &[0, 5][..], Malformed::DmxLength),
        (16, &[2, 2][..], Malformed::DmxLength),
    ] {
        assert_eq!(
            artnet::parse(&with(good.clone(), offset, values)),
            Err(reason),
            "{offset}"
        );
    }
    for (length, reason) in [
        (0, Malformed::Identifier),
        (7, Malformed::Identifier),
        (9, Malformed::Opcode),
        (11, Malformed::Version),
        (15, Malformed::Address),
        (17, Malformed::DmxLength),
        (21, Malformed::DmxLength),
    ] {
        assert_eq!(artnet::parse(&good[..length]), Err(reason), "{length} bytes");
    }
    let reply = PollReply::default().bytes();
    assert_eq!(artnet::parse(&reply[..197]), Err(Malformed::ReplyLength));
}

#[test]
fn art_net_is_read_as_generously_as_its_text_says() {
    // A later version, an odd length, trailing bytes.
    let mut odd = with(with(dmx(&[1, 2, 3, 4]), 11, &[15]), 17, &[3]);
    odd.push(0xFF);
    assert!(matches!(artnet::parse(&odd), Ok(artnet::Packet::Dmx(dmx)) if dmx.slots == [1, 2, 3]));
    let poll = Poll {
        flags: Poll::REPLY_ON_CHANGE,
        ..Poll::default()
    };
    assert_eq!(
        artnet::parse(&poll.bytes()[..13]),
        Ok(artnet::Packet::Poll(poll)),
        "missing fields are 0"
    );
    let reply = PollReply {
        refresh_rate: 44,
        ..PollReply::default()
    };
    let Ok(artnet::Packet::PollReply(short)) = artnet::parse(&reply.bytes()[..198]) else {
        panic!("198 bytes are enough");
    };
    assert_eq!((short.refresh_rate, short.short_name), (0, reply.short_name));
}

#[test]
fn other_opcodes_are_reported_as_such() {
    for opcode in [
        0x2300_u16, 0x2400, 0x5100, 0x6000, 0x7000, 0x8000, 0x8300, 0x9700, 0x9900, 0,
    ] {
        let bytes = with(dmx(&[1]), 8, &opcode.to_le_bytes());
        assert_eq!(artnet::parse(&bytes), Ok(artnet::Packet::Other(opcode)));
    }
}

#[test]
fn targeted_polls_ask_only_their_range() {
    let address = |number| PortAddress::new(number).expect("in range");
    let mut poll = Poll {
        target: [20, 10],
        ..Poll::default()
    };
    assert!(poll.asks(address(0)));
    poll.flags |= Poll::TARGETED;
    assert_eq!(
        [9, 10, 20, 21].map(|number| poll.asks(address(number))),
        [false, true, true, false]
    );
}
