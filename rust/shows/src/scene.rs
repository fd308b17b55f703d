//! Scenes and cues.

mod built_in;

use crate::Fault;
use crate::Moment;
use crate::layer::Layer;

/// The longest fade and wait, in beats or seconds.
const LONGEST: f64 = 100_000.0;

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span(Length);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Length {
    Beats(f64),
    Seconds(f64),
}

impl Span {
    /// No time.
    pub const NONE: Self = Self(Length::Seconds(0.0));

    /// Beats, 0 to 100,000.
    ///
    /// # Errors
    /// [`Fault`] for another number.
    pub fn beats(beats: f64) -> Result<Self, Fault> {
        check("beats", beats).map(|beats| Self(Length::Beats(beats)))
    }

    /// Seconds, 0 to 100,000.
    ///
    /// # Errors
    /// [`Fault`] for another number.
    pub fn seconds(seconds: f64) -> Result<Self, Fault> {
        check("seconds", seconds).map(|seconds| Self(Length::Seconds(seconds)))
    }

    /// The name of its unit, and its length.
    pub(crate) fn parts(self) -> (&'static str, f64) {
        match self.0 {
            Length::Beats(beats) => ("beats", beats),
            Length::Seconds(seconds) => ("seconds", seconds),
        }
    }

    /// The share that it is of beats and seconds that pass together; infinite where none of its unit pass.
    pub(crate) fn share_of(self, [beats, seconds]: [f64; 2]) -> f64 {
        match self.0 {
            Length::Beats(length) => length / beats,
            Length::Seconds(length) => length / seconds,
        }
    }

    /// The share of it that has passed between two moments, 0 to 1.
    pub(crate) fn passed(self, since: Moment, now: Moment) -> f32 {
        let (passed, length) = match self.0 {
            Length::Beats(length) => (now.beats() - since.beats(), length),
            Length::Seconds(length) => (now.seconds() - since.seconds(), length),
        };
        if passed >= length {
            1.0
        } else {
            (passed.max(0.0) / length) as f32
        }
    }

    /// The moment at which it ends on the way from one moment to another, if it does. In its own unit that is exact; the other one
    /// is interpolated.
    pub(crate) fn end(self, since: Moment, from: Moment, to: Moment) -> Option<Moment> {
        let share = |end: f64, from: f64, to: f64| {
            let is_there = to >= end;
            is_there.then(|| {
                if to > from {
                    ((end - from) / (to - from)).clamp(0.0, 1.0)
                } else {
                    1.0
                }
            })
        };
        match self.0 {
            Length::Beats(length) => {
                let end = since.beats() + length;
                let way = from.towards(to, share(end, from.beats(), to.beats())?);
                Some(way.at_beats(end))
            }
            Length::Seconds(length) => {
                let end = since.seconds() + length;
                let way = from.towards(to, share(end, from.seconds(), to.seconds())?);
                Some(way.at_seconds(end))
            }
        }
    }
}

fn check(name: &str, value: f64) -> Result<f64, Fault> {
    if (0.0..=LONGEST).contains(&value) {
        Ok(value)
    } else {
        Err(Fault::number(name, 0, LONGEST, value))
    }
}

/// What a rig shows: layers from bottom to top. Heads that no layer moves stand in the middle of their ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The name, unique in the show.
    pub name: String,
    /// Words by which people find it: favourites, genres.
    pub tags: Vec<String>,
    /// The layers, the topmost last.
    pub layers: Vec<Layer>,
    master: f32,
}

impl Scene {
    /// A scene of layers at full level.
    pub fn new(name: &str, layers: Vec<Layer>) -> Self {
        Self {
            name: name.to_owned(),
            tags: Vec::new(),
            layers,
            master: 1.0,
        }
    }

    /// What its light is multiplied with, 0 to 1.
    pub fn master(&self) -> f32 {
        self.master
    }

    /// Sets the master.
    ///
    /// # Errors
    /// [`Fault`] for one outside of 0 to 1, NaN too.
    pub fn set_master(&mut self, master: f32) -> Result<(), Fault> {
        if !(0.0..=1.0).contains(&master) {
            return Err(Fault::number("master", 0, 1, master));
        }
        self.master = master;
        Ok(())
    }

    /// The scenes that are built in. They fit every rig.
    pub fn built_in() -> Vec<Self> {
        built_in::scenes()
    }
}

/// A step of a cue list.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    /// The name for people, empty if it has none.
    pub name: String,
    /// The scene by its place in the show.
    pub scene: usize,
    /// How long the scene takes to come.
    pub fade_in: Span,
    /// How long what was there takes to go.
    pub fade_out: Span,
    /// How long after its start the next cue follows by itself.
    pub follow: Option<Span>,
}
