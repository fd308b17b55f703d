//! Colours: the light of an element, and the curve between levels of light and the codes of pixels.

use super::picture::Lamp;
use crate::Look;

/// What amber adds of red, green and blue: light of 590 nm, brought into the primaries of sRGB.
const AMBER: [f32; 3] = [1.0, 0.36, 0.0];
/// What ultraviolet adds: the violet that is seen of a lamp of 400 nm.
const ULTRAVIOLET: [f32; 3] = [0.2, 0.0, 0.6];

/// The light of an element as linear red, green and blue, each 0 to 1. Values out of range are clamped, and those that are no
/// numbers or not in the look are 0.
pub(super) fn light(look: &Look, element: usize) -> [f32; 3] {
    let level = |plane: &[f32]| plane.get(element).map_or(0.0, |level| clamped(*level));
    let (amber, ultraviolet) = (level(&look.amber), level(&look.ultraviolet));
    let planes = [&look.red, &look.green, &look.blue];
    std::array::from_fn(|channel| {
        let more = amber * AMBER[channel] + ultraviolet * ULTRAVIOLET[channel];
        (level(planes[channel]) + more).min(1.0)
    })
}

impl Lamp {
    /// The light that is drawn, each channel 0 to 1.
    pub(super) fn drawn(&self) -> [f32; 3] {
        self.light.map(|level| clamped(level) * clamped(self.share))
    }
}

/// A level within 0 to 1; 0 for one that is no number.
pub(super) fn clamped(level: f32) -> f32 {
    if level.is_nan() {
        0.0
    } else {
        level.clamp(0.0, 1.0)
    }
}

/// The code of a level of light, 0 to 255, by the curve of sRGB (IEC 61966-2-1).
pub(super) fn code(level: f32) -> u8 {
    let level = f64::from(clamped(level));
    let encoded = if level <= 0.003_130_8 {
        12.92 * level
    } else {
        1.055 * libm::pow(level, 1.0 / 2.4) - 0.055
    };
    (encoded * 255.0 + 0.5) as u8
}

/// The codes of a light.
pub(super) fn codes(light: [f32; 3]) -> [u8; 3] {
    light.map(code)
}

/// The level of light of a code, 0 to 1: the inverse of [`code`].
pub(super) fn level(code: u8) -> f32 {
    let encoded = f64::from(code) / 255.0;
    let level = if encoded <= 0.040_45 {
        encoded / 12.92
    } else {
        libm::pow((encoded + 0.055) / 1.055, 2.4)
    };
    level as f32
}

#[cfg(test)]
mod tests {
    use super::{code, level, light};
    use crate::Look;

    #[test]
    fn codes_are_those_of_srgb() {
        // The values of IEC 61966-2-1: a tenth, 18 % grey, a half.
        assert_eq!([0.0, 0.1, 0.18, 0.5, 1.0].map(code), [0, 89, 118, 188, 255]);
        for value in 0..=255 {
            assert_eq!(code(level(value)), value);
        }
    }

    #[test]
    fn levels_out_of_range_are_clamped() {
        assert_eq!(
            [-1.0, 7.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(code),
            [0, 255, 0, 255, 0]
        );
    }

    #[test]
    fn amber_is_between_red_and_yellow_and_ultraviolet_is_violet() {
        let mut look = Look::dark(2, 2);
        look.amber[0] = 1.0;
        look.ultraviolet[1] = 1.0;
        let [red, green, blue] = light(&look, 0);
        assert!(red == 1.0 && (0.2..0.6).contains(&green) && blue == 0.0);
        let [red, green, blue] = light(&look, 1);
        assert!(blue > red && red > green);
        assert_eq!(light(&look, 2), [0.0; 3]);
    }
}
