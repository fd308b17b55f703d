//! A text that is no name, for the text of an error.

use std::fmt::{self, Debug, Display};

/// The number of bytes that are kept.
const KEPT: usize = 24;

/// The beginning of a text that is not the name of anything: at most 24 bytes, cut between characters. An error that has one is
/// copied like its other values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GivenName {
    bytes: [u8; KEPT],
    length: u8,
    is_cut: bool,
}

impl GivenName {
    /// The beginning of `text`.
    pub fn new(text: &str) -> Self {
        let mut length = text.len().min(KEPT);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes = [0; KEPT];
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self {
            bytes,
            length: length as u8,
            is_cut: length < text.len(),
        }
    }

    /// The text that was kept.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl Display for GivenName {
    /// In quotation marks, with an ellipsis after a text that was cut.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.as_str(), if self.is_cut { "…" } else { "" })
    }
}

impl Debug for GivenName {
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
