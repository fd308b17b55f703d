//! Scratch memory for callers who bring none.

use super::fault::FftFault;
use crate::guard::fault_point;
use crate::slice::borrowed_mut;
use std::sync::{Mutex, TryLockError};

/// Buffers that are made when they are first needed and kept.
pub(super) struct ScratchPool {
    buffers: [Mutex<Vec<f32>>; Self::BUFFERS],
}

impl ScratchPool {
    /// Calls that can be under way at a time without allocating.
    const BUFFERS: usize = 8;

    /// A pool with nothing in it yet.
    pub(super) const fn new() -> Self {
        Self {
            buffers: [const { Mutex::new(Vec::new()) }; Self::BUFFERS],
        }
    }

    /// Calls `body` with the `lent` memory of a caller, an address and a number of floats, or, when that is NULL and 0, with
    /// a buffer of `length` elements.
    ///
    /// # Errors
    /// What `body` returns; as `borrowed_mut`.
    ///
    /// # Safety
    /// As `borrowed_mut`, for the lent memory.
    pub(super) unsafe fn lent_or_own(
        &self,
        lent: (*mut f32, usize),
        length: usize,
        body: impl FnOnce(&mut [f32]) -> Result<(), FftFault>,
    ) -> Result<(), FftFault> {
        if lent.0.is_null() && lent.1 == 0 {
            return self.with(length, body);
        }
        // SAFETY: the promise is handed on.
        body(unsafe { borrowed_mut(lent.0, lent.1, "scratch") }?)
    }

    /// Calls `body` with a buffer of `length` elements, of whatever content. Allocates when each buffer that exists is in
    /// use, and never waits.
    pub(super) fn with<R>(&self, length: usize, body: impl FnOnce(&mut [f32]) -> R) -> R {
        for buffer in &self.buffers {
            let mut buffer = match buffer.try_lock() {
                Ok(buffer) => buffer,
                // Its content does not matter, whatever happened to its last user.
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => continue,
            };
            if buffer.len() < length {
                buffer.resize(length, 0.0);
            }
            fault_point("a borrowed scratch");
            return body(&mut buffer[..length]);
        }
        body(&mut vec![0.0; length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_is_kept_and_given_to_one_user_at_a_time() {
        let pool = ScratchPool::new();
        let first = pool.with(10, |buffer| buffer.as_ptr());
        let again = pool.with(10, |outer| {
            let inner = pool.with(10, |inner| inner.as_ptr());
            assert_ne!(inner, outer.as_ptr());
            outer.as_ptr()
        });
        assert_eq!(first, again);
    }

    #[test]
    fn more_users_than_buffers_are_served() {
        fn nest(pool: &ScratchPool, depth: usize) -> usize {
            pool.with(3, |buffer| match depth {
                0 => buffer.len(),
                _ => buffer.len() + nest(pool, depth - 1),
            })
        }
        assert_eq!(nest(&ScratchPool::new(), 11), 36);
    }
}
