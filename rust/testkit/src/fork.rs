//! A copy of the test's process.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

unsafe extern "C" {
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// Runs `body` in a fork of this process, which has the calling thread alone, and tells whether it returned true there. A body that
/// panics, or that dies of a signal, has not.
///
/// # Panics
/// When the system has no process.
pub fn in_fork(body: impl FnOnce() -> bool) -> bool {
    // SAFETY: the C library keeps its own locks usable in the child; the body is asked to take no other lock that some other
    // thread may have held.
    let child = unsafe { fork() };
    if child == 0 {
        let is_well = catch_unwind(AssertUnwindSafe(body)).unwrap_or(false);
        // SAFETY: it ends the child without a word to the destructors of the parent's objects.
        unsafe { _exit(c_int::from(!is_well)) }
    }
    assert!(child > 0, "expected a process, got {child}");
    let mut status = 1;
    // SAFETY: `child` is a child of this process that nobody has waited for, and `status` is valid for a write.
    let ended = unsafe { waitpid(child, &raw mut status, 0) };
    assert_eq!(ended, child, "expected the child to end");
    status == 0
}
