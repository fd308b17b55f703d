//! The interface of a vector unit for the kernels.

use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};

/// A vector of `COUNT` lanes of `f32`.
///
/// A value exists only where the CPU has the instructions that its operations use: the first value is made with a `Cpu`, which
/// `detect` alone creates. So the operations themselves need no proof, and read like arithmetic.
///
/// Every method of an implementation is `#[inline(always)]`: a vector function that is called rather than inlined passes
/// its vectors through memory, and is compiled without the instructions that `enter` turns on.
///
/// # Safety
/// A value is `COUNT` lanes of `f32` one after the other and nothing else, at the alignment of its size or less, and any bits
/// are a value; so is an `Array`, at the alignment of `f32`. `view` sees memory as both.
pub(super) unsafe trait Lanes:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// The proof that this CPU has the instructions.
    type Cpu: Copy + Send + Sync + 'static;

    /// `COUNT` values of `f32` and nothing else, one after the other: the lanes in memory, at any address.
    type Array: Copy + Send + Sync + 'static;

    /// A number for all lanes, as it lies in a table: one `f32` where that is spread as it is loaded, a whole vector where
    /// spreading takes instructions of its own.
    type Factor: Copy + Send + Sync + 'static;

    /// Whether the last transform is done point by point (`points`), and not in squares of lanes: for arrays of one block, of
    /// whose transposition compilers make dozens of moves.
    const BY_POINTS: bool = false;

    /// Which of the two products of an imaginary part is rounded by itself: that by the factor's imaginary part, which is the smaller
    /// one for factors of small angles, as most of the tables' are; or the other. Which order is more exact depends on the number of
    /// lanes, and is measured (`tests/paths.rs`).
    const ROUNDS_SMALLER_ALONE: bool = true;

    /// The number of 128-bit blocks: 1, 2 or 4. Shuffles within a block are cheaper than across blocks on every vector unit of
    /// interest, so that the kernels distinguish them.
    const BLOCKS: usize;

    /// The number of vector registers, which decides how many points a pass takes at once.
    const REGISTERS: usize = 16;

    /// The number of lanes.
    const COUNT: usize = 4 * Self::BLOCKS;

    /// The proof, when this CPU has the instructions.
    fn detect() -> Option<Self::Cpu>;

    /// Runs `body` compiled with the instructions. `body` and all it calls must be `#[inline(always)]`.
    fn enter<R>(cpu: Self::Cpu, body: impl FnOnce() -> R) -> R;

    /// Stands at the start of each loop over points, and costs no instruction: where a vector is not one for the compiler, it
    /// keeps it from making vectors of its own across the turns of the loop, which takes shuffles upon shuffles.
    #[inline(always)]
    fn turn() {}

    /// `value` in every lane.
    fn splat(cpu: Self::Cpu, value: f32) -> Self;

    /// `value` as it lies in a table.
    fn factor(cpu: Self::Cpu, value: f32) -> Self::Factor;

    /// The number in every lane.
    fn spread(cpu: Self::Cpu, factor: Self::Factor) -> Self;

    /// `value(i)` in lane i. Slow: for tables.
    fn gather(cpu: Self::Cpu, value: impl Fn(usize) -> f32) -> Self;

    /// The lanes that lie in `array`.
    fn load(cpu: Self::Cpu, array: &Self::Array) -> Self;

    /// One lane. Slow but where the lanes are an array.
    #[inline(always)]
    fn lane(self, lane: usize) -> f32 {
        super::finish::lanes(self)[lane]
    }

    /// Writes the lanes to `slice`, which has exactly `COUNT` elements.
    fn store(self, slice: &[Cell<f32>]);

    /// Writes `RUNS` runs of `COUNT` / `RUNS` lanes each, 2 or 4 of them, which begin at `first` and each `step` elements after the one
    /// before. All of their places are in `slice`.
    #[inline(always)]
    fn store_runs<const RUNS: usize>(self, slice: &[Cell<f32>], first: usize, step: usize) {
        let (lanes, length) = (super::finish::lanes(self), Self::COUNT / RUNS);
        for run in 0..RUNS {
            let values = &slice[first + run * step..][..length];
            for (value, lane) in values.iter().zip(&lanes[run * length..]) {
                value.set(*lane);
            }
        }
    }

    /// `self * factor + term`, with one rounding where the CPU can.
    fn times_plus(self, factor: Self, term: Self) -> Self;

    /// `term - self * factor`, with one rounding where the CPU can.
    fn times_from(self, factor: Self, term: Self) -> Self;

    /// The square root of each lane, correctly rounded.
    fn sqrt(self) -> Self;

    /// The lanes in opposite order.
    fn reversed(self) -> Self;

    /// The square of blocks transposed: block b of row r becomes block r of row b. There are `BLOCKS` rows; the others
    /// are neither read nor changed.
    fn transpose_blocks(rows: [Self; 4]) -> [Self; 4];

    /// In each block on its own, the square of lanes transposed: lane i of row r becomes lane r of row i.
    fn transpose_in_blocks(rows: [Self; 4]) -> [Self; 4];

    /// The lanes block by block of their number in the block: lane 4 b + i becomes lane `BLOCKS` i + b. Used where there are several
    /// blocks.
    #[inline(always)]
    fn regrouped(self) -> Self {
        self
    }

    /// The lanes of two vectors by turns: first of `even`, first of `odd`, second of `even` …
    fn interleave(even: Self, odd: Self) -> [Self; 2];
}
