//! Sums of products of decimals.

use super::{Decimal, power};
use crate::MAX_SCALE;

/// The sum of prices times sizes: exact while it has at most 38 digits, then rounded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turnover {
    /// The exact part in units of 10^-`scale`.
    units: i128,
    /// Digits after the point, at most 36.
    scale: u8,
    /// The part that had too many digits.
    rounded: f64,
}

impl Turnover {
    /// Adds `price` times `size`.
    pub fn add(&mut self, price: Decimal, size: Decimal) {
        // Below 10^36.
        let product = i128::from(price.units) * i128::from(size.units);
        let scale = price.scale + size.scale;
        if scale == self.scale
            && let Some(units) = self.units.checked_add(product)
        {
            self.units = units;
        } else {
            self.add_rescaled(product, scale);
        }
    }

    #[cold]
    fn add_rescaled(&mut self, product: i128, scale: u8) {
        let common = scale.max(self.scale);
        let sum = rescaled(self.units, common - self.scale)
            .zip(rescaled(product, common - scale))
            .and_then(|(sum, product)| sum.checked_add(product));
        if let Some(units) = sum {
            (self.units, self.scale) = (units, common);
        } else {
            *self = Self {
                units: product,
                scale,
                rounded: self.to_f64(),
            };
        }
    }

    /// The sum as a double.
    pub fn to_f64(self) -> f64 {
        self.rounded + self.units as f64 / 10_f64.powi(self.scale.into())
    }
}

/// `units` × 10^`digits`, if it fits.
fn rescaled(units: i128, digits: u8) -> Option<i128> {
    let first = digits.min(MAX_SCALE);
    units
        .checked_mul(power(first).into())?
        .checked_mul(power(digits - first).into())
}

impl PartialEq for Turnover {
    fn eq(&self, other: &Self) -> bool {
        self.to_f64() == other.to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turnover(terms: &[(&str, &str)]) -> f64 {
        let number = |text: &str| Decimal::parse(text.as_bytes()).expect("a decimal");
        let mut sum = Turnover::default();
        for (price, size) in terms {
            sum.add(number(price), number(size));
        }
        sum.to_f64()
    }

    #[test]
    fn products_of_any_scales_are_added_exactly() {
        assert_eq!(turnover(&[]), 0.0);
        assert_eq!(turnover(&[("1.5", "2"), ("0.25", "0.1"), ("-3", "1")]), 0.025);
        // A sum of doubles loses the one.
        let large = [
            ("100000000000000000", "10"),
            ("1", "1"),
            ("-100000000000000000", "10"),
        ];
        assert_eq!(turnover(&large), 1.0);
    }

    #[test]
    fn sum_that_exceeds_its_digits_is_rounded() {
        let most = ("999999999999999999", "999999999999999999");
        let sum = turnover(&[most; 1_000]);
        assert!((sum / 1e39 - 1.0).abs() < 1e-15, "{sum}");
        let fine = ("0.000000000000000001", "0.000000000000000001");
        assert!((turnover(&[most, fine]) / 1e36 - 1.0).abs() < 1e-15);
        assert_eq!(turnover(&[fine]), 1e-36);
    }
}
