//! One ticker session as a job of the runtime.

use super::lane::Tick;
use crate::clock::Nanoseconds;
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::{Outlet, RecordListener};
use crate::turns::Turns;
use rustle_market::{PriceUpdate, RandomWalk, SymbolList};

/// The most ticks of one poll, so that a fast session does not keep the worker from its other jobs.
const LARGEST_BATCH: u64 = 8_192;

pub(super) struct TickerJob {
    pub(super) turns: Turns,
    pub(super) walk: RandomWalk,
    pub(super) outlet: Outlet<Tick>,
    pub(super) batch: Vec<Tick>,
}

impl TickerJob {
    /// Makes the ticks that are due, at most a batch of them.
    fn make_batch(&mut self, now: Nanoseconds, timestamp_ms: i64) {
        self.batch.clear();
        for (sequence, symbol) in self.turns.take(now, LARGEST_BATCH) {
            let Some(price) = self.walk.step(symbol as usize) else {
                break;
            };
            self.batch.push(Tick {
                symbol,
                price,
                timestamp_ms,
                sequence,
            });
        }
    }
}

impl Job for TickerJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let now = context.now();
        if let Some(skipped) = self.turns.catch_up(now) {
            context.was_held_up(skipped);
        }
        self.make_batch(now, context.wall_ms());
        self.outlet.deliver(&self.batch, context);
        self.turns.next(now).map_or(Step::End, Step::At)
    }

    fn release(self: Box<Self>, release: Release) {
        self.outlet.release(release);
    }
}

/// Shows a listener the ticks as updates, with the names of their symbols.
pub(super) struct Named<L> {
    /// The newest of each symbol, in the list's order.
    newest: Vec<PriceUpdate>,
    listener: L,
}

impl<L> Named<L> {
    pub(super) fn new(symbols: &SymbolList, listener: L) -> Self {
        let newest = symbols.symbols().iter().map(|symbol| PriceUpdate {
            symbol: symbol.clone(),
            price: 0.0,
            timestamp_ms: 0,
            sequence: 0,
        });
        Self {
            newest: newest.collect(),
            listener,
        }
    }
}

impl<L: RecordListener<PriceUpdate>> RecordListener<Tick> for Named<L> {
    fn on_record(&mut self, tick: &Tick) {
        let update = &mut self.newest[tick.symbol as usize];
        update.price = tick.price;
        update.timestamp_ms = tick.timestamp_ms;
        update.sequence = tick.sequence;
        self.listener.on_record(update);
    }

    fn on_release(self: Box<Self>, release: Release) {
        Box::new(self.listener).on_release(release);
    }
}
