//! Races of start, cancel, end and free, through the C interface, with a sink that notices every broken promise.

use rustle::lane::{RUSTLE_LANE_EVENTS, RUSTLE_LANE_KEEP_LATEST};
use rustle::session::{rustle_session_cancel, rustle_session_free};
use rustle::sink::{RustleSink, RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_ENDED, RUSTLE_RELEASE_PANICKED};
use rustle::status::RUSTLE_OK;
use rustle::ticker::{rustle_ticker_free, rustle_ticker_new, rustle_ticker_start, RustleTickerConfiguration};
use rustle::RustleHandle;
use rustle::RustleString;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// How a round's session comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By itself, after some updates.
    NaturalEnd,
    /// By one cancel from the starting thread.
    Cancel,
    /// By four cancels from four threads.
    FourCancels,
    /// By a cancel inside its own callback.
    CancelInside,
    /// By freeing its handle.
    FreeSession,
    /// By freeing its engine.
    FreeEngine,
    /// By a panic of its worker (only with the feature `faults`).
    Panic,
}

impl Mode {
    /// The modes that this build can run.
    pub(crate) fn all() -> Vec<Self> {
        let mut modes = vec![
            Self::NaturalEnd,
            Self::Cancel,
            Self::FourCancels,
            Self::CancelInside,
            Self::FreeSession,
            Self::FreeEngine,
        ];
        if cfg!(feature = "faults") {
            modes.push(Self::Panic);
        }
        modes
    }

    fn reasons(self) -> &'static [i32] {
        match self {
            Self::NaturalEnd => &[RUSTLE_RELEASE_ENDED],
            Self::Panic => &[RUSTLE_RELEASE_PANICKED],
            // A cancel may come after the end.
            _ => &[RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_ENDED],
        }
    }
}

/// A sink's context: counts what happens to it. It outlives every callback, so that one too many can be seen.
#[derive(Default)]
struct Probe {
    session: AtomicU64,
    cancels_inside: AtomicBool,
    signals: AtomicU32,
    releases: AtomicU32,
    signals_after_release: AtomicU32,
    foreign_releases: AtomicU32,
    reason: AtomicU32,
    released: Mutex<bool>,
    bell: Condvar,
}

extern "C" fn on_signal(context: *mut c_void, _: *const c_void) {
    // SAFETY: the context is the probe, which the harness keeps until the process ends.
    let probe = unsafe { &*context.cast::<Probe>() };
    if probe.releases.load(Ordering::SeqCst) > 0 {
        probe.signals_after_release.fetch_add(1, Ordering::SeqCst);
    }
    probe.signals.fetch_add(1, Ordering::SeqCst);
    if probe.cancels_inside.load(Ordering::SeqCst) {
        cancel(probe);
    }
}

extern "C" fn on_release(context: *mut c_void, reason: i32, _: *const u8, _: usize) {
    // SAFETY: as above.
    let probe = unsafe { &*context.cast::<Probe>() };
    if !std::thread::current()
        .name()
        .unwrap_or_default()
        .starts_with("rustle-")
    {
        probe.foreign_releases.fetch_add(1, Ordering::SeqCst);
    }
    // What the termination handler of a Swift stream does: it must not meet a lock.
    cancel(probe);
    probe.reason.store(reason as u32, Ordering::SeqCst);
    probe.releases.fetch_add(1, Ordering::SeqCst);
    *probe.released.lock().expect("no panic under the lock") = true;
    probe.bell.notify_all();
}

fn cancel(probe: &Probe) {
    // SAFETY: NULL is allowed. Before the start has returned the session is 0, which is stale.
    unsafe { rustle_session_cancel(probe.session.load(Ordering::SeqCst), null_mut()) };
}

/// The bound on one round: a release that takes longer is lost. Rounds take microseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs `rounds` rounds of every mode, and returns the first broken promise with the number of its round.
pub(crate) fn run(rounds: usize) -> Result<(), String> {
    let modes = Mode::all();
    let mut probes: Vec<Arc<Probe>> = Vec::with_capacity(rounds);
    for round in 0..rounds {
        let probe = Arc::new(Probe::default());
        probes.push(probe.clone());
        let mode = modes[round % modes.len()];
        run_round(mode, round, &probe).map_err(|broken| format!("round {round}, {mode:?}: {broken}"))?;
        // What comes late shows a few rounds later.
        check(&probes[round.saturating_sub(8)])
            .map_err(|broken| format!("round {round}, looking back: {broken}"))?;
    }
    probes
        .iter()
        .try_for_each(|probe| check(probe).map_err(|broken| format!("at the end: {broken}")))
}

fn run_round(mode: Mode, round: usize, probe: &Arc<Probe>) -> Result<(), String> {
    let limit = if mode == Mode::NaturalEnd {
        1 + round as u64 % 5
    } else {
        0
    };
    probe
        .cancels_inside
        .store(mode == Mode::CancelInside, Ordering::SeqCst);
    let ticker = new_ticker(limit)?;
    let lane = if round.is_multiple_of(3) {
        RUSTLE_LANE_KEEP_LATEST
    } else {
        RUSTLE_LANE_EVENTS
    };
    // The ring's bell rings once: a cancel inside a callback needs the other lane to be sure of a callback.
    let lane = if mode == Mode::CancelInside {
        RUSTLE_LANE_EVENTS
    } else {
        lane
    };
    let symbol = if mode == Mode::Panic { "!PANIC" } else { "BTC" };
    let session = start(ticker, symbol, lane, probe)?;
    probe.session.store(session, Ordering::SeqCst);
    // Some rounds act at once and some after a first update.
    if round.is_multiple_of(2) {
        std::thread::yield_now();
    }
    // SAFETY: NULL is allowed as the record of an error.
    match mode {
        Mode::NaturalEnd | Mode::CancelInside | Mode::Panic => {}
        Mode::Cancel => cancel(probe),
        Mode::FourCancels => std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| cancel(probe));
            }
        }),
        Mode::FreeSession => free(session)?,
        // SAFETY: NULL is allowed as the record of an error.
        Mode::FreeEngine => unsafe {
            rustle_ticker_free(ticker, null_mut());
        },
    }
    let released = probe.released.lock().map_err(|_| "a callback panicked")?;
    let (released, _) = probe
        .bell
        .wait_timeout_while(released, PATIENCE, |released| !*released)
        .map_err(|_| "a callback panicked")?;
    if !*released {
        return Err(format!("no release within {PATIENCE:?}"));
    }
    drop(released);
    let reason = probe.reason.load(Ordering::SeqCst) as i32;
    if !mode.reasons().contains(&reason) {
        return Err(format!("expected a reason of {:?}, got {reason}", mode.reasons()));
    }
    if mode != Mode::FreeSession {
        free(session)?;
    }
    if mode != Mode::FreeEngine {
        // SAFETY: NULL is allowed as the record of an error.
        unsafe { rustle_ticker_free(ticker, null_mut()) };
    }
    check(probe)
}

fn check(probe: &Probe) -> Result<(), String> {
    let counts = [
        ("releases", probe.releases.load(Ordering::SeqCst), 1),
        (
            "releases on another thread than a worker's",
            probe.foreign_releases.load(Ordering::SeqCst),
            0,
        ),
        (
            "signals after the release",
            probe.signals_after_release.load(Ordering::SeqCst),
            0,
        ),
    ];
    match counts.iter().find(|(_, got, expected)| got != expected) {
        None => Ok(()),
        Some((what, got, expected)) => Err(format!("{what}: expected {expected}, got {got}")),
    }
}

/// A ticker of 100,000 updates a second on the shared runtime.
fn new_ticker(update_limit: u64) -> Result<RustleHandle, String> {
    let configuration = RustleTickerConfiguration {
        updates_per_second: 100_000.0,
        seed: 1,
        update_limit,
        runtime: 0,
        has_seed: 1,
        reserved: 0,
    };
    let mut ticker = 0;
    // SAFETY: both pointers are to this frame's own; NULL is allowed as the record of an error.
    match unsafe { rustle_ticker_new(&raw const configuration, &raw mut ticker, null_mut()) } {
        RUSTLE_OK => Ok(ticker),
        status => Err(format!("rustle_ticker_new: status {status}")),
    }
}

fn start(ticker: RustleHandle, symbol: &str, lane: u32, probe: &Arc<Probe>) -> Result<RustleHandle, String> {
    let name = RustleString {
        data: symbol.as_ptr(),
        length: symbol.len(),
    };
    let context = Arc::as_ptr(probe).cast_mut().cast();
    let sink = RustleSink {
        context,
        on_signal: Some(on_signal),
        on_release: Some(on_release),
    };
    let mut session = 0;
    // SAFETY: the name and the result are this frame's own; the probe outlives every callback.
    let status = unsafe {
        rustle_ticker_start(
            ticker,
            &raw const name,
            1,
            lane,
            64,
            sink,
            &raw mut session,
            null_mut(),
        )
    };
    if status == RUSTLE_OK {
        Ok(session)
    } else {
        Err(format!("rustle_ticker_start: status {status}"))
    }
}

fn free(session: RustleHandle) -> Result<(), String> {
    // SAFETY: NULL is allowed as the record of an error.
    match unsafe { rustle_session_free(session, null_mut()) } {
        RUSTLE_OK => Ok(()),
        status => Err(format!("rustle_session_free: status {status}")),
    }
}
