//! A result as a picture: what the camera saw, with the fixtures' marks.

use crate::decode::Mapping;
use crate::frames::Frame;
use rustle_shows::venue::{PngError, png};

/// Colours of rings, of squares for those that are unsure, and of the crosses of mirror images.
const RING: [u8; 3] = [0, 230, 120];
const SQUARE: [u8; 3] = [255, 150, 0];
const CROSS: [u8; 3] = [110, 160, 255];
/// Half of a mark in pixels.
const HALF: i64 = 5;

/// The picture as a PNG: a ring at each fixture, a square where it is unsure, a cross at a mirror image.
///
/// # Errors
/// As [`png()`], for a picture without pixels.
pub fn overlay(mapping: &Mapping, background: Option<&Frame>) -> Result<Vec<u8>, PngError> {
    let (width, height) = (mapping.width as usize, mapping.height as usize);
    let mut rgba = vec![0; width * height * 4];
    for (place, pixel) in rgba.chunks_exact_mut(4).enumerate() {
        // Half as bright, so that marks are seen.
        let gray = background.map_or(0, |frame| {
            let step = (width / frame.width.max(1) as usize).max(1);
            let (row, column) = (place / width / step, place % width / step);
            let pixel = frame.pixels.get(row * frame.width as usize + column);
            pixel.map_or(0, |pixel| (pixel >> 9) as u8)
        });
        pixel.copy_from_slice(&[gray, gray, gray, u8::MAX]);
    }
    let mut dot = |x: i64, y: i64, color: [u8; 3]| {
        if (0..width as i64).contains(&x) && (0..height as i64).contains(&y) {
            let place = (y as usize * width + x as usize) * 4;
            rgba[place..place + 3].copy_from_slice(&color);
        }
    };
    for found in &mapping.fixtures {
        let Ok(place) = &found.place else { continue };
        let [x, y] = place.at.map(|at| at.round() as i64);
        for dy in -HALF..=HALF {
            for dx in -HALF..=HALF {
                let distance = ((dx * dx + dy * dy) as f64).sqrt();
                let edge = dx.abs().max(dy.abs()) == HALF;
                if found.is_sure() && (distance - HALF as f64).abs() < 0.6 {
                    dot(x + dx, y + dy, RING);
                } else if !found.is_sure() && edge {
                    dot(x + dx, y + dy, SQUARE);
                }
            }
        }
        if let Some(mirror) = place.mirror {
            let [x, y] = mirror.map(|at| at.round() as i64);
            for step in -HALF..=HALF {
                dot(x + step, y + step, CROSS);
                dot(x + step, y - step, CROSS);
            }
        }
    }
    png(mapping.width, mapping.height, &rgba)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{Found, Place};

    #[test]
    fn sure_and_unsure_fixtures_have_marks_of_different_shapes() {
        let mut mapping = Mapping::empty(3, (60, 40));
        for (id, confidence, at) in [(0, 0.99, [10.0, 20.0]), (1, 0.95, [40.2, 19.8])] {
            let place = Place {
                at,
                sigma: 0.0,
                brightness: 1.0,
                pixels: 1,
                mirror: (id == 0).then_some([25.0, 30.0]),
            };
            mapping.fixtures[id] = Found {
                id: id as u32,
                confidence,
                place: Ok(place),
            };
        }
        let background = Frame {
            width: 30,
            height: 20,
            pixels: vec![51_200; 600],
        };
        let file = overlay(&mapping, Some(&background)).expect("png");
        let mut reader = ::png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .expect("info");
        let mut pixels = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut pixels).expect("frame");
        let at = |x: usize, y: usize| &pixels[(y * 60 + x) * 3..][..3];
        assert_eq!(
            (at(15, 20), at(15, 15), at(10, 20)),
            (&RING[..], &[100; 3][..], &[100; 3][..])
        );
        assert_eq!(
            (at(45, 20), at(45, 15), at(40, 20)),
            (&SQUARE[..], &SQUARE[..], &[100; 3][..])
        );
        assert_eq!(at(28, 33), CROSS);
        assert!(overlay(&Mapping::empty(1, (0, 0)), None).is_err());
    }
}
