//! The wavefront, generic over the vector unit and over the number of vectors.

use super::four::Four;
use crate::biquad::Biquad;

/// The most vectors that one pass over a block keeps going: 14 sections.
const VECTORS: usize = 7;

/// The coefficients of two sections of two channels: lanes 0 and 1 are left and right of the first section, lanes 2 and 3 of
/// the second.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(in crate::equalizer) struct Section {
    b0: [f64; 4],
    b1: [f64; 4],
    b2: [f64; 4],
    a1: [f64; 4],
    a2: [f64; 4],
}

impl Section {
    /// From the filters of the lanes.
    pub(in crate::equalizer) fn new(filters: [&Biquad; 4]) -> Self {
        Self {
            b0: filters.map(|filter| filter.b0),
            b1: filters.map(|filter| filter.b1),
            b2: filters.map(|filter| filter.b2),
            a1: filters.map(|filter| filter.a1),
            a2: filters.map(|filter| filter.a2),
        }
    }

    /// The coefficients between these and others: these at `position` 0, the others at 1.
    pub(in crate::equalizer) fn towards(&self, other: &Self, position: f64) -> Self {
        let between = |from: &[f64; 4], to: &[f64; 4]| -> [f64; 4] {
            std::array::from_fn(|lane| from[lane] + (to[lane] - from[lane]) * position)
        };
        Self {
            b0: between(&self.b0, &other.b0),
            b1: between(&self.b1, &other.b1),
            b2: between(&self.b2, &other.b2),
            a1: between(&self.a1, &other.a1),
            a2: between(&self.a2, &other.a2),
        }
    }

    /// Whether only the state would change a signal.
    pub(in crate::equalizer) fn is_resting(&self) -> bool {
        self.b0 == [1.0; 4] && self.b1 == self.a1 && self.b2 == self.a2
    }
}

/// The state of two sections of two channels.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(in crate::equalizer) struct State {
    first: [f64; 4],
    second: [f64; 4],
}

impl State {
    /// The sums.
    pub(in crate::equalizer) fn sums(&mut self) -> impl Iterator<Item = &mut f64> {
        self.first.iter_mut().chain(&mut self.second)
    }
}

/// Frames of two channels, left and right by turns, to be replaced by the equalized ones.
pub(in crate::equalizer) type Block<'a> = &'a mut [[f32; 2]];

/// Runs the cascade of `sections` over `block`.
#[inline(always)]
pub(super) fn run<F: Four>(cpu: F::Cpu, sections: &[Section], states: &mut [State], block: Block<'_>) {
    for (sections, states) in sections.chunks(VECTORS).zip(states.chunks_mut(VECTORS)) {
        if let [frame] = block {
            single::<F>(cpu, sections, states, frame);
            continue;
        }
        // The compiler unrolls the loops over the vectors when it knows their number.
        match sections.len() {
            1 => pass::<F, 1>(cpu, sections, states, block),
            2 => pass::<F, 2>(cpu, sections, states, block),
            3 => pass::<F, 3>(cpu, sections, states, block),
            4 => pass::<F, 4>(cpu, sections, states, block),
            5 => pass::<F, 5>(cpu, sections, states, block),
            6 => pass::<F, 6>(cpu, sections, states, block),
            _ => pass::<F, VECTORS>(cpu, sections, states, block),
        }
    }
}

/// A single frame, as in a change: one section after the other, without the times of a wavefront at which most lanes wait.
#[inline(always)]
fn single<F: Four>(cpu: F::Cpu, sections: &[Section], states: &mut [State], frame: &mut [f32; 2]) {
    let mut value = F::frame(cpu, *frame);
    for upper in [false, true] {
        let lanes = &LANES[if upper { 2 } else { 1 }];
        for (section, state) in sections.iter().zip(&mut *states) {
            let input = F::joined(value, value);
            let (first, second) = (F::load(cpu, &state.first), F::load(cpu, &state.second));
            let output = input.times_plus(F::load(cpu, &section.b0), first);
            let next = input.times_plus(F::load(cpu, &section.b1), second);
            let next = output.times_from(F::load(cpu, &section.a1), next);
            F::chosen(cpu, lanes, next, first).store(&mut state.first);
            let next = input.times(F::load(cpu, &section.b2));
            let next = output.times_from(F::load(cpu, &section.a2), next);
            F::chosen(cpu, lanes, next, second).store(&mut state.second);
            value = if upper { output.upper() } else { output };
        }
    }
    *frame = value.samples();
}

/// The times that a vector computes before the next one does, while its coefficients and sums are in registers.
const TIMES: usize = 2;

/// The state and the next input of each vector.
struct Wave<F, const V: usize> {
    first: [F; V],
    second: [F; V],
    input: [F; V],
    /// The outputs of the last vector at the latest times, the oldest first, whose lower lanes continue to section V.
    late: [F; TIMES],
}

#[inline(always)]
fn pass<F: Four, const V: usize>(cpu: F::Cpu, sections: &[Section], states: &mut [State], block: Block<'_>) {
    let (Some(sections), Some(states)) = (sections.first_chunk::<V>(), states.first_chunk_mut::<V>()) else {
        return;
    };
    let zero = F::load(cpu, &[0.0; 4]);
    let mut wave = Wave {
        first: states.each_ref().map(|state| F::load(cpu, &state.first)),
        second: states.each_ref().map(|state| F::load(cpu, &state.second)),
        input: [zero; V],
        late: [zero; TIMES],
    };
    let length = block.len();
    let last = delay::<V>(2 * V - 1);
    for time in 0..last.min(length) {
        wave.edge(cpu, sections, block, time);
    }
    let mut time = last;
    while time + TIMES <= length {
        let frames: [F; TIMES] = std::array::from_fn(|k| F::frame(cpu, block[time + k]));
        for (k, output) in wave.step(cpu, sections, frames).into_iter().enumerate() {
            block[time - last + k] = output.samples();
        }
        time += TIMES;
    }
    for time in time.min(length)..length + last {
        wave.edge(cpu, sections, block, time);
    }
    for ((state, first), second) in states.iter_mut().zip(wave.first).zip(wave.second) {
        first.store(&mut state.first);
        second.store(&mut state.second);
    }
}

/// The number of times after its arrival at which a frame is in a section. From the last vector to the first it waits until all
/// times of a step are over.
#[inline(always)]
fn delay<const V: usize>(section: usize) -> usize {
    if section < V { section } else { section + TIMES - 1 }
}

impl<F: Four, const V: usize> Wave<F, V> {
    /// Some times, one after the other: takes their frames, and returns those that the last section finished, in lanes 0 and 1.
    #[inline(always)]
    fn step<const N: usize>(&mut self, cpu: F::Cpu, sections: &[Section; V], frames: [F; N]) -> [F; N] {
        let mut inputs: [F; N] = std::array::from_fn(|k| F::joined(frames[k], self.late[k]));
        for (j, section) in sections.iter().enumerate() {
            let [b0, b1, b2] = [&section.b0, &section.b1, &section.b2].map(|b| F::load(cpu, b));
            let [a1, a2] = [&section.a1, &section.a2].map(|a| F::load(cpu, a));
            let (mut first, mut second) = (self.first[j], self.second[j]);
            let mut latest = self.input[j];
            for input in &mut inputs {
                // At each time a vector takes what the one before gave at the time before; the first takes the frame.
                let value = if j == 0 {
                    *input
                } else {
                    std::mem::replace(&mut latest, *input)
                };
                let output = value.times_plus(b0, first);
                first = output.times_from(a1, value.times_plus(b1, second));
                second = output.times_from(a2, value.times(b2));
                *input = output;
            }
            (self.first[j], self.second[j], self.input[j]) = (first, second, latest);
        }
        self.late.rotate_left(N % TIMES);
        self.late[TIMES - N..].copy_from_slice(&inputs);
        inputs.map(F::upper)
    }

    /// One time at which some sections have no frame.
    #[inline(always)]
    fn edge(&mut self, cpu: F::Cpu, sections: &[Section; V], block: &mut [[f32; 2]], time: usize) {
        let (first, second) = (self.first, self.second);
        let frame = block.get(time).copied().unwrap_or_default();
        let [output] = self.step(cpu, sections, [F::frame(cpu, frame)]);
        let done = time.checked_sub(delay::<V>(2 * V - 1));
        if let Some(place) = done.and_then(|at| block.get_mut(at)) {
            *place = output.samples();
        }
        let active = |section: usize| usize::from(time.wrapping_sub(delay::<V>(section)) < block.len());
        for j in 0..V {
            let lanes = &LANES[active(j) + 2 * active(j + V)];
            self.first[j] = F::chosen(cpu, lanes, self.first[j], first[j]);
            self.second[j] = F::chosen(cpu, lanes, self.second[j], second[j]);
        }
    }
}

/// The lanes of sections that have a frame, as `Four::chosen` takes them: none, the lower, the upper, all.
const LANES: [[f64; 4]; 4] = [
    [0.0; 4],
    [-1.0, -1.0, 0.0, 0.0],
    [0.0, 0.0, -1.0, -1.0],
    [-1.0; 4],
];
