//! The errors of the pitch module's arguments.

use super::configuration::{MAX_FRAME_LENGTH, MIN_FRAME_LENGTH, PitchMethod, SAMPLE_RATES};
use crate::Short;
use crate::bounded_text::GivenName;
use crate::error::DspError;
use std::error::Error;
use std::fmt::{self, Display};

/// An argument that is not accepted: the expected value, and the given one. A call that returns one had no effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PitchError {
    /// The sample rate is not one of [`SAMPLE_RATES`].
    SampleRate {
        /// The given rate, in Hz.
        got: f64,
    },
    /// The range of frequencies is not above 0, not finite, or empty once cut to what sample rate and frame length hold.
    Range {
        /// Its lower end, in Hz.
        lowest: f64,
        /// Its upper end, in Hz.
        highest: f64,
        /// The lowest frequency that the frame holds, in Hz; 0 where it was not checked.
        least: f64,
        /// The highest frequency that the sample rate holds, in Hz.
        most: f64,
    },
    /// The frame length is not a power of two, or not from [`MIN_FRAME_LENGTH`] to [`MAX_FRAME_LENGTH`].
    Window {
        /// The given number of samples.
        got: usize,
    },
    /// A frame does not have the frame length.
    FrameLength {
        /// The frame length, in samples.
        expected: usize,
        /// The given length.
        got: usize,
    },
    /// The hop size is 0 or above [`HOPS`](crate::HOPS).
    Hop {
        /// The given number of samples.
        got: usize,
    },
    /// A text is not the name of a method.
    MethodName {
        /// The beginning of the text.
        got: GivenName,
    },
    /// The system has no memory for the frames of a signal.
    Memory {
        /// The size of the allocation that failed.
        bytes: usize,
    },
    /// The error of a transform: the variable of the instruction set is wrong.
    Transform(DspError),
}

/// An empty list with room for `count` frames of a signal, of any length.
///
/// # Errors
/// [`PitchError::Memory`].
pub(super) fn room<T>(count: usize) -> Result<Vec<T>, PitchError> {
    let mut list = Vec::new();
    let bytes = count.saturating_mul(size_of::<T>());
    list.try_reserve_exact(count)
        .map_err(|_| PitchError::Memory { bytes })?;
    Ok(list)
}

impl From<DspError> for PitchError {
    fn from(error: DspError) -> Self {
        Self::Transform(error)
    }
}

impl Display for PitchError {
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
            Self::Range {
                lowest,
                highest,
                least,
                most,
            } => write!(
                f,
                "pitch range: expected two frequencies above 0, the first below the second, that overlap what frame length and \
                 sample rate allow, {least:.2} to {most} Hz, got {} to {} Hz",
                Short(lowest),
                Short(highest)
            ),
            Self::Window { got } => write!(
                f,
                "pitch frame length: expected a power of two of samples from {MIN_FRAME_LENGTH} to {MAX_FRAME_LENGTH}, got {got}"
            ),
            Self::FrameLength { expected, got } => {
                write!(f, "frame: expected {expected} samples, got {got}")
            }
            Self::Hop { got } => {
                let (least, most) = (crate::HOPS.start(), crate::HOPS.end());
                write!(f, "hop: expected {least} to {most} samples, got {got}")
            }
            Self::Memory { bytes } => {
                write!(
                    f,
                    "samples: expected at most the memory that is free for their frames, got {bytes} bytes"
                )
            }
            Self::MethodName { got } => {
                write!(f, "pitch method: expected one of")?;
                for method in PitchMethod::ALL {
                    write!(f, " {method}")?;
                }
                write!(f, ", got {got}")
            }
            Self::Transform(error) => error.fmt(f),
        }
    }
}

impl Error for PitchError {}
