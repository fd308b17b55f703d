//! Sessions: an engine's work for one sink, behind a handle of the same kind for every engine.

use crate::exports;
use crate::fault::{AnyFault, CallOr, Outcome};
use crate::guard::guarded;
use crate::handle::{Pinned, RustleHandle};
use crate::lane::{Lane, LaneRecord, RecordLane, RustleLaneStatistics};
use crate::object::{check_size, Object, Tabled};
use crate::sink::{RawSink, RustleSink};
use crate::slice::{check_apart, out, out_or_null, record, Argument};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{LaneStatistics, StartError};
use std::any::Any;
use std::ffi::c_void;
use std::marker::PhantomData;

/// A session of any engine.
pub(crate) struct Session {
    /// The number of its stream, `RUSTLE_START_…`.
    stream: u32,
    started: Started,
    #[cfg(feature = "faults")]
    forger: crate::sink::ReleaseForger,
}

/// The result of an engine's start.
pub(crate) struct Started {
    lane: Box<dyn AnyLane>,
    face: Box<dyn Any + Send + Sync>,
}

impl Started {
    /// A session that can be cancelled, and drained of records.
    pub(crate) fn of<Record: LaneRecord<L::Native> + 'static, L: Lane + 'static>(lane: L) -> Self {
        let record = PhantomData::<fn() -> Record>;
        Self::new(RecordLane { lane, record })
    }

    /// A session of another kind.
    pub(crate) fn new(lane: impl AnyLane + 'static) -> Self {
        Self {
            lane: Box::new(lane),
            face: Box::new(()),
        }
    }

    /// A session with calls of its own, in `face`.
    pub(crate) fn with_face(self, face: impl Face) -> Self {
        let face = Box::new(face);
        Self { face, ..self }
    }
}

/// The calls of one engine's sessions, besides those of every session.
pub(crate) trait Face: Any + Send + Sync {
    /// The name in C: `rustle_NAME_…`, with a session as the first argument.
    const NAME: &'static str;
}

/// A session of any engine, behind its handle.
pub(crate) trait AnyLane: Send + Sync {
    /// Requests the session's end.
    fn cancel(&self);

    /// Writes at most `capacity` of the waiting records to `buffer`; returns their number and the lane's counts.
    ///
    /// # Errors
    /// The session has no lane that can be drained; nothing is taken then.
    ///
    /// # Safety
    /// `buffer` is NULL or valid for writes of `capacity` records of the lane.
    unsafe fn drain(
        &self,
        buffer: *mut c_void,
        capacity: usize,
    ) -> Result<(usize, LaneStatistics), CallFault>;
}

impl Session {
    fn cancel(&self) {
        self.started.lane.cancel();
        #[cfg(feature = "faults")]
        self.forger.forge();
    }

    /// The calls of one engine's sessions. Errors: the session is another engine's.
    pub(crate) fn face<F: Face>(&self) -> Result<&F, CallFault> {
        let problem = "expected a session of the engine that the call is for, got another engine's";
        let face = self.started.face.downcast_ref();
        face.ok_or(CallFault::value(F::NAME, problem))
    }
}

impl Drop for Session {
    /// Freeing the handle of a running session ends it: nothing else could.
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Object for Session {
    const NAME: &'static str = "session";
    const KIND: u32 = 1;
    type Error = StartError;

    /// Requests the end of a session. See `rustle_cancel`.
    fn cancel(&self) -> Outcome<StartError> {
        self.cancel();
        Ok(())
    }
}

/// A stream of an engine: `rustle_NAME_start`, or `rustle_NAME_start_STREAM`, and the drain of the same name.
pub(crate) trait Stream<Request>: Object {
    /// The record of its events and of its drain; [`NoRecord`] when there is none.
    type Record;

    /// Starts a session that reports to `sink`. Errors: the request cannot be met; the sink is never called then.
    fn start(&self, request: &Request, sink: RawSink) -> Outcome<Self::Error, Started>;
}

/// The record type of a stream without records.
pub(crate) enum NoRecord {}

/// A stream, by number.
pub(crate) struct Starter {
    size: usize,
    record_size: usize,
    /// Starts a session by a request that the verb's caller lends.
    start: unsafe fn(RustleHandle, *const c_void, RawSink) -> Result<Started, AnyFault>,
}

impl Starter {
    /// The starter of an engine and a type of request.
    pub(crate) const fn of<O: Stream<Request> + Tabled, Request>() -> Self {
        Self {
            size: size_of::<Request>(),
            record_size: size_of::<O::Record>(),
            start: |handle, request, sink| {
                let engine = O::table().pin(handle, O::NAME)?;
                // SAFETY: the promise of the caller of `start`: NULL, or a request that is lent for the call.
                let request = unsafe { record(request.cast::<Request>(), "request") }?;
                engine.start(request, sink).map_err(CallOr::erased)
            },
        }
    }
}

/// The session behind a handle. Errors: the handle is not that of a live session.
pub(crate) fn find(session: RustleHandle) -> Result<Pinned<'static, Session>, CallFault> {
    find_in(session, "session")
}

/// As [`find`], for an argument of another name.
pub(crate) fn find_in(
    session: RustleHandle,
    argument: &'static str,
) -> Result<Pinned<'static, Session>, CallFault> {
    Session::table().pin(session, argument)
}

fn starter(what: u32) -> Result<&'static Starter, CallFault> {
    exports::starter(what).ok_or_else(|| CallFault::number("what", "one of RUSTLE_START_…", what))
}

/// Starts a session of an engine. `what`, one of `RUSTLE_START_…`, defines the type of the record at `request`; `size` is that
/// record's size, `event_size` that of the stream's records, which the sink receives: 0 where there are none. `session` receives
/// the handle, to be freed with `rustle_free`, before or after the session's release. Callbacks may come before this function
/// returns.
///
/// `rustle_NAME_start` is a call of this one with its numbers.
///
/// Fails with `RUSTLE_INVALID_VALUE` (`what`), `RUSTLE_RECORD_SIZE`, `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`,
/// `RUSTLE_SHUT_DOWN`, `RUSTLE_POISONED`, `RUSTLE_EXHAUSTED`, `RUSTLE_FORKED`, and the statuses that the stream names; the sink
/// was not taken then.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `request` is NULL or points to a record of that type, which is not written during the call, nor is the memory that its
/// pointers lend; the sink keeps the contract of `RustleSink`; `session` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_start(
    object: RustleHandle,
    what: u32,
    request: *const c_void,
    size: usize,
    event_size: usize,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let starter = starter(what)?;
        check_size("request", starter.size, size)?;
        check_size("event", starter.record_size, event_size)?;
        // SAFETY: the caller's promise about `session` is handed on.
        let session = unsafe { out(session, "session") }?;
        let sink = RawSink::new(sink)?;
        #[cfg(feature = "faults")]
        let forger = sink.forger();
        // Reserved first: once the session runs, its start must not fail.
        let reservation = Session::table().reserve()?;
        session.write(reservation.fill(Session {
            stream: what,
            // SAFETY: the caller's promise about `request` is handed on, which has the size of its type.
            started: unsafe { (starter.start)(object, request, sink) }?,
            #[cfg(feature = "faults")]
            forger,
        }));
        Ok::<(), AnyFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Moves at most `capacity` waiting records of a session with a batched lane into `buffer`, the oldest first. `what` is the number
/// that the session was started with; `size` is the size of its stream's record. `count` receives the number of records;
/// `statistics`, which may be NULL, the lane's counts up to and including them; `statistics_size` is the size of that record.
/// Works after the session's end, until its handle is freed.
///
/// `rustle_NAME_drain` is a call of this one with its numbers.
///
/// Fails with `RUSTLE_INVALID_VALUE` (`what`, another stream's session, one of a per-value lane), `RUSTLE_RECORD_SIZE`,
/// `RUSTLE_STALE_HANDLE`, `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`; nothing is taken then.
///
/// Thread-safe: yes. Realtime-safe: no (it shares a lock with the worker, held for copies only).
///
/// # Safety
/// `buffer` is NULL or valid for writes of `capacity` records; `count`, `statistics` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_drain(
    session: RustleHandle,
    what: u32,
    buffer: *mut c_void,
    size: usize,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    statistics_size: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        check_size("buffer", starter(what)?.record_size, size)?;
        check_size("statistics", size_of::<RustleLaneStatistics>(), statistics_size)?;
        let session = find(session)?;
        if session.stream != what {
            let problem = "expected one of the stream that is drained, got another stream's";
            return Err(CallFault::value("session", problem));
        }
        check_apart([
            Argument::new("buffer", buffer.cast::<u8>(), size.saturating_mul(capacity)),
            Argument::new("count", count, 1),
            Argument::new("statistics", statistics, 1),
        ])?;
        // SAFETY: the caller's promise about `count` is handed on; it overlaps no other argument.
        let count = unsafe { out(count, "count") }?;
        // SAFETY: as above, about `statistics`.
        let statistics = unsafe { out_or_null(statistics, "statistics") }?;
        // SAFETY: the caller's promise about `buffer` is handed on; its records have the size of the stream's.
        let (drained, counts) = unsafe { session.started.lane.drain(buffer, capacity) }?;
        count.write(drained);
        if let Some(statistics) = statistics {
            statistics.write(counts.into());
        }
        Ok(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded::<CallFault>(error, body) }
}
