//! Whether other states than those that frames are taken for explain them better, or about as well: where some were lost, all the
//! following ones are others, and no lamp alone shows that.
//!
//! Each explanation has a length in bits (J. Rissanen, Modeling by Shortest Data Description, Automatica 14, 1978): what says the code of
//! each lamp, what says which states are missing, and what says each exception, as where somebody covers a lamp.

use super::{Alignment, Probes};
use crate::contrast::Level;
use crate::frames::Frame;
use crate::schedule::Schedule;
use std::collections::HashSet;

/// The most probes that are looked at: enough, as each of them may speak against a wrong state.
const PROBES: usize = 256;
/// What an exception costs, in bits: of the states of a lamp, one in 32 is covered. More than two of a lamp count as two: it is none.
const EXCEPTION: usize = 5;
/// What states cost that are missing in a row: one recording in a thousand lacks some.
const LOSS: usize = 10;
/// By how many bits more an explanation is as good as the best: less than what a loss costs, or what nobody lost would be one.
const AS_GOOD: usize = 8;
/// The most states that are lost in a row.
const LOST: isize = 3;
/// The last runs of frames that may all come after the schedule.
const AFTER: usize = 3;
/// The first runs that may be others alone.
const FIRST: usize = 3;
/// The most codes of ids that are compared for all explanations.
const CODES: usize = 1 << 22;
/// Of the range between lit and unlit, how far from both a probe's light is at most in its clear runs, and the part of all that those
/// are: a quarter may be covered, and more leaves no quartiles.
const OFF: f32 = 0.3;
const CLEAR: (usize, usize) = (3, 4);
/// Of the range of the probe in the middle of all light, that of those which are lamps.
const BRIGHT: f32 = 0.5;

type Bits = [u64; PROBES / 64];

fn count(bits: &Bits) -> usize {
    bits.iter().map(|word| word.count_ones() as usize).sum()
}

/// Frames in a row that show one state.
struct Run {
    /// None after the schedule.
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
    states: Vec<Shown>,
    /// Of each id, its states, where there are at most 128.
    codes: Vec<u128>,
    /// The bits of an id.
    bits: usize,
}

/// What a state of the schedule shows of the others.
struct Shown {
    /// Whether all lamps are lit, or none.
    same: Option<bool>,
    /// Whether it is the complement of the one before.
    is_second: bool,
    code: Vec<bool>,
}

/// Takes frames for the states that explain them best. Whether others that explain them about as well differ from those.
pub(crate) fn settle(
    frames: &[Frame],
    schedule: &Schedule,
    probes: &Probes,
    alignment: &mut Alignment,
) -> bool {
    if schedule.listed_frames().is_some() || schedule.count() < 2 {
        return false;
    }
    let runs = runs(alignment, schedule.hold());
    let Some(evidence) = Evidence::new(frames, schedule, probes, runs) else {
        return false;
    };
    let (best, is_open) = evidence.best();
    let runs = evidence.runs.iter().zip(&best);
    for (run, state) in runs.filter(|(run, state)| run.state != **state) {
        for (within, frame) in run.frames.iter().enumerate() {
            alignment.places[*frame] = state.map(|state| (state, within));
        }
    }
    is_open
}

/// The frames of each state, and as many as of two states of those after the schedule.
fn runs(alignment: &Alignment, hold: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (frame, place) in alignment.places.iter().enumerate() {
        let state = place.map(|(state, _)| state);
        match runs.last_mut() {
            None if state.is_none() => {}
            Some(last) if last.state == state => {
                if state.is_some() || last.frames.len() < 2 * hold {
                    last.frames.push(frame);
                }
            }
            _ => runs.push(Run {
                state,
                frames: vec![frame],
                lit: Bits::default(),
            }),
        }
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
        let mut seen: Vec<(f32, Vec<bool>)> = Vec::new();
        for (pixel, _) in probes.pixels.iter().take(PROBES) {
            let levels = levels(frames, &runs, *pixel);
            let shown = levels.iter().zip(&runs).filter(|(_, run)| run.state.is_some());
            let mut sorted: Vec<f32> = shown.map(|(level, _)| *level).collect();
            sorted.sort_by(f32::total_cmp);
            let quarter = sorted.len() / 4;
            let (unlit, lit) = (*sorted.get(quarter)?, sorted[sorted.len() - 1 - quarter]);
            let is_clear =
                |level: &&f32| (**level - unlit).abs().min((**level - lit).abs()) < OFF * (lit - unlit);
            if CLEAR.1 * levels.iter().filter(is_clear).count() >= CLEAR.0 * levels.len() {
                let middle = (lit + unlit) / 2.0;
                seen.push((lit - unlit, levels.iter().map(|level| *level > middle).collect()));
            }
        }
        let half = 0.5 * seen.iter().map(|(range, _)| range).sum::<f32>();
        seen.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut above = 0.0;
        let middle = seen.iter().find(|(range, _)| {
            above += range;
            above >= half
        });
        let least = BRIGHT * middle?.0;
        seen.retain(|(range, _)| *range >= least);
        let mut lamps = Bits::default();
        for (place, (_, lit)) in seen.iter().enumerate() {
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
            states.push(Shown {
                same: code.iter().all(|lit| *lit == code[0]).then_some(code[0]),
                is_second,
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
            codes,
            bits: crate::schedule::bits(schedule.count()) as usize,
            states,
        })
    }

    /// The states of the best explanation, and whether another one differs that is about as good.
    fn best(&self) -> (Vec<Option<usize>>, bool) {
        let taken: Vec<Option<usize>> = self.runs.iter().map(|run| run.state).collect();
        let mut rivals: Vec<(usize, Vec<Option<usize>>)> = self
            .rivals(&taken)
            .into_iter()
            .map(|states| (self.length(&states), states))
            .collect();
        rivals.insert(0, (self.length(&taken), taken));
        let is_good = |rivals: &[(usize, Vec<_>)]| {
            let least = rivals.iter().map(|(length, _)| *length).min();
            least.unwrap_or_default() + AS_GOOD
        };
        let least = is_good(&rivals);
        rivals.retain(|(length, _)| *length <= least);
        if rivals.len() > 1 && rivals.len() * self.codes.len() <= CODES {
            for (length, states) in &mut rivals {
                *length += EXCEPTION * self.strangers(states);
            }
            let least = is_good(&rivals);
            rivals.retain(|(length, _)| *length <= least);
        }
        // Of those that are equal, the one that takes the most frames for states.
        let outside = |states: &[Option<usize>]| states.iter().filter(|state| state.is_none()).count();
        rivals.sort_by_key(|(length, states)| (*length, outside(states)));
        let (_, best) = rivals.swap_remove(0);
        let is_other = |(one, other): (&Option<usize>, &Option<usize>)| {
            let both = one.zip(*other);
            both.is_some_and(|(one, other)| self.states[one].code != self.states[other].code)
        };
        let is_open = rivals
            .iter()
            .any(|(_, states)| best.iter().zip(states).any(is_other));
        (best, is_open)
    }

    /// The other explanations: some states more are missing before a run, or some fewer, and as many fewer later where some are; and the
    /// last runs come after the schedule.
    fn rivals(&self, taken: &[Option<usize>]) -> Vec<Vec<Option<usize>>> {
        let states = self.states.len() as isize;
        let is_gap = |at: &usize| match (taken[*at - 1], taken[*at]) {
            (Some(one), Some(other)) => other != one + 1,
            _ => false,
        };
        // Frames before the schedule may pass for its first states.
        let mut ends: Vec<usize> = (1..taken.len()).filter(|at| *at < FIRST || is_gap(at)).collect();
        ends.push(taken.len());
        let mut found = Vec::new();
        for begin in 0..taken.len() {
            for end in ends.iter().filter(|end| **end > begin) {
                for by in -LOST..=LOST {
                    if by == 0 && (begin > 0 || *end < taken.len()) {
                        continue;
                    }
                    let mut moved: Vec<Option<isize>> = taken
                        .iter()
                        .enumerate()
                        .map(|(at, state)| {
                            let by = if (begin..*end).contains(&at) { by } else { 0 };
                            state.map(|state| state as isize + by)
                        })
                        .collect();
                    let both = moved.windows(2).all(|pair| match (pair[0], pair[1]) {
                        (Some(one), Some(other)) => one < other,
                        _ => true,
                    });
                    if !both {
                        continue;
                    }
                    let is_state = |state: &isize| (0..states).contains(state);
                    moved.iter_mut().for_each(|state| *state = state.filter(is_state));
                    for after in 0..=AFTER.min(moved.len() - 1) {
                        let shown = moved.len() - after;
                        if after > 0 && moved[shown].is_none() || by == 0 && after == 0 {
                            continue;
                        }
                        let state = |(at, state): (usize, &Option<isize>)| {
                            state.filter(|_| at < shown).map(|state| state as usize)
                        };
                        found.push(moved.iter().enumerate().map(state).collect());
                    }
                }
            }
        }
        found
    }

    /// The runs of the states.
    fn shown(&self, states: &[Option<usize>]) -> Vec<Option<&Run>> {
        let mut shown = vec![None; self.states.len()];
        for (run, state) in self.runs.iter().zip(states) {
            if let Some(state) = state {
                shown[*state] = Some(run);
            }
        }
        shown
    }

    /// The bits that say which lamps are lit in a run: one of each and `more`, or fewer where nearly all are lit, or dark.
    fn column(&self, run: &Run, more: usize) -> usize {
        let lamps = count(&self.lamps);
        let lit = count(&std::array::from_fn(|word| run.lit[word] & self.lamps[word]));
        (lamps + more).min(EXCEPTION * lit.min(lamps - lit))
    }

    /// The probes with one exception or more, and those with two or more, and the bits of all lamps' codes.
    fn exceptions(&self, states: &[Option<usize>]) -> ([Bits; 2], usize) {
        let mut exceptions = [Bits::default(); 2];
        let mut except = |bits: &dyn Fn(usize) -> u64| {
            let [one, two] = &mut exceptions;
            for (word, (one, two)) in one.iter_mut().zip(two).enumerate() {
                let bits = bits(word) & self.lamps[word];
                *two |= *one & bits;
                *one |= bits;
            }
        };
        let shown = self.shown(states);
        let mut bits = 0;
        for (at, (state, run)) in self.states.iter().zip(&shown).enumerate() {
            let Some(run) = run else { continue };
            let first = at
                .checked_sub(1)
                .filter(|_| state.is_second)
                .and_then(|at| shown[at]);
            match (state.same, first) {
                (Some(true), _) => except(&|word| !run.lit[word]),
                (Some(false), _) => except(&|word| run.lit[word]),
                (None, Some(first)) => except(&|word| !(first.lit[word] ^ run.lit[word])),
                (None, None) => bits += self.column(run, 0),
            }
        }
        (exceptions, bits.min(self.bits * count(&self.lamps)))
    }

    /// The length of an explanation in bits, without what codes cost that are no id's.
    fn length(&self, states: &[Option<usize>]) -> usize {
        let ([one, two], bits) = self.exceptions(states);
        let shown = self.shown(states);
        let is_lost = |at: usize| shown[at].is_none() && (at == 0 || shown[at - 1].is_some());
        let losses = (0..shown.len()).filter(|at| is_lost(*at)).count();
        let outside = self.runs.iter().zip(states).filter(|(_, state)| state.is_none());
        // Rarely are some lit there alone.
        let outside: usize = outside.map(|(run, _)| self.column(run, LOSS)).sum();
        bits + EXCEPTION * (count(&one) + count(&two)) + LOSS * losses + outside
    }

    /// The probes without exceptions whose code is that of no id.
    fn strangers(&self, states: &[Option<usize>]) -> usize {
        let ([one, _], _) = self.exceptions(states);
        let shown = self.shown(states);
        let known = shown.iter().enumerate();
        let known = known.fold(0_u128, |known, (at, run)| known | u128::from(run.is_some()) << at);
        let ids: HashSet<u128> = self.codes.iter().map(|code| code & known).collect();
        let is_strange = |probe: &usize| {
            let at = |bits: &Bits| bits[probe / 64] >> (probe % 64) & 1 == 1;
            let code = shown.iter().enumerate().fold(0, |code, (state, run)| {
                code | u128::from(run.is_some_and(|run| at(&run.lit))) << state
            });
            at(&self.lamps) && !at(&one) && !ids.contains(&code)
        };
        (0..PROBES).filter(is_strange).count()
    }
}
