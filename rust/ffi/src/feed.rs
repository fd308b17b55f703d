//! The feed: one source of quotes and its consumers, each with a policy of its own.

mod configuration;
mod drain;
mod fault;
mod records;
mod session;
mod start;

pub use configuration::*;
pub use drain::*;
pub use records::*;
pub use session::*;
pub use start::*;

use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::runtime;
use crate::slice::{out, told};
use crate::status::{CallFault, RustleError, RustleStatus};
use fault::FeedFault;
use rustle_engines::{FeedEngine, SourceConfiguration};

static FEEDS: SlotTable<FeedEngine> = SlotTable::new(Kind::Feed);

fn find(feed: RustleHandle) -> Result<Pinned<'static, FeedEngine>, CallFault> {
    FEEDS.pin(feed, "feed")
}

/// What both kinds of sources do once their configuration was read.
fn made(
    configuration: &SourceConfiguration,
    runtime: RustleHandle,
    feed: &mut RustleHandle,
) -> Result<(), FeedFault> {
    let runtime = runtime::find(runtime)?;
    *feed = FEEDS.insert(FeedEngine::on(runtime, configuration)?)?;
    Ok(())
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
    let body = || -> Result<(), FeedFault> {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let record = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `feed` is handed on.
        let feed = unsafe { out(feed, "feed") }?;
        // SAFETY: the caller's promise about what the record points to is handed on.
        let configuration = unsafe { configuration::simulated(record) }?;
        made(
            &SourceConfiguration::Simulated(configuration),
            record.runtime,
            feed,
        )
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Makes a feed that plays a file, which is opened by this call. `feed` receives its handle, to be freed with
/// `rustle_feed_free`. Nothing runs before `rustle_feed_run`.
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
    let body = || -> Result<(), FeedFault> {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let record = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `feed` is handed on.
        let feed = unsafe { out(feed, "feed") }?;
        // SAFETY: the caller's promise about the texts is handed on.
        let configuration = unsafe { configuration::replay(record) }?;
        made(&SourceConfiguration::Replay(configuration), record.runtime, feed)
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Begins the source, so that consumers that are there before get its first quote. Idempotent. When the source comes to its
/// end every session of the feed ends, those that are started later too.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_SHUT_DOWN`, `RUSTLE_EXHAUSTED` (the feed is over then).
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_run(feed: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || Ok::<(), FeedFault>(find(feed)?.run()?)) }
}

/// Writes what the source met with so far to `counts`.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `counts` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_counts(
    feed: RustleHandle,
    counts: *mut RustleFeedCounts,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut RustleFeedCounts| -> Result<(), CallFault> {
        *place = find(feed)?.counts().into();
        Ok(())
    };
    // SAFETY: the caller's promises about `counts` and `error` are handed on.
    unsafe { told(counts, "counts", error, tell) }
}

/// Cancels every session of a feed. The source goes on, and later starts are welcome. Idempotent.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_cancel(feed: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(feed)?.cancel();
            Ok::<(), CallFault>(())
        })
    }
}

/// Cancels every session of a feed and its source; later starts fail with `RUSTLE_SHUT_DOWN`. Idempotent.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_shut_down(feed: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(feed)?.shut_down();
            Ok::<(), CallFault>(())
        })
    }
}

/// Makes a feed's handle stale, and cancels its sessions and its source. The releases follow.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_free(feed: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || FEEDS.remove(feed, "feed")) }
}
