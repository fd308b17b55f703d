//! Why a call of a clock has no effect.

use crate::engine::StartError;
use crate::link::LinkError;
use crate::ticker::RATE_RANGE;
use std::fmt;

/// The error of a clock.
#[derive(Debug)]
pub enum TempoError {
    /// Nothing is started, or the session is not joined.
    Link(LinkError),
    /// The rate of reports is not within [`RATE_RANGE`].
    ReportRate {
        /// The given rate per second.
        got: f64,
    },
    /// A value is not within its range.
    Value {
        /// What it is.
        what: &'static str,
        /// The range.
        expected: &'static str,
        /// The value.
        got: f64,
    },
    /// There is no tempo of taps to change.
    NoTaps,
    /// The clock whose session is to be followed is on another runtime.
    OtherRuntime,
}

impl fmt::Display for TempoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(error) => error.fmt(f),
            Self::ReportRate { got } => {
                let (low, high) = (RATE_RANGE.start(), RATE_RANGE.end());
                write!(f, "reports per second: expected {low} to {high}, got {got:?}")
            }
            Self::Value { what, expected, got } => write!(f, "{what}: expected {expected}, got {got:?}"),
            Self::NoTaps => f.write_str("taps: expected at least two, got fewer"),
            Self::OtherRuntime => {
                f.write_str("session: expected one on the runtime of the clock, got one on another")
            }
        }
    }
}

impl std::error::Error for TempoError {}

impl From<LinkError> for TempoError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl From<StartError> for TempoError {
    fn from(error: StartError) -> Self {
        Self::Link(error.into())
    }
}
