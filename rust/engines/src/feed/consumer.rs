//! A consumer of a feed: the buffer that the source fills, and the job that reports it.

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

/// The subscription of a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscription {
    /// All present and future symbols.
    All,
    /// These symbols, which may not be known yet.
    Symbols(Vec<String>),
}

/// The subscribed symbols by their numbers.
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

    /// Adds the names of new numbers.
    pub(super) fn learn(&mut self, names: &[Arc<str>]) {
        let known = self.wanted.len();
        let (all, wanted) = (self.all, &self.names);
        self.wanted
            .extend(names[known..].iter().map(|name| all || wanted.contains(name)));
    }

    pub(super) fn wants(&self, symbol: u32) -> bool {
        self.wanted.get(symbol as usize).copied().unwrap_or(false)
    }

    /// Subscribes to `symbols` too.
    pub(super) fn add(&mut self, symbols: &[String], names: &[Arc<str>]) {
        self.names.extend(symbols.iter().map(|name| name.as_str().into()));
        self.settle(names);
    }

    /// Unsubscribes from `symbols`, and returns their numbers. A subscription to all becomes one to all known symbols except
    /// these.
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

    /// The subscribed names, or `None` for all.
    pub(super) fn names(&self) -> Option<&HashSet<Arc<str>>> {
        (!self.all).then_some(&self.names)
    }

    fn settle(&mut self, names: &[Arc<str>]) {
        self.wanted.clear();
        self.learn(names);
    }
}

/// The side of a consumer that the hub fills.
pub(super) trait Intake: Send {
    /// Takes trades, of which the filter selects some; their symbols are indices into `names`. Returns whether the consumer is to
    /// be woken.
    fn take(&mut self, trades: &[FeedTrade], filter: &Filter, names: &[Arc<str>]) -> bool;

    /// Takes a notice of the source. Returns whether the consumer is to be woken.
    fn note(&mut self, _: &Notice) -> bool {
        false
    }

    /// Takes the last notice of the source's connection before this consumer started. Returns whether the consumer is to be
    /// woken.
    fn begin(&mut self, _: &Notice) -> bool {
        false
    }

    /// Whether its records depend on its subscription.
    fn has_symbols(&self) -> bool {
        true
    }

    /// Takes the records that the end of the feed yields.
    fn finish(&mut self, names: &[Arc<str>]);

    /// Discards the state of symbols that are no longer subscribed to.
    fn forget(&mut self, symbols: &[u32]);

    /// The number of trades that a lossless consumer can take without a loss; unlimited for others.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// The omissions so far.
    fn omissions(&self) -> Omissions {
        Omissions::default()
    }
}

/// The lane of a consumer, and the derivation of its records.
pub(super) struct Pipe<T> {
    pub(super) derive: Box<dyn Derive<T>>,
    pub(super) lane: Arc<FeedLane<T>>,
    /// The way in which the source respects the lane's policy.
    pub(super) wait: Wait,
    pub(super) records: Vec<T>,
}

/// Whether the source waits for a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Its lane drops records that it has no room for.
    Never,
    /// The source cannot wait, but its end can.
    AtTheEnd,
    /// The source asks for the room of the lane, of this capacity. Records derived from the trades that fit may exceed the
    /// capacity, by at most those that the derivation held and those of a batch.
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
        // A lane that is empty or nearly so takes a trade that yields more records than it has room for.
        let least = records.min(1);
        (records / self.derive.most().max(1)).max(least)
    }

    fn omissions(&self) -> Omissions {
        self.derive.omissions()
    }
}

/// The lane of a consumer of the source's notices.
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

/// Notifies a consumer that its lane has records, and that its feed has ended.
pub(super) struct ConsumerJob<T> {
    pub(super) hub: Arc<FeedCore>,
    pub(super) number: u64,
    pub(super) lane: Arc<FeedLane<T>>,
    /// The time between two samples; `None`: records are available at once.
    pub(super) sampling: Option<Sampling>,
    pub(super) bell: Box<dyn Doorbell>,
}

/// The schedule on which a sampled lane is opened.
pub(super) struct Sampling {
    pub(super) interval: Nanoseconds,
    pub(super) next: Option<Nanoseconds>,
}

impl Sampling {
    /// Whether a sample is due; a consumer that was held up misses samples instead of getting them in a row.
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
        // Checked before the lane, which has all records before the end.
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
        // Records that wait for a sample that will not come can be drained from now on, too.
        self.lane.open();
        self.bell.on_release(release);
    }
}

/// The hub's view of a consumer.
pub(super) struct Consumer {
    pub(super) number: u64,
    pub(super) filter: Filter,
    pub(super) intake: Box<dyn Intake>,
    pub(super) session: Session,
    /// Whether the session waits to be woken; a sampled one polls.
    pub(super) is_woken: bool,
    /// The omissions, once the consumer has ended.
    pub(super) omissions: Arc<OnceLock<Omissions>>,
}
