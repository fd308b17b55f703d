//! One fixture at a time: its frames less the dark ones next to them.

use crate::align::Alignment;
use crate::decode::{Found, Mapping, Reason};
use crate::frames::Frame;
use crate::joint::{REACH, Spot, measure};
use crate::schedule::{Schedule, State};

/// The blur that is expected before it is measured, in pixels.
const BLUR: f64 = 1.3;
/// Noises above which light is that of a fixture, and above which it is hardly.
const NOISES: f32 = 8.0;
const HARDLY: f32 = 5.0;
/// The least light, in parts of white.
const LEAST: f32 = 0.02;
/// The noise of a smoothed pixel.
const SMOOTHED: f32 = 0.375;
/// Half of the side of the square in which motion counts, in pixels, and how much of it hides a lamp, in parts of its light.
const MOTION: usize = 24;
const MOVED: f32 = 0.15;
/// Of the usual width, a lamp's.
const WIDE: f64 = 1.5;

/// The places of all fixtures that a schedule lights one after the other.
pub(crate) fn decode(frames: &[Frame], schedule: &Schedule, alignment: &Alignment, mapping: &mut Mapping) {
    let mut shown = vec![Vec::new(); schedule.states().len()];
    for (frame, place) in alignment.places.iter().enumerate() {
        if let Some((state, within)) = place {
            shown[*state].push((*within, frame));
        }
    }
    let is_dark: Vec<bool> = schedule
        .states()
        .iter()
        .map(|state| match state {
            State::Dark => true,
            State::Ids(ids) => ids.is_empty(),
            _ => false,
        })
        .collect();
    // The first frame of a dark state may show the light before it.
    for (frames, is_dark) in shown.iter_mut().zip(&is_dark) {
        if *is_dark && frames.len() > 1 {
            frames.remove(0);
        }
    }
    let mut sightings: Vec<Vec<Sighting>> = vec![Vec::new(); schedule.count()];
    for (state, which) in schedule.states().iter().enumerate() {
        let id = match which {
            State::Ids(ids) if ids.len() == 1 => ids[0],
            State::All => 0,
            _ => continue,
        };
        let is_dark = |at: &usize| is_dark[*at] && !shown[*at].is_empty();
        let before = (0..state).rev().find(is_dark);
        let after = (state + 1..shown.len()).find(is_dark);
        let of = |state: usize| shown[state].iter().map(|(_, frame)| &frames[*frame]);
        let lit: Vec<&Frame> = of(state).collect();
        let dark: Vec<Vec<&Frame>> = before
            .into_iter()
            .chain(after)
            .map(|state| of(state).collect())
            .collect();
        if !lit.is_empty() && !dark.is_empty() {
            sightings[id as usize].extend(seen(&lit, &dark));
        }
    }
    // Lamps have one blur, people do not.
    let best = |sightings: &[Sighting], widest: f64| {
        let fits = sightings.iter().filter(|seen| seen.spot.width <= widest);
        fits.max_by(|one, other| one.score().total_cmp(&other.score()))
            .copied()
    };
    let mut widths: Vec<f64> = sightings
        .iter()
        .filter_map(|all| best(all, f64::INFINITY))
        .filter(|seen| seen.noises > NOISES)
        .map(|seen| seen.spot.width)
        .collect();
    widths.sort_by(f64::total_cmp);
    let widest = widths
        .get(widths.len() / 2)
        .map_or(f64::INFINITY, |width| width * WIDE);
    for (id, all) in sightings.iter().enumerate() {
        if let Some(best) = best(all, widest) {
            mapping.fixtures[id] = found(id as u32, &best, all);
        }
    }
}

/// A place that some frames lack.
#[derive(Clone, Copy, Debug)]
struct Sighting {
    spot: Spot,
    /// The light above its surroundings, and that in noises.
    light: f32,
    noises: f32,
    /// What moved around it meanwhile, in parts of white.
    motion: f32,
}

impl Sighting {
    /// The brightest, most compact place where nothing moves.
    fn score(&self) -> f32 {
        let quiet = self.light / self.noises;
        self.light / self.spot.width.max(0.8) as f32 * quiet / (quiet + self.motion)
    }
}

/// A fixture at its best place.
fn found(id: u32, best: &Sighting, all: &[Sighting]) -> Found {
    let missing = |reason| Found {
        id,
        confidence: 0.0,
        place: Err(reason),
    };
    if best.noises < NOISES || best.light < LEAST {
        return missing(Reason::LowContrast);
    }
    if best.motion > MOVED * best.light {
        return missing(Reason::Hidden);
    }
    let apart = |other: &&Sighting| {
        let [dx, dy] = [0, 1].map(|axis| other.spot.at[axis] - best.spot.at[axis]);
        dx.hypot(dy) > 6.0
    };
    let second = all
        .iter()
        .filter(apart)
        .max_by(|one, other| one.score().total_cmp(&other.score()));
    let ratio = second.map_or(0.0, |second| second.score() / best.score());
    if ratio > 0.95 {
        return missing(Reason::Ambiguous);
    }
    let mut found = Found::at(
        id,
        &best.spot,
        (1.0 - 0.5 * ratio * ratio) * (1.0 - libm::expf(-best.noises / 6.0)),
    );
    if let Some(second) = second.filter(|second| second.noises > NOISES) {
        found.add_mirror(second.spot.at);
    }
    found
}

/// The places with light that dark frames before and after lack.
fn seen(lit: &[&Frame], dark: &[Vec<&Frame>]) -> Vec<Sighting> {
    let (width, height) = (lit[0].width as usize, lit[0].height as usize);
    let differences: Vec<Vec<f32>> = dark.iter().map(|dark| difference(lit, dark)).collect();
    // What came or went is in one of them: light that is new against both sides in time is the fixture's.
    let mut values = differences[0].clone();
    for other in &differences[1..] {
        for (value, other) in values.iter_mut().zip(other) {
            *value = if *value > 0.0 && *other > 0.0 {
                value.min(*other)
            } else {
                value.max(*other).min(0.0)
            };
        }
    }
    let noise = crate::contrast::noise(&differences[0]);
    let moved = match dark {
        [before, after] => difference(before, after),
        _ => Vec::new(),
    };
    let usual = crate::contrast::noise(&moved);
    let sighting = |(x, y, light): (usize, usize, f32)| {
        let mean = mean_around(&differences, width, height, x, y);
        let first = measure(&mean, [0.0; 2], noise, BLUR)?;
        let spot = measure(&mean, first.at, noise, first.width.clamp(0.8, 4.0)).unwrap_or(first);
        let mut motion = 0.0;
        if !moved.is_empty() {
            let rows = y.saturating_sub(MOTION)..(y + MOTION).min(height);
            let columns = x.saturating_sub(MOTION)..(x + MOTION).min(width);
            let pixels = rows.len() * columns.len();
            let sum: f32 = rows
                .flat_map(|row| &moved[row * width..][columns.clone()])
                .map(|value| value.abs())
                .sum();
            // Noise alone has a mean of 0.8 deviations.
            motion = (sum / pixels as f32 - usual).max(0.0);
        }
        Some(Sighting {
            spot: Spot {
                at: [spot.at[0] + x as f64, spot.at[1] + y as f64],
                ..spot
            },
            light,
            noises: light / (noise * SMOOTHED),
            motion,
        })
    };
    let places = bright(
        &values,
        width,
        height,
        (HARDLY * noise * SMOOTHED).max(LEAST / 2.0),
    );
    places.into_iter().filter_map(sighting).collect()
}

fn difference(lit: &[&Frame], dark: &[&Frame]) -> Vec<f32> {
    let mut values = vec![0.0; lit[0].pixels.len()];
    for (frames, sign) in [(lit, 1.0), (dark, -1.0)] {
        let factor = sign / frames.len() as f32 / 65_535.0;
        for frame in frames {
            for (value, pixel) in values.iter_mut().zip(&frame.pixels) {
                *value += f32::from(*pixel) * factor;
            }
        }
    }
    values
}

/// Places of most light above their surroundings, the brightest first, at most 16.
fn bright(values: &[f32], width: usize, height: usize, least: f32) -> Vec<(usize, usize, f32)> {
    let sharp = crate::candidates::sharpened(values, width, height);
    let mut found: Vec<(usize, usize, f32)> = Vec::new();
    for y in 1..height.saturating_sub(1) {
        for x in 1..width.saturating_sub(1) {
            let at = y * width + x;
            let here = sharp[at];
            let is_top = || {
                [at - width, at - 1, at + 1, at + width]
                    .iter()
                    .all(|near| sharp[*near] <= here)
            };
            if here >= least && is_top() {
                found.push((x, y, here));
            }
        }
    }
    found.sort_by(|one, other| {
        other
            .2
            .total_cmp(&one.2)
            .then((one.1, one.0).cmp(&(other.1, other.0)))
    });
    found.truncate(16);
    found
}

/// The mean of pictures around a pixel.
fn mean_around(pictures: &[Vec<f32>], width: usize, height: usize, x: usize, y: usize) -> Vec<f32> {
    let side = 2 * REACH + 1;
    let mut mean = vec![0.0; side * side];
    for (place, value) in mean.iter_mut().enumerate() {
        let column = (x + place % side)
            .checked_sub(REACH)
            .filter(|column| *column < width);
        let row = (y + place / side).checked_sub(REACH).filter(|row| *row < height);
        if let (Some(column), Some(row)) = (column, row) {
            *value = pictures
                .iter()
                .map(|picture| picture[row * width + column])
                .sum::<f32>()
                / pictures.len() as f32;
        }
    }
    mean
}
