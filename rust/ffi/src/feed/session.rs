//! What a consumer of a feed can be asked and told while it runs.

use super::configuration::names;
use super::fault::FeedFault;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::session::{self, EngineSession};
use crate::slice::{told, told_text, RustleString};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{FeedAlert, FeedError, FeedQuote, FeedSession, Notice, Omissions};
use rustle_market::{Candle, Statistics};
use std::sync::Arc;

/// A session of a feed, by what it hands out.
pub(crate) enum FeedConsumer {
    Quotes(FeedSession<FeedQuote>),
    Candles(FeedSession<Candle>),
    Statistics(FeedSession<Statistics>),
    Alerts(FeedSession<FeedAlert>),
    Notices(FeedSession<Notice>),
}

/// The same for every kind of session.
macro_rules! each {
    ($consumer:expr, $session:ident => $body:expr) => {
        match $consumer {
            FeedConsumer::Quotes($session) => $body,
            FeedConsumer::Candles($session) => $body,
            FeedConsumer::Statistics($session) => $body,
            FeedConsumer::Alerts($session) => $body,
            FeedConsumer::Notices($session) => $body,
        }
    };
}

impl FeedConsumer {
    pub(crate) fn cancel(&self) {
        each!(self, session => session.cancel());
    }

    fn subscribe(&self, add: &[String], remove: &[String]) -> Result<(), FeedError> {
        each!(self, session => session.subscribe(add, remove))
    }

    fn symbol(&self, number: u32) -> Option<Arc<str>> {
        each!(self, session => session.symbol(number))
    }

    fn omissions(&self) -> Omissions {
        each!(self, session => session.omissions())
    }
}

/// Calls `body` with a feed's session.
fn with_consumer<R>(
    session: RustleHandle,
    body: impl FnOnce(&FeedConsumer) -> Result<R, FeedFault>,
) -> Result<R, FeedFault> {
    let session = session::find(session)?;
    match &session.engine {
        EngineSession::Feed(consumer) => body(consumer),
        _ => Err(CallFault::value("session", "expected one of a feed, got another engine's").into()),
    }
}

/// Has a consumer get the quotes of the `add_count` symbols at `add` too, and those of the `remove_count` at `remove` no more,
/// from the source's next quote on. What waits in its lane stays there; what a candle or a statistic has of a symbol that is
/// removed is forgotten. One that wanted all wants from then on all that are known, but for those.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UTF8`, `RUSTLE_STALE_HANDLE`,
/// `RUSTLE_INVALID_VALUE` (a session of another engine), `RUSTLE_DUPLICATE_SYMBOL` to `RUSTLE_TOO_MANY_SYMBOLS`,
/// `RUSTLE_WRONG_STATE` (the session is over); nothing is changed then.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `add` and `remove` are NULL or point to that many records whose texts are readable; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_subscribe(
    session: RustleHandle,
    add: *const RustleString,
    add_count: usize,
    remove: *const RustleString,
    remove_count: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `add` is handed on.
        let add = unsafe { names(add, add_count, "add") }?;
        // SAFETY: the caller's promise about `remove` is handed on.
        let remove = unsafe { names(remove, remove_count, "remove") }?;
        with_consumer(session, |consumer| Ok(consumer.subscribe(&add, &remove)?))
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes the name of a symbol, by the number that records of this session carry, to `buffer`, which has room for `capacity`
/// bytes; `RUSTLE_SYMBOL_CAPACITY` are enough. `length` receives the number of bytes: UTF-8, not NUL-terminated. A number has
/// the same name for as long as the feed lives. Works after the session's end, until its handle is freed.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH` (the name does not fit), `RUSTLE_INVALID_VALUE` (no such number, or
/// a session of another engine), `RUSTLE_STALE_HANDLE`; nothing is written then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `buffer` is NULL or valid for reads and writes of `capacity` bytes; `length` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_symbol(
    session: RustleHandle,
    number: u32,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = || {
        let unknown = CallFault::value("number", "expected a symbol's number, got one that is not in use");
        with_consumer(session, |consumer| Ok(consumer.symbol(number).ok_or(unknown)?))
    };
    // SAFETY: the caller's promises about `buffer`, `length` and `error` are handed on.
    unsafe { told_text(buffer, capacity, length, error, tell) }
}

/// Writes to `late` how many quotes were left out of a session's candles or statistics because they came too late, also
/// of one that is over; 0 for other sessions.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (a session of another engine), `RUSTLE_NULL_POINTER`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `late` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_late(
    session: RustleHandle,
    late: *mut u64,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut u64| {
        *place = with_consumer(session, |consumer| Ok(consumer.omissions().late))?;
        Ok::<(), FeedFault>(())
    };
    // SAFETY: the caller's promises about `late` and `error` are handed on.
    unsafe { told(late, "late", error, tell) }
}

/// Writes to `evicted` how many quotes left the windows of a session's statistics early, because a symbol's window has at most
/// 1,048,576 quotes, also of one that is over; 0 for other sessions. The statistics after the first of them are of fewer quotes than
/// the window's length has.
///
/// Fails as `rustle_feed_late`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `evicted` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_evicted(
    session: RustleHandle,
    evicted: *mut u64,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut u64| {
        *place = with_consumer(session, |consumer| Ok(consumer.omissions().evicted))?;
        Ok::<(), FeedFault>(())
    };
    // SAFETY: the caller's promises about `evicted` and `error` are handed on.
    unsafe { told(evicted, "evicted", error, tell) }
}
