//! The ticker: engines, and the start and drain of their sessions.

use crate::fault::{statuses, CallOr, DomainError, Outcome};
use crate::lane::{BellSink, EventSink, RustleLaneRequest};
use crate::lent::{Flag, Lent, RustleString};
use crate::object::{New, Object};
use crate::records::records;
use crate::runtime;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use crate::RustleHandle;
pub(crate) use rustle_engines::TickerEngine;
use rustle_engines::{Sessions, Tick, TickerConfiguration, TickerError};
use rustle_market::{SymbolError, MAX_SYMBOLS, MAX_SYMBOL_BYTES};

records! {
    /// The configuration of a ticker.
    pub struct RustleTickerConfiguration {
        /// Updates per second of each symbol, 0.001 to 10,000,000. Example: 1000.
        pub updates_per_second: f64,
        /// The seed of the random walk; read only when `has_seed` is not 0.
        pub seed: u64,
        /// The number of updates after which a session ends; 0: no limit.
        pub update_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// 0: each session draws a seed. Otherwise `seed` is used. Example: 1.
        pub has_seed: Flag,
        reserved: u32,
    }

    /// The configuration of a ticker's session.
    pub struct RustleTickerRequest lending memory {
        /// The symbols: 1 to 100,000 distinct names of 1 to 32 bytes without white space or control characters. Updates refer to
        /// a symbol by its index in this list.
        pub symbols: Lent<RustleString>,
        /// The number of symbols.
        pub symbol_count: usize,
        /// The lane of the updates.
        pub lane: RustleLaneRequest,
    }

    /// A new price of one symbol.
    pub struct RustlePriceUpdate in lanes of Tick {
        /// The price in the quote currency; finite and above 0.
        pub price: f64,
        /// The time of the update in milliseconds since 1970-01-01T00:00:00Z.
        pub timestamp_ms: i64,
        /// The sequence number in the session, over all symbols: 0, 1, 2 …
        pub sequence: u64,
        /// The symbol's index in the list that the session was started with.
        pub symbol: u32,
        /// On a batched lane the number of updates dropped just before this one (with `RUSTLE_LANE_CONFLATE`: of its own symbol);
        /// the excess over 4,294,967,295 is reported with the updates that follow. 0 on the per-value lane.
        pub gap: u32,
    }
}

impl Object for TickerEngine {
    const NAME: &'static str = "ticker";
    const KIND: u32 = 3;
    type Error = TickerError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.sessions())
    }
}

impl New<RustleTickerConfiguration> for TickerEngine {
    /// Makes a ticker.
    ///
    /// Fails with `RUSTLE_RATE_OUT_OF_RANGE`.
    fn new(c: &RustleTickerConfiguration) -> Outcome<TickerError, Self> {
        CallFault::check_reserved(c.reserved, "configuration.reserved")?;
        let configuration = TickerConfiguration {
            updates_per_second: c.updates_per_second,
            seed: c.has_seed.is_set().then_some(c.seed),
            update_limit: (c.update_limit != 0).then_some(c.update_limit),
        };
        Ok(TickerEngine::on(runtime::find(c.runtime)?, configuration)?)
    }
}

impl Stream<RustleTickerRequest> for TickerEngine {
    type Record = RustlePriceUpdate;

    /// Starts a session. Events are `RustlePriceUpdate` records.
    ///
    /// Fails with `RUSTLE_NO_SYMBOLS` to `RUSTLE_TOO_MANY_SYMBOLS`.
    fn start(&self, request: &RustleTickerRequest, sink: RawSink) -> Outcome<TickerError, Started> {
        let overflow = request.lane.overflow()?;
        let names = lent_names(&request.symbols, request.symbol_count, "request.symbols")?;
        let session = match overflow {
            None => self.start_pushing(&names, EventSink::<RustlePriceUpdate>::new(sink))?,
            Some(overflow) => self.start_pulling(&names, overflow, request.lane.capacity, BellSink(sink))?,
        };
        Ok(Started::of::<RustlePriceUpdate, _>(session))
    }
}

/// The names of a record's list. A list that is too long is refused before it is read.
pub(crate) fn lent_names<'a, E: DomainError + From<SymbolError>>(
    symbols: &'a Lent<RustleString>,
    count: usize,
    name: &'static str,
) -> Result<Vec<&'a str>, CallOr<E>> {
    if count > MAX_SYMBOLS {
        return Err(E::from(SymbolError::TooMany { got: count }).into());
    }
    let symbols = symbols.slice(count, MAX_SYMBOLS, name)?;
    check_lengths(symbols).map_err(E::from)?;
    Ok(RustleString::texts(symbols, name)?)
}

/// Refuses names that are too long before they are read: a list may lend the same long text many times.
pub(crate) fn check_lengths<'a>(
    names: impl IntoIterator<Item = &'a RustleString>,
) -> Result<(), SymbolError> {
    let mut lengths = names.into_iter().map(|name| name.length).enumerate();
    match lengths.find(|(_, bytes)| *bytes > MAX_SYMBOL_BYTES) {
        None => Ok(()),
        Some((position, bytes)) => Err(SymbolError::TooLong { position, bytes }),
    }
}

statuses!(SymbolError {
    RUSTLE_NO_SYMBOLS: None,
    RUSTLE_TOO_MANY_SYMBOLS: TooMany,
    RUSTLE_SYMBOL_TOO_LONG: TooLong,
    RUSTLE_MALFORMED_SYMBOL: Empty Malformed,
    RUSTLE_DUPLICATE_SYMBOL: Duplicate,
});

statuses!(TickerError {
    RUSTLE_RATE_OUT_OF_RANGE: RateOutOfRange,
    RUSTLE_INVALID_LENGTH: CapacityOutOfRange,
    RUSTLE_SHUT_DOWN: ShutDown,
    RUSTLE_POISONED: Poisoned,
    _: Symbols Runtime,
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_that_is_too_long_was_read_and_copied_before_it_was_refused() {
        // SAFETY: at NULL nothing is read.
        let data = unsafe { Lent::new(std::ptr::null()) };
        let name = [RustleString { data, length: 33 }];
        let refusal = check_lengths(&name);
        assert!(matches!(
            refusal,
            Err(SymbolError::TooLong {
                position: 0,
                bytes: 33
            })
        ));
    }
}
