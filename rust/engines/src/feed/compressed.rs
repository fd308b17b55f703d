//! Recordings that are compressed with gzip.

use flate2::read::MultiGzDecoder;
use std::io::{self, Cursor, ErrorKind, Read};

/// The first bytes of a gzip file (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a recording, which are decompressed while they are read.
pub(super) type Bytes = Box<dyn Read + Send>;

/// The decompressed bytes of `input`, if it begins as a gzip file does; else its bytes. It waits for the first two.
///
/// # Errors
/// The input cannot be read.
pub(super) fn decompressed(input: impl Read + Send + 'static) -> io::Result<Bytes> {
    let mut input = Persistent(input);
    let mut first = Vec::new();
    Read::by_ref(&mut input)
        .take(GZIP.len() as u64)
        .read_to_end(&mut first)?;
    let is_compressed = first == GZIP;
    let all = Cursor::new(first).chain(input);
    Ok(if is_compressed {
        Box::new(MultiGzDecoder::new(all))
    } else {
        Box::new(all)
    })
}

/// Reads again when a read was interrupted: the decoder would take it for the end.
struct Persistent<R>(R);

impl<R: Read> Read for Persistent<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    }

    /// Gives a byte at a time, and is interrupted before each.
    struct Dripping(Vec<u8>, bool);

    impl Read for Dripping {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            if self.0.is_empty() || buffer.is_empty() {
                return Ok(0);
            }
            buffer[0] = self.0.remove(0);
            Ok(1)
        }
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        decompressed(Dripping(bytes.to_vec(), false))?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn plain_and_compressed_bytes_are_read() {
        let two = [gzip(b"symbol,"), gzip(b"price")].concat();
        for (bytes, text) in [
            (&b""[..], &b""[..]),
            (b"\x1f", b"\x1f"),
            (b"\x1f\x8c", b"\x1f\x8c"),
            (b"symbol,price\n", b"symbol,price\n"),
            (&gzip(b""), b""),
            (&two, b"symbol,price"),
        ] {
            assert_eq!(read(bytes).expect("well-formed"), text, "{bytes:?}");
        }
    }

    #[test]
    fn truncated_and_damaged_files_are_errors() {
        let whole = gzip(b"symbol,price\nBTC,1\n");
        for length in 2..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length} bytes");
        }
        let mut damaged = whole;
        let check = damaged.len() - 6;
        damaged[check] ^= 1;
        assert!(read(&damaged).is_err(), "another checksum");
    }
}
