//! The errors of captures and playbacks.

use super::{CHANNELS, PERIODS, RATES};
use crate::engine::StartError;
use crate::runtime::RuntimeError;
use rustle_alsa::AlsaError;
use std::fmt;

/// An error of [`CaptureEngine`](super::CaptureEngine) or [`PlaybackEngine`](super::PlaybackEngine). A retry may succeed after an
/// error of the device.
#[derive(Debug)]
pub enum SoundError {
    /// The sample rate is not within [`RATES`].
    Rate {
        /// The given rate, in Hz.
        got: u32,
    },
    /// The number of channels is not within [`CHANNELS`].
    Channels {
        /// The given number.
        got: u32,
    },
    /// The period is not within [`PERIODS`].
    Period {
        /// The given number of frames.
        got: u32,
    },
    /// A lane's capacity is not 1 to `most`.
    CapacityOutOfRange {
        /// The largest capacity.
        most: usize,
        /// The given capacity.
        got: usize,
    },
    /// The samples are not whole frames.
    Frames {
        /// The channels of a frame.
        channels: usize,
        /// The given number of samples.
        got: usize,
    },
    /// The device or its library reports an error.
    Device(AlsaError),
    /// The engine was shut down.
    ShutDown,
    /// A session of this engine panicked earlier.
    Poisoned,
    /// The runtime has no thread for the session, or the system no memory.
    Runtime(RuntimeError),
}

impl fmt::Display for SoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate { got } => {
                write!(
                    f,
                    "sample rate: expected {} to {} Hz, got {got}",
                    RATES.start(),
                    RATES.end()
                )
            }
            Self::Channels { got } => {
                write!(
                    f,
                    "channels: expected {} to {}, got {got}",
                    CHANNELS.start(),
                    CHANNELS.end()
                )
            }
            Self::Period { got } => write!(
                f,
                "period: expected {} to {} frames, got {got}",
                PERIODS.start(),
                PERIODS.end()
            ),
            Self::CapacityOutOfRange { most, got } => {
                write!(f, "capacity: expected 1 to {most} elements, got {got}")
            }
            Self::Frames { channels, got } => {
                write!(
                    f,
                    "samples: expected whole frames of {channels}, got {got} samples"
                )
            }
            Self::Device(error) => error.fmt(f),
            Self::ShutDown => write!(f, "the engine was shut down: make a new one"),
            Self::Poisoned => write!(
                f,
                "an internal error (a bug: please report it) ended an earlier session of this engine: create a new engine"
            ),
            Self::Runtime(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SoundError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Device(error) => Some(error),
            Self::Runtime(error) => Some(error),
            _ => None,
        }
    }
}

impl From<AlsaError> for SoundError {
    fn from(error: AlsaError) -> Self {
        Self::Device(error)
    }
}

impl From<StartError> for SoundError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::ShutDown => Self::ShutDown,
            StartError::Poisoned => Self::Poisoned,
            StartError::Runtime(error) => Self::Runtime(error),
        }
    }
}
