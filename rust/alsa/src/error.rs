//! What can go wrong with a device.

use std::fmt;

/// Why a device cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is none of that name.
    NotFound,
    /// Somebody else has it.
    Busy,
    /// Anything else.
    Other,
}

/// A refusal of the sound system, or the loss of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlsaError {
    /// The library is not there, or lacks a function.
    Library(String),
    /// The device cannot be opened.
    Open {
        /// The device's name.
        device: String,
        /// What ALSA says.
        reason: String,
        /// What that means for a retry.
        refusal: Refusal,
    },
    /// The device does not take the configuration.
    Unsupported {
        /// The device's name.
        device: String,
        /// What was asked for.
        asked: String,
        /// What the device takes, as far as it says.
        takes: String,
    },
    /// The device was unplugged, or its server ended.
    Lost {
        /// The device's name.
        device: String,
        /// What ALSA says.
        reason: String,
    },
    /// A call failed.
    Call {
        /// The function.
        function: &'static str,
        /// What ALSA says.
        reason: String,
    },
}

impl fmt::Display for AlsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(reason) => write!(
                f,
                "expected the library libasound.so.2 (Debian: libasound2), got: {reason}"
            ),
            Self::Open { device, reason, .. } => {
                write!(f, "expected to open the sound device {device}, got: {reason}")
            }
            Self::Unsupported { device, asked, takes } => {
                write!(
                    f,
                    "expected the sound device {device} to take {asked}, got: {takes}"
                )
            }
            Self::Lost { device, reason } => write!(f, "the sound device {device} is gone: {reason}"),
            Self::Call { function, reason } => write!(f, "the sound system failed in {function}: {reason}"),
        }
    }
}

impl std::error::Error for AlsaError {}
