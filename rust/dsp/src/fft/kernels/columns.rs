//! The vertical part: one complex transform per lane.
//!
//! With V lanes and N samples, element m of the work area holds the samples 2 V m to 2 V m + V - 1 as real parts and the
//! V samples after them as imaginary parts. So lane j carries a signal of L = N / 2V complex points, and the V lanes are
//! transformed at once, without an exchange between them: all memory is read and written in whole vectors, and every
//! twiddle factor is one scalar for all lanes.
//!
//! The passes are decimation in frequency, in place. They leave the points in an order of reversed digits, which costs
//! nothing here: a point is a cache line, and `positions` says where it is.

use super::butterflies::{Butterfly, Radix};
use super::complex::Complex;
use super::lanes::Lanes;
use crate::fft::roots::Roots;

/// A pass but the last, on blocks of `length` points.
struct Pass<L: Lanes> {
    radix: usize,
    length: usize,
    /// The powers 0 to `radix` - 1 of the root of unity of each point in the first `radix`th of a block.
    twiddles: Box<[Complex<L::Factor>]>,
}

/// The transforms of L points in each lane.
pub(super) struct Columns<L: Lanes> {
    /// The weights of the samples, in the work area's layout.
    weights: Box<[Complex<L>]>,
    passes: Box<[Pass<L>]>,
    last_radix: usize,
}

/// The radices of the passes for `points` points, a power of two from 4 to 8192: measured, and for one block in many
/// registers, which no machine at hand has, those with the fewest instructions.
fn radices<L: Lanes>(points: usize) -> &'static [usize] {
    let counted = L::BLOCKS == 1 && L::REGISTERS > 16;
    match points {
        4 => &[4],
        8 => &[8],
        512 if counted => &[8, 8, 8],
        2048 if counted => &[4, 8, 8, 8],
        4096 if counted => &[8, 8, 8, 8],
        64 if L::REGISTERS > 16 => &[8, 8],
        256 if L::REGISTERS > 16 => &[4, 8, 8],
        16 => &[4, 4],
        32 => &[4, 8],
        64 => &[4, 4, 4],
        128 => &[4, 4, 8],
        256 => &[4, 4, 4, 4],
        512 => &[4, 4, 4, 8],
        1024 => &[4, 4, 8, 8],
        2048 => &[4, 4, 4, 4, 8],
        4096 => &[4, 4, 4, 8, 8],
        _ => &[4, 4, 8, 8, 8],
    }
}

impl<L: Lanes> Columns<L> {
    /// Transforms of weighted frames: `weights` has N elements. `roots` are those of N.
    pub(super) fn new(cpu: L::Cpu, roots: &Roots, weights: &[Complex<L>]) -> Self {
        let points = weights.len();
        let radices = radices::<L>(points);
        let part = points / radices[0];
        let in_order = (0..part).flat_map(|n| (0..radices[0]).map(move |k| n + k * part));
        let weights = in_order.map(|at| weights[at]).collect();
        let (last_radix, first) = radices.split_last().unwrap_or((&1, &[]));
        let mut length = points;
        let passes = first.iter().map(|&radix| {
            let pass = Pass {
                radix,
                length,
                twiddles: twiddles::<L>(cpu, roots, radix, length),
            };
            length /= radix;
            pass
        });
        Self {
            passes: passes.collect(),
            last_radix: *last_radix,
            weights,
        }
    }

    /// The position of each of the L points after `transform`.
    pub(super) fn positions(&self) -> Box<[u32]> {
        let points = self.weights.len();
        let position = |mut point: usize| {
            let (mut length, mut position) = (points, 0);
            for radix in radices::<L>(points) {
                length /= radix;
                position += point % radix * length;
                point /= radix;
            }
            position as u32
        };
        (0..points).map(position).collect()
    }

    /// Weights the frame of N samples and transforms its lanes into `work`, L elements of any content.
    #[inline(always)]
    pub(super) fn transform(&self, cpu: L::Cpu, input: &[Complex<L::Array>], work: &mut [Complex<L>]) {
        let Some((first, middle)) = self.passes.split_first() else {
            match self.last_radix {
                8 => self.only::<8>(cpu, input, work),
                _ => self.only::<4>(cpu, input, work),
            }
            return;
        };
        match first.radix {
            8 => self.first::<8>(cpu, first, input, work),
            _ => self.first::<4>(cpu, first, input, work),
        }
        // All further passes on one block before the next block: it stays in the fastest cache.
        let block = if middle.is_empty() {
            first.length
        } else {
            first.length / first.radix
        };
        for block in work.chunks_exact_mut(block) {
            for pass in middle {
                match pass.radix {
                    8 => inner::<L, 8>(cpu, pass, block),
                    _ => inner::<L, 4>(cpu, pass, block),
                }
            }
            match self.last_radix {
                8 => last::<L, 8>(cpu, block),
                _ => last::<L, 4>(cpu, block),
            }
        }
    }

    /// The first of several passes.
    #[inline(always)]
    fn first<const R: usize>(
        &self,
        cpu: L::Cpu,
        pass: &Pass<L>,
        input: &[Complex<L::Array>],
        work: &mut [Complex<L>],
    ) where
        Radix: Butterfly<L, R>,
    {
        let part = work.len() / R;
        let steps = pass
            .twiddles
            .as_chunks::<R>()
            .0
            .iter()
            .zip(self.weights.as_chunks::<R>().0);
        for (n, (twiddles, weights)) in steps.enumerate() {
            L::turn();
            let mut points = [Complex::zero(cpu); R];
            for (k, point) in points.iter_mut().enumerate() {
                *point = Complex::load(cpu, &input[n + k * part]).weighted(weights[k]);
            }
            let points = Radix::transform(cpu, points);
            work[n] = points[0];
            for k in 1..R {
                work[n + k * part] = points[k].times(Complex::spread(cpu, twiddles[k]));
            }
        }
    }

    /// First and last pass in one.
    #[inline(always)]
    fn only<const R: usize>(&self, cpu: L::Cpu, input: &[Complex<L::Array>], work: &mut [Complex<L>])
    where
        Radix: Butterfly<L, R>,
    {
        let mut points = [Complex::zero(cpu); R];
        for (k, point) in points.iter_mut().enumerate() {
            *point = Complex::load(cpu, &input[k]).weighted(self.weights[k]);
        }
        work[..R].copy_from_slice(&Radix::transform(cpu, points));
    }
}

/// A pass that is neither the first nor the last.
#[inline(always)]
fn inner<L: Lanes, const R: usize>(cpu: L::Cpu, pass: &Pass<L>, work: &mut [Complex<L>])
where
    Radix: Butterfly<L, R>,
{
    let part = pass.length / R;
    for block in work.chunks_exact_mut(pass.length) {
        for (n, twiddles) in pass.twiddles.as_chunks::<R>().0.iter().enumerate() {
            L::turn();
            let mut points = [Complex::zero(cpu); R];
            for (k, point) in points.iter_mut().enumerate() {
                *point = block[n + k * part];
            }
            let points = Radix::transform(cpu, points);
            block[n] = points[0];
            for k in 1..R {
                block[n + k * part] = points[k].times(Complex::spread(cpu, twiddles[k]));
            }
        }
    }
}

/// The last pass, which has no twiddle factors.
#[inline(always)]
fn last<L: Lanes, const R: usize>(cpu: L::Cpu, work: &mut [Complex<L>])
where
    Radix: Butterfly<L, R>,
{
    for block in work.as_chunks_mut::<R>().0 {
        L::turn();
        *block = Radix::transform(cpu, *block);
    }
}

fn twiddles<L: Lanes>(cpu: L::Cpu, roots: &Roots, radix: usize, length: usize) -> Box<[Complex<L::Factor>]> {
    let step = roots.period() / length;
    let powers = |n: usize| (0..radix).map(move |k| Complex::<L>::factor(cpu, roots.get(n * k * step)));
    (0..length / radix).flat_map(powers).collect()
}
