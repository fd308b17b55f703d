//! The engines of the archive, as driven by the tests of the boundary, which test its promises for each row of [`ENGINES`].

mod dmx;
mod dmx_receiver;
mod feed;
mod node_radio;
mod show;
mod sound;
mod table;
mod tempo;
#[path = "../verbs/mod.rs"]
mod verbs;

pub(crate) use table::ENGINES;
pub(crate) use verbs::free;

use rustle::lane::{RustleLane, RustleLaneRequest, RustleLaneStatistics};
use rustle::lent::Choice;
use rustle::session::rustle_drain;
use rustle::sink::RustleSink;
use rustle::status::{RustleStatus, RUSTLE_OK};
use rustle::RustleHandle;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use verbs::{advance, make, manual_runtime, start};

pub(crate) const RUSTLE_LANE_PER_VALUE: u32 = RustleLane::PerValue as u32;
pub(crate) const RUSTLE_LANE_DROP_OLDEST: u32 = RustleLane::DropOldest as u32;
pub(crate) const RUSTLE_LANE_DROP_NEWEST: u32 = RustleLane::DropNewest as u32;
pub(crate) const RUSTLE_LANE_CONFLATE: u32 = RustleLane::Conflate as u32;

/// The work of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// The engine's own.
    Regular,
    /// Panic in the worker, with the text "a panic on purpose" (only with the feature `faults`).
    Panic,
}

impl Work {
    /// Prepares the start that this thread makes next, for an engine whose requests do not choose the work.
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

/// The result of a drain: the number of values, the sum of their gaps, and the lane's counts.
pub(crate) type Drained = Result<(u64, u64, RustleLaneStatistics), RustleStatus>;

/// One engine.
#[derive(Clone, Copy)]
pub(crate) struct Engine {
    /// NAME of `rustle_NAME_start`.
    pub(crate) name: &'static str,
    /// The lanes that it offers, as numbers of the header.
    pub(crate) lanes: &'static [u32],
    /// The number of its stream, `RUSTLE_START_…`, the size of the stream's record, and where that has its `gap`.
    pub(crate) stream: (u32, usize, usize),
    /// Makes an engine on a runtime (0: the shared one) whose sessions make this many values per second, and end after the given
    /// number of values; 0: no limit.
    pub(crate) new:
        fn(runtime: RustleHandle, per_second: f64, limit: u64) -> Result<RustleHandle, RustleStatus>,
    /// Starts a session in a lane. The sink's context must outlive it.
    pub(crate) begin:
        fn(&Self, RustleHandle, Work, RustleLaneRequest, RustleSink) -> Result<RustleHandle, RustleStatus>,
}

/// The stream of records of type `$record` for [`Engine::stream`].
macro_rules! stream {
    ($number:path, $record:ty) => {
        ($number, size_of::<$record>(), std::mem::offset_of!($record, gap))
    };
}
use stream;

impl Engine {
    /// Starts a session in a lane of the given capacity. The sink's context must outlive it.
    pub(crate) fn start(
        &self,
        engine: RustleHandle,
        work: Work,
        lane: u32,
        capacity: usize,
        sink: RustleSink,
    ) -> Result<RustleHandle, RustleStatus> {
        let request = RustleLaneRequest {
            capacity,
            lane: Choice::of_number(lane),
            reserved: 0,
        };
        (self.begin)(self, engine, work, request, sink)
    }

    /// Drains at most this many values of a session's ring.
    pub(crate) fn drain(&self, session: RustleHandle, most: usize) -> Drained {
        let (what, size, gap) = self.stream;
        let mut buffer = vec![0_u64; (size * most).div_ceil(8)];
        let mut count = 0;
        let mut statistics = MaybeUninit::uninit();
        // SAFETY: the buffer has room for this many records; NULL is allowed as the record of an error.
        let status = unsafe {
            rustle_drain(
                session,
                what,
                buffer.as_mut_ptr().cast(),
                size,
                most,
                &raw mut count,
                statistics.as_mut_ptr(),
                size_of::<RustleLaneStatistics>(),
                null_mut(),
            )
        };
        if status != RUSTLE_OK {
            return Err(status);
        }
        assert!(count <= most);
        let gaps = (0..count).map(|place| {
            let bytes = buffer.as_ptr().cast::<u8>().wrapping_add(place * size + gap);
            // SAFETY: the record was written, and its gap is a number of 32 bits.
            u64::from(unsafe { bytes.cast::<u32>().read() })
        });
        // SAFETY: a call that succeeds writes the counts.
        Ok((count as u64, gaps.sum(), unsafe { statistics.assume_init() }))
    }
}

/// Starts a session of an engine's stream by its request.
fn begin<Request>(
    engine: &Engine,
    handle: RustleHandle,
    request: &Request,
    sink: RustleSink,
) -> Result<RustleHandle, RustleStatus> {
    start(handle, engine.stream.0, request, engine.stream.1, sink)
}

/// The lanes that there are.
const ALL_LANES: &[u32] = &[
    RUSTLE_LANE_PER_VALUE,
    RUSTLE_LANE_DROP_OLDEST,
    RUSTLE_LANE_DROP_NEWEST,
    RUSTLE_LANE_CONFLATE,
];

/// The lanes of an engine whose consumers drain a ring.
const RINGS: &[u32] = ALL_LANES.split_at(1).1;

/// An engine on its own runtime, which is stopped until a test advances it. The engine is dropped first.
pub(crate) struct Stage {
    pub(crate) handle: RustleHandle,
    runtime: RustleHandle,
}

impl Stage {
    /// An engine as [`Engine::new`] makes it.
    pub(crate) fn new(engine: Engine, per_second: f64, limit: u64) -> Self {
        let runtime = manual_runtime();
        let handle = (engine.new)(runtime, per_second, limit).expect(engine.name);
        Self { handle, runtime }
    }

    /// Advances the time; all due work is done when it returns, including releases.
    pub(crate) fn advance(&self, nanoseconds: u64) {
        advance(self.runtime, nanoseconds);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        assert_eq!(free(self.handle), RUSTLE_OK);
        // The sessions freed with it are released before their sinks are dropped.
        self.advance(0);
        assert_eq!(free(self.runtime), RUSTLE_OK);
    }
}
