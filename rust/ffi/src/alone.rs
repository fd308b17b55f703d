//! Objects that one call at a time uses.

use crate::status::CallFault;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// The object of the argument `name` for the one call that uses it, after `mend` where an earlier call has panicked: that was told
/// there.
pub(crate) fn alone<'a, T>(
    object: &'a Mutex<T>,
    name: &'static str,
    mend: impl FnOnce(&mut T),
) -> Result<MutexGuard<'a, T>, CallFault> {
    match object.try_lock() {
        Ok(object) => Ok(object),
        Err(TryLockError::Poisoned(poisoned)) => {
            let mut object = poisoned.into_inner();
            mend(&mut object);
            Ok(object)
        }
        Err(TryLockError::WouldBlock) => Err(CallFault::wrong_state(
            name,
            "expected one call at a time, got a second one",
        )),
    }
}
