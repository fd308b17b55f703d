//! Sums over many samples, in lanes: one addition need not wait for the one before.

pub(super) const LANES: usize = 8;

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

/// The sum of all lanes.
#[inline(always)]
pub(super) fn total([a, b, c, d, e, f, g, h]: [f32; LANES]) -> f64 {
    f64::from(((a + e) + (c + g)) + ((b + f) + (d + h)))
}
