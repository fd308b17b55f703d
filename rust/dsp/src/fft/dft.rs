//! The discrete Fourier transform by its definition, in `f64`: the reference that fast code is compared with.

use super::root_of_unity;

/// Bin `bin` of the transform of a real signal, sum over n of x(n) e^(-2 pi i bin n / N): its real and imaginary part.
///
/// The cost is N sines and cosines; any length and any bin are fine, and an empty signal gives 0.
pub fn bin(input: &[f64], bin: usize) -> (f64, f64) {
    let length = input.len();
    let (mut re, mut im) = (0.0, 0.0);
    for (n, sample) in input.iter().enumerate() {
        // Reduced in integers: the angle keeps its precision however large the product is.
        let turn = (n as u128 * bin as u128 % length as u128) as usize;
        let (cosine, minus_sine) = root_of_unity(turn, length);
        re += sample * cosine;
        im += sample * minus_sine;
    }
    (re, im)
}

/// The N/2 + 1 bins from 0 to half the sample rate. Quadratic cost; allocates its result.
pub fn half_spectrum(input: &[f64]) -> Vec<(f64, f64)> {
    (0..=input.len() / 2).map(|k| bin(input, k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_has_its_half_amplitude_in_its_bin() {
        let cosine: Vec<f64> = (0..12)
            .map(|n| (std::f64::consts::TAU * 3.0 * f64::from(n) / 12.0).cos())
            .collect();
        for (k, (re, im)) in half_spectrum(&cosine).into_iter().enumerate() {
            let expected = if k == 3 { 6.0 } else { 0.0 };
            assert!((re - expected).abs() < 1e-14, "bin {k}: {re}");
            assert!(im.abs() < 1e-14, "bin {k}: {im}");
        }
    }

    #[test]
    fn late_impulse_turns_backwards() {
        let mut impulse = [0.0; 8];
        impulse[1] = 1.0;
        let (re, im) = bin(&impulse, 2);
        assert!(
            re.abs() < 1e-15 && (im + 1.0).abs() < 1e-15,
            "expected -i, got {re} {im}"
        );
    }

    #[test]
    fn empty_signal_has_an_empty_sum() {
        assert_eq!(half_spectrum(&[]), [(0.0, 0.0)]);
    }
}
