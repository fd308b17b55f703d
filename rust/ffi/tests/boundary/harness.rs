//! Races of start, cancel, end and free, through the C interface, with a sink that checks every promise. A broken promise is a
//! panic.

use crate::engines::{free, Engine, Work, ENGINES, RUSTLE_LANE_PER_VALUE};
use rustle::object::rustle_cancel;
use rustle::sink::{RustleSink, RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_ENDED, RUSTLE_RELEASE_PANICKED};
use rustle::status::RUSTLE_OK;
use rustle::RustleHandle;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The end of a round's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The source ends after some updates.
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
    const ALL: [Self; 7] = [
        Self::NaturalEnd,
        Self::Cancel,
        Self::FourCancels,
        Self::CancelInside,
        Self::FreeSession,
        Self::FreeEngine,
        Self::Panic,
    ];

    fn reasons(self) -> &'static [i32] {
        match self {
            Self::NaturalEnd => &[RUSTLE_RELEASE_ENDED],
            Self::Panic => &[RUSTLE_RELEASE_PANICKED],
            // A cancel may come after the end.
            _ => &[RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_ENDED],
        }
    }
}

/// A sink's context, which counts its calls. It outlives every callback, so that an extra one is visible.
#[derive(Default)]
pub(crate) struct Probe {
    session: AtomicU64,
    cancels_inside: AtomicBool,
    /// Some rounds act at once, and some after a first value.
    is_left_alone: AtomicBool,
    signals: AtomicU32,
    /// The signals with an event; the others are bells.
    events: AtomicU32,
    releases: AtomicU32,
    signals_after_release: AtomicU32,
    foreign_releases: AtomicU32,
    /// The reason and the message of each release.
    ends: Mutex<Vec<(i32, String)>>,
    bell: Condvar,
}

impl Probe {
    /// A sink of this context, which has to outlive the session.
    pub(crate) fn sink(&self) -> RustleSink {
        RustleSink {
            context: std::ptr::from_ref(self).cast_mut().cast(),
            on_signal: Some(on_signal),
            on_release: Some(on_release),
        }
    }

    pub(crate) fn signals(&self) -> u32 {
        self.signals.load(Ordering::SeqCst)
    }

    pub(crate) fn events(&self) -> u32 {
        self.events.load(Ordering::SeqCst)
    }

    pub(crate) fn ends(&self) -> MutexGuard<'_, Vec<(i32, String)>> {
        self.ends.lock().expect("no panic under the lock")
    }
}

extern "C" fn on_signal(context: *mut c_void, event: *const c_void) {
    // SAFETY: the context is the probe, which the harness keeps until the process ends.
    let probe = unsafe { &*context.cast::<Probe>() };
    if probe.releases.load(Ordering::SeqCst) > 0 {
        probe.signals_after_release.fetch_add(1, Ordering::SeqCst);
    }
    probe.signals.fetch_add(1, Ordering::SeqCst);
    let is_event = u32::from(!event.is_null());
    probe.events.fetch_add(is_event, Ordering::SeqCst);
    if probe.cancels_inside.load(Ordering::SeqCst) {
        cancel(probe);
    }
}

extern "C" fn on_release(context: *mut c_void, reason: i32, message: *const u8, length: usize) {
    // SAFETY: as above.
    let probe = unsafe { &*context.cast::<Probe>() };
    let message = match length {
        // At NULL, when the release is a seeded fault's.
        0 => &[],
        // SAFETY: the message is readable for its length during the call.
        _ => unsafe { std::slice::from_raw_parts(message, length) },
    };
    let thread = std::thread::current();
    if !thread.name().unwrap_or_default().starts_with("rustle-") {
        probe.foreign_releases.fetch_add(1, Ordering::SeqCst);
    }
    // The termination handler of a Swift stream does this: it must not meet a lock.
    cancel(probe);
    probe.releases.fetch_add(1, Ordering::SeqCst);
    let message = String::from_utf8_lossy(message).into_owned();
    probe.ends().push((reason, message));
    probe.bell.notify_all();
}

fn cancel(probe: &Probe) {
    // SAFETY: NULL is allowed. Before the start has returned the session is 0, which is stale.
    unsafe { rustle_cancel(probe.session.load(Ordering::SeqCst), null_mut()) };
}

/// The bound on one round: a release that takes longer is lost. Rounds take microseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs `rounds` rounds, each engine and mode in turn.
///
/// # Panics
/// A promise is broken.
pub(crate) fn run(rounds: usize) {
    let cases: Vec<(Engine, Mode)> = ENGINES
        .iter()
        .flat_map(|engine| Mode::ALL.map(|mode| (*engine, mode)))
        .filter(|(_, mode)| *mode != Mode::Panic || cfg!(feature = "faults"))
        // A bell may ring for the last time before the start has returned, and cancel nothing then: events are needed.
        .filter(|(engine, mode)| *mode != Mode::CancelInside || engine.lanes.contains(&RUSTLE_LANE_PER_VALUE))
        .collect();
    let mut probes: Vec<Arc<Probe>> = Vec::with_capacity(rounds);
    for round in 0..rounds {
        let probe = Arc::new(Probe::default());
        probes.push(probe.clone());
        // One digit after the other: each engine and mode meets each lane, acted on at once and later.
        let (engine, mode) = cases[round % cases.len()];
        let lane = match mode {
            // The ring's bell rings once: a cancel inside a callback needs the other lane to be sure of a callback.
            Mode::CancelInside => RUSTLE_LANE_PER_VALUE,
            _ => engine.lanes[round / cases.len() % engine.lanes.len()],
        };
        if (round / cases.len() / engine.lanes.len()).is_multiple_of(2) {
            probe.is_left_alone.store(true, Ordering::SeqCst);
        }
        let (name, limit) = (
            format!("round {round}, {}, {mode:?}", engine.name),
            1 + round as u64 % 5,
        );
        run_round(engine, mode, lane, limit, &probe, &name);
        // A late call shows a few rounds later.
        check(&probes[round.saturating_sub(8)], &format!("{name}, looking back"));
    }
    for probe in probes {
        check(&probe, "at the end");
    }
}

fn run_round(engine: Engine, mode: Mode, lane: u32, limit: u64, probe: &Probe, name: &str) {
    let limit = if mode == Mode::NaturalEnd { limit } else { 0 };
    let work = match mode {
        Mode::Panic => Work::Panic,
        _ => Work::Regular,
    };
    let cancels_inside = mode == Mode::CancelInside;
    probe.cancels_inside.store(cancels_inside, Ordering::SeqCst);
    let handle = (engine.new)(0, 100_000.0, limit).expect(name);
    let session = engine.start(handle, work, lane, 64, probe.sink()).expect(name);
    probe.session.store(session, Ordering::SeqCst);
    if probe.is_left_alone.load(Ordering::SeqCst) {
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
        Mode::FreeSession => assert_eq!(free(session), RUSTLE_OK, "{name}"),
        Mode::FreeEngine => assert_eq!(free(handle), RUSTLE_OK, "{name}"),
    }
    let (ends, _) = probe
        .bell
        .wait_timeout_while(probe.ends(), PATIENCE, |ends| ends.is_empty())
        .expect("no panic under the lock");
    let reason = ends.first().map(|(reason, _)| *reason);
    drop(ends);
    let reason = reason.unwrap_or_else(|| panic!("{name}: no release within {PATIENCE:?}"));
    assert!(mode.reasons().contains(&reason), "{name}: reason {reason}");
    if mode != Mode::FreeSession {
        if lane != RUSTLE_LANE_PER_VALUE {
            check_ring(engine, session, name);
        }
        assert_eq!(free(session), RUSTLE_OK, "{name}");
    }
    if mode != Mode::FreeEngine {
        assert_eq!(free(handle), RUSTLE_OK, "{name}");
    }
    check(probe, name);
}

/// A released session still delivers the waiting values of its ring, and its counts add up.
fn check_ring(engine: Engine, session: RustleHandle, name: &str) {
    let (count, gaps, s) = engine.drain(session, 64).expect(name);
    assert_eq!((s.delivered, s.waiting), (count, 0), "{name}");
    assert_eq!(s.produced, count + s.dropped, "{name}");
    assert!(gaps <= s.dropped, "{name}: gaps of {gaps}, {} dropped", s.dropped);
}

fn check(probe: &Probe, name: &str) {
    let count = |counter: &AtomicU32| counter.load(Ordering::SeqCst);
    assert_eq!(count(&probe.releases), 1, "{name}: releases");
    assert_eq!(count(&probe.foreign_releases), 0, "{name}: releases by no worker");
    assert_eq!(count(&probe.signals_after_release), 0, "{name}: late signals");
}
