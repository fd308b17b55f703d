//! A kernel: the generic algorithm, bound to one vector unit and one size.

use super::columns::Columns;
use super::complex::Complex;
use super::finish::{Magnitude, Output, Pairs, Power, Reals};
use super::hartley::{self, Samples};
use super::lanes::Lanes;
use super::levels;
use super::rows::Rows;
use super::view;
use crate::fft::roots::Roots;

/// The windowed spectrum of one frame of N samples. The caller checks lengths: with others, a method panics or leaves bins out,
/// and accesses no other memory.
pub(crate) trait Kernel: Send + Sync {
    /// Writes the magnitudes of N/2 or N/2 + 1 bins of the N samples in `input`. `scratch` has `SCRATCH_SLACK` elements
    /// more than `input`, of any content.
    fn magnitudes(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]);

    /// As `magnitudes`, the squares of the magnitudes.
    fn power(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]);

    /// As `magnitudes`, N/2 + 1 bins as real and imaginary part, N + 2 elements.
    fn complex(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]);

    /// The inverse of `complex`, when the kernel's weights are 1 / N: writes the N samples whose bins 0 to N/2 are in
    /// `bins`, N + 2 elements, the edge bins multiplied by `edge`. `sequence` is memory for N elements, of any content;
    /// `scratch` as for `magnitudes`.
    fn samples(&self, bins: &[f32], edge: f32, output: &mut [f32], sequence: &mut [f32], scratch: &mut [f32]);

    /// Turns powers into levels in dB: 10 log10, at least the floor of `SpectrumPlan::decibels`.
    fn levels(&self, powers: &mut [f32]);
}

/// The elements of a scratch area beyond N: the memory of `Rows`, and the alignment to the largest pair of vectors.
pub(crate) const SCRATCH_SLACK: usize = 1_024 + 32;

// A scratch that begins 60 bytes behind a multiple of 64 loses 15 elements.
const _: () = assert!(SCRATCH_SLACK >= super::rows::MEMORY + 15);

/// The kernel for one vector unit.
pub(super) struct Frame<L: Lanes> {
    cpu: L::Cpu,
    columns: Columns<L>,
    rows: Rows<L>,
}

impl<L: Lanes> Frame<L> {
    /// The least N: with one block, the rows of a square need V values of k below L/2; with several, half of them, those of the even and
    /// of the odd q together, need V/4.
    pub(super) const LEAST: usize = match L::BLOCKS {
        1 => 4 * L::COUNT * L::COUNT,
        _ => L::COUNT * L::COUNT,
    };

    /// The kernel for frames as long as `weights`, a power of two of at least `LEAST`, which `roots` are the roots of.
    pub(super) fn new(cpu: L::Cpu, roots: &Roots, weights: &[f32]) -> Self {
        // Unpacking leaves twice the bins.
        let half = |array: &L::Array| L::load(cpu, array) * L::splat(cpu, 0.5);
        let weights: Vec<_> = view::samples::<L>(weights)
            .iter()
            .map(|pair| Complex {
                re: half(&pair.re),
                im: half(&pair.im),
            })
            .collect();
        let columns = Columns::new(cpu, roots, &weights);
        let rows = Rows::new(cpu, roots, &columns);
        Self { cpu, columns, rows }
    }

    #[inline(always)]
    fn run<O: Output>(&self, input: &[f32], mut output: O, scratch: &mut [f32]) {
        L::enter(
            self.cpu,
            #[inline(always)]
            || {
                let input = view::samples::<L>(input);
                let (work, rest) = view::work::<L>(self.cpu, scratch, input.len());
                self.columns.transform(self.cpu, input, work);
                self.rows.transform(self.cpu, work, rest, &mut output);
            },
        );
    }
}

impl<L: Lanes> Kernel for Frame<L> {
    fn magnitudes(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]) {
        self.run(input, Reals::<Magnitude>::new(output), scratch);
    }

    fn power(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]) {
        self.run(input, Reals::<Power>::new(output), scratch);
    }

    fn complex(&self, input: &[f32], output: &mut [f32], scratch: &mut [f32]) {
        self.run(input, Pairs::new(output), scratch);
    }

    fn samples(
        &self,
        bins: &[f32],
        edge: f32,
        output: &mut [f32],
        sequence: &mut [f32],
        scratch: &mut [f32],
    ) {
        L::enter(
            self.cpu,
            #[inline(always)]
            || hartley::fold(bins, edge, sequence),
        );
        self.run(sequence, Samples::new(output), scratch);
    }

    fn levels(&self, powers: &mut [f32]) {
        L::enter(
            self.cpu,
            #[inline(always)]
            || levels::from_powers(powers),
        );
    }
}
