//! Why scans and attempts do not start.

use crate::engine::StartError;
use crate::ticker::RATE_RANGE;
use rustle_dsp::Short;
use rustle_provisioning::{Refusals, RowRefusal};
use std::fmt;

/// An error of [`NodeRadio`](super::NodeRadio).
#[derive(Debug)]
pub enum NodeRadioError {
    /// The rate of the demonstration is not within [`RATE_RANGE`].
    Rate {
        /// The given rate.
        got: f64,
    },
    /// Values that no node takes, all of them.
    Refused(Refusals),
    /// Nobody is named, and the order is for a named node alone.
    NoNode,
    /// What is wrong with a table, all of it.
    Table(Vec<RowRefusal>),
    /// The system's Bluetooth service cannot be reached.
    NoBluetooth {
        /// Where, and why not.
        reason: String,
    },
    /// The engine starts nothing.
    Start(StartError),
}

impl fmt::Display for NodeRadioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate { got } => {
                let (least, most) = (RATE_RANGE.start(), RATE_RANGE.end());
                write!(
                    f,
                    "changes per second: expected {least} to {most}, got {}",
                    Short(*got)
                )
            }
            Self::Refused(refusals) => refusals.fmt(f),
            Self::NoNode => f.write_str("node: expected a name or an identifier, got none"),
            Self::Table(refusals) => {
                if refusals.len() > 1 {
                    write!(f, "{} problems: ", refusals.len())?;
                }
                for (number, refusal) in refusals.iter().enumerate() {
                    write!(f, "{}{refusal}", if number == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
            Self::NoBluetooth { reason } => {
                write!(f, "the system's Bluetooth service is not there: {reason}")
            }
            Self::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NodeRadioError {}

impl From<StartError> for NodeRadioError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}
