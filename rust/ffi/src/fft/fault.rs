//! What can be wrong with a call of this domain.

use crate::fault::{CallOr, DomainError};
use crate::status::{RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE, RUSTLE_WRONG_STATE};
use rustle_dsp::DspError;

/// A fault of the arguments as C sees them, or of what they say.
pub(super) type FftFault = CallOr<DspError>;

impl DomainError for DspError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::InputLength { .. }
            | Self::BinCount { .. }
            | Self::ComplexLength { .. }
            | Self::OutputLength { .. }
            | Self::ScratchLength { .. }
            | Self::RowLength { .. }
            | Self::FrameCount { .. }
            | Self::NoRoom
            | Self::SpectrumLength { .. } => RUSTLE_INVALID_LENGTH,
            Self::Ended => RUSTLE_WRONG_STATE,
            Self::Size { .. }
            | Self::Hop { .. }
            | Self::PathUnavailable { .. }
            | Self::PathName
            | Self::SampleRate { .. }
            | Self::Threshold { .. }
            | Self::Separation { .. } => RUSTLE_INVALID_VALUE,
        }
    }
}
