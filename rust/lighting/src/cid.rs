//! The identity of a source of sACN.

use std::fmt;
use std::str::FromStr;

/// The component identifier of a source (ANSI E1.31-2018, 5.6): a UUID, made once and kept, so that a restarted program is the
/// same source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cid([u8; 16]);

impl Cid {
    /// The identifier of a source that sends.
    ///
    /// # Errors
    /// [`CidError`] for zeros, which identify nobody.
    pub fn new(bytes: [u8; 16]) -> Result<Self, CidError> {
        if bytes == [0; 16] {
            Err(CidError)
        } else {
            Ok(Self(bytes))
        }
    }

    /// A random UUID (RFC 9562, version 4) of 16 random bytes.
    pub fn from_random(mut bytes: [u8; 16]) -> Self {
        bytes[6] = 0x40 | bytes[6] & 0x0F;
        bytes[8] = 0x80 | bytes[8] & 0x3F;
        Self(bytes)
    }

    /// A received identifier, which may be anything.
    pub fn from_field(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// As a UUID: `01234567-89ab-4def-8123-456789abcdef`.
impl fmt::Display for Cid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Cid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads 32 hexadecimal digits, with or without the hyphens of a UUID.
impl FromStr for Cid {
    type Err = CidError;

    fn from_str(text: &str) -> Result<Self, CidError> {
        let mut bytes = [0; 16];
        let mut digits = 0;
        for (position, letter) in text.chars().enumerate() {
            if letter == '-' && text.len() == 36 && matches!(position, 8 | 13 | 18 | 23) {
                continue;
            }
            let digit = letter.to_digit(16).ok_or(CidError)? as u8;
            *bytes.get_mut(digits / 2).ok_or(CidError)? |= digit << (4 * (1 - digits % 2));
            digits += 1;
        }
        if digits == 32 {
            Self::new(bytes)
        } else {
            Err(CidError)
        }
    }
}

/// Not an identifier of a source: zeros, or a text that is not a UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CidError;

impl fmt::Display for CidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CID: expected a UUID that is not all zeros")
    }
}

impl std::error::Error for CidError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_read_back() {
        let cid = Cid::from_random(std::array::from_fn(|index| 0xF0 | index as u8));
        assert_eq!(cid.to_string(), "f0f1f2f3-f4f5-46f7-b8f9-fafbfcfdfeff");
        assert_eq!(cid.to_string().parse(), Ok(cid));
        assert_eq!(cid.to_string().replace('-', "").to_uppercase().parse(), Ok(cid));
        for text in [
            "",
            "f0",
            "f0f1f2f3-f4f546f7b8f9fafbfcfdfeff",
            "f0f1f2f3-f4f5-46f7-b8f9-fafbfcfdfefg",
        ] {
            assert_eq!(text.parse::<Cid>(), Err(CidError), "{text}");
        }
        assert_eq!("0".repeat(32).parse::<Cid>(), Err(CidError));
    }
}
