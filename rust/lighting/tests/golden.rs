//! Packets byte by byte. The bytes were composed from the tables of the standards by another program, and Wireshark 4.0.17 shows the
//! fields that are expected here (it decodes sACN data, ArtDmx, ArtPoll, ArtPollReply and ArtSync).

use rustle_lighting::artnet::{self, DmxBuffer, DmxPacket, Poll, PollReply, Port, SYNC_PACKET, Style};
use rustle_lighting::sacn::{self, DataBuffer, DataPacket, DiscoveryBuffer, Options, SyncBuffer, SyncPacket};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse};
use std::net::Ipv4Addr;

const DATA: &str = "\
    001000004153432d45312e3137000000708600000004101112131415461798191a1b1c1d1e1f707000000002527573746c65\
    20c3840000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    0000000000000000641f1a07200102702302a1000000010019000102ff18191a1b1c1d1e1f202122232425262728292a2b2c";
const PRIORITIES: &str = "\
    001000004153432d45312e3137000000708600000004101112131415461798191a1b1c1d1e1f707000000002527573746c65\
    20c3840000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    000000000000000064000008000102702302a1000000010019dd6400c8646464646464646464646464646464646464646464";
const SYNC: &str = "\
    001000004153432d45312e3137000000702100000008101112131415461798191a1b1c1d1e1f700b00000001091f1a0000";
const DISCOVERY: &str = "\
    001000004153432d45312e3137000000706e00000008101112131415461798191a1b1c1d1e1f705800000002527573746c65\
    20c3840000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    000000000000000000000000700e000000010000000101021f1a";
const DMX: &str = "\
    4172742d4e6574000050000eff012301000409080706";
const POLL: &str = "\
    4172742d4e6574000020000e2210013001207ff000ff";
const ART_SYNC: &str = "\
    4172742d4e6574000052000e0000";
const REPLY: &str = "\
    4172742d4e6574000021c0a8011436190102010200ff00c0f07f527573746c65000000000000000000000000527573746c65\
    2061206e6f646500000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    00000000000000002330303031205b303030375d206f6b000000000000000000000000000000000000000000000000000000\
    00000000000000000000000000000000000000000000000280400000008000008a0000000005000003000000000000000000\
    00020000010203c0a801140208c0000000400000000000000000002c0000000000000000000000";

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |index| u8::from_str_radix(&hex[index..index + 2], 16).expect("two digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

fn cid() -> Cid {
    "10111213-1415-4617-9819-1a1b1c1d1e1f".parse().expect("a UUID")
}

fn name() -> Name<64> {
    Name::new("Rustle Ä").expect("a short name")
}

fn universe(number: u32) -> SacnUniverse {
    SacnUniverse::new(number).expect("in range")
}

fn levels() -> Vec<u8> {
    [1, 2, 255].into_iter().chain(24..45).collect()
}

fn priorities() -> Vec<u8> {
    [100, 0, 200].into_iter().chain([100; 21]).collect()
}

#[test]
fn levels_are_these_bytes() {
    let slots = levels();
    let packet = DataPacket {
        cid: cid(),
        source_name: name(),
        priority: 100,
        sync_address: Some(universe(7_962)),
        sequence: 7,
        options: Options::FORCE_SYNC,
        universe: universe(258),
        start_code: sacn::LEVELS,
        slots: &slots,
    };
    assert_eq!(sacn::parse(&bytes(DATA)), Ok(sacn::Packet::Data(packet)));
    let mut buffer = DataBuffer::new(cid(), &name(), universe(258), sacn::LEVELS);
    buffer.set_slots(&slots);
    buffer.set_sequence(7);
    buffer.set_options(Options::FORCE_SYNC);
    buffer.set_sync_address(Some(universe(7_962)));
    assert_eq!(buffer.bytes(), bytes(DATA));
}

#[test]
fn priorities_are_these_bytes() {
    let mut buffer = DataBuffer::new(cid(), &name(), universe(258), sacn::PRIORITIES);
    buffer.set_slots(&priorities());
    buffer.set_sequence(8);
    assert_eq!(buffer.bytes(), bytes(PRIORITIES));
    let golden = bytes(PRIORITIES);
    let read = sacn::parse(&golden);
    assert!(
        matches!(read, Ok(sacn::Packet::Data(data)) if data.start_code == 0xDD && data.slots == priorities())
    );
}

#[test]
fn synchronization_is_these_bytes() {
    let packet = SyncPacket {
        cid: cid(),
        sequence: 9,
        address: universe(7_962),
    };
    assert_eq!(sacn::parse(&bytes(SYNC)), Ok(sacn::Packet::Sync(packet)));
    let mut buffer = SyncBuffer::new(cid(), universe(7_962));
    buffer.set_sequence(9);
    assert_eq!(buffer.bytes(), bytes(SYNC));
}

#[test]
fn discovery_is_these_bytes() {
    let universes = [1, 258, 7_962].map(universe);
    assert_eq!(
        DiscoveryBuffer::new(cid(), &name(), 0, 0, &universes).bytes(),
        bytes(DISCOVERY)
    );
    let golden = bytes(DISCOVERY);
    let Ok(sacn::Packet::Discovery(page)) = sacn::parse(&golden) else {
        panic!("a page");
    };
    assert_eq!(
        (page.cid, page.source_name, page.page, page.last_page),
        (cid(), name(), 0, 0)
    );
    assert!(page.universes().eq(universes));
}

#[test]
fn art_dmx_is_these_bytes() {
    let address = PortAddress::new(0x0123).expect("in range");
    let packet = DmxPacket {
        sequence: 255,
        physical: 1,
        address,
        slots: &[9, 8, 7, 6],
    };
    assert_eq!(artnet::parse(&bytes(DMX)), Ok(artnet::Packet::Dmx(packet)));
    let mut buffer = DmxBuffer::new(address, 1);
    buffer.set_slots(&[9, 8, 7, 6]);
    buffer.set_sequence(255);
    assert_eq!(buffer.bytes(), bytes(DMX));
}

#[test]
fn art_poll_and_art_sync_are_these_bytes() {
    let poll = Poll {
        flags: Poll::TARGETED | Poll::REPLY_ON_CHANGE,
        diagnostics_priority: 0x10,
        target: [0x0130, 0x0120],
        esta: 0x7FF0,
        oem: 0x00FF,
    };
    assert_eq!(artnet::parse(&bytes(POLL)), Ok(artnet::Packet::Poll(poll)));
    assert_eq!(poll.bytes()[..], bytes(POLL)[..]);
    assert_eq!(artnet::parse(&bytes(ART_SYNC)), Ok(artnet::Packet::Sync));
    assert_eq!(SYNC_PACKET[..], bytes(ART_SYNC)[..]);
}

#[test]
fn art_poll_reply_is_these_bytes() {
    let mut reply = PollReply {
        ip: Ipv4Addr::new(192, 168, 1, 20),
        firmware: 0x0102,
        net: 1,
        sub_net: 2,
        esta: 0x7FF0,
        short_name: Name::new("Rustle").expect("short"),
        long_name: Name::new("Rustle a node").expect("short"),
        report: Name::new("#0001 [0007] ok").expect("short"),
        port_count: 2,
        mac: [2, 0, 0, 1, 2, 3],
        bind_ip: Ipv4Addr::new(192, 168, 1, 20),
        bind_index: 2,
        status3: 0x40,
        refresh_rate: 44,
        ..PollReply::default()
    };
    reply.all_ports[0] = Port {
        kind: Port::OUTPUTS,
        good_output: 0x8A,
        output: 3,
        good_output_b: 0xC0,
        ..Port::default()
    };
    reply.all_ports[1] = Port {
        kind: Port::INPUTS,
        good_input: 0x80,
        input: 5,
        ..Port::default()
    };
    assert_eq!(reply.bytes()[..], bytes(REPLY)[..]);
    let numbers: Vec<u16> = reply.subscriptions().map(PortAddress::get).collect();
    assert_eq!((reply.style, &numbers[..]), (Style::Node, &[0x0123, 0x0125][..]));
    assert_eq!(artnet::parse(&bytes(REPLY)), Ok(artnet::Packet::PollReply(reply)));
}
