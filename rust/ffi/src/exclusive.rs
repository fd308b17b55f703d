//! Exclusive access to a state, with a reset after a panic.

use crate::status::CallFault;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// A state that one call at a time may use. A second call meanwhile fails instead of waiting.
pub(crate) struct Exclusive<T> {
    state: Mutex<T>,
    name: &'static str,
    reset: fn(&mut T),
}

impl<T> Exclusive<T> {
    /// Wraps the state of the object that C calls `name`. After a call that panicked, `reset` is called once, before the next
    /// use: the panic may have left the state inconsistent.
    pub(crate) fn new(state: T, name: &'static str, reset: fn(&mut T)) -> Self {
        Self {
            state: Mutex::new(state),
            name,
            reset,
        }
    }

    /// Locks the state for a call. Errors: another call is using it.
    pub(crate) fn get(&self) -> Result<MutexGuard<'_, T>, CallFault> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => {
                let mut state = poisoned.into_inner();
                (self.reset)(&mut state);
                self.state.clear_poison();
                Ok(state)
            }
            Err(TryLockError::WouldBlock) => {
                let problem = "expected one call at a time, got a second one";
                Err(CallFault::wrong_state(self.name, problem))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    #[test]
    fn state_restarts_once_after_a_panic_not_at_every_later_call() {
        let counter = Exclusive::new(7, "counter", |count| *count = 0);
        let call = || {
            let mut count = counter.get().expect("nobody else uses it");
            *count = 99;
            panic!("on purpose");
        };
        assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        for expected in 0..3 {
            let mut count = counter.get().expect("nobody else uses it");
            assert_eq!(*count, expected, "the count goes on after one restart");
            *count += 1;
        }
    }

    #[test]
    fn second_call_beside_the_first_is_refused() {
        let counter = Exclusive::new(7, "counter", |_| ());
        let first = counter.get().expect("nobody else uses it");
        assert!(counter.get().is_err());
        drop(first);
        assert!(counter.get().is_ok());
    }
}
