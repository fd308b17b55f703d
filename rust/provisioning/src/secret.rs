//! Bytes that are not shown and are cleared.

use std::hint::black_box;

/// Bytes to be written to a node, of which some are a password. It has no `Debug`, is no part of an event or an error, and its memory
/// is overwritten when it goes.
pub struct Secret(Vec<u8>);

impl Secret {
    /// Takes bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, for the message that carries them.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Overwrites bytes with zeros, in a way that the compiler keeps.
    pub fn clear(bytes: &mut [u8]) {
        bytes.fill(0);
        black_box(bytes);
    }

    /// A text without this secret: where it stood stands `…`. An empty or very short one is no secret worth a garbled text.
    pub fn cut_from(&self, text: &str) -> String {
        match std::str::from_utf8(&self.0) {
            Ok(secret) if secret.len() >= 4 => text.replace(secret, "…"),
            _ => text.to_owned(),
        }
    }

    /// Overwrites it now.
    pub fn forget(&mut self) {
        Self::clear(&mut self.0);
        self.0.clear();
    }
}

impl Clone for Secret {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        Self::clear(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_cut_from_a_text_of_others() {
        let secret = Secret::new(b"hunter22".to_vec());
        assert_eq!(secret.cut_from("bad value hunter22!"), "bad value …!");
        assert_eq!(Secret::new(Vec::new()).cut_from("bad value"), "bad value");
    }

    #[test]
    fn forgotten_secret_has_no_bytes() {
        let mut secret = Secret::new(b"hunter22".to_vec());
        secret.forget();
        assert_eq!(secret.bytes(), b"");
    }
}
