//! Sums of products.

/// The sums of products of each of some with each of four, all as long: what is read of the four serves all of the others.
#[inline(always)]
pub(super) fn dots<const N: usize>(x: [&[f64]; N], y: [&[f64]; 4]) -> [[f64; 4]; N] {
    let length = y[0].len();
    let (x, y) = (x.map(|x| &x[..length]), y.map(|y| &y[..length]));
    let (ones, others) = (x.map(|x| x.as_chunks::<4>().0), y.map(|y| y.as_chunks::<4>().0));
    let mut sums = [[[0.0; 4]; 4]; N];
    for n in 0..length / 4 {
        for (sums, one) in sums.iter_mut().zip(&ones) {
            for (sum, other) in sums.iter_mut().zip(&others) {
                for lane in 0..4 {
                    sum[lane] += one[n][lane] * other[n][lane];
                }
            }
        }
    }
    let mut totals = sums.map(|sums| sums.map(total));
    let rest = length - length % 4..length;
    for (totals, x) in totals.iter_mut().zip(x) {
        for (total, y) in totals.iter_mut().zip(y) {
            let pairs = x[rest.clone()].iter().zip(&y[rest.clone()]);
            *total += pairs.map(|(x, y)| x * y).sum::<f64>();
        }
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
