//! What the lanes of all engines have in common.

use crate::lent::{choices, Choice};
use crate::records::records;
use crate::session::AnyLane;
use crate::sink::RawSink;
use crate::slice::borrowed_mut;
use crate::status::CallFault;
use rustle_engines::{Delivery, Doorbell, LaneSession, LaneStatistics, Overflow, RecordListener, Release};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

choices! {
    /// How records travel to the caller.
    pub enum RustleLane = RUSTLE_LANE_ {
        /// The events lane: every value is one call of the sink's `on_signal`.
        Events = 0,
        /// The frame lane: values wait in a ring until they are drained; a full ring drops its oldest element.
        DropOldest = 1,
        /// The frame lane; a full ring drops the new element.
        DropNewest = 2,
        /// The frame lane; a new value replaces the waiting one of the same key: of a ticker's, the same symbol.
        Conflate = 3,
    }
}

records! {
    /// A lane for a session.
    pub struct RustleLaneRequest {
        /// The size of the ring, 1 to 1,048,576; not read for the events lane. Example: 64.
        pub capacity: usize,
        /// The lane. Example: 1.
        pub lane: Choice<RustleLane>,
        reserved: u32,
    }

    /// What went through a frame lane so far: `produced == delivered + dropped + waiting`.
    pub struct RustleLaneStatistics for LaneStatistics {
        /// Elements that the engine put in.
        pub produced: u64,
        /// Elements that were drained.
        pub delivered: u64,
        /// Elements that the lane's policy dropped.
        pub dropped: u64,
        /// Elements in the lane now.
        pub waiting: u64,
        /// Of `dropped`, those after the last element that was put in: no `gap` reports them unless another comes. After the
        /// session's end the gaps of the elements and this are all that was lost.
        pub unreported: u64,
    }
}

impl RustleLaneRequest {
    /// The policy of a frame lane; `None` for the events lane.
    /// Errors: the number is none of `RUSTLE_LANE_…`.
    pub(crate) fn overflow(&self) -> Result<Option<Overflow>, CallFault> {
        CallFault::check_reserved(self.reserved, "request.reserved")?;
        Ok(match self.lane.get("request.lane")? {
            RustleLane::Events => None,
            RustleLane::DropOldest => Some(Overflow::DropOldest),
            RustleLane::DropNewest => Some(Overflow::DropNewest),
            RustleLane::Conflate => Some(Overflow::Conflate),
        })
    }

    /// The lane that is asked for, with `sink` at its end; events are records of type `Record`.
    /// Errors: as [`overflow`](Self::overflow); the capacity of a frame lane is out of its range.
    pub(crate) fn delivery<Record, Native>(&self, sink: RawSink) -> Result<Delivery<Native>, CallFault>
    where
        Record: LaneRecord<Native> + 'static,
        Native: 'static,
    {
        let Some(overflow) = self.overflow()? else {
            return Ok(Delivery::Push(Box::new(EventSink::<Record>::new(sink))));
        };
        let problem = "expected 1 to 1048576 elements, got another number";
        Delivery::pull(overflow, self.capacity, BellSink(sink))
            .ok_or(CallFault::length("request.capacity", problem))
    }
}

/// A record of the C interface, and the engine's own value that it is made of.
pub(crate) trait LaneRecord<Native> {
    /// `gap`: how many values the lane lost just before it.
    fn new(native: &Native, gap: u32) -> Self;
}

/// The events lane: every value is a call with its record.
pub(crate) struct EventSink<Record>(RawSink, PhantomData<fn() -> Record>);

impl<Record> EventSink<Record> {
    /// One that calls the functions of `guts`.
    pub(crate) fn new(guts: RawSink) -> Self {
        Self(guts, PhantomData)
    }
}

impl<Native, Record: LaneRecord<Native>> RecordListener<Native> for EventSink<Record> {
    fn on_record(&mut self, native: &Native) {
        self.0.signal(&Record::new(native, 0));
    }

    fn on_release(self: Box<Self>, release: Release) {
        self.0.release(release);
    }
}

/// The frame lane: a call says that there is something to drain.
pub(crate) struct BellSink(pub(crate) RawSink);

impl Doorbell for BellSink {
    fn on_ready(&mut self) {
        self.0.ring();
    }

    fn on_release(self: Box<Self>, release: Release) {
        self.0.release(release);
    }
}

/// A session of an engine whose values wait in a ring, or are pushed.
pub(crate) trait Lane: Send + Sync {
    /// What waits.
    type Native;

    /// Asks for the session's end.
    fn cancel(&self);

    /// Hands out at most `most` waiting values, each with the number lost just before it; returns how many there were, and the
    /// lane's counts; `None` when the session pushes.
    fn drain(&self, most: usize, take: impl FnMut(Self::Native, u32)) -> Option<(usize, LaneStatistics)>;
}

impl<Native: rustle_engines::Record> Lane for LaneSession<Native> {
    type Native = Native;

    fn cancel(&self) {
        self.cancel();
    }

    fn drain(&self, most: usize, take: impl FnMut(Native, u32)) -> Option<(usize, LaneStatistics)> {
        self.drain(most, take)
    }
}

/// A lane whose values become records of the C interface.
pub(crate) struct RecordLane<Record, L> {
    pub(crate) lane: L,
    pub(crate) record: PhantomData<fn() -> Record>,
}

impl<Record: LaneRecord<L::Native>, L: Lane> AnyLane for RecordLane<Record, L> {
    fn cancel(&self) {
        self.lane.cancel();
    }

    unsafe fn drain(
        &self,
        buffer: *mut c_void,
        capacity: usize,
    ) -> Result<(usize, LaneStatistics), CallFault> {
        let buffer = buffer.cast::<MaybeUninit<Record>>();
        // SAFETY: the caller's promise about `buffer` is handed on; `MaybeUninit` asks for no initialised memory.
        let buffer = unsafe { borrowed_mut(buffer, capacity, "buffer") }?;
        let mut places = buffer.iter_mut();
        let put = |native, gap| {
            if let Some(place) = places.next() {
                place.write(Record::new(&native, gap));
            }
        };
        let events = CallFault::value("session", "expected a frame lane, got an events lane");
        self.lane.drain(capacity, put).ok_or(events)
    }
}
