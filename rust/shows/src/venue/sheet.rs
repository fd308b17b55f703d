//! Frames of a show beside each other.

use super::plan::{MAX_SIDE, SizeError};
use super::png::{PngError, png};

/// The space between frames and around them in pixels.
const GAP: usize = 6;
/// The colour of that space.
const SPACE: [u8; 4] = [0, 0, 0, u8::MAX];

/// A sheet of frames of one size, from left to right and from top to bottom.
#[derive(Clone, Debug)]
pub struct ContactSheet {
    /// The sides of a frame, and of the sheet, in pixels.
    frame: [usize; 2],
    sides: [usize; 2],
    columns: usize,
    frames: usize,
    next: usize,
    rgba: Vec<u8>,
}

impl ContactSheet {
    /// An empty sheet for a number of frames, with at most that many columns.
    ///
    /// # Errors
    /// [`SizeError`] if it would have no pixels, or a side of more than [`MAX_SIDE`].
    pub fn new(width: u16, height: u16, frames: usize, columns: usize) -> Result<Self, SizeError> {
        let columns = columns.min(frames);
        let rows = frames
            .checked_div(columns)
            .map_or(0, |_| frames.div_ceil(columns));
        let side = |side: u16, count: usize| {
            (usize::from(side) + GAP)
                .saturating_mul(count)
                .saturating_add(GAP)
        };
        let frame = [width, height].map(usize::from);
        let sides = [side(width, columns), side(height, rows)];
        let has_pixels = rows > 0 && width > 0 && height > 0;
        if !has_pixels || sides.iter().any(|side| *side > usize::from(MAX_SIDE)) {
            let [width, height] = if has_pixels { sides } else { [0, 0] };
            return Err(SizeError { width, height });
        }
        Ok(Self {
            frame,
            sides,
            columns,
            frames,
            next: 0,
            rgba: SPACE.repeat(sides[0] * sides[1]),
        })
    }

    /// Puts the pixels of a [`Canvas`](super::Canvas) into the next place; false if the sheet is full, or they are not of its size.
    pub fn add(&mut self, rgba: &[u8]) -> bool {
        let [width, height] = self.frame;
        if self.next == self.frames || rgba.len() != width * height * 4 {
            return false;
        }
        let [column, row] = [self.next % self.columns, self.next / self.columns];
        let [left, top] = [GAP + column * (width + GAP), GAP + row * (height + GAP)];
        for (index, pixels) in rgba.chunks_exact(width * 4).enumerate() {
            let first = ((top + index) * self.sides[0] + left) * 4;
            self.rgba[first..][..pixels.len()].copy_from_slice(pixels);
        }
        self.next += 1;
        true
    }

    /// The width and height in pixels.
    pub fn sides(&self) -> [usize; 2] {
        self.sides
    }

    /// The pixels row by row, each red, green, blue and 255.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// The sheet as a PNG.
    ///
    /// # Errors
    /// [`PngError`] if it cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        let [width, height] = self.sides.map(|side| side as u32);
        png(width, height, &self.rgba)
    }
}
