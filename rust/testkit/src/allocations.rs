//! Counts and limits the allocations of the calling thread, for tests of calls that must not allocate, or not much, or that a
//! lack of memory must not end.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

thread_local! {
    // Without a destructor and initialised at compile time: reading it never allocates.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// The system's allocator with a count per thread. A test binary installs it:
///
/// ```
/// use rustle_testkit::{CountingAllocator, allocations_in};
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// let (count, _) = allocations_in(|| Vec::<u8>::with_capacity(10));
/// assert_eq!(count, 1);
/// ```
#[derive(Debug)]
pub struct CountingAllocator;

// SAFETY: every call goes to the system's allocator with the same arguments, or reports that there is no memory; counting touches
// no allocation.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !admitted(layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !admitted(layout.size()) {
            return null_mut();
        }
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !admitted(size) {
            return null_mut();
        }
        // SAFETY: the caller's promises are handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Counts an allocation; returns whether it may be made.
fn admitted(bytes: usize) -> bool {
    ALLOCATIONS.with(|allocations| allocations.set(allocations.get() + 1));
    BYTES.with(|sum| sum.set(sum.get() + bytes as u64));
    bytes <= LARGEST.with(Cell::get)
}

/// Runs `body` while this thread has no memory for allocations of more than `bytes`. An allocation that nothing expects to fail
/// ends the process.
pub fn with_allocations_up_to<R>(bytes: usize, body: impl FnOnce() -> R) -> R {
    let before = LARGEST.with(|largest| largest.replace(bytes));
    let result = body();
    LARGEST.with(|largest| largest.set(before));
    result
}

/// Runs `body` and returns the number of allocations and reallocations that this thread made in it, and its result. The
/// number is 0 in a program that does not install the [`CountingAllocator`]: a test first shows that it counts.
pub fn allocations_in<R>(body: impl FnOnce() -> R) -> (u64, R) {
    let before = ALLOCATIONS.with(Cell::get);
    let result = body();
    (ALLOCATIONS.with(Cell::get) - before, result)
}

/// As [`allocations_in`], the sum of their bytes; a reallocation counts with its whole new size.
pub fn allocated_bytes_in<R>(body: impl FnOnce() -> R) -> (u64, R) {
    let before = BYTES.with(Cell::get);
    let result = body();
    (BYTES.with(Cell::get) - before, result)
}
