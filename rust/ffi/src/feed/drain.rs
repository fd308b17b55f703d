//! The drains of a feed's consumers.

use super::records::{RustleCandle, RustleFeedNotice, RustlePriceAlert, RustlePriceStatistics, RustleQuote};
use super::session::FeedConsumer;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::lane::{drained, LaneRecord, Places, RustleLaneStatistics};
use crate::session::{self, EngineSession};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{FeedAlert, FeedQuote, FeedSession, LaneStatistics, Notice};
use rustle_market::{Candle, Statistics};

/// A record of one kind of consumer.
trait FeedRecord: LaneRecord<Self::Native> {
    /// The engine's record.
    type Native: Copy;

    /// The consumer's session, if it is one of this kind.
    fn session(consumer: &FeedConsumer) -> Option<&FeedSession<Self::Native>>;
}

macro_rules! of_consumers {
    ($($record:ident $native:ident $kind:ident)*) => {$(
        impl FeedRecord for $record {
            type Native = $native;

            fn session(consumer: &FeedConsumer) -> Option<&FeedSession<$native>> {
                match consumer {
                    FeedConsumer::$kind(session) => Some(session),
                    _ => None,
                }
            }
        }
    )*};
}

of_consumers! {
    RustleQuote FeedQuote Quotes
    RustleCandle Candle Candles
    RustlePriceStatistics Statistics Statistics
    RustlePriceAlert FeedAlert Alerts
    RustleFeedNotice Notice Notices
}

/// What all drains are.
///
/// # Safety
/// As `rustle_feed_drain_quotes`.
unsafe fn drain<Record: FeedRecord>(
    session: RustleHandle,
    buffer: *mut Record,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let session = session::find(session)?;
        let drain = |places: &mut Places<'_, Record>| -> Option<Option<(usize, LaneStatistics)>> {
            let EngineSession::Feed(consumer) = &session.engine else {
                return None;
            };
            let session = Record::session(consumer)?;
            Some(Some(
                session.drain(places.room(), |record, gap| places.put(&record, gap)),
            ))
        };
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe { drained(buffer, capacity, count, statistics, drain) }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded::<CallFault>(error, body) }
}

/// Moves at most `capacity` waiting quotes into `buffer`, the longest waiting first. `count` receives their number;
/// `statistics`, which may be NULL, what went through the lane up to and including them. Works after the session's end, until
/// its handle is freed.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (a session of
/// another engine, or of another kind of consumer); nothing is taken then.
///
/// Thread-safe: yes. Realtime-safe: no (it shares a lock with the worker, held for copies only).
///
/// # Safety
/// `buffer` is NULL or valid for writes of `capacity` records; `count`, `statistics` and `error` are NULL or valid for a
/// write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_drain_quotes(
    session: RustleHandle,
    buffer: *mut RustleQuote,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { drain(session, buffer, capacity, count, statistics, error) }
}

/// As `rustle_feed_drain_quotes`, for candles.
///
/// Fails as `rustle_feed_drain_quotes`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// As `rustle_feed_drain_quotes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_drain_candles(
    session: RustleHandle,
    buffer: *mut RustleCandle,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { drain(session, buffer, capacity, count, statistics, error) }
}

/// As `rustle_feed_drain_quotes`, for statistics.
///
/// Fails as `rustle_feed_drain_quotes`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// As `rustle_feed_drain_quotes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_drain_statistics(
    session: RustleHandle,
    buffer: *mut RustlePriceStatistics,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { drain(session, buffer, capacity, count, statistics, error) }
}

/// As `rustle_feed_drain_quotes`, for alerts.
///
/// Fails as `rustle_feed_drain_quotes`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// As `rustle_feed_drain_quotes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_drain_alerts(
    session: RustleHandle,
    buffer: *mut RustlePriceAlert,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { drain(session, buffer, capacity, count, statistics, error) }
}

/// As `rustle_feed_drain_quotes`, for notices.
///
/// Fails as `rustle_feed_drain_quotes`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// As `rustle_feed_drain_quotes`.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_drain_notices(
    session: RustleHandle,
    buffer: *mut RustleFeedNotice,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { drain(session, buffer, capacity, count, statistics, error) }
}
