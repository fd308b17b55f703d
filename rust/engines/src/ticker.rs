//! The ticker: an engine that tracks symbols and delivers their prices, pushed to a listener or pulled from a lane.

mod error;
mod job;
mod lane;

pub use error::TickerError;
pub use lane::Tick;

use crate::engine::Sessions;
use crate::lane::{Doorbell, MAX_LANE_CAPACITY};
use crate::lock::{Lock, locked};
use crate::outlet::{LaneSession, Outlet, RecordListener};
use crate::ring::Overflow;
use crate::runtime::Runtime;
use crate::turns::{Paced, Turns};
use job::{Named, TickerJob};
use lane::PriceLane;
use rustle_market::{PriceUpdate, RandomWalk, SymbolList};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard};

/// The range of update rates, in updates a second and symbol.
pub const RATE_RANGE: RangeInclusive<f64> = 0.001..=10_000_000.0;

/// The configuration of a ticker.
#[derive(Clone, Debug, PartialEq)]
pub struct TickerConfiguration {
    /// Updates a second of each symbol, within [`RATE_RANGE`]. The symbols of a session take turns at even intervals.
    pub updates_per_second: f64,
    /// The seed of the walk; the same seed, symbols and count give the same prices. `None` draws one.
    pub seed: Option<u64>,
    /// The number of updates after which a session ends. `None`: it runs until it is cancelled.
    pub update_limit: Option<u64>,
}

impl Default for TickerConfiguration {
    /// Two updates a second of each symbol, a drawn seed, no limit.
    fn default() -> Self {
        Self {
            updates_per_second: 2.0,
            seed: None,
            update_limit: None,
        }
    }
}

/// A source of prices for any number of sessions.
///
/// Dropping the engine cancels its sessions. A session whose listener panics poisons the engine: its other sessions continue,
/// further starts are refused.
pub struct TickerEngine {
    configuration: TickerConfiguration,
    sessions: Sessions,
    /// The lane of the newest pull session, for `next_price` and `drain_updates`.
    lane: Mutex<Option<Arc<PriceLane>>>,
}

/// A started session of a ticker.
pub type TickerSession = LaneSession<Tick>;

impl TickerEngine {
    /// An engine on the shared runtime.
    ///
    /// # Errors
    /// [`TickerError::RateOutOfRange`].
    pub fn new(configuration: TickerConfiguration) -> Result<Self, TickerError> {
        Self::on(Runtime::shared().clone(), configuration)
    }

    /// An engine on a runtime of the caller's: a manual one, in tests.
    ///
    /// # Errors
    /// [`TickerError::RateOutOfRange`].
    pub fn on(runtime: Arc<Runtime>, configuration: TickerConfiguration) -> Result<Self, TickerError> {
        if !RATE_RANGE.contains(&configuration.updates_per_second) {
            return Err(TickerError::RateOutOfRange {
                got: configuration.updates_per_second,
            });
        }
        Ok(Self {
            configuration,
            sessions: Sessions::new(runtime),
            lane: Mutex::new(None),
        })
    }

    /// Starts a session that pushes every update to `listener`, on a worker's thread.
    ///
    /// # Errors
    /// The symbols are not usable, or the engine was shut down or poisoned, or a thread was refused. `listener` is dropped
    /// then without a call.
    pub fn start_tracking(
        &self,
        symbols: &[&str],
        listener: impl RecordListener<PriceUpdate> + 'static,
    ) -> Result<TickerSession, TickerError> {
        let symbols = SymbolList::new(symbols.iter().copied())?;
        let listener = Named::new(&symbols, listener);
        self.start(&symbols, None, || Outlet::Push(Box::new(listener)))
    }

    /// Starts a session that pushes every update to `listener`, on a worker's thread, with its symbol's index in the list.
    ///
    /// # Errors
    /// As [`start_tracking`](TickerEngine::start_tracking).
    pub fn start_pushing(
        &self,
        symbols: &[&str],
        listener: impl RecordListener<Tick> + 'static,
    ) -> Result<TickerSession, TickerError> {
        let symbols = SymbolList::new(symbols.iter().copied())?;
        self.start(&symbols, None, || Outlet::Push(Box::new(listener)))
    }

    /// Starts a session whose updates wait in a lane of `capacity` (1 to [`MAX_LANE_CAPACITY`]) until they are drained.
    /// `bell` rings when the lane stops being empty. The engine's own `next_price` and `drain_updates` read this lane
    /// until another session is started this way.
    ///
    /// # Errors
    /// As [`start_tracking`](TickerEngine::start_tracking); [`TickerError::CapacityOutOfRange`].
    pub fn start_pulling(
        &self,
        symbols: &[&str],
        overflow: Overflow,
        capacity: usize,
        bell: impl Doorbell + 'static,
    ) -> Result<TickerSession, TickerError> {
        let symbols = SymbolList::new(symbols.iter().copied())?;
        if !(1..=MAX_LANE_CAPACITY).contains(&capacity) {
            return Err(TickerError::CapacityOutOfRange { got: capacity });
        }
        let lane = Arc::new(PriceLane::new(symbols.clone(), overflow, capacity)?);
        let ticks = lane.ticks.clone();
        self.start(&symbols, Some(lane), || Outlet::Pull {
            lane: ticks,
            bell: Box::new(bell),
        })
    }

    /// The longest waiting update of the newest pull session; `None` when nothing waits or there is no such session.
    pub fn next_price(&self) -> Option<PriceUpdate> {
        self.drain_updates(1).pop()
    }

    /// At most `max` waiting updates of the newest pull session, the longest waiting first.
    pub fn drain_updates(&self, max: usize) -> Vec<PriceUpdate> {
        let lane = self.lane().clone();
        lane.map_or_else(Vec::new, |lane| lane.drain_updates(max))
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Cancels every session of this engine. Idempotent; later starts succeed.
    pub fn cancel(&self) {
        self.sessions.cancel();
    }

    /// Cancels every session and refuses later starts. Idempotent.
    pub fn shut_down(&self) {
        self.sessions.shut_down();
    }

    fn start(
        &self,
        symbols: &SymbolList,
        lane: Option<Arc<PriceLane>>,
        outlet: impl FnOnce() -> Outlet<Tick>,
    ) -> Result<TickerSession, TickerError> {
        #[cfg(feature = "faults")]
        crate::faults::symbols_are_wanted(symbols.symbols().iter().map(|symbol| symbol.name()));
        let TickerConfiguration {
            updates_per_second,
            seed,
            update_limit,
        } = self.configuration;
        let turns = Turns::new(symbols.count(), updates_per_second, update_limit);
        let walk = RandomWalk::new(symbols, seed.unwrap_or_else(rand::random));
        let session = self.sessions.start(|| {
            Box::new(TickerJob {
                paced: Paced::new(turns, outlet()),
                walk,
            })
        })?;
        if lane.is_some() {
            self.lane().clone_from(&lane);
        }
        Ok(LaneSession::new(session, lane.map(|lane| lane.ticks.clone())))
    }

    fn lane(&self) -> MutexGuard<'_, Option<Arc<PriceLane>>> {
        locked(&self.lane, Lock::TickerLane)
    }
}

#[cfg(test)]
mod tests;
