//! Lanes in plain arrays: what the compiler makes of portable code, on every CPU.
//!
//! One block of four lanes is the instruction set of CPUs without one of their own. Two and four blocks are for tests: they run
//! the same generic code as the wide vector units, on machines that do not have them.

use super::lanes::Lanes;
use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};

/// Four lanes. Their operations are written out: of these, unlike of loops, the compiler makes vector instructions.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Block([f32; 4]);

/// B blocks, B = 1, 2 or 4.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Plain<const B: usize>([Block; B]);

impl<const B: usize> Plain<B> {
    #[inline(always)]
    fn each(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        if B == 1 {
            self.each_in_line(other, operation)
        } else {
            self.each_called(other, operation)
        }
    }

    /// For the tests' widths, where code that is small enough to compile quickly matters more than code that is fast.
    #[inline(never)]
    fn each_called(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        self.each_in_line(other, operation)
    }

    #[inline(always)]
    fn each_in_line(mut self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        for (block, other) in self.0.iter_mut().zip(other.0) {
            let (Block([a, b, c, d]), Block([e, f, g, h])) = (*block, other);
            *block = Block([operation(a, e), operation(b, f), operation(c, g), operation(d, h)]);
        }
        self
    }
}

impl<const B: usize> Add for Plain<B> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }
}

impl<const B: usize> Sub for Plain<B> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.each(other, |a, b| a - b)
    }
}

impl<const B: usize> Mul for Plain<B> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.each(other, |a, b| a * b)
    }
}

impl<const B: usize> Neg for Plain<B> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.each(self, |a, _| -a)
    }
}

// SAFETY: arrays of four `f32`, aligned to as many, one after the other; and the same without the alignment.
unsafe impl<const B: usize> Lanes for Plain<B> {
    type Cpu = ();
    type Array = [[f32; 4]; B];
    type Factor = Self;
    const BY_POINTS: bool = B == 1;
    const BLOCKS: usize = B;
    // The widths of the tests take the code of the CPUs that have as many.
    const REGISTERS: usize = if B == 1 { 16 } else { 32 };

    #[inline(always)]
    fn turn() {
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    }

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
        Self([Block([value; 4]); B])
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
        Self(std::array::from_fn(|block| {
            Block(std::array::from_fn(|lane| value(4 * block + lane)))
        }))
    }

    #[inline(always)]
    fn load((): (), array: &[[f32; 4]; B]) -> Self {
        Self(array.map(Block))
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> f32 {
        self.0[lane / 4].0[lane % 4]
    }

    #[inline(always)]
    fn store(self, slice: &[Cell<f32>]) {
        assert_eq!(slice.len(), 4 * B);
        for (place, block) in slice.as_chunks::<4>().0.iter().zip(self.0) {
            let Block([a, b, c, d]) = block;
            place[0].set(a);
            place[1].set(b);
            place[2].set(c);
            place[3].set(d);
        }
    }

    // Two roundings: a fused product-sum without the instruction is a function call.
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
        self.each(self, |a, _| a.sqrt())
    }

    #[inline(always)]
    fn reversed(mut self) -> Self {
        self.0.reverse();
        for block in &mut self.0 {
            let Block([a, b, c, d]) = *block;
            *block = Block([d, c, b, a]);
        }
        self
    }

    #[inline(always)]
    fn transpose_blocks(rows: [Self; 4]) -> [Self; 4] {
        let mut columns = rows;
        for (r, row) in rows.iter().enumerate().take(B) {
            for (column, block) in columns.iter_mut().zip(row.0) {
                column.0[r] = block;
            }
        }
        columns
    }

    #[inline(always)]
    fn transpose_in_blocks(mut rows: [Self; 4]) -> [Self; 4] {
        for block in 0..B {
            let [a, b, c, d] = [0, 1, 2, 3].map(|row: usize| rows[row].0[block].0);
            rows[0].0[block] = Block([a[0], b[0], c[0], d[0]]);
            rows[1].0[block] = Block([a[1], b[1], c[1], d[1]]);
            rows[2].0[block] = Block([a[2], b[2], c[2], d[2]]);
            rows[3].0[block] = Block([a[3], b[3], c[3], d[3]]);
        }
        rows
    }

    #[inline(always)]
    fn regrouped(self) -> Self {
        let lane = |place: usize| self.lane(place % B * 4 + place / B);
        Self::gather((), lane)
    }

    #[inline(always)]
    fn interleave(even: Self, odd: Self) -> [Self; 2] {
        let mut halves = [even; 2];
        for (block, (Block(e), Block(o))) in even.0.into_iter().zip(odd.0).enumerate() {
            // Two blocks of the result, counted through both halves.
            let [first, second] = [2 * block, 2 * block + 1];
            halves[first / B].0[first % B] = Block([e[0], o[0], e[1], o[1]]);
            halves[second / B].0[second % B] = Block([e[2], o[2], e[3], o[3]]);
        }
        halves
    }
}
