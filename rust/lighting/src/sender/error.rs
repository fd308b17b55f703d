//! What a sender does not take.

use crate::SLOTS;
use std::fmt;

/// Why a sender refused a call; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SenderError {
    /// The universe was not added, or was removed.
    UnknownUniverse {
        /// Its number.
        got: u16,
    },
    /// The universe was added before.
    UniverseExists {
        /// Its number.
        got: u16,
    },
    /// Not 1 to 512 slots.
    Slots {
        /// Their number.
        got: usize,
    },
    /// A priority above 200.
    Priority {
        /// The priority.
        got: u8,
    },
    /// Not 1 to 200 frames a second.
    Rate {
        /// Frames in 1,000 seconds.
        got: u32,
    },
}

impl fmt::Display for SenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownUniverse { got } => {
                write!(f, "sender: expected a universe that was added, got {got}")
            }
            Self::UniverseExists { got } => write!(
                f,
                "sender: expected a universe that was not added before, got {got}"
            ),
            Self::Slots { got } => write!(f, "sender: expected 1 to {SLOTS} slots, got {got}"),
            Self::Priority { got } => write!(f, "sender: expected a priority of 0 to 200, got {got}"),
            Self::Rate { got } => {
                let hertz = f64::from(*got) / 1_000.0;
                write!(f, "sender: expected a rate of 1 to 200 Hz, got {hertz}")
            }
        }
    }
}

impl std::error::Error for SenderError {}

/// Checks the number of slots.
pub(super) fn checked(slots: &[u8]) -> Result<&[u8], SenderError> {
    if slots.is_empty() || slots.len() > SLOTS {
        return Err(SenderError::Slots { got: slots.len() });
    }
    Ok(slots)
}
