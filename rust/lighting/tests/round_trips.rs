//! What was written is read back, for random packets.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustle_lighting::artnet::{self, DmxBuffer, DmxPacket, Poll, PollReply, Port, Style};
use rustle_lighting::sacn::{self, DataBuffer, DataPacket, DiscoveryBuffer, Options, SyncBuffer, SyncPacket};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse};

const ROUNDS: usize = 20_000;

fn universe(random: &mut ChaCha8Rng) -> SacnUniverse {
    SacnUniverse::new(random.gen_range(1..=63_999)).expect("in range")
}

fn slots(random: &mut ChaCha8Rng) -> Vec<u8> {
    let count = random.gen_range(0..=512);
    (0..count).map(|_| random.r#gen()).collect()
}

fn name<const N: usize>(random: &mut ChaCha8Rng) -> Name<N> {
    let length = random.gen_range(0..N / 4);
    let text: String = (0..length)
        .map(|_| random.gen_range('\u{1}'..='\u{FFFF}'))
        .collect();
    Name::new(&text).unwrap_or_else(|_| Name::new("").expect("empty"))
}

#[test]
fn data_are_read_back_from_a_packet_that_is_written_again_and_again() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..ROUNDS / 100 {
        let (cid, name, universe_number) = (
            Cid::from_random(random.r#gen()),
            name(&mut random),
            universe(&mut random),
        );
        let start_code = random.r#gen();
        let mut buffer = DataBuffer::new(cid, &name, universe_number, start_code);
        for _ in 0..100 {
            let slots = slots(&mut random);
            let packet = DataPacket {
                cid,
                source_name: name,
                priority: random.gen_range(0..=200),
                sync_address: random.r#gen::<bool>().then(|| universe(&mut random)),
                sequence: random.r#gen(),
                options: Options::from_bits(random.r#gen()),
                universe: universe_number,
                start_code,
                slots: &slots,
            };
            buffer.set_slots(packet.slots);
            buffer.set_priority(packet.priority);
            buffer.set_sync_address(packet.sync_address);
            buffer.set_sequence(packet.sequence);
            buffer.set_options(packet.options);
            assert_eq!(sacn::parse(buffer.bytes()), Ok(sacn::Packet::Data(packet)));
        }
    }
}

#[test]
fn synchronization_and_discovery_are_read_back() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..ROUNDS / 10 {
        let packet = SyncPacket {
            cid: Cid::from_random(random.r#gen()),
            sequence: random.r#gen(),
            address: universe(&mut random),
        };
        let mut buffer = SyncBuffer::new(packet.cid, packet.address);
        buffer.set_sequence(packet.sequence);
        assert_eq!(sacn::parse(buffer.bytes()), Ok(sacn::Packet::Sync(packet)));

        let count = random.gen_range(0..=512);
        let mut universes: Vec<_> = (0..count).map(|_| universe(&mut random)).collect();
        universes.sort_unstable();
        universes.dedup();
        let (page, name) = (random.r#gen(), name(&mut random));
        let buffer = DiscoveryBuffer::new(packet.cid, &name, page, 255, &universes);
        let Ok(sacn::Packet::Discovery(read)) = sacn::parse(buffer.bytes()) else {
            panic!("a page");
        };
        assert_eq!(
            (read.cid, read.source_name, read.page, read.last_page),
            (packet.cid, name, page, 255)
        );
        assert!(read.universes().eq(universes));
    }
}

#[test]
fn art_dmx_is_read_back_with_an_even_number_of_slots() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let address = PortAddress::new(random.gen_range(0..=32_767)).expect("in range");
    let mut buffer = DmxBuffer::new(address, 3);
    for _ in 0..ROUNDS {
        let mut slots = slots(&mut random);
        let sequence = random.r#gen();
        buffer.set_slots(&slots);
        buffer.set_sequence(sequence);
        slots.resize(slots.len().next_multiple_of(2).max(2), 0);
        let packet = DmxPacket {
            sequence,
            physical: 3,
            address,
            slots: &slots,
        };
        assert_eq!(artnet::parse(buffer.bytes()), Ok(artnet::Packet::Dmx(packet)));
    }
}

#[test]
fn polls_and_replies_are_read_back() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..ROUNDS / 10 {
        let poll = Poll {
            flags: random.r#gen(),
            diagnostics_priority: random.r#gen(),
            target: random.r#gen(),
            esta: random.r#gen(),
            oem: random.r#gen(),
        };
        assert_eq!(artnet::parse(&poll.bytes()), Ok(artnet::Packet::Poll(poll)));
        let reply = PollReply {
            ip: random.r#gen::<[u8; 4]>().into(),
            firmware: random.r#gen(),
            net: random.gen_range(0..128),
            sub_net: random.gen_range(0..16),
            oem: random.r#gen(),
            status1: random.r#gen(),
            esta: random.r#gen(),
            short_name: name(&mut random),
            long_name: name(&mut random),
            report: name(&mut random),
            port_count: random.r#gen(),
            all_ports: std::array::from_fn(|_| Port {
                kind: random.r#gen(),
                good_input: random.r#gen(),
                good_output: random.r#gen(),
                input: random.gen_range(0..16),
                output: random.gen_range(0..16),
                good_output_b: random.r#gen(),
            }),
            acn_priority: random.r#gen(),
            style: *[
                Style::Node,
                Style::Controller,
                Style::MediaServer,
                Style::Other(6),
            ]
            .get(random.gen_range(0..4))
            .expect("four"),
            mac: random.r#gen(),
            bind_ip: random.r#gen::<[u8; 4]>().into(),
            bind_index: random.r#gen(),
            status2: random.r#gen(),
            status3: random.r#gen(),
            refresh_rate: random.r#gen(),
        };
        assert_eq!(
            artnet::parse(&reply.bytes()),
            Ok(artnet::Packet::PollReply(reply))
        );
        assert!(reply.subscriptions().count() <= 8);
    }
}
