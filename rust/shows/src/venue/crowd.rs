//! Lamps and beams of a drawing that are too many to be drawn one by one.

use super::canvas::Canvas;
use super::picture::{Lamp, Picture};
use super::png::png;

/// The most lamps, and the most beams, that are drawn one by one: each takes up to 450 and 900 bytes, gradients included.
pub(super) const MOST: usize = 4_096;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What of a picture is seen on black, as a PNG in base64; none of a picture without pixels.
pub(super) fn image(picture: &Picture) -> Option<String> {
    let pixels = Canvas::new().draw(picture).to_vec();
    let file = png(picture.width.into(), picture.height.into(), &pixels).ok()?;
    Some(base64(&file))
}

/// The rectangle around the discs of lamps: left, top, width, height.
pub(super) fn around(lamps: &[Lamp]) -> [f32; 4] {
    let mut corners = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for lamp in lamps {
        for axis in 0..2 {
            corners[axis] = corners[axis].min(lamp.at[axis] - lamp.radius);
            corners[axis + 2] = corners[axis + 2].max(lamp.at[axis] + lamp.radius);
        }
    }
    let [left, top, right, bottom] = corners;
    [left, top, (right - left).max(0.0), (bottom - top).max(0.0)]
}

/// Bytes as text (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) & 63;
            text.push(match place <= three.len() {
                true => char::from(BASE64[digit as usize]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648, section 10, and bytes with the last two digits.
    #[test]
    fn base64_is_that_of_the_standard() {
        let cases: [(&[u8], &str); 6] = [
            (b"", ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (&[0xfb, 0xff, 0xbf], "+/+/"),
        ];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes), text);
        }
    }
}
