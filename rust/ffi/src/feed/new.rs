//! How feeds are made, one function for each kind of source.

use super::fault::FeedFault;
use super::sources::{RustleLiveFeed, RustlePushedFeed, RustleReplayFeed, RustleSimulatedFeed, SourceRecord};
use super::FEEDS;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::runtime;
use crate::slice::out;
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::FeedEngine;

/// What they all are.
///
/// # Safety
/// `configuration` is NULL or points to a record that is not written during the call, and what it points to is readable; `feed`
/// and `error` are NULL or valid for a write.
unsafe fn made<Record: SourceRecord>(
    configuration: *const Record,
    feed: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FeedFault> {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let record = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `feed` is handed on.
        let feed = unsafe { out(feed, "feed") }?;
        // SAFETY: the caller's promise about what the record points to is handed on.
        let configuration = unsafe { record.read() }?;
        let runtime = runtime::find(record.runtime())?;
        *feed = FEEDS.insert(FeedEngine::on(runtime, &configuration)?)?;
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes a feed of simulated prices. `feed` receives its handle, to be freed with `rustle_feed_free`. Nothing runs before
/// `rustle_feed_run`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (the model, its
/// parameters, a `reserved` other than 0), `RUSTLE_NO_SYMBOLS` to `RUSTLE_RATE_OUT_OF_RANGE`, `RUSTLE_STALE_HANDLE` (the
/// runtime's), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration that is not written during the call, whose symbols, their texts and
/// parameters are readable; `feed` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_new_simulated(
    configuration: *const RustleSimulatedFeed,
    feed: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { made(configuration, feed, error) }
}

/// Makes a feed that plays a file, which is opened by this call. Else as `rustle_feed_new_simulated`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (the speed, the
/// format, a `reserved` other than 0), `RUSTLE_MALFORMED_SCHEMA`, `RUSTLE_UNKNOWN_FORMAT`, `RUSTLE_UNREADABLE_FILE`,
/// `RUSTLE_STALE_HANDLE` (the runtime's), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration that is not written during the call, whose texts are readable; `feed`
/// and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_new_replay(
    configuration: *const RustleReplayFeed,
    feed: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { made(configuration, feed, error) }
}

/// Makes a feed from another process. It connects when it runs, and again whenever the connection is refused or lost; nobody at the
/// address is no fault. Else as `rustle_feed_new_simulated`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (a time out of its
/// range), `RUSTLE_MALFORMED_ADDRESS`, `RUSTLE_MALFORMED_SCHEMA`, `RUSTLE_STALE_HANDLE` (the runtime's), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration that is not written during the call, whose texts are readable; `feed`
/// and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_new_live(
    configuration: *const RustleLiveFeed,
    feed: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { made(configuration, feed, error) }
}

/// Makes a feed that the host fills, by `rustle_feed_push`. Else as `rustle_feed_new_simulated`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH` (also a message limit), `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (the format),
/// `RUSTLE_MALFORMED_SCHEMA`, `RUSTLE_STALE_HANDLE` (the runtime's), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration that is not written during the call, whose texts are readable; `feed`
/// and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_new_pushed(
    configuration: *const RustlePushedFeed,
    feed: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promises are handed on.
    unsafe { made(configuration, feed, error) }
}
