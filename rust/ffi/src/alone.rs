//! State that one call at a time uses.

use crate::status::CallFault;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// A state for one call at a time: a second call beside one that runs is refused, it does not wait.
pub(crate) struct Alone<T> {
    state: Mutex<T>,
    name: &'static str,
    restart: fn(&mut T),
}

impl<T> Alone<T> {
    /// The state of the object that C calls `name`. After a call that panicked, `restart` is called once, before the next use:
    /// what a panic leaves may be half done.
    pub(crate) fn new(state: T, name: &'static str, restart: fn(&mut T)) -> Self {
        Self {
            state: Mutex::new(state),
            name,
            restart,
        }
    }

    /// The state, for the call that asks.
    /// Errors: another call uses it at the moment.
    pub(crate) fn get(&self) -> Result<MutexGuard<'_, T>, CallFault> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => {
                let mut state = poisoned.into_inner();
                (self.restart)(&mut state);
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
        let counter = Alone::new(7, "counter", |count| *count = 0);
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
        let counter = Alone::new(7, "counter", |_| ());
        let first = counter.get().expect("nobody else uses it");
        assert!(counter.get().is_err());
        drop(first);
        assert!(counter.get().is_ok());
    }
}
