//! The Bessel function of Kaiser's windows.

/// The modified Bessel function of the first kind and order 0, by its power series.
pub(crate) fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= (0.5 * x / k).powi(2);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::bessel_i0;

    #[test]
    fn bessel_has_its_tabulated_values() {
        // M. Abramowitz and I. A. Stegun, table 9.8: I0(1) = 1.2660658778, I0(5) = 27.239871823.
        assert!((bessel_i0(1.0) - 1.266_065_877_8).abs() < 1e-9);
        assert!((bessel_i0(5.0) - 27.239_871_823).abs() < 1e-7);
    }
}
