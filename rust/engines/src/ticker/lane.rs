//! The pull side of a ticker: a ring behind a lock that is held for copies only.

use crate::job::Release;
use crate::ring::{LaneStatistics, Overflow, Ring};
use rustle_market::{PriceUpdate, SymbolList};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// Told when a lane has something to drain, and when its session is over.
pub trait Doorbell: Send {
    /// The lane was empty and is not any more. Called on a worker's thread with no lock held.
    fn on_ready(&mut self);

    /// The session is over; what waits in the lane can still be drained. The last call.
    fn on_release(self: Box<Self>, release: Release);
}

/// A bell for consumers that look for themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBell;

impl Doorbell for NoBell {
    fn on_ready(&mut self) {}
    fn on_release(self: Box<Self>, _: Release) {}
}

pub(super) struct PriceLane {
    symbols: SymbolList,
    ring: Mutex<Ring<Tick>>,
}

impl PriceLane {
    pub(super) fn new(symbols: SymbolList, overflow: Overflow, capacity: usize) -> Self {
        let ring = Ring::new(overflow, capacity, symbols.count());
        Self {
            symbols,
            ring: Mutex::new(ring),
        }
    }

    /// Takes the ticks in. Returns whether the lane was empty before and is not any more.
    pub(super) fn push(&self, ticks: &[Tick]) -> bool {
        self.ring().push_all(ticks, |tick| tick.symbol)
    }

    pub(super) fn drain(&self, most: usize, take: impl FnMut(Tick, u64)) -> usize {
        self.ring().drain(most, take)
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
        self.ring().statistics()
    }

    fn ring(&self) -> MutexGuard<'_, Ring<Tick>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
