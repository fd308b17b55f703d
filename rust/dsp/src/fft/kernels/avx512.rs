//! Sixteen lanes in the 512-bit registers of AVX-512 (its parts F, DQ and VL).

use super::lanes::Lanes;
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};

/// Sixteen lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Avx512(__m512);

/// The CPU has these instructions: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Cpu(());

/// One intrinsic, or one function that is compiled for them.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: a vector, or a `Cpu`, exists only where the instructions were detected.
        unsafe { $call }
    };
}

impl Add for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(instruction!(_mm512_add_ps(self.0, other.0)))
    }
}

impl Sub for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(instruction!(_mm512_sub_ps(self.0, other.0)))
    }
}

impl Mul for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(instruction!(_mm512_mul_ps(self.0, other.0)))
    }
}

impl Neg for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(negated(self.0)))
    }
}

// SAFETY: a vector of sixteen `f32`, transparent, and an array of as many.
unsafe impl Lanes for Avx512 {
    type Cpu = Cpu;
    type Array = [f32; 16];
    type Factor = f32;
    const BLOCKS: usize = 4;
    const REGISTERS: usize = 32;

    fn detect() -> Option<Cpu> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma");
        found.then_some(Cpu(()))
    }

    #[inline(always)]
    fn enter<R>(Cpu(()): Cpu, body: impl FnOnce() -> R) -> R {
        instruction!(entered(body))
    }

    #[inline(always)]
    fn splat(Cpu(()): Cpu, value: f32) -> Self {
        Self(instruction!(_mm512_set1_ps(value)))
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
    fn load(Cpu(()): Cpu, array: &[f32; 16]) -> Self {
        // SAFETY: the instructions were detected, and the array has sixteen elements; the load takes any address.
        Self(unsafe { _mm512_loadu_ps(array.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, slice: &[Cell<f32>]) {
        assert_eq!(slice.len(), 16);
        // SAFETY: the instructions were detected, and the slice has sixteen elements; the store takes any address; cells may be
        // written through a shared reference.
        unsafe { _mm512_storeu_ps(slice.as_ptr().cast_mut().cast(), self.0) }
    }

    #[inline(always)]
    fn store_runs<const RUNS: usize>(self, slice: &[Cell<f32>], first: usize, step: usize) {
        if RUNS == 2 {
            let halves = [
                instruction!(_mm512_castps512_ps256(self.0)),
                instruction!(_mm512_extractf32x8_ps::<1>(self.0)),
            ];
            for (run, half) in halves.into_iter().enumerate() {
                let values = &slice[first + run * step..][..8];
                // SAFETY: as for `store`, of eight elements.
                unsafe { _mm256_storeu_ps(values.as_ptr().cast_mut().cast(), half) }
            }
        } else {
            let quarters = [
                instruction!(_mm512_castps512_ps128(self.0)),
                instruction!(_mm512_extractf32x4_ps::<1>(self.0)),
                instruction!(_mm512_extractf32x4_ps::<2>(self.0)),
                instruction!(_mm512_extractf32x4_ps::<3>(self.0)),
            ];
            for (run, quarter) in quarters.into_iter().enumerate() {
                let values = &slice[first + run * step..][..4];
                // SAFETY: as for `store`, of four elements.
                unsafe { _mm_storeu_ps(values.as_ptr().cast_mut().cast(), quarter) }
            }
        }
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm512_fmadd_ps(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm512_fnmadd_ps(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(_mm512_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        Self(instruction!(reversed(self.0)))
    }

    #[inline(always)]
    fn transpose_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        instruction!(blocks_transposed(a.0, b.0, c.0, d.0)).map(Self)
    }

    #[inline(always)]
    fn transpose_in_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        instruction!(transposed(a.0, b.0, c.0, d.0)).map(Self)
    }

    #[inline(always)]
    fn regrouped(self) -> Self {
        Self(instruction!(regrouped(self.0)))
    }

    #[inline(always)]
    fn interleave(even: Self, odd: Self) -> [Self; 2] {
        instruction!(interleaved(even.0, odd.0)).map(Self)
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn entered<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn negated(x: __m512) -> __m512 {
    _mm512_xor_ps(x, _mm512_set1_ps(-0.0))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn reversed(x: __m512) -> __m512 {
    let order = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_permutexvar_ps(order, x)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn regrouped(x: __m512) -> __m512 {
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_permutexvar_ps(order, x)
}

/// The first half of the result has the lower eight lanes of both.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn interleaved(even: __m512, odd: __m512) -> [__m512; 2] {
    // Indices of 16 and more are lanes of `odd`.
    let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    [
        _mm512_permutex2var_ps(even, low, odd),
        _mm512_permutex2var_ps(even, high, odd),
    ]
}

/// The square of 4 by 4 blocks transposed: halves of rows first, then every other block. A selector 0x44 takes the lower
/// two blocks of each operand, 0xEE the upper two, 0x88 the even ones, 0xDD the odd ones.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn blocks_transposed(a: __m512, b: __m512, c: __m512, d: __m512) -> [__m512; 4] {
    let ab_low = _mm512_shuffle_f32x4::<0x44>(a, b);
    let ab_high = _mm512_shuffle_f32x4::<0xEE>(a, b);
    let cd_low = _mm512_shuffle_f32x4::<0x44>(c, d);
    let cd_high = _mm512_shuffle_f32x4::<0xEE>(c, d);
    [
        _mm512_shuffle_f32x4::<0x88>(ab_low, cd_low),
        _mm512_shuffle_f32x4::<0xDD>(ab_low, cd_low),
        _mm512_shuffle_f32x4::<0x88>(ab_high, cd_high),
        _mm512_shuffle_f32x4::<0xDD>(ab_high, cd_high),
    ]
}

/// The four squares of 4 by 4 lanes, each in its block, transposed: pairs of lanes first, then pairs of pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn transposed(a: __m512, b: __m512, c: __m512, d: __m512) -> [__m512; 4] {
    let ab_low = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
    let ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    let cd_low = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
    let cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    [
        _mm512_castpd_ps(_mm512_unpacklo_pd(ab_low, cd_low)),
        _mm512_castpd_ps(_mm512_unpackhi_pd(ab_low, cd_low)),
        _mm512_castpd_ps(_mm512_unpacklo_pd(ab_high, cd_high)),
        _mm512_castpd_ps(_mm512_unpackhi_pd(ab_high, cd_high)),
    ]
}
