//! Four lanes in the 128-bit registers of x86-64: with SSE2, which every such CPU has, and with the encodings and the fused
//! product-sums of AVX2 and FMA, for frames that are too short for eight lanes.

use super::lanes::Lanes;
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};

/// Four lanes; FUSED with AVX2 and FMA.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Narrow<const FUSED: bool>(__m128);

/// With FUSED: the CPU has AVX2 and FMA. Only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Cpu<const FUSED: bool>(());

/// One intrinsic, or one function that is compiled for its instructions.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: every x86-64 CPU has SSE2; with FUSED, and only then is more used, a vector or a `Cpu` exists only where
        // AVX2 and FMA were detected.
        unsafe { $call }
    };
}

impl<const FUSED: bool> Add for Narrow<FUSED> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(instruction!(_mm_add_ps(self.0, other.0)))
    }
}

impl<const FUSED: bool> Sub for Narrow<FUSED> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(instruction!(_mm_sub_ps(self.0, other.0)))
    }
}

impl<const FUSED: bool> Mul for Narrow<FUSED> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(instruction!(_mm_mul_ps(self.0, other.0)))
    }
}

impl<const FUSED: bool> Neg for Narrow<FUSED> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(negated(self.0)))
    }
}

// SAFETY: a vector of four `f32`, transparent, and an array of as many.
unsafe impl<const FUSED: bool> Lanes for Narrow<FUSED> {
    type Cpu = Cpu<FUSED>;
    type Array = [f32; 4];
    type Factor = Self;
    const BLOCKS: usize = 1;

    fn detect() -> Option<Cpu<FUSED>> {
        let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        (fused || !FUSED).then_some(Cpu(()))
    }

    #[inline(always)]
    fn enter<R>(Cpu(()): Cpu<FUSED>, body: impl FnOnce() -> R) -> R {
        if FUSED {
            instruction!(entered(body))
        } else {
            body()
        }
    }

    #[inline(always)]
    fn splat(Cpu(()): Cpu<FUSED>, value: f32) -> Self {
        Self(instruction!(_mm_set1_ps(value)))
    }

    #[inline(always)]
    fn factor(cpu: Cpu<FUSED>, value: f32) -> Self {
        Self::splat(cpu, value)
    }

    #[inline(always)]
    fn spread(_: Cpu<FUSED>, factor: Self) -> Self {
        factor
    }

    fn gather(cpu: Cpu<FUSED>, value: impl Fn(usize) -> f32) -> Self {
        Self::load(cpu, &std::array::from_fn(value))
    }

    #[inline(always)]
    fn load(Cpu(()): Cpu<FUSED>, array: &[f32; 4]) -> Self {
        // SAFETY: the array has four elements, and the load takes any address.
        Self(unsafe { _mm_loadu_ps(array.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, slice: &[Cell<f32>]) {
        assert_eq!(slice.len(), 4);
        // SAFETY: the slice has four elements, and the store takes any address; cells may be
        // written through a shared reference.
        unsafe { _mm_storeu_ps(slice.as_ptr().cast_mut().cast(), self.0) }
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        if FUSED {
            Self(instruction!(_mm_fmadd_ps(self.0, factor.0, term.0)))
        } else {
            self * factor + term
        }
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        if FUSED {
            Self(instruction!(_mm_fnmadd_ps(self.0, factor.0, term.0)))
        } else {
            term - self * factor
        }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(_mm_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        Self(instruction!(_mm_shuffle_ps::<0b00_01_10_11>(self.0, self.0)))
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
            Self(instruction!(_mm_unpacklo_ps(even.0, odd.0))),
            Self(instruction!(_mm_unpackhi_ps(even.0, odd.0))),
        ]
    }
}

#[target_feature(enable = "avx2,fma")]
fn entered<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[inline]
#[target_feature(enable = "sse2")]
fn negated(x: __m128) -> __m128 {
    _mm_xor_ps(x, _mm_set1_ps(-0.0))
}

/// The square of 4 by 4 lanes transposed: pairs of lanes first, then pairs of pairs.
#[inline]
#[target_feature(enable = "sse2")]
fn transposed(a: __m128, b: __m128, c: __m128, d: __m128) -> [__m128; 4] {
    let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
    let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
    [
        _mm_movelh_ps(ab_low, cd_low),
        _mm_movehl_ps(cd_low, ab_low),
        _mm_movelh_ps(ab_high, cd_high),
        _mm_movehl_ps(cd_high, ab_high),
    ]
}
