//! The sources of a universe.

use super::Event;
use super::source::{SacnSource, Source};
use super::synchronization::{Synchronization, Timing, is_out_of_order};
use super::{UniverseCounters, UniverseSettings};
use crate::event_queue::EventQueue;
use crate::receiver::output::Output;
use crate::receiver::rate::Rate;
use crate::receiver::{LOSS_NS, LossReason, Share, merge};
use crate::sacn::{DataPacket, LEVELS, MAX_PRIORITY, Malformed, Options, PRIORITIES};
use crate::{Cid, SLOTS, SacnUniverse};
use std::net::Ipv4Addr;

#[derive(Debug)]
pub(super) struct UniverseState {
    number: SacnUniverse,
    settings: UniverseSettings,
    sources: Vec<Source>,
    output: Output,
    counters: UniverseCounters,
    rate: Rate,
    /// A source was lost, and others have not shown yet that they are there.
    is_settling: bool,
    is_exceeded: bool,
    /// Whether a source counted.
    is_lit: bool,
    /// The levels may differ from those that were reported.
    pub(super) is_changed: bool,
    /// It is in the receiver's list of changes.
    pub(super) is_marked: bool,
}

impl UniverseState {
    pub(super) fn new(number: SacnUniverse, settings: UniverseSettings) -> Self {
        Self {
            number,
            sources: Vec::with_capacity(settings.sources.max(1)),
            output: Output::new(settings.on_loss.clone()),
            settings,
            counters: UniverseCounters::default(),
            rate: Rate::default(),
            is_settling: false,
            is_exceeded: false,
            is_lit: false,
            is_changed: false,
            is_marked: false,
        }
    }

    pub(super) fn configure(
        &mut self,
        now_ns: u64,
        settings: UniverseSettings,
        events: &mut EventQueue<Event>,
        synchronization: &mut Synchronization,
    ) {
        let limit = settings.sources.max(1);
        self.sources
            .sort_by_key(|source| std::cmp::Reverse(source.rank()));
        while self.sources.len() > limit
            && let Some(source) = self.sources.pop()
        {
            synchronization.leave(source.sync_address());
            events.push(Event::SourceLost {
                universe: self.number,
                source: source.cid,
                reason: source.lost.unwrap_or(LossReason::Displaced),
            });
        }
        self.sources.reserve(limit - self.sources.len());
        self.is_exceeded = false;
        self.output.configure(now_ns, settings.on_loss.clone());
        self.settings = settings;
        self.is_changed = true;
    }

    pub(super) fn number(&self) -> SacnUniverse {
        self.number
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter()
    }

    pub(super) fn sources_mut(&mut self) -> impl Iterator<Item = &mut Source> {
        self.sources.iter_mut()
    }

    pub(super) fn descriptions(&self) -> impl Iterator<Item = SacnSource> + '_ {
        let present = self.sources.iter().filter(|source| source.lost.is_none());
        present.map(Source::description)
    }

    pub(super) fn levels(&self) -> Option<&[u8; SLOTS]> {
        self.output.levels()
    }

    pub(super) fn counters(&self, now_ns: u64) -> UniverseCounters {
        UniverseCounters {
            sources: self.descriptions().count(),
            hertz: self.rate.hertz(now_ns),
            ..self.counters
        }
    }

    /// Takes a packet of this universe.
    pub(super) fn hear(
        &mut self,
        now_ns: u64,
        from: Ipv4Addr,
        data: &DataPacket<'_>,
        events: &mut EventQueue<Event>,
        synchronization: &mut Synchronization,
    ) -> Result<(), Malformed> {
        if !matches!(data.start_code, LEVELS | PRIORITIES) {
            self.counters.start_codes += 1;
            return Ok(());
        }
        if data.start_code == PRIORITIES && data.slots.iter().any(|priority| *priority > MAX_PRIORITY) {
            return Err(Malformed::Priority);
        }
        let is_terminated = data.options.has(Options::TERMINATED);
        let is_ignored = data.options.has(Options::PREVIEW) && !self.settings.includes_previews;
        let known = self.sources.iter().position(|source| source.cid == data.cid);
        let index = match known {
            Some(index) if is_out_of_order(self.sources[index].sequence, data.sequence) => {
                self.counters.out_of_order += 1;
                return Ok(());
            }
            Some(index) => index,
            None if is_terminated => {
                self.counters.terminations += 1;
                return Ok(());
            }
            None if is_ignored => {
                self.counters.previews += 1;
                return Ok(());
            }
            None => match self.place(now_ns, from, data, events, synchronization) {
                Some(index) => index,
                None => {
                    self.counters.excess += 1;
                    return Ok(());
                }
            },
        };
        self.counters.packets += 1;
        if is_terminated {
            self.sources[index].sequence = data.sequence;
            self.end(index, LossReason::Terminated);
            return Ok(());
        }
        let source = &mut self.sources[index];
        source.hear(now_ns, from, data);
        if is_ignored {
            self.counters.previews += 1;
            self.is_changed = true;
        } else if data.start_code == PRIORITIES {
            source.set_priorities(now_ns, data.slots);
            self.is_changed = true;
        } else {
            self.rate.count(now_ns);
            synchronization.name(now_ns, data.sync_address, source);
            let is_forced = data.options.has(Options::FORCE_SYNC);
            match synchronization.timing(source.sync_address(), is_forced) {
                Timing::Held => source.hold(data),
                Timing::AtOnce => {
                    source.show(data);
                    self.is_changed = true;
                }
            }
        }
        Ok(())
    }

    /// The place of a new source: a free one, or that of a source of lower rank. A lost one keeps its place until the others have
    /// shown whether they are lost too.
    fn place(
        &mut self,
        now_ns: u64,
        from: Ipv4Addr,
        data: &DataPacket<'_>,
        events: &mut EventQueue<Event>,
        synchronization: &mut Synchronization,
    ) -> Option<usize> {
        let source = Source::new(now_ns, from, data);
        let universe = self.number;
        let index = if self.sources.len() < self.settings.sources.max(1) {
            self.sources.push(source);
            self.sources.len() - 1
        } else {
            let lowest = (0..self.sources.len()).min_by_key(|index| self.sources[*index].rank())?;
            if self.sources[lowest].lost.is_some() {
                return None;
            }
            if !self.is_exceeded {
                self.is_exceeded = true;
                events.push(Event::SourcesExceeded { universe });
            }
            if source.rank() <= self.sources[lowest].rank() {
                return None;
            }
            let displaced = std::mem::replace(&mut self.sources[lowest], source);
            synchronization.leave(displaced.sync_address());
            events.push(Event::SourceLost {
                universe,
                source: displaced.cid,
                reason: LossReason::Displaced,
            });
            self.is_changed = true;
            lowest
        };
        events.push(Event::SourceAppeared {
            universe,
            source: data.cid,
        });
        Some(index)
    }

    /// The source is lost; it counts until the others have shown whether they are.
    fn end(&mut self, index: usize, reason: LossReason) {
        if !self.is_settling {
            self.is_settling = true;
            self.sources
                .iter_mut()
                .for_each(|source| source.is_verified = false);
        }
        self.sources[index].lost.get_or_insert(reason);
    }

    /// Removes a source without waiting for others; `false` when it is not there.
    pub(super) fn forget(
        &mut self,
        cid: Cid,
        events: &mut EventQueue<Event>,
        synchronization: &mut Synchronization,
    ) -> bool {
        let Some(index) = self.sources.iter().position(|source| source.cid == cid) else {
            return false;
        };
        let source = self.sources.remove(index);
        synchronization.leave(source.sync_address());
        events.push(Event::SourceLost {
            universe: self.number,
            source: cid,
            reason: LossReason::Forgotten,
        });
        self.is_exceeded = false;
        self.is_changed = true;
        true
    }

    /// Removes lost sources when all others have sent again or are lost too, so that those that were cut off together leave
    /// together (ETC's sACN library, "Data Loss Behavior").
    pub(super) fn settle(
        &mut self,
        now_ns: u64,
        events: &mut EventQueue<Event>,
        synchronization: &mut Synchronization,
    ) {
        let are_known = || {
            let mut sources = self.sources.iter();
            sources.all(|source| source.lost.is_some() || source.is_verified)
        };
        if self.is_settling && are_known() {
            let universe = self.number;
            self.sources.retain(|source| {
                let Some(reason) = source.lost else { return true };
                synchronization.leave(source.sync_address());
                let source = source.cid;
                events.push(Event::SourceLost {
                    universe,
                    source,
                    reason,
                });
                false
            });
            self.is_settling = false;
            self.is_exceeded &= self.sources.len() >= self.settings.sources.max(1);
            self.is_changed = true;
        }
        let is_lit = self.sources.iter().any(|source| self.counts(source));
        if self.is_lit && !is_lit {
            self.output.lose(now_ns);
            self.is_changed = true;
            let universe = self.number;
            events.push(Event::UniverseLost { universe });
        }
        self.is_lit = is_lit;
    }

    /// Ends what has lasted too long.
    pub(super) fn advance(&mut self, now_ns: u64) {
        for index in 0..self.sources.len() {
            let source = &mut self.sources[index];
            if (source.priorities_ns()).is_some_and(|since| now_ns >= since.saturating_add(LOSS_NS)) {
                source.forget_priorities();
                self.is_changed = true;
            }
            if source.lost.is_none() && now_ns >= source.last_ns.saturating_add(LOSS_NS) {
                self.end(index, LossReason::Timeout);
            }
        }
        // A source whose waiting for priorities is over, or the next level of a fade.
        self.is_changed |= self.settings.settle_ns > 0 || !self.is_lit;
    }

    /// When [`advance`](Self::advance) is due; `u64::MAX`: never.
    pub(super) fn next_ns(&self, now_ns: u64) -> u64 {
        let mut next_ns = self.output.next_ns(now_ns).unwrap_or(u64::MAX);
        for source in &self.sources {
            if source.lost.is_none() {
                next_ns = next_ns.min(source.last_ns.saturating_add(LOSS_NS));
            }
            if let Some(since) = source.priorities_ns() {
                next_ns = next_ns.min(since.saturating_add(LOSS_NS));
            }
            if self.waits(source, now_ns) {
                next_ns = next_ns.min(source.first_ns.saturating_add(self.settings.settle_ns));
            }
        }
        next_ns
    }

    /// Whether levels of a new source still wait for its priorities.
    fn waits(&self, source: &Source, now_ns: u64) -> bool {
        let end = source.first_ns.saturating_add(self.settings.settle_ns);
        now_ns < end && source.priorities_ns().is_none()
    }

    /// Whether a source is one of those that hold the universe.
    fn counts(&self, source: &Source) -> bool {
        !source.is_preview || self.settings.includes_previews
    }

    fn share<'a>(&self, source: &'a Source, now_ns: u64) -> Option<Share<'a>> {
        let counts = self.counts(source) && !self.waits(source, now_ns);
        source.share().filter(|_| counts)
    }

    /// Merges; returns whether the levels differ from those of the last time.
    pub(super) fn refresh(&mut self, now_ns: u64) -> bool {
        if !std::mem::take(&mut self.is_changed) {
            return false;
        }
        let mut shares = self
            .sources
            .iter()
            .filter_map(|source| self.share(source, now_ns))
            .peekable();
        if shares.peek().is_none() {
            drop(shares);
            return !self.is_lit && self.output.without_sources(now_ns);
        }
        let mut merged = [0; SLOTS];
        merge(shares, &mut merged);
        self.output.set(&merged)
    }
}
