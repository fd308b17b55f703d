//! Playbacks: engines, the start and drain of their sessions, and the sound that they are given.

use super::fault::SoundFault;
use super::RustleSoundConfiguration;
use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::lane::{drained, BellSink, EventSink, LaneRecord, RustleLaneStatistics};
use crate::runtime;
use crate::session::{self, AnySession, EngineSession};
use crate::sink::RustleSink;
use crate::slice::{borrowed, check_apart, out, Piece};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{PlaybackEngine, PlaybackProgress, PlaybackSession};

/// How far a playback has come.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePlaybackProgress {
    /// Its number in the session: 0, 1, 2 …
    pub sequence: u64,
    /// Frames that the device has taken, silence included.
    pub position: u64,
    /// Frames of sound among them.
    pub played: u64,
    /// Frames that wait for the device.
    pub queued: u64,
    /// Frames of silence that the device was given after the first sound, because none waited.
    pub starved: u64,
    /// How often the device ran dry; each time it made a hole, how long it does not say.
    pub underruns: u32,
    /// On a frame lane the number of records that were lost just before this one; what is beyond 4,294,967,295 is told with those
    /// that follow. 0 on the events lane.
    pub gap: u32,
}

impl LaneRecord<PlaybackProgress> for RustlePlaybackProgress {
    fn new(progress: &PlaybackProgress, gap: u32) -> Self {
        Self {
            sequence: progress.sequence,
            position: progress.position,
            played: progress.played,
            queued: progress.queued,
            starved: progress.starved,
            underruns: progress.underruns,
            gap,
        }
    }
}

static PLAYBACKS: SlotTable<PlaybackEngine> = SlotTable::new(Kind::Playback);

/// Makes a playback. `playback` receives its handle, to be freed with `rustle_playback_free`. The device is opened by each start.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE` (a number out of its range), `RUSTLE_INVALID_UTF8`,
/// `RUSTLE_INVALID_LENGTH`, `RUSTLE_STALE_HANDLE` (the runtime's), `RUSTLE_EXHAUSTED`.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a configuration whose device's text is readable, and that is not written during the
/// call; `playback` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_playback_new(
    configuration: *const RustleSoundConfiguration,
    playback: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `configuration` is handed on; `as_ref` tests for NULL.
        let configuration = unsafe { configuration.as_ref() }.ok_or(CallFault::null("configuration"))?;
        // SAFETY: the caller's promise about `playback` is handed on.
        let playback = unsafe { out(playback, "playback") }?;
        let runtime = runtime::find(configuration.runtime)?;
        // SAFETY: the caller promises that the device's text is readable.
        let configuration = unsafe { configuration.read() }?;
        *playback = PLAYBACKS.insert(PlaybackEngine::on(runtime, configuration)?)?;
        Ok::<(), SoundFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Opens the device and starts a session. `lane` is one of `RUSTLE_LANE_…`; `capacity` is the ring's size, 1 to 1,048,576,
/// and is not read for the events lane. `session` receives the handle, to be freed with `rustle_session_free`. Callbacks may
/// come before this function returns; the last one comes when the device is closed again.
///
/// Events are `RustlePlaybackProgress` records. Until sound comes the device is given silence.
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
pub unsafe extern "C" fn rustle_playback_start(
    playback: RustleHandle,
    lane: u32,
    capacity: usize,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let engine = find(playback)?;
        // SAFETY: the caller's promise about `session` is handed on.
        let session = unsafe { out(session, "session") }?;
        session::started(session, lane, sink, |overflow, sink| {
            Ok::<_, SoundFault>(EngineSession::Playback(match overflow {
                None => engine.start_pushing(EventSink::<RustlePlaybackProgress>::new(sink))?,
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
pub unsafe extern "C" fn rustle_playback_drain(
    session: RustleHandle,
    buffer: *mut RustlePlaybackProgress,
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
                    EngineSession::Playback(session) => {
                        Some(session.drain(places.room(), |progress, gap| places.put(&progress, gap)))
                    }
                    _ => None,
                }
            })
        }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Gives a session the first of `length` interleaved samples, as many whole frames as there is room for: half a second finds
/// room. `taken` receives the number of samples taken, the others are to be given again. Works until the session ends; what is
/// given later is taken and not heard.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH` (no whole frames), `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (a
/// session of another engine, or memory that overlaps or is misaligned); nothing is taken then.
///
/// Thread-safe: yes. Realtime-safe: no (calls with the same session wait for one another).
///
/// # Safety
/// `samples` is NULL or points to `length` floats that are not written during the call; `taken` and `error` are NULL or valid
/// for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_playback_write(
    session: RustleHandle,
    samples: *const f32,
    length: usize,
    taken: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let session = session::find(session)?;
        let session = playback(&session)?;
        check_apart([
            Piece::new("samples", samples, length),
            Piece::new("taken", taken, 1),
        ])?;
        // SAFETY: the caller's promise about `taken` is handed on; it overlaps no other argument.
        let taken = unsafe { out(taken, "taken") }?;
        // SAFETY: the caller's promise about `samples` is handed on.
        let samples = unsafe { borrowed(samples, length, "samples") }?;
        *taken = session.write(samples)?;
        Ok::<(), SoundFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Tells a session that there is no more sound: it ends when the device has played what waits. Idempotent.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (a session of another engine).
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: yes, while nobody frees the session.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_playback_finish(
    session: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            playback(&*session::find(session)?)?.finish();
            Ok::<(), CallFault>(())
        })
    }
}

fn playback(session: &AnySession) -> Result<&PlaybackSession, CallFault> {
    match &session.engine {
        EngineSession::Playback(session) => Ok(session),
        _ => Err(CallFault::value(
            "session",
            "expected one of a playback, got another engine's",
        )),
    }
}

/// Cancels every session of a playback. Idempotent; later starts are welcome.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_playback_cancel(
    playback: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(playback)?.cancel();
            Ok::<(), CallFault>(())
        })
    }
}

/// Cancels every session of a playback; later starts fail with `RUSTLE_SHUT_DOWN`. Idempotent.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_playback_shut_down(
    playback: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(playback)?.shut_down();
            Ok::<(), CallFault>(())
        })
    }
}

/// Makes a playback's handle stale and cancels its sessions, whose releases follow.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_playback_free(
    playback: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || PLAYBACKS.remove(playback, "playback")) }
}

fn find(playback: RustleHandle) -> Result<Pinned<'static, PlaybackEngine>, CallFault> {
    PLAYBACKS.pin(playback, "playback")
}
