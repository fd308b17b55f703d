//! The text of a panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of a panic, or a text for a panic without one.
pub fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// The message of a caught panic, whose payload is dropped; a payload that panics in its drop is leaked.
pub fn into_panic_message(payload: Box<dyn Any + Send>) -> String {
    let message = panic_message(&*payload).to_owned();
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::panic_any;

    #[test]
    fn payload_that_panics_in_its_drop_is_survived() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("in the drop of the payload");
            }
        }
        let payload = catch_unwind(|| panic_any(Bomb)).expect_err("it panics");
        assert_eq!(into_panic_message(payload), "a panic without a message");
    }
}
