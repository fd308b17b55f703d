//! The kernels of the windowed real FFT: one algorithm, generic over the lanes of a vector unit.
//!
//! A frame goes through two parts. `columns` transforms one interleaved sub-signal per lane, without any exchange between lanes.
//! `rows` joins them to the frame's bins, through squares of V by V lanes that are transposed in registers, and `finish` writes
//! each bin as its output: a complex spectrum is stored only on request. `hartley` turns the same transform into its inverse.
//!
//! Everything is written against the trait in `lanes`. Its implementations (`avx512`, `avx2`, `narrow`, `neon`, `plain`) are the
//! only files that know instructions, and hold all `unsafe` code but two casts in `view`.

mod alone;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod butterflies;
mod columns;
mod complex;
mod finish;
mod frame;
mod hartley;
mod lanes;
mod levels;
#[cfg(target_arch = "x86_64")]
mod narrow;
#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
mod points;
mod rows;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use frame::{Kernel, SCRATCH_SLACK};
pub(crate) use levels::FLOOR;

use super::instruction_set::InstructionSet;
use super::roots::Roots;
use frame::Frame;
use lanes::Lanes;

/// The kernel of an instruction set for frames as long as `weights`, which are what a frame is multiplied by; `roots` are of the
/// same size, one of `SIZES`. `None` when this machine does not have the instruction set's instructions.
///
/// A frame too short for the instruction set's lanes is left to fewer lanes of the same instructions.
pub(crate) fn kernel(
    instruction_set: InstructionSet,
    roots: &Roots,
    weights: &[f32],
) -> Option<Box<dyn Kernel>> {
    match instruction_set {
        InstructionSet::Plain => made::<plain::Plain<1>>(roots, weights),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Narrow => made::<narrow::Narrow>(roots, weights),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => made::<avx2::Avx2<false>>(roots, weights),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => {
            made::<avx512::Avx512>(roots, weights).or_else(|| made::<avx2::Avx2<true>>(roots, weights))
        }
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => made::<neon::Neon>(roots, weights),
        // Another machine's.
        _ => None,
    }
}

fn made<L: Lanes>(roots: &Roots, weights: &[f32]) -> Option<Box<dyn Kernel>> {
    let cpu = L::detect()?;
    (weights.len() >= Frame::<L>::LEAST)
        .then(|| Box::new(Frame::<L>::new(cpu, roots, weights)) as Box<dyn Kernel>)
}

/// Runs `body`, which is about no particular lanes, compiled with the vector instructions of an instruction set, AVX2's for those
/// above it. `body` and all it calls should be `#[inline(always)]`: what is not runs all the same, compiled without them.
pub(crate) fn run<R>(instruction_set: InstructionSet, body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let (InstructionSet::Avx2 | InstructionSet::Avx512, Some(cpu)) =
        (instruction_set, avx2::Avx2::<false>::detect())
    {
        return avx2::Avx2::<false>::enter(cpu, body);
    }
    let _ = instruction_set;
    body()
}

/// Whether this machine has the instructions of an instruction set.
pub(crate) fn is_available(instruction_set: InstructionSet) -> bool {
    match instruction_set {
        InstructionSet::Plain => true,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Narrow => narrow::Narrow::detect().is_some(),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => avx2::Avx2::<false>::detect().is_some(),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => avx512::Avx512::detect().is_some(),
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => neon::Neon::detect().is_some(),
        // Another machine's.
        _ => false,
    }
}
