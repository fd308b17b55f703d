//! What a voice function fails with.

use crate::status::{CallFault, Fault, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};
use rustle_dsp::voice::VoiceError;
use std::fmt::{self, Display};

/// A fault of the arguments as C sees them, or of what they say.
pub(super) enum VoiceFault {
    Call(CallFault),
    Voice(VoiceError),
}

impl From<CallFault> for VoiceFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<VoiceError> for VoiceFault {
    fn from(error: VoiceError) -> Self {
        Self::Voice(error)
    }
}

impl Display for VoiceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Voice(error) => error.fmt(f),
        }
    }
}

impl Fault for VoiceFault {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Call(fault) => fault.status(),
            Self::Voice(VoiceError::FrameLength { .. }) => RUSTLE_INVALID_LENGTH,
            Self::Voice(_) => RUSTLE_INVALID_VALUE,
        }
    }
}
