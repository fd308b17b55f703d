//! The receiver of sACN (ANSI E1.31-2018, 6.7, 6.9 and 11).

mod counters;
mod settings;
mod source;
mod synchronization;
mod universe;

pub use counters::{SacnCounters, UniverseCounters};
pub use settings::{DEFAULT_SOURCES, UniverseSettings};
pub use source::SacnSource;
pub use synchronization::MAX_SYNC_ADDRESSES;

use super::SyncRule;
use super::event::ReceiverEvent;
use crate::by_universe::ByUniverse;
use crate::event_queue::EventQueue;
use crate::sacn::{DataPacket, DiscoveryPage, Malformed, Packet, SyncPacket, parse};
use crate::{Cid, SLOTS, SacnUniverse};
use std::net::Ipv4Addr;
use synchronization::{Arrived, Synchronization};
use universe::UniverseState;

type Event = ReceiverEvent<SacnUniverse, Cid>;

/// Merges the sources of any number of universes.
///
/// It is given each datagram with the time of its arrival, in ns of a monotonic clock, and is asked for changes whenever that suits:
/// a universe shows its latest levels. All universes of a synchronized frame change together. Memory is bounded and allocated when a
/// universe is added.
#[derive(Debug)]
pub struct SacnReceiver {
    universes: ByUniverse<SacnUniverse, UniverseState>,
    synchronization: Synchronization,
    changed: Vec<SacnUniverse>,
    events: EventQueue<Event>,
    counters: SacnCounters,
    /// Nothing is due before.
    next_ns: u64,
}

impl SacnReceiver {
    /// A receiver of no universe.
    pub fn new(rule: SyncRule) -> Self {
        Self {
            universes: ByUniverse::new(),
            synchronization: Synchronization::new(rule),
            changed: Vec::new(),
            events: EventQueue::new(),
            counters: SacnCounters::default(),
            next_ns: u64::MAX,
        }
    }

    /// Adds a universe; `false` when it is there.
    pub fn listen(&mut self, universe: SacnUniverse, settings: UniverseSettings) -> bool {
        let is_new = self
            .universes
            .insert(universe, UniverseState::new(universe, settings));
        self.changed.reserve(self.universes.len() - self.changed.len());
        self.events.make_room(self.universes.len());
        is_new
    }

    /// Changes how a universe is received, while its sources stay; `false` when it is not there. Sources beyond a lower limit are
    /// displaced.
    pub fn configure(&mut self, now_ns: u64, universe: SacnUniverse, settings: UniverseSettings) -> bool {
        let Some(state) = self.universes.get_mut(universe) else {
            return false;
        };
        state.configure(now_ns, settings, &mut self.events, &mut self.synchronization);
        state.settle(now_ns, &mut self.events, &mut self.synchronization);
        mark(&mut self.changed, state);
        self.next_ns = self.next_ns.min(state.next_ns(now_ns));
        true
    }

    /// Removes a universe; `false` when it is not there.
    pub fn unlisten(&mut self, universe: SacnUniverse) -> bool {
        let removed = self.universes.remove(universe);
        self.changed.retain(|other| *other != universe);
        for source in removed.iter().flat_map(UniverseState::sources) {
            self.synchronization.leave(source.sync_address());
        }
        removed.is_some()
    }

    /// The universes, in ascending order.
    pub fn universes(&self) -> &[SacnUniverse] {
        self.universes.universes()
    }

    /// The synchronization addresses that the data of these universes name, in ascending order: their groups are to be joined. The
    /// list differs only when [`sync_generation`](Self::sync_generation) does.
    pub fn sync_addresses(&self) -> &[SacnUniverse] {
        self.synchronization.addresses()
    }

    /// Rises with each change of [`sync_addresses`](Self::sync_addresses).
    pub fn sync_generation(&self) -> u64 {
        self.synchronization.generation()
    }

    /// Takes a datagram that arrived from an address. Pages of universe discovery are counted and returned.
    ///
    /// # Errors
    /// The reason for which it is not a packet; it is counted.
    pub fn receive<'a>(
        &mut self,
        now_ns: u64,
        from: Ipv4Addr,
        bytes: &'a [u8],
    ) -> Result<Option<DiscoveryPage<'a>>, Malformed> {
        let result = match parse(bytes) {
            Ok(Packet::Data(data)) => self.data(now_ns, from, &data).map(|()| None),
            Ok(Packet::Sync(sync)) => {
                self.sync(now_ns, &sync);
                Ok(None)
            }
            Ok(Packet::Discovery(page)) => {
                self.counters.discovery_pages += 1;
                Ok(Some(page))
            }
            Err(reason) => Err(reason),
        };
        if let Err(reason) = result {
            self.counters.malformed[reason.index()] += 1;
        }
        result
    }

    fn data(&mut self, now_ns: u64, from: Ipv4Addr, data: &DataPacket<'_>) -> Result<(), Malformed> {
        let Some(universe) = self.universes.get_mut(data.universe) else {
            self.counters.other_universes += 1;
            return Ok(());
        };
        universe.hear(now_ns, from, data, &mut self.events, &mut self.synchronization)?;
        universe.settle(now_ns, &mut self.events, &mut self.synchronization);
        mark(&mut self.changed, universe);
        self.next_ns = self.next_ns.min(universe.next_ns(now_ns));
        self.next_ns = self.next_ns.min(self.synchronization.next_ns());
        Ok(())
    }

    fn sync(&mut self, now_ns: u64, packet: &SyncPacket) {
        match self.synchronization.hear(now_ns, packet) {
            Arrived::Unnamed => self.counters.syncs_ignored += 1,
            Arrived::OutOfOrder => self.counters.syncs_out_of_order += 1,
            Arrived::Taken { is_first } => {
                self.counters.syncs += 1;
                if is_first {
                    let address = Some(packet.address);
                    self.events.push(Event::SyncHeard { address });
                }
                let is_whole = self.synchronization.release(packet, &mut self.universes);
                self.counters.frames_incomplete += u64::from(!is_whole);
                self.mark_all();
                self.next_ns = self.next_ns.min(self.synchronization.next_ns());
            }
        }
    }

    /// Does what is due: losses, the end of waiting, fades. [`receive`](Self::receive) does so too.
    pub fn advance(&mut self, now_ns: u64) {
        if now_ns < self.next_ns {
            return;
        }
        let mut next_ns = u64::MAX;
        while let Some(address) = self.synchronization.expired(now_ns) {
            if self.synchronization.lose(address, &mut self.universes) {
                let address = Some(address);
                self.events.push(Event::SyncLost { address });
            }
        }
        for (_, universe) in self.universes.iter_mut() {
            universe.advance(now_ns);
            universe.settle(now_ns, &mut self.events, &mut self.synchronization);
            next_ns = next_ns.min(universe.next_ns(now_ns));
        }
        self.mark_all();
        self.next_ns = next_ns.min(self.synchronization.next_ns());
    }

    /// When something is due next: [`advance`](Self::advance) is to be called then; `None`: not before the next packet.
    pub fn next_ns(&self) -> Option<u64> {
        (self.next_ns != u64::MAX).then_some(self.next_ns)
    }

    fn mark_all(&mut self) {
        for (_, universe) in self.universes.iter_mut() {
            mark(&mut self.changed, universe);
        }
    }

    /// Calls `each` with the levels of every universe that differ from those of the last call, after doing what is due.
    pub fn changes(&mut self, now_ns: u64, mut each: impl FnMut(SacnUniverse, &[u8; SLOTS])) {
        self.advance(now_ns);
        for number in self.changed.drain(..) {
            let Some(universe) = self.universes.get_mut(number) else {
                continue;
            };
            universe.is_marked = false;
            if universe.refresh(now_ns)
                && let Some(levels) = universe.levels()
            {
                each(number, levels);
            }
        }
    }

    /// The levels of a universe as of the last [`changes`](Self::changes); `None` before its first.
    pub fn levels(&self, universe: SacnUniverse) -> Option<&[u8; SLOTS]> {
        self.universes.get(universe)?.levels()
    }

    /// The sources of a universe, without those that are lost.
    pub fn sources(&self, universe: SacnUniverse) -> impl Iterator<Item = SacnSource> + '_ {
        let universe = self.universes.get(universe);
        universe.into_iter().flat_map(UniverseState::descriptions)
    }

    /// Removes a source from a universe at once; `false` when it is not there. Its next packet brings it back.
    pub fn forget(&mut self, now_ns: u64, universe: SacnUniverse, source: Cid) -> bool {
        let Some(state) = self.universes.get_mut(universe) else {
            return false;
        };
        let is_gone = state.forget(source, &mut self.events, &mut self.synchronization);
        state.settle(now_ns, &mut self.events, &mut self.synchronization);
        mark(&mut self.changed, state);
        self.next_ns = self.next_ns.min(state.next_ns(now_ns));
        is_gone
    }

    /// The next event.
    pub fn pop_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// Adds packets that the kernel dropped before they were read (SO_RXQ_OVFL).
    pub fn count_kernel_drops(&mut self, packets: u64) {
        self.counters.kernel_drops += packets;
    }

    /// The counters of all universes together.
    pub fn counters(&self) -> SacnCounters {
        SacnCounters {
            sync_addresses_exceeded: self.synchronization.exceeded(),
            events_dropped: self.events.dropped(),
            ..self.counters
        }
    }

    /// The counters of a universe.
    pub fn universe_counters(&self, now_ns: u64, universe: SacnUniverse) -> Option<UniverseCounters> {
        self.universes
            .get(universe)
            .map(|universe| universe.counters(now_ns))
    }
}

/// Remembers that a universe may have changed.
fn mark(changed: &mut Vec<SacnUniverse>, universe: &mut UniverseState) {
    if universe.is_changed && !universe.is_marked {
        universe.is_marked = true;
        changed.push(universe.number());
    }
}
