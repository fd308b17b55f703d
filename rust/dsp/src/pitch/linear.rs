//! Linear equations with a row for the constant and one for each partial, in whole vectors of lanes.

/// The greatest number of partials of a fit.
pub(super) const MAX_PARTIALS: usize = 24;
/// The number of columns of cosines: one for the constant and one for each partial.
pub(super) const COSINES: usize = MAX_PARTIALS + 1;
/// The number of values that are processed at once.
const LANES: usize = 4;
/// The number of columns, rounded up to whole lanes.
pub(super) const WIDTH: usize = COSINES.next_multiple_of(LANES);
/// A value for the constant (0) and for each partial; what stands beyond is finite and means nothing.
pub(super) type Row = [f64; WIDTH];
pub(super) type Matrix = Box<[Row; COSINES]>;

/// The lanes that hold the first `count` + 1 of a row.
#[inline(always)]
pub(super) fn lanes(count: usize) -> usize {
    count / LANES + 1
}

#[inline(always)]
fn split(row: &[f64]) -> &[[f64; LANES]] {
    row.as_chunks().0
}

#[inline(always)]
fn split_mut(row: &mut [f64]) -> &mut [[f64; LANES]] {
    row.as_chunks_mut().0
}

/// Puts 0 in place of those of the lanes `at` whose columns are not `kept`.
#[inline(always)]
fn keep(row: &mut Row, at: usize, kept: impl Fn(usize) -> bool) {
    for (lane, entry) in split_mut(row)[at].iter_mut().enumerate() {
        *entry = if kept(LANES * at + lane) { *entry } else { 0.0 };
    }
}

/// Writes `f` of the elements of both, in whole lanes, to the first `count` + 1 of `to`. `a` and `b` are as long as a row at
/// least.
#[inline(always)]
pub(super) fn combine(to: &mut Row, a: &[f64], b: &[f64], count: usize, f: impl Fn(f64, f64) -> f64) {
    let to = &mut split_mut(to)[..lanes(count)];
    for ((to, a), b) in to.iter_mut().zip(split(a)).zip(split(b)) {
        for lane in 0..LANES {
            to[lane] = f(a[lane], b[lane]);
        }
    }
}

/// For each of some columns the sum over the first `count` + 1 of its entries times the rows of `matrix`; 0 beyond them.
#[inline(always)]
pub(super) fn apply<const N: usize>(matrix: &Matrix, columns: [&Row; N], count: usize) -> [Row; N] {
    let mut sums = [[0.0; WIDTH]; N];
    for at in 0..lanes(count) {
        let mut parts = [[0.0; LANES]; N];
        for (j, row) in matrix[..=count].iter().enumerate() {
            let row = split(row)[at];
            for (part, column) in parts.iter_mut().zip(columns) {
                for lane in 0..LANES {
                    part[lane] += column[j] * row[lane];
                }
            }
        }
        for (sum, part) in sums.iter_mut().zip(parts) {
            split_mut(sum)[at] = part;
        }
    }
    for sum in &mut sums {
        keep(sum, lanes(count) - 1, |k| k <= count);
    }
    sums
}

/// The sum of products of the first `count` + 1; one of the two is 0 beyond them.
#[inline(always)]
pub(super) fn dot(a: &Row, b: &Row, count: usize) -> f64 {
    sum_of_products(split(a), split(b), lanes(count))
}

#[inline(always)]
fn sum_of_products(a: &[[f64; LANES]], b: &[[f64; LANES]], count: usize) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a[..count].iter().zip(&b[..count]) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// Cholesky's factor of the rows and columns `from ..= to`: its rows right of the diagonal in place of the matrix, 0 in what else
/// is in their lanes, and one over the diagonal in `inverses`.
///
/// As many rows as lanes are taken from all below at once, which are then loaded and stored a quarter as often.
#[inline(always)]
pub(super) fn factor(matrix: &mut Matrix, inverses: &mut Row, from: usize, to: usize, ridge: f64) {
    let end = lanes(to);
    for first in 0..end {
        let (top, rest) = matrix[..=to].split_at_mut((LANES * first + LANES).min(to + 1));
        let mut rows = [[0.0; WIDTH]; LANES];
        for k in (LANES * first).max(from)..top.len() {
            let inverse = 1.0 / (top[k][k] + ridge).max(ridge).sqrt();
            inverses[k] = inverse;
            let row = &mut rows[k % LANES];
            for (entries, x) in split_mut(row)[first..end]
                .iter_mut()
                .zip(&split(&top[k])[first..end])
            {
                *entries = x.map(|x| x * inverse);
            }
            keep(row, first, |j| j > k);
            keep(row, end - 1, |j| j <= to);
            for (i, other) in top.iter_mut().enumerate().skip(k + 1) {
                subtract(other, &[row[i]], [&*row], first, end);
            }
            top[k] = *row;
        }
        for (i, other) in rest.iter_mut().enumerate() {
            let i = i + top.len();
            let scales = rows.each_ref().map(|row| row[i]);
            subtract(other, &scales, rows.each_ref(), i / LANES, end);
        }
    }
}

/// Subtracts each of `rows` times its scale, one after the other, in the lanes `first..end`.
#[inline(always)]
fn subtract<const N: usize>(from: &mut Row, scales: &[f64; N], rows: [&Row; N], first: usize, end: usize) {
    for at in first..end {
        let entries = &mut split_mut(from)[at];
        let mut left = *entries;
        for (scale, row) in scales.iter().zip(rows) {
            let x = split(row)[at];
            for lane in 0..LANES {
                left[lane] -= scale * x[lane];
            }
        }
        *entries = left;
    }
}

/// Solves for what the factor's transpose makes `columns` of.
#[inline(always)]
pub(super) fn forward<const N: usize>(
    factor: &Matrix,
    inverses: &Row,
    from: usize,
    to: usize,
    columns: &mut [Row; N],
) {
    let end = lanes(to);
    for first in 0..end {
        let lowest = LANES * first;
        let rows = lowest.max(from)..=(lowest + LANES - 1).min(to);
        for column in &mut *columns {
            let mut values = [0.0; LANES];
            for i in rows.clone() {
                let value = column[i] * inverses[i];
                column[i] = value;
                values[i - lowest] = value;
                for j in i + 1..=*rows.end() {
                    column[j] -= value * factor[i][j];
                }
            }
            let below = std::array::from_fn(|lane| &factor[(lowest + lane).clamp(from, to)]);
            subtract(column, &values, below, first + 1, end);
        }
    }
}

/// Solves for what the factor makes `column` of.
#[inline(always)]
pub(super) fn backward(factor: &Matrix, inverses: &Row, from: usize, to: usize, column: &mut Row) {
    let end = lanes(to);
    for i in (from..=to).rev() {
        let first = i / LANES;
        let known = sum_of_products(&split(&factor[i])[first..], &split(column)[first..], end - first);
        column[i] = (column[i] - known) * inverses[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_testkit::noise;

    #[test]
    fn solutions_solve() {
        let values = noise(5, COSINES * COSINES);
        let wave = |i: usize, j: usize| f64::from(values[i * COSINES + j]);
        for (from, to) in [(0, 4), (1, 4), (0, 12), (1, 24), (0, 24)] {
            // A symmetric matrix with a heavy diagonal; what is beyond `to` must not matter.
            let mut matrix: Matrix = Box::new([[7.0; WIDTH]; COSINES]);
            for i in 0..COSINES {
                for j in 0..COSINES {
                    matrix[i][j] = wave(i, j) + wave(j, i) + if i == j { 60.0 } else { 0.0 };
                }
            }
            let whole = matrix.clone();
            let mut inverses = [0.0; WIDTH];
            factor(&mut matrix, &mut inverses, from, to, 0.0);
            let mut columns = [[0.0; WIDTH]];
            for (k, value) in columns[0].iter_mut().enumerate().take(to + 1).skip(from) {
                *value = 1.0 + k as f64;
            }
            let right = columns[0];
            forward(&matrix, &inverses, from, to, &mut columns);
            let length = dot(&columns[0], &columns[0], to);
            backward(&matrix, &inverses, from, to, &mut columns[0]);
            let [back] = apply(&whole, [&columns[0]], to);
            let product = dot(&right, &columns[0], to);
            assert!((length / product - 1.0).abs() < 1e-12);
            for k in from..=to {
                assert!((back[k] - right[k]).abs() < 1e-10, "{k}: {back:?}");
            }
        }
    }
}
