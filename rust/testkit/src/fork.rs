//! A copy of the test's process.

use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

unsafe extern "C" {
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
    fn setrlimit(resource: c_int, limit: *const Limit) -> c_int;
    fn getrlimit(resource: c_int, limit: *mut Limit) -> c_int;
}

/// `rlim_t` has 64 bits on the 64-bit systems that the tests run on.
#[repr(C)]
struct Limit {
    soft: u64,
    hard: u64,
}

/// The resource of open files.
const FILES: c_int = if cfg!(target_os = "macos") { 8 } else { 7 };

/// Lets this process, which is a fork of a test's, open `count` files more and no further ones.
///
/// # Panics
/// When the system refuses the limit.
pub fn leave_descriptors(count: u64) {
    // The lowest number that is free is the next one's.
    let next = std::fs::File::open("/dev/null").expect("a file").as_raw_fd();
    let most = u64::from(next.unsigned_abs()) + count;
    let limit = Limit {
        soft: most,
        hard: most,
    };
    // SAFETY: `limit` is valid for a read.
    let result = unsafe { setrlimit(FILES, &raw const limit) };
    assert_eq!(result, 0, "expected a limit of {most} files");
}

/// Lets this process have `count` open files at least.
///
/// # Panics
/// When the system refuses the limit.
pub fn allow_descriptors(count: u64) {
    let mut limit = Limit { soft: 0, hard: 0 };
    // SAFETY: `limit` is valid for a write.
    let result = unsafe { getrlimit(FILES, &raw mut limit) };
    assert_eq!(result, 0, "expected to read the limit of files");
    limit.soft = limit.soft.max(count);
    // SAFETY: `limit` is valid for a read.
    let result = unsafe { setrlimit(FILES, &raw const limit) };
    assert_eq!(
        result, 0,
        "expected a limit of {count} files, got at most {}",
        limit.hard
    );
}

/// Runs `body` in a fork of this process, which has the calling thread alone; returns whether it returned true there. False also
/// for a panic and for an end by a signal.
///
/// # Panics
/// When the system has no process.
pub fn in_fork(body: impl FnOnce() -> bool) -> bool {
    // SAFETY: the C library keeps its own locks usable in the child; the body is asked to take no other lock that some other
    // thread may have held.
    let child = unsafe { fork() };
    if child == 0 {
        let is_well = catch_unwind(AssertUnwindSafe(body)).unwrap_or(false);
        // SAFETY: it ends the child without running the destructors of the parent's objects.
        unsafe { _exit(c_int::from(!is_well)) }
    }
    assert!(child > 0, "expected a process, got {child}");
    let mut status = 1;
    // SAFETY: `child` is a child of this process that nobody has waited for, and `status` is valid for a write.
    let ended = unsafe { waitpid(child, &raw mut status, 0) };
    assert_eq!(ended, child, "expected the child to end");
    status == 0
}
