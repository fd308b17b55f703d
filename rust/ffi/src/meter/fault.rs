//! What a meter's functions fail with.

use crate::status::{CallFault, Fault, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};
use rustle_dsp::level::MeterError;
use rustle_dsp::sound_meter::SoundMeterError;
use std::fmt::{self, Display};

/// A fault of the arguments as C sees them, or of what they say.
pub(super) enum MeterFault {
    Call(CallFault),
    Meter(SoundMeterError),
}

impl From<CallFault> for MeterFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<SoundMeterError> for MeterFault {
    fn from(error: SoundMeterError) -> Self {
        Self::Meter(error)
    }
}

impl Display for MeterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Meter(error) => error.fmt(f),
        }
    }
}

impl Fault for MeterFault {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Call(fault) => fault.status(),
            Self::Meter(SoundMeterError::Meter(MeterError::BlockLength { .. })) => RUSTLE_INVALID_LENGTH,
            Self::Meter(_) => RUSTLE_INVALID_VALUE,
        }
    }
}
