//! Races of start, cancel, end and free, through the C interface, with a sink that notices every broken promise.

use crate::engines::{free, Engine, Work, ENGINES, RUSTLE_LANE_EVENTS};
use rustle::object::rustle_cancel;
use rustle::sink::{RustleSink, RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_ENDED, RUSTLE_RELEASE_PANICKED};
use rustle::status::RUSTLE_OK;
use rustle::RustleHandle;
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
    unsafe { rustle_cancel(probe.session.load(Ordering::SeqCst), null_mut()) };
}

/// The bound on one round: a release that takes longer is lost. Rounds take microseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs `rounds` rounds, each engine and mode in turn, and returns the first broken promise with the number of its round.
pub(crate) fn run(rounds: usize) -> Result<(), String> {
    let modes = Mode::all();
    let cases: Vec<(Engine, Mode)> = ENGINES
        .iter()
        .flat_map(|engine| modes.iter().map(|mode| (*engine, *mode)))
        // A bell may ring for the last time before the start has returned, and cancel nothing then: events are needed.
        .filter(|(engine, mode)| *mode != Mode::CancelInside || engine.lanes.contains(&RUSTLE_LANE_EVENTS))
        .collect();
    let mut probes: Vec<Arc<Probe>> = Vec::with_capacity(rounds);
    for round in 0..rounds {
        let probe = Arc::new(Probe::default());
        probes.push(probe.clone());
        // One digit after the other: each engine and mode meets each lane, acted on at once and later.
        let (engine, mode) = cases[round % cases.len()];
        let lane = round / cases.len() % engine.lanes.len();
        let acts_later = (round / cases.len() / engine.lanes.len()).is_multiple_of(2);
        run_round(engine, mode, lane, acts_later, round, &probe)
            .map_err(|broken| format!("round {round}, {}, {mode:?}: {broken}", engine.name))?;
        // What comes late shows a few rounds later.
        check(&probes[round.saturating_sub(8)])
            .map_err(|broken| format!("round {round}, looking back: {broken}"))?;
    }
    probes
        .iter()
        .try_for_each(|probe| check(probe).map_err(|broken| format!("at the end: {broken}")))
}

fn run_round(
    engine: Engine,
    mode: Mode,
    lane: usize,
    acts_later: bool,
    round: usize,
    probe: &Arc<Probe>,
) -> Result<(), String> {
    let limit = if mode == Mode::NaturalEnd {
        1 + round as u64 % 5
    } else {
        0
    };
    probe
        .cancels_inside
        .store(mode == Mode::CancelInside, Ordering::SeqCst);
    let handle = (engine.new)(0, 100_000.0, limit).map_err(|status| format!("new: status {status}"))?;
    // The ring's bell rings once: a cancel inside a callback needs the other lane to be sure of a callback.
    let lane = if mode == Mode::CancelInside {
        RUSTLE_LANE_EVENTS
    } else {
        engine.lanes[lane]
    };
    let work = if mode == Mode::Panic {
        Work::Panic
    } else {
        Work::Regular
    };
    let sink = RustleSink {
        context: Arc::as_ptr(probe).cast_mut().cast(),
        on_signal: Some(on_signal),
        on_release: Some(on_release),
    };
    let session = engine
        .start(handle, work, lane, 64, sink)
        .map_err(|status| format!("start: status {status}"))?;
    probe.session.store(session, Ordering::SeqCst);
    // Some rounds act at once and some after a first value.
    if acts_later {
        std::thread::yield_now();
    }
    match mode {
        Mode::NaturalEnd | Mode::CancelInside | Mode::Panic => {}
        Mode::Cancel => cancel(probe),
        Mode::FourCancels => std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| cancel(probe));
            }
        }),
        Mode::FreeSession => expect_ok("free of the session", free(session))?,
        Mode::FreeEngine => expect_ok("free of the engine", free(handle))?,
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
        if lane != RUSTLE_LANE_EVENTS {
            check_ring(engine, session)?;
        }
        expect_ok("free of the session", free(session))?;
    }
    if mode != Mode::FreeEngine {
        expect_ok("free of the engine", free(handle))?;
    }
    check(probe)
}

fn expect_ok(what: &str, status: i32) -> Result<(), String> {
    if status == RUSTLE_OK {
        Ok(())
    } else {
        Err(format!("{what}: status {status}"))
    }
}

/// A session that has been released still gives what waits in its ring, and its counts add up.
fn check_ring(engine: Engine, session: RustleHandle) -> Result<(), String> {
    let (count, gaps, s) = engine
        .drain(session, 64)
        .map_err(|status| format!("drain: status {status}"))?;
    if (s.delivered, s.waiting) == (count, 0) && s.produced == count + s.dropped && gaps <= s.dropped {
        Ok(())
    } else {
        Err(format!(
            "produced {}, delivered {}, dropped {}, waiting {}, but {count} were drained with gaps of {gaps}",
            s.produced, s.delivered, s.dropped, s.waiting
        ))
    }
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
