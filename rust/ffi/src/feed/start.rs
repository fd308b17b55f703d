//! The starts of a feed's consumers. Each has a frame lane; its sink's bell rings when the lane stops being empty.

use super::configuration::{self, interval, RustleFeedPolicy, RustleFeedSubscription, RustleFeedThreshold};
use super::fault::FeedFault;
use super::find;
use super::records::{
    RUSTLE_NOTICES_ALL, RUSTLE_NOTICES_CONNECTION, RUSTLE_NOTICES_ROOM, RUSTLE_NOTICES_WANTED,
};
use super::session::FeedConsumer;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::lane::BellSink;
use crate::session::{self, EngineSession};
use crate::sink::RustleSink;
use crate::slice::out;
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{FeedEngine, Notices, Policy};

/// What all starts are: `start` reads their own arguments.
///
/// # Safety
/// The sink keeps the contract of `RustleSink`; `session` and `error` are NULL or valid for a write.
unsafe fn started(
    feed: RustleHandle,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
    start: impl FnOnce(&FeedEngine, BellSink) -> Result<FeedConsumer, FeedFault>,
) -> RustleStatus {
    let body = || -> Result<(), FeedFault> {
        let engine = find(feed)?;
        // SAFETY: the caller's promise about `session` is handed on.
        let session = unsafe { out(session, "session") }?;
        session::set_aside(session, sink, |sink| {
            Ok(EngineSession::Feed(start(&engine, BellSink(sink))?))
        })
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Starts a consumer of the quotes themselves. `session` receives the handle, to be freed with `rustle_session_free`; records
/// come from `rustle_feed_drain_quotes`. Callbacks may come before this function returns.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_UTF8`,
/// `RUSTLE_STALE_HANDLE`, `RUSTLE_DUPLICATE_SYMBOL` to `RUSTLE_TOO_MANY_SYMBOLS`, `RUSTLE_SHUT_DOWN`, `RUSTLE_POISONED`,
/// `RUSTLE_EXHAUSTED`; the sink was not taken then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `subscription` and `policy` are NULL or point to records that are not written during the call, as do the symbols and their
/// texts; the sink keeps the contract of `RustleSink`; `session` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_start_quotes(
    feed: RustleHandle,
    subscription: *const RustleFeedSubscription,
    policy: *const RustleFeedPolicy,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let start = |engine: &FeedEngine, bell| {
        // SAFETY: the caller's promises are handed on.
        let (wanted, policy) = unsafe { told(subscription, policy) }?;
        Ok(FeedConsumer::Quotes(engine.quotes(&wanted, policy, bell)?))
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { started(feed, sink, session, error, start) }
}

/// Starts a consumer of candles of `interval_ns`, 1 ns or more, that wait `lateness_ns` for quotes that come late, 0 to 64
/// intervals; see docs/market.md. Those that are open when the source comes to its end are handed out then. Records come from
/// `rustle_feed_drain_candles`. Else as `rustle_feed_start_quotes`.
///
/// Fails as `rustle_feed_start_quotes`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// As `rustle_feed_start_quotes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_start_candles(
    feed: RustleHandle,
    subscription: *const RustleFeedSubscription,
    interval_ns: i64,
    lateness_ns: i64,
    policy: *const RustleFeedPolicy,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let start = |engine: &FeedEngine, bell| {
        // SAFETY: the caller's promises are handed on.
        let (wanted, policy) = unsafe { told(subscription, policy) }?;
        let interval = interval(interval_ns, "interval_ns")?;
        let session = engine.candles(&wanted, interval, lateness_ns, policy, bell)?;
        Ok(FeedConsumer::Candles(session))
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { started(feed, sink, session, error, start) }
}

/// Starts a consumer of the statistics of each symbol's last `window_ns`, 1 ns or more, after each of its quotes. Records come
/// from `rustle_feed_drain_statistics`. Else as `rustle_feed_start_quotes`.
///
/// Fails as `rustle_feed_start_quotes`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// As `rustle_feed_start_quotes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_start_statistics(
    feed: RustleHandle,
    subscription: *const RustleFeedSubscription,
    window_ns: i64,
    policy: *const RustleFeedPolicy,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let start = |engine: &FeedEngine, bell| {
        // SAFETY: the caller's promises are handed on.
        let (wanted, policy) = unsafe { told(subscription, policy) }?;
        let window = interval(window_ns, "window_ns")?;
        let session = engine.statistics(&wanted, window, policy, bell)?;
        Ok(FeedConsumer::Statistics(session))
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { started(feed, sink, session, error, start) }
}

/// Starts a consumer of alerts: `threshold_count` prices to watch for at `thresholds`. Records come from
/// `rustle_feed_drain_alerts`. Else as `rustle_feed_start_quotes`.
///
/// Fails as `rustle_feed_start_quotes`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `thresholds` is NULL or points to `threshold_count` records whose texts are readable, and `policy` is NULL or points to a
/// record, none of them written during the call; the rest as `rustle_feed_start_quotes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_start_alerts(
    feed: RustleHandle,
    thresholds: *const RustleFeedThreshold,
    threshold_count: usize,
    policy: *const RustleFeedPolicy,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let start = |engine: &FeedEngine, bell| {
        // SAFETY: the caller's promise about `thresholds` is handed on.
        let thresholds = unsafe { configuration::thresholds(thresholds, threshold_count) }?;
        // SAFETY: the caller's promise about `policy` is handed on.
        let policy = unsafe { configuration::policy(policy) }?;
        Ok(FeedConsumer::Alerts(engine.alerts(&thresholds, policy, bell)?))
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { started(feed, sink, session, error, start) }
}

/// Starts a consumer of what is told of the source, `notices` being one of `RUSTLE_NOTICES_…`. Of what it does not take in
/// time the oldest are lost; `capacity` is the lane's size, 1 to 1,048,576. Records come from `rustle_feed_drain_notices`. Else
/// as `rustle_feed_start_quotes`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`, `RUSTLE_STALE_HANDLE`, `RUSTLE_SHUT_DOWN`, `RUSTLE_POISONED`,
/// `RUSTLE_EXHAUSTED`; the sink was not taken then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// The sink keeps the contract of `RustleSink`; `session` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_start_notices(
    feed: RustleHandle,
    notices: u32,
    capacity: usize,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let start = |engine: &FeedEngine, bell| {
        let notices = match notices {
            RUSTLE_NOTICES_ALL => Notices::All,
            RUSTLE_NOTICES_CONNECTION => Notices::Connection,
            RUSTLE_NOTICES_ROOM => Notices::Room,
            RUSTLE_NOTICES_WANTED => Notices::Wanted,
            _ => {
                let problem = "expected RUSTLE_NOTICES_…, got another number";
                return Err(CallFault::value("notices", problem).into());
            }
        };
        Ok(FeedConsumer::Notices(engine.notices(notices, capacity, bell)?))
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { started(feed, sink, session, error, start) }
}

/// # Safety
/// As `configuration::subscription` and `configuration::policy`.
unsafe fn told(
    subscription: *const RustleFeedSubscription,
    policy: *const RustleFeedPolicy,
) -> Result<(rustle_engines::Subscription, Policy), FeedFault> {
    // SAFETY: the caller's promise about `subscription` is handed on.
    let subscription = unsafe { configuration::subscription(subscription) }?;
    // SAFETY: the caller's promise about `policy` is handed on.
    Ok((subscription, unsafe { configuration::policy(policy) }?))
}
