//! Eight lanes in a 512-bit register: half as many instructions for a cascade as with AVX2, and registers for all its sums.

use super::avx2;
use super::lanes::Lanes;
use super::wavefront::{self, Block, Section, State, VECTORS};
use crate::biquad::Biquad;
use std::arch::x86_64::*;

/// The fewest frames for which it is worth to move the coefficients and the sums to vectors of eight lanes and back.
const FRAMES: usize = 32;

/// Eight lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Avx512(__m512d);

/// The CPU has AVX-512 F and VL, AVX2 and FMA: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Cpu(avx2::Cpu);

pub(super) fn detect() -> Option<Cpu> {
    let found = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl");
    avx2::detect().filter(|_| found).map(Cpu)
}

/// One intrinsic, or one function that is compiled for AVX-512.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: a vector, or a `Cpu`, exists only where AVX-512 F and VL, AVX2 and FMA were detected.
        unsafe { $call }
    };
}

/// The kernel. On a CPU without the instructions it does nothing: `detect` is asked before it is chosen.
pub(super) fn run(sections: &[Section], states: &mut [State], block: Block<'_>) {
    let Some(cpu) = detect() else { return };
    for (sections, states) in sections.chunks(VECTORS).zip(states.chunks_mut(VECTORS)) {
        if block.len() < FRAMES || sections.len() == 1 {
            avx2::run(sections, states, block);
        } else {
            instruction!(entered(cpu, sections, states, block));
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn entered(cpu: Cpu, sections: &[Section], states: &mut [State], block: Block<'_>) {
    match sections.len() {
        1 | 2 => pass::<1>(cpu, sections, states, block),
        3 | 4 => pass::<2>(cpu, sections, states, block),
        5 | 6 => pass::<3>(cpu, sections, states, block),
        _ => pass::<4>(cpu, sections, states, block),
    }
}

/// At the beginning of a cache line, so that no vector's load needs two.
#[repr(align(64))]
struct Lines<T>(T);

/// One pass with the sections in `V` vectors, of which the last ones change nothing when there are fewer than 4 V.
#[inline(always)]
fn pass<const V: usize>(cpu: Cpu, sections: &[Section], states: &mut [State], block: Block<'_>) {
    let mut lines = Lines([Section::<8>::new([&Biquad::IDENTITY; 8]); V]);
    let Lines(wide) = &mut lines;
    let mut sums = [State::<8>::default(); V];
    let count = sections.len();
    for place in 0..(2 * count).min(4 * V) {
        let (from, to) = ((place % count, place / count), (place % V, place / V));
        wide[to.0].copy_pair(to.1, &sections[from.0], from.1);
        sums[to.0].copy_pair(to.1, &states[from.0], from.1);
    }
    wavefront::pass::<Avx512, 8, V>(cpu, wide, &mut sums, block);
    for place in 0..(2 * count).min(4 * V) {
        let (to, from) = ((place % count, place / count), (place % V, place / V));
        states[to.0].copy_pair(to.1, &sums[from.0], from.1);
    }
}

impl Lanes<8> for Avx512 {
    type Cpu = Cpu;

    #[inline(always)]
    fn load(_: Cpu, lanes: &[f64; 8]) -> Self {
        // SAFETY: the array has eight elements, and the load takes any address; the `Cpu` is the proof of the instruction.
        Self(unsafe { _mm512_loadu_pd(lanes.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [f64; 8]) {
        // SAFETY: the array has eight elements, and the store takes any address; the vector is the proof of the instruction.
        unsafe { _mm512_storeu_pd(lanes.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn times(self, factor: Self) -> Self {
        Self(instruction!(_mm512_mul_pd(self.0, factor.0)))
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm512_fmadd_pd(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm512_fnmadd_pd(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn behind(self, first: Self) -> Self {
        let places = instruction!(_mm512_setr_epi64(0, 1, 8, 9, 10, 11, 12, 13));
        Self(instruction!(_mm512_permutex2var_pd(first.0, places, self.0)))
    }

    #[inline(always)]
    fn last(self) -> Self {
        Self(instruction!(_mm512_shuffle_f64x2::<0xFF>(self.0, self.0)))
    }

    #[inline(always)]
    fn chosen(_: Cpu, pairs: usize, new: Self, old: Self) -> Self {
        Self(instruction!(_mm512_mask_blend_pd(LANES[pairs], old.0, new.0)))
    }

    #[inline(always)]
    fn frame(_: Cpu, [left, right]: [f32; 2]) -> Self {
        let pair = instruction!(_mm_cvtps_pd(_mm_setr_ps(left, right, 0.0, 0.0)));
        Self(instruction!(_mm512_castpd128_pd512(pair)))
    }

    #[inline(always)]
    fn samples(self) -> [f32; 2] {
        let mut samples = [0.0; 4];
        let rounded = instruction!(_mm_cvtpd_ps(_mm512_castpd512_pd128(self.0)));
        // SAFETY: the array has four elements, and the store takes any address.
        unsafe { _mm_storeu_ps(samples.as_mut_ptr(), rounded) };
        [samples[0], samples[1]]
    }
}

/// The lanes of pairs, by the pairs' bits.
const LANES: [u8; 16] = {
    let mut lanes = [0; 16];
    let mut pairs = 0;
    while pairs < 16 {
        let mut pair = 0;
        while pair < 4 {
            if pairs >> pair & 1 == 1 {
                lanes[pairs] |= 0b11 << (2 * pair);
            }
            pair += 1;
        }
        pairs += 1;
    }
    lanes
};
