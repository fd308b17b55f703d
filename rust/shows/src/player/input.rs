//! What a player is given, and what it says of itself.

use crate::Fault;
use crate::modulator::BANDS;
use crate::scene::Span;
use crate::show::Show;

/// An input of a player. Levels are 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// An onset of the sound, by its strength.
    Onset(f32),
    /// The level of the sound, from now on.
    Level(f32),
    /// The level of a band of the sound, from now on.
    Band {
        /// The band, 0 to 7 from the lowest.
        band: u8,
        /// Its level.
        level: f32,
    },
    /// A fader of the show.
    Fader {
        /// Its place in the show.
        fader: u8,
        /// Its level.
        level: f32,
    },
    /// What all light is multiplied with.
    Master(f32),
    /// Whether there is no light. Heads and cues go on, so that the light comes back where the beats are.
    Blackout(bool),
    /// No light, and the list of cues pauses.
    Panic,
    /// Whether fades and waits for the next cue stand still; effects go on.
    Pause(bool),
    /// To the next cue, the first one at the start.
    Go,
    /// To the cue before.
    Back,
    /// To a cue by its place.
    Cue(usize),
    /// To a scene by its place, without a cue: none follows.
    Scene {
        /// Its place in the show.
        scene: usize,
        /// How long it takes to come.
        fade: Span,
    },
}

/// What is on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Now {
    /// The cue by its place; none before the first, and after a scene by hand.
    pub cue: Option<usize>,
    /// The scene by its place.
    pub scene: Option<usize>,
    /// Whether what was there before is still seen.
    pub is_fading: bool,
    /// Whether fades and waits stand still.
    pub is_paused: bool,
    /// Whether the light is off.
    pub is_blackout: bool,
    /// What all light is multiplied with, 0 to 1.
    pub master: f32,
}

/// What a show has that inputs name by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputBounds {
    faders: usize,
    cues: usize,
    scenes: usize,
}

impl InputBounds {
    /// Those of a show.
    pub fn new(show: &Show) -> Self {
        Self {
            faders: show.faders.len(),
            cues: show.cues.len(),
            scenes: show.scenes.len(),
        }
    }

    /// Whether an input is of this show, and within its range.
    ///
    /// # Errors
    /// [`Fault`] as [`Player::input`](super::Player::input).
    pub fn check(self, input: Input) -> Result<(), Fault> {
        let place = |name: &str, place: usize, count: usize| {
            if place < count {
                return Ok(());
            }
            Err(Fault {
                path: name.to_owned(),
                expected: format!("one of {count}, counted from 0"),
                got: place.to_string(),
            })
        };
        match input {
            Input::Band { band, .. } => place("band", usize::from(band), BANDS)?,
            Input::Fader { fader, .. } => place("fader", usize::from(fader), self.faders)?,
            Input::Cue(cue) => place("cue", cue, self.cues)?,
            Input::Scene { scene, .. } => place("scene", scene, self.scenes)?,
            _ => {}
        }
        let level = match input {
            Input::Onset(level) | Input::Level(level) | Input::Master(level) => level,
            Input::Band { level, .. } | Input::Fader { level, .. } => level,
            _ => 0.0,
        };
        if !(0.0..=1.0).contains(&level) {
            return Err(Fault::number("level", 0, 1, level));
        }
        Ok(())
    }
}
