//! The errors of shows.

use super::beats::BPM_RANGE;
use super::shared::SHOW_OUTPUTS;
use crate::engine::StartError;
use crate::ticker::RATE_RANGE;
use rustle_shows::Fault;
use rustle_shows::fixture::RigError;
use rustle_shows::venue::SizeError;
use std::fmt;

/// An error of [`ShowEngine`](super::ShowEngine).
#[derive(Debug)]
pub enum ShowError {
    /// The tempo is not within [`BPM_RANGE`].
    Tempo {
        /// The given tempo.
        got: f64,
    },
    /// The rate of reports is not within [`RATE_RANGE`].
    ReportRate {
        /// The given rate per second.
        got: f64,
    },
    /// An input that the show does not have, or outside of its range.
    Input(Fault),
    /// A text is no show.
    File(Fault),
    /// A text is no scene of the show, or what is wrong within it.
    Scene(Fault),
    /// A text is no rig.
    Rig(RigError),
    /// A sender or a clock on another runtime, whose times mean nothing to the show.
    OtherRuntime,
    /// The session has as many outputs as there can be.
    TooManyOutputs,
    /// The session's worker has been held up, and too many inputs wait for it.
    TooManyInputs,
    /// A picture of a size that none has.
    Picture(SizeError),
    /// The session does not start.
    Start(StartError),
}

impl fmt::Display for ShowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (BPM_RANGE.start(), BPM_RANGE.end());
        match self {
            Self::Tempo { got } => write!(f, "tempo: expected {low} to {high} beats a minute, got {got:?}"),
            Self::OtherRuntime => {
                f.write_str("expected a sender or a clock on the runtime of the show, got one on another")
            }
            Self::ReportRate { got } => {
                let (low, high) = (RATE_RANGE.start(), RATE_RANGE.end());
                write!(f, "reports per second: expected {low} to {high}, got {got:?}")
            }
            Self::Input(fault) | Self::File(fault) | Self::Scene(fault) => fault.fmt(f),
            Self::Rig(error) => error.fmt(f),
            Self::TooManyOutputs => write!(
                f,
                "output: expected at most {SHOW_OUTPUTS} of a show, got another"
            ),
            Self::TooManyInputs => f.write_str(
                "input: expected a session that takes its inputs, got one that is held up: try again",
            ),
            Self::Picture(error) => error.fmt(f),
            Self::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ShowError {}

impl From<StartError> for ShowError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}
