//! Memory seen as vectors.

use super::complex::Complex;
use super::lanes::Lanes;

/// The whole groups of 2 V samples: V real parts and V imaginary parts. They may lie at any address.
#[inline(always)]
pub(super) fn samples<L: Lanes>(samples: &[f32]) -> &[Complex<L::Array>] {
    // SAFETY: `Complex<Array>` is two arrays of `f32` one after the other (`repr(C)`), for which any bits will do; it has
    // the alignment of `f32`, so that the groups begin with the first sample.
    let (_, groups, _) = unsafe { samples.align_to::<Complex<L::Array>>() };
    groups
}

/// The work areas in `scratch`: `points` vector pairs, and what is left, for `Rows`. They begin at a multiple of a vector's
/// size. The CPU is the proof that the vectors may exist.
#[inline(always)]
pub(super) fn work<L: Lanes>(
    _: L::Cpu,
    scratch: &mut [f32],
    points: usize,
) -> (&mut [Complex<L>], &mut [Complex<L>]) {
    // SAFETY: a vector is made of lanes of `f32` and nothing else, and any bits are a lane; `align_to_mut` yields only what
    // lies in `scratch` and is aligned.
    let (_, pairs, _) = unsafe { scratch.align_to_mut::<Complex<L>>() };
    pairs.split_at_mut(points)
}
