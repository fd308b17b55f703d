//! A rig laid out for pictures.

use super::beam::{cone, direction};
use super::color::light;
use super::legend;
use super::picture::{Anchor, Beam, Lamp, Picture, Text};
use super::projection::{Bounds, Projection, finite};
use crate::fixture::{Attribute, Fixture, FixtureId, Rig, RigUniverse, Rotation};
use crate::{Head, Look, Stage};
use std::collections::BTreeSet;
use std::fmt;

/// The longest side of a picture in pixels.
pub const MAX_SIDE: u16 = 8_192;
/// The background (0.05, 0.05, 0.08).
const BACKGROUND: [u8; 3] = [13, 13, 20];
/// The colour of labels.
const LABEL: [u8; 3] = [150, 154, 172];
/// The size of labels, as a share of the legend's, and the least in pixels.
const LABEL_SIZE: f64 = 0.75;
const LEAST_LABEL: f64 = 5.0;
/// The margin, as a share of the shorter side.
const MARGIN: f64 = 0.06;
/// The radius of a fixture's disc, as a share of the shorter side and of the distance to its neighbours.
const RADIUS: f64 = 0.0105;
const RADIUS_OF_SPACING: f64 = 0.3;
/// The smallest radius of a fixture's disc, as a share of the shorter side: fixtures that are behind each other are drawn over each
/// other.
const CROWDED_RADIUS: f64 = 0.004;
/// The radius of a pixel's disc, as a share of the distance to its neighbours.
const PIXEL_RADIUS: f64 = 0.42;
/// The smallest radius in pixels.
const LEAST_RADIUS: f64 = 0.6;
/// Elements that are nearer in pixels are behind each other.
const NO_PITCH: f64 = 0.1;
/// Radii of a glow per radius of its disc: alone, and in a row of pixels, whose glows overlap.
const GLOW: f64 = 4.6;
const PIXEL_GLOW: f64 = 2.6;
/// What of the venue is around a rig without an outline, in metres.
const AROUND: f64 = 2.0;

/// From where a venue is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// From above, with the back at the top.
    Top,
    /// From the front, as the audience sees it, in perspective.
    #[default]
    Front,
}

/// The size, view and format of a picture of a venue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSettings {
    /// The width in pixels, 1 to [`MAX_SIDE`].
    pub width: u16,
    /// The height in pixels, 1 to [`MAX_SIDE`].
    pub height: u16,
    /// From where the venue is seen.
    pub view: View,
    /// Whether the floor has a grid.
    pub has_grid: bool,
    /// Whether there is a scale and a count of the fixtures.
    pub has_legend: bool,
    /// Whether fixtures have their ids beside them.
    pub has_labels: bool,
}

impl PictureSettings {
    /// A picture with a grid and a legend.
    pub fn new(width: u16, height: u16, view: View) -> Self {
        Self {
            width,
            height,
            view,
            has_grid: true,
            has_legend: true,
            has_labels: false,
        }
    }

    /// For a terminal of that many columns and lines, whose characters are two pixels high; at most [`MAX_SIDE`] pixels a side.
    pub fn for_terminal(columns: u16, lines: u16, view: View) -> Self {
        Self {
            has_grid: false,
            has_legend: false,
            ..Self::new(columns.min(MAX_SIDE), lines.min(MAX_SIDE / 2) * 2, view)
        }
    }
}

/// A size that no picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeError {
    /// The wanted width in pixels.
    pub width: usize,
    /// The wanted height in pixels.
    pub height: usize,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height } = self;
        write!(
            f,
            "picture: expected 1 to {MAX_SIDE} pixels a side, got {width} x {height}"
        )
    }
}

impl std::error::Error for SizeError {}

/// A fixture that moves.
#[derive(Clone, Debug)]
struct Mover {
    fixture: usize,
    /// Its first element.
    element: usize,
    place: [f64; 3],
    rotation: Rotation,
}

/// A rig laid out for pictures of one size and view.
#[derive(Clone, Debug)]
pub struct Plan {
    projection: Projection,
    room: Bounds,
    movers: Vec<Mover>,
    dark: Picture,
}

impl Plan {
    /// Lays out a rig with its stage. Coordinates that are no numbers are drawn at 0, those past 1,000 km there.
    ///
    /// # Errors
    /// [`SizeError`] for a side of 0 or of more than [`MAX_SIDE`] pixels.
    pub fn new(rig: &Rig, stage: &Stage, settings: PictureSettings) -> Result<Self, SizeError> {
        let PictureSettings { width, height, .. } = settings;
        if ![width, height].iter().all(|side| (1..=MAX_SIDE).contains(side)) {
            let [width, height] = [width, height].map(usize::from);
            return Err(SizeError { width, height });
        }
        let room = room(rig, stage);
        let (full, shorter) = (
            [f64::from(width), f64::from(height)],
            f64::from(width.min(height)),
        );
        let margin = shorter * MARGIN;
        let legend = legend::height(settings);
        let area = [margin, margin, full[0] - margin, full[1] - margin - legend];
        let projection = match settings.view {
            View::Top => Projection::top(&room, area),
            View::Front => Projection::front(&room, area),
        };
        let mut dark = Picture {
            width,
            height,
            background: BACKGROUND,
            ..Picture::default()
        };
        legend::draw(&mut dark, rig, &room, &projection, settings);
        dark.lamps = lamps(rig, stage, &projection, shorter);
        dark.titles = rig.fixtures.iter().map(title).collect();
        if settings.has_labels {
            dark.texts
                .extend(labels(rig, stage, &dark.lamps, legend::text_size(settings)));
        }
        let movers = movers(rig, stage);
        let mut plan = Self {
            projection,
            room,
            movers,
            dark,
        };
        let beams = plan.movers.iter().map(|mover| plan.beam(mover, &Head::default()));
        plan.dark.beams = beams.collect();
        Ok(plan)
    }

    /// The picture of the dark rig, for [`Plan::light`].
    pub fn picture(&self) -> Picture {
        self.dark.clone()
    }

    /// Sets the lamps and beams of a picture of this plan to a look, whose elements and heads are in the stage's order; those that
    /// it lacks are dark, and at the middle of their ranges. It allocates nothing.
    pub fn light(&self, look: &Look, picture: &mut Picture) {
        for (element, lamp) in picture.lamps.iter_mut().enumerate() {
            lamp.light = light(look, element);
        }
        for (mover, beam) in self.movers.iter().zip(&mut picture.beams) {
            let head = look.heads.get(mover.fixture).copied().unwrap_or_default();
            *beam = Beam {
                light: light(look, mover.element),
                ..self.beam(mover, &head)
            };
        }
    }

    /// A mover's beam without its light.
    fn beam(&self, mover: &Mover, head: &Head) -> Beam {
        let direction = direction(head, &mover.rotation);
        let cone = cone(mover.place, direction, &self.room, &self.projection);
        Beam {
            fixture: u32::try_from(mover.fixture).unwrap_or(u32::MAX),
            from: cone.from,
            to: cone.to,
            radii: cone.radii,
            pool: cone.pool,
            light: [0.0; 3],
        }
    }
}

/// What is drawn: the outline with its height, or what is around the fixtures, and at least these.
fn room(rig: &Rig, stage: &Stage) -> Bounds {
    let elements = stage
        .elements()
        .iter()
        .map(|element| element.position.map(f64::from));
    let floor = rig.outline.iter().map(|[x, y]| [*x, *y, 0.0]);
    let ceiling = rig.outline.iter().map(|[x, y]| [*x, *y, rig.height.max(0.0)]);
    let around = rig.outline.is_empty().then(|| {
        let lamps = Bounds::around(elements.clone());
        let Bounds { low, high } = lamps.unwrap_or(Bounds {
            low: [0.0; 3],
            high: [0.0; 3],
        });
        [
            [low[0] - AROUND, low[1] - AROUND, low[2].min(0.0)],
            [high[0] + AROUND, high[1] + AROUND, high[2].max(rig.height)],
        ]
    });
    let points = floor
        .chain(ceiling)
        .chain(elements)
        .chain(around.into_iter().flatten());
    let none = Bounds {
        low: [0.0; 3],
        high: [0.0; 3],
    };
    Bounds::around(points).unwrap_or(none).with_extent()
}

fn movers(rig: &Rig, stage: &Stage) -> Vec<Mover> {
    let moves = |fixture: &Fixture| {
        let mut attributes = fixture.mode.channels.iter().map(|channel| &channel.attribute);
        attributes.any(|attribute| matches!(attribute, Attribute::Pan | Attribute::Tilt))
    };
    let fixtures = rig
        .fixtures
        .iter()
        .enumerate()
        .filter(|(_, fixture)| moves(fixture));
    let movers = fixtures.map(|(index, fixture)| Mover {
        fixture: index,
        element: stage.elements_of(index).start,
        place: finite(fixture.position),
        rotation: Rotation::new(finite(fixture.rotation)),
    });
    movers.collect()
}

fn lamps(rig: &Rig, stage: &Stage, projection: &Projection, shorter: f64) -> Vec<Lamp> {
    let elements = stage.elements();
    let places: Vec<[f64; 2]> = elements
        .iter()
        .map(|element| projection.at(element.position.map(f64::from)))
        .collect();
    let spacing = spacing(&places, stage.fixtures());
    let alone = (shorter * RADIUS).min((spacing * RADIUS_OF_SPACING).max(shorter * CROWDED_RADIUS));
    let mut lamps = Vec::with_capacity(elements.len());
    for (index, fixture) in rig.fixtures.iter().enumerate() {
        let range = stage.elements_of(index);
        let mut radius = alone * projection.nearness(finite(fixture.position));
        let (mut glow, mut share) = (GLOW, 1.0);
        if range.len() > 1 {
            glow = PIXEL_GLOW;
            match pitch(&places[range.clone()], usize::from(fixture.mode.pixels[0])) {
                Some(pitch) => radius = radius.min(pitch * PIXEL_RADIUS),
                None => share = 1.0 / range.len() as f32,
            }
        }
        let radius = radius.max(LEAST_RADIUS);
        lamps.extend(range.map(|element| Lamp {
            fixture: elements[element].fixture,
            at: places[element].map(|at| at as f32),
            radius: radius as f32,
            glow: (radius * glow) as f32,
            share,
            light: [0.0; 3],
        }));
    }
    lamps
}

/// The mean distance of neighbours in pixels if the fixtures fill the rectangle around them, or the line; infinite for those of one
/// place.
fn spacing(places: &[[f64; 2]], fixtures: usize) -> f64 {
    let Some(around) = Bounds::around(places.iter().map(|[x, y]| [*x, *y, 0.0])) else {
        return f64::INFINITY;
    };
    let (width, height, count) = (around.extent(0), around.extent(1), fixtures.max(1) as f64);
    let spacing = (width * height / count).sqrt().max(width.max(height) / count);
    if spacing > NO_PITCH {
        spacing
    } else {
        f64::INFINITY
    }
}

/// The smallest distance in pixels of a fixture's first element to its neighbours along both axes of its pixels; none for elements
/// that are behind each other.
fn pitch(places: &[[f64; 2]], columns: usize) -> Option<f64> {
    let neighbors = [1, columns].map(|index| places.get(index));
    let distances = neighbors.into_iter().flatten().map(|place| {
        let [right, down] = [0, 1].map(|axis| place[axis] - places[0][axis]);
        (right * right + down * down).sqrt()
    });
    distances.filter(|distance| *distance > NO_PITCH).reduce(f64::min)
}

fn title(fixture: &Fixture) -> String {
    let name = if fixture.name.is_empty() {
        String::new()
    } else {
        format!(" {}", fixture.name)
    };
    let universe = match fixture.universe {
        RigUniverse::Sacn(universe) => format!("sACN {universe}"),
        RigUniverse::ArtNet(address) => format!("Art-Net {address}"),
    };
    format!("{}{name}, {universe}.{}", fixture.id, fixture.address)
}

/// The ids under the fixtures, centred, without those that would cover an earlier one.
fn labels(rig: &Rig, stage: &Stage, lamps: &[Lamp], size: f64) -> Vec<Text> {
    let size = (size * LABEL_SIZE).max(LEAST_LABEL) as f32;
    let mut taken = BTreeSet::new();
    let mut labels = Vec::new();
    for (index, fixture) in rig.fixtures.iter().enumerate() {
        let lamps = &lamps[stage.elements_of(index)];
        let (Some(first), Some(last)) = (lamps.first(), lamps.last()) else {
            continue;
        };
        let text = match &fixture.id {
            FixtureId::Number(number) => number.to_string(),
            FixtureId::Name(name) => name.clone(),
        };
        let below = first.at[1].max(last.at[1]) + first.radius + size * 1.8;
        let at = [(first.at[0] + last.at[0]) / 2.0, below];
        let half = legend::text_width(&text, size) / 2.0;
        let cell = |at: f32| (at / (size * 1.5)).floor() as i32;
        let cells = || (cell(at[0] - half)..=cell(at[0] + half)).map(|column| (column, cell(below)));
        if cells().any(|cell| taken.contains(&cell)) {
            continue;
        }
        taken.extend(cells());
        labels.push(Text {
            at,
            size,
            anchor: Anchor::Middle,
            color: LABEL,
            text,
        });
    }
    labels
}
