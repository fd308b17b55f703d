//! Scratch memory for callers who pass none.

use crate::guard::fault_point;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// A pool of values that calls borrow: made at first use, and kept.
pub(crate) struct Pool<T> {
    places: [Place<T>; PLACES],
}

/// Buffers of floats.
pub(crate) type ScratchPool = Pool<Vec<f32>>;

/// The number of concurrent calls that need no allocation.
const PLACES: usize = 8;

/// A lock without waiters: at half the cost of a mutex, which looks for waiters when it is released.
struct Place<T> {
    is_taken: AtomicBool,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is used by the one call that has taken the place, on whichever thread (T: Send).
unsafe impl<T: Send> Sync for Place<T> {}

/// A place in use by a call; released when this is dropped, by a panic too.
struct Taken<'a, T>(&'a Place<T>);

impl<T> Place<T> {
    fn take(&self) -> Option<Taken<'_, T>> {
        // Acquire: the last user's writes are visible. The load avoids writing to the cache line of a place in use.
        let is_mine = !self.is_taken.load(Ordering::Relaxed) && !self.is_taken.swap(true, Ordering::Acquire);
        is_mine.then(|| Taken(self))
    }
}

impl<T> Taken<'_, T> {
    fn value(&mut self) -> &mut Option<T> {
        // SAFETY: there is one `Taken` of a place at a time, and it is borrowed mutably for as long as the value is.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        self.0.is_taken.store(false, Ordering::Release);
    }
}

impl<T: Default> Pool<T> {
    /// An empty pool.
    pub(crate) const fn new() -> Self {
        Self {
            places: [const {
                Place {
                    is_taken: AtomicBool::new(false),
                    value: UnsafeCell::new(None),
                }
            }; PLACES],
        }
    }

    /// Calls `body` with a value that no other call uses, with any content, even after a panic of its last user. Makes one when
    /// all are in use, and never waits.
    pub(crate) fn borrow<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        match self.places.iter().find_map(Place::take) {
            Some(mut place) => {
                fault_point("a borrowed scratch");
                body(place.value().get_or_insert_default())
            }
            None => body(&mut T::default()),
        }
    }
}

impl ScratchPool {
    /// Calls `body` with the caller's memory `lent` or, if that is empty, with a buffer of `length` elements.
    pub(crate) fn lent_or_own<R>(
        &self,
        lent: &mut [f32],
        length: usize,
        body: impl FnOnce(&mut [f32]) -> R,
    ) -> R {
        if lent.is_empty() {
            self.borrow(|buffer| body(first(buffer, length)))
        } else {
            body(lent)
        }
    }
}

/// The first `length` elements of a buffer, which grows when it is shorter.
pub(super) fn first(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    #[test]
    fn buffer_is_kept_and_given_to_one_user_at_a_time() {
        let pool = ScratchPool::new();
        let own = |length| pool.lent_or_own(&mut [], length, |buffer| buffer.as_ptr());
        let first = own(10);
        let again = pool.lent_or_own(&mut [], 10, |outer| {
            assert_ne!(own(10), outer.as_ptr());
            outer.as_ptr()
        });
        assert_eq!(first, again);
    }

    #[test]
    fn place_is_given_back_by_a_call_that_panics() {
        let pool = ScratchPool::new();
        for _ in 0..2 * PLACES {
            let call = || pool.lent_or_own(&mut [], 10, |_| panic!("on purpose"));
            assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        }
        assert!(pool
            .places
            .iter()
            .skip(1)
            .all(|place| place.take().is_some_and(|mut place| place.value().is_none())));
    }

    #[test]
    fn racing_calls_have_a_buffer_each() {
        let pool = ScratchPool::new();
        std::thread::scope(|scope| {
            for mark in 0..2 * PLACES {
                let pool = &pool;
                scope.spawn(move || {
                    for _ in 0..200 {
                        pool.lent_or_own(&mut [], 64, |buffer| {
                            buffer.fill(mark as f32);
                            std::thread::yield_now();
                            assert!(buffer.iter().all(|value| *value == mark as f32));
                        });
                    }
                });
            }
        });
    }

    #[test]
    fn more_users_than_buffers_are_served() {
        fn nest(pool: &ScratchPool, depth: usize) -> usize {
            pool.lent_or_own(&mut [], 3, |buffer| match depth {
                0 => buffer.len(),
                _ => buffer.len() + nest(pool, depth - 1),
            })
        }
        assert_eq!(nest(&ScratchPool::new(), 11), 36);
    }
}
