//! Why a member takes part in nothing.

use crate::engine::StartError;
use std::fmt;

/// The error of a member that is not enabled.
#[derive(Debug)]
pub enum LinkError {
    /// The engine starts nothing.
    Start(StartError),
    /// This machine lacks the interface.
    Interface {
        /// What was asked for.
        got: String,
        /// What there is.
        choices: String,
    },
    /// No interface could be used, for the first one's reason.
    Network {
        /// The interface.
        what: String,
        /// The system's reason.
        reason: String,
    },
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Interface { got, choices } => write!(f, "interface: expected one of {choices}, got {got}"),
            Self::Network { what, reason } => write!(f, "{what}: {reason}"),
        }
    }
}

impl std::error::Error for LinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start(error) => Some(error),
            Self::Interface { .. } | Self::Network { .. } => None,
        }
    }
}

impl From<StartError> for LinkError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}
