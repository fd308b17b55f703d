//! What a consumer and an alert are told, as C says it.

use crate::slice::{borrowed, text, RustleString};
use crate::status::CallFault;
use rustle_engines::{Overflow, Policy, Subscription, Threshold};
use rustle_market::{Decimal, Direction, Interval};

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

pub(super) const RESERVED: &str = "expected 0, got another number";

pub(super) fn decimal(units: i64, scale: u8, name: &'static str) -> Result<Decimal, CallFault> {
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
