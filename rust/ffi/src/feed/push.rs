//! What the host tells a feed that it fills, and what every feed tells of its connection.

use super::fault::FeedFault;
use super::find;
use super::records::*;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::lane::LaneRecord;
use crate::slice::{borrowed, out, text, told, RustleString};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::HostNews;

/// Has a feed of `rustle_feed_new_pushed` read the next `length` bytes, which continue those before. `taken` receives how many it took:
/// fewer when a consumer with `RUSTLE_POLICY_AWAITED` has no room, none before `rustle_feed_run`. The rest is to be pushed again
/// when `RUSTLE_NOTICE_ROOM` was told. Calls come one after the other, or their bytes mix.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_STALE_HANDLE`, `RUSTLE_WRONG_SOURCE` (a feed of another
/// source), `RUSTLE_WRONG_STATE` (it was closed or is over); nothing is taken then.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `bytes` is NULL or points to `length` bytes that are not written during the call; `taken` and `error` are NULL or valid for a
/// write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_push(
    feed: RustleHandle,
    bytes: *const u8,
    length: usize,
    taken: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FeedFault> {
        let feed = find(feed)?;
        // SAFETY: the caller's promise about `taken` is handed on.
        let taken = unsafe { out(taken, "taken") }?;
        // SAFETY: the caller's promise about `bytes` is handed on.
        let bytes = unsafe { borrowed(bytes, length, "bytes") }?;
        *taken = feed.push(bytes)?;
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Tells the consumers of a feed of `rustle_feed_new_pushed` of the connection that the host has. `kind` is
/// `RUSTLE_NOTICE_CONNECTING`, `RUSTLE_NOTICE_CONNECTED` (a line that has begun is dropped), `RUSTLE_NOTICE_DISCONNECTED`, or
/// `RUSTLE_NOTICE_CLOSED`: the feed comes to its end then, once what was pushed has been handed over, and fails for the reason in
/// `note` unless that is empty. `retry_ms` is the time before the next attempt, for disconnected only; `failures` the attempts in a
/// row that failed, for connecting and disconnected; `note` the place or the reason.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_UTF8`, `RUSTLE_INVALID_VALUE` (another kind),
/// `RUSTLE_STALE_HANDLE`, `RUSTLE_WRONG_SOURCE` (a feed of another source), `RUSTLE_WRONG_STATE` (it was closed or is over).
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// The text of `note` is readable; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_tell(
    feed: RustleHandle,
    kind: u32,
    retry_ms: u64,
    failures: u32,
    note: RustleString,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FeedFault> {
        let feed = find(feed)?;
        // SAFETY: the caller's promise about `note` is handed on.
        let note = unsafe { text(note, "note") }?;
        let news = match kind {
            RUSTLE_NOTICE_CONNECTING => HostNews::Connecting { failures },
            RUSTLE_NOTICE_CONNECTED => HostNews::Connected,
            RUSTLE_NOTICE_DISCONNECTED => HostNews::Disconnected { retry_ms, failures },
            RUSTLE_NOTICE_CLOSED => HostNews::Closed,
            _ => {
                let problem = "expected a kind of a connection or closed, got another number";
                return Err(CallFault::value("kind", problem).into());
            }
        };
        Ok(feed.tell(news, note)?)
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes the newest notice of a feed's connection or of its end to `notice`; one of the kind `RUSTLE_NOTICE_NONE` when there was none.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `notice` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_connection(
    feed: RustleHandle,
    notice: *mut RustleFeedNotice,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut RustleFeedNotice| -> Result<(), CallFault> {
        let newest = find(feed)?.connection();
        *place = newest.map_or(RustleFeedNotice::NONE, |notice| RustleFeedNotice::new(&notice, 0));
        Ok(())
    };
    // SAFETY: the caller's promises about `notice` and `error` are handed on.
    unsafe { told(notice, "notice", error, tell) }
}
