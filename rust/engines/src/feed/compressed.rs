//! Recordings that are compressed with gzip.

use flate2::read::MultiGzDecoder;
use std::io::{self, Cursor, ErrorKind, Read};

/// The first bytes of a gzip file (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a recording, which are decompressed while they are read.
pub(super) type Bytes = Box<dyn Read + Send>;

/// The decompressed bytes of `input`, if it begins as a gzip file does; else its bytes. It waits for the first two. A read that has
/// taken `budget` compressed bytes and found nothing in them fails with [`ErrorKind::WouldBlock`], and the next continues there.
///
/// # Errors
/// The input cannot be read.
pub(super) fn decompressed(input: impl Read + Send + 'static, budget: usize) -> io::Result<Bytes> {
    let mut input = Metered {
        input,
        left: GZIP.len(),
    };
    let mut first = Vec::new();
    Read::by_ref(&mut input)
        .take(GZIP.len() as u64)
        .read_to_end(&mut first)?;
    Ok(if first == GZIP {
        let input = Metered {
            input: Cursor::new(first).chain(input.input),
            left: 0,
        };
        let decoder = MultiGzDecoder::new(input);
        Box::new(Compressed { decoder, budget })
    } else {
        Box::new(Cursor::new(first).chain(input.input))
    })
}

struct Compressed<R> {
    decoder: MultiGzDecoder<Metered<R>>,
    budget: usize,
}

impl<R: Read> Read for Compressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.get_mut().left = self.budget;
        self.decoder.read(buffer)
    }
}

/// Gives so many bytes, then [`ErrorKind::WouldBlock`]. It reads again when a read was interrupted, which the decoder would take
/// for the end.
struct Metered<R> {
    input: R,
    left: usize,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let length = buffer.len().min(self.left);
        loop {
            match self.input.read(&mut buffer[..length]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => {
                    self.left -= result.as_ref().copied().unwrap_or(0);
                    return result;
                }
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
        let mut bytes = decompressed(Dripping(bytes.to_vec(), false), 3)?;
        let mut piece = [0; 4];
        loop {
            match bytes.read(&mut piece) {
                Ok(0) => return Ok(text),
                Ok(length) => text.extend_from_slice(&piece[..length]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(error) => return Err(error),
            }
        }
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
    fn read_that_finds_nothing_ends_with_its_budget() {
        // Members without contents, and a member of stored blocks without contents.
        let members = gzip(b"").repeat(10_000);
        let mut blocks = gzip(b"")[..10].to_vec();
        blocks.extend([0, 0, 0, 255, 255].repeat(40_000));
        for input in [members, blocks] {
            let mut bytes = decompressed(Cursor::new(input), 1_000).expect("memory");
            for _ in 0..100 {
                let error = bytes.read(&mut [0; 16]).expect_err("nothing yet");
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
            }
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
