//! The faults that the boundary finds in a call's arguments, and their texts: the argument, what was expected and what came.

use crate::status::{
    Fault, RustleStatus, RUSTLE_EXHAUSTED, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_UTF8, RUSTLE_INVALID_VALUE,
    RUSTLE_NULL_POINTER, RUSTLE_RECORD_SIZE, RUSTLE_STALE_HANDLE, RUSTLE_UNSUPPORTED, RUSTLE_WRONG_STATE,
};
use std::fmt::{self, Display};

/// A fault in a call's arguments, found by the boundary.
#[derive(Debug)]
pub(crate) struct CallFault {
    status: RustleStatus,
    argument: &'static str,
    problem: Problem,
}

/// Writes the problem with two sizes.
type Text = fn(&mut fmt::Formatter<'_>, usize, usize) -> fmt::Result;

/// What was expected and what came. The text is written into the caller's record, without an allocation.
#[derive(Debug)]
enum Problem {
    Text(&'static str),
    Got(&'static str, Number),
    Sizes(Text, usize, usize),
    Overlap(&'static str),
    Stale(u64),
    Decimal(i64, u8),
}

/// A number that a caller passed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

/// The conversions of the numbers' types.
macro_rules! numbers {
    ($($type:ty: $number:ident => $value:expr;)+) => {
        $(impl From<$type> for Number {
            fn from($number: $type) -> Self {
                $value
            }
        })+
    };
}

numbers! {
    u32: number => Self::Unsigned(number.into());
    [u8; 2]: bytes => Self::Unsigned(u16::from_ne_bytes(bytes).into());
    usize: number => Self::Unsigned(number as u64);
    i64: number => Self::Signed(number);
    f64: number => Self::Float(number);
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(number) => number.fmt(f),
            Self::Signed(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
        }
    }
}

impl CallFault {
    const fn new(status: RustleStatus, argument: &'static str, problem: Problem) -> Self {
        Self {
            status,
            argument,
            problem,
        }
    }

    /// `argument` is NULL.
    pub(crate) const fn null(argument: &'static str) -> Self {
        let problem = "expected a pointer, got NULL";
        Self::new(RUSTLE_NULL_POINTER, argument, Problem::Text(problem))
    }

    /// `argument` is a length that no allocation can have, or that the function does not accept: it is not `expected`.
    pub(crate) fn length(argument: &'static str, expected: &'static str, got: impl Into<Number>) -> Self {
        Self::new(
            RUSTLE_INVALID_LENGTH,
            argument,
            Problem::Got(expected, got.into()),
        )
    }

    /// `argument` has more than `most` elements.
    pub(crate) fn too_long(argument: &'static str, most: usize, got: usize) -> Self {
        let text: Text = |f, most, got| write!(f, "expected at most {most} elements, got {got}");
        Self::new(RUSTLE_INVALID_LENGTH, argument, Problem::Sizes(text, most, got))
    }

    /// `argument` has `got` elements in place of `expected`.
    pub(crate) fn count(argument: &'static str, expected: usize, got: usize) -> Self {
        let text: Text = |f, expected, got| write!(f, "expected {expected} elements, got {got}");
        Self::new(
            RUSTLE_INVALID_LENGTH,
            argument,
            Problem::Sizes(text, expected, got),
        )
    }

    /// `argument` has room for `got` elements in place of none or `expected`.
    pub(crate) fn room(argument: &'static str, expected: usize, got: usize) -> Self {
        let text: Text = |f, expected, got| {
            write!(
                f,
                "expected room for {expected} elements, or none, got room for {got}"
            )
        };
        Self::new(
            RUSTLE_INVALID_LENGTH,
            argument,
            Problem::Sizes(text, expected, got),
        )
    }

    /// `argument` is a number that is not a member of its enumeration, or is out of range: it is not `expected`.
    pub(crate) fn number(argument: &'static str, expected: &'static str, got: impl Into<Number>) -> Self {
        Self::new(RUSTLE_INVALID_VALUE, argument, Problem::Got(expected, got.into()))
    }

    /// `argument` is not accepted; `problem` says what was expected, and what came.
    pub(crate) const fn value(argument: &'static str, problem: &'static str) -> Self {
        Self::new(RUSTLE_INVALID_VALUE, argument, Problem::Text(problem))
    }

    /// `argument` is a decimal number with too many digits.
    pub(crate) const fn decimal(argument: &'static str, units: i64, scale: u8) -> Self {
        Self::new(RUSTLE_INVALID_VALUE, argument, Problem::Decimal(units, scale))
    }

    /// `argument` is a pointer to elements of another alignment.
    pub(crate) fn misaligned<T>(argument: &'static str, pointer: *const T) -> Self {
        let text: Text = |f, align, got| {
            write!(
                f,
                "expected an address that is a multiple of {align}, got {got:#x}"
            )
        };
        let problem = Problem::Sizes(text, align_of::<T>(), pointer.addr());
        Self::new(RUSTLE_INVALID_VALUE, argument, problem)
    }

    /// The memory of `argument` overlaps that of `other`.
    pub(crate) const fn overlap(argument: &'static str, other: &'static str) -> Self {
        Self::new(RUSTLE_INVALID_VALUE, argument, Problem::Overlap(other))
    }

    /// Refuses `padding`, the reserved field `argument`, unless it is 0.
    pub(crate) fn check_reserved(padding: impl Into<Number>, argument: &'static str) -> Result<(), Self> {
        match padding.into() {
            Number::Unsigned(0) => Ok(()),
            got => Err(Self::number(argument, "0", got)),
        }
    }

    /// `argument` is not UTF-8.
    pub(crate) fn utf8(argument: &'static str, error: std::str::Utf8Error) -> Self {
        let text: Text = |f, valid, _| write!(f, "expected UTF-8, got an invalid byte after {valid} bytes");
        Self::new(
            RUSTLE_INVALID_UTF8,
            argument,
            Problem::Sizes(text, error.valid_up_to(), 0),
        )
    }

    /// `argument` is not the handle of a live object of its kind.
    pub(crate) const fn stale(argument: &'static str, handle: u64) -> Self {
        Self::new(RUSTLE_STALE_HANDLE, argument, Problem::Stale(handle))
    }

    /// No memory or handle is left for another object.
    pub(crate) const fn exhausted(argument: &'static str) -> Self {
        let problem = "the system or the handle table is exhausted";
        Self::new(RUSTLE_EXHAUSTED, argument, Problem::Text(problem))
    }

    /// The call is not possible in the present state.
    pub(crate) const fn wrong_state(argument: &'static str, problem: &'static str) -> Self {
        Self::new(RUSTLE_WRONG_STATE, argument, Problem::Text(problem))
    }

    /// `argument` is an object that does not support the verb.
    pub(crate) const fn unsupported(argument: &'static str) -> Self {
        let problem = "expected an object that has this verb, got one of another kind";
        Self::new(RUSTLE_UNSUPPORTED, argument, Problem::Text(problem))
    }

    /// `argument` is a record whose size differs from this archive's.
    pub(crate) fn size(argument: &'static str, expected: usize, got: usize) -> Self {
        let text: Text = |f, expected, got| write!(f, "expected a record of {expected} bytes, got {got}");
        Self::new(RUSTLE_RECORD_SIZE, argument, Problem::Sizes(text, expected, got))
    }
}

impl Display for CallFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.argument)?;
        match self.problem {
            Problem::Text(problem) => f.write_str(problem),
            Problem::Got(expected, got) => write!(f, "expected {expected}, got {got}"),
            Problem::Sizes(text, expected, got) => text(f, expected, got),
            Problem::Overlap(other) => write!(f, "expected memory of its own, got memory that overlaps that of {other}"),
            Problem::Stale(handle) => {
                write!(f, "expected a live handle, got {handle:#x}, which was freed or never issued")
            }
            Problem::Decimal(units, scale) => write!(
                f,
                "expected at most 18 digits, at most 18 of them after the point, got {units} with {scale} after the point"
            ),
        }
    }
}

impl Fault for CallFault {
    fn status(&self) -> RustleStatus {
        self.status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_the_argument_and_the_value() {
        let other =
            std::str::from_utf8(&[0x61, 0x62, 0xff].map(std::hint::black_box)).expect_err("it is not UTF-8");
        let odd = std::ptr::without_provenance::<u64>(9);
        let texts = [
            (CallFault::number("percent", "0 to 100", 101.5), "percent: expected 0 to 100, got 101.5"),
            (CallFault::number("ns", "1 ns or more", -1_i64), "ns: expected 1 ns or more, got -1"),
            (CallFault::length("size", "1 to 8", 9_usize), "size: expected 1 to 8, got 9"),
            (CallFault::too_long("list", 2, 3), "list: expected at most 2 elements, got 3"),
            (CallFault::count("left", 2, 3), "left: expected 2 elements, got 3"),
            (CallFault::room("frames", 5, 3), "frames: expected room for 5 elements, or none, got room for 3"),
            (CallFault::misaligned("out", odd), "out: expected an address that is a multiple of 8, got 0x9"),
            (CallFault::overlap("b", "a"), "b: expected memory of its own, got memory that overlaps that of a"),
            (CallFault::utf8("name", other), "name: expected UTF-8, got an invalid byte after 2 bytes"),
            (
                CallFault::stale("session", 0x1_0000_0007),
                "session: expected a live handle, got 0x100000007, which was freed or never issued",
            ),
            (
                CallFault::decimal("level", 7, 19),
                "level: expected at most 18 digits, at most 18 of them after the point, got 7 with 19 after the point",
            ),
        ];
        for (fault, text) in texts {
            assert_eq!(fault.to_string(), text);
        }
        let padding = CallFault::check_reserved([0, 0], "reserved");
        assert!(padding.is_ok());
        let padding = CallFault::check_reserved(3_u32, "reserved");
        assert_eq!(
            padding.map_err(|fault| fault.to_string()),
            Err("reserved: expected 0, got 3".to_owned())
        );
    }
}
