//! Texts in fields of a fixed size.

use std::borrow::Cow;
use std::fmt;

/// A text in a field of N bytes that ends with its first NUL: the source name of sACN (64), the short (18) and the long name (64) of
/// Art-Net. The sender's are UTF-8; received ones are any bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name<const N: usize>([u8; N]);

impl<const N: usize> Name<N> {
    /// A name to send.
    ///
    /// # Errors
    /// [`NameError`] when it does not fit into N - 1 bytes of UTF-8, or has a NUL.
    pub fn new(text: &str) -> Result<Self, NameError> {
        if text.len() >= N || text.contains('\0') {
            return Err(NameError {
                most: N - 1,
                got: text.len(),
            });
        }
        let mut field = [0; N];
        field[..text.len()].copy_from_slice(text.as_bytes());
        Ok(Self(field))
    }

    /// A received field.
    pub fn from_field(field: [u8; N]) -> Self {
        Self(field)
    }

    /// The field, with all that follows the first NUL.
    pub fn field(&self) -> &[u8; N] {
        &self.0
    }

    /// The bytes before the first NUL.
    pub fn as_bytes(&self) -> &[u8] {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(N);
        &self.0[..length]
    }

    /// The text, with U+FFFD for what is not UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }
}

impl<const N: usize> fmt::Display for Name<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

impl<const N: usize> fmt::Debug for Name<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), f)
    }
}

/// The name does not fit into its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameError {
    /// The longest name, in bytes of UTF-8.
    pub most: usize,
    /// The name's bytes.
    pub got: usize,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "name: expected at most {} bytes of UTF-8 without NUL, got {}",
            self.most, self.got
        )
    }
}

impl std::error::Error for NameError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_a_nul_within_the_field() {
        assert_eq!(
            Name::<18>::new("twelve bytes").map(|name| name.to_string()),
            Ok("twelve bytes".into())
        );
        assert!(Name::<4>::new("abc").is_ok());
        assert_eq!(Name::<4>::new("abcd"), Err(NameError { most: 3, got: 4 }));
        assert_eq!(Name::<4>::new("Äé"), Err(NameError { most: 3, got: 4 }));
        assert!(Name::<8>::new("a\0b").is_err());
    }

    #[test]
    fn received_fields_may_hold_anything() {
        assert_eq!(Name::from_field(*b"ab\0cd").as_bytes(), b"ab");
        assert_eq!(Name::from_field(*b"abcde").text(), "abcde");
        assert_eq!(Name::from_field([b'a', 0xFF, 0, 1]).text(), "a\u{FFFD}");
    }
}
