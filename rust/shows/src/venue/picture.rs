//! What is to be seen in a picture.

/// A picture of a venue: what it shows, in the order in which it is drawn. Coordinates are pixels from the picture's upper left
/// corner; the middle of the first pixel is (0.5, 0.5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The width in pixels.
    pub width: u16,
    /// The height in pixels.
    pub height: u16,
    /// The colour of the background.
    pub background: [u8; 3],
    /// The grid, the outline of the venue, and the scale.
    pub lines: Vec<Line>,
    /// The legend, and the labels of fixtures.
    pub texts: Vec<Text>,
    /// The beams of fixtures that move, dark ones too.
    pub beams: Vec<Beam>,
    /// The elements of all fixtures, in the order of the stage.
    pub lamps: Vec<Lamp>,
    /// The title of each fixture, in the rig's order: its id, its name, its universe and address.
    pub titles: Vec<String>,
}

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end.
    pub from: [f32; 2],
    /// The other end.
    pub to: [f32; 2],
    /// The width in pixels.
    pub width: f32,
    /// The colour.
    pub color: [u8; 3],
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The place of its anchor on the base line.
    pub at: [f32; 2],
    /// The height of a capital letter in pixels.
    pub size: f32,
    /// What of it is there.
    pub anchor: Anchor,
    /// The colour.
    pub color: [u8; 3],
    /// What it says.
    pub text: String,
}

/// The part of a text that is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

impl Anchor {
    /// The name in SVG and JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// The beam of a fixture: a cone from the fixture to what it hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// The fixture's place in the rig, from 0.
    pub fixture: u32,
    /// Where it begins.
    pub from: [f32; 2],
    /// Where it ends.
    pub to: [f32; 2],
    /// Half of its width at the beginning and at the end.
    pub radii: [f32; 2],
    /// The half axes of the pool of light at its end, across and upright; zeros where it hits no floor.
    pub pool: [f32; 2],
    /// Its light as linear red, green and blue, each 0 to 1.
    pub light: [f32; 3],
}

/// An element of a fixture: a disc with a glow around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lamp {
    /// The fixture's place in the rig, from 0.
    pub fixture: u32,
    /// The middle.
    pub at: [f32; 2],
    /// The radius of the disc.
    pub radius: f32,
    /// The radius of the glow.
    pub glow: f32,
    /// The share of its light that is drawn, above 0 and up to 1: the elements of a fixture that are drawn over each other share.
    pub share: f32,
    /// Its light as linear red, green and blue, each 0 to 1.
    pub light: [f32; 3],
}
