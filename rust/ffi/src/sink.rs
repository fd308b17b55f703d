//! The sink of a session: a context and the two functions that are called with it.

use crate::guard::fault_point;
use crate::live::LiveToken;
use crate::status::{CallFault, RustleStatus};
#[cfg(feature = "faults")]
use rustle_engines::faults::Fault;
use rustle_engines::Release;
use std::ffi::c_void;
#[cfg(feature = "faults")]
use std::sync::atomic::{AtomicBool, Ordering};

/// The session ended normally.
pub const RUSTLE_RELEASE_ENDED: RustleStatus = 0;
/// The session was cancelled, or its engine was shut down or freed.
pub const RUSTLE_RELEASE_CANCELLED: RustleStatus = 1;
/// The session failed; the message is the reason.
pub const RUSTLE_RELEASE_FAILED: RustleStatus = 2;
/// The session's worker panicked; the message is the panic's. The engine accepts no further start.
pub const RUSTLE_RELEASE_PANICKED: RustleStatus = 3;

/// The receiver of a session's events. Passed by value to a `…_start` function; when that returns `RUSTLE_OK`, the context
/// belongs to the session until `on_release` was called, and when it fails, the sink was not taken and is never called.
///
/// Both functions are called on a thread of the runtime, one call at a time, with no lock held: they may call any
/// function of this interface, also cancel and free their own session. They must not unwind and should return soon.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleSink {
    /// Passed to both functions unchanged; never dereferenced here. It is used on another thread than the one that passed it.
    pub context: *mut c_void,
    /// Called for every event with a pointer to the engine's event record, valid during the call; on a batched lane called
    /// with NULL when the lane stops being empty. Must not be NULL.
    pub on_signal: Option<extern "C" fn(context: *mut c_void, event: *const c_void)>,
    /// Called exactly once, as the last call: one of `RUSTLE_RELEASE_…`, and a message of `length` bytes of UTF-8 (not
    /// NUL-terminated, valid during the call, empty unless the reason is failed or panicked). Must not be NULL.
    pub on_release:
        Option<extern "C" fn(context: *mut c_void, reason: i32, message: *const u8, length: usize)>,
}

/// A sink whose functions are not NULL, on its way to the worker or in use there.
pub(crate) struct RawSink {
    context: *mut c_void,
    on_signal: extern "C" fn(*mut c_void, *const c_void),
    on_release: extern "C" fn(*mut c_void, i32, *const u8, usize),
    _live: LiveToken,
}

// SAFETY: the contract of `RustleSink` lets the context be used on the runtime's threads, by one call at a time.
unsafe impl Send for RawSink {}

impl RawSink {
    /// Checks the functions. Errors: one of them is NULL.
    pub(crate) fn new(sink: RustleSink) -> Result<Self, CallFault> {
        let raw = Self {
            context: sink.context,
            on_signal: sink.on_signal.ok_or(CallFault::null("sink.on_signal"))?,
            on_release: sink.on_release.ok_or(CallFault::null("sink.on_release"))?,
            _live: LiveToken::new(),
        };
        fault_point("a taken sink");
        Ok(raw)
    }

    /// Delivers one event.
    pub(crate) fn signal<T>(&self, event: &T) {
        self.send(std::ptr::from_ref(event).cast());
    }

    /// Passes a pointer to `on_signal` unchanged.
    pub(crate) fn send(&self, event: *const c_void) {
        (self.on_signal)(self.context, event);
    }

    /// Rings the doorbell of a batched lane.
    pub(crate) fn ring(&self) {
        (self.on_signal)(self.context, std::ptr::null());
    }

    /// Makes the last call, once, since it consumes the sink.
    pub(crate) fn release(self, release: Release) {
        let (reason, message) = match &release {
            Release::Ended => (RUSTLE_RELEASE_ENDED, ""),
            Release::Cancelled => (RUSTLE_RELEASE_CANCELLED, ""),
            Release::Failed(message) => (RUSTLE_RELEASE_FAILED, message.as_str()),
            Release::Panicked(message) => (RUSTLE_RELEASE_PANICKED, message.as_str()),
        };
        #[cfg(feature = "faults")]
        let on_signal = self.on_signal;
        let (context, on_release) = (self.context, self.on_release);
        // Not counted any more when the caller is notified.
        drop(self._live);
        #[cfg(feature = "faults")]
        if rustle_engines::faults::strikes(Fault::LostRelease) {
            return;
        }
        on_release(context, reason, message.as_ptr(), message.len());
        #[cfg(feature = "faults")]
        if rustle_engines::faults::is_active(Fault::DoubleRelease) {
            on_release(context, reason, message.as_ptr(), message.len());
        }
        #[cfg(feature = "faults")]
        if rustle_engines::faults::is_active(Fault::EventAfterRelease) {
            on_signal(context, std::ptr::null());
        }
    }

    /// The state of a seeded fault: a canceller that does not leave the release to the worker.
    #[cfg(feature = "faults")]
    pub(crate) fn forger(&self) -> ReleaseForger {
        ReleaseForger {
            context: self.context,
            on_release: self.on_release,
            is_done: AtomicBool::new(false),
        }
    }
}

/// Calls `on_release` in the wrong place.
#[cfg(feature = "faults")]
pub(crate) struct ReleaseForger {
    context: *mut c_void,
    on_release: extern "C" fn(*mut c_void, i32, *const u8, usize),
    is_done: AtomicBool,
}

// SAFETY: as for `RawSink`; that the calls may overlap is the fault that is meant.
#[cfg(feature = "faults")]
unsafe impl Send for ReleaseForger {}
// SAFETY: as above.
#[cfg(feature = "faults")]
unsafe impl Sync for ReleaseForger {}

#[cfg(feature = "faults")]
impl ReleaseForger {
    /// Releases, once, if that is the active fault.
    pub(crate) fn forge(&self) {
        let is_active = rustle_engines::faults::is_active(Fault::ReleaseByCanceller);
        if is_active && !self.is_done.swap(true, Ordering::AcqRel) {
            (self.on_release)(self.context, RUSTLE_RELEASE_CANCELLED, std::ptr::null(), 0);
        }
    }
}
