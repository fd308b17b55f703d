//! Sums of products.

/// The sums of products of one with four, which are as long.
#[inline(always)]
pub(super) fn dots(x: &[f64], y: [&[f64]; 4]) -> [f64; 4] {
    let mut sums = [[0.0; 4]; 4];
    let (fours, rest) = x.as_chunks::<4>();
    let y = y.map(|y| &y[..x.len()]);
    let others = y.map(|y| y.as_chunks::<4>().0);
    for (n, x) in fours.iter().enumerate() {
        for (sum, other) in sums.iter_mut().zip(&others) {
            for lane in 0..4 {
                sum[lane] += x[lane] * other[n][lane];
            }
        }
    }
    let mut totals = sums.map(total);
    for (total, y) in totals.iter_mut().zip(y) {
        let tail = &y[x.len() - rest.len()..];
        *total += rest.iter().zip(tail).map(|(x, y)| x * y).sum::<f64>();
    }
    totals
}

/// The sum of products, in four parts that are added at last.
#[inline(always)]
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, b) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a.zip(b) {
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += x[k] * y[k];
        }
    }
    total(sums) + tail
}

#[inline(always)]
fn total(sums: [f64; 4]) -> f64 {
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
