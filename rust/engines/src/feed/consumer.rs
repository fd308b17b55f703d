//! A consumer of a feed: the side that the source fills, and the job that tells of it.

use super::derive::{Derive, FeedTrade, Omissions};
use super::hub::FeedCore;
use super::lane::FeedLane;
use super::notice::{Notice, Notices};
use crate::clock::Nanoseconds;
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Doorbell;
use crate::lane::Record;
use crate::session::Session;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// The symbols that a consumer wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscription {
    /// All that there are and will be.
    All,
    /// These; they may come up later.
    Symbols(Vec<String>),
}

/// The wanted symbols by their numbers.
pub(super) struct Filter {
    all: bool,
    names: HashSet<Arc<str>>,
    wanted: Vec<bool>,
}

impl Filter {
    pub(super) fn new(subscription: &Subscription) -> Self {
        let mut filter = Self {
            all: *subscription == Subscription::All,
            names: HashSet::new(),
            wanted: Vec::new(),
        };
        if let Subscription::Symbols(names) = subscription {
            filter.names.extend(names.iter().map(|name| name.as_str().into()));
        }
        filter
    }

    /// Takes in the names of numbers that are new.
    pub(super) fn learn(&mut self, names: &[Arc<str>]) {
        let known = self.wanted.len();
        let (all, wanted) = (self.all, &self.names);
        self.wanted
            .extend(names[known..].iter().map(|name| all || wanted.contains(name)));
    }

    pub(super) fn wants(&self, symbol: u32) -> bool {
        self.wanted.get(symbol as usize).copied().unwrap_or(false)
    }

    /// Wants `symbols` too.
    pub(super) fn add(&mut self, symbols: &[String], names: &[Arc<str>]) {
        self.names.extend(symbols.iter().map(|name| name.as_str().into()));
        self.settle(names);
    }

    /// Wants `symbols` no more, and returns the numbers that this concerns. One that wants all wants from now on all that are
    /// known, but for these.
    pub(super) fn remove(&mut self, symbols: &[String], names: &[Arc<str>]) -> Vec<u32> {
        if symbols.is_empty() {
            return Vec::new();
        }
        if self.all {
            self.all = false;
            self.names.extend(names.iter().cloned());
        }
        for name in symbols {
            self.names.remove(name.as_str());
        }
        let before = self.wanted.clone();
        self.settle(names);
        (0..before.len() as u32)
            .filter(|number| before[*number as usize] && !self.wants(*number))
            .collect()
    }

    /// The names that are wanted, or `None` for all.
    pub(super) fn names(&self) -> Option<&HashSet<Arc<str>>> {
        (!self.all).then_some(&self.names)
    }

    fn settle(&mut self, names: &[Arc<str>]) {
        self.wanted.clear();
        self.learn(names);
    }
}

/// What the hub fills.
pub(super) trait Intake: Send {
    /// Takes trades of which the filter wants some; their symbols are places in `names`. Returns whether the consumer is
    /// to be woken.
    fn take(&mut self, trades: &[FeedTrade], filter: &Filter, names: &[Arc<str>]) -> bool;

    /// Takes what is told of the source. Returns whether the consumer is to be woken.
    fn note(&mut self, _: &Notice) -> bool {
        false
    }

    /// Takes what was told of the source's connection before this consumer came. Returns whether the consumer is to be woken.
    fn begin(&mut self, _: &Notice) -> bool {
        false
    }

    /// Whether what it gets depends on the symbols that it wants.
    fn has_symbols(&self) -> bool {
        true
    }

    /// Takes in what only the end of the feed gives.
    fn finish(&mut self, names: &[Arc<str>]);

    /// Forgets symbols that are not wanted any more.
    fn forget(&mut self, symbols: &[u32]);

    /// The trades that can be taken without a loss, for a consumer that the source waits for; else any number.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// What was left out so far.
    fn omissions(&self) -> Omissions {
        Omissions::default()
    }
}

/// The lane of a consumer, and what makes its records.
pub(super) struct Pipe<T> {
    pub(super) derive: Box<dyn Derive<T>>,
    pub(super) lane: Arc<FeedLane<T>>,
    /// How the lane's policy is met by the source.
    pub(super) wait: Wait,
    pub(super) records: Vec<T>,
}

/// Whether a consumer is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Its lane loses what it has no room for.
    Never,
    /// The source cannot wait, but its end can.
    AtTheEnd,
    /// The source asks for the room of the lane, of this capacity. What is derived of the trades that there was room for waits in
    /// the lane beyond that, and is no more than the derivation held, and the records of a batch.
    Always(usize),
}

impl<T: Record> Intake for Pipe<T> {
    fn take(&mut self, trades: &[FeedTrade], filter: &Filter, names: &[Arc<str>]) -> bool {
        self.records.clear();
        for trade in trades {
            if filter.wants(trade.trade.symbol) {
                self.derive.take(trade, names, &mut self.records);
            }
        }
        match self.wait {
            _ if self.records.is_empty() => false,
            Wait::Always(_) => self.lane.push_beyond(&self.records),
            Wait::AtTheEnd | Wait::Never => self.lane.push_all(&self.records, names.len()),
        }
    }

    fn finish(&mut self, names: &[Arc<str>]) {
        let mut records = std::mem::take(&mut self.records);
        records.clear();
        self.derive.finish(&mut records);
        match self.wait {
            Wait::Always(_) | Wait::AtTheEnd => self.lane.push_beyond(&records),
            Wait::Never => self.lane.push_all(&records, names.len()),
        };
    }

    fn forget(&mut self, symbols: &[u32]) {
        for symbol in symbols {
            self.derive.forget(*symbol);
        }
    }

    fn room(&self) -> usize {
        let Wait::Always(capacity) = self.wait else {
            return usize::MAX;
        };
        let records = self.lane.room(capacity);
        // A trade that gives more than the lane has room for is taken by one that is empty or nearly so.
        let least = records.min(1);
        (records / self.derive.most().max(1)).max(least)
    }

    fn omissions(&self) -> Omissions {
        self.derive.omissions()
    }
}

/// The lane of a consumer that listens to what is told of the source.
pub(super) struct NoticePipe {
    pub(super) lane: Arc<FeedLane<Notice>>,
    pub(super) notices: Notices,
}

impl Intake for NoticePipe {
    fn take(&mut self, _: &[FeedTrade], _: &Filter, _: &[Arc<str>]) -> bool {
        false
    }

    fn note(&mut self, notice: &Notice) -> bool {
        self.notices.has(notice.kind) && self.lane.push_all(&[*notice], 1)
    }

    fn begin(&mut self, notice: &Notice) -> bool {
        self.notices == Notices::Connection && self.note(notice)
    }

    fn has_symbols(&self) -> bool {
        false
    }

    fn finish(&mut self, _: &[Arc<str>]) {}

    fn forget(&mut self, _: &[u32]) {}
}

/// Tells a consumer that its lane has something, and that its feed is over.
pub(super) struct ConsumerJob<T> {
    pub(super) hub: Arc<FeedCore>,
    pub(super) number: u64,
    pub(super) lane: Arc<FeedLane<T>>,
    /// Between two samples; `None`: what comes is there at once.
    pub(super) sampling: Option<Sampling>,
    pub(super) bell: Box<dyn Doorbell>,
}

/// When a sampled lane is opened.
pub(super) struct Sampling {
    pub(super) interval: Nanoseconds,
    pub(super) next: Option<Nanoseconds>,
}

impl Sampling {
    /// Whether a sample is due; a consumer that was held up misses samples rather than getting them in a row.
    fn is_due(&mut self, now: Nanoseconds) -> bool {
        let next = *self.next.get_or_insert(now.saturating_add(self.interval));
        if now < next {
            return false;
        }
        let missed = (now - next) / self.interval;
        self.next = Some(next.saturating_add((missed + 1).saturating_mul(self.interval)));
        true
    }
}

impl<T: Record> Job for ConsumerJob<T> {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        // Asked before the lane: what came before the end is in it.
        let outcome = self.hub.outcome();
        let is_ready = match &mut self.sampling {
            Some(sampling) => (sampling.is_due(context.now()) || outcome.is_some()) && self.lane.sample(),
            None => self.lane.announce(),
        };
        if is_ready {
            self.bell.on_ready();
        }
        match (outcome, &self.sampling) {
            (Some(Ok(())), _) => Step::End,
            (Some(Err(reason)), _) => Step::Fail(reason),
            (None, Some(Sampling { next: Some(next), .. })) => Step::At(*next),
            (None, _) => Step::Wait,
        }
    }

    fn release(self: Box<Self>, release: Release) {
        self.hub.remove(self.number);
        // Also what waits for a sample that will not come can be drained from now on.
        self.lane.open();
        self.bell.on_release(release);
    }
}

/// A consumer as the hub knows it.
pub(super) struct Consumer {
    pub(super) number: u64,
    pub(super) filter: Filter,
    pub(super) intake: Box<dyn Intake>,
    pub(super) session: Session,
    /// Whether the session waits to be woken; one that is sampled looks by itself.
    pub(super) is_woken: bool,
    /// What was left out, once the consumer has gone.
    pub(super) omissions: Arc<OnceLock<Omissions>>,
}
