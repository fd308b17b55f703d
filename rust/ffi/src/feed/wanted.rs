//! What a host asks for before it connects: which symbols are wanted, and how long to wait.

use super::fault::FeedFault;
use super::find;
use super::records::RustleFeedWanted;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::slice::{borrowed_mut, out, told};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::FeedError;
use rustle_market::{Backoff, BackoffSettings};

/// Tells which symbols the consumers of a feed want together: `wanted` receives how many, and `buffer` their names in the order of
/// their bytes, each with a line feed behind it, if its `capacity` bytes are enough for all. Nothing is written to `buffer` when `length` of
/// `wanted` is more than `capacity`: the call is to be made again with so much room. When `all` is 1 the names are those that
/// somebody wants by name too. `RUSTLE_NOTICES_WANTED` says when to look again.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `buffer` is NULL or valid for reads and writes of `capacity` bytes; `wanted` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_wanted(
    feed: RustleHandle,
    buffer: *mut u8,
    capacity: usize,
    wanted: *mut RustleFeedWanted,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), CallFault> {
        let feed = find(feed)?;
        // SAFETY: the caller's promise about `wanted` is handed on.
        let place = unsafe { out(wanted, "wanted") }?;
        // SAFETY: the caller's promise about `buffer` is handed on.
        let buffer = unsafe { borrowed_mut(buffer, capacity, "buffer") }?;
        let wanted = feed.wanted();
        let length = wanted.names.iter().map(|name| name.len() + 1).sum();
        if let Some(mut rest) = buffer.get_mut(..length) {
            for name in &wanted.names {
                let (text, behind) = rest.split_at_mut(name.len());
                text.copy_from_slice(name.as_bytes());
                behind[0] = b'\n';
                rest = &mut behind[1..];
            }
        }
        *place = RustleFeedWanted {
            version: wanted.version,
            count: wanted.names.len(),
            length,
            all: wanted.all.into(),
            reserved: 0,
        };
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Draws how long a host waits before its next attempt to connect, after `failures` attempts in a row that failed: evenly from 0 to
/// `base_ns` doubled for each failure but the first, at most `cap_ns`. `wait_ns` receives it. The same `seed` draws the same wait.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE` (other than 1 ms up to `cap_ns`, at most 1 day; no failure).
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `wait_ns` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_backoff(
    base_ns: u64,
    cap_ns: u64,
    failures: u32,
    seed: u64,
    wait_ns: *mut u64,
    error: *mut RustleError,
) -> RustleStatus {
    let draw = |place: &mut u64| -> Result<(), FeedFault> {
        let settings = BackoffSettings {
            base_ns,
            cap_ns,
            ..BackoffSettings::default()
        };
        let before = failures.checked_sub(1);
        let before = before.ok_or(CallFault::value("failures", "expected 1 or more, got 0"))?;
        let mut backoff = Backoff::after(settings, before, seed).map_err(FeedError::from)?;
        *place = backoff.failed();
        Ok(())
    };
    // SAFETY: the caller's promises about `wait_ns` and `error` are handed on.
    unsafe { told(wait_ns, "wait_ns", error, draw) }
}
