//! One ticker session as a job of the runtime.

use super::TickerConfiguration;
use super::lane::{PriceLane, Tick};
use crate::clock::Nanoseconds;
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Doorbell;
use crate::outlet::RecordListener;
use crate::schedule::Schedule;
use rustle_market::{PriceUpdate, RandomWalk, SymbolList};
use std::sync::Arc;

/// The most ticks of one poll, so that a fast session does not keep the worker from its other jobs.
const LARGEST_BATCH: u64 = 8_192;

/// The shortest time between two polls: ticks that are closer together are delivered in one go.
const SHORTEST_NAP: Nanoseconds = 1_000_000;

/// Where a session's updates go.
pub(super) enum Outlet {
    Push(Box<dyn RecordListener<PriceUpdate>>),
    Pull {
        lane: Arc<PriceLane>,
        bell: Box<dyn Doorbell>,
    },
}

pub(super) struct TickerJob {
    schedule: Schedule,
    walk: RandomWalk,
    /// The newest update of each symbol, in the list's order: what a push listener is shown.
    newest: Vec<PriceUpdate>,
    limit: u64,
    outlet: Outlet,
    batch: Vec<Tick>,
}

impl TickerJob {
    pub(super) fn new(
        configuration: &TickerConfiguration,
        symbols: SymbolList,
        walk: RandomWalk,
        outlet: Outlet,
    ) -> Self {
        let newest = symbols.symbols().iter().map(|symbol| PriceUpdate {
            symbol: symbol.clone(),
            price: walk.price(symbol.index() as usize).unwrap_or_default(),
            timestamp_ms: 0,
            sequence: 0,
        });
        Self {
            schedule: Schedule::new(configuration.updates_per_second * symbols.count() as f64),
            newest: newest.collect(),
            walk,
            limit: configuration.update_limit.unwrap_or(u64::MAX),
            outlet,
            batch: Vec::new(),
        }
    }

    /// Makes the ticks that are due, at most a batch of them.
    fn make_batch(&mut self, now: Nanoseconds, timestamp_ms: i64) {
        self.batch.clear();
        let left = self.limit.saturating_sub(self.schedule.taken());
        let due = self.schedule.take(now, left.min(LARGEST_BATCH));
        let count = self.newest.len();
        let mut symbol = (due.start % count as u64) as usize;
        for sequence in due {
            let Some(price) = self.walk.step(symbol) else {
                break;
            };
            self.batch.push(Tick {
                symbol: symbol as u32,
                price,
                timestamp_ms,
                sequence,
            });
            symbol = if symbol + 1 == count { 0 } else { symbol + 1 };
        }
    }

    fn deliver(&mut self, context: &PollContext<'_>) {
        #[cfg(feature = "faults")]
        self.panic_on_purpose();
        match &mut self.outlet {
            Outlet::Push(listener) => {
                for tick in &self.batch {
                    if context.is_cancelled() {
                        return;
                    }
                    let update = &mut self.newest[tick.symbol as usize];
                    update.price = tick.price;
                    update.timestamp_ms = tick.timestamp_ms;
                    update.sequence = tick.sequence;
                    listener.on_record(update);
                }
            }
            Outlet::Pull { lane, bell } => {
                if lane.push(&self.batch) {
                    bell.on_ready();
                }
            }
        }
    }
}

#[cfg(feature = "faults")]
impl TickerJob {
    fn panic_on_purpose(&self) {
        let is_asked_for = self.newest[0].symbol.name() == crate::faults::PANIC_SYMBOL;
        assert!(!is_asked_for, "a panic on purpose");
    }
}

impl Job for TickerJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let now = context.now();
        if let Some(lag) = self.schedule.catch_up(now) {
            context.was_held_up(lag);
        }
        self.make_batch(now, context.wall_ms());
        self.deliver(context);
        if self.schedule.taken() >= self.limit {
            return Step::End;
        }
        match self.schedule.due() {
            due if due <= now => Step::At(now),
            due => Step::At(due.max(now + SHORTEST_NAP)),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        match self.outlet {
            Outlet::Push(listener) => listener.on_release(release),
            Outlet::Pull { bell, .. } => bell.on_release(release),
        }
    }
}
