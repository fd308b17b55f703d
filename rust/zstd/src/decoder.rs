//! A reader of decompressed bytes.

use crate::functions::{Buffer, Context, Functions};
use std::io::{self, ErrorKind, Read};

/// The first bytes of a frame.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// `ZSTD_d_windowLogMax`, and its value: a frame may ask for a window of 128 MiB, as the program `zstd` writes without `--long=28`
/// or more.
const WINDOW_LIMIT: (i32, i32) = (100, 27);

/// The compressed bytes of one read.
const PIECE: usize = 64 * 1_024;

/// The decompressed bytes of a stream of frames. Memory is bounded by a window of 128 MiB, and decompressed bytes are not kept.
///
/// An error of the input is passed on, and the next read continues there.
pub struct Decoder<R> {
    input: R,
    stream: Stream,
    piece: Vec<u8>,
    /// The bytes of the piece from `next` to `end` are still to be decompressed.
    next: usize,
    end: usize,
    /// Whether a frame has begun and not ended.
    is_within: bool,
    /// Whether decompressed bytes may wait in the library.
    is_full: bool,
}

impl<R> Decoder<R> {
    /// Of an input that is at the beginning of a frame.
    ///
    /// # Errors
    /// There is no libzstd, or no memory.
    pub fn new(input: R) -> io::Result<Self> {
        Ok(Self {
            input,
            stream: Stream::new()?,
            piece: vec![0; PIECE],
            next: 0,
            end: 0,
            is_within: false,
            is_full: false,
        })
    }

    /// The input.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if self.next == self.end && !self.is_full {
                self.end = 0;
                self.next = 0;
                self.end = self.input.read(&mut self.piece)?;
                if self.end == 0 {
                    return match self.is_within {
                        true => Err(ErrorKind::UnexpectedEof.into()),
                        false => Ok(0),
                    };
                }
            }
            let step = self.stream.step(&self.piece[self.next..self.end], buffer)?;
            self.next += step.taken;
            self.is_full = step.given == buffer.len();
            // A call without input between two frames begins none.
            self.is_within = step.is_within && (self.is_within || step.taken > 0);
            if step.given > 0 {
                return Ok(step.given);
            }
        }
    }
}

/// The result of a call of the library.
struct Step {
    /// The bytes that it took.
    taken: usize,
    /// The bytes that it wrote.
    given: usize,
    /// Whether the frame goes on.
    is_within: bool,
}

/// The state of a decompression.
struct Stream {
    functions: &'static Functions,
    context: Context,
}

// SAFETY: the library's contexts are not bound to a thread, and only the owner's calls reach this one.
unsafe impl Send for Stream {}

impl Stream {
    fn new() -> io::Result<Self> {
        let functions = Functions::get()?;
        // SAFETY: no preconditions.
        let context = unsafe { (functions.ZSTD_createDCtx)() };
        if context.is_null() {
            return Err(ErrorKind::OutOfMemory.into());
        }
        let stream = Self { functions, context };
        let (name, value) = WINDOW_LIMIT;
        // SAFETY: the context is live; the library checks the parameter.
        functions.checked(unsafe { (functions.ZSTD_DCtx_setParameter)(context, name, value) })?;
        Ok(stream)
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<Step> {
        let mut from = Buffer {
            bytes: input.as_ptr().cast(),
            size: input.len(),
            position: 0,
        };
        let mut to = Buffer {
            bytes: output.as_mut_ptr().cast(),
            size: output.len(),
            position: 0,
        };
        // SAFETY: the context is live, and both buffers are as long as they say until the call returns.
        let code = unsafe { (self.functions.ZSTD_decompressStream)(self.context, &mut to, &mut from) };
        let rest = self.functions.checked(code)?;
        Ok(Step {
            taken: from.position,
            given: to.position,
            is_within: rest > 0,
        })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the context is live, and used by nobody else.
        unsafe { (self.functions.ZSTD_freeDCtx)(self.context) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::library;
    use std::ffi::{c_int, c_void};

    /// A frame, by the library's own compressor.
    fn frame(text: &[u8]) -> Vec<u8> {
        type Compress = unsafe extern "C" fn(*mut c_void, usize, *const c_void, usize, c_int) -> usize;
        let library = library().expect("libzstd");
        // SAFETY: the signature is that of zstd.h.
        let compress = unsafe { library.get::<Compress>(b"ZSTD_compress\0") }.expect("libzstd");
        let mut bytes = vec![0; 1_000 + 2 * text.len()];
        let (to, size) = (bytes.as_mut_ptr().cast(), bytes.len());
        // SAFETY: both buffers are as long as the call says.
        let length = unsafe { compress(to, size, text.as_ptr().cast(), text.len(), 3) };
        bytes.truncate(
            Functions::get()
                .and_then(|functions| functions.checked(length))
                .expect("room"),
        );
        bytes
    }

    /// Gives at most so many bytes at a time, and before each an error that passes.
    struct Dripping<'a>(&'a [u8], usize, bool);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(ErrorKind::WouldBlock.into());
            }
            let length = self.0.len().min(self.1).min(buffer.len());
            self.0.read(&mut buffer[..length])
        }
    }

    fn read(bytes: &[u8], at_a_time: usize, room: usize) -> io::Result<Vec<u8>> {
        let mut decoder = Decoder::new(Dripping(bytes, at_a_time, false))?;
        let (mut text, mut piece) = (Vec::new(), vec![0; room]);
        loop {
            match decoder.read(&mut piece) {
                Ok(0) => return Ok(text),
                Ok(length) => text.extend_from_slice(&piece[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn numbers() -> Vec<u8> {
        (0..20_000_u32)
            .flat_map(|number| format!("{},", number * number % 977).into_bytes())
            .collect()
    }

    #[test]
    fn frames_are_read_in_pieces_of_any_size() {
        let numbers = numbers();
        let frames = [frame(b""), frame(&numbers), frame(b"end")].concat();
        let text = [&numbers[..], b"end"].concat();
        for (at_a_time, room) in [(1, 7), (1_000, 1), (1 << 20, 1 << 20), (3, 1 << 20)] {
            assert_eq!(read(&frames, at_a_time, room).expect("well-formed"), text);
        }
        assert!(read(b"", 1, 1).expect("nothing").is_empty());
        assert!(frames.len() < text.len() && frames.starts_with(&MAGIC));
    }

    #[test]
    fn truncated_and_damaged_frames_are_errors() {
        let whole = frame(&numbers()[..500]);
        for length in 1..whole.len() {
            let error = read(&whole[..length], 64, 64).expect_err("a part");
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length} bytes");
        }
        let error = read(b"symbol,price\n", 64, 64).expect_err("text");
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().starts_with("zstd: "), "{error}");
    }

    #[test]
    fn window_above_128_mib_is_refused() {
        // Frame headers (RFC 8878, section 3.1.1.1): a window of 2^27 or 2^28 bytes, then a last, raw, empty block.
        for (log, is_read) in [(27, true), (28, false)] {
            let mut bytes = MAGIC.to_vec();
            bytes.extend([0, (log - 10) << 3, 1, 0, 0]);
            assert_eq!(read(&bytes, 64, 64).is_ok(), is_read, "2^{log} bytes");
        }
    }
}
