//! One fixture at a time: its frames less the dark ones next to them.

use crate::align::Alignment;
use crate::candidates::sharpened;
use crate::decode::{Found, Mapping, Reason};
use crate::frames::Frame;
use crate::joint::{REACH, Spot, measure};
use crate::schedule::{Schedule, State};

/// The blur that is expected before it is measured, in pixels.
const BLUR: f64 = 1.3;
/// Noises above which light is that of a fixture, and above which it is hardly.
const NOISES: f32 = 6.0;
const HARDLY: f32 = 4.5;
/// Dark states before and after one that are taken together, and of its light, what is new against the next one of both.
const DARK: usize = 4;
const NEW: f32 = 0.4;
/// The least light, in parts of white.
const LEAST: f32 = 0.02;
/// The noise of a smoothed pixel.
const SMOOTHED: f32 = 0.375;
/// Half of the side of the square in which motion counts, in pixels, and how much of it hides a lamp, in parts of its light.
const MOTION: usize = 10;
const MOVED: f32 = 0.3;
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
        let of = |state: usize| shown[state].iter().map(|(_, frame)| &frames[*frame]);
        let of_all = |states: Vec<usize>| states.into_iter().map(|state| of(state).collect()).collect();
        let lit: Vec<&Frame> = of(state).collect();
        let before: Vec<Vec<&Frame>> = of_all((0..state).rev().filter(is_dark).take(DARK).collect());
        let after: Vec<Vec<&Frame>> = of_all((state + 1..shown.len()).filter(is_dark).take(DARK).collect());
        if !lit.is_empty() && (!before.is_empty() || !after.is_empty()) {
            sightings[id as usize].extend(seen(&lit, &before, &after));
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

/// The places with light that dark frames before and after lack, the nearest in time first.
fn seen(lit: &[&Frame], before: &[Vec<&Frame>], after: &[Vec<&Frame>]) -> Vec<Sighting> {
    let (width, height) = (lit[0].width as usize, lit[0].height as usize);
    let dark: Vec<&Frame> = before.iter().chain(after).flatten().copied().collect();
    let values = difference(lit, &dark);
    let noise = crate::contrast::noise(&values);
    let sides: Vec<Vec<f32>> = [before, after]
        .into_iter()
        .filter_map(<[_]>::first)
        .map(|dark| sharpened(&difference(lit, dark), width, height))
        .collect();
    let moved = match (before.first(), after.first()) {
        (Some(before), Some(after)) => difference(before, after),
        _ => Vec::new(),
    };
    let usual = crate::contrast::noise(&moved);
    let sighting = |(x, y, light): (usize, usize, f32)| {
        // What came or went is in one of the sides: light that is new against both in time is the fixture's.
        if sides.iter().any(|side| side[y * width + x] < NEW * light) {
            return None;
        }
        let around = around(&values, width, height, x, y);
        let first = measure(&around, [0.0; 2], noise, BLUR)?;
        let spot = measure(&around, first.at, noise, first.width.clamp(0.8, 4.0)).unwrap_or(first);
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
    let least = (HARDLY * noise * SMOOTHED).max(LEAST / 2.0);
    let places = bright(&sharpened(&values, width, height), width, height, least);
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
fn bright(sharp: &[f32], width: usize, height: usize, least: f32) -> Vec<(usize, usize, f32)> {
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

/// The picture around a pixel.
fn around(picture: &[f32], width: usize, height: usize, x: usize, y: usize) -> Vec<f32> {
    let side = 2 * REACH + 1;
    let value = |place: usize| {
        let column = (x + place % side)
            .checked_sub(REACH)
            .filter(|column| *column < width);
        let row = (y + place / side).checked_sub(REACH).filter(|row| *row < height);
        column
            .zip(row)
            .map_or(0.0, |(column, row)| picture[row * width + column])
    };
    (0..side * side).map(value).collect()
}
