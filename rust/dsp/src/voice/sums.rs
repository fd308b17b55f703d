//! Sums of products.

/// The sums of products of one with four, which are as long.
pub(super) fn dots(x: &[f64], y: [&[f64]; 4]) -> [f64; 4] {
    let mut sums = [[0.0; 2]; 4];
    let (pairs, rest) = x.as_chunks::<2>();
    let y = y.map(|y| &y[..x.len()]);
    let others = y.map(|y| y.as_chunks::<2>().0);
    for (n, x) in pairs.iter().enumerate() {
        for (sum, other) in sums.iter_mut().zip(&others) {
            sum[0] += x[0] * other[n][0];
            sum[1] += x[1] * other[n][1];
        }
    }
    let mut totals = sums.map(|sum| sum[0] + sum[1]);
    if let [x] = rest {
        for (total, y) in totals.iter_mut().zip(y) {
            *total += x * y[y.len() - 1];
        }
    }
    totals
}

/// The sum of products, in four parts that are added at last.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, b) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a.zip(b) {
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}
