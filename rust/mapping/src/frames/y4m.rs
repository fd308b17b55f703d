//! YUV4MPEG2, the format of mjpegtools' pipes, as FFmpeg and GStreamer write it: only the luma is used.

use super::{Frame, FrameError, check_size};

/// The longest line of a header in bytes.
const MAX_HEADER: usize = 1_024;
/// The longest line of a frame in bytes.
const MAX_LINE: usize = 256;
const MAGIC: &[u8] = b"YUV4MPEG2";

/// What a file's first line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    width: u32,
    height: u32,
    /// Bytes of the luma, and of all planes.
    luma: usize,
    planes: usize,
    /// Bits of a sample, 8 to 16.
    depth: u32,
    /// The samples of black and of white.
    black: u32,
    white: u32,
    pub(super) interval_ns: Option<u64>,
}

/// Reads a file's first line and its length, if it is complete.
pub(super) fn header(bytes: &[u8]) -> Result<Option<(Header, usize)>, FrameError> {
    let known = MAGIC.len().min(bytes.len());
    if bytes[..known] != MAGIC[..known] {
        return Err(FrameError::new(
            "a file that begins with YUV4MPEG2",
            "other bytes",
        ));
    }
    let Some(line) = line(bytes, MAX_HEADER)? else {
        return Ok(None);
    };
    let text = std::str::from_utf8(line).map_err(|_| FrameError::new("a header in ASCII", "other bytes"))?;
    Ok(Some((parsed(text)?, line.len() + 1)))
}

/// The bytes before the end of the first line.
fn line(bytes: &[u8], most: usize) -> Result<Option<&[u8]>, FrameError> {
    match bytes.iter().take(most).position(|byte| *byte == b'\n') {
        Some(end) => Ok(Some(&bytes[..end])),
        None if bytes.len() < most => Ok(None),
        None => Err(FrameError::new(format!("a line of at most {most} bytes"), "more")),
    }
}

fn parsed(text: &str) -> Result<Header, FrameError> {
    let (mut width, mut height, mut kind, mut full, mut interval_ns) = (0, 0, "420", None, None);
    let wrong = |name: &str, value: &str| {
        let value: String = value.escape_debug().take(40).collect();
        Err(FrameError::new(name, value))
    };
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    if words.next() != Some("YUV4MPEG2") {
        return wrong("a file that begins with YUV4MPEG2 and a space", text);
    }
    for word in words {
        let mut letters = word.chars();
        let first = letters.next();
        let value = letters.as_str();
        match first {
            Some('W') | Some('H') => {
                let Ok(side) = value.parse() else {
                    return wrong("a side in pixels", word);
                };
                *(if first == Some('W') {
                    &mut width
                } else {
                    &mut height
                }) = side;
            }
            Some('F') => {
                let rate = value
                    .split_once(':')
                    .and_then(|(over, under)| Some((over.parse::<u32>().ok()?, under.parse::<u32>().ok()?)));
                match rate {
                    Some((0, _)) | Some((_, 0)) => {}
                    Some((over, under)) => {
                        interval_ns = Some(u64::from(under) * 1_000_000_000 / u64::from(over))
                    }
                    None => return wrong("a rate such as F30:1", word),
                }
            }
            Some('I') if !matches!(value, "p" | "?" | "") => {
                return wrong("progressive frames (Ip)", word);
            }
            Some('C') => kind = value,
            Some('X') => match value {
                "COLORRANGE=FULL" => full = Some(true),
                "COLORRANGE=LIMITED" => full = Some(false),
                _ => {}
            },
            _ => {}
        }
    }
    check_size(width, height)?;
    let Some((layout, depth)) = layout(kind) else {
        return wrong("a colour space of 420, 422, 444, 440, 411 or mono", kind);
    };
    let bytes = if depth > 8 { 2 } else { 1 };
    let luma = width as usize * height as usize * bytes;
    let chroma =
        |across: u32, down: u32| 2 * width.div_ceil(across) as usize * height.div_ceil(down) as usize * bytes;
    let planes = luma
        + match layout {
            Layout::Mono => 0,
            Layout::Chroma(across, down) => chroma(across, down),
            Layout::Alpha => chroma(1, 1) + luma,
        };
    let (black, white) = if full.unwrap_or(matches!(layout, Layout::Mono)) {
        (0, (1 << depth) - 1)
    } else {
        (16 << (depth - 8), 235 << (depth - 8))
    };
    Ok(Header {
        width,
        height,
        luma,
        planes,
        depth,
        black,
        white,
        interval_ns,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Mono,
    /// The luma's pixels for one of the chroma, across and down.
    Chroma(u32, u32),
    Alpha,
}

/// The planes of a colour space, and the bits of a sample.
fn layout(kind: &str) -> Option<(Layout, u32)> {
    let depth = |text: &str| {
        let depth = text.parse().ok()?;
        (9..=16).contains(&depth).then_some(depth)
    };
    if let Some(rest) = kind.strip_prefix("mono") {
        return Some((Layout::Mono, if rest.is_empty() { 8 } else { depth(rest)? }));
    }
    if kind == "444alpha" {
        return Some((Layout::Alpha, 8));
    }
    let (layout, rest) = match (kind.get(..3)?, kind.get(3..)?) {
        ("420", "jpeg" | "mpeg2" | "paldv") => (Layout::Chroma(2, 2), ""),
        ("420", rest) => (Layout::Chroma(2, 2), rest),
        ("422", rest) => (Layout::Chroma(2, 1), rest),
        ("444", rest) => (Layout::Chroma(1, 1), rest),
        ("440", rest) => (Layout::Chroma(1, 2), rest),
        ("411", rest) => (Layout::Chroma(4, 1), rest),
        _ => return None,
    };
    let depth = if rest.is_empty() {
        8
    } else {
        depth(rest.strip_prefix('p')?)?
    };
    Some((layout, depth))
}

impl Header {
    /// Reads a frame and its length, if it is complete.
    pub(super) fn frame(&self, bytes: &[u8]) -> Result<Option<(Frame, usize)>, FrameError> {
        let known = bytes.len().min(5);
        if bytes[..known] != b"FRAME"[..known] {
            return Err(FrameError::new("a line that begins with FRAME", "other bytes"));
        }
        let Some(line) = line(bytes, MAX_LINE)? else {
            return Ok(None);
        };
        let start = line.len() + 1;
        let Some(planes) = bytes.get(start..start + self.planes) else {
            return Ok(None);
        };
        let luma = &planes[..self.luma];
        let pixels = if self.depth == 8 {
            let table: [u16; 256] = std::array::from_fn(|sample| self.level(sample as u32));
            luma.iter().map(|sample| table[usize::from(*sample)]).collect()
        } else {
            let (samples, _) = luma.as_chunks::<2>();
            samples
                .iter()
                .map(|sample| self.level(u16::from_le_bytes(*sample).into()))
                .collect()
        };
        let frame = Frame {
            width: self.width,
            height: self.height,
            pixels,
        };
        Ok(Some((frame, start + self.planes)))
    }

    /// A sample as 0 to 65,535.
    fn level(&self, sample: u32) -> u16 {
        let (sample, span) = (sample.clamp(self.black, self.white), self.white - self.black);
        ((u64::from(sample - self.black) * 65_535 + u64::from(span) / 2) / u64::from(span)) as u16
    }
}

/// The first line of a file of gray frames of 8 bits, 0 black and 255 white.
pub fn write_header(width: u32, height: u32, frames_a_second: u32) -> Vec<u8> {
    format!("YUV4MPEG2 W{width} H{height} F{frames_a_second}:1 Ip A1:1 Cmono XCOLORRANGE=FULL\n").into_bytes()
}
