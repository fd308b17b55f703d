//! Four lanes in a 256-bit register, with the fused product-sums of FMA.

use super::lanes::Lanes;
use super::wavefront::{self, Block, Section, State};
use std::arch::x86_64::*;

/// Four lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Avx2(__m256d);

/// The CPU has AVX2 and FMA: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Cpu(());

pub(super) fn detect() -> Option<Cpu> {
    (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Cpu(()))
}

/// One intrinsic, or one function that is compiled for AVX2 and FMA.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: a vector, or a `Cpu`, exists only where AVX2 and FMA were detected.
        unsafe { $call }
    };
}
/// The kernel. On a CPU without the instructions it does nothing: `detect` is asked before it is chosen.
pub(super) fn run(sections: &[Section], states: &mut [State], block: Block<'_>) {
    if let Some(cpu) = detect() {
        instruction!(entered(cpu, sections, states, block));
    }
}

#[target_feature(enable = "avx2,fma")]
fn entered(cpu: Cpu, sections: &[Section], states: &mut [State], block: Block<'_>) {
    wavefront::run::<Avx2>(cpu, sections, states, block);
}

impl Lanes<4> for Avx2 {
    type Cpu = Cpu;

    #[inline(always)]
    fn load(_: Cpu, lanes: &[f64; 4]) -> Self {
        // SAFETY: the array has four elements, and the load takes any address; the `Cpu` is the proof of the instruction.
        Self(unsafe { _mm256_loadu_pd(lanes.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, lanes: &mut [f64; 4]) {
        // SAFETY: the array has four elements, and the store takes any address; the vector is the proof of the instruction.
        unsafe { _mm256_storeu_pd(lanes.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn times(self, factor: Self) -> Self {
        Self(instruction!(_mm256_mul_pd(self.0, factor.0)))
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm256_fmadd_pd(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm256_fnmadd_pd(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn behind(self, first: Self) -> Self {
        Self(instruction!(_mm256_permute2f128_pd::<0x20>(first.0, self.0)))
    }

    #[inline(always)]
    fn last(self) -> Self {
        Self(instruction!(_mm256_permute2f128_pd::<0x11>(self.0, self.0)))
    }

    #[inline(always)]
    fn chosen(cpu: Cpu, pairs: usize, new: Self, old: Self) -> Self {
        let lanes = Self::load(cpu, &PAIRS[pairs]);
        Self(instruction!(_mm256_blendv_pd(old.0, new.0, lanes.0)))
    }

    #[inline(always)]
    fn frame(_: Cpu, [left, right]: [f32; 2]) -> Self {
        Self(instruction!(_mm256_cvtps_pd(_mm_setr_ps(left, right, 0.0, 0.0))))
    }

    #[inline(always)]
    fn samples(self) -> [f32; 2] {
        let mut samples = [0.0; 4];
        let rounded = instruction!(_mm256_cvtpd_ps(self.0));
        // SAFETY: the array has four elements, and the store takes any address.
        unsafe { _mm_storeu_ps(samples.as_mut_ptr(), rounded) };
        [samples[0], samples[1]]
    }
}

/// The lanes of pairs by their bits, as the blend takes them: none, the first, the last, both.
const PAIRS: [[f64; 4]; 4] = [
    [0.0; 4],
    [-1.0, -1.0, 0.0, 0.0],
    [0.0, 0.0, -1.0, -1.0],
    [-1.0; 4],
];
