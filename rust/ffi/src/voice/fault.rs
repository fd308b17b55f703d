//! What a voice function fails with.

use crate::fault::{CallOr, DomainError};
use crate::status::{RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};
use rustle_dsp::voice::VoiceError;

/// A fault of the arguments as C sees them, or of what they say.
pub(super) type VoiceFault = CallOr<VoiceError>;

impl DomainError for VoiceError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::FrameLength { .. } => RUSTLE_INVALID_LENGTH,
            _ => RUSTLE_INVALID_VALUE,
        }
    }
}
