//! The interface of a vector unit for the wavefront.

/// `L` lanes of `f64`, in pairs of a left and a right channel. Every method of an implementation is `#[inline(always)]`, so that
/// it is compiled with the instructions of the kernel around it.
pub(super) trait Lanes<const L: usize>: Copy {
    /// The proof that this CPU has the instructions.
    type Cpu: Copy;

    /// The lanes of an array.
    fn load(cpu: Self::Cpu, lanes: &[f64; L]) -> Self;

    /// The lanes as an array.
    fn store(self, lanes: &mut [f64; L]);

    /// `self * factor`.
    fn times(self, factor: Self) -> Self;

    /// `self * factor + term`, with one rounding where the CPU can.
    fn times_plus(self, factor: Self, term: Self) -> Self;

    /// `term - self * factor`, with one rounding where the CPU can.
    fn times_from(self, factor: Self, term: Self) -> Self;

    /// The first pair of `first`, then all pairs of `self` but the last.
    fn behind(self, first: Self) -> Self;

    /// The last pair as the first one; the others have any value.
    fn last(self) -> Self;

    /// Of `new` the pairs whose bits in `pairs` are set, the first pair's the lowest, of `old` the others.
    fn chosen(cpu: Self::Cpu, pairs: usize, new: Self, old: Self) -> Self;

    /// Two samples in `f32` as the first pair; the others have any value.
    fn frame(cpu: Self::Cpu, samples: [f32; 2]) -> Self;

    /// The first pair, rounded to `f32`.
    fn samples(self) -> [f32; 2];
}
