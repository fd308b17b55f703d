//! The receiver of ArtDmx and ArtSync (Art-Net 4, "ArtDmx", "ArtSync").

mod counters;
mod part;
mod port;

pub use counters::{ArtNetCounters, PortCounters};
pub use part::ArtNetSource;
pub use port::{MergeMode, PORT_SOURCES, PortSettings};

use super::whole_frames::{SyncRule, Verdict, WholeFrames};
use super::{LossReason, ReceiverEvent};
use crate::artnet::{DmxPacket, Malformed, Packet, parse};
use crate::by_universe::ByUniverse;
use crate::event_queue::EventQueue;
use crate::{PortAddress, SLOTS};
use port::PortState;
use std::net::Ipv4Addr;

/// After this time without an ArtSync data act at once again, in ns (Art-Net 4, "ArtSync": 4 s).
const SYNC_LOSS_NS: u64 = 4_000_000_000;

/// The controllers whose ArtSyncs are remembered: the data of further ones act with any of theirs.
const CLOCKS: usize = 16;

type Event = ReceiverEvent<PortAddress, ArtNetSource>;

/// A controller that sends ArtSync.
#[derive(Debug)]
struct Clock {
    sender: Ipv4Addr,
    last_ns: u64,
    frames: WholeFrames,
}

/// Merges the sources of any number of Port-Addresses.
///
/// Used as [`SacnReceiver`](super::SacnReceiver); packets that are not its own are returned.
#[derive(Debug)]
pub struct ArtNetReceiver {
    ports: ByUniverse<PortAddress, PortState>,
    rule: SyncRule,
    clocks: Vec<Clock>,
    /// The last ArtSync, while data wait for the next one.
    synced_ns: Option<u64>,
    latest_sender: Option<Ipv4Addr>,
    /// The number of shown packets: which of two sources was later.
    order: u64,
    changed: Vec<PortAddress>,
    events: EventQueue<Event>,
    counters: ArtNetCounters,
    next_ns: u64,
}

impl ArtNetReceiver {
    /// A receiver of no Port-Address.
    pub fn new(rule: SyncRule) -> Self {
        Self {
            ports: ByUniverse::new(),
            rule,
            clocks: Vec::with_capacity(CLOCKS),
            synced_ns: None,
            latest_sender: None,
            order: 0,
            changed: Vec::new(),
            events: EventQueue::new(),
            counters: ArtNetCounters::default(),
            next_ns: u64::MAX,
        }
    }

    /// Adds a Port-Address; `false` when it is there.
    pub fn listen(&mut self, address: PortAddress, settings: PortSettings) -> bool {
        let is_new = self.ports.insert(address, PortState::new(address, settings));
        self.changed.reserve(self.ports.len() - self.changed.len());
        self.events.make_room(self.ports.len());
        is_new
    }

    /// Changes how a Port-Address is received, while its sources stay; `false` when it is not there.
    pub fn configure(&mut self, now_ns: u64, address: PortAddress, settings: PortSettings) -> bool {
        let Some(port) = self.ports.get_mut(address) else {
            return false;
        };
        port.configure(now_ns, settings);
        mark(&mut self.changed, port);
        self.next_ns = self.next_ns.min(port.next_ns(now_ns));
        true
    }

    /// Removes a Port-Address; `false` when it is not there.
    pub fn unlisten(&mut self, address: PortAddress) -> bool {
        self.changed.retain(|other| *other != address);
        self.ports.remove(address).is_some()
    }

    /// The Port-Addresses, in ascending order.
    pub fn addresses(&self) -> &[PortAddress] {
        self.ports.universes()
    }

    /// Takes a datagram that arrived from an address. Packets of nodes are returned.
    ///
    /// # Errors
    /// The reason for which it is not a packet; it is counted.
    pub fn receive<'a>(
        &mut self,
        now_ns: u64,
        from: Ipv4Addr,
        bytes: &'a [u8],
    ) -> Result<Option<Packet<'a>>, Malformed> {
        match parse(bytes) {
            Ok(Packet::Dmx(dmx)) => self.dmx(now_ns, from, &dmx),
            Ok(Packet::Sync) => self.sync(now_ns, from),
            Ok(Packet::Other(_)) => self.counters.other_opcodes += 1,
            Ok(packet) => return Ok(Some(packet)),
            Err(reason) => {
                self.counters.malformed[reason.index()] += 1;
                return Err(reason);
            }
        }
        Ok(None)
    }

    fn dmx(&mut self, now_ns: u64, from: Ipv4Addr, dmx: &DmxPacket<'_>) {
        let Some(port) = self.ports.get_mut(dmx.address) else {
            self.counters.other_universes += 1;
            return;
        };
        if port.hear(
            now_ns,
            from,
            dmx,
            self.synced_ns.is_some(),
            self.order,
            &mut self.events,
        ) {
            self.latest_sender = Some(from);
            self.order += 1;
        }
        self.next_ns = self.next_ns.min(port.next_ns(now_ns));
        mark(&mut self.changed, port);
    }

    fn sync(&mut self, now_ns: u64, from: Ipv4Addr) {
        // Another controller's frame (Art-Net 4, "ArtSync").
        if self.latest_sender != Some(from) {
            self.counters.syncs_ignored += 1;
            return;
        }
        self.counters.syncs += 1;
        if self.synced_ns.replace(now_ns).is_none() {
            self.events.push(Event::SyncHeard { address: None });
        }
        self.next_ns = self.next_ns.min(now_ns.saturating_add(SYNC_LOSS_NS));
        if self.rule == SyncRule::Latest {
            self.release(|_| true);
            return;
        }
        self.clocks
            .retain(|clock| now_ns < clock.last_ns.saturating_add(SYNC_LOSS_NS));
        let is_whole = self.is_whole(now_ns, from);
        self.counters.frames_incomplete += u64::from(!is_whole);
        let clocks = std::mem::take(&mut self.clocks);
        self.release(|port| match port.sender() {
            Some(sender) if sender == from => is_whole,
            Some(sender) => clocks.iter().all(|clock| clock.sender != sender),
            None => true,
        });
        self.clocks = clocks;
    }

    /// Whether all data of a sender are of one frame.
    fn is_whole(&mut self, now_ns: u64, from: Ipv4Addr) -> bool {
        let (mut count, mut first, mut are_new, mut are_in_step) = (0, None, true, true);
        for (_, port) in self.ports.iter() {
            let Some(part) = port.frame_of(from) else { continue };
            count += 1;
            are_new &= part.is_held();
            are_in_step &= match part.frames() {
                Some(frames) => *first.get_or_insert(frames) == frames,
                None => part.is_held(),
            };
        }
        let index = match self.clocks.iter().position(|clock| clock.sender == from) {
            Some(index) => index,
            None if self.clocks.len() == CLOCKS => return true,
            None => {
                self.clocks.push(Clock {
                    sender: from,
                    last_ns: now_ns,
                    frames: WholeFrames::default(),
                });
                self.clocks.len() - 1
            }
        };
        let clock = &mut self.clocks[index];
        clock.last_ns = now_ns;
        let verdict = clock.frames.judge(count, are_new, are_in_step);
        if verdict == Verdict::Learn {
            self.ports.iter_mut().for_each(|(_, port)| port.learn(from));
        }
        verdict == Verdict::Show
    }

    /// Shows what these Port-Addresses hold.
    fn release(&mut self, is_due: impl Fn(&PortState) -> bool) {
        for (_, port) in self.ports.iter_mut().filter(|(_, port)| is_due(port)) {
            port.release(self.order);
            mark(&mut self.changed, port);
        }
        self.order += 1;
    }

    /// Does what is due: losses, fades. [`receive`](Self::receive) does so too.
    pub fn advance(&mut self, now_ns: u64) {
        if now_ns < self.next_ns {
            return;
        }
        let sync_end = self.synced_ns.map(|since| since.saturating_add(SYNC_LOSS_NS));
        if sync_end.is_some_and(|end| now_ns >= end) {
            self.synced_ns = None;
            self.events.push(Event::SyncLost { address: None });
            self.release(|_| true);
        }
        let mut next_ns = sync_end.filter(|end| now_ns < *end).unwrap_or(u64::MAX);
        for (_, port) in self.ports.iter_mut() {
            port.advance(now_ns, &mut self.events);
            next_ns = next_ns.min(port.next_ns(now_ns));
            mark(&mut self.changed, port);
        }
        self.next_ns = next_ns;
    }

    /// When something is due next: [`advance`](Self::advance) is to be called then; `None`: not before the next packet.
    pub fn next_ns(&self) -> Option<u64> {
        (self.next_ns != u64::MAX).then_some(self.next_ns)
    }

    /// Calls `each` with the levels of every Port-Address that differ from those of the last call, after doing what is due.
    pub fn changes(&mut self, now_ns: u64, mut each: impl FnMut(PortAddress, &[u8; SLOTS])) {
        self.advance(now_ns);
        for address in self.changed.drain(..) {
            let Some(port) = self.ports.get_mut(address) else {
                continue;
            };
            port.is_marked = false;
            if port.refresh(now_ns)
                && let Some(levels) = port.levels()
            {
                each(address, levels);
            }
        }
    }

    /// The levels of a Port-Address as of the last [`changes`](Self::changes); `None` before its first.
    pub fn levels(&self, address: PortAddress) -> Option<&[u8; SLOTS]> {
        self.ports.get(address)?.levels()
    }

    /// The sources of a Port-Address, at most two.
    pub fn sources(&self, address: PortAddress) -> impl Iterator<Item = ArtNetSource> + '_ {
        self.ports.get(address).into_iter().flat_map(PortState::ids)
    }

    /// Whether two sources are merged into a Port-Address.
    pub fn is_merging(&self, address: PortAddress) -> bool {
        self.sources(address).count() > 1
    }

    /// Removes a source at once; `false` when it is not there. Its next packet brings it back.
    pub fn forget(&mut self, now_ns: u64, address: PortAddress, source: ArtNetSource) -> bool {
        let Some(port) = self.ports.get_mut(address) else {
            return false;
        };
        let is_gone = port.end(now_ns, source, LossReason::Forgotten, &mut self.events);
        mark(&mut self.changed, port);
        self.next_ns = self.next_ns.min(port.next_ns(now_ns));
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

    /// The counters of all Port-Addresses together.
    pub fn counters(&self) -> ArtNetCounters {
        ArtNetCounters {
            events_dropped: self.events.dropped(),
            ..self.counters
        }
    }

    /// The counters of a Port-Address.
    pub fn port_counters(&self, now_ns: u64, address: PortAddress) -> Option<PortCounters> {
        self.ports.get(address).map(|port| port.counters(now_ns))
    }
}

/// Remembers that a Port-Address may have changed.
fn mark(changed: &mut Vec<PortAddress>, port: &mut PortState) {
    if port.is_changed && !port.is_marked {
        port.is_marked = true;
        changed.push(port.address());
    }
}
