//! What can be wrong with a call of this domain.

use crate::status::{
    CallFault, Fault, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE, RUSTLE_WRONG_STATE,
};
use rustle_dsp::DspError;
use std::fmt::{self, Display};

/// A fault of the arguments as C sees them, or of what they say.
pub(super) enum FftFault {
    Call(CallFault),
    Dsp(DspError),
}

impl From<CallFault> for FftFault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl From<DspError> for FftFault {
    fn from(error: DspError) -> Self {
        Self::Dsp(error)
    }
}

impl Display for FftFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(fault) => fault.fmt(f),
            Self::Dsp(error) => error.fmt(f),
        }
    }
}

impl Fault for FftFault {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Call(fault) => fault.status(),
            Self::Dsp(error) => match error {
                DspError::InputLength { .. }
                | DspError::BinCount { .. }
                | DspError::ComplexLength { .. }
                | DspError::OutputLength { .. }
                | DspError::ScratchLength { .. }
                | DspError::RowLength { .. }
                | DspError::FrameCount { .. }
                | DspError::NoRoom
                | DspError::SpectrumLength { .. } => RUSTLE_INVALID_LENGTH,
                DspError::Ended => RUSTLE_WRONG_STATE,
                DspError::Size { .. }
                | DspError::Hop { .. }
                | DspError::PathUnavailable { .. }
                | DspError::PathName
                | DspError::SampleRate { .. }
                | DspError::Threshold { .. }
                | DspError::Separation { .. } => RUSTLE_INVALID_VALUE,
            },
        }
    }
}
