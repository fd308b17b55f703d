//! The part across the lanes: from one transform per lane to the bins of the whole frame.
//!
//! Bin k + L q of the frame, for k below L and q below 2 V, is the sum over the lanes j of
//! w^(j (k + L q)) (A_j(k) + (-1)^q w^(V k) B_j(k)), w = e^(-2 pi i / N), where A_j and B_j are the transforms of the real
//! and the imaginary part of lane j's signal. So for each k, in vectors over j:
//! 1. `unpack` takes A and B out of the points k and L - k, and makes one vector for the even q and one for the odd q;
//! 2. a transform of V points across the lanes gives the bins of V values of q.
//!
//! The second is vertical too, once a square of V rows (values of k) is transposed: half of it is done a 128-bit block at
//! a time, then a small transform, then the other half within the blocks. The k below L/2 suffice: half of their bins are
//! above N/2, and mirrors of the missing ones.

use super::alone::Alone;
use super::butterflies::radix_4;
use super::columns::Columns;
use super::complex::Complex;
use super::finish::{Output, Places};
use super::lanes::Lanes;
use crate::fft::roots::Roots;
use std::f32::consts::FRAC_1_SQRT_2;

/// The factors of this part for one size.
pub(super) struct Rows<L: Lanes> {
    /// The factors of the points k = 0 ..= L/2.
    points: Box<[Point<L>]>,
    /// The turns of each block-wise frequency p: e^(-2 pi i (p i) / V) in lane i of each block. Only `BLOCKS` of the rows are used.
    in_blocks: [Complex<L>; 4],
    /// The transform of `middle`.
    alone: Alone<L>,
}

/// The memory between the two halves of the transform across the lanes: for odd and even q, for each block-wise frequency p,
/// the four rows. Only `BLOCKS` of the p are used.
type Squares<L> = [[[Complex<L>; 4]; 4]; 2];

/// The points of a run: so few that they stay in the fastest cache.
const RUN: usize = 64;

/// The most elements that `Rows::transform` takes of `rest`: squares of the widest vectors, 16 lanes, or runs of the
/// narrowest, 4.
pub(super) const MEMORY: usize = {
    let (squares, runs) = (2 * 4 * 4 * 2 * 16, 2 * RUN * 2 * 4);
    if squares > runs { squares } else { runs }
};

/// The factors of a point k.
struct Point<L: Lanes> {
    /// The positions at which `Columns` leaves it and its mirror L - k.
    place: u32,
    mirror: u32,
    /// The factor of `unpack`: w^(V k).
    turn: Complex<L::Factor>,
    /// The factors w^(j k) and w^(j (k + L)) in each lane j.
    even: Complex<L>,
    odd: Complex<L>,
}

impl<L: Lanes> Rows<L> {
    /// The factors for the frames of `columns`. `roots` are those of N.
    pub(super) fn new(cpu: L::Cpu, roots: &Roots, columns: &Columns<L>) -> Self {
        let positions = columns.positions();
        let points = positions.len();
        let lanes = |step: usize| -> Complex<L> { Complex::gather(cpu, |j| roots.get(j * step).into()) };
        let point = |k: usize| Point {
            place: positions[k],
            mirror: positions[(points - k) % points],
            turn: Complex::<L>::factor(cpu, roots.get(L::COUNT * k)),
            even: lanes(k),
            odd: lanes(k + points),
        };
        // e^(-2 pi i / V) is the power N / V = 2 L of w.
        let in_block = |p: usize| Complex::gather(cpu, |j| roots.get(j % 4 * p * 2 * points).into());
        Self {
            points: (0..=points / 2).map(point).collect(),
            in_blocks: [in_block(0), in_block(1), in_block(2), in_block(3)],
            alone: Alone::new(cpu, roots),
        }
    }

    /// Makes the bins 0 to N/2 out of what `Columns::transform` left in `work`. `rest` is memory of any content.
    #[inline(always)]
    pub(super) fn transform<O: Output>(
        &self,
        cpu: L::Cpu,
        work: &[Complex<L>],
        rest: &mut [Complex<L>],
        output: &mut O,
    ) {
        match L::BLOCKS {
            2.. if work.len() == L::COUNT => self.halves(cpu, work, rest, output),
            2.. if work.len() < L::COUNT => self.quarters(cpu, work, output),
            1 if L::REGISTERS > 16 => self.quads(cpu, work, output),
            1 => self.points(cpu, work, rest, output),
            // With fewer registers its values go through memory: as the squares do, but in no good order.
            2 if L::REGISTERS > 16 => self.octets(cpu, work, rest, output),
            _ => self.squares(cpu, work, rest, output),
        }
        self.middle(cpu, work, output);
    }

    /// All bins but those of `middle`, through squares of lanes.
    #[inline(always)]
    fn squares<O: Output>(&self, cpu: L::Cpu, work: &[Complex<L>], rest: &mut [Complex<L>], output: &mut O) {
        let length = work.len();
        let (rows, _) = rest.as_chunks_mut();
        let (squares, _) = rows.as_chunks_mut();
        let (pairs, _): (&mut [Squares<L>], _) = squares.as_chunks_mut();
        let [odd, even] = &mut pairs[0];
        for (group, points) in self.points.chunks_exact(L::COUNT).enumerate() {
            for row in 0..4 {
                L::turn();
                self.cross_blocks(cpu, work, points, row, even, odd);
            }
            for (parity, crossed) in [&*even, &*odd].into_iter().enumerate() {
                for (p, rows) in crossed.iter().enumerate().take(L::BLOCKS) {
                    L::turn();
                    let places = places::<L>(length, 2 * p + parity, L::COUNT * group);
                    output.square(
                        places,
                        #[inline(always)]
                        || across_in_blocks(*rows),
                    );
                }
            }
        }
    }

    /// The same for vectors of two blocks, both halves of the transform in one.
    #[inline(always)]
    fn octets<O: Output>(&self, cpu: L::Cpu, work: &[Complex<L>], rest: &mut [Complex<L>], output: &mut O) {
        let length = work.len();
        let (rows, _) = rest.as_chunks_mut::<8>();
        let (pairs, _) = rows.as_chunks_mut::<2>();
        let [even, odd] = &mut pairs[0];
        for (group, points) in self.points.as_chunks::<8>().0.iter().enumerate() {
            for ((point, even), odd) in points.iter().zip(&mut *even).zip(&mut *odd) {
                [*even, *odd] = unpack(cpu, work, point);
            }
            for (parity, rows) in [&*even, &*odd].into_iter().enumerate() {
                let halves = across_octet(cpu, *rows);
                for (half, rows) in halves.into_iter().enumerate() {
                    let places = places::<L>(length, 2 * half + parity, L::COUNT * group);
                    output.square(
                        places,
                        #[inline(always)]
                        || radix_4(rows),
                    );
                }
            }
        }
    }

    /// The same for as many points as lanes: the rows for the even and for the odd q together make one square, and each vector of
    /// bins is two runs.
    #[inline(always)]
    fn halves<O: Output>(&self, cpu: L::Cpu, work: &[Complex<L>], rest: &mut [Complex<L>], output: &mut O) {
        let length = work.len();
        let (rows, _) = rest.as_chunks_mut::<4>();
        let (squares, _) = rows.as_chunks_mut::<4>();
        let square = &mut squares[0];
        for row in 0..4 {
            let mut rows = [Complex::zero(cpu); 4];
            for block in 0..L::BLOCKS / 2 {
                [rows[block], rows[block + L::BLOCKS / 2]] = unpack(cpu, work, &self.points[row + 4 * block]);
            }
            let bins = self.turned(across_blocks(rows));
            for (rows, bin) in square.iter_mut().zip(bins).take(L::BLOCKS) {
                rows[row] = bin;
            }
        }
        for (p, rows) in square.iter().enumerate().take(L::BLOCKS) {
            let places = places::<L>(length, 2 * p, 0);
            output.runs::<L, 2>(places, length, across_in_blocks(*rows));
        }
    }

    /// The same for half as many points as lanes, whose rows make half a square: two block-wise frequencies share each square
    /// within the blocks, and each vector of bins is four runs.
    #[inline(always)]
    fn quarters<O: Output>(&self, cpu: L::Cpu, work: &[Complex<L>], output: &mut O) {
        let length = work.len();
        let [mut even, mut odd] = [[Complex::zero(cpu); 4]; 2];
        let rows = even.iter_mut().zip(&mut odd).zip(&self.points);
        for ((even, odd), point) in rows.take(L::BLOCKS) {
            [*even, *odd] = unpack(cpu, work, point);
        }
        let (even, odd) = (self.turned(across_blocks(even)), self.turned(across_blocks(odd)));
        for pair in 0..L::BLOCKS / 2 {
            let p = 2 * pair;
            let places = places::<L>(length, 2 * p, 0);
            let [a, b, c, d] = across_in_blocks([even[p], odd[p], even[p + 1], odd[p + 1]]);
            let bins = [a.regrouped(), b.regrouped(), c.regrouped(), d.regrouped()];
            output.runs::<L, 4>(places, length, bins);
        }
    }

    /// Between the two halves of the transform across the lanes: the block-wise bins, each lane turned by its number in the block.
    #[inline(always)]
    fn turned(&self, [a, b, c, d]: [Complex<L>; 4]) -> [Complex<L>; 4] {
        let [_, for_b, for_c, for_d] = self.in_blocks;
        [a, b.times(for_b), c.times(for_c), d.times(for_d)]
    }

    /// The same for vectors of one block, a square at a time, both its halves in registers.
    #[inline(always)]
    fn quads<O: Output>(&self, cpu: L::Cpu, work: &[Complex<L>], output: &mut O) {
        let length = work.len();
        for (group, points) in self.points[..length / 2].as_chunks::<4>().0.iter().enumerate() {
            let [a, b, c, d] = points.each_ref().map(
                #[inline(always)]
                |point| unpack(cpu, work, point),
            );
            for parity in 0..2 {
                let places = places::<L>(length, parity, L::COUNT * group);
                output.square(
                    places,
                    #[inline(always)]
                    || across_in_blocks([a[parity], b[parity], c[parity], d[parity]]),
                );
            }
        }
    }

    /// The same for vectors of one block, of which unpacking leaves the rows as they are wanted: in two loops over a run of
    /// points, so that none waits for what it has just written.
    #[inline(always)]
    fn points<O: Output>(&self, cpu: L::Cpu, work: &[Complex<L>], rest: &mut [Complex<L>], output: &mut O) {
        let length = work.len();
        let (even, odd) = rest[..2 * RUN].split_at_mut(RUN);
        for (run, points) in self.points[..length / 2].chunks(RUN).enumerate() {
            for ((point, even), odd) in points.iter().zip(&mut *even).zip(&mut *odd) {
                L::turn();
                [*even, *odd] = unpack(cpu, work, point);
            }
            for (parity, rows) in [&*even, &*odd].into_iter().enumerate() {
                let places = places::<L>(length, parity, RUN * run);
                output.points(places, &rows[..points.len()]);
            }
        }
    }

    /// Unpacks the points `row` + 4 b of a group, b each block, and transforms them across the blocks: bin p becomes
    /// row `row` of element p, of `even` and of `odd`.
    #[inline(always)]
    fn cross_blocks(
        &self,
        cpu: L::Cpu,
        work: &[Complex<L>],
        points: &[Point<L>],
        row: usize,
        even: &mut [[Complex<L>; 4]; 4],
        odd: &mut [[Complex<L>; 4]; 4],
    ) {
        let mut rows = [[Complex::zero(cpu); 4]; 2];
        for block in 0..L::BLOCKS {
            let [even, odd] = unpack(cpu, work, &points[row + 4 * block]);
            rows[0][block] = even;
            rows[1][block] = odd;
        }
        for (rows, crossed) in rows.into_iter().zip([even, odd]) {
            let bins = self.turned(across_blocks(rows));
            for (rows, bin) in crossed.iter_mut().zip(bins).take(L::BLOCKS) {
                rows[row] = bin;
            }
        }
    }

    /// The bins of k = L/2, which is its own mirror: one transform across the lanes. Its even q give all of them, as bins or as
    /// mirrors.
    #[inline(always)]
    fn middle<O: Output>(&self, cpu: L::Cpu, work: &[Complex<L>], output: &mut O) {
        let points = work.len();
        let Some(middle) = self.points.last() else { return };
        let [row, _] = unpack(cpu, work, middle);
        if L::BLOCKS == 1 {
            let bins = radix_4([row.lane(0), row.lane(1), row.lane(2), row.lane(3)]);
            return output.spread_four(points / 2, 2 * points, bins);
        }
        let bins = self.alone.transform(row);
        output.spread(points / 2, 2 * points, bins);
    }
}

/// From a point k: the vectors whose transforms across the lanes are the bins k + L q for the even and for the odd q.
#[inline(always)]
fn unpack<L: Lanes>(cpu: L::Cpu, work: &[Complex<L>], point: &Point<L>) -> [Complex<L>; 2] {
    let (low, high) = (work[point.place as usize], work[point.mirror as usize]);
    // Twice A, and twice B: the weights have a factor of a half.
    let a = Complex {
        re: low.re + high.re,
        im: low.im - high.im,
    };
    let b = Complex {
        re: low.im + high.im,
        im: high.re - low.re,
    };
    let b = b.times(Complex::spread(cpu, point.turn));
    [(a + b).times(point.even), (a - b).times(point.odd)]
}

/// The first bins of four q, of q = `first_q` + 2 `BLOCKS` t for the turns t, 0 to 3, and of the points from `k` on: those of the
/// first two turns upwards, and downwards the mirrors of those of the others.
#[inline(always)]
fn places<L: Lanes>(length: usize, first_q: usize, k: usize) -> Places {
    let q = |turn: usize| first_q + 2 * L::BLOCKS * turn;
    Places {
        first: [0, 1].map(|turn| length * q(turn) + k),
        last: [2, 3].map(|turn| length * (2 * L::COUNT - q(turn)) - k),
    }
}

/// A transform of `BLOCKS` points across the blocks of as many rows; row r becomes block r of each result.
#[inline(always)]
fn across_blocks<L: Lanes>(rows: [Complex<L>; 4]) -> [Complex<L>; 4] {
    let [a, b, c, d] = blocks_transposed(rows);
    match L::BLOCKS {
        2 => [a + b, a - b, c, d],
        _ => radix_4([a, b, c, d]),
    }
}

/// Of a transform of 8 points across the lanes of 8 rows of two blocks, the part before two transforms of 4 points, which give
/// the even and the odd bins; row r becomes lane r of each result.
#[inline(always)]
fn across_octet<L: Lanes>(cpu: L::Cpu, [a, b, c, d, e, f, g, h]: [Complex<L>; 8]) -> [[Complex<L>; 4]; 2] {
    let blocks = |low, high| blocks_transposed([low, high, low, high]);
    let ([a, e, ..], [b, f, ..]) = (blocks(a, e), blocks(b, f));
    let ([c, g, ..], [d, h, ..]) = (blocks(c, g), blocks(d, h));
    let [a, b, c, d] = lanes_transposed([a, b, c, d]);
    let [e, f, g, h] = lanes_transposed([e, f, g, h]);
    let root = |re, im| Complex::splat(cpu, Complex { re, im });
    let (first, third) = (
        root(FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
        root(-FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
    );
    let turned = (c - g).minus_i_times();
    [
        [a + e, b + f, c + g, d + h],
        [a - e, (b - f).times(first), turned, (d - h).times(third)],
    ]
}

/// In each block on its own, a transform of 4 points across the lanes of 4 rows; row r becomes lane r of each result.
#[inline(always)]
pub(super) fn across_in_blocks<L: Lanes>(rows: [Complex<L>; 4]) -> [Complex<L>; 4] {
    radix_4(lanes_transposed(rows))
}

/// The rows, with the square of blocks transposed.
#[inline(always)]
pub(super) fn blocks_transposed<L: Lanes>(rows: [Complex<L>; 4]) -> [Complex<L>; 4] {
    let [re, im] = parts(rows);
    joined(L::transpose_blocks(re), L::transpose_blocks(im))
}

/// The rows, with the square of lanes in each block transposed.
#[inline(always)]
pub(super) fn lanes_transposed<L: Lanes>(rows: [Complex<L>; 4]) -> [Complex<L>; 4] {
    let [re, im] = parts(rows);
    joined(L::transpose_in_blocks(re), L::transpose_in_blocks(im))
}

#[inline(always)]
fn parts<L: Lanes>([a, b, c, d]: [Complex<L>; 4]) -> [[L; 4]; 2] {
    [[a.re, b.re, c.re, d.re], [a.im, b.im, c.im, d.im]]
}

#[inline(always)]
fn joined<L: Lanes>(re: [L; 4], im: [L; 4]) -> [Complex<L>; 4] {
    [
        Complex { re: re[0], im: im[0] },
        Complex { re: re[1], im: im[1] },
        Complex { re: re[2], im: im[2] },
        Complex { re: re[3], im: im[3] },
    ]
}
