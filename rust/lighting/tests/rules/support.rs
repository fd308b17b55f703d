//! Sources and receivers on a virtual clock.

use rustle_lighting::receiver::{
    ArtNetReceiver, ArtNetSource, LossReason, PortSettings, ReceiverEvent, SacnReceiver, SyncRule,
    UniverseSettings,
};
use rustle_lighting::sacn::{DataBuffer, LEVELS, Options, PRIORITIES, SyncBuffer};
use rustle_lighting::{Cid, Name, PortAddress, SLOTS, SacnUniverse};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000 * MS;
pub(crate) const HOST: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

pub(crate) type SacnEvent = ReceiverEvent<SacnUniverse, Cid>;
pub(crate) type ArtNetEvent = ReceiverEvent<PortAddress, ArtNetSource>;

pub(crate) fn universe(number: u32) -> SacnUniverse {
    SacnUniverse::new(number).expect("in range")
}

pub(crate) fn port(number: u32) -> PortAddress {
    PortAddress::new(number).expect("in range")
}

/// Identifiers in the order of their numbers.
pub(crate) fn cid(number: u8) -> Cid {
    Cid::new([number; 16]).expect("not zero")
}

/// The loss of a source of universe 1.
pub(crate) fn lost(number: u8, reason: LossReason) -> SacnEvent {
    ReceiverEvent::SourceLost {
        universe: SacnUniverse::FIRST,
        source: cid(number),
        reason,
    }
}

/// A new source of universe 1.
pub(crate) fn appeared(number: u8) -> SacnEvent {
    ReceiverEvent::SourceAppeared {
        universe: SacnUniverse::FIRST,
        source: cid(number),
    }
}

pub(crate) fn name() -> Name<64> {
    Name::new("source").expect("short")
}

/// A source of one universe, whose packets have rising sequence numbers.
pub(crate) struct Talker {
    pub(crate) cid: Cid,
    pub(crate) universe: SacnUniverse,
    pub(crate) sequence: u8,
    pub(crate) priority: u8,
    pub(crate) sync: Option<SacnUniverse>,
    pub(crate) options: Options,
}

impl Talker {
    pub(crate) fn new(number: u8) -> Self {
        Self {
            cid: cid(number),
            universe: SacnUniverse::FIRST,
            sequence: 0,
            priority: 100,
            sync: None,
            options: Options::NONE,
        }
    }

    pub(crate) fn on(number: u8, on: u32) -> Self {
        Self {
            universe: universe(on),
            ..Self::new(number)
        }
    }

    pub(crate) fn priority(self, priority: u8) -> Self {
        Self { priority, ..self }
    }

    pub(crate) fn synchronized(self, address: u32) -> Self {
        Self {
            sync: Some(universe(address)),
            ..self
        }
    }

    fn packet(&mut self, start_code: u8, slots: &[u8], options: Options) -> Vec<u8> {
        self.sequence = self.sequence.wrapping_add(1);
        let mut buffer = DataBuffer::new(self.cid, &name(), self.universe, start_code);
        buffer.set_slots(slots);
        buffer.set_sequence(self.sequence);
        buffer.set_priority(self.priority);
        buffer.set_options(self.options.with(options));
        buffer.set_sync_address(self.sync);
        buffer.bytes().to_vec()
    }

    pub(crate) fn levels(&mut self, slots: &[u8]) -> Vec<u8> {
        self.packet(LEVELS, slots, Options::NONE)
    }

    pub(crate) fn priorities(&mut self, slots: &[u8]) -> Vec<u8> {
        self.packet(PRIORITIES, slots, Options::NONE)
    }

    pub(crate) fn terminate(&mut self) -> Vec<u8> {
        self.packet(LEVELS, &[255; 4], Options::TERMINATED)
    }

    pub(crate) fn other_start_code(&mut self) -> Vec<u8> {
        self.packet(0x17, &[255; 4], Options::NONE)
    }
}

pub(crate) fn sync(number: u8, sequence: u8, address: u32) -> Vec<u8> {
    let mut buffer = SyncBuffer::new(cid(number), universe(address));
    buffer.set_sequence(sequence);
    buffer.bytes().to_vec()
}

/// A receiver of sACN, and what it showed.
pub(crate) struct Listener {
    pub(crate) receiver: SacnReceiver,
    pub(crate) now: u64,
    pub(crate) shown: BTreeMap<u16, [u8; SLOTS]>,
    /// The first slot of universe 1 at each of its changes.
    pub(crate) history: Vec<u8>,
}

impl Listener {
    pub(crate) fn new(settings: UniverseSettings) -> Self {
        Self::with_rule(settings, SyncRule::Latest)
    }

    pub(crate) fn with_rule(settings: UniverseSettings, rule: SyncRule) -> Self {
        let mut receiver = SacnReceiver::new(rule);
        for number in 1..=3 {
            assert!(receiver.listen(universe(number), settings.clone()));
        }
        Self {
            receiver,
            now: 1_000 * SECOND,
            shown: BTreeMap::new(),
            history: Vec::new(),
        }
    }

    pub(crate) fn hear(&mut self, bytes: Vec<u8>) {
        // What is malformed is counted.
        let _ = self.receiver.receive(self.now, HOST, &bytes);
        self.show();
    }

    fn show(&mut self) {
        self.receiver.changes(self.now, |universe, levels| {
            self.shown.insert(universe.get(), *levels);
            if universe == SacnUniverse::FIRST {
                self.history.push(levels[0]);
            }
        });
    }

    /// Lets time pass, as an engine does: it wakes when something is due.
    pub(crate) fn pass(&mut self, ns: u64) {
        let end = self.now + ns;
        while let Some(next) = self.receiver.next_ns().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.receiver.advance(self.now);
            self.show();
            assert!(
                self.receiver.next_ns().is_none_or(|after| after > self.now),
                "wakes for nothing"
            );
        }
        self.now = end;
    }

    /// The first slots of universe 1.
    pub(crate) fn slots<const N: usize>(&self) -> [u8; N] {
        self.slots_of(1)
    }

    pub(crate) fn slots_of<const N: usize>(&self, number: u16) -> [u8; N] {
        *self.shown[&number].first_chunk().expect("512 slots")
    }

    pub(crate) fn events(&mut self) -> Vec<SacnEvent> {
        std::iter::from_fn(|| self.receiver.pop_event()).collect()
    }

    pub(crate) fn sources(&self) -> usize {
        self.receiver.sources(SacnUniverse::FIRST).count()
    }
}

/// A receiver of Art-Net, and what it showed.
pub(crate) struct Node {
    pub(crate) receiver: ArtNetReceiver,
    pub(crate) now: u64,
    pub(crate) shown: BTreeMap<u16, [u8; SLOTS]>,
}

impl Node {
    pub(crate) fn new(settings: PortSettings) -> Self {
        Self::with_rule(settings, SyncRule::Latest)
    }

    pub(crate) fn with_rule(settings: PortSettings, rule: SyncRule) -> Self {
        let mut receiver = ArtNetReceiver::new(rule);
        for number in 0..3 {
            assert!(receiver.listen(port(number), settings.clone()));
        }
        Self {
            receiver,
            now: 1_000 * SECOND,
            shown: BTreeMap::new(),
        }
    }

    pub(crate) fn hear(&mut self, host: u8, bytes: &[u8]) {
        let from = Ipv4Addr::new(10, 0, 0, host);
        // What is malformed is counted.
        let _ = self.receiver.receive(self.now, from, bytes);
        self.show();
    }

    pub(crate) fn dmx(&mut self, host: u8, number: u32, sequence: u8, slots: &[u8]) {
        self.hear(host, &dmx(number, sequence, 0, slots));
    }

    pub(crate) fn sync(&mut self, host: u8) {
        self.hear(host, &rustle_lighting::artnet::SYNC_PACKET);
    }

    fn show(&mut self) {
        self.receiver.changes(self.now, |address, levels| {
            self.shown.insert(address.get(), *levels);
        });
    }

    pub(crate) fn pass(&mut self, ns: u64) {
        let end = self.now + ns;
        while let Some(next) = self.receiver.next_ns().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.show();
            assert!(
                self.receiver.next_ns().is_none_or(|after| after > self.now),
                "wakes for nothing"
            );
        }
        self.now = end;
    }

    pub(crate) fn slots<const N: usize>(&self, number: u16) -> [u8; N] {
        *self.shown[&number].first_chunk().expect("512 slots")
    }

    pub(crate) fn events(&mut self) -> Vec<ArtNetEvent> {
        std::iter::from_fn(|| self.receiver.pop_event()).collect()
    }
}

pub(crate) fn dmx(number: u32, sequence: u8, physical: u8, slots: &[u8]) -> Vec<u8> {
    let mut buffer = rustle_lighting::artnet::DmxBuffer::new(port(number), physical);
    buffer.set_slots(slots);
    buffer.set_sequence(sequence);
    buffer.bytes().to_vec()
}
