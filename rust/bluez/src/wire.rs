//! The format of D-Bus: values, messages.
//!
//! D-Bus Specification 0.41, "Type System" and "Message Protocol".

mod message;
mod read;
mod value;
mod write;

pub use message::{Kind, MOST_BYTES, Message, length};
pub use value::Value;
pub(crate) use write::{Body, Call};

use std::fmt;

/// Bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// What was expected.
    pub expected: &'static str,
    /// Where, in bytes from the message's start.
    pub at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a message of the bus: expected {} at byte {}",
            self.expected, self.at
        )
    }
}

impl std::error::Error for Malformed {}
