//! The beginning of an input, for the text of an error.

use std::fmt;

/// The number of bytes that are kept.
const KEPT: usize = 32;

/// The first 32 bytes of a malformed input. A flood of malformed input causes no allocation for its errors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Excerpt {
    bytes: [u8; KEPT],
    /// The number of valid `bytes`.
    length: u8,
    /// Whether the input was longer.
    is_cut: bool,
}

impl Excerpt {
    /// The beginning of `text`, which may be any bytes of any length.
    pub fn new(text: &[u8]) -> Self {
        let length = text.len().min(KEPT);
        let mut bytes = [0; KEPT];
        bytes[..length].copy_from_slice(&text[..length]);
        Self {
            bytes,
            length: length as u8,
            is_cut: text.len() > KEPT,
        }
    }

    /// The bytes that were kept, at most 32; a character may be cut at the end.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Display for Excerpt {
    /// In quotation marks; bytes other than printable ASCII are escaped; an ellipsis follows cut text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.bytes().escape_ascii())?;
        f.write_str(if self.is_cut { "…" } else { "" })
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_kept_and_long_text_is_cut() {
        assert_eq!(Excerpt::new(b"12a").to_string(), "\"12a\"");
        assert_eq!(
            Excerpt::new(&[b'x'; 1_000]).to_string(),
            format!("\"{}\"…", "x".repeat(32))
        );
        assert_eq!(Excerpt::new(&[0xff, b'\n']).to_string(), "\"\\xff\\n\"");
    }
}
