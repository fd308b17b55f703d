//! One ticker session as a job of the runtime.

use super::lane::Tick;
use crate::job::{Job, PollContext, Release, Step};
use crate::outlet::RecordListener;
use crate::turns::Paced;
use rustle_market::{PriceUpdate, RandomWalk, SymbolList};

pub(super) struct TickerJob {
    pub(super) paced: Paced<Tick>,
    pub(super) walk: RandomWalk,
}

impl Job for TickerJob {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        let timestamp_ms = context.wall_ms();
        let walk = &mut self.walk;
        self.paced.poll(context, |sequence, symbol| {
            Some(Tick {
                symbol,
                price: walk.step(symbol as usize)?,
                timestamp_ms,
                sequence,
            })
        })
    }

    fn release(self: Box<Self>, release: Release) {
        self.paced.release(release);
    }
}

/// Passes ticks to a listener as updates, with the names of their symbols.
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
