//! A text of bounded length, which is copied like a number.

use std::fmt::{self, Debug, Display};

/// The beginning of a text: at most `CAPACITY` bytes, up to 255, cut between characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BoundedText<const CAPACITY: usize> {
    bytes: [u8; CAPACITY],
    length: u8,
    is_cut: bool,
}

/// The beginning of a text that is not the name of anything, in an error.
pub type GivenName = BoundedText<24>;

impl<const CAPACITY: usize> BoundedText<CAPACITY> {
    /// The beginning of `text`, as many whole characters as there is room for.
    pub fn new(text: &str) -> Self {
        const { assert!(CAPACITY <= u8::MAX as usize) };
        let mut length = text.len().min(CAPACITY);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes = [0; CAPACITY];
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self {
            bytes,
            length: length as u8,
            is_cut: length < text.len(),
        }
    }

    /// The text that was kept.
    pub fn as_str(&self) -> &str {
        // Cut between characters when it was made.
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    /// Its bytes, and zeros behind them.
    pub fn padded(&self) -> [u8; CAPACITY] {
        self.bytes
    }
}

impl<const CAPACITY: usize> Display for BoundedText<CAPACITY> {
    /// In quotation marks, with an ellipsis after a text that was cut.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.as_str(), if self.is_cut { "…" } else { "" })
    }
}

impl<const CAPACITY: usize> Debug for BoundedText<CAPACITY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_name_is_cut_between_characters() {
        assert_eq!(GivenName::new("avx9").to_string(), "\"avx9\"");
        assert_eq!(GivenName::new("").to_string(), "\"\"");
        let long = GivenName::new("12345678901234567890123é");
        assert_eq!(long.to_string(), "\"12345678901234567890123\"…");
    }
}
