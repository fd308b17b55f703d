//! Four lanes in the 128-bit registers of NEON, with its fused product-sums: thirty-two registers, which every CPU of arm64 has.

use super::lanes::Lanes;
use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected;
use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};

/// Four lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Neon(float32x4_t);

/// The CPU has NEON: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Cpu(());

/// One intrinsic, or one function that is compiled for NEON.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: a vector, or a `Cpu`, exists only where NEON was detected.
        unsafe { $call }
    };
}

impl Add for Neon {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(instruction!(vaddq_f32(self.0, other.0)))
    }
}

impl Sub for Neon {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(instruction!(vsubq_f32(self.0, other.0)))
    }
}

impl Mul for Neon {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(instruction!(vmulq_f32(self.0, other.0)))
    }
}

impl Neg for Neon {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(vnegq_f32(self.0)))
    }
}

// SAFETY: a vector of four `f32`, transparent, and an array of as many.
unsafe impl Lanes for Neon {
    type Cpu = Cpu;
    type Array = [f32; 4];
    type Factor = f32;
    const BLOCKS: usize = 1;
    const REGISTERS: usize = 32;
    const ROUNDS_SMALLER_ALONE: bool = false;

    fn detect() -> Option<Cpu> {
        is_aarch64_feature_detected!("neon").then_some(Cpu(()))
    }

    #[inline(always)]
    fn enter<R>(Cpu(()): Cpu, body: impl FnOnce() -> R) -> R {
        instruction!(entered(body))
    }

    #[inline(always)]
    fn splat(Cpu(()): Cpu, value: f32) -> Self {
        Self(instruction!(vdupq_n_f32(value)))
    }

    #[inline(always)]
    fn factor(_: Cpu, value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn spread(cpu: Cpu, factor: f32) -> Self {
        Self::splat(cpu, factor)
    }

    fn gather(cpu: Cpu, value: impl Fn(usize) -> f32) -> Self {
        Self::load(cpu, &std::array::from_fn(value))
    }

    #[inline(always)]
    fn load(Cpu(()): Cpu, array: &[f32; 4]) -> Self {
        // SAFETY: NEON was detected, and the array has four elements; the load takes any address.
        Self(unsafe { vld1q_f32(array.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, slice: &[Cell<f32>]) {
        assert_eq!(slice.len(), 4);
        // SAFETY: NEON was detected, and the slice has four elements; the store takes any address; cells may be
        // written through a shared reference.
        unsafe { vst1q_f32(slice.as_ptr().cast_mut().cast(), self.0) }
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        Self(instruction!(vfmaq_f32(term.0, self.0, factor.0)))
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        Self(instruction!(vfmsq_f32(term.0, self.0, factor.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(vsqrtq_f32(self.0)))
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        Self(instruction!(reversed(self.0)))
    }

    #[inline(always)]
    fn transpose_blocks(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    fn transpose_in_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        instruction!(transposed(a.0, b.0, c.0, d.0)).map(Self)
    }

    #[inline(always)]
    fn interleave(even: Self, odd: Self) -> [Self; 2] {
        [
            Self(instruction!(vzip1q_f32(even.0, odd.0))),
            Self(instruction!(vzip2q_f32(even.0, odd.0))),
        ]
    }
}

#[target_feature(enable = "neon")]
fn entered<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// The lanes of each half in opposite order, and then the halves.
#[inline]
#[target_feature(enable = "neon")]
fn reversed(x: float32x4_t) -> float32x4_t {
    let pairs = vrev64q_f32(x);
    vextq_f32::<2>(pairs, pairs)
}

/// The square of 4 by 4 lanes transposed: even and odd lanes of two rows first, then pairs of them.
#[inline]
#[target_feature(enable = "neon")]
fn transposed(a: float32x4_t, b: float32x4_t, c: float32x4_t, d: float32x4_t) -> [float32x4_t; 4] {
    let ab_even = vreinterpretq_f64_f32(vtrn1q_f32(a, b));
    let ab_odd = vreinterpretq_f64_f32(vtrn2q_f32(a, b));
    let cd_even = vreinterpretq_f64_f32(vtrn1q_f32(c, d));
    let cd_odd = vreinterpretq_f64_f32(vtrn2q_f32(c, d));
    [
        vreinterpretq_f32_f64(vtrn1q_f64(ab_even, cd_even)),
        vreinterpretq_f32_f64(vtrn1q_f64(ab_odd, cd_odd)),
        vreinterpretq_f32_f64(vtrn2q_f64(ab_even, cd_even)),
        vreinterpretq_f32_f64(vtrn2q_f64(ab_odd, cd_odd)),
    ]
}
