//! The engines of the archive, as the tests of the boundary drive them: what the boundary promises for every engine, they
//! show for each row of [`ENGINES`].

mod capture;
mod feed;
mod playback;
mod sound;
mod ticker;

use rustle::lane::{
    RustleLaneStatistics, RUSTLE_LANE_DROP_NEWEST, RUSTLE_LANE_DROP_OLDEST, RUSTLE_LANE_EVENTS,
    RUSTLE_LANE_KEEP_LATEST,
};
use rustle::runtime::{rustle_runtime_advance, rustle_runtime_free, rustle_runtime_new_manual};
use rustle::session::rustle_session_free;
use rustle::sink::RustleSink;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::RustleHandle;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// Every engine; the lint looks that each `rustle_NAME_start` or `rustle_NAME_start_RECORDS` of the header has a row.
pub(crate) const ENGINES: &[Engine] = &[ticker::ENGINE, capture::ENGINE, playback::ENGINE, feed::ENGINE];

/// What a session is started to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// The engine's own.
    Regular,
    /// Panic in the worker, with the text "a panic on purpose" (only with the feature `faults`).
    Panic,
}

impl Work {
    /// Prepares the start that this thread makes next, for an engine whose starts do not say themselves what to do.
    fn arm(self) {
        match self {
            Self::Regular => {}
            #[cfg(feature = "faults")]
            Self::Panic => rustle_engines::faults::arm_session(),
            #[cfg(not(feature = "faults"))]
            Self::Panic => panic!("expected the feature `faults`"),
        }
    }
}

/// What a drain gives: the number of values, the sum of their gaps, and the lane's counts.
pub(crate) type Drained = Result<(u64, u64, RustleLaneStatistics), RustleStatus>;

/// One engine.
#[derive(Clone, Copy)]
pub(crate) struct Engine {
    /// NAME of `rustle_NAME_start`.
    pub(crate) name: &'static str,
    /// The lanes that it offers, as numbers of the header.
    pub(crate) lanes: &'static [u32],
    /// Makes an engine on a runtime (0: the shared one) whose sessions make so many values a second, and end after the given
    /// number of them; 0: they do not.
    pub(crate) new:
        fn(runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus>,
    /// Starts a session in a lane of the given capacity. The sink's context must outlive it.
    pub(crate) start: fn(
        engine: RustleHandle,
        work: Work,
        lane: u32,
        capacity: usize,
        sink: RustleSink,
    ) -> Result<RustleHandle, RustleStatus>,
    /// Drains at most so many values of a session's ring.
    pub(crate) drain: fn(session: RustleHandle, most: usize) -> Drained,
    /// Frees the engine.
    pub(crate) free: fn(engine: RustleHandle) -> RustleStatus,
}

/// The handle of a call that makes an object.
fn made(call: impl FnOnce(*mut RustleHandle) -> RustleStatus) -> Result<RustleHandle, RustleStatus> {
    let mut handle = 0;
    match call(&raw mut handle) {
        RUSTLE_OK => Ok(handle),
        status => Err(status),
    }
}

/// The lanes of an engine whose consumers drain a ring.
const RINGS: &[u32] = &[
    RUSTLE_LANE_DROP_OLDEST,
    RUSTLE_LANE_DROP_NEWEST,
    RUSTLE_LANE_KEEP_LATEST,
];

/// The lanes that there are.
const ALL_LANES: &[u32] = &[
    RUSTLE_LANE_EVENTS,
    RUSTLE_LANE_DROP_OLDEST,
    RUSTLE_LANE_DROP_NEWEST,
    RUSTLE_LANE_KEEP_LATEST,
];

/// What a call of a drain with room for `most` records gives.
fn drained<Record>(
    most: usize,
    drain: impl FnOnce(*mut Record, *mut usize, *mut RustleLaneStatistics) -> RustleStatus,
    gap: impl Fn(&Record) -> u32,
) -> Drained {
    let mut buffer: Vec<MaybeUninit<Record>> = Vec::with_capacity(most);
    let mut count = 0;
    let mut statistics = MaybeUninit::uninit();
    let status = drain(
        buffer.as_mut_ptr().cast(),
        &raw mut count,
        statistics.as_mut_ptr(),
    );
    if status != RUSTLE_OK {
        return Err(status);
    }
    assert!(count <= most);
    // SAFETY: there is room for `most`, and a place need not be written to be counted.
    unsafe { buffer.set_len(count) };
    // SAFETY: the first `count` records were written.
    let gaps = buffer
        .iter()
        .map(|record| u64::from(gap(unsafe { record.assume_init_ref() })));
    // SAFETY: a call that succeeds writes the counts.
    Ok((count as u64, gaps.sum(), unsafe { statistics.assume_init() }))
}

/// An engine on a runtime of its own, which stands still until it is told to go on. The engine goes first.
pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) handle: RustleHandle,
    runtime: RustleHandle,
}

impl Stage {
    /// An engine as [`Engine::new`] makes it.
    pub(crate) fn new(engine: Engine, per_second: f64, limit: u64) -> Self {
        // SAFETY: the result is the call's own; NULL is allowed as the record of an error.
        let runtime = made(|runtime| unsafe { rustle_runtime_new_manual(0, runtime, null_mut()) });
        let runtime = runtime.expect("a runtime");
        let handle = (engine.new)(runtime, per_second, limit).expect(engine.name);
        Self {
            engine,
            handle,
            runtime,
        }
    }

    /// Moves the time on; everything that was due is done when it returns, releases among it.
    pub(crate) fn advance(&self, nanoseconds: u64) {
        // SAFETY: NULL is allowed as the record of an error.
        let status = unsafe { rustle_runtime_advance(self.runtime, nanoseconds, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        assert_eq!((self.engine.free)(self.handle), RUSTLE_OK);
        // SAFETY: NULL is allowed as the record of an error.
        let status = unsafe { rustle_runtime_free(self.runtime, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
    }
}

/// Frees a session.
pub(crate) fn free_session(session: RustleHandle) -> RustleStatus {
    // SAFETY: NULL is allowed as the record of an error.
    unsafe { rustle_session_free(session, null_mut()) }
}
