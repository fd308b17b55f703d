//! A transform in `f64` that is fast enough for every size. The crate under test compares it with the definition.

use std::f64::consts::TAU;

/// The bins 0 to N/2 of a real signal of N samples, N a power of two; recursive halving in `f64`.
pub fn half_spectrum(input: &[f64]) -> Vec<(f64, f64)> {
    let mut spectrum = transform(input, 0, 1);
    spectrum.truncate(input.len() / 2 + 1);
    spectrum
}

/// The transform of the samples `first`, `first + step`, `first + 2 step` …
fn transform(input: &[f64], first: usize, step: usize) -> Vec<(f64, f64)> {
    let length = input.len() / step;
    if length <= 1 {
        return input.get(first).map(|x| (*x, 0.0)).into_iter().collect();
    }
    let even = transform(input, first, 2 * step);
    let odd = transform(input, first + step, 2 * step);
    let turned: Vec<(f64, f64)> = odd
        .iter()
        .enumerate()
        .map(|(k, (re, im))| {
            let (sine, cosine) = (TAU * k as f64 / length as f64).sin_cos();
            (re * cosine + im * sine, im * cosine - re * sine)
        })
        .collect();
    let pairs = || even.iter().zip(&turned);
    let lower = pairs().map(|(e, t)| (e.0 + t.0, e.1 + t.1));
    let upper = pairs().map(|(e, t)| (e.0 - t.0, e.1 - t.1));
    lower.chain(upper).collect()
}
