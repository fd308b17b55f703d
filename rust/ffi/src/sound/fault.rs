//! The faults of the calls that reach for a device.

use crate::status::{
    CallFault, Fault, RustleStatus, RUSTLE_DEVICE_BUSY, RUSTLE_DEVICE_FAILED, RUSTLE_DEVICE_NOT_FOUND,
    RUSTLE_DEVICE_UNSUPPORTED, RUSTLE_EXHAUSTED, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE,
    RUSTLE_NO_SOUND_LIBRARY, RUSTLE_POISONED, RUSTLE_SHUT_DOWN,
};
use rustle_alsa::{AlsaError, Refusal};
use rustle_engines::SoundError;
use std::fmt::{self, Display};

/// A fault of a sound call: of its arguments, or the engine's.
pub(crate) enum SoundFault {
    Call(CallFault),
    Engine(SoundError),
}

impl From<CallFault> for SoundFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<SoundError> for SoundFault {
    fn from(error: SoundError) -> Self {
        Self::Engine(error)
    }
}

impl From<AlsaError> for SoundFault {
    fn from(error: AlsaError) -> Self {
        Self::Engine(SoundError::Device(error))
    }
}

impl Display for SoundFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Engine(error) => error.fmt(f),
        }
    }
}

impl Fault for SoundFault {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Call(fault) => fault.status(),
            Self::Engine(error) => match error {
                SoundError::Rate { .. } | SoundError::Channels { .. } | SoundError::Period { .. } => {
                    RUSTLE_INVALID_VALUE
                }
                SoundError::CapacityOutOfRange { .. } | SoundError::Frames { .. } => RUSTLE_INVALID_LENGTH,
                SoundError::Device(error) => match error {
                    AlsaError::Library(_) => RUSTLE_NO_SOUND_LIBRARY,
                    AlsaError::Open { refusal, .. } => match refusal {
                        Refusal::NotFound => RUSTLE_DEVICE_NOT_FOUND,
                        Refusal::Busy => RUSTLE_DEVICE_BUSY,
                        Refusal::Other => RUSTLE_DEVICE_FAILED,
                    },
                    AlsaError::Unsupported { .. } => RUSTLE_DEVICE_UNSUPPORTED,
                    AlsaError::Lost { .. } | AlsaError::Call { .. } => RUSTLE_DEVICE_FAILED,
                },
                SoundError::ShutDown => RUSTLE_SHUT_DOWN,
                SoundError::Poisoned => RUSTLE_POISONED,
                SoundError::Runtime(_) => RUSTLE_EXHAUSTED,
            },
        }
    }
}
