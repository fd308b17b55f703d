//! Roots of unity from a table: a plan needs several for each of its points, and a cosine costs more than the rest of it.

/// The roots of unity of one period, a multiple of 8, in `f64`.
pub(crate) struct Roots {
    /// cos(2 pi k / period) for k = 0 ..= period / 4.
    cosines: Box<[f64]>,
}

impl Roots {
    /// The roots of `period`, a power of two of at least 8.
    pub(crate) fn new(period: usize) -> Self {
        let quarter = period / 4;
        let mut cosines = vec![0.0; quarter + 1].into_boxed_slice();
        for k in 0..=quarter / 2 {
            // The angle is at most an eighth of a turn, where sine and cosine are most precise.
            let (sine, cosine) = (std::f64::consts::TAU * k as f64 / period as f64).sin_cos();
            cosines[k] = cosine;
            cosines[quarter - k] = sine;
        }
        Self { cosines }
    }

    /// The period.
    pub(crate) fn period(&self) -> usize {
        4 * (self.cosines.len() - 1)
    }

    /// e^(-2 pi i index / period): the real and the imaginary part.
    pub(crate) fn get(&self, index: usize) -> (f64, f64) {
        let quarter = self.cosines.len() - 1;
        let index = index & (4 * quarter - 1);
        let (turns, rest) = (index / quarter, index % quarter);
        let (cosine, sine) = (self.cosines[rest], self.cosines[quarter - rest]);
        match turns {
            0 => (cosine, -sine),
            1 => (-sine, -cosine),
            2 => (-cosine, sine),
            _ => (sine, cosine),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::root_of_unity;

    #[test]
    fn table_agrees_with_the_functions_in_every_octant_and_wraps() {
        for period in [8, 64, 4096] {
            let roots = Roots::new(period);
            assert_eq!(roots.period(), period);
            for index in 0..3 * period {
                let (table, direct) = (roots.get(index), root_of_unity(index, period));
                let distance = (table.0 - direct.0).hypot(table.1 - direct.1);
                // The function rounds angles of up to a turn, which the table does not need.
                assert!(distance < 1e-15, "{index} of {period}: {table:?} {direct:?}");
            }
        }
    }
}
