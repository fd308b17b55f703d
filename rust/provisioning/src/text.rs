//! Texts that nodes hold.

use std::borrow::Cow;
use std::fmt;

/// A text of a node: its bytes, which are UTF-8 unless an older program wrote something else. Trailing NULs are not part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<u8>);

impl Text {
    /// The text of a characteristic's value.
    pub fn read(value: &[u8]) -> Self {
        let length = value
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        Self(value[..length].to_vec())
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text for display: what is no UTF-8 is replaced.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_nuls_are_stripped_and_invalid_utf8_is_kept_and_shown() {
        assert_eq!(Text::read(b"lamp\0\0").bytes(), b"lamp");
        assert_eq!(Text::read(b"\0\0").bytes(), b"");
        let old = Text::read(b"l\xFFmp\0");
        assert_eq!(
            (old.to_string().as_str(), old.bytes()),
            ("l\u{FFFD}mp", &b"l\xFFmp"[..])
        );
    }
}
