//! The feed: one source of quotes and its consumers, each with a policy of its own.

mod configuration;
mod drain;
mod fault;
mod new;
mod push;
mod records;
mod server;
mod session;
mod sources;
mod start;
mod wanted;

pub use configuration::*;
pub use drain::*;
pub use new::*;
pub use push::*;
pub use records::*;
pub use server::*;
pub use session::*;
pub use sources::*;
pub use start::*;
pub use wanted::*;

use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::slice::told;
use crate::status::{CallFault, RustleError, RustleStatus};
use fault::FeedFault;
use rustle_engines::FeedEngine;

static FEEDS: SlotTable<FeedEngine> = SlotTable::new(Kind::Feed);

fn find(feed: RustleHandle) -> Result<Pinned<'static, FeedEngine>, CallFault> {
    FEEDS.pin(feed, "feed")
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
