//! A libFuzzer target: the bytes are datagrams, and faults of good ones, with the times of their arrival; or a rig.
//!
//! Nothing may panic; what is read and written again is the same; sources, nodes and events are bounded; and what the receivers
//! ask to be called for lies in the future.
//!
//! scripts/fuzz builds and runs it.
#![no_main]

use rustle_lighting::artnet::{self, DmxBuffer, Poll, PollReply, Port, SYNC_PACKET};
use rustle_lighting::nodes::{NodeTable, OwnNode, OwnNodeSettings, PollSettings, MAX_NODES};
use rustle_lighting::receiver::{
    ArtNetReceiver, OnLoss, PortSettings, SacnReceiver, SyncRule, UniverseSettings,
};
use rustle_lighting::sacn::{self, DataBuffer, DiscoveryBuffer, SyncBuffer};
use rustle_lighting::{Cid, Name, PortAddress, SacnUniverse, SLOTS};
use rustle_shows::fixture::{patch_faults, Profile, Rig};
use std::net::Ipv4Addr;
use std::sync::LazyLock;

/// The sources of a universe in this target.
const SOURCES: usize = 4;

/// Called by libFuzzer with each input. A broken promise ends the process, which libFuzzer reports with the input.
///
/// # Safety
/// `data` points to `length` bytes that nobody writes during the call.
#[no_mangle]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise; libFuzzer hands in a pointer that is not NULL also for no bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data, length) };
    reads_the_same_again(bytes);
    reads_a_rig(bytes);
    let mut world = World::new(length.is_multiple_of(2));
    let mut rest = Input(bytes);
    while let Some(kind) = rest.byte() {
        world.step(kind, &mut rest);
    }
    0
}

/// The bytes that are left.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// Packets that are written from what was read are read the same.
fn reads_the_same_again(bytes: &[u8]) {
    match sacn::parse(bytes) {
        Ok(sacn::Packet::Data(data)) => {
            let mut buffer = DataBuffer::new(data.cid, &data.source_name, data.universe, data.start_code);
            buffer.set_slots(data.slots);
            buffer.set_priority(data.priority);
            buffer.set_sync_address(data.sync_address);
            buffer.set_sequence(data.sequence);
            buffer.set_options(data.options);
            assert_eq!(sacn::parse(buffer.bytes()), Ok(sacn::Packet::Data(data)));
        }
        Ok(sacn::Packet::Sync(sync)) => {
            let mut buffer = SyncBuffer::new(sync.cid, sync.address);
            buffer.set_sequence(sync.sequence);
            assert_eq!(sacn::parse(buffer.bytes()), Ok(sacn::Packet::Sync(sync)));
        }
        Ok(sacn::Packet::Discovery(page)) => {
            let universes: Vec<_> = page.universes().collect();
            let again =
                DiscoveryBuffer::new(page.cid, &page.source_name, page.page, page.last_page, &universes);
            assert_eq!(sacn::parse(again.bytes()), Ok(sacn::Packet::Discovery(page)));
        }
        Err(_) => {}
    }
    match artnet::parse(bytes) {
        Ok(artnet::Packet::Dmx(dmx)) => {
            let mut buffer = DmxBuffer::new(dmx.address, dmx.physical);
            buffer.set_slots(dmx.slots);
            buffer.set_sequence(dmx.sequence);
            assert_eq!(buffer.slots().get(..dmx.slots.len()), Some(dmx.slots));
            assert!(
                matches!(artnet::parse(buffer.bytes()), Ok(artnet::Packet::Dmx(again)) if again.address == dmx.address)
            );
        }
        Ok(artnet::Packet::Poll(poll)) => {
            assert_eq!(artnet::parse(&poll.bytes()), Ok(artnet::Packet::Poll(poll)));
        }
        Ok(artnet::Packet::PollReply(reply)) => {
            assert_eq!(
                artnet::parse(&reply.bytes()),
                Ok(artnet::Packet::PollReply(reply))
            );
        }
        Ok(_) | Err(_) => {}
    }
}

/// A text that may be a rig's is one, or is refused; the faults of its patch are bounded.
fn reads_a_rig(bytes: &[u8]) {
    static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(Profile::built_in);
    if bytes.first() != Some(&b'{') {
        return;
    }
    if let Ok((rig, _)) = Rig::read(bytes, &PROFILES) {
        assert!(patch_faults(&rig, 16).len() <= 16);
    }
}

struct World {
    now: u64,
    good: [Vec<u8>; 8],
    sacn: SacnReceiver,
    artnet: ArtNetReceiver,
    table: NodeTable,
    own: OwnNode,
}

impl World {
    fn new(is_whole: bool) -> Self {
        let rule = if is_whole {
            SyncRule::Whole
        } else {
            SyncRule::Latest
        };
        let (mut sacn, mut artnet) = (SacnReceiver::new(rule), ArtNetReceiver::new(rule));
        let on_loss = || OnLoss::Fade {
            scene: Box::new([9; SLOTS]),
            over_ns: 1_000_000_000,
        };
        for number in 1..=3 {
            let settings = UniverseSettings {
                sources: SOURCES,
                settle_ns: u64::from(number - 1) * 500_000_000,
                includes_previews: number == 3,
                on_loss: on_loss(),
            };
            sacn.listen(universe(number), settings);
            let settings = PortSettings {
                on_loss: on_loss(),
                ..PortSettings::default()
            };
            artnet.listen(port(number), settings);
        }
        let mut own = OwnNode::new(OwnNodeSettings {
            ip: Ipv4Addr::LOCALHOST,
            mac: [0; 6],
            short_name: Name::from_field([0; 18]),
            long_name: Name::from_field([0; 64]),
            failsafe: Default::default(),
            style: artnet::Style::Node,
            seed: 1,
        });
        own.set_ports((1..=3).map(port));
        Self {
            now: 0,
            good: good(),
            sacn,
            artnet,
            table: NodeTable::new(PollSettings::default(), 0),
            own,
        }
    }

    fn step(&mut self, kind: u8, rest: &mut Input<'_>) {
        let wait = rest.byte().unwrap_or(0);
        // From a millisecond to a quarter of an hour.
        self.now += 1_000_000_u64 << (wait % 20);
        let from = Ipv4Addr::new(10, 0, 0, wait / 20);
        let mut packet = match self.good.get(usize::from(kind % 16)) {
            Some(good) => good.clone(),
            None => {
                let length = usize::from(rest.byte().unwrap_or(0));
                rest.bytes(length).to_vec()
            }
        };
        for _ in 0..kind / 32 {
            if let [high, low, value] = rest.bytes(3) {
                let offset = usize::from(u16::from_be_bytes([*high, *low])) % packet.len().max(1);
                if let Some(byte) = packet.get_mut(offset) {
                    *byte = *value;
                }
            }
        }
        reads_the_same_again(&packet);
        // Those that are malformed are counted.
        let _ = self.sacn.receive(self.now, from, &packet);
        match self.artnet.receive(self.now, from, &packet) {
            Ok(Some(artnet::Packet::Poll(poll))) => self.own.hear(self.now, from, &poll),
            Ok(Some(artnet::Packet::PollReply(reply))) => self.table.hear(self.now, from, &reply),
            Ok(_) | Err(_) => {}
        }
        self.look();
    }

    fn look(&mut self) {
        self.sacn.changes(self.now, |_, _| {});
        self.artnet.changes(self.now, |_, _| {});
        self.own
            .advance(self.now, |_, reply| assert!(artnet::parse(reply).is_ok()));
        self.table.advance(self.now);
        for number in 1..=3 {
            assert!(self.sacn.sources(universe(number)).count() <= SOURCES);
            assert!(self.artnet.sources(port(number)).count() <= 2);
        }
        assert!(self.table.nodes().len() <= MAX_NODES);
        assert!(self.sacn.next_ns().is_none_or(|next| next > self.now));
        assert!(self.artnet.next_ns().is_none_or(|next| next > self.now));
        assert!(self.own.next_ns().is_none_or(|next| next > self.now) && self.table.next_ns() > self.now);
    }
}

fn universe(number: u32) -> SacnUniverse {
    SacnUniverse::new(number).unwrap_or(SacnUniverse::FIRST)
}

fn port(number: u32) -> PortAddress {
    PortAddress::new(number).unwrap_or(PortAddress::FIRST)
}

/// A packet of each kind.
fn good() -> [Vec<u8>; 8] {
    let (cid, name) = (Cid::from_random([1; 16]), Name::from_field([b'n'; 64]));
    let data = |start_code, slots: &[u8], sync| {
        let mut buffer = DataBuffer::new(cid, &name, SacnUniverse::FIRST, start_code);
        buffer.set_slots(slots);
        buffer.set_sync_address(sync);
        buffer.bytes().to_vec()
    };
    let mut dmx = DmxBuffer::new(port(1), 0);
    dmx.set_slots(&[7; 8]);
    let mut reply = PollReply {
        port_count: 4,
        ..PollReply::default()
    };
    reply.all_ports[1].kind = Port::OUTPUTS;
    [
        data(sacn::LEVELS, &[1; 6], None),
        data(sacn::LEVELS, &[2; 6], Some(SacnUniverse::LAST)),
        data(sacn::PRIORITIES, &[100; 6], None),
        SyncBuffer::new(cid, SacnUniverse::LAST).bytes().to_vec(),
        dmx.bytes().to_vec(),
        SYNC_PACKET.to_vec(),
        Poll::default().bytes().to_vec(),
        reply.bytes().to_vec(),
    ]
}
