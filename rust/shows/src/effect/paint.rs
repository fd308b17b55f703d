//! The effects of colour.

use super::burst::Burst;
use super::noise::Noise;
use super::palette::{Palette, Rgb, fill};
use super::{Effect, EffectKind, Values};
use crate::Moment;
use crate::number::{LANES, Lanes, around, hash, least, mix, most, share_of, sine, smooth, unit};

/// The elements that are painted together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    /// Places within the rig, 0 to 1, an axis each.
    pub(crate) places: [&'a Lanes; 3],
    pub(crate) fixtures: &'a [u32; LANES],
    /// The way along the layer's direction, 0 to 1.
    pub(crate) along: &'a Lanes,
}

/// An effect at a moment: what all elements have in common is computed.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one per layer, and a frame needs no memory"
)]
pub(crate) enum Painter {
    Solid([f32; 3]),
    Gradient {
        palette: Palette,
        repeat: f32,
        phase: f32,
    },
    Rainbow {
        level: f32,
        repeat: f32,
        saturation: f32,
        phase: f32,
    },
    Strobe {
        color: [f32; 3],
        share: f32,
        seed: u32,
        cycle: i64,
    },
    Chase {
        palette: Palette,
        repeat: f32,
        phase: f32,
        end: f32,
        slope: f32,
    },
    Wave {
        palette: Palette,
        repeat: f32,
        phase: f32,
        depth: f32,
    },
    Pulse {
        palette: Palette,
        middle: [f32; 3],
        radius: f32,
        width: f32,
        scale: f32,
    },
    Noise {
        palette: Palette,
        noise: Noise,
    },
    Burst(Burst),
}

/// The part of a chase's spot in which it comes or goes at least, so that it moves within a pixel.
const LEAST_EDGE: f32 = 0.002;

impl Painter {
    /// The effect at a moment; none for one that is not of colour. `axes` are 1 for those along which the rig has an extent.
    pub(crate) fn new(effect: &Effect, values: &Values, axes: [f32; 3], moment: Moment) -> Option<Self> {
        let (cycle, phase) = effect.rate.at(moment);
        let [level, one, two, three, ..] = *values;
        let palette = effect.palette.at_level(level);
        Some(match effect.kind {
            EffectKind::Solid => Self::Solid(palette.of_cycle(0)),
            EffectKind::Gradient => Self::Gradient {
                palette,
                repeat: one,
                phase,
            },
            EffectKind::Rainbow => Self::Rainbow {
                level,
                repeat: one,
                saturation: two,
                phase,
            },
            EffectKind::Strobe => Self::Strobe {
                color: palette.of_cycle(cycle),
                share: if phase < one { two } else { 0.0 },
                seed: effect.seed,
                cycle,
            },
            EffectKind::Chase => {
                let edge = most(three * two / 2.0, LEAST_EDGE);
                Self::Chase {
                    palette,
                    repeat: one,
                    phase,
                    end: (two + edge) / 2.0,
                    slope: 1.0 / edge,
                }
            }
            EffectKind::Wave => Self::Wave {
                palette,
                repeat: one,
                phase,
                depth: two,
            },
            EffectKind::Pulse => pulse(effect, values, axes, phase),
            EffectKind::Noise => Self::Noise {
                palette,
                noise: Noise::new(effect.seed, one, two, (cycle, phase)),
            },
            EffectKind::Burst => Self::Burst(Burst::new(effect, values, axes, (cycle, phase))),
            _ => return None,
        })
    }

    /// Paints the elements of a block.
    pub(crate) fn paint(&self, block: &Block<'_>, to: &mut Rgb) {
        match self {
            Self::Solid(color) => fill(to, *color),
            Self::Gradient {
                palette,
                repeat,
                phase,
            } => {
                palette.paint_circle(&block.along.map(|along| along * repeat - phase), to);
            }
            Self::Rainbow {
                level,
                repeat,
                saturation,
                phase,
            } => {
                let hue = block.along.map(|along| along * repeat - phase);
                // A colour is full within a sixth of the circle about its hue, and none beyond two sixths.
                for (plane, at) in to.planes().into_iter().zip([0.0, 1.0 / 3.0, 2.0 / 3.0]) {
                    *plane = hue.map(|hue| {
                        let pure = unit(2.0 - 6.0 * around(hue - at));
                        level * (1.0 - saturation * (1.0 - pure))
                    });
                }
            }
            Self::Strobe {
                color,
                share,
                seed,
                cycle,
            } => {
                fill(to, *color);
                let lit = |fixture: u32| f32::from(share_of(hash(*seed, fixture, *cycle)) < *share);
                match *share {
                    0.0 => fill(to, [0.0; 3]),
                    1.0 => {}
                    _ => to.multiply(&block.fixtures.map(lit)),
                }
            }
            Self::Chase {
                palette,
                repeat,
                phase,
                end,
                slope,
            } => {
                palette.paint_line(block.along, to);
                to.multiply(&block.along.map(|along| {
                    let distance = around(along * repeat - phase);
                    smooth(unit((end - distance) * slope))
                }));
            }
            Self::Wave {
                palette,
                repeat,
                phase,
                depth,
            } => {
                palette.paint_line(block.along, to);
                to.multiply(&block.along.map(|along| {
                    let wave = 0.5 + 0.5 * sine(along * repeat - phase);
                    1.0 - depth * (1.0 - wave)
                }));
            }
            Self::Pulse {
                palette,
                middle,
                radius,
                width,
                scale,
            } => {
                let mut distances = [0.0; LANES];
                for (places, middle) in block.places.iter().zip(middle) {
                    for (sum, place) in distances.iter_mut().zip(*places) {
                        *sum += (place - middle) * (place - middle);
                    }
                }
                distances = distances.map(|square| square.sqrt() * scale);
                palette.paint_line(&distances, to);
                to.multiply(&distances.map(|distance| smooth(unit(1.0 - (distance - radius).abs() / width))));
            }
            Self::Noise { palette, noise } => palette.paint_line(&noise.at(&block.places), to),
            Self::Burst(burst) => burst.paint(&block.places, to),
        }
    }
}

/// A ring that comes out of its middle at the beginning of the cycle and has left the rig at its end.
fn pulse(effect: &Effect, values: &Values, axes: [f32; 3], phase: f32) -> Painter {
    let [level, width, fade, middle @ ..] = *values;
    let count = most(axes.iter().sum(), 1.0);
    // From the middle of the rig, its corner is at 1.
    let scale = 2.0 / count.sqrt();
    let farthest = |axis: usize| axes[axis] * most(middle[axis], 1.0 - middle[axis]);
    let reach = scale
        * (0..3)
            .map(|axis| farthest(axis) * farthest(axis))
            .sum::<f32>()
            .sqrt();
    Painter::Pulse {
        palette: effect.palette.at_level(level * (1.0 - fade * phase)),
        // Along an axis without extent everything is in the middle.
        middle: std::array::from_fn(|axis| mix(0.5, middle[axis], axes[axis])),
        radius: mix(-width, reach + width, phase),
        width,
        scale: least(scale, 2.0),
    }
}
