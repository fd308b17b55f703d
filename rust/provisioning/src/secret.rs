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

    /// A text without this secret, as of [`cut_from_bytes`](Self::cut_from_bytes).
    pub fn cut_from(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.cut_from_bytes(text.as_bytes())).into_owned()
    }

    /// Bytes without this secret: where it stood stands `…`. An empty or very short one is no secret worth a garbled text.
    pub fn cut_from_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let secret = &self.0[..];
        let (mut rest, mut cut) = (bytes, Vec::with_capacity(bytes.len()));
        if secret.len() >= 4 {
            while let Some(place) = rest.windows(secret.len()).position(|part| part == secret) {
                cut.extend_from_slice(&rest[..place]);
                cut.extend_from_slice("…".as_bytes());
                rest = &rest[place + secret.len()..];
            }
        }
        cut.extend_from_slice(rest);
        cut
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
        assert_eq!(secret.cut_from("hunter22, hunter22é"), "…, …é");
        assert_eq!(Secret::new(Vec::new()).cut_from("bad value"), "bad value");
        assert_eq!(
            secret.cut_from_bytes(b"\xffhunter22\x00"),
            b"\xff\xe2\x80\xa6\x00"
        );
    }

    #[test]
    fn cleared_bytes_are_zeros_and_a_forgotten_secret_has_none() {
        let mut bytes = *b"hunter22";
        Secret::clear(&mut bytes);
        assert_eq!(bytes, [0; 8]);
        let mut secret = Secret::new(b"hunter22".to_vec());
        secret.forget();
        assert_eq!(secret.bytes(), b"");
    }
}
