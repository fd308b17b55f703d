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

/// What all drains do: `of` gives a consumer's session if it is of the right kind.
///
/// # Safety
/// As `lane::drained`.
unsafe fn moved<Native: Copy, Record: LaneRecord<Native>>(
    session: RustleHandle,
    buffer: *mut Record,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    of: impl FnOnce(&FeedConsumer) -> Option<&FeedSession<Native>>,
) -> Result<(), CallFault> {
    let session = session::find(session)?;
    let drain = |places: &mut Places<'_, Record>| -> Option<Option<(usize, LaneStatistics)>> {
        let EngineSession::Feed(consumer) = &session.engine else {
            return None;
        };
        let drain = |session: &FeedSession<Native>| {
            session.drain(places.room(), |record, gap| places.put(&record, gap))
        };
        of(consumer).map(drain).map(Some)
    };
    // SAFETY: the caller's promises are handed on.
    unsafe { drained(buffer, capacity, count, statistics, drain) }
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
    let body = || {
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe { moved(session, buffer, capacity, count, statistics, FeedConsumer::quotes) }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
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
    let body = || {
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe {
            moved(
                session,
                buffer,
                capacity,
                count,
                statistics,
                FeedConsumer::candles,
            )
        }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
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
    let body = || {
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe {
            moved(
                session,
                buffer,
                capacity,
                count,
                statistics,
                FeedConsumer::statistics,
            )
        }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
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
    let body = || {
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe { moved(session, buffer, capacity, count, statistics, FeedConsumer::alerts) }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
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
    let body = || {
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe {
            moved(
                session,
                buffer,
                capacity,
                count,
                statistics,
                FeedConsumer::notices,
            )
        }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// The session, if it is one of the kind.
impl FeedConsumer {
    fn quotes(&self) -> Option<&FeedSession<FeedQuote>> {
        match self {
            Self::Quotes(session) => Some(session),
            _ => None,
        }
    }

    fn candles(&self) -> Option<&FeedSession<Candle>> {
        match self {
            Self::Candles(session) => Some(session),
            _ => None,
        }
    }

    fn statistics(&self) -> Option<&FeedSession<Statistics>> {
        match self {
            Self::Statistics(session) => Some(session),
            _ => None,
        }
    }

    fn alerts(&self) -> Option<&FeedSession<FeedAlert>> {
        match self {
            Self::Alerts(session) => Some(session),
            _ => None,
        }
    }

    fn notices(&self) -> Option<&FeedSession<Notice>> {
        match self {
            Self::Notices(session) => Some(session),
            _ => None,
        }
    }
}
