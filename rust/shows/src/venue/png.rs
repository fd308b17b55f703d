//! Pixels as a PNG.

use std::fmt;

/// Why pixels are no PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PngError(String);

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PNG: {}", self.0)
    }
}

impl std::error::Error for PngError {}

/// Encodes the pixels of a [`Canvas`](super::Canvas) as a PNG of red, green and blue by the curve of sRGB.
///
/// # Errors
/// [`PngError`] for a side of 0, and for another number of bytes than four per pixel.
pub fn png(width: u32, height: u32, rgba: &[u8]) -> Result<Vec<u8>, PngError> {
    let (pixels, rest) = rgba.as_chunks::<4>();
    let expected = u64::from(width) * u64::from(height);
    if expected == 0 || pixels.len() as u64 != expected || !rest.is_empty() {
        let got = rgba.len();
        return Err(PngError(format!(
            "expected 4 bytes for each of {width} x {height} pixels, got {got}"
        )));
    }
    let rgb: Vec<u8> = pixels
        .iter()
        .flat_map(|[red, green, blue, _]| [*red, *green, *blue])
        .collect();
    let mut file = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut file, width, height);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_srgb(::png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(::png::Compression::Fast);
    // Of the filters that cost little, the one with the smallest files: a sixth less than to the left.
    encoder.set_filter(::png::FilterType::Up);
    let failed = |error: ::png::EncodingError| PngError(error.to_string());
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}
