//! The wavefront, generic over the vector unit and over the number of vectors.

use super::lanes::Lanes;
use crate::biquad::Biquad;

/// The most vectors of two sections that one pass over a block keeps going: 14 sections.
pub(super) const VECTORS: usize = 7;

/// The coefficients of sections of two channels: lanes 0 and 1 are left and right of the first section, lanes 2 and 3 of the
/// second, and so on.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(in crate::equalizer) struct Section<const L: usize = 4> {
    b0: [f64; L],
    b1: [f64; L],
    b2: [f64; L],
    a1: [f64; L],
    a2: [f64; L],
}

impl<const L: usize> Section<L> {
    /// From the filters of the lanes.
    pub(in crate::equalizer) fn new(filters: [&Biquad; L]) -> Self {
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
        let between = |from: &[f64; L], to: &[f64; L]| -> [f64; L] {
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

    /// Copies the coefficients of one section.
    pub(in crate::equalizer) fn copy_pair<const M: usize>(
        &mut self,
        to: usize,
        other: &Section<M>,
        from: usize,
    ) {
        for channel in 0..2 {
            let (to, from) = (2 * to + channel, 2 * from + channel);
            self.b0[to] = other.b0[from];
            self.b1[to] = other.b1[from];
            self.b2[to] = other.b2[from];
            self.a1[to] = other.a1[from];
            self.a2[to] = other.a2[from];
        }
    }

    /// Lets one section change a signal by its state only, which the poles keep.
    pub(in crate::equalizer) fn rest(&mut self, pair: usize) {
        for lane in 2 * pair..2 * pair + 2 {
            (self.b0[lane], self.b1[lane], self.b2[lane]) = (1.0, self.a1[lane], self.a2[lane]);
        }
    }

    /// Whether only the state of one section would change a signal.
    pub(in crate::equalizer) fn is_resting(&self, pair: usize) -> bool {
        (2 * pair..2 * pair + 2).all(|lane| {
            self.b0[lane] == 1.0 && self.b1[lane] == self.a1[lane] && self.b2[lane] == self.a2[lane]
        })
    }
}

/// The state of sections of two channels.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(in crate::equalizer) struct State<const L: usize = 4> {
    first: [f64; L],
    second: [f64; L],
}

impl<const L: usize> Default for State<L> {
    fn default() -> Self {
        Self {
            first: [0.0; L],
            second: [0.0; L],
        }
    }
}

impl<const L: usize> State<L> {
    /// Copies the state of one section.
    pub(in crate::equalizer) fn copy_pair<const M: usize>(
        &mut self,
        to: usize,
        other: &State<M>,
        from: usize,
    ) {
        for channel in 0..2 {
            let (to, from) = (2 * to + channel, 2 * from + channel);
            self.first[to] = other.first[from];
            self.second[to] = other.second[from];
        }
    }

    /// The largest magnitude of one section's sums.
    pub(in crate::equalizer) fn magnitude(&self, pair: usize) -> f64 {
        let sums = self.first[2 * pair..][..2]
            .iter()
            .chain(&self.second[2 * pair..][..2]);
        sums.fold(0.0, |largest, sum| largest.max(sum.abs()))
    }

    /// The sums.
    pub(in crate::equalizer) fn sums(&mut self) -> impl Iterator<Item = &mut f64> {
        self.first.iter_mut().chain(&mut self.second)
    }
}

/// Frames of two channels, left and right by turns, to be replaced by the equalized ones.
pub(in crate::equalizer) type Block<'a> = &'a mut [[f32; 2]];

/// Runs the cascade of `sections` over `block`.
#[inline(always)]
pub(super) fn run<F: Lanes<4>>(cpu: F::Cpu, sections: &[Section], states: &mut [State], block: Block<'_>) {
    for (sections, states) in sections.chunks(VECTORS).zip(states.chunks_mut(VECTORS)) {
        if let [frame] = block {
            single::<F>(cpu, sections, states, frame);
            continue;
        }
        // The compiler unrolls the loops over the vectors when it knows their number.
        match sections.len() {
            1 => pass::<F, 4, 1>(cpu, sections, states, block),
            2 => pass::<F, 4, 2>(cpu, sections, states, block),
            3 => pass::<F, 4, 3>(cpu, sections, states, block),
            4 => pass::<F, 4, 4>(cpu, sections, states, block),
            5 => pass::<F, 4, 5>(cpu, sections, states, block),
            6 => pass::<F, 4, 6>(cpu, sections, states, block),
            _ => pass::<F, 4, VECTORS>(cpu, sections, states, block),
        }
    }
}

/// A single frame, as in a change: one section after the other, without the times of a wavefront at which most lanes wait.
#[inline(always)]
fn single<F: Lanes<4>>(cpu: F::Cpu, sections: &[Section], states: &mut [State], frame: &mut [f32; 2]) {
    let mut value = F::frame(cpu, *frame);
    for pair in [0b01, 0b10] {
        for (section, state) in sections.iter().zip(&mut *states) {
            let input = value.behind(value);
            let (first, second) = (F::load(cpu, &state.first), F::load(cpu, &state.second));
            let output = input.times_plus(F::load(cpu, &section.b0), first);
            let next = input.times_plus(F::load(cpu, &section.b1), second);
            let next = output.times_from(F::load(cpu, &section.a1), next);
            F::chosen(cpu, pair, next, first).store(&mut state.first);
            let next = input.times(F::load(cpu, &section.b2));
            let next = output.times_from(F::load(cpu, &section.a2), next);
            F::chosen(cpu, pair, next, second).store(&mut state.second);
            value = if pair == 0b10 { output.last() } else { output };
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

/// A pass of `V` vectors of L / 2 sections over a block.
#[inline(always)]
pub(super) fn pass<F: Lanes<L>, const L: usize, const V: usize>(
    cpu: F::Cpu,
    sections: &[Section<L>],
    states: &mut [State<L>],
    block: Block<'_>,
) {
    let (Some(sections), Some(states)) = (sections.first_chunk::<V>(), states.first_chunk_mut::<V>()) else {
        return;
    };
    let zero = F::load(cpu, &[0.0; L]);
    let mut wave = Wave {
        first: states.each_ref().map(|state| F::load(cpu, &state.first)),
        second: states.each_ref().map(|state| F::load(cpu, &state.second)),
        input: [zero; V],
        late: [zero; TIMES],
    };
    let length = block.len();
    let last = delay::<V>(L / 2 * V - 1);
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
    section + section / V * (TIMES - 1)
}

impl<F, const V: usize> Wave<F, V> {
    /// Some times, one after the other: takes their frames, and returns those that the last section finished, in lanes 0 and 1.
    #[inline(always)]
    fn step<const L: usize, const N: usize>(
        &mut self,
        cpu: F::Cpu,
        sections: &[Section<L>; V],
        frames: [F; N],
    ) -> [F; N]
    where
        F: Lanes<L>,
    {
        let mut inputs: [F; N] = std::array::from_fn(|k| self.late[k].behind(frames[k]));
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
        inputs.map(F::last)
    }

    /// One time at which some sections have no frame.
    #[inline(always)]
    fn edge<const L: usize>(
        &mut self,
        cpu: F::Cpu,
        sections: &[Section<L>; V],
        block: &mut [[f32; 2]],
        time: usize,
    ) where
        F: Lanes<L>,
    {
        let (first, second) = (self.first, self.second);
        let frame = block.get(time).copied().unwrap_or_default();
        let [output] = self.step(cpu, sections, [F::frame(cpu, frame)]);
        let done = time.checked_sub(delay::<V>(L / 2 * V - 1));
        if let Some(place) = done.and_then(|at| block.get_mut(at)) {
            *place = output.samples();
        }
        let active = |section: usize| usize::from(time.wrapping_sub(delay::<V>(section)) < block.len());
        for j in 0..V {
            let pairs = (0..L / 2).fold(0, |pairs, pair| pairs | active(j + pair * V) << pair);
            self.first[j] = F::chosen(cpu, pairs, self.first[j], first[j]);
            self.second[j] = F::chosen(cpu, pairs, self.second[j], second[j]);
        }
    }
}
