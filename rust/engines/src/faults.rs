//! Injected faults, which show that the tests of the boundary can fail. Compiled only with the feature `faults`, which no shipped
//! archive has.

use crate::job::{Job, PollContext, Release, Step};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

pub use crate::lock::Lock;

/// One way to break the contract of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Fault {
    /// None: the archive behaves.
    None,
    /// `cancel` calls `on_release` itself, on the canceller's thread, and the worker calls it too.
    ReleaseByCanceller,
    /// `on_release` is called twice.
    DoubleRelease,
    /// `on_release` is not called for every eighth session.
    LostRelease,
    /// `on_signal` is called once more after `on_release`.
    EventAfterRelease,
    /// The worker holds its inbox's lock during callbacks.
    LockHeld,
    /// The worker panics in every eighth session.
    WorkerPanic,
}

impl Fault {
    /// Every fault, with its name in the environment variable `RUSTLE_FAULT`.
    pub const ALL: [(&'static str, Self); 6] = [
        ("release-by-canceller", Self::ReleaseByCanceller),
        ("double-release", Self::DoubleRelease),
        ("lost-release", Self::LostRelease),
        ("event-after-release", Self::EventAfterRelease),
        ("lock-held", Self::LockHeld),
        ("worker-panic", Self::WorkerPanic),
    ];
}

/// The place of [`Fault::WorkerPanic`]: in every poll of every engine's jobs, every eighth of which panics.
///
/// # Panics
/// If that fault is active.
pub(crate) fn worker_point() {
    assert!(!strikes(Fault::WorkerPanic), "a panic on purpose");
}

/// A symbol that makes the next session of a ticker or a feed, if it has no other symbol, panic in its first poll.
pub const PANIC_SYMBOL: &str = "!PANIC";

/// The name of a sound device that does not exist: a capture or a playback of it calls [`arm_session`], which callers in other
/// languages reach only by this name.
pub const PANIC_DEVICE: &str = "!PANIC";

thread_local! {
    /// Whether the next session that this thread starts is to panic.
    static SESSION_IS_ARMED: Cell<bool> = const { Cell::new(false) };
}

/// Makes the next session that this thread starts, of any engine, panic in its first poll.
pub fn arm_session() {
    SESSION_IS_ARMED.set(true);
}

/// Runs a start that is a part of a session's, which [`arm_session`] does not mean.
pub(crate) fn unarmed<T>(start: impl FnOnce() -> T) -> T {
    let is_armed = SESSION_IS_ARMED.take();
    let result = start();
    SESSION_IS_ARMED.set(is_armed);
    result
}

/// Handles the name of the device of a new sound engine.
pub(crate) fn device_is_named(name: &str) {
    if name == PANIC_DEVICE {
        arm_session();
    }
}

/// Handles the symbols of a session that is about to start.
pub(crate) fn symbols_are_wanted<'a>(names: impl IntoIterator<Item = &'a str>) {
    if names.into_iter().eq([PANIC_SYMBOL]) {
        arm_session();
    }
}

/// The job of a session that is about to start, or one in its place that panics when [`arm_session`] asked for it.
pub(crate) fn armed(job: Box<dyn Job>) -> Box<dyn Job> {
    if SESSION_IS_ARMED.take() {
        Box::new(Panicking(job))
    } else {
        job
    }
}

/// A job that panics, in place of another, and is released as it.
struct Panicking(Box<dyn Job>);

impl Job for Panicking {
    fn poll(&mut self, _: &PollContext<'_>) -> Step {
        panic!("a panic on purpose")
    }

    fn release(self: Box<Self>, release: Release) {
        self.0.release(release);
    }
}

static EVERY_EIGHTH: AtomicU32 = AtomicU32::new(0);

/// Whether `fault` is the one that the environment variable `RUSTLE_FAULT` names.
pub fn is_active(fault: Fault) -> bool {
    static ACTIVE: OnceLock<Fault> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        let name = std::env::var("RUSTLE_FAULT").unwrap_or_default();
        Fault::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(Fault::None, |(_, fault)| *fault)
    }) == fault
}

/// As [`is_active`], at every eighth call.
pub fn strikes(fault: Fault) -> bool {
    is_active(fault) && EVERY_EIGHTH.fetch_add(1, Ordering::Relaxed) % 8 == 7
}

thread_local! {
    /// The number of points that this thread still passes before one panics; `None`: none does.
    static POINTS_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Makes a later [`point`] of this thread panic: the next one for 0, the one after that for 1, and so on.
pub fn arm(points_to_pass: u32) {
    POINTS_LEFT.set(Some(points_to_pass));
}

/// Disarms [`arm`]; returns whether its panic was still pending.
pub fn disarm() -> bool {
    POINTS_LEFT.take().is_some()
}

/// A place where a panic can be injected. `place` goes into its message.
///
/// # Panics
/// When it is the one that [`arm`] chose.
pub fn point(place: &'static str) {
    match POINTS_LEFT.get() {
        None => {}
        Some(0) => {
            POINTS_LEFT.set(None);
            panic!("an injected panic at {place}");
        }
        Some(left) => POINTS_LEFT.set(Some(left - 1)),
    }
}

/// The lock behind which a panic is armed, and how many threads still pass it: its place in [`Lock::ALL`] and 1 in the upper
/// half; 0: none is.
static ARMED_LOCK: AtomicU64 = AtomicU64::new(0);

/// Makes a later acquisition of `lock`, by any thread, panic with the lock held: the next one for 0, the one after that for 1,
/// and so on. One lock is armed at a time in a process.
pub fn arm_lock(lock: Lock, takings_to_pass: u32) {
    ARMED_LOCK.store(
        ((lock as u64 + 1) << 32) | u64::from(takings_to_pass),
        Ordering::SeqCst,
    );
}

/// Disarms [`arm_lock`]; returns whether its panic was still pending.
pub fn disarm_lock() -> bool {
    ARMED_LOCK.swap(0, Ordering::SeqCst) != 0
}

/// Whether any lock is armed.
pub fn is_a_lock_armed() -> bool {
    ARMED_LOCK.load(Ordering::SeqCst) != 0
}

/// A place behind a lock where a panic can be injected.
///
/// # Panics
/// When it is the one that [`arm_lock`] chose.
pub(crate) fn lock_point(lock: Lock) {
    let pass = |armed: u64| match (armed >> 32 == lock as u64 + 1, armed as u32) {
        (false, _) => None,
        (true, 0) => Some(0),
        (true, _) => Some(armed - 1),
    };
    let before = ARMED_LOCK.fetch_update(Ordering::SeqCst, Ordering::SeqCst, pass);
    assert!(
        before.is_ok_and(|armed| armed as u32 != 0) || before.is_err(),
        "an injected panic behind the lock of {lock:?}"
    );
}
