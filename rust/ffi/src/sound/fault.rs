//! The faults of the calls that reach for a device.

use crate::fault::{CallOr, DomainError};
use crate::status::{
    RustleStatus, RUSTLE_DEVICE_BUSY, RUSTLE_DEVICE_FAILED, RUSTLE_DEVICE_NOT_FOUND,
    RUSTLE_DEVICE_UNSUPPORTED, RUSTLE_EXHAUSTED, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE,
    RUSTLE_NO_SOUND_LIBRARY, RUSTLE_POISONED, RUSTLE_SHUT_DOWN, RUSTLE_WRONG_STATE,
};
use rustle_alsa::{AlsaError, Refusal};
use rustle_engines::{RuntimeError, SoundError};

/// A fault of a sound call: of its arguments, or the engine's.
pub(crate) type SoundFault = CallOr<SoundError>;

impl DomainError for SoundError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Rate { .. } | Self::Channels { .. } | Self::Period { .. } => RUSTLE_INVALID_VALUE,
            Self::CapacityOutOfRange { .. } | Self::Frames { .. } => RUSTLE_INVALID_LENGTH,
            Self::Device(error) => match error {
                AlsaError::Library(_) => RUSTLE_NO_SOUND_LIBRARY,
                AlsaError::Open { refusal, .. } => match refusal {
                    Refusal::NotFound => RUSTLE_DEVICE_NOT_FOUND,
                    Refusal::Busy => RUSTLE_DEVICE_BUSY,
                    Refusal::Other => RUSTLE_DEVICE_FAILED,
                },
                AlsaError::Unsupported { .. } => RUSTLE_DEVICE_UNSUPPORTED,
                AlsaError::Lost { .. } | AlsaError::Call { .. } => RUSTLE_DEVICE_FAILED,
            },
            Self::ShutDown => RUSTLE_SHUT_DOWN,
            Self::Poisoned => RUSTLE_POISONED,
            Self::Runtime(RuntimeError::Forked { .. }) => RUSTLE_WRONG_STATE,
            Self::Runtime(_) => RUSTLE_EXHAUSTED,
        }
    }
}
