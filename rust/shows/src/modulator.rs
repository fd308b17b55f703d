//! Modulators: what sound, beats and hands add to the parameters of layers.

mod envelope;

pub(crate) use envelope::Envelope;

use crate::Fault;
use crate::Moment;
use crate::effect::{EffectKind, Rate};
use crate::names::named;
use crate::number::{hash, mix, share_of, sine, smooth};

/// The bands of sound.
pub const BANDS: usize = 8;
/// The most faders of a show.
pub const MAX_FADERS: usize = 64;
/// The longest attack and release in seconds.
const LONGEST: f32 = 60.0;

named! {
    /// The course of a low-frequency oscillator over its cycle, 0 to 1.
    pub enum Shape {
        /// A sine that begins in the middle and rises.
        Sine => "sine",
        /// Up, then down.
        Triangle => "triangle",
        /// Up, then at once to 0.
        Ramp => "ramp",
        /// 1, then 0.
        Square => "square",
        /// Smoothly to a random place in each cycle.
        Random => "random",
    }
}

/// What a modulator follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The onsets of the sound, by their strength.
    Onset,
    /// The level of the sound.
    Level,
    /// The level of a band, 0 to 7 from the lowest.
    Band(u8),
    /// A fader by its place in the show.
    Fader(u8),
    /// An oscillator on the beats.
    Oscillator {
        /// Its course.
        shape: Shape,
        /// The length of its cycle.
        rate: Rate,
        /// The share of a cycle by which it is ahead, 0 to 1.
        offset: f32,
    },
}

/// What a modulator moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The opacity of the layer.
    Opacity,
    /// A parameter of its effect by its place.
    Parameter(usize),
}

/// Adds a part of what it follows to a parameter of its layer; the sum stays within the parameter's range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modulator {
    source: Source,
    target: Target,
    amount: f32,
    attack: f32,
    release: f32,
}

impl Modulator {
    /// A modulator of a layer's `opacity` or of a parameter of its effect, which adds `amount` in the parameter's unit when what it
    /// follows is 1. It rises from 0 to 1 in `attack` seconds at least and falls in `release`; oscillators follow their course
    /// alone.
    ///
    /// # Errors
    /// [`Fault`] for a parameter that the effect does not have or that no modulator may move, an amount beyond the parameter's
    /// range, a time outside of 0 to 60 s, a band or a fader that does not exist, or an offset outside of 0 to 1.
    pub fn new(
        kind: EffectKind,
        target: &str,
        source: Source,
        amount: f32,
        [attack, release]: [f32; 2],
    ) -> Result<Self, Fault> {
        let moved = |(_, parameter): &(usize, &crate::effect::Parameter)| parameter.is_modulated;
        let parameters = || kind.parameters().iter().enumerate().filter(moved);
        let parameter = parameters().find(|(_, parameter)| parameter.name == target);
        let (target, range) = match (target, parameter) {
            ("opacity", _) => (Target::Opacity, 1.0),
            (_, Some((index, parameter))) => (Target::Parameter(index), parameter.high - parameter.low),
            (_, None) => {
                let names: Vec<_> = parameters().map(|(_, parameter)| parameter.name).collect();
                return Err(Fault {
                    path: "target".to_owned(),
                    expected: [&["opacity"], &names[..]].concat().join(", "),
                    got: format!("\"{}\"", target.escape_debug()),
                });
            }
        };
        let check = |name: &str, low: f32, high: f32, got: f32| {
            let is_within = (low..=high).contains(&got);
            is_within
                .then_some(())
                .ok_or_else(|| Fault::number(name, low, high, got))
        };
        check("amount", -range, range, amount)?;
        check("attack", 0.0, LONGEST, attack)?;
        check("release", 0.0, LONGEST, release)?;
        match source {
            Source::Band(band) => check("band", 0.0, BANDS as f32 - 1.0, f32::from(band))?,
            Source::Fader(fader) => check("fader", 0.0, MAX_FADERS as f32 - 1.0, f32::from(fader))?,
            Source::Oscillator { offset, .. } => check("offset", 0.0, 1.0, offset)?,
            Source::Onset | Source::Level => {}
        }
        Ok(Self {
            source,
            target,
            amount,
            attack,
            release,
        })
    }

    /// What it follows.
    pub fn source(&self) -> Source {
        self.source
    }

    /// What it moves.
    pub fn target(&self) -> Target {
        self.target
    }

    /// What it adds when its source is 1.
    pub fn amount(&self) -> f32 {
        self.amount
    }

    /// The seconds in which it rises from 0 to 1.
    pub fn attack(&self) -> f32 {
        self.attack
    }

    /// The seconds in which it falls from 1 to 0.
    pub fn release(&self) -> f32 {
        self.release
    }

    /// Its value at a moment, 0 to 1; `envelope` is that of a source that is no oscillator.
    pub(crate) fn value(&self, envelope: &Envelope, seed: u32, moment: Moment) -> f32 {
        match self.source {
            Source::Oscillator { shape, rate, offset } => oscillator(shape, rate, offset, seed, moment),
            _ => envelope.at(moment.seconds()),
        }
    }
}

fn oscillator(shape: Shape, rate: Rate, offset: f32, seed: u32, moment: Moment) -> f32 {
    let (cycle, passed) = rate.at(moment);
    let ahead = passed + offset;
    let (cycle, phase) = if ahead >= 1.0 {
        (cycle.wrapping_add(1), ahead - 1.0)
    } else {
        (cycle, ahead)
    };
    match shape {
        Shape::Sine => 0.5 + 0.5 * sine(phase),
        Shape::Triangle => 1.0 - (2.0 * phase - 1.0).abs(),
        Shape::Ramp => phase,
        Shape::Square => f32::from(phase < 0.5),
        Shape::Random => {
            let place = |cycle| share_of(hash(seed, u32::MAX, cycle));
            mix(
                place(cycle),
                place(cycle.wrapping_add(1)),
                smooth(phase.clamp(0.0, 1.0)),
            )
        }
    }
}
