//! Times and lengths of time as text.

use std::fmt;
use std::str::FromStr;

use crate::{Decimal, Excerpt, TimeUnit};

const NS_PER_SECOND: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// Reads a text of the given unit as nanoseconds since 1970-01-01T00:00:00Z; digits below a nanosecond are cut off (towards the
/// past). `None` when it is not such a text, or lies outside the years 1678 to 2261.
pub(crate) fn parse_time(text: &str, unit: TimeUnit) -> Option<i64> {
    let ns_per_unit = match unit {
        TimeUnit::Seconds => NS_PER_SECOND,
        TimeUnit::Milliseconds => 1_000_000,
        TimeUnit::Microseconds => 1_000,
        TimeUnit::Nanoseconds => 1,
        TimeUnit::Iso8601 => return parse_rfc3339(text.as_bytes()),
    };
    let time = match whole(text.as_bytes()) {
        Some(count) => count.checked_mul(ns_per_unit)?,
        None => {
            let count = Decimal::parse(text.as_bytes()).ok()?;
            let one = 10_i128.pow(count.scale().into());
            let ns = (i128::from(count.units()) * i128::from(ns_per_unit)).div_euclid(one);
            i64::try_from(ns).ok()?
        }
    };
    (time != crate::NO_TIME).then_some(time)
}

/// Reads an integer of at most 19 digits, without the test for an overflow after each of them; `None` for other texts.
fn whole(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let (mut value, mut is_digits) = (0_u64, true);
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        is_digits &= digit < 10;
        value = value.wrapping_mul(10).wrapping_add(digit.into());
    }
    // Below 10^19, which 64 bits hold.
    let value = is_digits.then(|| i64::try_from(value).ok())??;
    Some(if is_negative { -value } else { value })
}

/// Reads `YYYY-MM-DDThh:mm:ss[.digits](Z|±hh:mm)`, RFC 3339 section 5.6; also its lower case letters and a space for the
/// `T`. A leap second counts as the second after it, as in POSIX.
fn parse_rfc3339(text: &[u8]) -> Option<i64> {
    let (date_time, mut rest) = text.split_at_checked(19)?;
    let number = |from: usize, to: usize| {
        date_time[from..to].iter().try_fold(0_i64, |value, byte| {
            byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'))
        })
    };
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if separators.iter().any(|&(at, byte)| date_time[at] != byte)
        || !matches!(date_time[10], b'T' | b't' | b' ')
    {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut ns = 0;
    if let [b'.', digits @ ..] = rest {
        let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (fraction, behind) = digits.split_at(length);
        if fraction.is_empty() {
            return None;
        }
        let digit = |at: usize| fraction.get(at).map_or(0, |byte| i64::from(byte - b'0'));
        ns = (0..9).fold(0, |value, at| value * 10 + digit(at));
        rest = behind;
    }
    let seconds = days_since_1970(year, month, day) * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second
        - offset_seconds(rest)?;
    // Down to i64::MIN the product with a negative number of seconds overflows though the sum would not: one second of 1677.
    seconds.checked_mul(NS_PER_SECOND)?.checked_add(ns)
}

/// Seconds that the local time is ahead of UTC.
fn offset_seconds(text: &[u8]) -> Option<i64> {
    match *text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            if ![h1, h2, m1, m2].iter().all(u8::is_ascii_digit) {
                return None;
            }
            let two = |tens: u8, ones: u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
            let (hours, minutes) = (two(h1, h2), two(m1, m2));
            let seconds = hours * 3_600 + minutes * 60;
            let is_offset = hours < 24 && minutes < 60;
            is_offset.then_some(if sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let to_year = before * 365 + before / 4 - before / 100 + before / 400;
    let to_month: i64 = (1..month).map(|month| days_in_month(year, month)).sum();
    // 719,162 days lie between 0001-01-01 and 1970-01-01.
    to_year + to_month + day - 1 - 719_162
}

/// A length of time, at least 1 ns, as text: `250ms`, `1s`, `5m`, `1h`, `1d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Interval {
    ns: i64,
}

/// The units of an interval, the longest first, and their nanoseconds.
const UNITS: [(&str, i64); 7] = [
    ("d", SECONDS_PER_DAY * NS_PER_SECOND),
    ("h", 3_600 * NS_PER_SECOND),
    ("m", 60 * NS_PER_SECOND),
    ("s", NS_PER_SECOND),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

impl Interval {
    /// An interval of `ns` nanoseconds, or `None` when that is below 1.
    pub const fn from_ns(ns: i64) -> Option<Self> {
        if ns > 0 { Some(Self { ns }) } else { None }
    }

    /// Its length in nanoseconds, at least 1.
    pub const fn ns(self) -> i64 {
        self.ns
    }

    /// Reads a whole number and its unit: `d`, `h`, `m` (minutes), `s`, `ms`, `us` or `ns`.
    ///
    /// # Errors
    /// [`IntervalError`] when it is not such a text, 0, or more than 2^63 ns (292 years).
    pub fn parse(text: &str) -> Result<Self, IntervalError> {
        let error = IntervalError {
            got: Excerpt::new(text.as_bytes()),
        };
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let ns = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .and_then(|(_, ns)| number.parse::<i64>().ok()?.checked_mul(*ns));
        ns.and_then(Self::from_ns).ok_or(error)
    }

    /// The start of the interval that contains `time_ns`: the multiple of the length, counted from 1970, at or before it. Near
    /// the beginning of representable time it is `i64::MIN`.
    pub const fn start(self, time_ns: i64) -> i64 {
        time_ns.saturating_sub(time_ns.rem_euclid(self.ns))
    }
}

impl FromStr for Interval {
    type Err = IntervalError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for Interval {
    /// In the longest unit of which it is a multiple.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, ns)| self.ns % ns == 0) {
            Some((name, ns)) => write!(f, "{}{name}", self.ns / ns),
            None => write!(f, "{}ns", self.ns),
        }
    }
}

/// The error of a text that is not an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalError {
    /// The given text.
    pub got: Excerpt,
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a duration such as 250ms, 1s, 5m, 1h or 1d, got {}",
            self.got
        )
    }
}

impl std::error::Error for IntervalError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_each_unit() {
        let time = |text, unit| parse_time(text, unit);
        assert_eq!(
            time("1700000000", TimeUnit::Seconds),
            Some(1_700_000_000 * NS_PER_SECOND)
        );
        assert_eq!(
            time("1700000000.25", TimeUnit::Seconds),
            Some(1_700_000_000_250_000_000)
        );
        assert_eq!(
            time("1700000000123", TimeUnit::Milliseconds),
            Some(1_700_000_000_123_000_000)
        );
        assert_eq!(time("1.5e3", TimeUnit::Microseconds), Some(1_500_000));
        assert_eq!(
            time("1700000000123456789", TimeUnit::Nanoseconds),
            Some(1_700_000_000_123_456_789)
        );
        assert_eq!(time("-0.5", TimeUnit::Nanoseconds), Some(-1));
        for text in ["", "x", "9223372036854775808", "-9223372036854775808"] {
            assert_eq!(time(text, TimeUnit::Nanoseconds), None, "{text}");
        }
        assert_eq!(time("9223372037", TimeUnit::Seconds), None);
    }

    #[test]
    fn rfc_3339_is_read() {
        let time = |text| parse_time(text, TimeUnit::Iso8601);
        assert_eq!(time("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(time("1969-12-31T23:59:59.999999999Z"), Some(-1));
        assert_eq!(
            time("2000-02-29T12:00:00+01:30"),
            Some(951_820_200 * NS_PER_SECOND)
        );
        assert_eq!(time("2023-11-14 22:13:20.5z"), Some(1_700_000_000_500_000_000));
        assert_eq!(time("2016-12-31T23:59:60Z"), time("2017-01-01T00:00:00Z"));
        assert_eq!(
            time("2023-11-14T22:13:20.1234567891Z"),
            Some(1_700_000_000_123_456_789)
        );
        for text in [
            "",
            "2023-02-29T00:00:00Z",
            "2023-00-01T00:00:00Z",
            "2023-13-01T00:00:00Z",
            "2023-01-01T24:00:00Z",
            "2023-01-01T00:00:00",
            "2023-01-01T00:00:00.Z",
            "2023-01-01T00:00:00+1:00",
            "2023-01-01T00:00:00+aa:00",
            "2023-01-01T00:00:00+24:00",
            "2023-01-01T00:00:00+23:60",
            "2023-01-01T00:00:00+00:0:",
            "2023-01-01T00:00:00+0/:00",
            "+023-01-01T00:00:00Z",
            "9999-01-01T00:00:00Z",
            "0001-01-01T00:00:00Z",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn days_count_on_without_a_hole() {
        let mut expected = days_since_1970(1_600, 1, 1);
        for year in 1_600..2_400 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_since_1970(year, month, day), expected);
                    expected += 1;
                }
            }
        }
        assert_eq!(days_since_1970(1970, 1, 1), 0);
    }

    #[test]
    fn texts_have_the_values_of_the_vectors() {
        let mut count = 0;
        for line in include_str!("../../../Tests/Vectors/readers.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
        {
            let fields: Vec<&str> = line.splitn(4, "  ").collect();
            let [kind, expected, _, text] = fields[..] else {
                panic!("malformed line: {line}");
            };
            let value = match kind {
                "decimal" => Decimal::parse(text.as_bytes())
                    .ok()
                    .map(|value| format!("{}e{}", value.units(), value.scale())),
                "time" => parse_time(text, TimeUnit::Iso8601).map(|value| value.to_string()),
                "interval" => Interval::parse(text).ok().map(|value| value.ns().to_string()),
                _ => panic!("unknown kind: {line}"),
            };
            assert_eq!(value.as_deref().unwrap_or("-"), expected, "{line}");
            count += 1;
        }
        assert!(count > 50, "{count} lines");
    }

    #[test]
    fn intervals_are_written_in_their_longest_unit() {
        for (text, written) in [
            ("250ms", "250ms"),
            ("90m", "90m"),
            ("60s", "1m"),
            ("7ns", "7ns"),
            ("24h", "1d"),
        ] {
            assert_eq!(
                Interval::parse(text)
                    .map(|interval| interval.to_string())
                    .as_deref(),
                Ok(written)
            );
        }
        assert!(Interval::parse("1é").is_err());
    }

    #[test]
    fn start_is_a_floor_also_before_1970() {
        let interval = Interval::from_ns(10).expect("above 0");
        assert_eq!(
            [25, 20, 9, 0, -1, -10, -11].map(|t| interval.start(t)),
            [20, 20, 0, 0, -10, -10, -20]
        );
        assert_eq!(interval.start(i64::MIN), i64::MIN);
    }
}
