//! Which state of the schedule each frame shows: cameras begin late, drop frames, and change in the middle of an exposure.

mod expected;
mod rivals;

use crate::frames::Frame;
use crate::schedule::Schedule;
use expected::Expected;
pub(crate) use rivals::settle;

/// Frames before the first state, and after the last, that there may be also where a recording is no longer than its schedule.
const LEAD: usize = 16;
/// Side of the cells that have one probe each, in pixels.
const CELL: usize = 8;
/// The most probes.
const PROBES: usize = 2_048;
/// What a dropped or repeated frame costs, in the units of a misfit.
const SKIP: f32 = 9.0;
/// What a beginning at another frame than the expected one costs, each of so many frames in between at most, and each one outside of the
/// schedule.
const SHIFT: f32 = 6.0;
const EACH: f32 = 0.1;
const FAR: usize = 64;
const OUTSIDE: f32 = 2.0;
/// The most frames of the schedule times frames of the recording; with more, frames are taken as they come.
const MOST_STEPS: usize = 1 << 28;
/// The standard deviation of a change, and the most that one misfit costs.
const SPREAD: f32 = 0.1;
const WORST: f32 = 8.0;
/// The same of the light of a frame, where there are many lamps; few differ from the mean by more.
const LIGHT: f32 = 0.12;
const FEW: f32 = 1.0;
const WORST_LIGHT: f32 = 1.0;

/// The part of the state before in its first frame above which a frame is that one's.
const MIXED: f32 = 0.7;

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

/// Finds the state of each frame. `early`: the frames before the schedule that are expected.
pub(crate) fn align(frames: &[Frame], schedule: &Schedule, probes: &Probes, early: usize) -> Alignment {
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
        places: (0..frames.len())
            .map(|frame| frame.checked_sub(early).and_then(place))
            .collect(),
    };
    let changes = probes.changes(frames);
    // One of the larger changes of states, however long nothing changes before and after them.
    let large = schedule.states().len() / 5;
    let (floor, full) = (quantile(&changes, 0.1), largest(&changes, large));
    if full - floor < 0.02 {
        return plain;
    }
    let total = schedule.states().len() * hold;
    if (total + 2) * frames.len() > MOST_STEPS {
        return plain;
    }
    let outside = Outside {
        most: LEAD + frames.len().saturating_sub(total),
        early,
    };
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
        let (cost, path) = path(&scaled, &expected, dim, total, &outside);
        let shows = |at: usize| match (place(at)?, mix > MIXED) {
            ((state @ 1.., 0), true) => Some((state - 1, hold)),
            (shown, _) => Some(shown),
        };
        let places = path.into_iter().map(|at| at.checked_sub(1).and_then(shows));
        (cost, places.collect())
    });
    let best = best.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
    best.map_or(plain, |(_, places)| Alignment { places })
}

/// The quantile of some values: what a part of them is below; 0 of none.
fn quantile(values: &[f32], part: f32) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted
        .get(((sorted.len() as f32 * part) as usize).min(sorted.len().max(1) - 1))
        .copied()
        .unwrap_or_default()
}

/// The n-th largest of some values, from 0, or the least; 0 of none.
fn largest(values: &[f32], above: usize) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    sorted
        .get(above.min(sorted.len().max(1) - 1))
        .copied()
        .unwrap_or_default()
}

/// The frames before the schedule, and after it.
struct Outside {
    /// The most before it, and the most after it.
    most: usize,
    /// Those before it that are expected.
    early: usize,
}

impl Outside {
    /// What so many frames before the schedule cost, and so many of its first ones that are missing.
    fn cost(&self, before: usize, missing: usize) -> f32 {
        match before.abs_diff(self.early) + missing {
            0 => 0.0,
            off => SHIFT + off.min(FAR) as f32 * EACH,
        }
    }
}

/// The likeliest places of the frames, and what they cost: 0 before the schedule, 1 for its first frame and so on, and `total` + 1 after
/// it.
/// `dim`: what a frame's light costs at a place of the schedule.
fn path(
    changes: &[f32],
    expected: &Expected,
    dim: impl Fn(usize, usize) -> f32,
    total: usize,
    outside: &Outside,
) -> (f32, Vec<usize>) {
    let (places, after) = (total + 2, total + 1);
    let alone = |frame: usize, at: usize| match at.checked_sub(1) {
        Some(place) if place < total => dim(frame, place),
        _ => OUTSIDE,
    };
    let begin = |at: usize| match at {
        0 => alone(0, at),
        _ if at < after => alone(0, at) + outside.cost(0, at - 1),
        _ => f32::INFINITY,
    };
    let hold = expected.hold;
    // The places from one frame to the next, and what they cost.
    let moves = [
        (1, 0.0),
        (0, SKIP),
        (2, SKIP),
        (3, SKIP * 1.5),
        (hold + 1, SKIP * 1.5),
    ];
    let mut costs: Vec<f32> = (0..places).map(begin).collect();
    let mut steps: Vec<Vec<u8>> = Vec::with_capacity(changes.len());
    for (last, change) in changes.iter().enumerate() {
        let frame = last + 1;
        let mut next = vec![f32::INFINITY; places];
        let mut taken = vec![0_u8; places];
        for at in 0..places {
            let is_possible = match at {
                0 => frame < outside.most,
                _ => at < after || frame + outside.most > changes.len(),
            };
            if !is_possible {
                continue;
            }
            let own = alone(frame, at);
            for (number, (step, skip)) in moves.into_iter().enumerate() {
                let Some(from) = at.checked_sub(step) else {
                    continue;
                };
                // A state is lost from the last frame of one to the first one of another.
                if number == 4 && (hold < 3 || (at - 1) % hold != 0) {
                    continue;
                }
                let wanted = match (from, step) {
                    (0, _) => None,
                    // A state of one frame is shown once.
                    (from, 0) if from < after && hold == 1 => continue,
                    (from, 0) if from < after => Some(0.0),
                    (_, 0) => None,
                    (from, _) => expected.changes[number.saturating_sub(1)].get(from - 1).copied(),
                };
                let misfit = wanted.map_or(1.0, |wanted| {
                    let off = (change - wanted) / SPREAD;
                    (0.5 * off * off).min(WORST)
                });
                let skip = match (from, step) {
                    // Before and after the schedule all frames are alike.
                    (0, 0) => 0.0,
                    (from, 0) if from == after => 0.0,
                    (0, _) => skip + outside.cost(frame, 0),
                    _ => skip,
                };
                let cost = costs[from] + skip + misfit + own;
                if cost < next[at] {
                    (next[at], taken[at]) = (cost, number as u8);
                }
            }
        }
        costs = next;
        steps.push(taken);
    }
    let end = (1..places)
        .min_by(|one, other| costs[*one].total_cmp(&costs[*other]))
        .unwrap_or_default();
    let mut path = vec![end];
    let mut at = end;
    for taken in steps.iter().rev() {
        at -= moves[usize::from(taken[at])].0;
        path.push(at);
    }
    path.reverse();
    (costs[end], path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: u32 = 24;

    /// The frame of a state, each of whose fixtures lights a pixel.
    fn frame(schedule: &Schedule, state: usize) -> Frame {
        let mut pixels = vec![1_000; (SIDE * SIDE) as usize];
        for id in 0..schedule.count() as u32 {
            if schedule.states()[state].lights(id) {
                pixels[((id / 3 * 8 + 4) * SIDE + id % 3 * 8 + 4) as usize] = 50_000;
            }
        }
        Frame {
            width: SIDE,
            height: SIDE,
            pixels,
        }
    }

    /// The places in a recording with so many dark frames before and after the schedule.
    fn aligned(
        schedule: &Schedule,
        early: usize,
        before: usize,
        after: usize,
    ) -> Vec<Option<(usize, usize)>> {
        let shown = (0..schedule.frames()).map(|at| frame(schedule, at / schedule.hold()));
        let dark = |count| vec![frame(schedule, 0); count];
        let frames: Vec<Frame> = dark(before).into_iter().chain(shown).chain(dark(after)).collect();
        let probes = Probes::new(&frames, 64);
        align(&frames, schedule, &probes, early).places
    }

    fn expected(schedule: &Schedule, before: usize, after: usize) -> Vec<Option<(usize, usize)>> {
        let hold = schedule.hold();
        let shown = (0..schedule.frames()).map(|at| Some((at / hold, at % hold)));
        let none = |count| vec![None; count];
        none(before).into_iter().chain(shown).chain(none(after)).collect()
    }

    #[test]
    fn recordings_of_minutes_may_begin_late() {
        let schedule = Schedule::standard(9, 3).expect("schedule");
        // The limit was once at 11,590 frames.
        for (before, after) in [(12_000, 30), (30, 12_000)] {
            let places = aligned(&schedule, 0, before, after);
            let first = places.iter().position(Option::is_some).unwrap_or_default();
            assert!(first.abs_diff(before) <= schedule.hold(), "{before}: {first}");
            let begin = before + schedule.hold();
            let end = before + schedule.frames();
            assert_eq!(places[begin..end], expected(&schedule, before, after)[begin..end]);
        }
    }

    #[test]
    fn frames_that_are_expected_before_the_schedule_are_none_of_it() {
        for hold in [1, 2] {
            let schedule = Schedule::standard(9, hold).expect("schedule");
            for early in [0, 1, 2] {
                assert_eq!(
                    aligned(&schedule, early, early, 0),
                    expected(&schedule, early, 0),
                    "{hold}, {early}"
                );
            }
        }
    }
}
