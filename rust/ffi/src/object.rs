//! Objects behind handles, and the verbs of every kind.
//!
//! A declaration, such as `voice.rs`, implements these traits for its objects. `exports.rs`, which `rustle-kit` generates from
//! the declarations, lists the implementations for the verbs.

use crate::call_fault::Value;
use crate::exports;
use crate::fault::{AnyFault, CallOr, DomainError, Outcome};
use crate::guard::guarded;
use crate::handle::{kind_of, refused, RustleHandle, SlotTable};
use crate::session::{self, Face};
use crate::slice::{out, record};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::Sessions;
use std::ffi::c_void;

/// An object behind a handle.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// The name in C: `rustle_NAME_…`.
    const NAME: &'static str;
    /// The kind in its handles, 1 to 29, unique among all declarations.
    const KIND: u32;
    /// The error of its calls, besides a [`CallFault`].
    type Error: DomainError + 'static;

    /// Resets the object to its beginning; its settings stay. Errors: a reset is not possible now, or at all.
    fn reset(&self) -> Outcome<Self::Error> {
        Err(unsupported::<Self>("rustle_reset").into())
    }

    /// The sessions of an engine.
    fn sessions(&self) -> Option<&Sessions> {
        None
    }

    /// Cancels its sessions; later starts are accepted. Errors: it has no sessions.
    fn cancel(&self) -> Outcome<Self::Error> {
        let sessions = self.sessions();
        sessions.ok_or(unsupported::<Self>("rustle_cancel"))?.cancel();
        Ok(())
    }

    /// Cancels its sessions and refuses later starts. Errors: it has no sessions.
    fn shut_down(&self) -> Outcome<Self::Error> {
        let sessions = self.sessions();
        sessions
            .ok_or(unsupported::<Self>("rustle_shut_down"))?
            .shut_down();
        Ok(())
    }

    /// Called before its handle becomes stale.
    fn before_free(&self) {}
}

/// The refusal of a verb that the objects of a type lack.
fn unsupported<O: Object>(verb: &'static str) -> CallFault {
    CallFault::unsupported("object", verb, O::NAME)
}

/// The table of a type's objects; generated.
pub(crate) trait Tabled: Object {
    /// The table.
    fn table() -> &'static SlotTable<Self>;
}

/// A way to make an object: `rustle_NAME_new`, or `rustle_NAME_new_VARIANT`.
pub(crate) trait New<Configuration>: Object {
    /// Makes one. Errors: the configuration cannot be met.
    fn new(configuration: &Configuration) -> Outcome<Self::Error, Self>;
}

/// A record that describes an object or a session as of now: `rustle_NAME_describe`, or `rustle_NAME_WHAT`.
pub(crate) trait Describe<Description> {
    /// The record, as of now. Errors: another call is using the object.
    fn describe(&self) -> Result<Description, CallFault>;
}

/// The verbs of one kind, by handle.
pub(crate) struct Verbs {
    pub(crate) free: fn(RustleHandle) -> Result<(), AnyFault>,
    pub(crate) reset: fn(RustleHandle) -> Result<(), AnyFault>,
    pub(crate) cancel: fn(RustleHandle) -> Result<(), AnyFault>,
    pub(crate) shut_down: fn(RustleHandle) -> Result<(), AnyFault>,
}

impl Verbs {
    /// The verbs of the objects of a type.
    pub(crate) const fn of<O: Tabled>() -> Self {
        Self {
            free: |handle| {
                O::table().pin(handle, O::NAME)?.before_free();
                Ok(O::table().remove(handle, O::NAME)?)
            },
            reset: |handle| (O::table().pin(handle, O::NAME)?.reset()).map_err(CallOr::erased),
            cancel: |handle| (O::table().pin(handle, O::NAME)?.cancel()).map_err(CallOr::erased),
            shut_down: |handle| (O::table().pin(handle, O::NAME)?.shut_down()).map_err(CallOr::erased),
        }
    }
}

/// A way to make an object, by number.
pub(crate) struct Constructor {
    /// The kind of object, which is the name of the handle's place in the typed functions.
    name: &'static str,
    size: usize,
    /// Makes the object from a configuration that the verb's caller lends.
    make: unsafe fn(*const c_void) -> Result<RustleHandle, AnyFault>,
}

impl Constructor {
    /// The constructor of a type and a configuration.
    pub(crate) const fn of<O: New<Configuration> + Tabled, Configuration>() -> Self {
        Self {
            name: O::NAME,
            size: size_of::<Configuration>(),
            make: |configuration| {
                // SAFETY: the promise of the caller of `make`: NULL, or a configuration that is lent for the call.
                let configuration =
                    unsafe { record(configuration.cast::<Configuration>(), "configuration") }?;
                Ok(O::table().insert(O::new(configuration).map_err(CallOr::erased)?)?)
            },
        }
    }
}

/// A record that describes an object or a session, by number.
pub(crate) struct Description {
    size: usize,
    /// Writes the record to memory that the verb's caller lends.
    write: unsafe fn(RustleHandle, *mut c_void) -> Result<(), AnyFault>,
}

impl Description {
    /// The description of an object.
    pub(crate) const fn of<O: Describe<D> + Tabled, D>() -> Self {
        Self {
            size: size_of::<D>(),
            write: |handle, place| {
                let described = || Ok(Describe::<D>::describe(&*O::table().pin(handle, O::NAME)?)?);
                // SAFETY: the promise of the caller of `write`.
                unsafe { written(place.cast::<D>(), described) }
            },
        }
    }

    /// The description of a session of one engine.
    pub(crate) const fn of_session<F: Face + Describe<D>, D>() -> Self {
        Self {
            size: size_of::<D>(),
            write: |handle, place| {
                let described = || Ok(session::find(handle)?.face::<F>()?.describe()?);
                // SAFETY: the promise of the caller of `write`.
                unsafe { written(place.cast::<D>(), described) }
            },
        }
    }
}

/// Writes the result of `described` to `place`.
///
/// # Safety
/// `place` is NULL or valid for a write.
unsafe fn written<D>(place: *mut D, described: impl FnOnce() -> Result<D, AnyFault>) -> Result<(), AnyFault> {
    // SAFETY: the promise is handed on.
    let place = unsafe { out(place, "description") }?;
    place.write(described()?);
    Ok(())
}

/// Refuses a record whose size differs from this archive's, as with a header of another version.
pub(crate) fn check_size(name: &'static str, expected: usize, got: usize) -> Result<(), CallFault> {
    let fault = CallFault::size(name, expected, got);
    (expected == got).then_some(()).ok_or(fault)
}

fn verbs(handle: RustleHandle, name: &'static str) -> Result<&'static Verbs, CallFault> {
    exports::verbs(kind_of(handle)).ok_or(CallFault::stale(name, handle))
}

/// Makes an object. `what`, one of `RUSTLE_NEW_…`, defines the type of the record at `configuration`; `size` is that record's
/// size. `object` receives the handle, to be freed with `rustle_free`.
///
/// `rustle_NAME_new` is a call of this one with its numbers.
///
/// Fails with `RUSTLE_INVALID_VALUE` (`what`), `RUSTLE_RECORD_SIZE`, `RUSTLE_NULL_POINTER`, `RUSTLE_EXHAUSTED`, and the statuses
/// that the type of object names.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `configuration` is NULL or points to a record of that type, which is not written during the call, nor is the memory that
/// its pointers lend; `object` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_new(
    what: u32,
    configuration: *const c_void,
    size: usize,
    object: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let constructor = exports::constructor(what)
            .ok_or_else(|| CallFault::number("what", "one of RUSTLE_NEW_…", what))?;
        check_size("configuration", constructor.size, size)?;
        // SAFETY: the caller's promise about `object` is handed on.
        let object = unsafe { out(object, constructor.name) }?;
        // SAFETY: the caller's promise about `configuration` is handed on, which has the size of its type.
        object.write(unsafe { (constructor.make)(configuration) }?);
        Ok::<(), AnyFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes a record that describes an object or a session as it is now. `what`, one of `RUSTLE_DESCRIBE_…`, defines the type of
/// the record at `description`; `size` is that record's size.
///
/// Fails with `RUSTLE_INVALID_VALUE` (`what`; a session of another engine), `RUSTLE_RECORD_SIZE`, `RUSTLE_STALE_HANDLE`,
/// `RUSTLE_NULL_POINTER`, and the statuses that the type of object names; nothing is written then.
///
/// Thread-safe: yes. Realtime-safe: as the record says.
///
/// # Safety
/// `description` is NULL or valid for a write of that type; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_describe(
    object: RustleHandle,
    what: u32,
    description: *mut c_void,
    size: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        let described = exports::description(what)
            .ok_or_else(|| CallFault::number("what", "one of RUSTLE_DESCRIBE_…", what))?;
        check_size("description", described.size, size)?;
        // SAFETY: the caller's promise about `description` is handed on, which has the size of its type.
        unsafe { (described.write)(object, description) }
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Resets an object to the beginning of a signal or a measurement; its settings stay.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_UNSUPPORTED` (an object without such a state), `RUSTLE_WRONG_STATE` (another call is
/// using the object).
///
/// Thread-safe: as the object's other calls. Realtime-safe: yes, while nobody frees the object.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_reset(object: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || (verbs(object, "object")?.reset)(object)) }
}

/// Cancels a session, or every session of an engine. Of a session: sets a flag and wakes the worker; the sink's `on_release`
/// follows on the worker's thread, and calls in progress may still arrive before it. Of an engine: later starts are accepted.
/// Idempotent while the handle is live, also after the session's end.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_UNSUPPORTED` (an object without sessions).
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no (it takes the inbox's lock for a few instructions).
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_cancel(object: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || (verbs(object, "object")?.cancel)(object)) }
}

/// Cancels every session of an engine, and its source if it has one; later starts fail with `RUSTLE_SHUT_DOWN`. Idempotent.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_UNSUPPORTED` (an object without sessions).
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_shut_down(object: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || (verbs(object, "object")?.shut_down)(object)) }
}

/// Makes the handle of any object stale. A call that is using the object finishes. An engine's sessions, or a running session,
/// are cancelled, and their releases follow; the values that wait in a session's lane are discarded. A runtime's thread ends once
/// the last engine on it is freed; when none is left, this call waits for the thread: do not call it under a lock that a callback
/// takes.
///
/// Fails with `RUSTLE_STALE_HANDLE`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_free(object: RustleHandle, error: *mut RustleError) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, || (verbs(object, "object")?.free)(object)) }
}

/// Refuses the handle of an object that is not of `kind`, the kind that a typed function takes, such as `rustle_meter_free`.
///
/// Fails with `RUSTLE_STALE_HANDLE`, or `RUSTLE_INVALID_VALUE` (no kind has the number, or the object is of this kind), always.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: yes.
///
/// # Safety
/// `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_refuse_kind(
    object: RustleHandle,
    kind: u32,
    error: *mut RustleError,
) -> RustleStatus {
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe {
        guarded(error, || {
            Err::<(), _>(match exports::kind_name(kind) {
                "none" => CallFault::number("kind", "the number of a kind of object", kind),
                _ if kind_of(object) == kind => CallFault::own_kind("object", Value::Object(object)),
                name => refused(object, kind, name),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misused_refusal_of_a_kind_called_a_live_handle_stale() {
        let (meter, texts) = (
            11_u64 << 32,
            [
                (
                    11,
                    "object: expected a handle of another kind, got 0xb00000000, one of kind meter",
                ),
                (31, "kind: expected the number of a kind of object, got 31"),
                (
                    12,
                    "pitch: expected a live handle of kind pitch, got 0xb00000000, one of kind meter",
                ),
            ],
        );
        for (kind, expected) in texts {
            let mut error = RustleError::new(0, &"");
            // SAFETY: the record is valid for a write.
            unsafe { rustle_refuse_kind(meter, kind, &raw mut error) };
            let text = &error.message[..error.message_length as usize];
            assert_eq!(std::str::from_utf8(text), Ok(expected));
        }
    }
}
