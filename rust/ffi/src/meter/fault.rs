//! What a meter's functions fail with.

use crate::fault::{CallOr, DomainError};
use crate::status::{RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};
use rustle_dsp::level::MeterError;
use rustle_dsp::sound_meter::SoundMeterError;

/// A fault of the arguments as C sees them, or of what they say.
pub(super) type MeterFault = CallOr<SoundMeterError>;

impl DomainError for SoundMeterError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Meter(MeterError::BlockLength { .. }) => RUSTLE_INVALID_LENGTH,
            _ => RUSTLE_INVALID_VALUE,
        }
    }
}
