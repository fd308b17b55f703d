//! The records of `tracing`, passed to one function of the caller.

use crate::guard::guarded;
use crate::status::{CallFault, RustleError, RustleStatus};
use std::ffi::c_void;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Errors only.
pub const RUSTLE_LOG_ERROR: u32 = 1;
/// Warnings and errors.
pub const RUSTLE_LOG_WARNING: u32 = 2;
/// Notable events, and the above.
pub const RUSTLE_LOG_INFO: u32 = 3;
/// The life cycle of sessions, and the above.
pub const RUSTLE_LOG_DEBUG: u32 = 4;
/// Everything.
pub const RUSTLE_LOG_TRACE: u32 = 5;

/// Receives one record: its level, one of `RUSTLE_LOG_…`; its module; its text, with fields appended as `name=value`. Both texts
/// are UTF-8, not NUL-terminated, valid during the call. Called on any thread with no lock held. It must not unwind.
pub type RustleLogFunction = Option<
    extern "C" fn(
        context: *mut c_void,
        level: u32,
        target: *const u8,
        target_length: usize,
        message: *const u8,
        message_length: usize,
    ),
>;

static LEVEL: AtomicU32 = AtomicU32::new(0);

/// Sends log records up to `level` to `function` with `context`, until the process ends. The function can be set once;
/// `rustle_log_set_level` changes the level later. Without a function nothing is logged.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_VALUE`, `RUSTLE_WRONG_STATE` (a function was set before).
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `function` may be called with `context` on any thread from now on; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_log_install(
    function: RustleLogFunction,
    context: *mut c_void,
    level: u32,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            let function = function.ok_or(CallFault::null("function"))?;
            check(level)?;
            let sink = LogSink {
                function,
                context,
                spans: AtomicU64::new(0),
            };
            tracing::subscriber::set_global_default(sink).map_err(|_| {
                CallFault::wrong_state(
                    "function",
                    "expected one log function for the process, got a second one",
                )
            })?;
            LEVEL.store(level, Ordering::Relaxed);
            Ok::<(), CallFault>(())
        })
    }
}

/// Changes the level up to which records are logged: 0 for none, or one of `RUSTLE_LOG_…`.
///
/// Fails with `RUSTLE_INVALID_VALUE` (another number).
///
/// Thread-safe: yes. Realtime-safe: yes.
#[doc(alias = "rustle_log_set_level")]
pub(crate) fn set_level(level: u32) -> Result<(), CallFault> {
    check(level)?;
    LEVEL.store(level, Ordering::Relaxed);
    Ok(())
}

fn check(level: u32) -> Result<(), CallFault> {
    if level > RUSTLE_LOG_TRACE {
        return Err(CallFault::number("level", "0 to 5", level));
    }
    Ok(())
}

fn number(level: &Level) -> u32 {
    match *level {
        Level::ERROR => RUSTLE_LOG_ERROR,
        Level::WARN => RUSTLE_LOG_WARNING,
        Level::INFO => RUSTLE_LOG_INFO,
        Level::DEBUG => RUSTLE_LOG_DEBUG,
        Level::TRACE => RUSTLE_LOG_TRACE,
    }
}

struct LogSink {
    function: extern "C" fn(*mut c_void, u32, *const u8, usize, *const u8, usize),
    context: *mut c_void,
    spans: AtomicU64,
}

// SAFETY: the contract of `rustle_log_install` lets the function be called with the context on any thread.
unsafe impl Send for LogSink {}
// SAFETY: as above; the calls may also come at the same time.
unsafe impl Sync for LogSink {}

impl Subscriber for LogSink {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        number(metadata.level()) <= LEVEL.load(Ordering::Relaxed)
    }

    fn register_callsite(&self, _: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        // The level may change: ask each time.
        tracing::subscriber::Interest::sometimes()
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        // Spans are not passed on, but need distinct numbers.
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let text = line.message + &line.fields;
        let target = event.metadata().target();
        let level = number(event.metadata().level());
        (self.function)(
            self.context,
            level,
            target.as_ptr(),
            target.len(),
            text.as_ptr(),
            text.len(),
        );
    }
}

/// An event's message and its other fields.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
