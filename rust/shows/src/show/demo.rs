//! Rigs and a show to look at, made here.

use super::{RigSource, Show};
use crate::fixture::{Profile, Rig};
use crate::names::named;
use crate::scene::{Cue, Scene, Span};
use serde_json::{Value, json};

/// The beats of a cue, and those of its fade.
const CUE_BEATS: f64 = 32.0;
const FADE_BEATS: f64 = 4.0;
/// The slots of a universe.
const SLOTS: u32 = 512;
/// The bars of the pixel wall: 400 by 425 pixels of 16 a bar, 170,000.
const WALL: [u32; 2] = [25, 425];
/// The distance of the pixels of a bar in metres.
const PITCH: f64 = 1.0 / 16.0;

named! {
    /// A rig that is built in.
    pub enum Demo {
        /// Eight pars in a row.
        Pars => "pars",
        /// Twelve bars of sixteen pixels, upright.
        Bars => "bars",
        /// Twelve moving heads in two rows.
        Heads => "heads",
        /// A hundred fixtures: pars, bars, moving heads, washes and strobes.
        Festival => "festival",
        /// A wall of 170,000 pixels.
        Wall => "wall",
    }
}

/// Fixtures in the order of their addresses.
#[derive(Default)]
struct Patch {
    fixtures: Vec<Value>,
    /// The slots before the next fixture.
    used: u32,
}

/// A profile with its mode and its slots.
type Kind = (&'static str, &'static str, u32);

const PAR: Kind = ("rgbw-par", "5", 5);
const BAR: Kind = ("bar-16", "48", 48);
const HEAD: Kind = ("moving-head", "10", 10);
const WASH: Kind = ("wash", "10", 10);
const STROBE: Kind = ("strobe", "2", 2);

impl Patch {
    fn add(&mut self, (profile, mode, slots): Kind, group: &str, position: [f64; 3], turn: f64) {
        // No fixture lies in two universes.
        if self.used % SLOTS + slots > SLOTS {
            self.used = self.used.next_multiple_of(SLOTS);
        }
        self.fixtures.push(json!({
            "id": self.fixtures.len() + 1,
            "profile": profile,
            "mode": mode,
            "protocol": "sacn",
            "universe": self.used / SLOTS + 1,
            "address": self.used % SLOTS + 1,
            "position": position,
            "rotation": [0.0, turn, 0.0],
            "group": group,
        }));
        self.used += slots;
    }

    /// Fixtures in a row from left to right, centred.
    fn row(&mut self, kind: Kind, group: &str, count: u32, [spacing, back, height]: [f64; 3], turn: f64) {
        for index in 0..count {
            let across = (f64::from(index) - (f64::from(count) - 1.0) / 2.0) * spacing;
            self.add(kind, group, [across, back, height], turn);
        }
    }
}

impl Demo {
    /// The rig as the object of a rig's file.
    pub fn rig_value(self) -> Value {
        let mut patch = Patch::default();
        let (mut width, mut height) = (16.0, 6.0);
        match self {
            Self::Pars => patch.row(PAR, "pars", 8, [1.8, 4.0, 4.5], 0.0),
            Self::Bars => patch.row(BAR, "bars", 12, [1.2, 5.0, 1.5], -90.0),
            Self::Heads => {
                patch.row(HEAD, "front", 6, [2.4, 2.0, 5.0], 0.0);
                patch.row(HEAD, "back", 6, [2.4, 7.0, 5.5], 0.0);
            }
            Self::Festival => {
                (width, height) = (26.0, 10.0);
                patch.row(PAR, "front", 16, [1.5, 1.0, 8.0], 0.0);
                patch.row(PAR, "back", 16, [1.5, 9.0, 7.0], 0.0);
                patch.row(BAR, "bars", 12, [2.0, 10.0, 2.0], -90.0);
                patch.row(BAR, "bars", 12, [2.0, 10.0, 4.5], -90.0);
                patch.row(HEAD, "heads", 12, [2.0, 4.0, 8.5], 0.0);
                patch.row(HEAD, "heads", 12, [2.0, 7.0, 8.5], 0.0);
                patch.row(WASH, "washes", 12, [2.0, 2.5, 8.0], 0.0);
                patch.row(STROBE, "strobes", 8, [3.0, 5.5, 8.8], 0.0);
            }
            Self::Wall => {
                let [columns, rows] = WALL;
                (width, height) = (f64::from(columns), f64::from(rows) * PITCH);
                for row in 0..rows {
                    let height = (f64::from(rows - row) - 0.5) * PITCH;
                    patch.row(BAR, "wall", columns, [1.0, 5.0, height], 0.0);
                }
            }
        }
        let side = width / 2.0;
        json!({
            "v": 1,
            "fixtures": patch.fixtures,
            "venue": {
                "outline": [[-side, -4.0], [side, -4.0], [side, 11.0], [-side, 11.0]],
                "height": height,
            },
        })
    }

    /// The rig.
    ///
    /// # Panics
    /// Never: that the rigs can be read is tested.
    pub fn rig(self) -> Rig {
        match Rig::read(self.rig_value().to_string().as_bytes(), &Profile::built_in()) {
            Ok((rig, _)) => rig,
            Err(error) => unreachable!("{error}"),
        }
    }

    /// A show of the built-in scenes on the rig: eight bars each, and again from the first.
    pub fn show(self) -> Show {
        let scenes = Scene::built_in();
        let cue = |scene| -> Option<Cue> {
            let fade = Span::beats(FADE_BEATS).ok()?;
            Some(Cue {
                name: String::new(),
                scene,
                fade_in: fade,
                fade_out: fade,
                follow: Span::beats(CUE_BEATS).ok(),
            })
        };
        Show {
            name: format!("Demo: {}", self.name()),
            rig: Some(RigSource::Inline(self.rig_value())),
            faders: vec!["drive".to_owned()],
            cues: (0..scenes.len()).filter_map(cue).collect(),
            scenes,
            repeats: true,
        }
    }
}
