//! The pull side of a ticker.

use crate::lane::Lane;
use crate::ring::{LaneStatistics, Overflow};
use rustle_market::{PriceUpdate, SymbolList};

/// An update as it waits in a lane: the symbol by its number in the session's list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// The symbol's place in the list that the session was started with.
    pub symbol: u32,
    /// The price in the quote currency; finite and above 0.
    pub price: f64,
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub timestamp_ms: i64,
    /// The update's number in the session: 0, 1, 2 …
    pub sequence: u64,
}

pub(super) struct PriceLane {
    symbols: SymbolList,
    ticks: Lane<Tick>,
}

impl PriceLane {
    pub(super) fn new(symbols: SymbolList, overflow: Overflow, capacity: usize) -> Self {
        Self {
            ticks: Lane::new(overflow, capacity, symbols.count()),
            symbols,
        }
    }

    /// Takes the ticks in. Returns whether the lane was empty before and is not any more.
    pub(super) fn push(&self, ticks: &[Tick]) -> bool {
        self.ticks.push_all(ticks, |tick| tick.symbol)
    }

    pub(super) fn drain(&self, most: usize, take: impl FnMut(Tick, u32)) -> (usize, LaneStatistics) {
        self.ticks.drain(most, take)
    }

    pub(super) fn drain_updates(&self, most: usize) -> Vec<PriceUpdate> {
        let mut updates = Vec::new();
        self.drain(most, |tick, _| {
            if let Some(symbol) = self.symbols.symbols().get(tick.symbol as usize) {
                updates.push(PriceUpdate {
                    symbol: symbol.clone(),
                    price: tick.price,
                    timestamp_ms: tick.timestamp_ms,
                    sequence: tick.sequence,
                });
            }
        });
        updates
    }

    pub(super) fn statistics(&self) -> LaneStatistics {
        self.ticks.statistics()
    }
}
