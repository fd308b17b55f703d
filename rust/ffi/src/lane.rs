//! The lanes of all engines.

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
    /// The delivery of records to the caller.
    pub enum RustleLane = RUSTLE_LANE_ {
        /// The per-value lane: every value is one call of the sink's `on_signal`.
        PerValue = 0,
        /// The batched lane: values wait in a ring until they are drained; a full ring drops its oldest element.
        DropOldest = 1,
        /// The batched lane; a full ring drops the new element.
        DropNewest = 2,
        /// The batched lane; a new value replaces the waiting one with the same key; a ticker's key is the symbol.
        Conflate = 3,
    }
}

records! {
    /// The configuration of a session's lane.
    pub struct RustleLaneRequest {
        /// The size of the ring, 1 to 1,048,576; not read for the per-value lane. Example: 64.
        pub capacity: usize,
        /// The lane. Example: 1.
        pub lane: Choice<RustleLane>,
        reserved: u32,
    }

    /// The counts of a batched lane so far: `produced == delivered + dropped + waiting`.
    pub struct RustleLaneStatistics for LaneStatistics {
        /// Elements put in by the engine.
        pub produced: u64,
        /// Elements drained.
        pub delivered: u64,
        /// Elements dropped by the lane's policy.
        pub dropped: u64,
        /// Elements in the lane now.
        pub waiting: u64,
        /// Those of `dropped` after the last element put in: no `gap` reports them unless another follows. After the session's
        /// end `dropped` is the sum of this and of the elements' gaps.
        pub unreported: u64,
    }
}

impl RustleLaneRequest {
    /// The policy of a batched lane; `None` for the per-value lane. Errors: the number is none of `RUSTLE_LANE_…`.
    pub(crate) fn overflow(&self) -> Result<Option<Overflow>, CallFault> {
        CallFault::check_reserved(self.reserved, "request.reserved")?;
        Ok(match self.lane.get("request.lane")? {
            RustleLane::PerValue => None,
            RustleLane::DropOldest => Some(Overflow::DropOldest),
            RustleLane::DropNewest => Some(Overflow::DropNewest),
            RustleLane::Conflate => Some(Overflow::Conflate),
        })
    }

    /// The requested lane to `sink`; events are records of type `Record`.
    /// Errors: as [`overflow`](Self::overflow); the capacity of a batched lane is out of its range.
    pub(crate) fn delivery<Record, Native>(&self, sink: RawSink) -> Result<Delivery<Native>, CallFault>
    where
        Record: LaneRecord<Native> + 'static,
        Native: 'static,
    {
        let Some(overflow) = self.overflow()? else {
            return Ok(Delivery::Push(Box::new(EventSink::<Record>::new(sink))));
        };
        Delivery::pull(overflow, self.capacity, BellSink(sink))
            .ok_or_else(|| CallFault::length("request.capacity", "1 to 1048576 elements", self.capacity))
    }
}

/// A record of the C interface that is made of an engine's value.
pub(crate) trait LaneRecord<Native> {
    /// Converts a value; `gap` is the number of values dropped just before it.
    fn new(native: &Native, gap: u32) -> Self;
}

/// The per-value lane, which calls the sink with the record of each value.
pub(crate) struct EventSink<Record>(RawSink, PhantomData<fn() -> Record>);

impl<Record> EventSink<Record> {
    /// Wraps a sink.
    pub(crate) fn new(sink: RawSink) -> Self {
        Self(sink, PhantomData)
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

/// The batched lane, which calls the sink when values wait to be drained.
pub(crate) struct BellSink(pub(crate) RawSink);

impl Doorbell for BellSink {
    fn on_ready(&mut self) {
        self.0.ring();
    }

    fn on_release(self: Box<Self>, release: Release) {
        self.0.release(release);
    }
}

/// A session with a batched lane or a per-value lane.
pub(crate) trait Lane: Send + Sync {
    /// The waiting values.
    type Native;

    /// Requests the session's end.
    fn cancel(&self);

    /// Delivers at most `most` waiting values, each with the number dropped just before it; returns their number and the lane's
    /// counts; `None` for a per-value lane.
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

/// A lane whose values are converted to records of the C interface.
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
        let events = CallFault::value("session", "expected a batched lane, got a per-value lane");
        self.lane.drain(capacity, put).ok_or(events)
    }
}
