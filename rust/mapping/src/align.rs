//! Which state of the schedule each frame shows: cameras begin late, drop frames, and change in the middle of an exposure.

use crate::frames::Frame;
use crate::schedule::Schedule;

/// Frames before the first state, and after the last, that there may be also where a recording is no longer than its schedule.
const LEAD: usize = 16;
/// Side of the cells that have one probe each, in pixels.
const CELL: usize = 8;
/// The most probes.
const PROBES: usize = 2_048;
/// What a dropped or repeated frame costs, in the units of a misfit.
const SKIP: f32 = 9.0;
/// What a beginning at another frame than the first costs, and each frame outside of the schedule.
const SHIFT: f32 = 6.0;
const OUTSIDE: f32 = 2.0;
/// The most places of the schedule times frames; with more, frames are taken as they come, as one more or less hardly counts then.
const MOST_STEPS: usize = 1 << 28;
/// The standard deviation of a change, and the most that one misfit costs.
const SPREAD: f32 = 0.1;
const WORST: f32 = 8.0;
/// The same of the light of a frame, where there are many lamps; few differ from the mean by more.
const LIGHT: f32 = 0.12;
const FEW: f32 = 1.0;
const WORST_LIGHT: f32 = 1.0;

/// The state of each frame, and its place within the hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alignment {
    pub(crate) places: Vec<Option<(usize, usize)>>,
}

/// Pixels that change the most, one of each cell, with how much they do.
#[derive(Clone, Debug)]
pub(crate) struct Probes {
    pub(crate) pixels: Vec<(usize, f32)>,
}

impl Probes {
    pub(crate) fn new(frames: &[Frame], wanted: usize) -> Self {
        let Some(first) = frames.first() else {
            return Self { pixels: Vec::new() };
        };
        // Lamps change with every state, people once or twice.
        let mut sums = vec![0_u32; first.pixels.len()];
        for pair in frames.windows(2) {
            for (sum, (one, other)) in sums.iter_mut().zip(pair[0].pixels.iter().zip(&pair[1].pixels)) {
                *sum = sum.wrapping_add(u32::from(one.abs_diff(*other)));
            }
        }
        let width = first.width as usize;
        let mut best: Vec<(usize, u32)> = vec![(0, 0); width.div_ceil(CELL)];
        let mut pixels: Vec<(usize, u32)> = Vec::new();
        for (row, sums) in sums.chunks_exact(width).enumerate() {
            for (index, (cell, sums)) in best.iter_mut().zip(sums.chunks(CELL)).enumerate() {
                for (column, sum) in sums.iter().enumerate() {
                    if *sum > cell.1 {
                        *cell = (row * width + index * CELL + column, *sum);
                    }
                }
            }
            if row % CELL == CELL - 1 || (row + 1) * width == first.pixels.len() {
                pixels.extend(best.iter().filter(|(_, sum)| *sum > 0));
                best.fill((0, 0));
            }
        }
        pixels.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        pixels.truncate(wanted.clamp(16, PROBES));
        let range = |(place, _): (usize, u32)| {
            let levels = || frames.iter().map(|frame| frame.pixels[place]);
            let range = levels().max().unwrap_or_default() - levels().min().unwrap_or_default();
            (place, f32::from(range.max(1)))
        };
        Self {
            pixels: pixels.into_iter().map(range).collect(),
        }
    }

    /// How bright the pixels of each frame are, 0 to 1 between their darkest and their brightest.
    pub(crate) fn brightness(&self, frames: &[Frame]) -> Vec<f32> {
        let low = |place: usize| {
            frames
                .iter()
                .map(|frame| frame.pixels[place])
                .min()
                .unwrap_or_default()
        };
        let lows: Vec<u16> = self.pixels.iter().map(|(place, _)| low(*place)).collect();
        let light = |frame: &Frame| {
            let pixels = self.pixels.iter().zip(&lows);
            self.part(pixels.map(|((place, _), low)| frame.pixels[*place] - low))
        };
        frames.iter().map(light).collect()
    }

    /// How much each frame differs from the one before, 0 to 1.
    fn changes(&self, frames: &[Frame]) -> Vec<f32> {
        let change = |pair: &[Frame]| {
            let places = self.pixels.iter().map(|(place, _)| *place);
            self.part(places.map(|place| pair[1].pixels[place].abs_diff(pair[0].pixels[place])))
        };
        frames.windows(2).map(change).collect()
    }

    /// A sum of levels in parts of all ranges: pixels that have only noise hardly count.
    fn part(&self, levels: impl Iterator<Item = u16>) -> f32 {
        let all: f32 = self.pixels.iter().map(|(_, range)| range).sum();
        levels.map(f32::from).sum::<f32>() / all.max(1.0)
    }
}

/// Finds the state of each frame.
pub(crate) fn align(frames: &[Frame], schedule: &Schedule, probes: &Probes) -> Alignment {
    let hold = schedule.hold();
    let place =
        |frame: usize| (frame / hold < schedule.states().len()).then_some((frame / hold, frame % hold));
    if let Some(listed) = schedule.listed_frames() {
        let mut places: Vec<Option<(usize, usize)>> = Vec::with_capacity(frames.len());
        for frame in 0..frames.len() {
            let before = places.last().copied().flatten();
            places.push(listed.get(frame).map(|state| match before {
                Some((last, within)) if last == *state => (last, within + 1),
                _ => (*state, 0),
            }));
        }
        return Alignment { places };
    }
    let plain = Alignment {
        places: (0..frames.len()).map(place).collect(),
    };
    let changes = probes.changes(frames);
    // One of the larger changes of states, however long nothing changes before and after them.
    let large = schedule.states().len() / 5;
    let (floor, full) = (quantile(&changes, 0.1), largest(&changes, large));
    if hold == 1 || full - floor < 0.02 {
        return plain;
    }
    let total = schedule.states().len() * hold;
    let lead = LEAD + frames.len().saturating_sub(total);
    if (total + 2 * lead) * frames.len() > MOST_STEPS {
        return plain;
    }
    // All lamps, and none, differ from some by the light alone: the changes between them are those of other states.
    let light = probes.brightness(frames);
    let (dark, all) = (quantile(&light, 0.0), quantile(&light, 1.0));
    let light: Vec<f32> = light
        .iter()
        .map(|light| (light - dark) / (all - dark).max(1e-6))
        .collect();
    let spread = LIGHT + FEW / (schedule.count() as f32).sqrt();
    let best = [0.0, 0.2, 0.4, 0.6, 0.8].map(|mix| {
        let expected = Expected::new(schedule, mix);
        // Noise adds to every change, people and different lamps take from each.
        let (low, high) = (
            quantile(&expected.changes[0], 0.1),
            largest(&expected.changes[0], large),
        );
        let scaled: Vec<f32> = changes
            .iter()
            .map(|change| low + (change - floor) / (full - floor) * (high - low))
            .collect();
        let dim = |frame: usize, place: usize| {
            let off = (light[frame] - expected.light[place]) / spread;
            (0.5 * off * off).min(WORST_LIGHT)
        };
        path(&scaled, &expected, dim, total, lead)
    });
    let best = best.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
    let Some((_, path)) = best else { return plain };
    Alignment {
        places: path
            .into_iter()
            .map(|at| at.checked_sub(lead).and_then(place))
            .collect(),
    }
}

/// What a part of some values is below.
fn quantile(values: &[f32], part: f32) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted
        .get(((sorted.len() as f32 * part) as usize).min(sorted.len().max(1) - 1))
        .copied()
        .unwrap_or_default()
}

/// The value that so many others are above.
fn largest(values: &[f32], above: usize) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    sorted
        .get(above.min(sorted.len().max(1) - 1))
        .copied()
        .unwrap_or_default()
}

/// What should change from a frame to a later one.
struct Expected {
    /// By the number of frames between, 1 to 3, and the place of the first.
    changes: [Vec<f32>; 3],
    /// By the place, the part of the lamps that is lit.
    light: Vec<f32>,
}

impl Expected {
    /// `mix`: how much of the state before is in the first frame of each.
    fn new(schedule: &Schedule, mix: f32) -> Self {
        let (states, hold) = (schedule.states(), schedule.hold());
        let count = schedule.count() as u32;
        let sample = count.min(256);
        // Ids that are spread over all, so that each bit is set in half of them.
        let ids = || {
            (0..sample).map(|index| {
                if count <= 256 {
                    index
                } else {
                    index.wrapping_mul(2_654_435_761) % count
                }
            })
        };
        let light = |frame: usize, id: u32| {
            let (state, within) = (frame / hold, frame % hold);
            let lit = |state: usize| if states[state].lights(id) { 1.0 } else { 0.0 };
            if within == 0 && state > 0 {
                mix * lit(state - 1) + (1.0 - mix) * lit(state)
            } else {
                lit(state)
            }
        };
        let total = states.len() * hold;
        let changes = [1, 2, 3].map(|step| {
            (0..total.saturating_sub(step))
                .map(|frame| {
                    let change = |id| f32::abs(light(frame + step, id) - light(frame, id));
                    ids().map(change).sum::<f32>() / sample as f32
                })
                .collect()
        });
        let lit = |frame| ids().map(|id| light(frame, id)).sum::<f32>() / sample as f32;
        Self {
            changes,
            light: (0..total).map(lit).collect(),
        }
    }
}

/// The likeliest places of the frames, counted from `lead` frames before the schedule, and what they cost.
/// `dim`: what a frame's light costs at a place of the schedule.
fn path(
    changes: &[f32],
    expected: &Expected,
    dim: impl Fn(usize, usize) -> f32,
    total: usize,
    lead: usize,
) -> (f32, Vec<usize>) {
    let places = total + 2 * lead;
    let alone = |frame: usize, at: usize| match at.checked_sub(lead) {
        Some(place) if place < total => dim(frame, place),
        _ => OUTSIDE,
    };
    let mut costs: Vec<f32> = (0..places)
        .map(|at| {
            alone(0, at)
                + if at == lead {
                    0.0
                } else {
                    SHIFT + at.abs_diff(lead) as f32 * 0.1
                }
        })
        .collect();
    let mut steps: Vec<Vec<u8>> = Vec::with_capacity(changes.len());
    for (frame, change) in changes.iter().enumerate() {
        let mut next = vec![f32::INFINITY; places];
        let mut taken = vec![0_u8; places];
        for at in 0..places {
            let own = alone(frame + 1, at);
            for (step, skip) in [(1, 0.0), (0, SKIP), (2, SKIP), (3, SKIP * 1.5)] {
                let Some(from) = at.checked_sub(step) else {
                    continue;
                };
                let wanted = match (from.checked_sub(lead), step) {
                    (Some(_), 0) => Some(0.0),
                    (Some(from), step) => expected.changes[step - 1].get(from).copied(),
                    (None, _) => None,
                };
                let misfit = wanted.map_or(1.0, |wanted| {
                    let off = (change - wanted) / SPREAD;
                    (0.5 * off * off).min(WORST)
                });
                let cost = costs[from] + skip + misfit + own;
                if cost < next[at] {
                    (next[at], taken[at]) = (cost, step as u8);
                }
            }
        }
        costs = next;
        steps.push(taken);
    }
    let end = (0..places)
        .min_by(|one, other| costs[*one].total_cmp(&costs[*other]))
        .unwrap_or_default();
    let mut path = vec![end];
    let mut at = end;
    for taken in steps.iter().rev() {
        at -= usize::from(taken[at]);
        path.push(at);
    }
    path.reverse();
    (costs[end], path)
}
