//! The errors of a schema's text.

use super::{MAX_PARTS, MAX_TEXT, MAX_TIMES};
use crate::Excerpt;
use std::fmt;

/// The error of a text that is not a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaError {
    /// The text has more than 1,024 bytes.
    TooLong {
        /// The number of bytes.
        bytes: usize,
    },
    /// A part has no `=`.
    NoAssignment {
        /// The part.
        got: Excerpt,
    },
    /// The name before the `=` is not a field of a trade.
    UnknownField {
        /// The text there.
        got: Excerpt,
    },
    /// A path has an equals sign: a comma between two parts is missing.
    Unparted {
        /// The path.
        got: Excerpt,
    },
    /// A path has an empty part, or more than 8 parts.
    MalformedPath {
        /// The path.
        got: Excerpt,
    },
    /// The text behind the colon is not a unit of time.
    UnknownUnit {
        /// The text there.
        got: Excerpt,
    },
    /// The type of the selected messages has no value, or an empty one.
    NoValue {
        /// The text behind `only=`.
        got: Excerpt,
    },
    /// The sides have no two values.
    NoSides {
        /// The text behind `side=`.
        got: Excerpt,
    },
    /// There are more than [`MAX_TIMES`] times.
    TooManyTimes,
    /// A field other than `time` occurs twice.
    Twice {
        /// Its name.
        field: &'static str,
    },
    /// A required field is missing.
    Missing {
        /// Its name.
        field: &'static str,
    },
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => write!(f, "schema: expected at most {MAX_TEXT} bytes, got {bytes}"),
            Self::NoAssignment { got } => write!(f, "schema: expected FIELD=PATH, got {got}"),
            Self::UnknownField { got } => {
                write!(
                    f,
                    "schema: expected symbol, price, size, side, time, seq, bid, bid_size, ask, ask_size, each or only, got {got}"
                )
            }
            Self::Unparted { got } => {
                write!(f, "schema: expected a comma before each further part, got {got}")
            }
            Self::MalformedPath { got } => {
                write!(
                    f,
                    "schema: expected 1 to {MAX_PARTS} names of JSON members separated by dots, such as data.price, got {got}"
                )
            }
            Self::UnknownUnit { got } => write!(f, "schema: expected s, ms, us, ns or iso8601, got {got}"),
            Self::NoValue { got } => write!(
                f,
                "schema: expected only=PATH:VALUE, or several values separated by |, got {got}"
            ),
            Self::NoSides { got } => {
                write!(
                    f,
                    "schema: expected side=PATH:BUY|SELL with two values, got {got}"
                )
            }
            Self::TooManyTimes => write!(
                f,
                "schema: expected at most {MAX_TIMES} fields time, got one more"
            ),
            Self::Twice { field } => write!(f, "schema: expected {field} once, got it again"),
            Self::Missing { field } => write!(f, "schema: expected {field}, got none"),
        }
    }
}

impl std::error::Error for SchemaError {}
