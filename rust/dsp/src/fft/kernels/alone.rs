//! A transform across the lanes of a vector that stands alone, without a square of rows to transpose.

use super::complex::Complex;
use super::lanes::Lanes;
use super::rows::{blocks_transposed, lanes_transposed};
use crate::fft::roots::Roots;

/// The factors of a transform of V points in one vector. With j = 4 b + i and q = p + `BLOCKS` t, lane j turns by j q / V, in
/// three steps: b p / `BLOCKS`, i p / V and i t / 4.
pub(super) struct Alone<L: Lanes> {
    /// The factors of the first step for each block b: e^(-2 pi i b p / `BLOCKS`) in block p. Only `BLOCKS` of them are used.
    across_blocks: [Complex<L>; 4],
    /// The factors of the second step: e^(-2 pi i i p / V) in lane i of block p.
    between: Complex<L>,
    /// The factors of the third step for each lane i of a block: e^(-2 pi i i t / 4) in lane t.
    in_blocks: [Complex<L>; 4],
}

impl<L: Lanes> Alone<L> {
    /// The factors; `roots` have a period of V or a multiple.
    pub(super) fn new(cpu: L::Cpu, roots: &Roots) -> Self {
        let turned = |by: &dyn Fn(usize, usize) -> usize, period: usize| -> Complex<L> {
            Complex::gather(cpu, |lane| {
                roots
                    .get(by(lane / 4, lane % 4) * (roots.period() / period))
                    .into()
            })
        };
        Self {
            across_blocks: [0, 1, 2, 3].map(|b| turned(&|p, _| b * p, L::BLOCKS)),
            between: turned(&|p, i| i * p, L::COUNT),
            in_blocks: [0, 1, 2, 3].map(|i| turned(&|_, t| i * t, 4)),
        }
    }

    /// The transform of the lanes of `row`.
    #[inline(always)]
    pub(super) fn transform(&self, row: Complex<L>) -> Complex<L> {
        let blocks = blocks_transposed([row; 4]);
        let row = sum::<L>(blocks, &self.across_blocks, L::BLOCKS).times(self.between);
        let lanes = lanes_transposed([row; 4]);
        sum(lanes, &self.in_blocks, 4).regrouped()
    }
}

/// The sum of the first `count` products; the first factor is 1 in every lane. Two sums, so that each waits for one product at a
/// time.
#[inline(always)]
fn sum<L: Lanes>(rows: [Complex<L>; 4], factors: &[Complex<L>; 4], count: usize) -> Complex<L> {
    let mut by_re = rows[0];
    let mut by_im = Complex {
        re: -(rows[1].im * factors[1].im),
        im: rows[1].im * factors[1].re,
    };
    for row in 1..count {
        let (row, factor) = (rows[row], factors[row]);
        by_re.re = row.re.times_plus(factor.re, by_re.re);
        by_re.im = row.re.times_plus(factor.im, by_re.im);
    }
    for row in 2..count {
        let (row, factor) = (rows[row], factors[row]);
        by_im.re = row.im.times_from(factor.im, by_im.re);
        by_im.im = row.im.times_plus(factor.re, by_im.im);
    }
    by_re + by_im
}
