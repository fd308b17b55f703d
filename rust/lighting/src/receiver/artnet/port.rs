//! The sources of a Port-Address.

use super::part::{ArtNetSource, Part};
use super::{Event, PortCounters};
use crate::artnet::DmxPacket;
use crate::event_queue::EventQueue;
use crate::receiver::output::Output;
use crate::receiver::rate::Rate;
use crate::receiver::{LossReason, OnLoss};
use crate::{PortAddress, SLOTS};
use std::net::Ipv4Addr;

/// The sources of a Port-Address at most (Art-Net 4, "ArtDmx", data merging).
pub const PORT_SOURCES: usize = 2;
/// After this time without a packet a source leaves the merge, in ns (Art-Net 4, "ArtDmx", data merging: 10 s).
const SOURCE_LOSS_NS: u64 = 10_000_000_000;

/// How two sources are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MergeMode {
    /// The highest level of each slot.
    #[default]
    Htp,
    /// The latest packet's levels; slots that it does not have are the other source's.
    Ltp,
}

/// How a Port-Address is received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortSettings {
    /// How two sources are merged.
    pub merge: MergeMode,
    /// What is shown when the last source is lost. Art-Net itself says hold.
    pub on_loss: OnLoss,
}

#[derive(Debug)]
pub(super) struct PortState {
    address: PortAddress,
    settings: PortSettings,
    parts: Vec<Part>,
    output: Output,
    counters: PortCounters,
    rate: Rate,
    is_exceeded: bool,
    pub(super) is_changed: bool,
    pub(super) is_marked: bool,
}

impl PortState {
    pub(super) fn new(address: PortAddress, settings: PortSettings) -> Self {
        Self {
            address,
            parts: Vec::with_capacity(PORT_SOURCES),
            output: Output::new(settings.on_loss.clone()),
            settings,
            counters: PortCounters::default(),
            rate: Rate::default(),
            is_exceeded: false,
            is_changed: false,
            is_marked: false,
        }
    }

    pub(super) fn configure(&mut self, now_ns: u64, settings: PortSettings) {
        self.output.configure(now_ns, settings.on_loss.clone());
        self.settings = settings;
        self.is_changed = true;
    }

    pub(super) fn address(&self) -> PortAddress {
        self.address
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = ArtNetSource> + '_ {
        self.parts.iter().map(|part| part.id)
    }

    pub(super) fn levels(&self) -> Option<&[u8; SLOTS]> {
        self.output.levels()
    }

    pub(super) fn counters(&self, now_ns: u64) -> PortCounters {
        PortCounters {
            sources: self.parts.len(),
            hertz: self.rate.hertz(now_ns),
            ..self.counters
        }
    }

    /// Takes a packet; `false` when it was dropped. `order` is the number of shown packets; what was held is shown before it.
    pub(super) fn hear(
        &mut self,
        now_ns: u64,
        from: Ipv4Addr,
        dmx: &DmxPacket<'_>,
        is_synchronous: bool,
        order: u64,
        events: &mut EventQueue<Event>,
    ) -> bool {
        let id = ArtNetSource {
            address: from,
            physical: dmx.physical,
        };
        let index = match self.parts.iter().position(|part| part.id == id) {
            Some(index) => {
                if self.parts[index].is_out_of_order(now_ns, dmx.sequence) {
                    self.counters.out_of_order += 1;
                    return false;
                }
                index
            }
            None if self.parts.len() == PORT_SOURCES => {
                self.counters.excess += 1;
                if !self.is_exceeded {
                    self.is_exceeded = true;
                    events.push(Event::SourcesExceeded {
                        universe: self.address,
                    });
                }
                return false;
            }
            None => self.add(id, order, events),
        };
        self.counters.packets += 1;
        self.rate.count(now_ns);
        // While sources merge, synchronization is ignored (Art-Net 4, "ArtSync").
        let is_held = is_synchronous && self.parts.len() == 1;
        let part = &mut self.parts[index];
        part.sequence = dmx.sequence;
        part.last_ns = now_ns;
        if is_held {
            part.hold(dmx.slots);
        } else {
            part.show(dmx.slots, order + 1);
            self.is_changed = true;
        }
        true
    }

    fn add(&mut self, id: ArtNetSource, order: u64, events: &mut EventQueue<Event>) -> usize {
        self.release(order);
        self.parts.push(Part::new(id));
        events.push(Event::SourceAppeared {
            universe: self.address,
            source: id,
        });
        self.parts.len() - 1
    }

    /// Shows what is held.
    pub(super) fn release(&mut self, order: u64) {
        for part in &mut self.parts {
            self.is_changed |= part.release(order);
        }
    }

    /// The only source, when it is this sender's.
    pub(super) fn frame_of(&self, from: Ipv4Addr) -> Option<&Part> {
        match &self.parts[..] {
            [part] if part.id.address == from => Some(part),
            _ => None,
        }
    }

    /// The sender of the only source.
    pub(super) fn sender(&self) -> Option<Ipv4Addr> {
        match &self.parts[..] {
            [part] => Some(part.id.address),
            _ => None,
        }
    }

    pub(super) fn learn(&mut self, from: Ipv4Addr) {
        for part in self.parts.iter_mut().filter(|part| part.id.address == from) {
            part.learned = part.sequence;
        }
    }

    /// Removes a source; `false` when it is not there.
    pub(super) fn end(
        &mut self,
        now_ns: u64,
        id: ArtNetSource,
        reason: LossReason,
        events: &mut EventQueue<Event>,
    ) -> bool {
        let Some(index) = self.parts.iter().position(|part| part.id == id) else {
            return false;
        };
        self.parts.remove(index);
        self.is_exceeded = false;
        self.is_changed = true;
        let universe = self.address;
        events.push(Event::SourceLost {
            universe,
            source: id,
            reason,
        });
        if self.parts.is_empty() {
            self.output.lose(now_ns);
            events.push(Event::UniverseLost { universe });
        }
        true
    }

    /// Ends what has lasted too long.
    pub(super) fn advance(&mut self, now_ns: u64, events: &mut EventQueue<Event>) {
        let is_silent = |part: &&Part| now_ns >= part.last_ns.saturating_add(SOURCE_LOSS_NS);
        while let Some(id) = self.parts.iter().find(is_silent).map(|part| part.id) {
            self.end(now_ns, id, LossReason::Timeout, events);
        }
        // The next level of a fade.
        self.is_changed |= self.parts.is_empty();
    }

    /// When [`advance`](Self::advance) is due; `u64::MAX`: never.
    pub(super) fn next_ns(&self, now_ns: u64) -> u64 {
        let ends = self
            .parts
            .iter()
            .map(|part| part.last_ns.saturating_add(SOURCE_LOSS_NS));
        let fade = self.output.next_ns(now_ns);
        ends.chain(fade).min().unwrap_or(u64::MAX)
    }

    /// Merges; returns whether the levels differ from those of the last time.
    pub(super) fn refresh(&mut self, now_ns: u64) -> bool {
        if !std::mem::take(&mut self.is_changed) {
            return false;
        }
        let mut shown = self.parts.iter().filter(|part| part.shown.is_some());
        let merged = match (shown.next(), shown.next()) {
            (None, _) => return self.parts.is_empty() && self.output.without_sources(now_ns),
            (Some(one), None) => one.levels,
            (Some(one), Some(other)) => merged(self.settings.merge, one, other),
        };
        self.output.set(&merged)
    }
}

fn merged(mode: MergeMode, one: &Part, other: &Part) -> [u8; SLOTS] {
    match mode {
        MergeMode::Htp => std::array::from_fn(|slot| one.levels[slot].max(other.levels[slot])),
        MergeMode::Ltp => {
            let (earlier, later) = if one.shown < other.shown {
                (one, other)
            } else {
                (other, one)
            };
            let mut levels = earlier.levels;
            levels[..later.count].copy_from_slice(&later.levels[..later.count]);
            levels
        }
    }
}
