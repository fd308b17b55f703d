//! The ticker: engines, and the start and drain of their sessions.

use crate::fault::{CallOr, DomainError};
use crate::guard::guarded;
use crate::handle::{Kind, RustleHandle, SlotTable};
use crate::lane::{drained, BellSink, EventSink, LaneRecord, RustleLaneStatistics};
use crate::session::{self, EngineSession};
use crate::sink::RustleSink;
use crate::slice::{borrowed, out, text, RustleString};
use crate::status::{
    CallFault, RustleError, RustleStatus, RUSTLE_DUPLICATE_SYMBOL, RUSTLE_EXHAUSTED, RUSTLE_INVALID_LENGTH,
    RUSTLE_MALFORMED_SYMBOL, RUSTLE_NO_SYMBOLS, RUSTLE_POISONED, RUSTLE_RATE_OUT_OF_RANGE, RUSTLE_SHUT_DOWN,
    RUSTLE_SYMBOL_TOO_LONG, RUSTLE_TOO_MANY_SYMBOLS, RUSTLE_WRONG_STATE,
};
use crate::{handle::Pinned, runtime};
use rustle_engines::{RuntimeError, Tick, TickerConfiguration, TickerEngine, TickerError};
use rustle_market::{PriceUpdate, SymbolError};

/// How a ticker makes prices.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleTickerConfiguration {
    /// Updates a second of each symbol, 0.001 to 10,000,000.
    pub updates_per_second: f64,
    /// The seed of the random walk; read only when `has_seed` is not 0.
    pub seed: u64,
    /// The number of updates after which a session ends by itself; 0: it never does.
    pub update_limit: u64,
    /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
    pub runtime: RustleHandle,
    /// 0: a seed is drawn for each session. Else `seed` is used.
    pub has_seed: u32,
    /// 0.
    pub reserved: u32,
}

/// A new price of one symbol.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePriceUpdate {
    /// The price in the quote currency; finite and above 0.
    pub price: f64,
    /// When it was made: milliseconds since 1970-01-01T00:00:00Z.
    pub timestamp_ms: i64,
    /// Its number in the session, over all symbols: 0, 1, 2 …
    pub sequence: u64,
    /// The symbol's place in the list that the session was started with.
    pub symbol: u32,
    /// On a frame lane the number of updates that were lost just before this one (with `RUSTLE_LANE_KEEP_LATEST`: of its
    /// own symbol); what is beyond 4,294,967,295 is told with the updates that follow. 0 on the events lane.
    pub gap: u32,
}

impl LaneRecord<Tick> for RustlePriceUpdate {
    fn new(tick: &Tick, gap: u32) -> Self {
        Self {
            price: tick.price,
            timestamp_ms: tick.timestamp_ms,
            sequence: tick.sequence,
            symbol: tick.symbol,
            gap,
        }
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

static TICKERS: SlotTable<TickerEngine> = SlotTable::new(Kind::Ticker);

/// Makes a ticker. `ticker` receives its handle, to be freed with `rustle_ticker_free`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_RATE_OUT_OF_RANGE`, `RUSTLE_INVALID_VALUE` (a `reserved` other than 0),
/// `RUSTLE_STALE_HANDLE` (the runtime's), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration that is not written during the call; `ticker` and `error` are
/// NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_ticker_new(
    configuration: *const RustleTickerConfiguration,
    ticker: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        if configuration.reserved != 0 {
            return Err(CallFault::value("configuration.reserved", "expected 0, got another number").into());
        }
        // SAFETY: the caller's promise about `ticker` is handed on.
        let ticker = unsafe { out(ticker, "ticker") }?;
        let runtime = runtime::find(configuration.runtime)?;
        let engine = TickerEngine::on(runtime, TickerConfiguration::from(configuration))?;
        *ticker = TICKERS.insert(engine)?;
        Ok::<(), TickerFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Starts a session. `symbols` are 1 to 100,000 distinct names of 1 to 32 bytes without white space or control
/// characters, read during the call only; a symbol is known by its place in this list from then on. `lane` is one of
/// `RUSTLE_LANE_…`; `capacity` is the ring's size, 1 to 1,048,576, and is not read for the events lane. `session` receives
/// the handle, to be freed with `rustle_session_free`. Callbacks may come before this function returns.
///
/// Events are `RustlePriceUpdate` records.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_UTF8`,
/// `RUSTLE_STALE_HANDLE`, `RUSTLE_NO_SYMBOLS` to `RUSTLE_TOO_MANY_SYMBOLS`, `RUSTLE_SHUT_DOWN`, `RUSTLE_POISONED`,
/// `RUSTLE_EXHAUSTED`; the sink was not taken then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `symbols` is NULL or points to `symbol_count` records whose texts are readable; the sink keeps the contract of
/// `RustleSink`; `session` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_ticker_start(
    ticker: RustleHandle,
    symbols: *const RustleString,
    symbol_count: usize,
    lane: u32,
    capacity: usize,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let engine = find(ticker)?;
        // SAFETY: the caller's promise about `session` is handed on.
        let session = unsafe { out(session, "session") }?;
        // SAFETY: the caller's promise about `symbols` is handed on.
        let symbols = unsafe { borrowed(symbols, symbol_count, "symbols") }?;
        let names: Vec<&str> = symbols
            .iter()
            // SAFETY: the caller promises that each record's text is readable.
            .map(|symbol| unsafe { text(*symbol, "symbols") })
            .collect::<Result<_, _>>()?;
        session::started(session, lane, sink, |overflow, sink| {
            Ok::<_, TickerFault>(EngineSession::Ticker(match overflow {
                None => engine.start_tracking(&names, EventSink::<RustlePriceUpdate>::new(sink))?,
                Some(overflow) => engine.start_pulling(&names, overflow, capacity, BellSink(sink))?,
            }))
        })
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Moves at most `capacity` waiting updates of a frame lane into `buffer`, the longest waiting first. `count` receives
/// their number; `statistics`, which may be NULL, what went through the lane up to and including them. Works after the
/// session's end, until its handle is freed.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (a session of
/// the events lane, or of another engine); nothing is taken then.
///
/// Thread-safe: yes. Realtime-safe: no (it shares a lock with the worker, held for copies only).
///
/// # Safety
/// `buffer` is NULL or valid for writes of `capacity` records; `count`, `statistics` and `error` are NULL or valid for a
/// write.
#[no_mangle]
pub unsafe extern "C" fn rustle_ticker_drain(
    session: RustleHandle,
    buffer: *mut RustlePriceUpdate,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let session = session::find(session)?;
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe {
            drained(buffer, capacity, count, statistics, |places| {
                match &session.engine {
                    EngineSession::Ticker(session) => {
                        Some(session.drain(places.room(), |tick, gap| places.put(&tick, gap)))
                    }
                    _ => None,
                }
            })
        }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Cancels every session of a ticker. Idempotent; later starts are welcome.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_ticker_cancel(ticker: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(ticker)?.cancel();
            Ok::<(), CallFault>(())
        })
    }
}

/// Cancels every session of a ticker; later starts fail with `RUSTLE_SHUT_DOWN`. Idempotent.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_ticker_shut_down(
    ticker: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(ticker)?.shut_down();
            Ok::<(), CallFault>(())
        })
    }
}

/// Makes a ticker's handle stale and cancels its sessions, whose releases follow.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_ticker_free(ticker: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || TICKERS.remove(ticker, "ticker")) }
}

fn find(ticker: RustleHandle) -> Result<Pinned<'static, TickerEngine>, CallFault> {
    TICKERS.pin(ticker, "ticker")
}

impl From<&RustleTickerConfiguration> for TickerConfiguration {
    fn from(c: &RustleTickerConfiguration) -> Self {
        Self {
            updates_per_second: c.updates_per_second,
            seed: (c.has_seed != 0).then_some(c.seed),
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
            Self::Runtime(RuntimeError::Forked { .. }) => RUSTLE_WRONG_STATE,
            Self::Runtime(_) => RUSTLE_EXHAUSTED,
        }
    }
}
