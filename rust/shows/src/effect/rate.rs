//! How often an effect repeats.

use crate::Fault;
use crate::Moment;
use crate::number::cycle;
use std::fmt;

/// The beats of a bar.
const BAR: u16 = 4;
/// The most beats of a cycle.
const MAX_BEATS: u16 = 128;
/// Cycles a second, the lowest and the highest.
const HERTZ: (f32, f32) = (0.001, 25.0);
/// The highest tempo in beats a second: 999 beats a minute, the session protocol's limit.
const FASTEST_TEMPO: f64 = 999.0 / 60.0;
/// The names of note lengths, with their sixteenths.
const NOTES: [(&str, u16); 8] = [
    ("1/16", 1),
    ("1/8", 2),
    ("1/4", 4),
    ("1/2", 8),
    ("1 bar", 4 * BAR),
    ("2 bars", 8 * BAR),
    ("4 bars", 16 * BAR),
    ("8 bars", 32 * BAR),
];

/// The length of an effect's cycle, in beats or in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate(Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Sixteenths(u16),
    Hertz(f32),
}

impl Rate {
    /// A note length: `1/16`, `1/8`, `1/4`, `1/2`, `1 bar`, `2 bars`, `4 bars` or `8 bars`; a bar has four beats.
    pub fn note(name: &str) -> Option<Self> {
        let (_, sixteenths) = NOTES.iter().find(|(note, _)| *note == name)?;
        Some(Self(Kind::Sixteenths(*sixteenths)))
    }

    /// A cycle every so many beats, 1 to 128.
    ///
    /// # Errors
    /// [`Fault`] for another number.
    pub fn every(beats: u16) -> Result<Self, Fault> {
        match beats {
            1..=MAX_BEATS => Ok(Self(Kind::Sixteenths(beats * 4))),
            _ => Err(Fault::number("rate", 1, MAX_BEATS, beats)),
        }
    }

    /// Cycles a second, 0.001 to 25, whatever the tempo is.
    ///
    /// # Errors
    /// [`Fault`] for another number.
    pub fn hertz(hertz: f32) -> Result<Self, Fault> {
        if hertz >= HERTZ.0 && hertz <= HERTZ.1 {
            Ok(Self(Kind::Hertz(hertz)))
        } else {
            Err(Fault::number("rate", HERTZ.0, HERTZ.1, hertz))
        }
    }

    /// A cycle of so many beats. `beats` is 1 to 128.
    pub(crate) const fn beats(beats: u16) -> Self {
        Self(Kind::Sixteenths(beats * 4))
    }

    /// Two cycles a second.
    pub(crate) const TWO_HERTZ: Self = Self(Kind::Hertz(2.0));

    /// The cycles a second at the highest tempo.
    pub(crate) fn fastest(self) -> f64 {
        match self.0 {
            Kind::Sixteenths(sixteenths) => FASTEST_TEMPO * 4.0 / f64::from(sixteenths),
            Kind::Hertz(hertz) => f64::from(hertz),
        }
    }

    /// The cycle at a moment, and the share of it that has passed.
    pub(crate) fn at(self, moment: Moment) -> (i64, f32) {
        cycle(match self.0 {
            Kind::Sixteenths(sixteenths) => moment.beats() * 4.0 / f64::from(sixteenths),
            Kind::Hertz(hertz) => moment.seconds() * f64::from(hertz),
        })
    }

    /// The name of its note length.
    pub fn name(self) -> Option<&'static str> {
        let note = NOTES
            .iter()
            .find(|(_, length)| self.0 == Kind::Sixteenths(*length))?;
        Some(note.0)
    }

    /// The beats of a cycle; none if it is of seconds.
    pub fn beats_each(self) -> Option<f64> {
        match self.0 {
            Kind::Sixteenths(sixteenths) => Some(f64::from(sixteenths) / 4.0),
            Kind::Hertz(_) => None,
        }
    }

    /// The cycles a second; none if its cycles are of beats.
    pub fn per_second(self) -> Option<f32> {
        match self.0 {
            Kind::Sixteenths(_) => None,
            Kind::Hertz(hertz) => Some(hertz),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.name()) {
            (_, Some(name)) => f.write_str(name),
            (Kind::Sixteenths(sixteenths), None) => write!(f, "{} beats", sixteenths / 4),
            (Kind::Hertz(hertz), None) => write!(f, "{hertz} Hz"),
        }
    }
}
