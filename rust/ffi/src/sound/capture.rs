//! Captures: engines, and the start and drain of their sessions.

use super::fault::SoundFault;
use super::RustleSoundConfiguration;
use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::lane::{drained, BellSink, EventSink, LaneRecord, RustleLaneStatistics};
use crate::runtime;
use crate::session::{self, EngineSession};
use crate::sink::RustleSink;
use crate::slice::out;
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{CaptureEngine, SoundBlock, BLOCK_SAMPLES};

/// The samples of a `RustleSoundBlock`.
pub const RUSTLE_BLOCK_SAMPLES: usize = 256;
const _: () = assert!(RUSTLE_BLOCK_SAMPLES == BLOCK_SAMPLES);

/// A few frames of captured sound with their place in time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleSoundBlock {
    /// Its number in the session: 0, 1, 2 …
    pub sequence: u64,
    /// The number of its first frame since the capture began; frames that are known to be lost are counted.
    pub position: u64,
    /// Frames lost just before it between the device and the lane, because the engine was held up.
    pub lost: u64,
    /// How often the device had no room left since the capture began; each time it lost sound, how much it does not say.
    pub overruns: u32,
    /// The frames in it: at least 1, and as many as find room.
    pub frames: u32,
    /// On a frame lane the number of blocks that were lost just before this one; what is beyond 4,294,967,295 is told with the
    /// blocks that follow. 0 on the events lane.
    pub gap: u32,
    /// The samples of a frame.
    pub channels: u32,
    /// Interleaved samples, full scale at 1.0; 0 beyond the frames.
    pub samples: [f32; RUSTLE_BLOCK_SAMPLES],
}

impl LaneRecord<SoundBlock> for RustleSoundBlock {
    fn new(block: &SoundBlock, gap: u32) -> Self {
        Self {
            sequence: block.sequence,
            position: block.position,
            lost: block.lost,
            overruns: block.overruns,
            frames: block.frames,
            gap,
            channels: block.channels,
            samples: block.samples,
        }
    }
}

static CAPTURES: SlotTable<CaptureEngine> = SlotTable::new(Kind::Capture);

/// Makes a capture. `capture` receives its handle, to be freed with `rustle_capture_free`. The device is opened by each start.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE` (a number out of its range), `RUSTLE_INVALID_UTF8`,
/// `RUSTLE_INVALID_LENGTH`, `RUSTLE_STALE_HANDLE` (the runtime's), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration whose device's text is readable, and that is not written during the
/// call; `capture` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_capture_new(
    configuration: *const RustleSoundConfiguration,
    capture: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `capture` is handed on.
        let capture = unsafe { out(capture, "capture") }?;
        let runtime = runtime::find(configuration.runtime)?;
        // SAFETY: the caller promises that the device's text is readable.
        let configuration = unsafe { configuration.read() }?;
        *capture = CAPTURES.insert(CaptureEngine::on(runtime, configuration)?)?;
        Ok::<(), SoundFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Opens the device and starts a session. `lane` is one of `RUSTLE_LANE_…`; `capacity` is the ring's size, 1 to 65,536,
/// and is not read for the events lane. `session` receives the handle, to be freed with `rustle_session_free`. Callbacks may
/// come before this function returns; the last one comes when the device is closed again.
///
/// Events are `RustleSoundBlock` records.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`, `RUSTLE_STALE_HANDLE`,
/// `RUSTLE_DEVICE_NOT_FOUND` to `RUSTLE_NO_SOUND_LIBRARY`, `RUSTLE_SHUT_DOWN`, `RUSTLE_POISONED`, `RUSTLE_EXHAUSTED`; the sink
/// was not taken then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// The sink keeps the contract of `RustleSink`; `session` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_capture_start(
    capture: RustleHandle,
    lane: u32,
    capacity: usize,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let engine = find(capture)?;
        // SAFETY: the caller's promise about `session` is handed on.
        let session = unsafe { out(session, "session") }?;
        session::started(session, lane, sink, |overflow, sink| {
            Ok::<_, SoundFault>(EngineSession::Capture(match overflow {
                None => engine.start_pushing(EventSink::<RustleSoundBlock>::new(sink))?,
                Some(overflow) => engine.start_pulling(overflow, capacity, BellSink(sink))?,
            }))
        })
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Moves at most `capacity` waiting records of a frame lane into `buffer`, the longest waiting first. `count` receives
/// their number; `statistics`, which may be NULL, what went through the lane up to and including them. Works after the
/// session's end, until its handle is freed.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (a session of
/// the events lane, or of another engine); nothing is taken then.
///
/// Thread-safe: yes. Realtime-safe: no (it shares a lock with the worker, held for copies only).
///
/// # Safety
/// `buffer` is NULL or valid for writes of `capacity` records; `count`, `statistics` and `error` are NULL or valid for a
/// write.
#[no_mangle]
pub unsafe extern "C" fn rustle_capture_drain(
    session: RustleHandle,
    buffer: *mut RustleSoundBlock,
    capacity: usize,
    count: *mut usize,
    statistics: *mut RustleLaneStatistics,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let session = session::find(session)?;
        // SAFETY: the caller's promises about the buffer and the results are handed on.
        unsafe {
            drained(buffer, capacity, count, statistics, |places| {
                match &session.engine {
                    EngineSession::Capture(session) => {
                        Some(session.drain(places.room(), |block, gap| places.put(&block, gap)))
                    }
                    _ => None,
                }
            })
        }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Cancels every session of a capture. Idempotent; later starts are welcome.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_capture_cancel(
    capture: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(capture)?.cancel();
            Ok::<(), CallFault>(())
        })
    }
}

/// Cancels every session of a capture; later starts fail with `RUSTLE_SHUT_DOWN`. Idempotent.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_capture_shut_down(
    capture: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(capture)?.shut_down();
            Ok::<(), CallFault>(())
        })
    }
}

/// Makes a capture's handle stale and cancels its sessions, whose releases follow.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_capture_free(capture: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || CAPTURES.remove(capture, "capture")) }
}

fn find(capture: RustleHandle) -> Result<Pinned<'static, CaptureEngine>, CallFault> {
    CAPTURES.pin(capture, "capture")
}
