//! Frames of a camera: planes of gray, out of the bytes of a file or a pipe.

mod image;
mod y4m;

use std::fmt;

/// The longest side of a frame in pixels.
pub const MAX_SIDE: u32 = 8_192;
/// The most pixels of a frame.
pub const MAX_PIXELS: u64 = 1 << 25;

/// A plane of gray.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The pixels row by row, 0 black to 65,535 white.
    pub pixels: Vec<u16>,
}

impl Frame {
    /// The mean of blocks of so many pixels each way; what is left over at the right and at the bottom is cut off.
    #[must_use]
    pub fn reduced(self, factor: u32) -> Self {
        let (width, height) = (self.width / factor.max(1), self.height / factor.max(1));
        if factor <= 1 || width == 0 || height == 0 {
            return self;
        }
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        let (step, stride) = (factor as usize, self.width as usize);
        let mut sums = vec![0_u32; width as usize];
        for rows in self.pixels.chunks(stride * step).take(height as usize) {
            sums.fill(0);
            for row in rows.chunks(stride) {
                for (sum, block) in sums.iter_mut().zip(row.chunks_exact(step)) {
                    *sum += block.iter().map(|pixel| u32::from(*pixel)).sum::<u32>();
                }
            }
            pixels.extend(sums.iter().map(|sum| (sum / (factor * factor)) as u16));
        }
        Self {
            width,
            height,
            pixels,
        }
    }
}

/// How bytes become frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YUV4MPEG2.
    Y4m,
    /// Bytes of gray without a header, row by row: 0 is black, 255 white.
    Gray {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// Each piece of bytes is a file of its own: PNG, or PGM (P5).
    Images,
}

/// Why bytes are no frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameError {
    /// The number of the frame, from 0.
    pub frame: u64,
    /// What is expected.
    pub expected: String,
    /// What is there.
    pub got: String,
}

impl FrameError {
    fn new(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self {
            frame: 0,
            expected: expected.into(),
            got: got.into(),
        }
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "frame {}: expected {}, got {}",
            self.frame, self.expected, self.got
        )
    }
}

impl std::error::Error for FrameError {}

/// Reads frames from bytes as they come. After an error, nothing more is read.
#[derive(Clone, Debug)]
pub struct FrameReader {
    format: Format,
    header: Option<y4m::Header>,
    /// What is not read yet, from `start` on.
    bytes: Vec<u8>,
    start: usize,
    count: u64,
    size: Option<(u32, u32)>,
    error: Option<FrameError>,
}

impl FrameReader {
    /// A reader.
    ///
    /// # Errors
    /// [`FrameError`] for sides of 0 or past [`MAX_SIDE`], and for more than [`MAX_PIXELS`].
    pub fn new(format: Format) -> Result<Self, FrameError> {
        if let Format::Gray { width, height } = format {
            check_size(width, height)?;
        }
        Ok(Self {
            format,
            header: None,
            bytes: Vec::new(),
            start: 0,
            count: 0,
            size: None,
            error: None,
        })
    }

    /// The number of frames so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The time between frames in ns, of a file that says it.
    pub fn interval_ns(&self) -> Option<u64> {
        self.header.as_ref()?.interval_ns
    }

    /// Takes bytes, and gives each frame that is complete with them to `take`.
    ///
    /// # Errors
    /// [`FrameError`] for bytes that are no frame, and for a frame of another size than the first; the frames before it were given.
    pub fn push(&mut self, bytes: &[u8], mut take: impl FnMut(Frame)) -> Result<(), FrameError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if self.format == Format::Images {
            return image::read(bytes)
                .and_then(|frame| self.accept(frame, &mut take))
                .map_err(|error| self.failed(error));
        }
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
        loop {
            match self.next() {
                Ok(Some(frame)) => self
                    .accept(frame, &mut take)
                    .map_err(|error| self.failed(error))?,
                Ok(None) => return Ok(()),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// Ends the input.
    ///
    /// # Errors
    /// [`FrameError`] for an input that ends within a frame or before its first.
    pub fn finish(&mut self) -> Result<(), FrameError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let left = self.bytes.len() - self.start;
        if left > 0 {
            return Err(self.failed(FrameError::new(
                "a whole frame",
                format!("its first {left} bytes"),
            )));
        }
        if self.count == 0 {
            return Err(self.failed(FrameError::new("a frame", "nothing")));
        }
        Ok(())
    }

    fn failed(&mut self, error: FrameError) -> FrameError {
        let error = FrameError {
            frame: self.count,
            ..error
        };
        self.error = Some(error.clone());
        error
    }

    fn accept(&mut self, frame: Frame, take: &mut impl FnMut(Frame)) -> Result<(), FrameError> {
        let size = (frame.width, frame.height);
        let (width, height) = *self.size.get_or_insert(size);
        if size != (width, height) {
            return Err(FrameError::new(
                format!("{width} x {height} pixels"),
                format!("{} x {}", frame.width, frame.height),
            ));
        }
        self.count += 1;
        take(frame);
        Ok(())
    }

    /// The next frame of a stream, if it is complete.
    fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let rest = &self.bytes[self.start..];
        let (frame, taken) = match self.format {
            Format::Gray { width, height } => {
                let length = width as usize * height as usize;
                let Some(plane) = rest.get(..length) else {
                    return Ok(None);
                };
                let pixels = plane.iter().map(|byte| u16::from(*byte) * 257).collect();
                (
                    Frame {
                        width,
                        height,
                        pixels,
                    },
                    length,
                )
            }
            _ => {
                let header = match &self.header {
                    Some(header) => header,
                    None => match y4m::header(rest)? {
                        Some((header, taken)) => {
                            self.start += taken;
                            self.header.insert(header)
                        }
                        None => return Ok(None),
                    },
                };
                match header.frame(&self.bytes[self.start..])? {
                    Some(read) => read,
                    None => return Ok(None),
                }
            }
        };
        self.start += taken;
        Ok(Some(frame))
    }
}

/// Checks the sides of a frame.
fn check_size(width: u32, height: u32) -> Result<(), FrameError> {
    let fits = |side| (1..=MAX_SIDE).contains(&side);
    if fits(width) && fits(height) && u64::from(width) * u64::from(height) <= MAX_PIXELS {
        return Ok(());
    }
    let expected = format!("sides of 1 to {MAX_SIDE} and at most {MAX_PIXELS} pixels");
    Err(FrameError::new(expected, format!("{width} x {height}")))
}

pub use y4m::write_header as write_y4m_header;

/// The line that begins a frame of a YUV4MPEG2 file.
pub const Y4M_FRAME: &[u8] = b"FRAME\n";
