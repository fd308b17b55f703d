//! When a frame is.

use crate::json::Fault;

/// The highest absolute count of beats or seconds: three thousand years of 999 beats a minute have fewer.
const LARGEST: f64 = 1e12;

/// A time with its beats, as a clock integrates them over the tempo. Everything that moves is a function of these two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    beats: f64,
    seconds: f64,
}

impl Moment {
    /// The moment of a count of beats and of seconds since the start of the show.
    ///
    /// # Errors
    /// [`Fault`] for one that is not finite, or beyond 1e12.
    pub fn new(beats: f64, seconds: f64) -> Result<Self, Fault> {
        for (name, value) in [("beats", beats), ("seconds", seconds)] {
            // NaN is in no range.
            if !(-LARGEST..=LARGEST).contains(&value) {
                return Err(Fault::number(name, -LARGEST, LARGEST, value));
            }
        }
        Ok(Self { beats, seconds })
    }

    /// The beats.
    pub fn beats(self) -> f64 {
        self.beats
    }

    /// The seconds since the start of the show.
    pub fn seconds(self) -> f64 {
        self.seconds
    }

    /// The moment so much later.
    pub(crate) fn moved(self, beats: f64, seconds: f64) -> Self {
        Self {
            beats: self.beats + beats,
            seconds: self.seconds + seconds,
        }
    }

    /// The moment at a share of the way to another one.
    pub(crate) fn towards(self, to: Self, share: f64) -> Self {
        let way = |from: f64, to: f64| {
            if share >= 1.0 {
                to
            } else {
                from + (to - from) * share
            }
        };
        Self {
            beats: way(self.beats, to.beats),
            seconds: way(self.seconds, to.seconds),
        }
    }

    pub(crate) fn at_beats(self, beats: f64) -> Self {
        Self { beats, ..self }
    }

    pub(crate) fn at_seconds(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }
}
