//! What every engine's sessions have in common: cancel and free.

use crate::feed::FeedConsumer;
use crate::guard::guarded;
use crate::handle::{Kind, Pinned, RustleHandle, SlotTable};
use crate::lane::overflow;
use crate::sink::{RustleSink, SinkGuts};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{CaptureSession, FeedServer, Overflow, PlaybackSession, TickerSession};

/// A session of one of the engines.
pub(crate) struct AnySession {
    pub(crate) engine: EngineSession,
    #[cfg(feature = "faults")]
    forger: crate::sink::ReleaseForger,
}

/// The session as its engine knows it.
pub(crate) enum EngineSession {
    Ticker(TickerSession),
    Capture(CaptureSession),
    Playback(PlaybackSession),
    Feed(FeedConsumer),
    Server(FeedServer),
}

impl AnySession {
    fn cancel(&self) {
        match &self.engine {
            EngineSession::Ticker(session) => session.cancel(),
            EngineSession::Capture(session) => session.cancel(),
            EngineSession::Playback(session) => session.cancel(),
            EngineSession::Feed(session) => session.cancel(),
            EngineSession::Server(server) => server.cancel(),
        }
        #[cfg(feature = "faults")]
        self.forger.forge();
    }
}

impl Drop for AnySession {
    /// Freeing the handle of a session that runs ends it: nobody could end it otherwise.
    fn drop(&mut self) {
        self.cancel();
    }
}

static SESSIONS: SlotTable<AnySession> = SlotTable::new(Kind::Session);

/// What `rustle_NAME_start` does once its own arguments are in order: `start` starts the session in the lane of the given
/// policy, `None` for the events lane, and `session` receives its handle.
///
/// # Errors
/// The lane or the sink is none, the table of sessions is full, or `start` fails; the sink was not taken then.
pub(crate) fn started<E: From<CallFault>>(
    session: &mut RustleHandle,
    lane: u32,
    sink: RustleSink,
    start: impl FnOnce(Option<Overflow>, SinkGuts) -> Result<EngineSession, E>,
) -> Result<(), E> {
    let overflow = overflow(lane)?;
    set_aside(session, sink, |sink| start(overflow, sink))
}

/// As [`started`], for an engine whose policies are not those of a lane.
///
/// # Errors
/// The sink is none, the table of sessions is full, or `start` fails; the sink was not taken then.
pub(crate) fn set_aside<E: From<CallFault>>(
    session: &mut RustleHandle,
    sink: RustleSink,
    start: impl FnOnce(SinkGuts) -> Result<EngineSession, E>,
) -> Result<(), E> {
    let sink = SinkGuts::new(sink)?;
    #[cfg(feature = "faults")]
    let forger = sink.forger();
    // Set aside first: once the session runs, its start must not fail any more.
    let reservation = SESSIONS.reserve()?;
    *session = reservation.fill(AnySession {
        engine: start(sink)?,
        #[cfg(feature = "faults")]
        forger,
    });
    Ok(())
}

/// The session behind a handle.
///
/// # Errors
/// The handle is not that of a live session.
pub(crate) fn find(session: RustleHandle) -> Result<Pinned<'static, AnySession>, CallFault> {
    SESSIONS.pin(session, "session")
}

/// Asks for the end of a session: sets a flag and wakes the worker. The sink's `on_release` follows on the worker's
/// thread; calls that were under way may still be seen before it. Idempotent while the handle is live, also after the
/// session's end.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no (it takes the inbox's lock for a few instructions).
///
/// # Safety
/// `error` is NULL or valid for a write of one `RustleError`.
#[no_mangle]
pub unsafe extern "C" fn rustle_session_cancel(
    session: RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            find(session)?.cancel();
            Ok::<(), CallFault>(())
        })
    }
}

/// Makes a session's handle stale, and cancels the session if it still runs. What waits in its lane is lost. Every
/// session needs one such call, before or after its release.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// As `rustle_session_cancel`.
#[no_mangle]
pub unsafe extern "C" fn rustle_session_free(session: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || SESSIONS.remove(session, "session")) }
}
