//! The faults that the boundary finds in a call's arguments, and their texts: the argument, what was expected and what came.

use crate::exports::kind_name;
use crate::handle::{kind_of, RustleHandle};
use crate::status::{
    Fault, RustleStatus, RUSTLE_EXHAUSTED, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_UTF8, RUSTLE_INVALID_VALUE,
    RUSTLE_NULL_POINTER, RUSTLE_RECORD_SIZE, RUSTLE_STALE_HANDLE, RUSTLE_UNSUPPORTED, RUSTLE_WRONG_STATE,
};
use rustle_dsp::Short;
use std::fmt::{self, Display};

/// A fault in a call's arguments, found by the boundary. Its text is written into the caller's record, without an allocation.
#[derive(Debug)]
pub(crate) struct CallFault {
    status: RustleStatus,
    argument: &'static str,
    /// Of an argument within a list: the list's name, and the position.
    element: Option<(&'static str, u32)>,
    text: Text,
    values: [Value; 2],
}

/// Writes what was expected and what came.
type Text = fn(&mut fmt::Formatter<'_>, [Value; 2]) -> fmt::Result;

/// A value in a fault's text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    None,
    Text(&'static str),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    /// A handle or an address.
    Hexadecimal(u64),
    /// A handle with its kind.
    Object(RustleHandle),
}

/// The conversions of the values' types.
macro_rules! values {
    ($($type:ty: $from:ident => $value:expr;)+) => {
        $(impl From<$type> for Value {
            fn from($from: $type) -> Self {
                $value
            }
        })+
    };
}

values! {
    &'static str: text => Self::Text(text);
    u8: number => Self::Unsigned(number.into());
    u32: number => Self::Unsigned(number.into());
    [u8; 2]: bytes => Self::Unsigned(u16::from_ne_bytes(bytes).into());
    usize: number => Self::Unsigned(number as u64);
    i64: number => Self::Signed(number);
    f64: number => Self::Float(number);
    u64: handle => Self::Hexadecimal(handle);
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Text(text) => text.fmt(f),
            Self::Unsigned(number) => number.fmt(f),
            Self::Signed(number) => number.fmt(f),
            Self::Float(number) => Short(*number).fmt(f),
            Self::Hexadecimal(number) => write!(f, "{number:#x}"),
            Self::Object(handle) => write!(f, "{handle:#x}, one of kind {}", kind_name(kind_of(*handle))),
        }
    }
}

/// The constructors of faults, each with its status and its text, in which its values stand: at most two.
macro_rules! faults {
    ($($(#[$about:meta])* $name:ident($($value:ident),*) $status:ident: $text:literal;)+) => {
        impl CallFault {
            $($(#[$about])*
            pub(crate) fn $name(argument: &'static str $(, $value: impl Into<Value>)*) -> Self {
                Self::new($status, argument, [$($value.into()),*], |f, values| {
                    let [$($value,)* ..] = values;
                    write!(f, $text)
                })
            })+
        }
    };
}

faults! {
    /// `argument` is NULL.
    null() RUSTLE_NULL_POINTER: "expected a pointer, got NULL";
    /// `argument` is a length that no allocation can have, or that the function does not accept: it is not `expected`.
    length(expected, got) RUSTLE_INVALID_LENGTH: "expected {expected}, got {got}";
    /// `argument` has more than `most` elements.
    too_long(most, got) RUSTLE_INVALID_LENGTH: "expected at most {most} elements, got {got}";
    /// `argument` has `got` elements in place of `expected`.
    count(expected, got) RUSTLE_INVALID_LENGTH: "expected {expected} elements, got {got}";
    /// `argument` has room for `got` elements in place of none or `expected`.
    room(expected, got) RUSTLE_INVALID_LENGTH: "expected room for {expected} elements, or none, got room for {got}";
    /// `argument` is a number that is not a member of its enumeration, or is out of range: it is not `expected`.
    number(expected, got) RUSTLE_INVALID_VALUE: "expected {expected}, got {got}";
    /// `argument` is not accepted; `problem` says what was expected, and what came.
    value(problem) RUSTLE_INVALID_VALUE: "{problem}";
    /// `argument` is a decimal number with too many digits.
    decimal(units, scale) RUSTLE_INVALID_VALUE:
        "expected at most 18 digits, at most 18 of them after the point, got {units} with {scale} after the point";
    /// `argument` is a pointer to elements of another alignment.
    misaligned(alignment, address) RUSTLE_INVALID_VALUE:
        "expected an address that is a multiple of {alignment}, got {address}";
    /// The memory of `argument` overlaps that of `other`.
    overlap(other) RUSTLE_INVALID_VALUE: "expected memory of its own, got memory that overlaps that of {other}";
    /// `argument` is UTF-8 in its first `valid` bytes only.
    utf8(valid) RUSTLE_INVALID_UTF8: "expected UTF-8, got an invalid byte after {valid} bytes";
    /// `argument` is not the handle of a live object of its kind.
    stale(handle) RUSTLE_STALE_HANDLE: "expected a live handle, got {handle}, which was freed or never issued";
    /// `argument` is a handle of another kind.
    kind(expected, object) RUSTLE_STALE_HANDLE: "expected a live handle of kind {expected}, got {object}";
    /// No memory or handle is left for another object.
    exhausted() RUSTLE_EXHAUSTED: "the system or the handle table is exhausted";
    /// The call is not possible in the present state.
    wrong_state(problem) RUSTLE_WRONG_STATE: "{problem}";
    /// `argument` is a handle of the kind that is not to be refused.
    own_kind(object) RUSTLE_INVALID_VALUE: "expected a handle of another kind, got {object}";
    /// `argument` is an object of a kind that lacks the verb.
    unsupported(verb, kind) RUSTLE_UNSUPPORTED: "expected one of a kind that has {verb}, got one of kind {kind}";
    /// `argument` is a record whose size differs from this archive's.
    size(expected, got) RUSTLE_RECORD_SIZE: "expected a record of {expected} bytes, got {got}";
}

impl CallFault {
    fn new<const COUNT: usize>(
        status: RustleStatus,
        argument: &'static str,
        given: [Value; COUNT],
        text: Text,
    ) -> Self {
        let mut values = [Value::None; 2];
        values[..COUNT].copy_from_slice(&given);
        Self {
            status,
            argument,
            element: None,
            text,
            values,
        }
    }

    /// The same fault, in the element at `position` of a list.
    pub(crate) fn within(mut self, list: &'static str, position: usize) -> Self {
        self.element = Some((list, position as u32));
        self
    }

    /// Refuses `padding`, the reserved field `argument`, unless it is 0.
    pub(crate) fn check_reserved(padding: impl Into<Value>, argument: &'static str) -> Result<(), Self> {
        match padding.into() {
            Value::Unsigned(0) => Ok(()),
            got => Err(Self::number(argument, "0", got)),
        }
    }
}

impl Display for CallFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            None => write!(f, "{}: ", self.argument)?,
            Some((list, position)) => {
                let after_a_point = || self.argument.find('.').map(|point| &self.argument[point..]);
                let field = self
                    .argument
                    .strip_prefix(list)
                    .or_else(after_a_point)
                    .unwrap_or("");
                write!(f, "{list}[{position}]{field}: ")?;
            }
        }
        (self.text)(f, self.values)
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
        let texts = [
            (CallFault::null("input"), "input: expected a pointer, got NULL"),
            (CallFault::number("percent", "0 to 100", 101.5), "percent: expected 0 to 100, got 101.5"),
            (CallFault::number("ns", "1 ns or more", -1_i64), "ns: expected 1 ns or more, got -1"),
            (CallFault::length("size", "1 to 8", 9_usize), "size: expected 1 to 8, got 9"),
            (CallFault::too_long("list", 2_usize, 3_usize), "list: expected at most 2 elements, got 3"),
            (CallFault::count("left", 2_usize, 3_usize), "left: expected 2 elements, got 3"),
            (CallFault::room("frames", 5_usize, 3_usize), "frames: expected room for 5 elements, or none, got room for 3"),
            (CallFault::misaligned("out", 8_usize, 9_u64), "out: expected an address that is a multiple of 8, got 0x9"),
            (CallFault::overlap("b", "a"), "b: expected memory of its own, got memory that overlaps that of a"),
            (CallFault::utf8("name", 2_usize), "name: expected UTF-8, got an invalid byte after 2 bytes"),
            (
                CallFault::stale("session", 0x1_0000_0007_u64),
                "session: expected a live handle, got 0x100000007, which was freed or never issued",
            ),
            (
                CallFault::kind("plan", "fft_plan", Value::Object(0x300_0000_0007)),
                "plan: expected a live handle of kind fft_plan, got 0x30000000007, one of kind none",
            ),
            (
                CallFault::own_kind("object", Value::Object(7)),
                "object: expected a handle of another kind, got 0x7, one of kind none",
            ),
            (
                CallFault::unsupported("object", "rustle_reset", "ticker"),
                "object: expected one of a kind that has rustle_reset, got one of kind ticker",
            ),
            (CallFault::check_reserved(3_u32, "reserved").expect_err("not 0"), "reserved: expected 0, got 3"),
            (CallFault::null("names").within("names", 3), "names[3]: expected a pointer, got NULL"),
            (
                CallFault::number("level.kind", "0", 7_u32).within("levels", 0),
                "levels[0].kind: expected 0, got 7",
            ),
            (
                CallFault::decimal("level", 7_i64, 19_u8),
                "level: expected at most 18 digits, at most 18 of them after the point, got 7 with 19 after the point",
            ),
        ];
        for (fault, text) in texts {
            assert_eq!(fault.to_string(), text);
        }
        assert!(CallFault::check_reserved([0, 0], "reserved").is_ok());
    }
}
