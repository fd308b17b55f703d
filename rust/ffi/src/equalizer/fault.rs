//! The faults of the calls of equalizers.

use crate::status::{
    CallFault, Fault, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE, RUSTLE_WRONG_STATE,
};
use rustle_dsp::equalizer::EqualizerError;
use rustle_engines::ProcessError;
use std::fmt::{self, Display};

/// A fault of the arguments as C sees them, or of what they say.
pub(super) enum EqualizerFault {
    Call(CallFault),
    Settings(EqualizerError),
    Process(ProcessError),
}

impl From<CallFault> for EqualizerFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<EqualizerError> for EqualizerFault {
    fn from(error: EqualizerError) -> Self {
        Self::Settings(error)
    }
}

impl From<ProcessError> for EqualizerFault {
    fn from(error: ProcessError) -> Self {
        Self::Process(error)
    }
}

impl Display for EqualizerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Settings(error) => error.fmt(f),
            Self::Process(error) => error.fmt(f),
        }
    }
}

impl Fault for EqualizerFault {
    fn status(&self) -> RustleStatus {
        let of_settings = |error: &EqualizerError| match error {
            EqualizerError::BandCount { .. } | EqualizerError::BlockLength { .. } => RUSTLE_INVALID_LENGTH,
            _ => RUSTLE_INVALID_VALUE,
        };
        match self {
            Self::Call(fault) => fault.status(),
            Self::Settings(error) | Self::Process(ProcessError::Block(error)) => of_settings(error),
            Self::Process(ProcessError::Busy) => RUSTLE_WRONG_STATE,
        }
    }
}
