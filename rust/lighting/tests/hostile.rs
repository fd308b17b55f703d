//! A million hostile packets for each parser and what is behind it: no panic, no allocation, and the next good packet is heard.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_lighting::artnet::{self, DmxBuffer, Poll, PollReply, Port};
use rustle_lighting::nodes::{MAX_NODES, NodeTable, OwnNode, OwnNodeSettings, PollSettings};
use rustle_lighting::receiver::{ArtNetReceiver, PortSettings, SacnReceiver, SyncRule, UniverseSettings};
use rustle_lighting::sacn::{self, DataBuffer, DiscoveryBuffer, SyncBuffer};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse};
use rustle_testkit::{CountingAllocator, allocated_bytes_in, allocations_in};
use std::net::Ipv4Addr;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const PACKETS: usize = 1_000_000;
const MS: u64 = 1_000_000;

/// Writes a hostile packet: random bytes, or a good packet with a few faults, cut or continued.
fn hostile<'b>(random: &mut ChaCha8Rng, good: &[Vec<u8>], buffer: &'b mut [u8; 1_500]) -> &'b [u8] {
    let kind = random.gen_range(0..20);
    if kind == 0 {
        let length = random.gen_range(0..=buffer.len());
        random.fill(&mut buffer[..length]);
        return &buffer[..length];
    }
    let packet = &good[random.gen_range(0..good.len())];
    buffer[..packet.len()].copy_from_slice(packet);
    let mut length = packet.len();
    if kind < 4 {
        length = random.gen_range(0..=length + 20);
    }
    for _ in 0..random.gen_range(0..4) {
        // Headers are the more interesting part.
        let most = if random.gen_bool(0.8) { 127 } else { 1_499 };
        buffer[random.gen_range(0..=most)] = random.r#gen();
    }
    &buffer[..length]
}

fn address(random: &mut ChaCha8Rng) -> Ipv4Addr {
    Ipv4Addr::from(random.r#gen::<[u8; 4]>())
}

fn universe(number: u32) -> SacnUniverse {
    SacnUniverse::new(number).expect("in range")
}

fn data(cid: u8, start_code: u8, slots: &[u8], sync: u32) -> DataBuffer {
    let name = Name::new("good").expect("short");
    let mut packet = DataBuffer::new(Cid::from_random([cid; 16]), &name, universe(1), start_code);
    packet.set_slots(slots);
    packet.set_sync_address(SacnUniverse::new(sync).ok());
    packet
}

#[test]
fn hostile_packets_leave_the_receiver_of_sacn_as_it_was() {
    for rule in [SyncRule::Latest, SyncRule::Whole] {
        sacn_survives(rule);
    }
}

fn sacn_survives(rule: SyncRule) {
    let cid = Cid::from_random([2; 16]);
    let good = [
        data(1, sacn::LEVELS, &[1; 512], 0).bytes().to_vec(),
        data(1, sacn::LEVELS, &[1; 3], 7).bytes().to_vec(),
        data(2, sacn::PRIORITIES, &[100; 512], 0).bytes().to_vec(),
        SyncBuffer::new(cid, universe(7)).bytes().to_vec(),
        DiscoveryBuffer::new(cid, &Name::new("good").expect("short"), 0, 0, &[universe(1)])
            .bytes()
            .to_vec(),
    ];
    let mut receiver = SacnReceiver::new(rule);
    for number in 1..=300 {
        receiver.listen(universe(number), UniverseSettings::default());
    }
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut buffer = [0; 1_500];
    let mut now = 0;
    let mut refused = 0_u64;
    let (allocations, ()) = allocations_in(|| {
        for _ in 0..PACKETS / 2 {
            now += random.gen_range(0..MS / 4);
            let from = address(&mut random);
            let packet = hostile(&mut random, &good, &mut buffer);
            refused += u64::from(receiver.receive(now, from, packet).is_err());
            if random.gen_ratio(1, 16) {
                receiver.changes(now, |_, _| {});
            }
        }
    });
    assert_eq!(allocations, 0);
    let counters = receiver.counters();
    assert!((100_000..450_000).contains(&refused), "{refused} were refused");
    assert_eq!(counters.malformed.iter().sum::<u64>(), refused);
    let reasons = counters.malformed.iter().filter(|count| **count > 0).count();
    assert!(reasons >= 17, "reached {reasons} reasons");
    assert!(receiver.sources(universe(1)).count() <= 16);
    // The highest priority among up to 16 hostile sources.
    let mut next = data(99, sacn::LEVELS, &[201], 0);
    next.set_priority(200);
    now += 10_000 * MS;
    // An engine wakes when sources are lost.
    receiver.advance(now);
    receiver
        .receive(now, Ipv4Addr::LOCALHOST, next.bytes())
        .expect("a good packet");
    receiver.changes(now, |_, _| {});
    assert_eq!(receiver.levels(universe(1)).map(|levels| levels[0]), Some(201));
}

fn dmx(address: u32, slots: &[u8]) -> Vec<u8> {
    let mut packet = DmxBuffer::new(PortAddress::new(address).expect("in range"), 0);
    packet.set_slots(slots);
    packet.bytes().to_vec()
}

fn own_node() -> OwnNode {
    let mut node = OwnNode::new(OwnNodeSettings {
        ip: Ipv4Addr::LOCALHOST,
        mac: [0; 6],
        short_name: Name::new("ours").expect("short"),
        long_name: Name::new("ours").expect("short"),
        failsafe: Default::default(),
        style: artnet::Style::Node,
        seed: 1,
    });
    node.set_ports([PortAddress::FIRST]);
    node
}

#[test]
fn hostile_packets_leave_receiver_and_nodes_of_art_net_as_they_were() {
    let mut reply = PollReply {
        port_count: 4,
        ..PollReply::default()
    };
    reply.all_ports[0].kind = Port::OUTPUTS;
    let good = [
        dmx(0, &[1; 512]),
        dmx(1, &[1; 4]),
        Poll::default().bytes().to_vec(),
        reply.bytes().to_vec(),
        artnet::SYNC_PACKET.to_vec(),
    ];
    let mut receiver = ArtNetReceiver::new(SyncRule::Whole);
    for number in 0..300 {
        receiver.listen(
            PortAddress::new(number).expect("in range"),
            PortSettings::default(),
        );
    }
    let mut table = NodeTable::new(PollSettings::default(), 0);
    let mut own = own_node();
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut buffer = [0; 1_500];
    let (mut now, mut refused) = (0, 0_u64);
    let (bytes, ()) = allocated_bytes_in(|| {
        for _ in 0..PACKETS {
            now += random.gen_range(0..MS / 4);
            let from = address(&mut random);
            let packet = hostile(&mut random, &good, &mut buffer);
            match receiver.receive(now, from, packet) {
                Ok(Some(artnet::Packet::Poll(poll))) => own.hear(now, from, &poll),
                Ok(Some(artnet::Packet::PollReply(reply))) => table.hear(now, from, &reply),
                Ok(_) => {}
                Err(_) => refused += 1,
            }
            if random.gen_ratio(1, 16) {
                receiver.changes(now, |_, _| {});
                own.advance(now, |_, _| {});
                table.advance(now);
            }
        }
    });
    // The table's nodes and their parts, and no more.
    assert!(
        table.nodes().len() <= MAX_NODES && bytes < 400_000,
        "{bytes} bytes"
    );
    let counters = receiver.counters();
    assert!((100_000..900_000).contains(&refused), "{refused} were refused");
    assert!(counters.malformed.iter().all(|count| *count > 0), "{counters:?}");
    // Lost sources leave their places to a good one.
    now += 20_000 * MS;
    receiver.advance(now);
    let next = dmx(0, &[201]);
    assert_eq!(receiver.receive(now, Ipv4Addr::LOCALHOST, &next), Ok(None));
    receiver.changes(now, |_, _| {});
    assert_eq!(
        receiver.levels(PortAddress::FIRST).map(|levels| levels[0]),
        Some(201)
    );
}

#[test]
fn events_that_nobody_takes_are_bounded() {
    let mut receiver = SacnReceiver::new(SyncRule::Latest);
    receiver.listen(universe(1), UniverseSettings::default());
    let (allocations, ()) = allocations_in(|| {
        for step in 0..10_000_u64 {
            let packet = data(step as u8, sacn::LEVELS, &[1], 0);
            receiver.advance(step * 3_000 * MS);
            receiver
                .receive(step * 3_000 * MS, Ipv4Addr::LOCALHOST, packet.bytes())
                .expect("good");
        }
    });
    assert_eq!(allocations, 0);
    let left = std::iter::from_fn(|| receiver.pop_event()).count() as u64;
    assert_eq!(left + receiver.counters().events_dropped, 29_998);
}
