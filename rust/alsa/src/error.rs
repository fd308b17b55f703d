//! The errors of devices.

use std::fmt;

/// The reason why a device cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no device of that name.
    NotFound,
    /// The device is in use.
    Busy,
    /// Anything else.
    Other,
}

/// An error of the sound system, or the loss of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlsaError {
    /// The library is missing, or lacks a function.
    Library(String),
    /// The device cannot be opened.
    Open {
        /// The device's name.
        device: String,
        /// ALSA's message.
        reason: String,
        /// The kind of refusal, on which a retry depends.
        refusal: Refusal,
    },
    /// The device does not support the configuration.
    Unsupported {
        /// The device's name.
        device: String,
        /// The requested configuration.
        asked: String,
        /// The configurations that the device supports, as far as it reports them.
        takes: String,
    },
    /// The device was unplugged, or its server ended.
    Lost {
        /// The device's name.
        device: String,
        /// ALSA's message.
        reason: String,
    },
    /// A call failed.
    Call {
        /// The function.
        function: &'static str,
        /// ALSA's message.
        reason: String,
    },
}

impl fmt::Display for AlsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(reason) => write!(
                f,
                "the library libasound.so.2 cannot be loaded (Debian: install libasound2): {reason}"
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
