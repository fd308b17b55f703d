//! What a pitch tracker's functions fail with.

use crate::status::{CallFault, Fault, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};
use rustle_dsp::pitch::PitchError;
use std::fmt::{self, Display};

/// A fault of the arguments as C sees them, or of what they say.
pub(super) enum PitchFault {
    Call(CallFault),
    Pitch(PitchError),
}

impl From<CallFault> for PitchFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<PitchError> for PitchFault {
    fn from(error: PitchError) -> Self {
        Self::Pitch(error)
    }
}

impl Display for PitchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Pitch(error) => error.fmt(f),
        }
    }
}

impl Fault for PitchFault {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Call(fault) => fault.status(),
            Self::Pitch(PitchError::FrameLength { .. }) => RUSTLE_INVALID_LENGTH,
            Self::Pitch(_) => RUSTLE_INVALID_VALUE,
        }
    }
}
