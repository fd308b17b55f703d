//! Pictures as frames: PNG, and PGM of netpbm.

use super::{Frame, FrameError, check_size};
use std::io::Cursor;

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Frame, FrameError> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => png(bytes),
        [b'P', b'5', ..] => pgm(bytes),
        _ => Err(FrameError::new("a PNG or a PGM (P5)", "another file")),
    }
}

fn png(bytes: &[u8]) -> Result<Frame, FrameError> {
    let failed = |error: ::png::DecodingError| FrameError::new("a PNG", error.to_string());
    let mut decoder = ::png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(::png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    let (width, height) = (reader.info().width, reader.info().height);
    check_size(width, height)?;
    let mut buffer = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut buffer).map_err(failed)?;
    let wide = info.bit_depth == ::png::BitDepth::Sixteen;
    let samples: Vec<u16> = if wide {
        let (pairs, _) = buffer.as_chunks::<2>();
        pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
    } else {
        buffer.iter().map(|byte| u16::from(*byte) * 257).collect()
    };
    let luma = |red: u16, green: u16, blue: u16| {
        // The weights of BT.601 in 2^-16, as in a camera's Y.
        ((u32::from(red) * 19_595 + u32::from(green) * 38_470 + u32::from(blue) * 7_471) >> 16) as u16
    };
    let pixels = match info.color_type {
        ::png::ColorType::Grayscale => samples,
        ::png::ColorType::GrayscaleAlpha => samples.chunks_exact(2).map(|pixel| pixel[0]).collect(),
        kind => samples
            .chunks_exact(kind.samples())
            .filter_map(|pixel| Some(luma(*pixel.first()?, *pixel.get(1)?, *pixel.get(2)?)))
            .collect(),
    };
    whole(width, height, pixels)
}

fn pgm(bytes: &[u8]) -> Result<Frame, FrameError> {
    let mut place = 2;
    let mut number = || {
        loop {
            match bytes.get(place)? {
                b'#' => place += bytes[place..].iter().position(|byte| *byte == b'\n')?,
                byte if byte.is_ascii_whitespace() => place += 1,
                _ => break,
            }
        }
        let digits = bytes[place..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let text = std::str::from_utf8(&bytes[place..place + digits]).ok()?;
        place += digits;
        text.parse::<u32>().ok()
    };
    let header = (|| Some((number()?, number()?, number()?)))();
    let Some((width, height, most)) = header.filter(|(_, _, most)| (1..=65_535).contains(most)) else {
        return Err(FrameError::new(
            "a PGM's width, height and highest value",
            "other bytes",
        ));
    };
    check_size(width, height)?;
    let samples = bytes.get(place + 1..).unwrap_or_default();
    let level = |sample: u32| ((sample.min(most) * 65_535 + most / 2) / most) as u16;
    let pixels = if most < 256 {
        samples.iter().map(|byte| level((*byte).into())).collect()
    } else {
        let (pairs, _) = samples.as_chunks::<2>();
        pairs
            .iter()
            .map(|pair| level(u16::from_be_bytes(*pair).into()))
            .collect()
    };
    whole(width, height, pixels)
}

/// The frame, if there are enough pixels.
fn whole(width: u32, height: u32, mut pixels: Vec<u16>) -> Result<Frame, FrameError> {
    let expected = width as usize * height as usize;
    if pixels.len() < expected {
        return Err(FrameError::new(
            format!("{expected} pixels"),
            pixels.len().to_string(),
        ));
    }
    pixels.truncate(expected);
    Ok(Frame {
        width,
        height,
        pixels,
    })
}
