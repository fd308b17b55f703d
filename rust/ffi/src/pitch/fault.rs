//! What a pitch tracker's functions fail with.

use crate::fault::{CallOr, DomainError};
use crate::status::{RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};
use rustle_dsp::pitch::PitchError;

/// A fault of the arguments as C sees them, or of what they say.
pub(super) type PitchFault = CallOr<PitchError>;

impl DomainError for PitchError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::FrameLength { .. } => RUSTLE_INVALID_LENGTH,
            _ => RUSTLE_INVALID_VALUE,
        }
    }
}
