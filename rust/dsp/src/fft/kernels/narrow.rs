//! Four lanes in the 128-bit registers of SSE2, which every CPU of x86-64 has.

use super::lanes::Lanes;
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};

/// Four lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Narrow(__m128);

/// One intrinsic, or one function that is compiled for its instructions.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: every CPU of x86-64 has SSE2.
        unsafe { $call }
    };
}

impl Add for Narrow {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(instruction!(_mm_add_ps(self.0, other.0)))
    }
}

impl Sub for Narrow {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(instruction!(_mm_sub_ps(self.0, other.0)))
    }
}

impl Mul for Narrow {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(instruction!(_mm_mul_ps(self.0, other.0)))
    }
}

impl Neg for Narrow {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(negated(self.0)))
    }
}

// SAFETY: a vector of four `f32`, transparent, and an array of as many.
unsafe impl Lanes for Narrow {
    type Cpu = ();
    type Array = [f32; 4];
    type Factor = Self;
    const BLOCKS: usize = 1;

    fn detect() -> Option<()> {
        Some(())
    }

    #[inline(always)]
    fn enter<R>((): (), body: impl FnOnce() -> R) -> R {
        body()
    }

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        Self(instruction!(_mm_set1_ps(value)))
    }

    #[inline(always)]
    fn factor((): (), value: f32) -> Self {
        Self::splat((), value)
    }

    #[inline(always)]
    fn spread((): (), factor: Self) -> Self {
        factor
    }

    fn gather((): (), value: impl Fn(usize) -> f32) -> Self {
        Self::load((), &std::array::from_fn(value))
    }

    #[inline(always)]
    fn load((): (), array: &[f32; 4]) -> Self {
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

    // SSE2 has no fused product-sum.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        term - self * factor
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
