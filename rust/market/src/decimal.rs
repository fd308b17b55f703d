//! Decimal numbers that keep every digit of their text.

mod sum;
mod turnover;

pub use sum::DecimalSum;
pub use turnover::Turnover;

use crate::Excerpt;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The most significant digits.
pub const MAX_DIGITS: u32 = 18;
/// The most digits after the point.
pub const MAX_SCALE: u8 = 18;
/// The upper limit of the units: 10 to the [`MAX_DIGITS`].
const UNITS_END: u64 = 10_u64.pow(MAX_DIGITS);
/// Up to here every integer is a double.
const EXACT_DOUBLES: u64 = 1 << 53;
/// Longer than the longest text: sign, `0.` and 18 digits, or sign, point and 18 digits.
const TEXT: usize = 24;

/// 10 to the `exponent`, which is at most 18.
const fn power(exponent: u8) -> i64 {
    10_i64.pow(exponent as u32)
}

/// A decimal number as it was written: an integer of at most [`MAX_DIGITS`] digits, and the number of them after the point.
///
/// Text survives a round trip: `65000.10` is read and written as `65000.10`. Equality, order and hash go by value:
/// 1.0 equals 1.00.
#[derive(Clone, Copy, Default)]
pub struct Decimal {
    units: i64,
    scale: u8,
}

impl Decimal {
    /// 0, without digits after the point.
    pub const ZERO: Self = Self { units: 0, scale: 0 };

    /// `units` × 10^-`scale`, or `None` when `units` has more than [`MAX_DIGITS`] digits or `scale` is above
    /// [`MAX_SCALE`].
    pub const fn new(units: i64, scale: u8) -> Option<Self> {
        if units.unsigned_abs() < UNITS_END && scale <= MAX_SCALE {
            Some(Self { units, scale })
        } else {
            None
        }
    }

    /// The digits as an integer, below 10^18 in magnitude.
    pub const fn units(self) -> i64 {
        self.units
    }

    /// The number of digits after the point: 0 to [`MAX_SCALE`].
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// Whether the value is 0, whatever its scale.
    pub const fn is_zero(self) -> bool {
        self.units == 0
    }

    /// Reads the number text of JSON and CSV: digits with an optional sign, point and exponent, nothing around them.
    ///
    /// `Display` reproduces text without an exponent, a plus or a superfluous leading zero, and with digits on both sides of its
    /// point; the one exception is minus zero, whose sign is lost.
    ///
    /// # Errors
    /// [`DecimalError::Malformed`] when it is not a number, and when it has more than [`MAX_DIGITS`] significant digits or more
    /// than [`MAX_SCALE`] after the point, [`DecimalError::TooManyDigits`] or [`DecimalError::TooFine`]. Nothing is rounded.
    pub fn parse(text: &[u8]) -> Result<Self, DecimalError> {
        let malformed = || DecimalError::Malformed {
            got: Excerpt::new(text),
        };
        let (is_negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let mut units = 0_u64;
        let mut has_room = true;
        let mut point = None;
        let mut length = rest.len();
        for (at, &byte) in rest.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                // Below 10^19 when it grows for the last time, which 64 bits hold.
                units = if has_room {
                    units * 10 + u64::from(digit)
                } else {
                    units
                };
                has_room = units < UNITS_END;
            } else if byte == b'.' && point.is_none() {
                point = Some(at);
            } else if byte | 0x20 == b'e' {
                length = at;
                break;
            } else {
                return Err(malformed());
            }
        }
        if length == usize::from(point.is_some()) {
            return Err(malformed());
        }
        if !has_room {
            return Err(DecimalError::TooManyDigits {
                got: Excerpt::new(text),
            });
        }
        let fraction = point.map_or(0, |at| length - at - 1);
        let (units, scale) = match rest.get(length + 1..) {
            None => (Some(units), fraction),
            Some(exponent) => shifted(units, fraction, exponent_value(exponent).ok_or_else(malformed)?),
        };
        let Some(units) = units else {
            return Err(DecimalError::TooManyDigits {
                got: Excerpt::new(text),
            });
        };
        if scale > usize::from(MAX_SCALE) {
            return Err(DecimalError::TooFine {
                got: Excerpt::new(text),
            });
        }
        let magnitude = units as i64;
        Ok(Self {
            units: if is_negative { -magnitude } else { magnitude },
            scale: scale as u8,
        })
    }

    /// The nearest double, ties to even.
    pub fn to_f64(self) -> f64 {
        if self.units.unsigned_abs() <= EXACT_DOUBLES {
            // Both are doubles without error (10^18 is below 10^22, the last power of ten that is one): one division
            // rounds once (Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990).
            return self.units as f64 / power(self.scale) as f64;
        }
        let mut buffer = [0; TEXT];
        // The standard library's parser rounds correctly; the text is always a number.
        self.text(&mut buffer).parse().unwrap_or(f64::NAN)
    }

    /// The multiple of 10^-`scale` next to `value`, halves away from zero, or `None` when that needs more than
    /// [`MAX_DIGITS`] digits, `scale` is above [`MAX_SCALE`], or `value` is not finite.
    ///
    /// The product of `value` and 10^`scale` is rounded to a double before it is rounded to an integer. Up to 2^51 units, the
    /// result of [`to_f64`](Self::to_f64) for a decimal yields that decimal again.
    pub fn from_f64_rounded(value: f64, scale: u8) -> Option<Self> {
        if scale > MAX_SCALE {
            return None;
        }
        let units = value * power(scale) as f64;
        // Compared so that NaN fails too.
        if units.abs() < UNITS_END as f64 {
            // Through an integer: `f64::round` is a call into the C library where the processor's level has no such
            // instruction. From 2^52 on a double is an integer, and adding a half would round to the wrong one.
            let half: f64 = if units.abs() < (1_u64 << 52) as f64 {
                0.5
            } else {
                0.0
            };
            Self::new((units + half.copysign(units)) as i64, scale)
        } else {
            None
        }
    }

    /// Sum, exact, with the larger scale, or `None` when it has more than [`MAX_DIGITS`] digits.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let sum = self.units_at(scale) + other.units_at(scale);
        Self::new(i64::try_from(sum).ok()?, scale)
    }

    /// Difference, exact, with the larger scale, or `None` when it has more than [`MAX_DIGITS`] digits.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(Self {
            units: -other.units,
            scale: other.scale,
        })
    }

    /// The exact middle between this number and another, with the larger scale or one digit more, or `None` when it has too many
    /// digits.
    pub fn midpoint(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let sum = self.units_at(scale) + other.units_at(scale);
        let (units, scale) = match sum % 2 {
            0 => (sum / 2, scale),
            _ => (sum * 5, scale + 1),
        };
        Self::new(i64::try_from(units).ok()?, scale)
    }

    /// `self` - `origin` as a double: rounded once or twice, however close to one another they are.
    pub(crate) fn distance(self, origin: Self) -> f64 {
        if self.scale == origin.scale {
            return (self.units - origin.units) as f64 / power(self.scale) as f64;
        }
        match self.checked_sub(origin) {
            Some(distance) => distance.to_f64(),
            // They are far apart, or the sum of their digits exceeds the range.
            None => self.to_f64() - origin.to_f64(),
        }
    }

    /// Appends the text of `Display`.
    pub fn write_to(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.text(&mut [0; TEXT]).as_bytes());
    }

    /// The units that the value has at `scale`, which is at least its own: below 10^36.
    fn units_at(self, scale: u8) -> i128 {
        i128::from(self.units) * i128::from(power(scale - self.scale))
    }

    /// The text, written from the end of `buffer`.
    fn text(self, buffer: &mut [u8; TEXT]) -> &str {
        let mut rest = self.units.unsigned_abs();
        let mut at = TEXT;
        let mut digits = 0;
        // At least one digit before the point.
        while rest > 0 || digits <= self.scale {
            if digits == self.scale && digits > 0 {
                at -= 1;
                buffer[at] = b'.';
            }
            at -= 1;
            buffer[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            digits += 1;
        }
        if self.units < 0 {
            at -= 1;
            buffer[at] = b'-';
        }
        // ASCII only.
        std::str::from_utf8(&buffer[at..]).unwrap_or_default()
    }
}

/// Reads the exponent behind the `e`: a sign and at least one digit. Magnitudes beyond 1,000,000 count as that.
fn exponent_value(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0, |value, byte| {
        (value * 10 + i64::from(byte - b'0')).min(1_000_000)
    });
    Some(sign * magnitude)
}

/// Units and scale of `units` × 10^(`exponent` - `fraction`), with the least scale that holds it when the one that was written
/// does not; no units when they have too many digits.
fn shifted(units: u64, fraction: usize, exponent: i64) -> (Option<u64>, usize) {
    let mut scale = fraction as i64 - exponent;
    let mut units = units;
    if units == 0 {
        return (Some(0), scale.clamp(0, i64::from(MAX_SCALE)) as usize);
    }
    while scale > i64::from(MAX_SCALE) && units.is_multiple_of(10) {
        units /= 10;
        scale -= 1;
    }
    while scale < 0 {
        units *= 10;
        scale += 1;
        if units >= UNITS_END {
            return (None, 0);
        }
    }
    (Some(units), scale as usize)
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.scale == other.scale {
            return self.units.cmp(&other.units);
        }
        let scale = self.scale.max(other.scale);
        self.units_at(scale).cmp(&other.units_at(scale))
    }
}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.units_at(MAX_SCALE).hash(state);
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text(&mut [0; TEXT]))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut [0; TEXT]))
    }
}

impl std::str::FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text.as_bytes())
    }
}

/// The error of a text that is not a decimal of this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalError {
    /// The text is not a number.
    Malformed {
        /// The given text.
        got: Excerpt,
    },
    /// It has more than [`MAX_DIGITS`] digits.
    TooManyDigits {
        /// The given text.
        got: Excerpt,
    },
    /// It has more than [`MAX_SCALE`] digits after the point.
    TooFine {
        /// The given text.
        got: Excerpt,
    },
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { got } => write!(f, "expected a decimal number, got {got}"),
            Self::TooManyDigits { got } => write!(f, "expected at most {MAX_DIGITS} digits, got {got}"),
            Self::TooFine { got } => write!(
                f,
                "expected at most {MAX_SCALE} digits after the point, got {got}"
            ),
        }
    }
}

impl std::error::Error for DecimalError {}

#[cfg(test)]
mod tests;
