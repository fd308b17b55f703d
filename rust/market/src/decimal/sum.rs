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
    /// The sum of the last decimals, which have the same scale, in their units: most additions need no division.
    recent: i64,
    recent_scale: u8,
}

impl DecimalSum {
    /// The empty sum, 0.
    pub const ZERO: Self = Self {
        whole: 0,
        fraction: 0,
        scale: 0,
        recent: 0,
        recent_scale: 0,
    };

    /// Adds a decimal.
    pub fn add(&mut self, value: Decimal) {
        if value.scale == self.recent_scale
            && let Some(sum) = self.recent.checked_add(value.units)
        {
            self.recent = sum;
            return;
        }
        *self = self.settled();
        (self.recent, self.recent_scale) = (value.units, value.scale);
        self.scale = self.scale.max(value.scale);
    }

    /// The sum without recent decimals beside it.
    fn settled(self) -> Self {
        let one = power(self.recent_scale);
        let mut sum = Self { recent: 0, ..self };
        sum.whole += i128::from(self.recent.div_euclid(one));
        sum.fraction += self.recent.rem_euclid(one) * power(MAX_SCALE - self.recent_scale);
        if sum.fraction >= ONE {
            sum.fraction -= ONE;
            sum.whole += 1;
        }
        sum
    }

    /// The most digits after the point of the added decimals: 0 to [`MAX_SCALE`].
    pub fn scale(self) -> u8 {
        self.scale
    }

    /// Whether the value is 0.
    pub fn is_zero(self) -> bool {
        if self.is_recent() {
            return self.recent == 0;
        }
        self == Self::ZERO
    }

    /// Whether the recent decimals are all.
    fn is_recent(self) -> bool {
        self.whole == 0 && self.fraction == 0 && self.scale == self.recent_scale
    }

    /// The sum as a decimal of the same scale, or `None` when it has more than [`MAX_DIGITS`](crate::MAX_DIGITS) digits.
    pub fn to_decimal(self) -> Option<Decimal> {
        if self.is_recent() {
            return Decimal::new(self.recent, self.scale);
        }
        let sum = self.settled();
        let units = (sum.whole)
            .checked_mul(i128::from(power(sum.scale)))?
            .checked_add(i128::from(sum.fraction / power(MAX_SCALE - sum.scale)))?;
        Decimal::new(i64::try_from(units).ok()?, self.scale)
    }

    /// The sum as a double, off by at most one unit in its last place.
    pub fn to_f64(self) -> f64 {
        match self.to_decimal() {
            Some(decimal) => decimal.to_f64(),
            None => {
                let sum = self.settled();
                sum.whole as f64 + sum.fraction as f64 / ONE as f64
            }
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
        let (sum, other) = (self.settled(), other.settled());
        (sum.whole, sum.fraction).cmp(&(other.whole, other.fraction))
    }
}

impl fmt::Display for DecimalSum {
    /// All digits, with as many after the point as the finest added decimal has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = self.settled();
        let (sign, whole, fraction) = match (sum.whole < 0, sum.fraction) {
            (false, fraction) => ("", sum.whole.unsigned_abs(), fraction),
            (true, 0) => ("-", sum.whole.unsigned_abs(), 0),
            (true, fraction) => ("-", (sum.whole + 1).unsigned_abs(), ONE - fraction),
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
