//! What the lanes of all engines have in common.

use crate::sink::SinkGuts;
use crate::slice::{borrowed_mut, out};
use crate::status::CallFault;
use rustle_engines::{Doorbell, LaneStatistics, Overflow, RecordListener, Release};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

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
    /// Of `dropped`, those after the last element that was put in: no `gap` tells of them unless another comes. After the
    /// session's end the gaps of the elements and this are all that was lost.
    pub untold: u64,
}

impl From<LaneStatistics> for RustleLaneStatistics {
    fn from(s: LaneStatistics) -> Self {
        Self {
            produced: s.produced,
            delivered: s.delivered,
            dropped: s.dropped,
            waiting: s.waiting,
            untold: s.untold,
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

/// A record of the C interface, and the engine's own value that it tells of.
pub(crate) trait LaneRecord<Native> {
    /// `gap`: how many values the lane lost just before it.
    fn new(native: &Native, gap: u32) -> Self;
}

/// The events lane: every value is a call with its record.
pub(crate) struct EventSink<Record> {
    guts: SinkGuts,
    record: PhantomData<fn() -> Record>,
}

impl<Record> EventSink<Record> {
    /// One that calls the functions of `guts`.
    pub(crate) fn new(guts: SinkGuts) -> Self {
        let record = PhantomData;
        Self { guts, record }
    }
}

impl<Native, Record: LaneRecord<Native>> RecordListener<Native> for EventSink<Record> {
    fn on_record(&mut self, native: &Native) {
        self.guts.signal(&Record::new(native, 0));
    }

    fn on_release(self: Box<Self>, release: Release) {
        self.guts.release(release);
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

/// The caller's memory for the records of a drain.
pub(crate) struct Places<'a, Record> {
    places: std::slice::IterMut<'a, MaybeUninit<Record>>,
}

impl<Record> Places<'_, Record> {
    /// How many records still find room.
    pub(crate) fn room(&self) -> usize {
        self.places.len()
    }

    /// Writes the next record: of an engine's value, before which the lane lost `gap` others.
    #[inline]
    pub(crate) fn put<Native>(&mut self, native: &Native, gap: u32)
    where
        Record: LaneRecord<Native>,
    {
        if let Some(place) = self.places.next() {
            place.write(Record::new(native, gap));
        }
    }
}

/// What `rustle_NAME_drain` does once the session was found: `drain` empties its ring into the places that it is given. It
/// returns `None` for a session of another engine, and `Some(None)` for one of the events lane.
///
/// # Errors
/// NULL, a length that no buffer has, another engine's session, or an events lane's; nothing is taken then.
///
/// # Safety
/// `buffer` is NULL or valid for writes of `capacity` records; `count` and `statistics` are NULL or valid for a write.
pub(crate) unsafe fn drained<Record>(
    buffer: *mut Record,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    drain: impl FnOnce(&mut Places<'_, Record>) -> Option<Option<(usize, LaneStatistics)>>,
) -> Result<(), CallFault> {
    // SAFETY: the caller's promise about `count` is handed on.
    let count = unsafe { out(count, "count") }?;
    let buffer = buffer.cast::<MaybeUninit<Record>>();
    // SAFETY: the caller's promise about `buffer` is handed on; `MaybeUninit` asks for no initialised memory.
    let buffer = unsafe { borrowed_mut(buffer, capacity, "buffer") }?;
    let mut places = Places {
        places: buffer.iter_mut(),
    };
    let foreign = CallFault::value("session", "expected one of this engine, got another engine's");
    let events = CallFault::value("session", "expected a frame lane, got an events lane");
    let counted;
    (*count, counted) = drain(&mut places).ok_or(foreign)?.ok_or(events)?;
    // SAFETY: the caller's promise about `statistics` is handed on; `as_mut` tests for NULL.
    if let Some(statistics) = unsafe { statistics.as_mut() } {
        *statistics = counted.into();
    }
    Ok(())
}
