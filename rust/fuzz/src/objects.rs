//! The handles that an input's calls have made, the record of an error, and sinks that watch their sessions.

use crate::input::Input;
use rustle::equalizer::rustle_equalizer_free;
use rustle::feed::rustle_feed_free;
use rustle::fft::inverse::rustle_fft_inverse_free;
use rustle::fft::plan::rustle_fft_plan_free;
use rustle::fft::stft::rustle_stft_free;
use rustle::fft::stft_stream::rustle_stft_stream_free;
use rustle::live::rustle_live_objects;
use rustle::meter::rustle_meter_free;
use rustle::pitch::rustle_pitch_free;
use rustle::runtime::{rustle_runtime_advance, rustle_runtime_free, rustle_runtime_new_manual};
use rustle::session::{rustle_session_cancel, rustle_session_free};
use rustle::sink::{RustleSink, RUSTLE_RELEASE_CANCELLED, RUSTLE_RELEASE_ENDED};
use rustle::sound::capture::rustle_capture_free;
use rustle::sound::playback::rustle_playback_free;
use rustle::status::{
    RustleError, RustleStatus, RUSTLE_ERROR_CAPACITY, RUSTLE_OK, RUSTLE_PANICKED, RUSTLE_POISONED,
};
use rustle::ticker::rustle_ticker_free;
use rustle::voice::rustle_voice_free;
use rustle::RustleHandle;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Sessions that were started, and releases that were heard, since the process began.
static STARTED: AtomicU64 = AtomicU64::new(0);
static RELEASED: AtomicU64 = AtomicU64::new(0);

/// The runtime of every engine; its time moves only when a call moves it, so that an input does the same each time.
pub(crate) fn runtime() -> RustleHandle {
    static RUNTIME: OnceLock<RustleHandle> = OnceLock::new();
    *RUNTIME.get_or_init(|| {
        let mut runtime = 0;
        // SAFETY: the handle's place is this frame's own.
        let status = unsafe { rustle_runtime_new_manual(0, &mut runtime, null_mut()) };
        assert_eq!(status, RUSTLE_OK);
        runtime
    })
}

/// Lets the runtime do what is due.
pub(crate) fn settle() {
    // SAFETY: NULL is allowed as the record of an error.
    let status = unsafe { rustle_runtime_advance(runtime(), 0, null_mut()) };
    assert_eq!(status, RUSTLE_OK);
}

/// Makes a call with a record of which it is known whether it was written.
pub(crate) fn checked(call: impl FnOnce(*mut RustleError) -> RustleStatus) -> bool {
    let mut error = RustleError {
        status: i32::MIN,
        message_length: 0,
        message: [0; RUSTLE_ERROR_CAPACITY],
    };
    let status = call(&mut error);
    assert_ne!(status, RUSTLE_PANICKED, "a panic: {}", text(&error));
    assert_ne!(status, RUSTLE_POISONED, "no worker panicked");
    if status == RUSTLE_OK {
        assert_eq!(error.status, i32::MIN, "a success leaves the record alone");
    } else {
        assert_eq!(error.status, status);
        assert!(
            (1..=10).contains(&status)
                || (100..=105).contains(&status)
                || (200..=204).contains(&status)
                || (300..=305).contains(&status),
            "an unknown status"
        );
        assert!(!text(&error).is_empty());
    }
    status == RUSTLE_OK
}

fn text(error: &RustleError) -> &str {
    std::str::from_utf8(&error.message[..error.message_length as usize]).expect("the message is UTF-8")
}

/// What a handle stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Plan,
    Inverse,
    Stft,
    Stream,
    Runtime,
    Ticker,
    Capture,
    Playback,
    Feed,
    Equalizer,
    Meter,
    Pitch,
    Voice,
    Session,
}

/// Every handle that the calls of one input have made; all are owed a free.
#[derive(Default)]
pub(crate) struct Handles {
    made: Vec<(Kind, RustleHandle)>,
    /// The engines on the runtime that the calls settle.
    settled: Vec<RustleHandle>,
    /// Their sessions.
    sessions: Vec<(RustleHandle, Arc<Life>)>,
}

impl Handles {
    pub(crate) fn add(&mut self, kind: Kind, handle: RustleHandle) {
        assert_ne!(handle, 0, "0 is never issued");
        assert!(
            self.made.iter().all(|(_, made)| *made != handle),
            "a handle is issued once"
        );
        self.made.push((kind, handle));
    }

    /// As `add`, for an engine on the runtime that the calls settle.
    pub(crate) fn add_settled(&mut self, kind: Kind, engine: RustleHandle) {
        self.add(kind, engine);
        self.settled.push(engine);
    }

    /// As `add`, for a session of `engine`.
    pub(crate) fn add_session(&mut self, session: RustleHandle, engine: RustleHandle, life: Arc<Life>) {
        self.add(Kind::Session, session);
        if self.settled.contains(&engine) {
            self.sessions.push((session, life));
        }
    }

    /// Checks that a session that was cancelled or freed has heard its release, once the runtime has settled.
    pub(crate) fn check_released(&self, session: RustleHandle) {
        let known = self.sessions.iter().find(|(known, _)| *known == session);
        let is_released = known.is_none_or(|(_, life)| life.is_released.load(Ordering::SeqCst));
        assert!(is_released, "cancelled, and not released");
    }

    /// Mostly one of `kind`, freed or not, the newest more often than others; sometimes one of another kind, sometimes an
    /// invented one.
    pub(crate) fn any(&self, input: &mut Input<'_>, kind: Kind) -> RustleHandle {
        let choice = usize::from(input.byte());
        let mut right = self.made.iter().rev().filter(|(made, _)| *made == kind);
        let made = match choice {
            0..=95 => right.next(),
            96..=191 => right.nth(choice % 4),
            192..=223 if !self.made.is_empty() => self.made.get(choice % self.made.len()),
            _ => None,
        };
        let handle = match (made, choice) {
            (Some((_, handle)), _) => *handle,
            (None, 224..=239) => {
                self.made.first().map_or(1, |(_, handle)| *handle) ^ 1 << (input.byte() % 64)
            }
            (None, 240..) => input.word(),
            (None, _) => 0,
        };
        // The one live handle that is not the input's to free.
        if handle == runtime() {
            0
        } else {
            handle
        }
    }

    /// Frees everything that is not freed yet and checks that nothing is left.
    pub(crate) fn free_all(self, live_before: i64) {
        for (_, handle) in self.made {
            // SAFETY: NULL is allowed as the record of an error; a handle of another kind is refused.
            unsafe { rustle_session_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_ticker_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_capture_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_playback_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_feed_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_equalizer_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_meter_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_pitch_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_voice_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_fft_plan_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_fft_inverse_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_stft_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_stft_stream_free(handle, null_mut()) };
            // SAFETY: as above.
            unsafe { rustle_runtime_free(handle, null_mut()) };
        }
        settle();
        assert_eq!(
            RELEASED.load(Ordering::SeqCst),
            STARTED.load(Ordering::SeqCst),
            "releases = starts"
        );
        assert_eq!(rustle_live_objects(), live_before, "nothing is left");
    }
}

/// What a session and its starter both know.
#[derive(Default)]
pub(crate) struct Life {
    session: AtomicU64,
    is_released: AtomicBool,
}

/// The context of a session: freed by the release, so that a later callback is a use after free.
pub(crate) struct Watcher {
    /// What it does inside `on_signal`: nothing, cancel, or free its session once it knows it.
    action: u8,
    life: Arc<Life>,
}

extern "C" fn on_signal(context: *mut c_void, _: *const c_void) {
    // SAFETY: the context is a watcher until its release.
    let watcher = unsafe { &*context.cast::<Watcher>() };
    let session = watcher.life.session.load(Ordering::SeqCst);
    match watcher.action % 4 {
        // SAFETY: NULL is allowed as the record of an error.
        1 => unsafe {
            rustle_session_cancel(session, null_mut());
        },
        // SAFETY: as above.
        2 => unsafe {
            rustle_session_free(session, null_mut());
        },
        _ => {}
    }
}

extern "C" fn on_release(context: *mut c_void, reason: i32, message: *const u8, length: usize) {
    assert!(matches!(reason, RUSTLE_RELEASE_ENDED | RUSTLE_RELEASE_CANCELLED));
    assert!(!message.is_null() && length == 0);
    // SAFETY: the context is the box that `Watch::sink` gave away, and this is the last call.
    let watcher = unsafe { Box::from_raw(context.cast::<Watcher>()) };
    assert!(!watcher.life.is_released.swap(true, Ordering::SeqCst));
    RELEASED.fetch_add(1, Ordering::SeqCst);
}

/// A watcher on its way into a start.
pub(crate) struct Watch {
    watcher: *mut Watcher,
    life: Arc<Life>,
}

impl Watch {
    pub(crate) fn new(action: u8) -> Self {
        let life = Arc::new(Life::default());
        let watcher = Box::new(Watcher {
            action,
            life: life.clone(),
        });
        Self {
            watcher: Box::into_raw(watcher),
            life,
        }
    }

    /// A sink for the watcher, at times without one of its functions.
    pub(crate) fn sink(&self, holes: u8) -> RustleSink {
        RustleSink {
            context: self.watcher.cast(),
            on_signal: (holes & 31 != 1).then_some(on_signal),
            on_release: (holes & 31 != 2).then_some(on_release),
        }
    }

    /// The start succeeded: the watcher is the session's.
    pub(crate) fn was_taken(self, session: RustleHandle) -> Arc<Life> {
        STARTED.fetch_add(1, Ordering::SeqCst);
        self.life.session.store(session, Ordering::SeqCst);
        self.life
    }

    /// The start failed: the watcher must be alone still.
    pub(crate) fn was_not_taken(self) {
        // SAFETY: a start that fails has not taken the sink.
        drop(unsafe { Box::from_raw(self.watcher) });
    }
}
