//! The real FFT behind [`SpectrumPlan`](crate::SpectrumPlan), and the slow definition beside it.

pub mod dft;
pub(crate) mod instruction_set;
#[expect(
    unsafe_code,
    reason = "vector instructions have no safe form: the one place of this crate for them"
)]
pub(crate) mod kernels;
pub(crate) mod roots;

use std::ops::RangeInclusive;

/// The sizes of transforms: the powers of two from 64 to 65,536 samples.
pub const SIZES: RangeInclusive<usize> = 64..=65_536;

/// Whether there is a plan for transforms of `size` samples.
pub fn is_size(size: usize) -> bool {
    size.is_power_of_two() && SIZES.contains(&size)
}

/// e^(-2 pi i index / period), computed in `f64`: the real and the imaginary part.
pub(crate) fn root_of_unity(index: usize, period: usize) -> (f64, f64) {
    let angle = std::f64::consts::TAU * (index % period) as f64 / period as f64;
    (angle.cos(), -angle.sin())
}
