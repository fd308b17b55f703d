//! Lanes in plain arrays: what the compiler makes of portable code, on every CPU.
//!
//! Four lanes are the path for CPUs without one of their own. Eight and sixteen are for tests: they run the same generic
//! code as the wide vector units, on machines that do not have them.

use super::lanes::Lanes;
use std::ops::{Add, Mul, Neg, Sub};

/// N lanes, N = 4, 8 or 16.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Plain<const N: usize>([f32; N]);

impl<const N: usize> Plain<N> {
    #[inline(always)]
    fn each(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        let mut lanes = self.0;
        for (lane, other) in lanes.iter_mut().zip(other.0) {
            *lane = operation(*lane, other);
        }
        Self(lanes)
    }
}

impl<const N: usize> Add for Plain<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }
}

impl<const N: usize> Sub for Plain<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| a - b)
    }
}

impl<const N: usize> Mul for Plain<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| a * b)
    }
}

impl<const N: usize> Neg for Plain<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.each(self, |a, _| -a)
    }
}

impl<const N: usize> Lanes for Plain<N> {
    type Cpu = ();
    type Array = [f32; N];
    const ZEROS: [f32; N] = [0.0; N];
    const BLOCKS: usize = N / 4;

    #[inline(always)]
    fn detect() -> Option<()> {
        Some(())
    }

    #[inline(always)]
    fn enter<R>((): (), body: impl FnOnce() -> R) -> R {
        body()
    }

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        Self([value; N])
    }

    #[inline(always)]
    fn load((): (), array: &[f32; N]) -> Self {
        Self(*array)
    }

    #[inline(always)]
    fn store(self, slice: &mut [f32]) {
        slice.copy_from_slice(&self.0);
    }

    // Two roundings: a fused product-sum without the instruction is a function call.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    #[inline(always)]
    fn times_minus(self, factor: Self, term: Self) -> Self {
        self * factor - term
    }

    #[inline(always)]
    fn times_from(self, factor: Self, term: Self) -> Self {
        term - self * factor
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(self, |a, _| a.sqrt())
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        let mut lanes = self.0;
        lanes.reverse();
        Self(lanes)
    }

    #[inline(always)]
    fn transpose_blocks(rows: [Self; 4]) -> [Self; 4] {
        let mut columns = rows;
        for (r, row) in rows.iter().enumerate().take(Self::BLOCKS) {
            for (b, column) in columns.iter_mut().enumerate().take(Self::BLOCKS) {
                column.0[4 * r..4 * r + 4].copy_from_slice(&row.0[4 * b..4 * b + 4]);
            }
        }
        columns
    }

    #[inline(always)]
    fn transpose_in_blocks(rows: [Self; 4]) -> [Self; 4] {
        let mut columns = rows;
        for block in 0..Self::BLOCKS {
            for (r, row) in rows.iter().enumerate() {
                for (i, column) in columns.iter_mut().enumerate() {
                    column.0[4 * block + r] = row.0[4 * block + i];
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn interleave(even: Self, odd: Self) -> [Self; 2] {
        let mut halves = [even; 2];
        for i in 0..N {
            let (half, at) = (2 * i / N, 2 * i % N);
            halves[half].0[at] = even.0[i];
            halves[half].0[at + 1] = odd.0[i];
        }
        halves
    }
}
