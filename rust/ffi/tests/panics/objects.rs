//! What the calls need: objects of each kind on a runtime that stands still, and sinks that count.

use rustle::fft::inverse::{rustle_fft_inverse_free, rustle_fft_inverse_new};
use rustle::fft::plan::{rustle_fft_plan_free, rustle_fft_plan_new};
use rustle::fft::stft::{rustle_stft_free, rustle_stft_new, RustleStftConfiguration};
use rustle::fft::stft_stream::{rustle_stft_stream_free, rustle_stft_stream_new};
use rustle::runtime::{rustle_runtime_advance, rustle_runtime_free, rustle_runtime_new_manual};
use rustle::session::rustle_session_free;
use rustle::sink::RustleSink;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::ticker::{rustle_ticker_free, rustle_ticker_new, rustle_ticker_start, RustleTickerConfiguration};
use rustle::{RustleHandle, RustleString};
use std::ffi::c_void;
use std::ptr::null_mut;
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

/// An object of the native side, freed when this goes. A free that is refused fails the test.
pub(crate) struct Owned {
    pub(crate) handle: RustleHandle,
    free: fn(RustleHandle) -> RustleStatus,
}

impl Drop for Owned {
    fn drop(&mut self) {
        assert_eq!((self.free)(self.handle), RUSTLE_OK, "freed once, by its owner");
    }
}

impl Owned {
    /// Owns what a call may have made: nothing for 0.
    pub(crate) fn new(handle: RustleHandle, free: fn(RustleHandle) -> RustleStatus) -> Option<Self> {
        (handle != 0).then(|| Self { handle, free })
    }
}

pub(crate) fn free_session(session: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_session_free(session, null_mut()) }
}

pub(crate) fn free_ticker(ticker: RustleHandle) -> RustleStatus {
    // SAFETY: as above.
    unsafe { rustle_ticker_free(ticker, null_mut()) }
}

pub(crate) fn free_runtime(runtime: RustleHandle) -> RustleStatus {
    // SAFETY: as above.
    unsafe { rustle_runtime_free(runtime, null_mut()) }
}

pub(crate) fn free_plan(plan: RustleHandle) -> RustleStatus {
    // SAFETY: as above.
    unsafe { rustle_fft_plan_free(plan, null_mut()) }
}

pub(crate) fn free_inverse(inverse: RustleHandle) -> RustleStatus {
    // SAFETY: as above.
    unsafe { rustle_fft_inverse_free(inverse, null_mut()) }
}

pub(crate) fn free_stft(stft: RustleHandle) -> RustleStatus {
    // SAFETY: as above.
    unsafe { rustle_stft_free(stft, null_mut()) }
}

pub(crate) fn free_stream(stream: RustleHandle) -> RustleStatus {
    // SAFETY: as above.
    unsafe { rustle_stft_stream_free(stream, null_mut()) }
}

/// Frames of 64 samples, rows of 33.
pub(crate) static STFT: RustleStftConfiguration = RustleStftConfiguration {
    size: 64,
    hop: 64,
    window: 1,
    symmetry: 0,
    scale: 1,
    padding: 0,
    form: 0,
    path: 0,
};

pub(crate) fn new_inverse() -> Owned {
    let mut inverse = 0;
    // SAFETY: the handle's place is this frame's own.
    let status = unsafe { rustle_fft_inverse_new(64, 0, &raw mut inverse, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    Owned::new(inverse, free_inverse).expect("a handle")
}

pub(crate) fn new_stft() -> Owned {
    let mut stft = 0;
    // SAFETY: the handle's place is this frame's own.
    let status = unsafe { rustle_stft_new(&raw const STFT, &raw mut stft, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    Owned::new(stft, free_stft).expect("a handle")
}

/// A stream, which outlives its plan.
pub(crate) fn new_stream() -> Owned {
    let stft = new_stft();
    let mut stream = 0;
    // SAFETY: the handle's place is this frame's own.
    let status = unsafe { rustle_stft_stream_new(stft.handle, &raw mut stream, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    Owned::new(stream, free_stream).expect("a handle")
}

pub(crate) fn new_runtime() -> Owned {
    let mut runtime = 0;
    // SAFETY: the handle's place is this frame's own.
    let status = unsafe { rustle_runtime_new_manual(0, &raw mut runtime, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    Owned::new(runtime, free_runtime).expect("a handle")
}

pub(crate) fn new_plan() -> Owned {
    let mut plan = 0;
    // SAFETY: the handle's place is this frame's own.
    let status = unsafe { rustle_fft_plan_new(64, 1, 0, 1, &raw mut plan, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    Owned::new(plan, free_plan).expect("a handle")
}

pub(crate) fn configuration(runtime: RustleHandle, update_limit: u64) -> RustleTickerConfiguration {
    RustleTickerConfiguration {
        updates_per_second: 1_000.0,
        seed: 1,
        update_limit,
        runtime,
        has_seed: 1,
        reserved: 0,
    }
}

/// A ticker on a runtime of its own, which stands still. The ticker goes first.
pub(crate) struct Ticker {
    pub(crate) ticker: Option<Owned>,
    runtime: Owned,
}

impl Ticker {
    pub(crate) fn new(update_limit: u64) -> Self {
        let runtime = new_runtime();
        let configuration = configuration(runtime.handle, update_limit);
        let mut ticker = 0;
        // SAFETY: both pointers are to this frame's own.
        let status = unsafe { rustle_ticker_new(&raw const configuration, &raw mut ticker, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
        Self {
            ticker: Owned::new(ticker, free_ticker),
            runtime,
        }
    }

    pub(crate) fn handle(&self) -> RustleHandle {
        self.ticker.as_ref().map_or(0, |ticker| ticker.handle)
    }

    /// Moves the time on; everything that was due is done when it returns, releases among it.
    pub(crate) fn advance(&self, nanoseconds: u64) {
        // SAFETY: NULL is allowed as the record of an error.
        let status = unsafe { rustle_runtime_advance(self.runtime.handle, nanoseconds, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
    }

    pub(crate) fn start(&self, symbol: &str, lane: u32, probe: &Probe) -> Result<Owned, RustleStatus> {
        let name = RustleString {
            data: symbol.as_ptr(),
            length: symbol.len(),
        };
        let mut session = 0;
        // SAFETY: the name and the result are this frame's own; the probe outlives its session.
        let status = unsafe {
            rustle_ticker_start(
                self.handle(),
                &raw const name,
                1,
                lane,
                64,
                probe.sink(),
                &raw mut session,
                null_mut(),
            )
        };
        Owned::new(session, free_session).ok_or(status)
    }
}
