//! What a feed, a consumer and an alert are told, as C says it.

use super::fault::FeedFault;
use crate::handle::RustleHandle;
use crate::slice::{borrowed, text, RustleString};
use crate::status::CallFault;
use rustle_engines::{
    Model, Overflow, Policy, ReplayConfiguration, SimulatedConfiguration, Subscription, Threshold,
};
use rustle_market::{Decimal, Direction, Format, GbmParameters, Interval, Pace, Schema};

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

/// All records are kept, up to a capacity; then the oldest are lost, and counted. As `RUSTLE_LANE_DROP_OLDEST`.
pub const RUSTLE_POLICY_DROP_OLDEST: u32 = 1;
/// All records are kept, up to a capacity; then the newest are lost, and counted. As `RUSTLE_LANE_DROP_NEWEST`.
pub const RUSTLE_POLICY_DROP_NEWEST: u32 = 2;
/// The newest record of each symbol is kept. As `RUSTLE_LANE_KEEP_LATEST`.
pub const RUSTLE_POLICY_KEEP_LATEST: u32 = 3;
/// The newest record of each symbol is handed over at even distances.
pub const RUSTLE_POLICY_SAMPLED: u32 = 4;
/// The source waits for room, so that nothing is lost.
pub const RUSTLE_POLICY_AWAITED: u32 = 5;

/// The alert fires at or above its level.
pub const RUSTLE_DIRECTION_ABOVE: u32 = 0;
/// The alert fires at or below its level.
pub const RUSTLE_DIRECTION_BELOW: u32 = 1;

/// How one symbol's price moves in geometric Brownian motion.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleGbmParameters {
    /// The first price, above 0, in units of 10^-`price_scale`; it moves by this unit.
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

/// The symbols that a consumer wants.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFeedSubscription {
    /// Distinct names, as those of a feed; they need not be known yet. Not read when `all` is not 0.
    pub symbols: *const RustleString,
    /// How many names, at most 100,000; none is a consumer that gets nothing until `rustle_feed_subscribe`.
    pub symbol_count: usize,
    /// Not 0: all symbols that there are and will be.
    pub all: u32,
    /// 0.
    pub reserved: u32,
}

/// What becomes of records that a consumer does not take in time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFeedPolicy {
    /// One of `RUSTLE_POLICY_…`.
    pub kind: u32,
    /// 0.
    pub reserved: u32,
    /// The lane's size, 1 to 1,048,576. Not read for `RUSTLE_POLICY_KEEP_LATEST` and `RUSTLE_POLICY_SAMPLED`.
    pub capacity: usize,
    /// The time between two samples in ns, 1 ms to 1 h. Read for `RUSTLE_POLICY_SAMPLED` only.
    pub interval_ns: u64,
}

/// A price that an alert watches for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFeedThreshold {
    /// Whose price; it need not be known yet.
    pub symbol: RustleString,
    /// The level in units of 10^-`level_scale`.
    pub level_units: i64,
    /// How far back the price has to go before the alert fires again, 0 or above, in units of 10^-`hysteresis_scale`.
    pub hysteresis_units: i64,
    /// One of `RUSTLE_DIRECTION_…`.
    pub direction: u32,
    /// Digits of the level after the point, 0 to 18.
    pub level_scale: u8,
    /// Digits of the hysteresis after the point, 0 to 18.
    pub hysteresis_scale: u8,
    /// 0.
    pub reserved: [u8; 2],
}

const RESERVED: &str = "expected 0, got another number";

fn decimal(units: i64, scale: u8, name: &'static str) -> Result<Decimal, CallFault> {
    let problem = "expected at most 18 digits, at most 18 of them after the point, got more";
    Decimal::new(units, scale).ok_or(CallFault::value(name, problem))
}

/// The names of a list.
///
/// # Safety
/// `symbols` is NULL or points to `count` records whose texts are readable.
pub(super) unsafe fn names(
    symbols: *const RustleString,
    count: usize,
    name: &'static str,
) -> Result<Vec<String>, CallFault> {
    // SAFETY: the caller's promise is handed on.
    let symbols = unsafe { borrowed(symbols, count, name) }?;
    symbols
        .iter()
        // SAFETY: the caller promises that each record's text is readable.
        .map(|symbol| Ok(unsafe { text(*symbol, name) }?.to_owned()))
        .collect()
}

/// # Safety
/// What the record points to is readable.
pub(super) unsafe fn simulated(c: &RustleSimulatedFeed) -> Result<SimulatedConfiguration, FeedFault> {
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
pub(super) unsafe fn replay(c: &RustleReplayFeed) -> Result<ReplayConfiguration, FeedFault> {
    if c.reserved != 0 {
        return Err(CallFault::value("configuration.reserved", RESERVED).into());
    }
    let format = match c.format {
        RUSTLE_FORMAT_BY_NAME => None,
        RUSTLE_FORMAT_NDJSON => Some(Format::Ndjson),
        RUSTLE_FORMAT_CSV => Some(Format::Csv),
        _ => {
            let problem = "expected RUSTLE_FORMAT_…, got another number";
            return Err(CallFault::value("configuration.format", problem).into());
        }
    };
    // SAFETY: the caller promises that the text is readable.
    let path = unsafe { text(c.path, "configuration.path") }?;
    // SAFETY: as above.
    let schema = unsafe { text(c.schema, "configuration.schema") }?;
    Ok(ReplayConfiguration {
        path: path.into(),
        format,
        schema: if schema.is_empty() {
            Schema::default()
        } else {
            Schema::parse(schema)?
        },
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
/// `subscription` is NULL or points to a record whose symbols and their texts are readable.
pub(super) unsafe fn subscription(
    subscription: *const RustleFeedSubscription,
) -> Result<Subscription, CallFault> {
    // SAFETY: the caller's promise is handed on; `as_ref` tests for NULL.
    let record = unsafe { subscription.as_ref() }.ok_or(CallFault::null("subscription"))?;
    if record.reserved != 0 {
        return Err(CallFault::value("subscription.reserved", RESERVED));
    }
    if record.all != 0 {
        return Ok(Subscription::All);
    }
    // SAFETY: the caller's promise is handed on.
    let names = unsafe { names(record.symbols, record.symbol_count, "subscription.symbols") }?;
    Ok(Subscription::Symbols(names))
}

/// # Safety
/// `policy` is NULL or points to a record.
pub(super) unsafe fn policy(policy: *const RustleFeedPolicy) -> Result<Policy, CallFault> {
    // SAFETY: the caller's promise is handed on; `as_ref` tests for NULL.
    let record = unsafe { policy.as_ref() }.ok_or(CallFault::null("policy"))?;
    if record.reserved != 0 {
        return Err(CallFault::value("policy.reserved", RESERVED));
    }
    let all = |overflow| Policy::All {
        overflow,
        capacity: record.capacity,
    };
    match record.kind {
        RUSTLE_POLICY_DROP_OLDEST => Ok(all(Overflow::DropOldest)),
        RUSTLE_POLICY_DROP_NEWEST => Ok(all(Overflow::DropNewest)),
        RUSTLE_POLICY_KEEP_LATEST => Ok(Policy::Latest),
        RUSTLE_POLICY_SAMPLED => Ok(Policy::Sampled {
            interval: record.interval_ns,
        }),
        RUSTLE_POLICY_AWAITED => Ok(Policy::Awaited {
            capacity: record.capacity,
        }),
        _ => Err(CallFault::value(
            "policy.kind",
            "expected RUSTLE_POLICY_…, got another number",
        )),
    }
}

/// # Safety
/// `thresholds` is NULL or points to `count` records whose texts are readable.
pub(super) unsafe fn thresholds(
    thresholds: *const RustleFeedThreshold,
    count: usize,
) -> Result<Vec<Threshold>, CallFault> {
    // SAFETY: the caller's promise is handed on.
    let records = unsafe { borrowed(thresholds, count, "thresholds") }?;
    let read = |record: &RustleFeedThreshold| {
        if record.reserved != [0; 2] {
            return Err(CallFault::value("thresholds.reserved", RESERVED));
        }
        Ok(Threshold {
            // SAFETY: the caller promises that each record's text is readable.
            symbol: unsafe { text(record.symbol, "thresholds.symbol") }?.to_owned(),
            direction: match record.direction {
                RUSTLE_DIRECTION_ABOVE => Direction::Above,
                RUSTLE_DIRECTION_BELOW => Direction::Below,
                _ => {
                    let problem = "expected RUSTLE_DIRECTION_…, got another number";
                    return Err(CallFault::value("thresholds.direction", problem));
                }
            },
            level: decimal(record.level_units, record.level_scale, "thresholds.level")?,
            hysteresis: decimal(
                record.hysteresis_units,
                record.hysteresis_scale,
                "thresholds.hysteresis",
            )?,
        })
    };
    records.iter().map(read).collect()
}

/// A length of time.
pub(super) fn interval(ns: i64, name: &'static str) -> Result<Interval, CallFault> {
    Interval::from_ns(ns).ok_or(CallFault::value(name, "expected 1 ns or more, got less"))
}
