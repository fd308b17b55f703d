//! A sink's callbacks without an engine, to test and measure the sink of a language binding.

use crate::guard::guarded;
use crate::sink::{RawSink, RustleSink};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::Release;
use std::ffi::c_void;

/// Calls the sink's `on_signal` `count` times with `event`, which may be NULL and is passed unchanged, then its `on_release` once
/// with `RUSTLE_RELEASE_ENDED`. All calls are made on the calling thread, before this function returns.
///
/// Fails with `RUSTLE_NULL_POINTER` (a function of the sink); the sink was not taken then.
///
/// Thread-safe: yes. Realtime-safe: yes, if the sink's functions are.
///
/// # Safety
/// The sink keeps the contract of `RustleSink`; `event` is what its `on_signal` can read; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_sink_exercise(
    sink: RustleSink,
    event: *const c_void,
    count: u64,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let sink = RawSink::new(sink)?;
        for _ in 0..count {
            sink.send(event);
        }
        sink.release(Release::Ended);
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
