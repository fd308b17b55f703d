//! Effects: functions of a place, of integrated beats and of parameters. A change of the tempo changes how fast they go from there,
//! never what they show.

mod burst;
mod direction;
mod kind;
mod movement;
mod noise;
mod paint;
mod palette;
mod rate;

pub use direction::Direction;
pub use kind::{EffectKind, Parameter};
pub use palette::{MAX_COLORS, Palette};
pub use rate::Rate;

pub(crate) use kind::MAX_PARAMETERS;
pub(crate) use movement::{Motion, Mover};
pub(crate) use paint::{Block, Painter};
pub(crate) use palette::Rgb;

use crate::Fault;

/// Flashes a second that are a risk for photosensitive people when there are more: WCAG 2.2, success criterion 2.3.1.
const CALM_FLASHES: f64 = 3.0;

/// The values of an effect's parameters, in its order.
pub(crate) type Values = [f32; MAX_PARAMETERS];

/// An effect with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    kind: EffectKind,
    values: Values,
    rate: Rate,
    is_fast: bool,
    /// The way along which it moves.
    pub direction: Direction,
    /// Its colours.
    pub palette: Palette,
    /// What the random ones draw from, with the fixture and the cycle.
    pub seed: u32,
}

impl Effect {
    /// An effect with the usual parameters, in white.
    pub fn new(kind: EffectKind) -> Self {
        let mut values = [0.0; _];
        for (value, parameter) in values.iter_mut().zip(kind.parameters()) {
            *value = parameter.default;
        }
        Self {
            kind,
            values,
            rate: kind.usual_rate(),
            is_fast: false,
            direction: Direction::Right,
            palette: Palette::one([1.0; 3]),
            seed: 0,
        }
    }

    /// What it does.
    pub fn kind(&self) -> EffectKind {
        self.kind
    }

    /// The value of a parameter, none if the effect has no such parameter.
    pub fn value(&self, name: &str) -> Option<f32> {
        self.kind.parameter(name).map(|index| self.values[index])
    }

    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Fault`] for a parameter that the effect does not have, and for a value outside of its range, NaN too.
    pub fn set(&mut self, name: &str, value: f32) -> Result<(), Fault> {
        let parameters = self.kind.parameters();
        let Some(index) = self.kind.parameter(name) else {
            let names: Vec<_> = parameters.iter().map(|each| each.name).collect();
            return Err(Fault {
                path: "parameters".to_owned(),
                expected: names.join(", "),
                got: format!("\"{}\"", name.escape_debug()),
            });
        };
        let Parameter { low, high, .. } = parameters[index];
        if !(low..=high).contains(&value) {
            return Err(Fault::number(name, low, high, value));
        }
        self.values[index] = value;
        Ok(())
    }

    /// The effect with a parameter set, as by [`set`](Self::set).
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn with(mut self, name: &str, value: f32) -> Result<Self, Fault> {
        self.set(name, value)?;
        Ok(self)
    }

    /// The length of a cycle.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Whether a strobe may flash more than three times a second.
    pub fn is_fast(&self) -> bool {
        self.is_fast
    }

    /// Sets the rate. A strobe that is not fast flashes at most three times a second, at the highest tempo too: more is a risk for
    /// photosensitive people.
    ///
    /// # Errors
    /// [`Fault`] for a higher rate of a strobe without `is_fast`.
    pub fn set_rate(&mut self, rate: Rate, is_fast: bool) -> Result<(), Fault> {
        if self.kind == EffectKind::Strobe && !is_fast && rate.fastest() > CALM_FLASHES {
            return Err(Fault {
                path: "rate".to_owned(),
                expected: format!("at most {CALM_FLASHES} flashes a second at any tempo, or fast"),
                got: rate.to_string(),
            });
        }
        self.rate = rate;
        self.is_fast = is_fast;
        Ok(())
    }
}
