//! A lock whose other side never waits, and must never have to wake a thread.

use std::sync::{Mutex, MutexGuard, TryLockError};

/// Takes a lock that is held for a few instructions. It yields instead of sleeping: the other side would have to wake this one
/// with a system call on release.
pub(crate) fn lock_briefly<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
}
