//! One fixture at a time: its frames less the dark ones next to them.

use crate::candidates::sharpened;
use crate::decode::{Found, MOST_BYTES, Mapping, Reason};
use crate::frames::Frame;
use crate::joint::{REACH, Spot, measure};
use crate::schedule::{Schedule, State};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

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
/// Of the usual width, a lamp's, unless next to nothing moves around it, in parts of its light.
const WIDE: f64 = 1.5;
const STILL: f32 = 0.02;

/// The frames of a schedule that lights one fixture after the other: of the states around the one that is shown, only their sums are
/// kept, and a fixture is looked for as soon as its states are over.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    size: (u32, u32),
    /// The frames so far.
    frames: usize,
    /// The states that light a fixture, in the order in which they can be looked at.
    lit: Vec<Lit>,
    looked: usize,
    is_dark: Vec<bool>,
    /// The dark states that have frames.
    dark: Vec<usize>,
    /// After which frame a state is not needed any more; none is needed that is not shown.
    until: Vec<Option<usize>>,
    /// The same in the order of frames.
    ends: Vec<(usize, usize)>,
    ended: usize,
    sums: HashMap<usize, Sum>,
    sightings: Vec<Vec<Sighting>>,
}

/// A state that lights a fixture.
#[derive(Clone, Copy, Debug)]
struct Lit {
    state: usize,
    id: u32,
    /// The last of its frames and of those of the dark states next to it.
    ready: usize,
}

/// The sum of some frames.
#[derive(Clone, Debug)]
struct Sum {
    pixels: Vec<u32>,
    frames: u32,
    /// The first frame of a dark state may show the light before it: the second one replaces it.
    is_doubtful: bool,
}

impl Sum {
    fn new(frame: &Frame, is_dark: bool) -> Self {
        Self {
            pixels: frame.pixels.iter().map(|pixel| u32::from(*pixel)).collect(),
            frames: 1,
            is_doubtful: is_dark,
        }
    }

    fn add(&mut self, frame: &Frame) {
        if self.is_doubtful {
            *self = Self::new(frame, false);
            return;
        }
        for (sum, pixel) in self.pixels.iter_mut().zip(&frame.pixels) {
            // Schedules have fewer frames than fill this.
            *sum = sum.saturating_add(u32::from(*pixel));
        }
        self.frames += 1;
    }
}

impl Sequence {
    pub(crate) fn new(schedule: &Schedule) -> Self {
        let states = schedule.states();
        let is_dark: Vec<bool> = states
            .iter()
            .map(|state| match state {
                State::Dark => true,
                State::Ids(ids) => ids.is_empty(),
                _ => false,
            })
            .collect();
        let mut last: Vec<Option<usize>> = match schedule.listed_frames() {
            Some(_) => vec![None; states.len()],
            None => (1..=states.len())
                .map(|state| Some(state * schedule.hold() - 1))
                .collect(),
        };
        for (frame, state) in schedule.listed_frames().unwrap_or_default().iter().enumerate() {
            last[*state] = Some(frame);
        }
        let dark: Vec<usize> = (0..states.len())
            .filter(|state| is_dark[*state] && last[*state].is_some())
            .collect();
        let mut until: Vec<Option<usize>> = vec![None; states.len()];
        let mut lit = Vec::new();
        for (state, which) in states.iter().enumerate() {
            let id = match which {
                State::Ids(ids) if ids.len() == 1 => ids[0],
                State::All => 0,
                _ => continue,
            };
            let [before, after] = next_to(&dark, state);
            let needed = || [state].into_iter().chain(before.iter().chain(after).copied());
            let (Some(_), Some(ready)) = (last[state], needed().filter_map(|state| last[state]).max()) else {
                continue;
            };
            for state in needed() {
                until[state] = until[state].max(Some(ready));
            }
            lit.push(Lit { state, id, ready });
        }
        lit.sort_by_key(|lit| (lit.ready, lit.state));
        let mut ends: Vec<(usize, usize)> = until
            .iter()
            .enumerate()
            .filter_map(|(state, until)| Some(((*until)?, state)))
            .collect();
        ends.sort_unstable();
        Self {
            size: (0, 0),
            frames: 0,
            lit,
            looked: 0,
            is_dark,
            dark,
            until,
            ends,
            ended: 0,
            sums: HashMap::new(),
            sightings: vec![Vec::new(); schedule.count()],
        }
    }

    /// The number of frames so far.
    pub(crate) fn frames(&self) -> usize {
        self.frames
    }

    /// Takes the next frame; whether there was memory for it.
    pub(crate) fn push(&mut self, frame: &Frame, schedule: &Schedule) -> bool {
        self.size = (frame.width, frame.height);
        let number = self.frames;
        self.frames += 1;
        let state = match schedule.listed_frames() {
            Some(listed) => listed.get(number).copied(),
            None => Some(number / schedule.hold()),
        };
        let mut is_taken = true;
        if let Some(state) = state
            && self.until.get(state).copied().flatten().is_some()
        {
            let room = MOST_BYTES / 4 / frame.pixels.len().max(1);
            let kept = self.sums.len();
            match self.sums.entry(state) {
                Entry::Occupied(mut sum) => sum.get_mut().add(frame),
                Entry::Vacant(place) if kept < room => {
                    place.insert(Sum::new(frame, self.is_dark[state]));
                }
                Entry::Vacant(_) => is_taken = false,
            }
        }
        while let Some(lit) = self.lit.get(self.looked).filter(|lit| lit.ready <= number) {
            let seen = self.look(lit);
            self.sightings[lit.id as usize].extend(seen);
            self.looked += 1;
        }
        while let Some((_, state)) = self.ends.get(self.ended).filter(|(until, _)| *until <= number) {
            self.sums.remove(state);
            self.ended += 1;
        }
        is_taken
    }

    /// The places with light in a state, as far as its frames came.
    fn look(&self, lit: &Lit) -> Vec<Sighting> {
        let of = |states: &[usize]| -> Vec<&Sum> {
            states.iter().filter_map(|state| self.sums.get(state)).collect()
        };
        let [before, after] = next_to(&self.dark, lit.state);
        let before: Vec<usize> = before.iter().rev().copied().collect();
        let (before, after) = (of(&before), of(after));
        match self.sums.get(&lit.state) {
            Some(lit) if !before.is_empty() || !after.is_empty() => seen(lit, &before, &after, self.size),
            _ => Vec::new(),
        }
    }

    /// Finds the places of all fixtures, as far as the frames so far show them.
    pub(crate) fn find(&self, mapping: &mut Mapping) {
        let mut sightings = self.sightings.clone();
        for lit in &self.lit[self.looked..] {
            if self.sums.contains_key(&lit.state) {
                sightings[lit.id as usize].extend(self.look(lit));
            }
        }
        find(&sightings, mapping);
    }
}

/// The dark states before a state and after it that its frames are compared with.
fn next_to(dark: &[usize], state: usize) -> [&[usize]; 2] {
    let (before, after) = dark.split_at(dark.partition_point(|dark| *dark < state));
    [
        &before[before.len().saturating_sub(DARK)..],
        &after[..after.len().min(DARK)],
    ]
}

/// The places of all fixtures, by what was seen of each.
fn find(sightings: &[Vec<Sighting>], mapping: &mut Mapping) {
    // Most lamps have one blur; people have others, and move.
    let best = |sightings: &[Sighting], widest: f64| {
        let fits = sightings
            .iter()
            .filter(|seen| seen.spot.width <= widest || seen.motion <= STILL * seen.light);
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
fn seen(lit: &Sum, before: &[&Sum], after: &[&Sum], size: (u32, u32)) -> Vec<Sighting> {
    let (width, height) = (size.0 as usize, size.1 as usize);
    let dark: Vec<&Sum> = before.iter().chain(after).copied().collect();
    let values = difference(lit, &dark);
    let noise = crate::contrast::noise(&values);
    let sides: Vec<Vec<f32>> = [before, after]
        .into_iter()
        .filter_map(<[_]>::first)
        .map(|dark| sharpened(&difference(lit, &[dark]), width, height))
        .collect();
    let moved = match (before.first(), after.first()) {
        (Some(before), Some(after)) => difference(before, &[after]),
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

/// The mean of some frames less that of others, in parts of white.
fn difference(one: &Sum, others: &[&Sum]) -> Vec<f32> {
    let part = |frames: u32| 1.0 / frames as f32 / 65_535.0;
    let factor = part(one.frames);
    let mut values: Vec<f32> = one.pixels.iter().map(|sum| *sum as f32 * factor).collect();
    let factor = part(others.iter().map(|sum| sum.frames).sum());
    for other in others {
        for (value, sum) in values.iter_mut().zip(&other.pixels) {
            *value -= *sum as f32 * factor;
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
