//! The effects, and the parameters of each.

use super::rate::Rate;
use crate::layer::Attribute::{self, Amber, Color, Gobo, Intensity, Position, Ultraviolet};
use crate::names::named;

/// The most parameters of an effect.
pub(crate) const MAX_PARAMETERS: usize = 6;

/// A number that an effect is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name in files.
    pub name: &'static str,
    /// The lowest value.
    pub low: f32,
    /// The highest value.
    pub high: f32,
    /// The value of an effect that was given none.
    pub default: f32,
    /// Whether a modulator may move it: the effect is continuous in it.
    pub is_modulated: bool,
}

const fn parameter(name: &'static str, low: f32, high: f32, default: f32) -> Parameter {
    Parameter {
        name,
        low,
        high,
        default,
        is_modulated: true,
    }
}

const fn fixed(name: &'static str, low: f32, high: f32, default: f32) -> Parameter {
    Parameter {
        is_modulated: false,
        ..parameter(name, low, high, default)
    }
}

/// The first parameter of each effect of colour: what its light is multiplied with.
const LEVEL: Parameter = parameter("level", 0.0, 1.0, 1.0);
/// The repetitions along the direction.
const REPEAT: Parameter = parameter("repeat", 0.1, 16.0, 1.0);
/// The middle of a movement in degrees, within a head of one and a half turns of pan and three quarters of tilt.
const PAN: Parameter = parameter("pan", -270.0, 270.0, 0.0);
const TILT: Parameter = parameter("tilt", -135.0, 135.0, 45.0);

named! {
    /// What an effect does. The first nine are of colour, the others of movement.
    pub enum EffectKind {
        /// One colour.
        Solid => "solid",
        /// The colours of the palette, moving along.
        Gradient => "gradient",
        /// The colours of the rainbow, moving along.
        Rainbow => "rainbow",
        /// Flashes.
        Strobe => "strobe",
        /// A spot that runs along.
        Chase => "chase",
        /// A sine that runs along.
        Wave => "wave",
        /// A ring that grows from a point.
        Pulse => "pulse",
        /// Clouds of the palette's colours that change into each other.
        Noise => "noise",
        /// Particles that fly from a point.
        Burst => "burst",
        /// Heads in a circle.
        Circle => "circle",
        /// Heads in a figure of eight; without a size of tilt they sweep.
        Figure => "figure",
        /// Heads to random places.
        Random => "random",
        /// Heads to a point of the venue.
        Follow => "follow",
        /// The wheel of gobos, one turn a cycle.
        GoboRotate => "gobo-rotate",
        /// Another gobo in each cycle.
        GoboBeat => "gobo-beat",
    }
}

impl EffectKind {
    /// The parameters, in the order of their values.
    pub fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Solid => {
                const {
                    &[
                        LEVEL,
                        parameter("amber", 0.0, 1.0, 0.0),
                        parameter("ultraviolet", 0.0, 1.0, 0.0),
                    ]
                }
            }
            Self::Gradient => const { &[LEVEL, REPEAT] },
            Self::Rainbow => const { &[LEVEL, REPEAT, parameter("saturation", 0.0, 1.0, 1.0)] },
            // The shares of a cycle, and of the fixtures, that are lit.
            Self::Strobe => {
                const {
                    &[
                        LEVEL,
                        fixed("width", 0.01, 0.9, 0.1),
                        fixed("share", 0.0, 1.0, 1.0),
                    ]
                }
            }
            // The share of a repetition that is lit, and that of it in which the light comes and goes.
            Self::Chase => {
                const {
                    &[
                        LEVEL,
                        REPEAT,
                        parameter("width", 0.01, 1.0, 0.25),
                        parameter("softness", 0.0, 1.0, 0.5),
                    ]
                }
            }
            Self::Wave => const { &[LEVEL, REPEAT, parameter("depth", 0.0, 1.0, 1.0)] },
            // The width of the ring, its loss of light as it grows, and the place of its middle.
            Self::Pulse => {
                const {
                    &[
                        LEVEL,
                        parameter("width", 0.01, 1.0, 0.25),
                        parameter("fade", 0.0, 1.0, 0.5),
                        parameter("x", 0.0, 1.0, 0.5),
                        parameter("y", 0.0, 1.0, 0.5),
                        parameter("z", 0.0, 1.0, 0.5),
                    ]
                }
            }
            // Clouds along an axis of the rig, and how much they differ from the middle of the palette.
            Self::Noise => {
                const {
                    &[
                        LEVEL,
                        parameter("scale", 0.1, 16.0, 3.0),
                        parameter("contrast", 0.0, 8.0, 1.5),
                    ]
                }
            }
            // Lengths are shares of the rig's extent.
            Self::Burst => {
                const {
                    &[
                        LEVEL,
                        parameter("count", 1.0, 32.0, 12.0),
                        parameter("size", 0.01, 1.0, 0.2),
                        parameter("speed", 0.0, 2.0, 0.6),
                        parameter("gravity", 0.0, 2.0, 0.3),
                    ]
                }
            }
            // Degrees, and the share of a cycle by which the fixtures are apart from the first to the last.
            Self::Circle | Self::Figure => {
                const {
                    &[
                        PAN,
                        TILT,
                        parameter("pan-size", 0.0, 270.0, 40.0),
                        parameter("tilt-size", 0.0, 135.0, 20.0),
                        parameter("spread", 0.0, 1.0, 1.0),
                    ]
                }
            }
            // Degrees, and the share of a cycle for which the heads move.
            Self::Random => {
                const {
                    &[
                        PAN,
                        TILT,
                        parameter("pan-size", 0.0, 270.0, 60.0),
                        parameter("tilt-size", 0.0, 135.0, 30.0),
                        parameter("glide", 0.05, 1.0, 0.5),
                    ]
                }
            }
            // Metres in the venue.
            Self::Follow => {
                const {
                    &[
                        parameter("x", -1000.0, 1000.0, 0.0),
                        parameter("y", -1000.0, 1000.0, 0.0),
                        parameter("z", -1000.0, 1000.0, 1.5),
                    ]
                }
            }
            // Places on the wheel.
            Self::GoboRotate | Self::GoboBeat => {
                const { &[fixed("first", 0.0, 255.0, 0.0), fixed("count", 1.0, 16.0, 6.0)] }
            }
        }
    }

    /// The place of a parameter.
    pub fn parameter(self, name: &str) -> Option<usize> {
        self.parameters().iter().position(|each| each.name == name)
    }

    /// The attributes that it can control; a layer of it that says nothing else touches [those](Self::usual_touches).
    pub fn attributes(self) -> &'static [Attribute] {
        match self {
            Self::Solid => &[Intensity, Color, Amber, Ultraviolet],
            Self::Circle | Self::Figure | Self::Random | Self::Follow => &[Position],
            Self::GoboRotate | Self::GoboBeat => &[Gobo],
            _ => &[Intensity, Color],
        }
    }

    /// The attributes of a layer that says nothing else: amber and ultraviolet must be asked for.
    pub fn usual_touches(self) -> &'static [Attribute] {
        match self {
            Self::Solid => &[Intensity, Color],
            _ => self.attributes(),
        }
    }

    /// The rate of an effect that was given none. That of the strobe does not depend on the tempo.
    pub(crate) fn usual_rate(self) -> Rate {
        match self {
            Self::Strobe => Rate::TWO_HERTZ,
            Self::Pulse | Self::Burst | Self::GoboBeat | Self::Solid | Self::Follow => Rate::beats(4),
            Self::Chase | Self::Wave | Self::Random => Rate::beats(8),
            Self::Gradient | Self::Rainbow | Self::Noise | Self::Circle | Self::Figure | Self::GoboRotate => {
                Rate::beats(16)
            }
        }
    }
}
