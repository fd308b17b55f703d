//! Sums over many samples, in lanes: one addition need not wait for the one before.

const LANES: usize = 8;

/// The sum of `terms` of each element.
#[inline(always)]
pub(super) fn sum(values: &[f32], terms: impl Fn(f32) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().map(|&x| terms(x)).sum();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane += terms(x);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// The sum of products, in single precision.
#[inline(always)]
pub(super) fn dot<const N: usize>(a: &[f32; N], b: &[f32]) -> f64 {
    const WIDTH: usize = 8;
    let mut lanes = [0.0_f32; WIDTH];
    for (a, b) in a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH)) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    f64::from(((a + e) + (c + g)) + ((b + f) + (d + h)))
}
