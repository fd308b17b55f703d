//! Where a feed's quotes come from, as C says it.

use super::configuration::{decimal, names, RESERVED};
use super::fault::FeedFault;
use crate::handle::RustleHandle;
use crate::slice::{borrowed, text, RustleString};
use crate::status::CallFault;
use rustle_engines::{
    FeedError, LiveConfiguration, Model, PushedConfiguration, ReplayConfiguration, SimulatedConfiguration,
    SourceConfiguration,
};
use rustle_market::{BackoffSettings, Format, GbmParameters, Pace, Schema, DEFAULT_LINE_BYTES};
use std::time::Duration;

/// Prices move by small random steps, all the same in size.
pub const RUSTLE_MODEL_WALK: u32 = 0;
/// Prices follow geometric Brownian motion.
pub const RUSTLE_MODEL_GBM: u32 = 1;

/// The format that the ending of the file's name says: `.ndjson`, `.jsonl`, `.json` or `.csv`.
pub const RUSTLE_FORMAT_BY_NAME: u32 = 0;
/// A JSON text a line.
pub const RUSTLE_FORMAT_NDJSON: u32 = 1;
/// Comma-separated values with a header.
pub const RUSTLE_FORMAT_CSV: u32 = 2;

/// How one symbol's price moves in geometric Brownian motion.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleGbmParameters {
    /// The price that it moves from, in units of 10^-`price_scale`: 1 to 10^15. It moves by this unit; the first quote is a step on.
    pub price_units: i64,
    /// The expected growth per year as a continuous rate, -1,000 to 1,000.
    pub drift: f64,
    /// The standard deviation of the price's logarithm after a year, 0 to 1,000.
    pub volatility: f64,
    /// Digits of the price after the point, 0 to 18.
    pub price_scale: u32,
    /// 0.
    pub reserved: u32,
}

/// A feed of prices that are made up.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleSimulatedFeed {
    /// The symbols that there are: distinct names of 1 to 32 bytes without white space or control characters.
    pub symbols: *const RustleString,
    /// How many symbols, 1 to 100,000.
    pub symbol_count: usize,
    /// How prices move with `RUSTLE_MODEL_GBM`, in the order of the symbols; those that are missing have no drift and a
    /// volatility of 0.5. Not read for other models.
    pub parameters: *const RustleGbmParameters,
    /// How many parameters, at most as many as symbols.
    pub parameter_count: usize,
    /// Updates a second of each symbol, 0.001 to 10,000,000.
    pub updates_per_second: f64,
    /// The same seed, symbols and model give the same prices.
    pub seed: u64,
    /// The number of updates after which the source ends; 0: it does not.
    pub update_limit: u64,
    /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
    pub runtime: RustleHandle,
    /// One of `RUSTLE_MODEL_…`.
    pub model: u32,
    /// 0.
    pub reserved: u32,
}

/// A feed that plays a file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleReplayFeed {
    /// The file.
    pub path: RustleString,
    /// How its messages make quotes, as text: `symbol=s,price=p,time=T:ms`; empty: the schema of `rustle ticker --json`.
    pub schema: RustleString,
    /// How many times as fast as it was recorded, 0.001 to 1,000,000; 0: without waiting.
    pub speed: f64,
    /// Quotes before this time are passed over: nanoseconds since 1970-01-01T00:00:00Z. Read only when `has_from` is not 0.
    pub from_ns: i64,
    /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
    pub runtime: RustleHandle,
    /// One of `RUSTLE_FORMAT_…`.
    pub format: u32,
    /// Not 0: it begins again when it has come to its end.
    pub repeats: u32,
    /// Not 0: `from_ns` counts.
    pub has_from: u32,
    /// 0.
    pub reserved: u32,
}

/// A feed from another process, over a connection that is made again whenever it is lost.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleLiveFeed {
    /// Where it is: `host:port`, `tcp://host:port`, `[::1]:port` or `unix:/path`.
    pub address: RustleString,
    /// How its messages, one a line, make quotes, as text; empty: the schema of `rustle ticker --json`.
    pub schema: RustleString,
    /// How long it may take to accept a connection, in ns: 10 ms to 1 day.
    pub connecting_ns: u64,
    /// How long it may be silent before the connection counts as lost, in ns: 10 ms to 1 day; 0: for ever.
    pub silence_ns: u64,
    /// The longest wait before the second attempt, in ns: 1 ms to `cap_ns`. It doubles with each failure in a row.
    pub base_ns: u64,
    /// What it stops growing at, in ns: at most 1 day.
    pub cap_ns: u64,
    /// A connection that held for so many ns counts as healthy: the next failure is the first again.
    pub healthy_ns: u64,
    /// The runtime of its consumers: 0 for the shared one, or a handle of `rustle_runtime_new_manual`. The connection is read on
    /// a thread of its own whatever the runtime.
    pub runtime: RustleHandle,
    /// Not 0: the numbers of its quotes begin anew with each connection. Where they go on, what was sent while there was no
    /// connection is told as skipped.
    pub restarts_numbers: u32,
    /// Not 0: it is told which symbols are wanted, after each connection and each change; see docs/market.md.
    pub subscribes: u32,
}

/// A feed whose bytes the host brings, by `rustle_feed_push`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePushedFeed {
    /// How its messages, one a line, make quotes, as text; empty: the schema of `rustle ticker --json`.
    pub schema: RustleString,
    /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
    pub runtime: RustleHandle,
    /// The most bytes of a message, 1 to 16,777,216; a longer one is counted and skipped. 0: 65,536.
    pub message_limit: usize,
    /// `RUSTLE_FORMAT_NDJSON` or `RUSTLE_FORMAT_CSV`.
    pub format: u32,
    /// Not 0: the numbers of its quotes begin anew with each connection that the host tells of.
    pub restarts_numbers: u32,
}

/// A record that a feed is made of.
pub(super) trait SourceRecord {
    /// The runtime that it names.
    fn runtime(&self) -> RustleHandle;

    /// What it says.
    ///
    /// # Errors
    /// It says what cannot be.
    ///
    /// # Safety
    /// What the record points to is readable.
    unsafe fn read(&self) -> Result<SourceConfiguration, FeedFault>;
}

macro_rules! source_records {
    ($($record:ident $source:ident $read:ident)*) => {$(
        impl SourceRecord for $record {
            fn runtime(&self) -> RustleHandle {
                self.runtime
            }

            unsafe fn read(&self) -> Result<SourceConfiguration, FeedFault> {
                // SAFETY: the caller's promise is handed on.
                Ok(SourceConfiguration::$source(unsafe { $read(self) }?))
            }
        }
    )*};
}

source_records! {
    RustleSimulatedFeed Simulated simulated
    RustleReplayFeed Replay replay
    RustleLiveFeed Live live
    RustlePushedFeed Pushed pushed
}

/// # Safety
/// What the record points to is readable.
unsafe fn simulated(c: &RustleSimulatedFeed) -> Result<SimulatedConfiguration, FeedFault> {
    if c.reserved != 0 {
        return Err(CallFault::value("configuration.reserved", RESERVED).into());
    }
    let model = match c.model {
        RUSTLE_MODEL_WALK => Model::Walk,
        RUSTLE_MODEL_GBM => {
            // SAFETY: the caller's promise is handed on.
            let given = unsafe { borrowed(c.parameters, c.parameter_count, "configuration.parameters") }?;
            Model::Gbm(given.iter().map(gbm).collect::<Result<_, _>>()?)
        }
        _ => {
            let problem = "expected RUSTLE_MODEL_…, got another number";
            return Err(CallFault::value("configuration.model", problem).into());
        }
    };
    Ok(SimulatedConfiguration {
        // SAFETY: the caller's promise is handed on.
        symbols: unsafe { names(c.symbols, c.symbol_count, "configuration.symbols") }?,
        updates_per_second: c.updates_per_second,
        seed: c.seed,
        update_limit: (c.update_limit != 0).then_some(c.update_limit),
        model,
    })
}

fn gbm(p: &RustleGbmParameters) -> Result<GbmParameters, CallFault> {
    if p.reserved != 0 {
        return Err(CallFault::value("parameters.reserved", RESERVED));
    }
    let scale = u8::try_from(p.price_scale).unwrap_or(u8::MAX);
    Ok(GbmParameters {
        price: decimal(p.price_units, scale, "parameters.price")?,
        drift: p.drift,
        volatility: p.volatility,
    })
}

/// # Safety
/// The record's texts are readable.
unsafe fn replay(c: &RustleReplayFeed) -> Result<ReplayConfiguration, FeedFault> {
    if c.reserved != 0 {
        return Err(CallFault::value("configuration.reserved", RESERVED).into());
    }
    let format = match c.format {
        RUSTLE_FORMAT_BY_NAME => None,
        number => Some(format(number)?),
    };
    // SAFETY: the caller promises that the text is readable.
    let path = unsafe { text(c.path, "configuration.path") }?;
    Ok(ReplayConfiguration {
        path: path.into(),
        format,
        // SAFETY: as above.
        schema: unsafe { schema(c.schema) }?,
        pace: if c.speed == 0.0 {
            Pace::Unpaced
        } else {
            Pace::Times(c.speed)
        },
        repeats: c.repeats != 0,
        from_ns: (c.has_from != 0).then_some(c.from_ns),
    })
}

/// # Safety
/// The record's texts are readable.
unsafe fn live(c: &RustleLiveFeed) -> Result<LiveConfiguration, FeedFault> {
    // SAFETY: the caller promises that the text is readable.
    let address = unsafe { text(c.address, "configuration.address") }?;
    Ok(LiveConfiguration {
        address: address.parse().map_err(FeedError::from)?,
        // SAFETY: as above.
        schema: unsafe { schema(c.schema) }?,
        connecting: Duration::from_nanos(c.connecting_ns),
        silence: (c.silence_ns != 0).then_some(Duration::from_nanos(c.silence_ns)),
        backoff: BackoffSettings {
            base_ns: c.base_ns,
            cap_ns: c.cap_ns,
            healthy_ns: c.healthy_ns,
        },
        restarts_numbers: c.restarts_numbers != 0,
        subscribes: c.subscribes != 0,
    })
}

/// # Safety
/// The record's texts are readable.
unsafe fn pushed(c: &RustlePushedFeed) -> Result<PushedConfiguration, FeedFault> {
    Ok(PushedConfiguration {
        format: format(c.format)?,
        // SAFETY: the caller promises that the text is readable.
        schema: unsafe { schema(c.schema) }?,
        message_limit: match c.message_limit {
            0 => DEFAULT_LINE_BYTES,
            limit => limit,
        },
        restarts_numbers: c.restarts_numbers != 0,
    })
}

fn format(number: u32) -> Result<Format, CallFault> {
    match number {
        RUSTLE_FORMAT_NDJSON => Ok(Format::Ndjson),
        RUSTLE_FORMAT_CSV => Ok(Format::Csv),
        _ => {
            let problem = "expected RUSTLE_FORMAT_…, got another number";
            Err(CallFault::value("configuration.format", problem))
        }
    }
}

/// # Safety
/// The text is readable.
unsafe fn schema(schema: RustleString) -> Result<Schema, FeedFault> {
    // SAFETY: the caller's promise is handed on.
    let schema = unsafe { text(schema, "configuration.schema") }?;
    if schema.is_empty() {
        return Ok(Schema::default());
    }
    Ok(Schema::parse(schema).map_err(FeedError::from)?)
}
