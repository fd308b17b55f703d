//! What the lanes of all engines have in common.

use crate::sink::SinkGuts;
use crate::status::CallFault;
use rustle_engines::{Doorbell, LaneStatistics, Overflow, Release};

/// The events lane: every value is one call of the sink's `on_signal`.
pub const RUSTLE_LANE_EVENTS: u32 = 0;
/// The frame lane: values wait in a ring until they are drained; a full ring gives up its oldest element.
pub const RUSTLE_LANE_DROP_OLDEST: u32 = 1;
/// The frame lane; a full ring does not take a new element in.
pub const RUSTLE_LANE_DROP_NEWEST: u32 = 2;
/// The frame lane; a new value replaces the waiting one of the same key: of a ticker's, the same symbol.
pub const RUSTLE_LANE_KEEP_LATEST: u32 = 3;

/// What went through a frame lane so far: `produced == delivered + dropped + waiting`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleLaneStatistics {
    /// Elements that the engine put in.
    pub produced: u64,
    /// Elements that were drained.
    pub delivered: u64,
    /// Elements that the lane's policy gave up.
    pub dropped: u64,
    /// Elements in the lane now.
    pub waiting: u64,
}

impl From<LaneStatistics> for RustleLaneStatistics {
    fn from(s: LaneStatistics) -> Self {
        Self {
            produced: s.produced,
            delivered: s.delivered,
            dropped: s.dropped,
            waiting: s.waiting,
        }
    }
}

/// The policy of a frame lane; `None` for the events lane.
///
/// # Errors
/// The number is none of `RUSTLE_LANE_…`.
pub(crate) fn overflow(lane: u32) -> Result<Option<Overflow>, CallFault> {
    match lane {
        RUSTLE_LANE_EVENTS => Ok(None),
        RUSTLE_LANE_DROP_OLDEST => Ok(Some(Overflow::DropOldest)),
        RUSTLE_LANE_DROP_NEWEST => Ok(Some(Overflow::DropNewest)),
        RUSTLE_LANE_KEEP_LATEST => Ok(Some(Overflow::KeepLatest)),
        _ => Err(CallFault::value(
            "lane",
            "expected one of RUSTLE_LANE_…, got another number",
        )),
    }
}

/// The frame lane: a call says that there is something to drain.
pub(crate) struct BellSink(pub(crate) SinkGuts);

impl Doorbell for BellSink {
    fn on_ready(&mut self) {
        self.0.ring();
    }

    fn on_release(self: Box<Self>, release: Release) {
        self.0.release(release);
    }
}
