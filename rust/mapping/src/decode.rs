//! A recording and its schedule become the places of fixtures.

mod found;
mod overlap;
mod trust;

use crate::align::{Alignment, Probes, align, settle};
use crate::assign::{Codes, assign};
use crate::candidates::{Candidate, Sharp};
use crate::contrast::{self, Contrast};
use crate::drift::Drift;
use crate::frames::Frame;
use crate::joint::{Known, Pictures, Spot};
use crate::mirrors::Mirrors;
use crate::schedule::{Schedule, ScheduleError};
use crate::sequential::Sequence;
pub(crate) use found::MOST_PIXELS;
pub use found::{Found, Mapping, Place, Reason};
use std::cell::OnceCell;
use std::collections::HashMap;
use trust::Trust;

/// The most pixels of a frame that is decoded as it is; larger ones are made smaller by whole factors.
const MOST_AS_IS: u64 = 1 << 20;
/// The blur that is expected before it is measured, in pixels.
const BLUR: f64 = 1.3;
/// Of the usual blur and of the usual light, what a mirror's are above and below.
const WIDE: f64 = 1.15;
const DIM: f32 = 0.5;
/// Lamps that look like images are none where more than one of so many may be an image, and unsure where more than one of so many.
const FEW: usize = 10;
const RARE: usize = 50;
/// The noises of a lamp's light, at least.
const NOISES: f32 = 3.0;
/// Of a lamp's light, what is left of it where a picture is smoothed and has no background.
const SMOOTHED: f32 = 0.6;
/// The confidence below which a place is none.
const DOUBTFUL: f32 = 0.93;
/// The confidence from which on a place is sure.
const SURE: f32 = 0.98;
/// The most confidence where a recording that ends early, as many do, and one that lost all frames of a state, as few do, look alike.
pub(crate) const UNSURE: f32 = 0.95;
const _: () = assert!(SURE > UNSURE && UNSURE > DOUBTFUL);
/// The most changes of what the states of a recording are taken for.
const FIXES: usize = 4;
/// The most bytes of frames that are kept.
pub(crate) const MOST_BYTES: usize = 1 << 30;

/// Takes the frames of a recording.
#[derive(Clone, Debug)]
pub struct Decoder {
    schedule: Schedule,
    frames: Vec<Frame>,
    /// The frames of a schedule that lights one fixture after the other, in place of those.
    sequence: Option<Sequence>,
    /// The frames that come before the schedule begins.
    early: usize,
    factor: u32,
    size: (u32, u32),
    left_out: u64,
    most_bytes: usize,
}

impl Decoder {
    /// A decoder without frames.
    pub fn new(schedule: Schedule) -> Self {
        Self {
            sequence: schedule.is_sequential().then(|| Sequence::new(&schedule)),
            schedule,
            early: 0,
            frames: Vec::new(),
            factor: 1,
            size: (0, 0),
            left_out: 0,
            most_bytes: MOST_BYTES,
        }
    }

    /// A decoder without frames, of which so many come before the schedule begins; not where it lights one fixture after the other, or
    /// lists its frames.
    pub(crate) fn beginning_after(schedule: Schedule, early: usize) -> Self {
        Self {
            early,
            ..Self::new(schedule)
        }
    }

    /// Takes the next frame; frames of another size than the first, and those that there is no memory for, are counted and left out.
    pub fn push(&mut self, frame: Frame) {
        if self.frames() == 0 {
            self.size = (frame.width, frame.height);
            (self.factor, _) = reduced(self.size);
        }
        if (frame.width, frame.height) != self.size {
            self.left_out += 1;
            return;
        }
        let frame = frame.reduced(self.factor);
        if let Some(sequence) = &mut self.sequence {
            self.left_out += u64::from(!sequence.push(&frame, &self.schedule));
        } else if (self.frames.len() + 1) * frame.pixels.len() * 2 > self.most_bytes {
            self.left_out += 1;
        } else {
            self.frames.push(frame);
        }
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.sequence.as_ref().map_or(self.frames.len(), Sequence::frames)
    }

    /// The number of frames that were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The pixels of a frame's side that became one.
    pub(crate) fn factor(&self) -> u32 {
        self.factor
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The places of all fixtures, as far as the frames so far show them.
    pub fn mapping(&self) -> Mapping {
        let mut mapping = match &self.sequence {
            Some(sequence) => {
                let mut mapping = Mapping::empty(self.schedule.count(), self.size);
                sequence.find(&mut mapping);
                mapping
            }
            None => found_in(&self.frames, &self.schedule, self.early),
        };
        mapping.enlarge(self.factor, self.size);
        mapping
    }
}

/// The pixels of a side that become one in frames of a size, and the pixels that there are then.
fn reduced((width, height): (u32, u32)) -> (u32, u64) {
    let pixels = |factor: u32| u64::from(width / factor) * u64::from(height / factor);
    let mut factor = 1;
    while pixels(factor) > MOST_AS_IS {
        factor += 1;
    }
    (factor, pixels(factor))
}

/// Checks that there is memory for the frames of a schedule, of a size, and so many before it.
///
/// # Errors
/// The longest hold of which there is; or the most frames, where the schedule lists them or a hold of one frame is too long.
pub(crate) fn check_room(schedule: &Schedule, early: usize, size: (u32, u32)) -> Result<(), ScheduleError> {
    let (_, pixels) = reduced(size);
    let most = (MOST_BYTES as u64 / (2 * pixels.max(1))).saturating_sub(early as u64);
    if schedule.is_sequential() || schedule.frames() as u64 <= most {
        return Ok(());
    }
    let of = format!("of {} x {} pixels", size.0, size.1);
    let longest = most / schedule.states().len() as u64;
    Err(match schedule.listed_frames() {
        None if longest > 0 => ScheduleError {
            name: "hold",
            expected: format!("1 to {longest} frames {of}"),
            got: schedule.hold().to_string(),
        },
        _ => ScheduleError {
            name: "frames",
            expected: format!("1 to {most} {of}"),
            got: schedule.frames().to_string(),
        },
    })
}

/// The places of all fixtures in a recording, whose frames have one size.
pub fn decode(frames: &[Frame], schedule: &Schedule) -> Mapping {
    found_in(frames, schedule, 0)
}

/// As [`decode`], of a recording with so many frames before the schedule.
fn found_in(frames: &[Frame], schedule: &Schedule, early: usize) -> Mapping {
    let mut mapping = seen_in(frames, schedule, early);
    mapping.be_ambiguous_not_dark(&schedule.alike());
    mapping
}

/// As [`found_in`], without regard for fixtures that the schedule does not distinguish.
fn seen_in(frames: &[Frame], schedule: &Schedule, early: usize) -> Mapping {
    let size = frames.first().map_or((0, 0), |frame| (frame.width, frame.height));
    let mut mapping = Mapping::empty(schedule.count(), size);
    if frames.is_empty() {
        return mapping;
    }
    if schedule.is_sequential() {
        let mut sequence = Sequence::new(schedule);
        for frame in frames {
            sequence.push(frame, schedule);
        }
        sequence.find(&mut mapping);
        return mapping;
    }
    let probes = Probes::new(frames, schedule.count().max(64));
    let alignment = align(frames, schedule, &probes, early);
    let (sure, likely) = settle(frames, schedule, &probes, alignment);
    let mut mapping = shown_in(frames, schedule, &probes, &sure);
    if let Some(likely) = likely {
        mapping.add_unsure(shown_in(frames, schedule, &probes, &likely));
    }
    mapping
}

/// As [`seen_in`], with the states of the frames.
fn shown_in(frames: &[Frame], schedule: &Schedule, probes: &Probes, alignment: &Alignment) -> Mapping {
    let size = frames.first().map_or((0, 0), |frame| (frame.width, frame.height));
    let mut mapping = Mapping::empty(schedule.count(), size);
    let (width, height) = (size.0 as usize, size.1 as usize);
    let mut contrasts = contrast::contrasts(frames, schedule, alignment, probes);
    let mut fixes = 0;
    let (sharp, codes, candidates, most) = loop {
        if contrasts.is_empty() {
            return mapping;
        }
        let sharp = Sharp::new(&contrasts, width, height);
        let codes = Codes::new(&contrasts);
        let mut candidates = sharp.candidates(&codes);
        let drift = Drift::new(&contrasts, frames, width, height);
        for candidate in &mut candidates {
            candidate.look(&contrasts, frames, &drift);
        }
        fixes += 1;
        match Trust::new(&candidates, &contrasts, &codes, schedule) {
            Trust::Most(confidence) => break (sharp, codes, candidates, confidence),
            Trust::Turned(index) if fixes < FIXES => contrasts[index].turn(),
            Trust::Without(index) if fixes < FIXES => {
                contrasts.remove(index);
            }
            _ => {
                mapping.be_ambiguous();
                return mapping;
            }
        }
    };
    let pictures = Pictures {
        contrasts: &contrasts,
        width,
        height,
    };
    let images = OnceCell::new();
    let assignment = assign(&candidates, &codes, &sharp.noises, |first| {
        let images = images.get_or_init(|| Mirrors::new(first, &candidates, &pictures, &sharp, frames));
        images.are_known().then_some(|id, index: usize| {
            let candidate: &Candidate = &candidates[index];
            let odds = images.odds(id, candidate.at(), candidate.light);
            if candidate.is_covered { odds.max(1.0) } else { odds }
        })
    });
    let odds = |lamp: &Lamp| {
        let light = lamp.spot.as_ref().map_or(0.0, |spot| SMOOTHED * spot.light);
        images
            .get()
            .map_or(0.0, |images| images.odds(lamp.known.id, lamp.known.at, light))
    };
    let is_image = |lamp: &Lamp| odds(lamp) > 1.0;
    let mut lamps: Vec<Lamp> = assignment
        .claims
        .iter()
        .map(|claim| {
            let candidate = &candidates[claim.candidate];
            Lamp {
                known: Known {
                    id: claim.id,
                    at: candidate.at(),
                },
                confidence: claim.confidence,
                used: used(&contrasts, claim.id, candidate),
                is_covered: candidate.is_covered,
                spot: None,
            }
        })
        .collect();
    measure(&pictures, &mut lamps, BLUR);
    let blur = blur(&lamps);
    measure(&pictures, &mut lamps, blur);
    drop_pictures(&mut lamps, schedule.count(), assignment.images, blur, odds);
    let blobs: Vec<_> = assignment
        .unclaimed
        .iter()
        .map(|index| &candidates[*index])
        .filter(|candidate| !candidate.is_covered)
        .collect();
    let mut mirrors = Vec::new();
    for _ in 0..2 {
        if !overlap::find(&pictures, &mut lamps, &blobs, &mut mirrors, blur, &is_image) {
            break;
        }
        measure(&pictures, &mut lamps, blur);
    }
    let mut doubtful = assignment.doubtful;
    for lamp in &lamps {
        if lamp.confidence < DOUBTFUL {
            doubtful.push(lamp.known.id);
        } else if let Some(spot) = &lamp.spot {
            mapping.fixtures[lamp.known.id as usize] =
                Found::at(lamp.known.id, spot, lamp.confidence.min(most));
        }
    }
    for (id, at) in mirrors {
        mapping.fixtures[id as usize].add_mirror(at);
    }
    for (id, candidate) in assignment.mirrors {
        let candidate = &candidates[candidate];
        mapping.fixtures[id as usize].add_mirror([candidate.x as f64, candidate.y as f64]);
    }
    mapping.give_reasons(&sharp, &contrasts, &codes, &doubtful, frames);
    mapping
}

/// A lamp whose id is known.
#[derive(Clone, Debug)]
struct Lamp {
    known: Known,
    confidence: f32,
    /// The contrasts in which it was seen.
    used: Vec<bool>,
    is_covered: bool,
    spot: Option<Spot>,
}

/// The contrasts in which a lamp was seen; all, where few are left.
fn used(contrasts: &[Contrast], id: u32, candidate: &Candidate) -> Vec<bool> {
    let fits = |contrast: &Contrast, value: f32| {
        f32::from(contrast.signs[id as usize]) * value > 0.3 * candidate.light
    };
    let seen = contrasts
        .iter()
        .zip(candidate.values.iter().zip(&candidate.doubts));
    let used: Vec<bool> = seen
        .map(|(contrast, (value, doubt))| *doubt < 1.0 && fits(contrast, *value))
        .collect();
    if used.iter().filter(|used| **used).count() * 2 > used.len() {
        used
    } else {
        vec![true; used.len()]
    }
}

/// Measures all lamps, each beside those around it; their places become more exact.
fn measure(pictures: &Pictures<'_>, lamps: &mut [Lamp], blur: f64) {
    let grid = Grid::new(lamps.iter().map(|lamp| lamp.known));
    for lamp in lamps.iter_mut() {
        let beside = Pictures::beside(
            lamp.known.at,
            grid.around(lamp.known.at)
                .filter(|known| known.id != lamp.known.id),
        );
        lamp.spot = pictures.spot(lamp.known, &beside, &lamp.used, blur);
    }
    for lamp in lamps {
        if let Some(spot) = &lamp.spot {
            lamp.known.at = spot.at;
        }
    }
}

/// Drops what is hardly above the noise, and mirror images of lamps that were not found: what has a lamp with its id where a mirror would
/// show it; what is wide where a mirror may show a lamp that is not seen itself; and what is wide and dim, unless it is hardly ever an
/// image and no lamp out of focus. `seen` images are those of lamps that were found, and `odds` those of an image.
fn drop_pictures(lamps: &mut Vec<Lamp>, count: usize, seen: usize, blur: f64, odds: impl Fn(&Lamp) -> f64) {
    let claimed = lamps.len();
    let mut lights: Vec<f32> = lamps
        .iter()
        .filter_map(|lamp| Some(lamp.spot.as_ref()?.light))
        .collect();
    lights.sort_by(f32::total_cmp);
    let usual = lights.get(lights.len() / 2).copied().unwrap_or_default();
    let is_dim = |spot: &Spot| spot.width >= WIDE * blur && spot.light <= DIM * usual;
    lamps.retain(|lamp| {
        let Some(spot) = &lamp.spot else { return false };
        let odds = odds(lamp);
        let is_image = odds > 1.0 || odds == 1.0 && spot.width >= WIDE * blur;
        spot.light > NOISES * spot.noise && !is_image
    });
    let dim = |lamp: &Lamp| lamp.spot.as_ref().is_some_and(is_dim);
    let dims = lamps.iter().filter(|lamp| dim(lamp)).count();
    // Lamps that are not found have images as often as those that are.
    let images = seen * (count.saturating_sub(claimed) + dims);
    if FEW * images > dims * claimed {
        lamps.retain(|lamp| !dim(lamp));
    } else if RARE * images > dims * claimed {
        for lamp in lamps.iter_mut().filter(|lamp| dim(lamp)) {
            lamp.confidence = lamp.confidence.min(UNSURE);
        }
    }
}

/// The median blur of lamps, within what a window can follow.
fn blur(lamps: &[Lamp]) -> f64 {
    let mut widths: Vec<f64> = lamps
        .iter()
        .filter_map(|lamp| Some(lamp.spot.as_ref()?.width))
        .collect();
    widths.sort_by(f64::total_cmp);
    widths
        .get(widths.len() / 2)
        .map_or(BLUR, |width| width.clamp(0.8, 3.0))
}

/// Lamps by their places.
pub(crate) struct Grid {
    cells: HashMap<(i64, i64), Vec<Known>>,
}

impl Grid {
    const CELL: f64 = 16.0;

    pub(crate) fn new(lamps: impl Iterator<Item = Known>) -> Self {
        let mut cells: HashMap<_, Vec<_>> = HashMap::new();
        for lamp in lamps {
            cells.entry(Self::cell(lamp.at)).or_default().push(lamp);
        }
        Self { cells }
    }

    fn cell(at: [f64; 2]) -> (i64, i64) {
        (
            (at[0] / Self::CELL).floor() as i64,
            (at[1] / Self::CELL).floor() as i64,
        )
    }

    pub(crate) fn around(&self, at: [f64; 2]) -> impl Iterator<Item = &Known> {
        let (x, y) = Self::cell(at);
        let cells = (-1..=1).flat_map(move |row| (-1..=1).map(move |column| (x + column, y + row)));
        cells.filter_map(|cell| self.cells.get(&cell)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_without_memory_for_them_are_counted() {
        let frame = |side| Frame {
            width: side,
            height: side,
            pixels: vec![0; (side * side) as usize],
        };
        let mut decoder = Decoder::new(Schedule::standard(4, 2).expect("schedule"));
        decoder.most_bytes = 1_000;
        for side in [16, 16, 8, 16] {
            decoder.push(frame(side));
        }
        assert_eq!((decoder.frames(), decoder.left_out()), (1, 3));
    }
}
