//! The pull side of a ticker.

use crate::engine::StartError;
use crate::lane::{Lane, Record};
use crate::ring::Overflow;
use rustle_market::{PriceUpdate, SymbolList};
use std::sync::Arc;

/// An update in a lane, with its symbol by number in the session's list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// The symbol's index in the session's list.
    pub symbol: u32,
    /// The price in the quote currency; finite and above 0.
    pub price: f64,
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub timestamp_ms: i64,
    /// The update's number in the session: 0, 1, 2 …
    pub sequence: u64,
}

impl Record for Tick {
    fn key(&self) -> u32 {
        self.symbol
    }
}

/// The lane of a session, and the names of its symbols.
pub(super) struct PriceLane {
    symbols: SymbolList,
    pub(super) ticks: Arc<Lane<Tick>>,
}

impl PriceLane {
    /// # Errors
    /// As [`Lane::new`].
    pub(super) fn new(symbols: SymbolList, overflow: Overflow, capacity: usize) -> Result<Self, StartError> {
        let ticks = Arc::new(Lane::new(overflow, capacity, symbols.count())?);
        Ok(Self { symbols, ticks })
    }

    pub(super) fn drain_updates(&self, most: usize) -> Vec<PriceUpdate> {
        let mut updates = Vec::new();
        self.ticks.drain(most, |tick, _| {
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
}
