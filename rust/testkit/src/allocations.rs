//! Counts the allocations of the calling thread, for tests of calls that must not allocate, or not much.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Without a destructor and initialised at compile time: reading it never allocates.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
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

// SAFETY: every call goes to the system's allocator with the same arguments; counting touches no allocation.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller's promises are handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count(bytes: usize) {
    ALLOCATIONS.with(|allocations| allocations.set(allocations.get() + 1));
    BYTES.with(|sum| sum.set(sum.get() + bytes as u64));
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
