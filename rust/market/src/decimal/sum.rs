//! Sums of decimals.

use super::{Decimal, power};
use crate::MAX_SCALE;
use std::cmp::Ordering;
use std::fmt;

/// 1 in units of 10^-18.
const ONE: i64 = power(MAX_SCALE);

/// An exact sum of decimals of any scales. It cannot overflow: 2^64 decimals of the largest magnitude stay below the largest
/// `i128`.
///
/// Equality and order go by value.
#[derive(Clone, Copy, Default)]
pub struct DecimalSum {
    /// The part before the point.
    whole: i128,
    /// The rest in units of 10^-18, from 0 to below [`ONE`].
    fraction: i64,
    /// The largest scale of the added decimals.
    scale: u8,
}

impl DecimalSum {
    /// The empty sum, 0.
    pub const ZERO: Self = Self {
        whole: 0,
        fraction: 0,
        scale: 0,
    };

    /// Adds a decimal.
    pub fn add(&mut self, value: Decimal) {
        let one = power(value.scale);
        self.whole += i128::from(value.units.div_euclid(one));
        self.fraction += value.units.rem_euclid(one) * power(MAX_SCALE - value.scale);
        if self.fraction >= ONE {
            self.fraction -= ONE;
            self.whole += 1;
        }
        self.scale = self.scale.max(value.scale);
    }

    /// The most digits after the point of the added decimals: 0 to [`MAX_SCALE`].
    pub fn scale(self) -> u8 {
        self.scale
    }

    /// Whether the value is 0.
    pub fn is_zero(self) -> bool {
        self.whole == 0 && self.fraction == 0
    }

    /// The sum as a decimal of the same scale, or `None` when it has more than [`MAX_DIGITS`](crate::MAX_DIGITS) digits.
    pub fn to_decimal(self) -> Option<Decimal> {
        let units = self
            .whole
            .checked_mul(i128::from(power(self.scale)))?
            .checked_add(i128::from(self.fraction / power(MAX_SCALE - self.scale)))?;
        Decimal::new(i64::try_from(units).ok()?, self.scale)
    }

    /// The sum as a double, off by at most one unit in its last place.
    pub fn to_f64(self) -> f64 {
        match self.to_decimal() {
            Some(decimal) => decimal.to_f64(),
            None => self.whole as f64 + self.fraction as f64 / ONE as f64,
        }
    }

    /// Appends the text of `Display`.
    pub fn write_to(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
    }
}

impl PartialEq for DecimalSum {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for DecimalSum {}

impl PartialOrd for DecimalSum {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DecimalSum {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.whole, self.fraction).cmp(&(other.whole, other.fraction))
    }
}

impl fmt::Display for DecimalSum {
    /// All digits, with as many after the point as the finest added decimal has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, whole, fraction) = match (self.whole < 0, self.fraction) {
            (false, fraction) => ("", self.whole.unsigned_abs(), fraction),
            (true, 0) => ("-", self.whole.unsigned_abs(), 0),
            (true, fraction) => ("-", (self.whole + 1).unsigned_abs(), ONE - fraction),
        };
        if self.scale == 0 {
            return write!(f, "{sign}{whole}");
        }
        let fraction = fraction / power(MAX_SCALE - self.scale);
        write!(
            f,
            "{sign}{whole}.{fraction:0width$}",
            width = usize::from(self.scale)
        )
    }
}

impl fmt::Debug for DecimalSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
