//! The interface of a vector unit for the wavefront.

/// Four lanes of `f64`. Every method of an implementation is `#[inline(always)]`, so that it is compiled with the
/// instructions of the kernel around it.
pub(super) trait Four: Copy {
    /// The proof that this CPU has the instructions.
    type Cpu: Copy;

    /// The lanes of an array.
    fn load(cpu: Self::Cpu, lanes: &[f64; 4]) -> Self;

    /// The lanes as an array.
    fn store(self, lanes: &mut [f64; 4]);

    /// `self * factor`.
    fn times(self, factor: Self) -> Self;

    /// `self * factor + term`, with one rounding where the CPU can.
    fn times_plus(self, factor: Self, term: Self) -> Self;

    /// `term - self * factor`, with one rounding where the CPU can.
    fn times_from(self, factor: Self, term: Self) -> Self;

    /// The lanes 0 and 1 of `low`, then the lanes 0 and 1 of `high`.
    fn joined(low: Self, high: Self) -> Self;

    /// The lanes 2 and 3, twice.
    fn upper(self) -> Self;

    /// Of `new` the lanes where `lanes` is -1, of `old` those where it is 0.
    fn chosen(cpu: Self::Cpu, lanes: &[f64; 4], new: Self, old: Self) -> Self;

    /// Two samples in `f32` as lanes 0 and 1; the others have any value.
    fn frame(cpu: Self::Cpu, samples: [f32; 2]) -> Self;

    /// The lanes 0 and 1, rounded to `f32`.
    fn samples(self) -> [f32; 2];
}
