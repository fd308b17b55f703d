//! Eight lanes in the 256-bit registers of AVX2, with the fused product-sums of FMA: sixteen registers, or the thirty-two of
//! AVX-512 VL, for frames that are too short for sixteen lanes.

use super::avx512::Avx512;
use super::lanes::Lanes;
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};

/// Eight lanes; MANY with the registers of AVX-512 VL.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Avx2<const MANY: bool>(__m256);

/// The CPU has AVX2 and FMA, with MANY also what `Avx512` needs: only `detect` makes one.
#[derive(Clone, Copy)]
pub(super) struct Cpu<const MANY: bool>(());

/// One intrinsic, or one function that is compiled for AVX2 and FMA.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: a vector, or a `Cpu`, exists only where AVX2 and FMA were detected.
        unsafe { $call }
    };
}

impl<const MANY: bool> Add for Avx2<MANY> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(instruction!(_mm256_add_ps(self.0, other.0)))
    }
}

impl<const MANY: bool> Sub for Avx2<MANY> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(instruction!(_mm256_sub_ps(self.0, other.0)))
    }
}

impl<const MANY: bool> Mul for Avx2<MANY> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(instruction!(_mm256_mul_ps(self.0, other.0)))
    }
}

impl<const MANY: bool> Neg for Avx2<MANY> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(negated(self.0)))
    }
}

// SAFETY: a vector of eight `f32`, transparent, and an array of as many.
unsafe impl<const MANY: bool> Lanes for Avx2<MANY> {
    type Cpu = Cpu<MANY>;
    type Array = [f32; 8];
    type Factor = f32;
    const BLOCKS: usize = 2;
    const REGISTERS: usize = if MANY { 32 } else { 16 };

    fn detect() -> Option<Self::Cpu> {
        let eight = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        (eight && (!MANY || Avx512::detect().is_some())).then_some(Cpu(()))
    }

    #[inline(always)]
    fn enter<R>(Cpu(()): Self::Cpu, body: impl FnOnce() -> R) -> R {
        if MANY {
            instruction!(entered_with_many(body))
        } else {
            instruction!(entered(body))
        }
    }

    #[inline(always)]
    fn splat(Cpu(()): Self::Cpu, value: f32) -> Self {
        Self(instruction!(_mm256_set1_ps(value)))
    }

    #[inline(always)]
    fn factor(_: Self::Cpu, value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn spread(cpu: Self::Cpu, factor: f32) -> Self {
        Self::splat(cpu, factor)
    }

    fn gather(cpu: Self::Cpu, value: impl Fn(usize) -> f32) -> Self {
        Self::load(cpu, &std::array::from_fn(value))
    }

    #[inline(always)]
    fn load(Cpu(()): Self::Cpu, array: &[f32; 8]) -> Self {
        // SAFETY: AVX2 was detected, and the array has eight elements; the load takes any address.
        Self(unsafe { _mm256_loadu_ps(array.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, slice: &[Cell<f32>]) {
        assert_eq!(slice.len(), 8);
        // SAFETY: AVX2 was detected, and the slice has eight elements; the store takes any address; cells may be
        // written through a shared reference.
        unsafe { _mm256_storeu_ps(slice.as_ptr().cast_mut().cast(), self.0) }
    }

    #[inline(always)]
    fn store_runs<const RUNS: usize>(self, slice: &[Cell<f32>], first: usize, step: usize) {
        let halves = [
            instruction!(_mm256_castps256_ps128(self.0)),
            instruction!(_mm256_extractf128_ps::<1>(self.0)),
        ];
        for (number, half) in halves.into_iter().enumerate() {
            if RUNS == 2 {
                let values = &slice[first + number * step..][..4];
                // SAFETY: as for `store`, of four elements.
                unsafe { _mm_storeu_ps(values.as_ptr().cast_mut().cast(), half) }
            } else {
                let pair = instruction!(_mm_castps_pd(half));
                let low = &slice[first + 2 * number * step..][..2];
                let high = &slice[first + (2 * number + 1) * step..][..2];
                // SAFETY: as for `store`, of two elements.
                unsafe { _mm_storel_pd(low.as_ptr().cast_mut().cast(), pair) }
                // SAFETY: as before.
                unsafe { _mm_storeh_pd(high.as_ptr().cast_mut().cast(), pair) }
            }
        }
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm256_fmadd_ps(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        Self(instruction!(_mm256_fnmadd_ps(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(_mm256_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        Self(instruction!(reversed(self.0)))
    }

    #[inline(always)]
    fn transpose_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let low = instruction!(_mm256_permute2f128_ps::<0x20>(a.0, b.0));
        let high = instruction!(_mm256_permute2f128_ps::<0x31>(a.0, b.0));
        [Self(low), Self(high), c, d]
    }

    #[inline(always)]
    fn transpose_in_blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        instruction!(transposed(a.0, b.0, c.0, d.0)).map(Self)
    }

    #[inline(always)]
    fn regrouped(self) -> Self {
        let order = instruction!(_mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        Self(instruction!(_mm256_permutevar8x32_ps(self.0, order)))
    }

    #[inline(always)]
    fn interleave(even: Self, odd: Self) -> [Self; 2] {
        // Within each block first; then the lower blocks make the first vector.
        let low = instruction!(_mm256_unpacklo_ps(even.0, odd.0));
        let high = instruction!(_mm256_unpackhi_ps(even.0, odd.0));
        let first = instruction!(_mm256_permute2f128_ps::<0x20>(low, high));
        let second = instruction!(_mm256_permute2f128_ps::<0x31>(low, high));
        [Self(first), Self(second)]
    }
}

#[target_feature(enable = "avx2,fma")]
fn entered<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn entered_with_many<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn negated(x: __m256) -> __m256 {
    _mm256_xor_ps(x, _mm256_set1_ps(-0.0))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn reversed(x: __m256) -> __m256 {
    _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
}

/// The two squares of 4 by 4 lanes, each in its block, transposed: pairs of lanes first, then pairs of pairs.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn transposed(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
    let ab_low = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    let ab_high = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    let cd_low = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    let cd_high = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    [
        _mm256_castpd_ps(_mm256_unpacklo_pd(ab_low, cd_low)),
        _mm256_castpd_ps(_mm256_unpackhi_pd(ab_low, cd_low)),
        _mm256_castpd_ps(_mm256_unpacklo_pd(ab_high, cd_high)),
        _mm256_castpd_ps(_mm256_unpackhi_pd(ab_high, cd_high)),
    ]
}
