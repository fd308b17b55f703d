//! How a layer's colours come over those below it.

use crate::effect::Rgb;
use crate::names::named;
use crate::number::{LANES, Lanes, most, unit};

named! {
    /// How the levels of a layer, the top, and those below it, the base, become one; all are 0 to 1.
    pub enum Blend {
        /// The top covers the base.
        Normal => "normal",
        /// The sum, at most 1.
        Additive => "additive",
        /// The product.
        Multiply => "multiply",
        /// The product of what is missing to 1 is missing to 1.
        Screen => "screen",
        /// Multiply where the base is dark, screen where it is bright.
        Overlay => "overlay",
    }
}

impl Blend {
    /// One level over another at an opacity, 0 to 1 each. At 0 the base stays as it is.
    pub fn level(self, base: f32, top: f32, opacity: f32) -> f32 {
        match self {
            Self::Normal => normal(base, top, opacity),
            Self::Additive => additive(base, top, opacity),
            Self::Multiply => multiply(base, top, opacity),
            Self::Screen => normal(base, screen(base, top), opacity),
            Self::Overlay => normal(base, overlay(base, top), opacity),
        }
    }

    /// The colours of a block over those below, with an opacity per element.
    pub(crate) fn apply(self, base: &mut Rgb, top: &Rgb, opacity: &Lanes) {
        let tops = [&top.red, &top.green, &top.blue];
        for (base, top) in base.planes().into_iter().zip(tops) {
            match self {
                Self::Normal => over(base, top, opacity, normal),
                Self::Additive => over(base, top, opacity, additive),
                Self::Multiply => over(base, top, opacity, multiply),
                Self::Screen => over(base, top, opacity, |base, top, o| {
                    normal(base, screen(base, top), o)
                }),
                Self::Overlay => over(base, top, opacity, |base, top, o| {
                    normal(base, overlay(base, top), o)
                }),
            }
        }
    }
}

#[inline(always)]
fn over(base: &mut Lanes, top: &Lanes, opacity: &Lanes, blend: impl Fn(f32, f32, f32) -> f32) {
    for index in 0..LANES {
        base[index] = blend(base[index], top[index], opacity[index]);
    }
}

#[inline(always)]
fn normal(base: f32, top: f32, opacity: f32) -> f32 {
    unit(base + (top - base) * opacity)
}

#[inline(always)]
fn additive(base: f32, top: f32, opacity: f32) -> f32 {
    unit(base + top * opacity)
}

#[inline(always)]
fn multiply(base: f32, top: f32, opacity: f32) -> f32 {
    unit(base * (1.0 - opacity + opacity * top))
}

#[inline(always)]
fn screen(base: f32, top: f32) -> f32 {
    1.0 - (1.0 - base) * (1.0 - top)
}

#[inline(always)]
fn overlay(base: f32, top: f32) -> f32 {
    let dark = 2.0 * base * top;
    let bright = 1.0 - 2.0 * (1.0 - base) * (1.0 - top);
    if base < 0.5 { dark } else { bright }
}

/// Colour and intensity apart, for scenes with layers that touch only one of them: light is their product. The colour of what is
/// dark is kept, white at first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(crate) color: Rgb,
    pub(crate) intensity: Lanes,
}

impl Split {
    pub(crate) const DARK: Self = Self {
        color: Rgb {
            red: [1.0; _],
            green: [1.0; _],
            blue: [1.0; _],
        },
        intensity: [0.0; _],
    };

    /// A layer of both: its light over the light below.
    pub(crate) fn light(&mut self, blend: Blend, top: &Rgb, opacity: &Lanes) {
        let mut light = self.product();
        blend.apply(&mut light, top, opacity);
        for (index, intensity) in self.intensity.iter_mut().enumerate() {
            let [red, green, blue] = [light.red[index], light.green[index], light.blue[index]];
            *intensity = most(red, most(green, blue));
            let scale = if *intensity > 0.0 { 1.0 / *intensity } else { 0.0 };
            for (to, from) in self.color.planes().into_iter().zip([red, green, blue]) {
                to[index] = if *intensity > 0.0 {
                    unit(from * scale)
                } else {
                    to[index]
                };
            }
        }
    }

    /// A layer of colour alone: the intensity stays.
    pub(crate) fn tint(&mut self, blend: Blend, top: &Rgb, opacity: &Lanes) {
        blend.apply(&mut self.color, top, opacity);
    }

    /// A layer of intensity alone: the highest takes precedence, and the colour stays.
    pub(crate) fn lift(&mut self, top: &Rgb, opacity: &Lanes) {
        for (index, intensity) in self.intensity.iter_mut().enumerate() {
            let level = most(top.red[index], most(top.green[index], top.blue[index]));
            *intensity = unit(most(*intensity, level * opacity[index]));
        }
    }

    pub(crate) fn product(&self) -> Rgb {
        let mut light = self.color;
        light.multiply(&self.intensity);
        light
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    #[test]
    fn blends_are_those_of_the_table() {
        // By hand, for a base of 0.25 and 0.75 under a top of 0.5, at full and at half opacity.
        let expected = [
            (Blend::Normal, [0.5, 0.375, 0.5, 0.625]),
            (Blend::Additive, [0.75, 0.5, 1.0, 1.0]),
            (Blend::Multiply, [0.125, 0.1875, 0.375, 0.5625]),
            (Blend::Screen, [0.625, 0.4375, 0.875, 0.8125]),
            (Blend::Overlay, [0.25, 0.25, 0.75, 0.75]),
        ];
        for (blend, levels) in expected {
            let got = [(0.25, 1.0), (0.25, 0.5), (0.75, 1.0), (0.75, 0.5)]
                .map(|(base, opacity)| blend.level(base, 0.5, opacity));
            assert_eq!(got, levels, "{blend:?}");
        }
        assert_eq!(Blend::Overlay.level(0.25, 1.0, 1.0), 0.5);
        assert_eq!(Blend::Overlay.level(0.75, 0.0, 1.0), 0.5);
    }

    #[test]
    fn no_opacity_leaves_the_base_and_all_results_are_levels() {
        for &blend in Blend::ALL {
            for base in LEVELS {
                for top in LEVELS {
                    assert_eq!(blend.level(base, top, 0.0), base, "{blend:?}");
                    for opacity in LEVELS {
                        assert!((0.0..=1.0).contains(&blend.level(base, top, opacity)));
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_are_blended_as_levels() {
        let plane = |factor: usize| std::array::from_fn(|index| (index * factor % 101) as f32 / 100.0);
        let rgb = |factor: usize| Rgb {
            red: plane(factor),
            green: plane(factor + 10),
            blue: plane(factor + 20),
        };
        let (base, top, opacity) = (rgb(7), rgb(13), plane(3));
        for &blend in Blend::ALL {
            let mut result = base;
            blend.apply(&mut result, &top, &opacity);
            let levels = base.green.iter().zip(&top.green).zip(&opacity);
            for (((base, top), opacity), result) in levels.zip(&result.green) {
                let expected = blend.level(*base, *top, *opacity);
                assert_eq!(result.to_bits(), expected.to_bits());
            }
        }
    }

    #[test]
    fn intensity_takes_the_highest_and_keeps_the_colour_of_what_is_dark() {
        let level = |value: f32| Rgb {
            red: [value; _],
            green: [0.0; _],
            blue: [0.0; _],
        };
        let full = [1.0; LANES];
        let mut split = Split::DARK;
        split.tint(Blend::Normal, &level(1.0), &full);
        assert_eq!(split.product().red[0], 0.0);
        split.lift(&level(0.5), &full);
        split.lift(&level(0.25), &full);
        let light = split.product();
        assert_eq!([light.red[5], light.green[5]], [0.5, 0.0]);
        split.light(
            Blend::Normal,
            &Rgb {
                red: [0.0; _],
                green: [0.0; _],
                blue: [0.25; _],
            },
            &full,
        );
        let light = split.product();
        assert_eq!(
            [light.red[5], light.blue[5], split.intensity[5]],
            [0.0, 0.25, 0.25]
        );
    }
}
