//! Linear equations with a row for the constant and one for each partial.

/// The most partials of a fit.
pub(super) const MAX_PARTIALS: usize = 24;
/// Columns of cosines: the constant and the partials.
pub(super) const COSINES: usize = MAX_PARTIALS + 1;
/// A value for the constant (0) and for each partial.
pub(super) type Row = [f64; COSINES];
pub(super) type Matrix = Box<[Row; COSINES]>;

/// Adds `factor` times the first `count` + 1 of `row`.
pub(super) fn add(to: &mut Row, factor: f64, row: &Row, count: usize) {
    for (to, x) in to[..=count].iter_mut().zip(&row[..=count]) {
        *to += factor * x;
    }
}

pub(super) fn dot(a: &Row, b: &Row, count: usize) -> f64 {
    a[..=count].iter().zip(&b[..=count]).map(|(a, b)| a * b).sum()
}

/// Cholesky's factor of the rows and columns `from ..= to`, in place of the lower half.
pub(super) fn factor(matrix: &mut Matrix, from: usize, to: usize, ridge: f64) {
    for k in from..=to {
        let pivot = (matrix[k][k] + ridge).max(ridge).sqrt();
        matrix[k][k] = pivot;
        let mut column = [0.0; COSINES];
        for i in k + 1..=to {
            matrix[i][k] /= pivot;
            column[i] = matrix[i][k];
        }
        for i in k + 1..=to {
            let (row, scale) = (&mut matrix[i][k + 1..=i], column[i]);
            for (entry, x) in row.iter_mut().zip(&column[k + 1..=i]) {
                *entry -= scale * x;
            }
        }
    }
}

/// Solves for what the factor makes `values` of.
pub(super) fn forward(factor: &Matrix, from: usize, to: usize, values: &mut Row) {
    for i in from..=to {
        let sum: f64 = factor[i][from..i]
            .iter()
            .zip(&values[from..i])
            .map(|(x, y)| x * y)
            .sum();
        values[i] = (values[i] - sum) / factor[i][i];
    }
}

/// Solves for what the factor's transpose makes `values` of.
pub(super) fn backward(factor: &Matrix, from: usize, to: usize, values: &mut Row) {
    for i in (from..=to).rev() {
        let value = values[i] / factor[i][i];
        values[i] = value;
        for (rest, x) in values[from..i].iter_mut().zip(&factor[i][from..i]) {
            *rest -= value * x;
        }
    }
}
