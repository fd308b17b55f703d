//! The errors of the rhythm module's arguments.

use super::configuration::TEMPI;
use super::onset::SAMPLE_RATES;
use crate::Short;
use crate::error::DspError;
use std::error::Error;
use std::fmt::{self, Display};

/// An argument that is not accepted: the expected value, and the given one. A call that returns one had no effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RhythmError {
    /// The sample rate is not one of [`SAMPLE_RATES`].
    SampleRate {
        /// The given rate, in Hz.
        got: f64,
    },
    /// The range of tempi is not within [`TEMPI`], or its end is not at least one and a half times its beginning.
    Tempi {
        /// The given slowest tempo, in BPM.
        slowest: f64,
        /// The given fastest tempo, in BPM.
        fastest: f64,
    },
    /// The system has no memory for the frames of a signal.
    Memory {
        /// The size of the allocation that failed.
        bytes: usize,
    },
    /// The error of a transform: the variable of the instruction set is wrong.
    Transform(DspError),
}

impl From<DspError> for RhythmError {
    fn from(error: DspError) -> Self {
        Self::Transform(error)
    }
}

impl Display for RhythmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SampleRate { got } => {
                let (least, most) = (SAMPLE_RATES.start(), SAMPLE_RATES.end());
                write!(
                    f,
                    "sample rate: expected {least} to {most} Hz, got {}",
                    Short(got)
                )
            }
            Self::Tempi { slowest, fastest } => {
                let (least, most) = (TEMPI.start(), TEMPI.end());
                write!(
                    f,
                    "tempi: expected two from {least} to {most} BPM, the second at least 1.5 times the first, got {} to {} BPM",
                    Short(slowest),
                    Short(fastest)
                )
            }
            Self::Memory { bytes } => write!(
                f,
                "samples: expected at most the memory that is free for their frames, got {bytes} bytes"
            ),
            Self::Transform(error) => error.fmt(f),
        }
    }
}

impl Error for RhythmError {}
