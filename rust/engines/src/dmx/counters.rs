//! What a sender counts: written by its thread, read by anyone.

use crate::lane::Record;
use rustle_lighting::sender::SenderCounters;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The counts of a session so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DmxReport {
    /// The report's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// Frames so far: one each period, whether or not a packet was due.
    pub frames: u64,
    /// Frames that were skipped because the thread woke a whole period late.
    pub skipped: u64,
    /// Packets with levels or priorities; each counts once, whatever the number of its destinations.
    pub packets: u64,
    /// Synchronization packets, likewise.
    pub syncs: u64,
    /// Datagrams that the system accepted.
    pub datagrams: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Datagrams, or earlier ones to a destination where nobody listens, that were refused.
    pub refusals: u64,
    /// How late the thread woke for a frame at most since the report before, in ns.
    pub lateness_ns: u64,
    /// How late it woke at most, in ns.
    pub longest_lateness_ns: u64,
    /// Universes, including those that are ending.
    pub universes: u64,
    /// Universes that no node lists, where the data follow the nodes: they are not sent. At the end those of the last frame.
    pub unheard: u64,
    /// Whether the thread is scheduled before ordinary ones.
    pub is_realtime: bool,
}

impl Record for DmxReport {}

/// The counts of a universe since it was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DmxSentCounts {
    /// Packets with its levels or priorities; each counts once, whatever the number of its destinations.
    pub packets: u64,
    /// Its datagrams that the system refused, and those of frames whose destination answered that no program listens there.
    pub refusals: u64,
}

/// The counters of a universe.
#[derive(Debug, Default)]
pub(super) struct UniverseCounters {
    packets: AtomicU64,
    refusals: AtomicU64,
}

impl UniverseCounters {
    /// The counts so far.
    pub(super) fn look(&self) -> DmxSentCounts {
        DmxSentCounts {
            packets: self.packets.load(Ordering::Relaxed),
            refusals: self.refusals.load(Ordering::Relaxed),
        }
    }
}

/// The counters as who sends has them: with those of each universe, found without a lock.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) counters: Arc<Counters>,
    universes: HashMap<u16, Arc<UniverseCounters>>,
}

impl Tally {
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self {
            counters,
            universes: HashMap::new(),
        }
    }

    /// Counts for a universe by these counters from now on.
    pub(super) fn open(&mut self, universe: u16, counters: &Arc<UniverseCounters>) {
        self.universes.insert(universe, counters.clone());
    }

    /// Counts a packet of a universe.
    pub(super) fn packet(&self, universe: Option<u16>) {
        if let Some(counters) = self.of(universe) {
            counters.packets.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a datagram of a universe that was refused.
    pub(super) fn lost(&self, universe: Option<u16>) {
        if let Some(counters) = self.of(universe) {
            counters.refusals.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn of(&self, universe: Option<u16>) -> Option<&UniverseCounters> {
        Some(self.universes.get(&universe?)?)
    }
}

/// The counters of a session.
#[derive(Debug)]
pub(super) struct Counters {
    frames: AtomicU64,
    skipped: AtomicU64,
    packets: AtomicU64,
    syncs: AtomicU64,
    datagrams: AtomicU64,
    bytes: AtomicU64,
    lateness_ns: AtomicU64,
    longest_lateness_ns: AtomicU64,
    universes: AtomicU64,
    unheard: AtomicU64,
    is_realtime: AtomicBool,
    /// By destination; the last are multicast's and broadcast's.
    refusals: Box<[AtomicU64]>,
}

impl Counters {
    pub(super) fn new(destinations: usize) -> Self {
        Self {
            frames: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            packets: AtomicU64::new(0),
            syncs: AtomicU64::new(0),
            datagrams: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            lateness_ns: AtomicU64::new(0),
            longest_lateness_ns: AtomicU64::new(0),
            universes: AtomicU64::new(0),
            unheard: AtomicU64::new(0),
            is_realtime: AtomicBool::new(false),
            refusals: (0..=destinations).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Stores the state of the sender after a step.
    pub(super) fn store(&self, counters: SenderCounters, universes: usize) {
        self.frames.store(counters.frames, Ordering::Relaxed);
        self.skipped.store(counters.skipped, Ordering::Relaxed);
        self.packets.store(counters.packets, Ordering::Relaxed);
        self.syncs.store(counters.syncs, Ordering::Relaxed);
        self.universes.store(universes as u64, Ordering::Relaxed);
    }

    /// Stores how many universes no node lists.
    pub(super) fn set_unheard(&self, universes: usize) {
        self.unheard.store(universes as u64, Ordering::Relaxed);
    }

    /// Counts datagrams that the system took.
    pub(super) fn sent(&self, datagrams: usize, bytes: usize) {
        self.datagrams.fetch_add(datagrams as u64, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts datagrams that a destination refused.
    pub(super) fn refused(&self, destination: usize, datagrams: usize) {
        self.refusals[destination].fetch_add(datagrams as u64, Ordering::Relaxed);
    }

    /// Notes by how much a wake was late.
    pub(super) fn woke(&self, late_ns: u64) {
        self.lateness_ns.fetch_max(late_ns, Ordering::Relaxed);
        self.longest_lateness_ns.fetch_max(late_ns, Ordering::Relaxed);
    }

    pub(super) fn set_realtime(&self) {
        self.is_realtime.store(true, Ordering::Relaxed);
    }

    /// The refusals by destination, in their order, and then those of multicast and broadcast.
    pub(super) fn refusals(&self) -> impl ExactSizeIterator<Item = u64> {
        self.refusals.iter().map(|count| count.load(Ordering::Relaxed))
    }

    /// The counts so far; begins to measure the lateness anew.
    pub(super) fn report(&self, sequence: u64) -> DmxReport {
        DmxReport {
            sequence,
            lateness_ns: self.lateness_ns.swap(0, Ordering::Relaxed),
            ..self.look()
        }
    }

    /// The counts so far.
    pub(super) fn look(&self) -> DmxReport {
        DmxReport {
            sequence: 0,
            frames: self.frames.load(Ordering::Relaxed),
            skipped: self.skipped.load(Ordering::Relaxed),
            packets: self.packets.load(Ordering::Relaxed),
            syncs: self.syncs.load(Ordering::Relaxed),
            datagrams: self.datagrams.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            refusals: self.refusals().sum(),
            lateness_ns: self.lateness_ns.load(Ordering::Relaxed),
            longest_lateness_ns: self.longest_lateness_ns.load(Ordering::Relaxed),
            universes: self.universes.load(Ordering::Relaxed),
            unheard: self.unheard.load(Ordering::Relaxed),
            is_realtime: self.is_realtime.load(Ordering::Relaxed),
        }
    }
}
