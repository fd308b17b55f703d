//! Status numbers, and the caller-owned record of a failure's text.
//!
//! The numbers are part of the ABI: they are only ever appended to. The Swift switch is generated from them.

use std::fmt::{self, Display, Write};

pub(crate) use crate::call_fault::CallFault;

/// The outcome of a fallible function: `RUSTLE_OK` or one of the other `RUSTLE_…` numbers.
pub type RustleStatus = i32;

/// The call succeeded.
pub const RUSTLE_OK: RustleStatus = 0;
/// A pointer that must not be NULL was NULL.
pub const RUSTLE_NULL_POINTER: RustleStatus = 1;
/// The function does not accept this length or capacity.
pub const RUSTLE_INVALID_LENGTH: RustleStatus = 2;
/// A number is out of range or not finite, or not a member of its enumeration.
pub const RUSTLE_INVALID_VALUE: RustleStatus = 3;
/// A text is not valid UTF-8.
pub const RUSTLE_INVALID_UTF8: RustleStatus = 4;
/// The handle is not live: never issued, already freed, or of another kind.
pub const RUSTLE_STALE_HANDLE: RustleStatus = 5;
/// Rust code panicked inside the call; the call had no other effect that the caller can see.
pub const RUSTLE_PANICKED: RustleStatus = 6;
/// A worker of this engine panicked earlier; the engine accepts no further start.
pub const RUSTLE_POISONED: RustleStatus = 7;
/// The engine was shut down.
pub const RUSTLE_SHUT_DOWN: RustleStatus = 8;
/// The system refused a resource: a thread, a handle, or the memory for a size that an argument asks for, which the text names
/// with the number of bytes. Small allocations of a fixed size that fail end the process instead.
pub const RUSTLE_EXHAUSTED: RustleStatus = 9;
/// The call is not possible in the present state, for example a second log sink.
pub const RUSTLE_WRONG_STATE: RustleStatus = 10;
/// A record's size differs from this archive's: the caller was compiled with the header of another version.
pub const RUSTLE_RECORD_SIZE: RustleStatus = 11;
/// Objects of this kind do not support this verb.
pub const RUSTLE_UNSUPPORTED: RustleStatus = 12;
/// The process is a fork of the one that started the engines: their threads are not in it.
pub const RUSTLE_FORKED: RustleStatus = 13;

/// The list of symbols is empty.
pub const RUSTLE_NO_SYMBOLS: RustleStatus = 100;
/// The list contains a symbol twice.
pub const RUSTLE_DUPLICATE_SYMBOL: RustleStatus = 101;
/// A symbol is empty or contains white space or a control character.
pub const RUSTLE_MALFORMED_SYMBOL: RustleStatus = 102;
/// A symbol is longer than 32 bytes of UTF-8.
pub const RUSTLE_SYMBOL_TOO_LONG: RustleStatus = 103;
/// The list has more than 100,000 symbols.
pub const RUSTLE_TOO_MANY_SYMBOLS: RustleStatus = 104;
/// The update rate is not finite or not within 0.001 to 10,000,000 per second.
pub const RUSTLE_RATE_OUT_OF_RANGE: RustleStatus = 105;

/// There is no sound device of that name.
pub const RUSTLE_DEVICE_NOT_FOUND: RustleStatus = 200;
/// The sound device is in use by another program.
pub const RUSTLE_DEVICE_BUSY: RustleStatus = 201;
/// The sound device does not support the sample rate, the channels or the direction.
pub const RUSTLE_DEVICE_UNSUPPORTED: RustleStatus = 202;
/// The sound device or the sound system failed.
pub const RUSTLE_DEVICE_FAILED: RustleStatus = 203;
/// The system's sound library is missing.
pub const RUSTLE_NO_SOUND_LIBRARY: RustleStatus = 204;

/// The text of a schema is malformed.
pub const RUSTLE_MALFORMED_SCHEMA: RustleStatus = 300;
/// Neither the caller nor the file's name defines the file's format.
pub const RUSTLE_UNKNOWN_FORMAT: RustleStatus = 301;
/// The file cannot be opened.
pub const RUSTLE_UNREADABLE_FILE: RustleStatus = 302;
/// An address is malformed.
pub const RUSTLE_MALFORMED_ADDRESS: RustleStatus = 303;
/// An address cannot be served: it is in use, or not one of this machine.
pub const RUSTLE_ADDRESS_UNAVAILABLE: RustleStatus = 304;
/// The feed is not external.
pub const RUSTLE_WRONG_SOURCE: RustleStatus = 305;

/// The protocol does not have a universe of that number.
pub const RUSTLE_INVALID_UNIVERSE: RustleStatus = 400;
/// There is no network interface of that name or address, or none is the default.
pub const RUSTLE_UNKNOWN_INTERFACE: RustleStatus = 401;
/// The system refuses the network: no route, no permission, or no multicast on the interface.
pub const RUSTLE_NETWORK_FAILED: RustleStatus = 402;
/// Art-Net has neither a destination nor a broadcast.
pub const RUSTLE_NO_DESTINATION: RustleStatus = 403;
/// The text of a file is malformed.
pub const RUSTLE_MALFORMED_FILE: RustleStatus = 404;
/// A file cannot be made or written.
pub const RUSTLE_UNWRITABLE_FILE: RustleStatus = 405;

/// The system's Bluetooth service cannot be reached.
pub const RUSTLE_NO_BLUETOOTH: RustleStatus = 600;

/// The capacity of a `RustleError`'s text in bytes.
pub const RUSTLE_ERROR_CAPACITY: usize = 248;

/// A failure in the caller's memory. Every fallible function takes a pointer to one as its last parameter: NULL when the caller
/// wants the status alone. It is written completely when the function fails, and not at all when it succeeds.
#[repr(C)]
pub struct RustleError {
    /// The status that the function returned.
    pub status: RustleStatus,
    /// The bytes of `message` in use, at most `RUSTLE_ERROR_CAPACITY`.
    pub message_length: u32,
    /// What was expected and what was passed: UTF-8, not NUL-terminated, truncated between characters when it is too long.
    pub message: [u8; RUSTLE_ERROR_CAPACITY],
}

/// An error of the C interface: a status, and a text by `Display`.
pub(crate) trait Fault: Display {
    /// The status of this error.
    fn status(&self) -> RustleStatus;
}

impl RustleError {
    /// The record of a failure. Formats directly into the fixed buffer, without an allocation.
    pub(crate) fn new(status: RustleStatus, text: &dyn Display) -> Self {
        let mut error = Self {
            status,
            message_length: 0,
            message: [0; RUSTLE_ERROR_CAPACITY],
        };
        // The writer below fails where it cuts the text, so that nothing comes after the cut.
        let _ = write!(error, "{text}");
        error
    }
}

impl Write for RustleError {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let used = self.message_length as usize;
        let mut fits = text.len().min(RUSTLE_ERROR_CAPACITY - used);
        while !text.is_char_boundary(fits) {
            fits -= 1;
        }
        self.message[used..used + fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.message_length = (used + fits) as u32;
        if fits < text.len() {
            Err(fmt::Error)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_cut_at_a_characters_edge() {
        let text = "é".repeat(200);
        let error = RustleError::new(RUSTLE_INVALID_VALUE, &text);
        let kept = &error.message[..error.message_length as usize];
        assert_eq!(error.message_length, 248);
        assert_eq!(
            std::str::from_utf8(kept).map(|kept| kept.chars().count()),
            Ok(124)
        );
    }

    #[test]
    fn nothing_comes_after_a_cut() {
        let error = RustleError::new(
            RUSTLE_INVALID_VALUE,
            &format_args!("{}{}{}", "a".repeat(247), "é", "b"),
        );
        assert_eq!(error.message_length, 247);
    }
}
