//! The faults of the calls of equalizers.

use crate::fault::{CallOr, DomainError};
use crate::status::{RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE, RUSTLE_WRONG_STATE};
use rustle_dsp::equalizer::EqualizerError;
use rustle_engines::ProcessError;

/// A fault of the arguments as C sees them, or of what they say.
pub(super) type EqualizerFault = CallOr<EqualizerError>;

/// What processing fails with.
pub(super) type ProcessFault = CallOr<ProcessError>;

impl DomainError for EqualizerError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::BandCount { .. } | Self::BlockLength { .. } => RUSTLE_INVALID_LENGTH,
            _ => RUSTLE_INVALID_VALUE,
        }
    }
}

impl DomainError for ProcessError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Block(error) => error.status(),
            Self::Busy => RUSTLE_WRONG_STATE,
        }
    }
}
