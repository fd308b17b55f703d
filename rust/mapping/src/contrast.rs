//! Differences of states next to each other in time: what stays as it is leaves them, and each lamp has a sign in each.

use crate::align::{Alignment, Probes};
use crate::frames::Frame;
use crate::schedule::{Schedule, State};

/// Bands of rows whose shutter is judged together.
const BANDS: usize = 16;
/// Of the clearest frame of a hold, what another one must have to be used.
const CLEAR: f32 = 0.93;

/// A difference of states.
#[derive(Clone, Debug)]
pub(crate) struct Contrast {
    /// Of each id, 1 where the lamp adds light to the difference, -1 where it takes it, else 0.
    pub(crate) signs: Vec<i8>,
    /// The pixels, in parts of white.
    pub(crate) values: Vec<f32>,
    /// The standard deviation of a pixel's noise.
    pub(crate) noise: f32,
    /// Whether it is that of the last state shown, without its complement, which that may as well be.
    pub(crate) is_end: bool,
    /// Whether it is that of the first state shown, and that is dark or all, which look alike there except for their light.
    pub(crate) is_first: bool,
    /// Of each band of rows, the frames of a state and of its complement; empty without a complement.
    frames: Vec<[Vec<usize>; 2]>,
}

impl Contrast {
    /// Takes the last state for its complement.
    pub(crate) fn turn(&mut self) {
        self.signs.iter_mut().for_each(|sign| *sign = -*sign);
    }

    /// The light at a pixel inside of the picture in each frame of the state, and of its complement; none without one.
    pub(crate) fn levels(&self, frames: &[Frame], x: usize, y: usize) -> Option<[Vec<Level>; 2]> {
        let height = frames.first()?.height as usize;
        let band = self.frames.get(y * BANDS / height)?;
        Some([0, 1].map(|state| {
            let levels = band[state].iter().map(|frame| Level::of(&frames[*frame], x, y));
            levels.collect()
        }))
    }
}

/// The light at a pixel, and how much that is above the pixels around it, in parts of white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level {
    pub(crate) light: f32,
    pub(crate) above: f32,
}

impl Level {
    /// The mean of some.
    pub(crate) fn mean(levels: &[Self]) -> Self {
        let sum = levels.iter().fold((0.0, 0.0), |sum, level| {
            (sum.0 + level.light, sum.1 + level.above)
        });
        Self {
            light: sum.0 / levels.len() as f32,
            above: sum.1 / levels.len() as f32,
        }
    }

    pub(crate) fn of(frame: &Frame, x: usize, y: usize) -> Self {
        let (width, height) = (frame.width as usize, frame.height as usize);
        let at = |dx: isize, dy: isize| {
            let x = x.saturating_add_signed(dx).min(width - 1);
            let y = y.saturating_add_signed(dy).min(height - 1);
            f32::from(frame.pixels[y * width + x]) / 65_535.0
        };
        let mean = |places: &[(isize, isize)]| {
            places.iter().map(|(dx, dy)| at(*dx, *dy)).sum::<f32>() / places.len() as f32
        };
        let light = mean(&[(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]);
        let around = [
            (-5, 0),
            (5, 0),
            (0, -5),
            (0, 5),
            (-4, -4),
            (4, -4),
            (-4, 4),
            (4, 4),
        ];
        Self {
            light,
            above: light - mean(&around),
        }
    }
}

/// What states are compared: their numbers and weights.
struct Pairing {
    weights: Vec<(usize, f32)>,
    signs: Vec<i8>,
    is_end: bool,
    is_first: bool,
}

/// The number of contrasts of a recording that shows all states.
pub(crate) fn complete(schedule: &Schedule) -> usize {
    pairings(schedule, &vec![vec![(0, 0)]; schedule.states().len()]).len()
}

/// The states that were shown, each with its complement. A recording may end between a state and its complement: the last state is then
/// compared with the last two that have each other, or with dark and all. It may begin with the last of those: that is compared with the
/// next two. One in between is left out: the frames of a state that was lost look like those of its complement, and the contrast would be
/// turned over for all lamps.
fn pairings(schedule: &Schedule, shown: &[Vec<(usize, usize)>]) -> Vec<Pairing> {
    let (states, count) = (schedule.states(), schedule.count() as u32);
    let lit = |state: &State| (0..count).map(|id| state.lights(id)).collect::<Vec<_>>();
    let sets: Vec<_> = states.iter().map(lit).collect();
    let is_shown = |state: usize| !shown[state].is_empty();
    let of = |wanted: bool| {
        let mut shown = (0..states.len()).filter(|at| is_shown(*at));
        shown.find(|at| sets[*at].iter().all(|lit| *lit == wanted))
    };
    let both = of(false).zip(of(true));
    let first = (0..states.len()).find(|at| is_shown(*at));
    let end = (0..states.len()).rev().find(|at| is_shown(*at));
    let are_complements = |at: usize| {
        let next = sets.get(at + 1);
        next.is_some_and(|next| sets[at].iter().zip(next).all(|(one, other)| one != other))
    };
    let is_same = |at: usize| sets[at].iter().all(|lit| *lit == sets[at][0]);
    let next = |from: usize| {
        let mut both = (from..states.len()).map(|at| (at, at + 1));
        both.find(|(at, next)| are_complements(*at) && is_shown(*at) && is_shown(*next))
    };
    let mut last = None;
    let mut found = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let here = at;
        let are_complements = are_complements(here);
        at += if are_complements { 2 } else { 1 };
        if are_complements && is_shown(here) && is_shown(here + 1) {
            last = Some((here, here + 1));
            found.push(Pairing {
                weights: vec![(here, 1.0), (here + 1, -1.0)],
                signs: sets[here].iter().map(|lit| if *lit { 1 } else { -1 }).collect(),
                is_end: false,
                is_first: false,
            });
            continue;
        }
        for one in (here..at).filter(|one| is_shown(*one)) {
            let others = match are_complements {
                false => both,
                true if Some(one) == end => last.or(both),
                true if Some(one) == first && is_same(one) => next(at),
                true => None,
            };
            let Some((dark, all)) = others else { continue };
            if one != dark && one != all {
                let is_first = Some(one) == first && is_same(one);
                // Where all add their light, nothing else would be seen: so they take it.
                let sign = if is_first && sets[one][0] { -1 } else { 1 };
                let signs = sets[one].iter().map(|lit| if *lit { sign } else { -sign });
                let weight = f32::from(sign);
                found.push(Pairing {
                    weights: vec![(one, 2.0 * weight), (dark, -weight), (all, -weight)],
                    signs: signs.collect(),
                    is_end: are_complements && Some(one) == end,
                    is_first,
                });
            }
        }
    }
    found
}

/// The contrasts of a recording.
pub(crate) fn contrasts(
    frames: &[Frame],
    schedule: &Schedule,
    alignment: &Alignment,
    probes: &Probes,
) -> Vec<Contrast> {
    let Some(first) = frames.first() else {
        return Vec::new();
    };
    let (width, height) = (first.width as usize, first.height as usize);
    let shown = shown(schedule, alignment);
    let pairings = pairings(schedule, &shown);
    let clear = clear(frames, schedule, &pairings, &shown, probes, height, width);
    let mut found = Vec::with_capacity(pairings.len());
    for pairing in pairings {
        let mut values = vec![0.0_f32; width * height];
        let mut shows = Vec::new();
        for (band, clear) in clear.iter().enumerate() {
            // The rows whose number times BANDS / height is the band.
            let rows = (band * height).div_ceil(BANDS)..((band + 1) * height).div_ceil(BANDS);
            let part = rows.start * width..rows.end * width;
            let mut both = Vec::new();
            for (state, weight) in &pairing.weights {
                let all = &shown[*state];
                let mut used: Vec<usize> = all
                    .iter()
                    .filter(|(_, within)| clear.get(*within) != Some(&false))
                    .map(|(frame, _)| *frame)
                    .collect();
                if used.is_empty() {
                    used = all.iter().map(|(frame, _)| *frame).collect();
                }
                let factor = weight / used.len() as f32 / 65_535.0;
                for frame in &used {
                    let pixels = &frames[*frame].pixels[part.clone()];
                    for (value, pixel) in values[part.clone()].iter_mut().zip(pixels) {
                        *value += f32::from(*pixel) * factor;
                    }
                }
                both.push(used);
            }
            shows.extend(<[_; 2]>::try_from(both));
        }
        found.push(Contrast {
            noise: noise(&values),
            signs: pairing.signs,
            is_end: pairing.is_end,
            is_first: pairing.is_first,
            values,
            frames: shows,
        });
    }
    found
}

/// The frames of each state, with their places within its hold.
fn shown(schedule: &Schedule, alignment: &Alignment) -> Vec<Vec<(usize, usize)>> {
    let mut shown = vec![Vec::new(); schedule.states().len()];
    for (frame, place) in alignment.places.iter().enumerate() {
        if let Some((state, within)) = place {
            shown[*state].push((frame, *within));
        }
    }
    shown
}

/// Of each band of rows, which places of a hold show their state alone: a frame whose exposure saw a change has less contrast.
fn clear(
    frames: &[Frame],
    schedule: &Schedule,
    pairings: &[Pairing],
    shown: &[Vec<(usize, usize)>],
    probes: &Probes,
    height: usize,
    width: usize,
) -> Vec<Vec<bool>> {
    let longest = shown
        .iter()
        .flatten()
        .map(|(_, within)| within + 1)
        .max()
        .unwrap_or(1);
    let places = longest.min((schedule.hold() + 1).max(8));
    let mut sums = vec![vec![0.0_f32; places]; BANDS];
    let mut everywhere = vec![0.0_f32; places];
    let mut counts = vec![0; places];
    for pairing in pairings.iter().filter(|pairing| pairing.weights.len() == 2) {
        let [one, other] = [0, 1].map(|index| &shown[pairing.weights[index].0]);
        for place in 0..places {
            let at = |list: &[(usize, usize)]| {
                list.iter()
                    .find(|(_, within)| *within == place)
                    .map(|(frame, _)| *frame)
            };
            let (Some(one), Some(other)) = (at(one), at(other)) else {
                continue;
            };
            counts[place] += 1;
            for (pixel, range) in &probes.pixels {
                let difference = frames[one].pixels[*pixel].abs_diff(frames[other].pixels[*pixel]);
                let band = pixel / width * BANDS / height.max(1);
                let part = (f32::from(difference) / range).min(1.0);
                sums[band.min(BANDS - 1)][place] += part;
                everywhere[place] += part;
            }
        }
    }
    let mut probes_of = [0_usize; BANDS];
    for (pixel, _) in &probes.pixels {
        probes_of[(pixel / width * BANDS / height.max(1)).min(BANDS - 1)] += 1;
    }
    let judged = |sums: &[f32]| {
        let means: Vec<f32> = sums
            .iter()
            .zip(&counts)
            .map(|(sum, count)| sum / (*count).max(1) as f32)
            .collect();
        let best = means.iter().copied().fold(0.0, f32::max);
        means.iter().map(|mean| *mean >= CLEAR * best).collect::<Vec<_>>()
    };
    // A band with few probes is judged by all.
    (0..BANDS)
        .map(|band| {
            judged(if probes_of[band] >= 12 {
                &sums[band]
            } else {
                &everywhere
            })
        })
        .collect()
}

/// The standard deviation of the noise of a pixel: of the differences of neighbours, which lamps and light that changes slowly hardly
/// touch.
pub(crate) fn noise(values: &[f32]) -> f32 {
    let mut differences: Vec<f32> = values
        .windows(2)
        .step_by(13)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    // Where most of the picture is black, or white, it has no noise there; that of the rest counts.
    let moving = differences.iter().filter(|difference| **difference > 0.0).count();
    if (differences.len() / 8..differences.len() / 2).contains(&moving) {
        differences.retain(|difference| *difference > 0.0);
    }
    if differences.is_empty() {
        return 0.0;
    }
    let middle = differences.len() / 2;
    let (_, median, _) = differences.select_nth_unstable_by(middle, f32::total_cmp);
    // The median of the absolute value of a normal distribution is 0.6745 of its standard deviation; a difference has two noises.
    // Cameras have steps of 1/255, below which this says nothing.
    (*median / 0.6745 / std::f32::consts::SQRT_2).max(0.3 / 255.0)
}
