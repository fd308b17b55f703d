//! A sink that counts.

use rustle::sink::RustleSink;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// A sink's context. It must outlive its session; the tests settle the runtime before they drop it.
#[derive(Default)]
pub(crate) struct Probe {
    signals: AtomicU32,
    ends: Mutex<Vec<(i32, String)>>,
}

extern "C" fn on_signal(context: *mut c_void, _: *const c_void) {
    // SAFETY: the context is a probe that outlives its session.
    let probe = unsafe { &*context.cast::<Probe>() };
    probe.signals.fetch_add(1, Ordering::SeqCst);
}

extern "C" fn on_release(context: *mut c_void, reason: i32, message: *const u8, length: usize) {
    // SAFETY: as above.
    let probe = unsafe { &*context.cast::<Probe>() };
    // SAFETY: the message is readable for its length during the call; it is never NULL.
    let message = unsafe { std::slice::from_raw_parts(message, length) };
    let end = (reason, String::from_utf8_lossy(message).into_owned());
    probe
        .ends
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(end);
}

impl Probe {
    pub(crate) fn signals(&self) -> u32 {
        self.signals.load(Ordering::SeqCst)
    }

    pub(crate) fn ends(&self) -> Vec<(i32, String)> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn sink(&self) -> RustleSink {
        RustleSink {
            context: std::ptr::from_ref(self).cast_mut().cast(),
            on_signal: Some(on_signal),
            on_release: Some(on_release),
        }
    }
}
