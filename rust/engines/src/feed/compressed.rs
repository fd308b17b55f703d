//! Recordings that are compressed with gzip or zstd.

use flate2::read::MultiGzDecoder;
use rustle_zstd::Decoder;
use std::io::{self, Cursor, ErrorKind, Read};

/// The first bytes of a gzip file (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The number of bytes by which a zstd file is known.
const ZSTD: usize = rustle_zstd::MAGIC.len();

/// The bytes of a recording, which are decompressed while they are read.
pub(super) type Bytes = Box<dyn Read + Send>;

/// Whether a zstd file may begin with these bytes: with a frame, or with one that is skipped (RFC 8878, sections 3.1.1 and 3.1.2).
fn begins_zstd(first: &[u8]) -> bool {
    let skipped = [
        0x50 | first.first().map_or(0, |byte| byte & 0x0f),
        0x2a,
        0x4d,
        0x18,
    ];
    [rustle_zstd::MAGIC, skipped]
        .iter()
        .any(|magic| *first == magic[..first.len()])
}

/// The decompressed bytes of `input`, if it begins as a gzip or zstd file does; else its bytes. It waits for the first two, or four
/// where these are zstd's. A read that has taken `budget` compressed bytes and found nothing in them fails with
/// [`ErrorKind::WouldBlock`], and the next continues there.
///
/// # Errors
/// The input cannot be read, or is compressed with zstd and there is no libzstd.
pub(super) fn decompressed(mut input: impl Read + Send + 'static, budget: usize) -> io::Result<Bytes> {
    let mut first = Vec::new();
    begin(&mut input, &mut first, GZIP.len())?;
    if begins_zstd(&first) {
        begin(&mut input, &mut first, ZSTD - GZIP.len())?;
    }
    let (is_gzip, is_zstd) = (first == GZIP, first.len() == ZSTD && begins_zstd(&first));
    let input = Cursor::new(first).chain(input);
    let metered = |input| Metered { input, left: 0 };
    Ok(if is_gzip {
        let decoder = MultiGzDecoder::new(metered(input));
        Box::new(Compressed { decoder, budget })
    } else if is_zstd {
        let decoder = Decoder::new(metered(input))?;
        Box::new(Compressed { decoder, budget })
    } else {
        Box::new(input)
    })
}

/// Reads the next `count` bytes, or those before the end.
fn begin(input: &mut impl Read, first: &mut Vec<u8>, count: usize) -> io::Result<()> {
    let input = Metered { input, left: count };
    input.take(count as u64).read_to_end(first).map(drop)
}

/// A decoder whose input is metered.
trait Decode: Read {
    type Input: Read;
    fn input(&mut self) -> &mut Metered<Self::Input>;
}

impl<R: Read> Decode for MultiGzDecoder<Metered<R>> {
    type Input = R;
    fn input(&mut self) -> &mut Metered<R> {
        self.get_mut()
    }
}

impl<R: Read> Decode for Decoder<Metered<R>> {
    type Input = R;
    fn input(&mut self) -> &mut Metered<R> {
        self.get_mut()
    }
}

struct Compressed<D> {
    decoder: D,
    budget: usize,
}

impl<D: Decode> Read for Compressed<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.input().left = self.budget;
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

    /// The program `zstd` made it of `symbol,price\n`.
    const FRAME: &[u8] = b"(\xb5/\xfd\x04Xi\x00\x00symbol,price\x0a\x0d>\xbf\xa5";

    #[test]
    fn zstd_bytes_are_read_and_a_frames_parts_are_errors() {
        let two = [FRAME, FRAME].concat();
        assert_eq!(read(FRAME).expect("well-formed"), b"symbol,price\n");
        assert_eq!(read(&two).expect("well-formed"), b"symbol,price\nsymbol,price\n");
        assert_eq!(read(&FRAME[..3]).expect("no magic number"), &FRAME[..3]);
        // A frame that is skipped, of three bytes.
        let skipped = [b"\x5f\x2a\x4d\x18\x03\x00\x00\x00abc", FRAME].concat();
        assert_eq!(read(&skipped).expect("well-formed"), b"symbol,price\n");
        for length in 4..FRAME.len() {
            let error = read(&FRAME[..length]).expect_err("a part");
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length} bytes");
        }
        let mut damaged = FRAME.to_vec();
        *damaged.last_mut().expect("a checksum") ^= 1;
        assert!(read(&damaged).is_err(), "another checksum");
    }

    #[test]
    fn read_that_finds_nothing_ends_with_its_budget() {
        // Members without contents, and a member of stored blocks without contents.
        let members = gzip(b"").repeat(10_000);
        let mut blocks = gzip(b"")[..10].to_vec();
        blocks.extend([0, 0, 0, 255, 255].repeat(40_000));
        // Frames without contents.
        let frames = [&FRAME[..ZSTD], &[0x20, 0, 1, 0, 0]].concat().repeat(20_000);
        for input in [members, blocks, frames] {
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
