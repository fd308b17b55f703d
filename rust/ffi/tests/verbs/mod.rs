//! The verbs of the C interface, with the types of Rust.

use rustle::object::{rustle_free, rustle_new};
use rustle::runtime::RustleManualRuntime;
use rustle::session::rustle_start;
use rustle::sink::RustleSink;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::{rustle_runtime_advance, RustleHandle, RUSTLE_NEW_RUNTIME_MANUAL};
use std::ptr::null_mut;

/// Makes an object by its configuration, whose number `what` is: `RUSTLE_NEW_…`.
pub(crate) fn make<Configuration>(
    what: u32,
    configuration: &Configuration,
) -> Result<RustleHandle, RustleStatus> {
    let record = std::ptr::from_ref(configuration).cast();
    let mut handle = 0;
    // SAFETY: the configuration is the caller's own; NULL is allowed as the record of an error.
    let status = unsafe {
        rustle_new(
            what,
            record,
            size_of::<Configuration>(),
            &raw mut handle,
            null_mut(),
        )
    };
    (status == RUSTLE_OK).then_some(handle).ok_or(status)
}

/// Starts a session by its request, whose number `what` is: `RUSTLE_START_…`, for events of `event_size` bytes. The sink's
/// context must outlive it.
pub(crate) fn start<Request>(
    object: RustleHandle,
    what: u32,
    request: &Request,
    event_size: usize,
    sink: RustleSink,
) -> Result<RustleHandle, RustleStatus> {
    let (record, size) = (std::ptr::from_ref(request).cast(), size_of::<Request>());
    let mut session = 0;
    // SAFETY: the request is the caller's own, as is the sink; NULL is allowed as the record of an error.
    let status = unsafe {
        rustle_start(
            object,
            what,
            record,
            size,
            event_size,
            sink,
            &raw mut session,
            null_mut(),
        )
    };
    (status == RUSTLE_OK).then_some(session).ok_or(status)
}

/// Frees an object of any kind.
pub(crate) fn free(object: RustleHandle) -> RustleStatus {
    // SAFETY: every number is allowed as a handle, and NULL as the record of an error.
    unsafe { rustle_free(object, null_mut()) }
}

/// A manual runtime.
pub(crate) fn manual_runtime() -> RustleHandle {
    make(RUSTLE_NEW_RUNTIME_MANUAL, &RustleManualRuntime { wall_ms: 0 }).expect("a runtime needs nothing")
}

/// Advances the time; all due work is done when it returns, including releases.
pub(crate) fn advance(runtime: RustleHandle, nanoseconds: u64) {
    // SAFETY: NULL is allowed as the record of an error.
    let status = unsafe { rustle_runtime_advance(runtime, nanoseconds, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
}
