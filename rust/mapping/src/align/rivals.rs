//! Whether other states than those that frames are taken for explain them better, or about as well: where some were lost, all the
//! following ones are others, and no lamp alone shows that.
//!
//! Each explanation has a length in bits (J. Rissanen, Modeling by Shortest Data Description, Automatica 14, 1978): what says the code of
//! each lamp, what says which states are missing, and what says each exception, as where somebody covers a lamp.

use super::{Alignment, Probes};
use crate::contrast::Level;
use crate::frames::Frame;
use crate::schedule::Schedule;
use std::collections::HashMap;
use std::ops::Range;

/// The most probes that are looked at: enough, as each of them may speak against a wrong state.
const PROBES: usize = 256;
/// What an exception costs, in bits: of the states of a lamp, one in 32 is covered. More than two of a lamp count as two: it is none.
const EXCEPTION: usize = 5;
/// What states cost that are missing in a row: one recording in a thousand lacks some. One in 32 ends early.
const LOSS: usize = 10;
const END: usize = 5;
/// By how many bits more an explanation is about as good as the best: more than what an end costs, as that may be one, and less than what
/// a loss costs, or what nobody lost would be one. And by how many it is as good: less than what an end or an exception costs.
const AS_GOOD: usize = 8;
const EQUAL: usize = 4;
const _: () = assert!(EQUAL < END && EQUAL < EXCEPTION && END < AS_GOOD && AS_GOOD < LOSS);
/// The most states that are lost in a row, and the most times that some are.
const LOST: usize = 4;
const LOSSES: usize = 3;
/// What it costs at most that other lamps are lit outside of the schedule than before, as mostly they stay as they are there: more
/// than all losses, so that none pays for it.
const CHANGE: usize = 60;
const _: () = assert!(CHANGE > LOSSES * LOSS);
/// How far the state of a run is at most from that which it is taken for, and how many of the first and of the last of them may be none:
/// as far as losses move it, and further.
const NEAR: usize = 16;
const _: () = assert!(NEAR > LOSSES * LOST);
/// The runs before those of states, and after them, that may show some.
const OUTSIDE: usize = 8;
/// The explanations that are followed of those with the same next state, and the most runs that are explained.
const WAYS: usize = 16;
const RUNS: usize = 1 << 10;
/// One in how many ids has a code of its own where places are looked for as sure ones.
const FEW: usize = 8;
/// The most codes of ids that are compared for all explanations.
const CODES: usize = 1 << 22;
/// Of the range between lit and unlit, how far from both a probe's light is at most in its clear runs, and the part of all that those
/// are: a quarter may be covered, and more leaves no quartiles.
const OFF: f32 = 0.3;
const CLEAR: (usize, usize) = (3, 4);
/// Of the range of the probe in the middle of all light, that of those which are lamps.
const BRIGHT: f32 = 0.5;
/// Probes closer than this many pixels may show one lamp: further than places that do, as each cell beside a lamp has a probe in its halo.
const SAME_LAMP: f32 = 12.0;
const _: () = assert!(SAME_LAMP > super::CELL as f32);
/// Of the range of a probe, that of a mirror image with its code at most: less than of a place, as lamps differ by more in few pixels.
const MIRROR: f32 = 0.67;
const _: () = assert!(MIRROR < crate::assign::MIRRORED);

type Bits = [u64; PROBES / 64];

fn count(bits: &Bits) -> usize {
    bits.iter().map(|word| word.count_ones() as usize).sum()
}

/// Frames in a row that show one state.
struct Run {
    /// None outside of the schedule.
    state: Option<usize>,
    frames: Vec<usize>,
    /// The probes that are lit.
    lit: Bits,
}

/// What the frames show, and what the schedule would.
struct Evidence {
    runs: Vec<Run>,
    /// The probes that show lamps.
    lamps: Bits,
    /// The place of each probe, and its range.
    probes: Vec<([f32; 2], f32)>,
    states: Vec<Shown>,
    /// Of each id, its states, where there are at most 128.
    codes: Vec<u128>,
    /// The bits of an id.
    bits: usize,
}

/// An explanation of the first runs: which states they show.
#[derive(Clone, Default)]
struct Way {
    /// The state that comes next, if none is lost.
    next: usize,
    /// The number of runs, and whether the last one shows none.
    runs: usize,
    is_outside: bool,
    /// How often states are missing in a row.
    losses: usize,
    /// The bits of losses and of what is outside, and those of codes.
    fixed: usize,
    codes: usize,
    /// The probes with one exception or more, and those with two or more.
    exceptions: [Bits; 2],
    /// Its number among all.
    step: usize,
}

impl Way {
    /// The length in bits, of which the codes of all lamps have so many at most.
    fn length(&self, most: usize) -> usize {
        let [one, two] = &self.exceptions;
        self.fixed + self.codes.min(most) + EXCEPTION * (count(one) + count(two))
    }

    /// The explanation of one more run.
    fn and(&self, evidence: &Evidence, state: Option<usize>) -> Self {
        let run = &evidence.runs[self.runs];
        let before = self.runs.checked_sub(1).map(|run| &evidence.runs[run]);
        let mut next = self.clone();
        next.runs += 1;
        next.is_outside = state.is_none();
        let Some(state) = state else {
            // Rarely are some lit there alone; mostly all stay as they are.
            let fewer = evidence.fewer(run);
            let column = evidence.column(fewer) + LOSS.min(fewer);
            let same = before.map_or(column, |before| EXCEPTION * evidence.differing(run, before));
            next.fixed += column.min(same) + if self.is_outside { CHANGE.min(same) } else { 0 };
            return next;
        };
        next.next = state + 1;
        if state != self.next {
            next.losses += 1;
            next.fixed += LOSS;
        }
        let shown = &evidence.states[state];
        let first = before.filter(|_| shown.is_second && state == self.next && !self.is_outside);
        if shown.same.is_none() && first.is_none() {
            let (fewer, usual) = (evidence.fewer(run), evidence.usual(shown));
            next.codes += evidence.column(fewer);
            // Hardly any lamp, where the state lights many, may be dark as well.
            next.fixed += LOSS.min(usual.saturating_sub(2 * fewer));
            return next;
        }
        let [one, two] = &mut next.exceptions;
        for (word, (one, two)) in one.iter_mut().zip(two).enumerate() {
            let lit = run.lit[word];
            let bits = match (shown.same, first) {
                (Some(true), _) => !lit,
                (None, Some(first)) => !(first.lit[word] ^ lit),
                _ => lit,
            };
            *two |= *one & bits & evidence.lamps[word];
            *one |= bits & evidence.lamps[word];
        }
        next
    }
}

/// What a state of the schedule shows of the others.
struct Shown {
    /// Whether all lamps are lit, or none.
    same: Option<bool>,
    /// Whether it is the complement of the one before.
    is_second: bool,
    /// The ids that it lights, or does not, whichever are fewer.
    fewer: usize,
    code: Vec<bool>,
}

/// Takes frames for the states that explain them best, as far as no others explain them about as well; and where more are left, as far as
/// none explain them as well.
pub(crate) fn settle(
    frames: &[Frame],
    schedule: &Schedule,
    probes: &Probes,
    alignment: Alignment,
) -> (Alignment, Option<Alignment>) {
    if schedule.listed_frames().is_some() || schedule.count() < 2 {
        return (alignment, None);
    }
    let runs = runs(&alignment, schedule.hold());
    if runs.len() > RUNS {
        return (alignment, None);
    }
    let Some(evidence) = Evidence::new(frames, schedule, probes, runs) else {
        return (alignment, None);
    };
    let [sure, likely] = evidence.best().map(|states| {
        let mut alignment = alignment.clone();
        let runs = evidence.runs.iter().zip(&states);
        for (run, state) in runs.filter(|(run, state)| run.state != **state) {
            for (within, frame) in run.frames.iter().enumerate() {
                alignment.places[*frame] = state.map(|state| (state, within));
            }
        }
        alignment
    });
    let likely = (likely != sure).then_some(likely);
    (sure, likely)
}

/// The frames of each state, and those before the first one and after the last one, as many as a state has in each run.
fn runs(alignment: &Alignment, hold: usize) -> Vec<Run> {
    let places = &alignment.places;
    let begin = places.iter().position(Option::is_some).unwrap_or(places.len());
    let last = places.iter().rposition(Option::is_some);
    let end = last.map_or(begin, |last| last + 1);
    let mut runs: Vec<Run> = Vec::new();
    let mut add = |state: Option<usize>, frames: Range<usize>| {
        runs.push(Run {
            state,
            frames: frames.collect(),
            lit: Bits::default(),
        });
    };
    for number in (0..OUTSIDE.min(begin / hold)).rev() {
        let until = begin - number * hold;
        add(None, until - hold..until);
    }
    let mut from = begin;
    while from < end {
        let state = places[from].map(|(state, _)| state);
        let is_same = |place: &&Option<(usize, usize)>| place.map(|(state, _)| state) == state;
        let until = from + places[from..end].iter().take_while(is_same).count();
        add(state, from..until);
        from = until;
    }
    for from in (end..places.len()).step_by(hold).take(OUTSIDE) {
        add(None, from..places.len().min(from + hold));
    }
    runs
}

/// The light of a pixel above those around it in each run, without the first frame, which may show the state before too.
fn levels(frames: &[Frame], runs: &[Run], pixel: usize) -> Vec<f32> {
    let width = frames[0].width as usize;
    let level = |run: &Run| {
        let own = &run.frames[usize::from(run.frames.len() > 1)..];
        let levels: Vec<Level> = own
            .iter()
            .map(|frame| Level::of(&frames[*frame], pixel % width, pixel / width))
            .collect();
        Level::mean(&levels).above
    };
    runs.iter().map(level).collect()
}

impl Evidence {
    fn new(frames: &[Frame], schedule: &Schedule, probes: &Probes, mut runs: Vec<Run>) -> Option<Self> {
        let mut seen: Vec<(f32, Vec<bool>, [f32; 2])> = Vec::new();
        let mut is_clear_outside = Vec::new();
        let width = frames.first()?.width as usize;
        for (pixel, _) in probes.pixels.iter().take(PROBES) {
            let levels = levels(frames, &runs, *pixel);
            let shown = levels.iter().zip(&runs).filter(|(_, run)| run.state.is_some());
            let mut sorted: Vec<f32> = shown.map(|(level, _)| *level).collect();
            sorted.sort_by(f32::total_cmp);
            let quarter = sorted.len() / 4;
            let (unlit, lit) = (*sorted.get(quarter)?, sorted[sorted.len() - 1 - quarter]);
            let is_clear =
                |level: &&f32| (**level - unlit).abs().min((**level - lit).abs()) < OFF * (lit - unlit);
            if CLEAR.1 * sorted.iter().filter(is_clear).count() >= CLEAR.0 * sorted.len() {
                let middle = (lit + unlit) / 2.0;
                let at = [(*pixel % width) as f32, (*pixel / width) as f32];
                // What is half lit says nothing: it counts as staying as it was.
                let (mut is_lit, half) = (false, (0.5 - OFF) * (lit - unlit));
                let seen_in = |level: &f32| {
                    if (*level - middle).abs() > half {
                        is_lit = *level > middle;
                    }
                    is_lit
                };
                let each = levels.iter().map(seen_in).collect();
                seen.push((lit - unlit, each, at));
                is_clear_outside
                    .push(CLEAR.1 * levels.iter().filter(is_clear).count() >= CLEAR.0 * levels.len());
            }
        }
        // Where most lamps are clear outside of the schedule too, what is not may be no lamp.
        if 2 * is_clear_outside.iter().filter(|is_clear| **is_clear).count() >= seen.len() {
            let mut is_clear = is_clear_outside.into_iter();
            seen.retain(|_| is_clear.next().unwrap_or_default());
        }
        let half = 0.5 * seen.iter().map(|(range, ..)| range).sum::<f32>();
        seen.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut above = 0.0;
        let middle = seen.iter().find(|(range, ..)| {
            above += range;
            above >= half
        });
        let least = BRIGHT * middle?.0;
        seen.retain(|(range, ..)| *range >= least);
        let mut lamps = Bits::default();
        for (place, (_, lit, _)) in seen.iter().enumerate() {
            let bit = |is_set: bool| u64::from(is_set) << (place % 64);
            lamps[place / 64] |= bit(true);
            for (run, lit) in runs.iter_mut().zip(lit) {
                run.lit[place / 64] |= bit(*lit);
            }
        }
        let ids = 0..schedule.count() as u32;
        let mut states: Vec<Shown> = Vec::new();
        for state in schedule.states() {
            let code: Vec<bool> = ids.clone().map(|id| state.lights(id)).collect();
            let is_second = states.last().is_some_and(|last| {
                !last.is_second && last.code.iter().zip(&code).all(|(one, other)| one != other)
            });
            let lit = code.iter().filter(|lit| **lit).count();
            states.push(Shown {
                same: code.iter().all(|lit| *lit == code[0]).then_some(code[0]),
                is_second,
                fewer: lit.min(code.len() - lit),
                code,
            });
        }
        let code = |id: u32| {
            let lit = states.iter().enumerate();
            lit.fold(0, |code, (state, shown)| {
                code | u128::from(shown.code[id as usize]) << state
            })
        };
        let codes = match states.len() {
            0..=128 => ids.map(code).collect(),
            _ => Vec::new(),
        };
        Some(Self {
            runs,
            lamps,
            probes: seen.iter().map(|(range, _, at)| (*at, *range)).collect(),
            codes,
            bits: crate::schedule::bits(schedule.count()) as usize,
            states,
        })
    }

    /// The states of the best explanation, without those in which another one differs that is about as good, or as good.
    fn best(&self) -> [Vec<Option<usize>>; 2] {
        let mut ways = self.ways();
        ways.sort_by_key(|(length, ..)| *length);
        let mut least = usize::MAX - AS_GOOD;
        let mut left = CODES / self.codes.len().max(1);
        let mut good: Vec<(usize, Vec<Option<usize>>)> = Vec::new();
        for (mut length, exceptions, states) in ways {
            if length > least + AS_GOOD {
                break;
            }
            if left > 0 {
                left -= 1;
                length += EXCEPTION * self.strangers(&exceptions, &states);
            } else {
                // What its codes cost is unknown: it is not the best.
                length = length.max(least + 1);
            }
            least = least.min(length);
            good.push((length, states));
        }
        good.retain(|(length, _)| *length <= least + AS_GOOD);
        // Of those that are equal, the one that takes the most frames for states.
        let outside = |states: &[Option<usize>]| states.iter().filter(|state| state.is_none()).count();
        good.sort_by_key(|(length, states)| (*length, outside(states)));
        let [mut sure, likely] = [AS_GOOD, EQUAL].map(|much| {
            let good: Vec<_> = good
                .iter()
                .filter(|(length, _)| *length <= least + much)
                .collect();
            let mut best: Vec<Option<usize>> = Vec::with_capacity(self.runs.len());
            for (run, one) in good[0].1.iter().enumerate() {
                let before = best.last().copied().flatten();
                best.push(one.filter(|one| {
                    let shown = &self.states[*one];
                    // Beside a state that is agreed on, what looks like its complement is no other state where it is none.
                    let is_second = shown.is_second && one.checked_sub(1) == before;
                    good.iter().all(|(_, states)| match states[run] {
                        Some(other) => *one == other || shown.code == self.states[other].code,
                        None => shown.same.is_some() || is_second,
                    })
                }));
            }
            best
        });
        // To look for few ids takes as long as to look for all.
        let own = self.ids(&sure).into_values().filter(|ids| *ids == 1).count();
        if sure != likely && FEW * own < self.codes.len() {
            sure.fill(None);
        }
        [sure, likely]
    }

    /// The shortest explanations, run by run: each with its length, without what codes cost that are no id's, and its exceptions. What
    /// looks like a complement is taken for one: only at the end do the ids say all codes.
    fn ways(&self) -> Vec<(usize, Bits, Vec<Option<usize>>)> {
        let runs = self.runs.len();
        let is_state = |run: &Run| run.state.is_some();
        let begin = self.runs.iter().position(is_state).unwrap_or(runs) + NEAR;
        let end = (self.runs.iter().rposition(is_state).map_or(0, |last| last + 1)).saturating_sub(NEAR);
        let mut ways = vec![Way::default()];
        // Of each, the one before, and the state of its run.
        let mut steps: Vec<(usize, Option<usize>)> = vec![(0, None)];
        let mut near = 0;
        for (at, run) in self.runs.iter().enumerate() {
            near = run.state.unwrap_or(near);
            let mut next: Vec<(Way, Option<usize>)> = Vec::new();
            for way in &ways {
                if way.next == 0 && at < begin || at >= end {
                    next.push((way.and(self, None), None));
                }
                if way.is_outside && way.next > 0 {
                    continue;
                }
                let states = way.next..self.states.len().min(way.next + LOST + 1);
                for state in states.filter(|state| state.abs_diff(near) <= NEAR) {
                    next.push((way.and(self, Some(state)), Some(state)));
                }
            }
            next.retain(|(way, _)| way.losses <= LOSSES);
            next.sort_by_cached_key(|(way, _)| (way.next, way.is_outside, way.length(usize::MAX)));
            let (mut number, mut last) = (0, None);
            ways.clear();
            for (mut way, state) in next {
                let group = Some((way.next, way.is_outside));
                number = if group == last { number + 1 } else { 0 };
                last = group;
                if number < WAYS {
                    steps.push((way.step, state));
                    way.step = steps.len() - 1;
                    ways.push(way);
                }
            }
        }
        let taken = self
            .runs
            .iter()
            .fold(Way::default(), |way, run| way.and(self, run.state));
        let most = self.bits * count(&self.lamps);
        let ends = |way: &Way| way.length(most) + if way.next < self.states.len() { END } else { 0 };
        let mut found = vec![(
            ends(&taken),
            taken.exceptions[0],
            self.runs.iter().map(|run| run.state).collect(),
        )];
        for way in ways {
            let mut states = vec![None; runs];
            let mut step = way.step;
            for at in (0..runs).rev() {
                (step, states[at]) = steps[step];
            }
            found.push((ends(&way), way.exceptions[0], states));
        }
        found
    }

    /// The probes whose light differs between two runs.
    fn differing(&self, one: &Run, other: &Run) -> usize {
        let differing = |word| (one.lit[word] ^ other.lit[word]) & self.lamps[word];
        count(&std::array::from_fn(differing))
    }

    /// The lamps that are lit in a run, or unlit, whichever are fewer.
    fn fewer(&self, run: &Run) -> usize {
        let lamps = count(&self.lamps);
        let lit = count(&std::array::from_fn(|word| run.lit[word] & self.lamps[word]));
        lit.min(lamps - lit)
    }

    /// As [`Self::fewer`], as many as a state lets expect.
    fn usual(&self, shown: &Shown) -> usize {
        count(&self.lamps) * shown.fewer / shown.code.len()
    }

    /// The bits that say which lamps are lit, or unlit, of which there are so many: one of each, or less where those are few.
    fn column(&self, fewer: usize) -> usize {
        count(&self.lamps).min(EXCEPTION * fewer)
    }

    /// The number of ids that have the same code in some states, by code.
    fn ids(&self, states: &[Option<usize>]) -> HashMap<u128, usize> {
        let mut ids = HashMap::with_capacity(self.codes.len());
        if !self.codes.is_empty() {
            let known = states
                .iter()
                .flatten()
                .fold(0_u128, |known, state| known | 1 << state);
            for code in &self.codes {
                *ids.entry(code & known).or_default() += 1;
            }
        }
        ids
    }

    /// The probes without exceptions whose code is that of no id, or of fewer ids than places show it.
    fn strangers(&self, exceptions: &Bits, states: &[Option<usize>]) -> usize {
        if self.codes.is_empty() {
            return 0;
        }
        let ids = self.ids(states);
        let mut places: HashMap<u128, Vec<usize>> = HashMap::new();
        let mut strangers = 0;
        for probe in 0..self.probes.len() {
            let at = |bits: &Bits| bits[probe / 64] >> (probe % 64) & 1 == 1;
            if at(exceptions) {
                continue;
            }
            let shown = self.runs.iter().zip(states);
            let code = shown.fold(0_u128, |code, (run, state)| {
                code | state.map_or(0, |state| u128::from(at(&run.lit)) << state)
            });
            let Some(ids) = ids.get(&code) else {
                strangers += 1;
                continue;
            };
            let places = places.entry(code).or_default();
            if !places.iter().any(|other| self.are_one(probe, *other)) {
                places.push(probe);
                strangers += usize::from(places.len() > *ids);
            }
        }
        strangers
    }

    /// Whether two probes may show one lamp, or one of them a mirror image of the other.
    fn are_one(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|probe| &self.probes[probe]);
        let [dx, dy] = [0, 1].map(|axis| one.0[axis] - other.0[axis]);
        dx.hypot(dy) < SAME_LAMP || one.1.min(other.1) < MIRROR * one.1.max(other.1)
    }
}
