//! The panic guard of every export.

use crate::status::{Fault, RustleError, RustleStatus, RUSTLE_OK, RUSTLE_PANICKED};
use rustle_engines::into_panic_message;
use std::panic::{catch_unwind, AssertUnwindSafe};

#[cfg(panic = "abort")]
compile_error!("the boundary turns panics into statuses: build with panic = \"unwind\"");

/// Runs `body`; a returned fault or a panic becomes a status and, when `error` is not NULL, a written record.
///
/// # Safety
/// `error` is NULL or points to a `RustleError` that the caller owns and that nothing else accesses during the call.
pub(crate) unsafe fn guarded<E: Fault>(
    error: *mut RustleError,
    body: impl FnOnce() -> Result<(), E>,
) -> RustleStatus {
    // Formatting a fault is code too and runs inside the guard; the record is not part of the result, which every call would
    // carry.
    let mut written = None;
    let body = AssertUnwindSafe(|| {
        fault_point("the call");
        match body() {
            Ok(()) => true,
            Err(fault) => {
                written = Some(RustleError::new(fault.status(), &fault));
                false
            }
        }
    });
    let record = match catch_unwind(body) {
        Ok(true) => return RUSTLE_OK,
        Ok(false) => written,
        Err(payload) => Some(RustleError::new(RUSTLE_PANICKED, &into_panic_message(payload))),
    };
    // A call that failed has a record.
    let record = record.unwrap_or_else(|| RustleError::new(RUSTLE_PANICKED, &"a fault without a record"));
    let status = record.status;
    if !error.is_null() {
        // SAFETY: the caller promises that a pointer that is not NULL is valid for this write; one that is misaligned has no
        // other way to be refused.
        unsafe { error.write_unaligned(record) };
    }
    status
}

/// A point at which the guard's tests make a call panic; a no-op without the feature `faults`.
#[inline(always)]
pub(crate) fn fault_point(place: &'static str) {
    #[cfg(feature = "faults")]
    rustle_engines::faults::point(place);
    #[cfg(not(feature = "faults"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{CallFault, RUSTLE_NULL_POINTER};
    use std::mem::MaybeUninit;

    #[test]
    fn panic_becomes_a_status_with_the_message() {
        let mut error = MaybeUninit::<RustleError>::uninit();
        // SAFETY: the record is this frame's own.
        let status = unsafe {
            guarded(error.as_mut_ptr(), || -> Result<(), CallFault> {
                panic!("bin {} is missing", 7)
            })
        };
        // SAFETY: a status other than RUSTLE_OK says that the record was written.
        let error = unsafe { error.assume_init() };
        assert_eq!(status, RUSTLE_PANICKED);
        assert_eq!(
            &error.message[..error.message_length as usize],
            b"bin 7 is missing"
        );
    }

    #[test]
    fn fault_without_a_record_is_the_status_alone() {
        // SAFETY: NULL is allowed.
        let status = unsafe { guarded(std::ptr::null_mut(), || Err(CallFault::null("input"))) };
        assert_eq!(status, RUSTLE_NULL_POINTER);
    }
}
