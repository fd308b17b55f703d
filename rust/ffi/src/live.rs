//! The count of the objects that the archive holds for its caller.

use crate::fft::brief::live_results;
use std::sync::atomic::{AtomicI64, Ordering};

static LIVE: AtomicI64 = AtomicI64::new(0);

/// One counted object: it counts from `new` until it is dropped.
#[derive(Debug)]
pub(crate) struct LiveToken(());

impl LiveToken {
    pub(crate) fn new() -> Self {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for LiveToken {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The number of objects that the caller owes a free or a release for: handles that were not freed, FFT results that
/// were not freed, sinks that were taken and not released yet.
///
/// Thread-safe: yes; exact when no other call is under way. Realtime-safe: yes.
#[no_mangle]
pub extern "C" fn rustle_live_objects() -> i64 {
    // The results' table knows how many it has: a count of their own would cost each call.
    LIVE.load(Ordering::Relaxed) + live_results() as i64
}
