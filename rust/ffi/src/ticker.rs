//! The ticker: engines, and the start and drain of their sessions.

use crate::fault::{CallOr, DomainError};
use crate::lane::{BellSink, EventSink, Lane, LaneRecord, RecordLane, RustleLaneRequest};
use crate::lent::{Flag, Lent, RustleString};
use crate::object::{New, Object};
use crate::records::records;
use crate::runtime;
use crate::session::{Started, Stream};
use crate::sink::SinkGuts;
use crate::status::{
    CallFault, RustleStatus, RUSTLE_DUPLICATE_SYMBOL, RUSTLE_INVALID_LENGTH, RUSTLE_MALFORMED_SYMBOL,
    RUSTLE_NO_SYMBOLS, RUSTLE_POISONED, RUSTLE_RATE_OUT_OF_RANGE, RUSTLE_SHUT_DOWN, RUSTLE_SYMBOL_TOO_LONG,
    RUSTLE_TOO_MANY_SYMBOLS,
};
use crate::RustleHandle;
pub(crate) use rustle_engines::TickerEngine;
use rustle_engines::{LaneStatistics, Sessions, Tick, TickerConfiguration, TickerError, TickerSession};
use rustle_market::{PriceUpdate, SymbolError, MAX_SYMBOLS};

records! {
    /// How a ticker makes prices.
    pub struct RustleTickerConfiguration {
        /// Updates a second of each symbol, 0.001 to 10,000,000. Example: 1000.
        pub updates_per_second: f64,
        /// The seed of the random walk; read only when `has_seed` is not 0.
        pub seed: u64,
        /// The number of updates after which a session ends by itself; 0: it never does.
        pub update_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// 0: a seed is drawn for each session. Else `seed` is used.
        pub has_seed: Flag,
        reserved: u32,
    }
}

/// A session of a ticker.
#[repr(C)]
pub struct RustleTickerRequest {
    /// The symbols: 1 to 100,000 distinct names of 1 to 32 bytes without white space or control characters. A symbol is known by its
    /// place in this list from then on.
    pub symbols: Lent<RustleString>,
    /// Their number.
    pub symbol_count: usize,
    /// The lane of the updates.
    pub lane: RustleLaneRequest,
}

records! {
    /// A new price of one symbol.
    pub struct RustlePriceUpdate in lanes of Tick {
        /// The price in the quote currency; finite and above 0.
        pub price: f64,
        /// When it was made: milliseconds since 1970-01-01T00:00:00Z.
        pub timestamp_ms: i64,
        /// Its number in the session, over all symbols: 0, 1, 2 …
        pub sequence: u64,
        /// The symbol's place in the list that the session was started with.
        pub symbol: u32,
        /// On a frame lane the number of updates that were lost just before this one (with `RUSTLE_LANE_KEEP_LATEST`: of its
        /// own symbol); what is beyond 4,294,967,295 is reported with the updates that follow. 0 on the events lane.
        pub gap: u32,
    }
}

impl LaneRecord<PriceUpdate> for RustlePriceUpdate {
    fn new(update: &PriceUpdate, gap: u32) -> Self {
        Self {
            price: update.price,
            timestamp_ms: update.timestamp_ms,
            sequence: update.sequence,
            symbol: update.symbol.index(),
            gap,
        }
    }
}

impl Object for TickerEngine {
    const NAME: &'static str = "ticker";
    const KIND: u32 = 3;
    type Fault = TickerFault;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.sessions())
    }
}

impl New<RustleTickerConfiguration> for TickerEngine {
    /// Makes a ticker.
    ///
    /// Fails with `RUSTLE_RATE_OUT_OF_RANGE`.
    #[doc(alias = "rustle_ticker_new")]
    fn new(configuration: &RustleTickerConfiguration) -> Result<Self, TickerFault> {
        if configuration.reserved != 0 {
            return Err(CallFault::reserved("configuration.reserved").into());
        }
        let runtime = runtime::find(configuration.runtime)?;
        Ok(TickerEngine::on(runtime, configuration.into())?)
    }
}

impl Stream<RustleTickerRequest> for TickerEngine {
    type Record = RustlePriceUpdate;

    /// Starts a session. Events are `RustlePriceUpdate` records.
    ///
    /// Fails with `RUSTLE_NO_SYMBOLS` to `RUSTLE_TOO_MANY_SYMBOLS`.
    #[doc(alias = "rustle_ticker_start")]
    fn start(&self, request: &RustleTickerRequest, sink: SinkGuts) -> Result<Started, TickerFault> {
        let overflow = request.lane.overflow()?;
        let names = names(request)?;
        let session = match overflow {
            None => self.start_tracking(&names, EventSink::<RustlePriceUpdate>::new(sink))?,
            Some(overflow) => self.start_pulling(&names, overflow, request.lane.capacity, BellSink(sink))?,
        };
        Ok(Started::new(RecordLane::<RustlePriceUpdate, Tick, _>::new(
            session,
        )))
    }
}

/// The symbols of a request. A list that is too long is refused before it is read.
fn names(request: &RustleTickerRequest) -> Result<Vec<&str>, TickerFault> {
    if request.symbol_count > MAX_SYMBOLS {
        return Err(TickerError::Symbols(SymbolError::TooMany).into());
    }
    let symbols = request
        .symbols
        .slice(request.symbol_count, MAX_SYMBOLS, "request.symbols")?;
    let names = symbols.iter().map(|symbol| symbol.text("request.symbols"));
    Ok(names.collect::<Result<_, _>>()?)
}

impl Lane<Tick> for TickerSession {
    fn cancel(&self) {
        self.cancel();
    }

    fn drain(&self, most: usize, take: impl FnMut(Tick, u32)) -> Option<(usize, LaneStatistics)> {
        self.drain(most, take)
    }
}

impl From<&RustleTickerConfiguration> for TickerConfiguration {
    fn from(c: &RustleTickerConfiguration) -> Self {
        Self {
            updates_per_second: c.updates_per_second,
            seed: (c.has_seed.is_set()).then_some(c.seed),
            update_limit: (c.update_limit != 0).then_some(c.update_limit),
        }
    }
}

/// The number for what is wrong with a list of symbols.
pub(crate) fn symbol_status(error: &SymbolError) -> RustleStatus {
    match error {
        SymbolError::None => RUSTLE_NO_SYMBOLS,
        SymbolError::TooMany => RUSTLE_TOO_MANY_SYMBOLS,
        SymbolError::TooLong { .. } => RUSTLE_SYMBOL_TOO_LONG,
        SymbolError::Empty { .. } | SymbolError::Malformed { .. } => RUSTLE_MALFORMED_SYMBOL,
        SymbolError::Duplicate { .. } => RUSTLE_DUPLICATE_SYMBOL,
    }
}

/// A fault of a ticker call: of its arguments, or the engine's.
type TickerFault = CallOr<TickerError>;

impl DomainError for TickerError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Symbols(error) => symbol_status(error),
            Self::RateOutOfRange { .. } => RUSTLE_RATE_OUT_OF_RANGE,
            Self::CapacityOutOfRange { .. } => RUSTLE_INVALID_LENGTH,
            Self::ShutDown => RUSTLE_SHUT_DOWN,
            Self::Poisoned => RUSTLE_POISONED,
            Self::Runtime(error) => error.status(),
        }
    }
}
