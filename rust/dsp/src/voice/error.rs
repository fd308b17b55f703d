//! The errors of the voice module's arguments.

use super::{CEILINGS, FREQUENCIES, LENGTHS, ORDERS, SAMPLE_RATES};
use crate::Short;
use crate::bounded_text::GivenName;
use crate::error::DspError;
use crate::pitch::PitchError;
use std::error::Error;
use std::fmt::{self, Display};

/// An argument that is not accepted: the expected value, and the given one. A call that returns one had no effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VoiceError {
    /// The sample rate is not one of [`SAMPLE_RATES`].
    SampleRate {
        /// The given rate, in Hz.
        got: f64,
    },
    /// The range of voices is not within [`FREQUENCIES`] and below a quarter of the sample rate, or empty.
    Range {
        /// The given lower end, in Hz.
        lowest: f64,
        /// The given upper end, in Hz.
        highest: f64,
    },
    /// A fundamental frequency is not above 0 or has no second harmonic below half the sample rate.
    Fundamental {
        /// The highest that is accepted, in Hz.
        limit: f64,
        /// The given frequency, in Hz.
        got: f64,
    },
    /// The formant ceiling is not one of [`CEILINGS`].
    Ceiling {
        /// The given ceiling, in Hz.
        got: f64,
    },
    /// The order of the prediction is not one of [`ORDERS`].
    Order {
        /// The given order.
        got: usize,
    },
    /// The effective length of the formants' window is not one of [`LENGTHS`].
    Length {
        /// The given length, in seconds.
        got: f64,
    },
    /// A frame is not as long as the window.
    FrameLength {
        /// The window, in samples.
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
    /// The error of the search for the pitch.
    Pitch(PitchError),
    /// The error of a transform: the variable of the instruction set is wrong.
    Transform(DspError),
}

impl From<DspError> for VoiceError {
    fn from(error: DspError) -> Self {
        Self::Transform(error)
    }
}

impl From<PitchError> for VoiceError {
    fn from(error: PitchError) -> Self {
        Self::Pitch(error)
    }
}

impl Display for VoiceError {
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
            Self::Range { lowest, highest } => {
                let (least, most) = (FREQUENCIES.start(), FREQUENCIES.end());
                write!(
                    f,
                    "voice range: expected two frequencies from {least} to {most} Hz and below a quarter of the sample rate, \
                     the first below the second, got {} to {} Hz",
                    Short(lowest),
                    Short(highest)
                )
            }
            Self::Fundamental { limit, got } => {
                write!(
                    f,
                    "fundamental frequency: expected more than 0 and at most {limit} Hz, got {} Hz",
                    Short(got)
                )
            }
            Self::Ceiling { got } => {
                let (least, most) = (CEILINGS.start(), CEILINGS.end());
                write!(
                    f,
                    "formant ceiling: expected {least} to {most} Hz, got {} Hz",
                    Short(got)
                )
            }
            Self::Order { got } => {
                let (least, most) = (ORDERS.start(), ORDERS.end());
                write!(f, "prediction order: expected {least} to {most}, got {got}")
            }
            Self::Length { got } => {
                let (least, most) = (LENGTHS.start(), LENGTHS.end());
                write!(
                    f,
                    "formant window: expected {least} to {most} s, got {} s",
                    Short(got)
                )
            }
            Self::FrameLength { expected, got } => {
                write!(f, "frame: expected {expected} samples, got {got}")
            }
            Self::Hop { got } => {
                let (least, most) = (crate::HOPS.start(), crate::HOPS.end());
                write!(f, "hop: expected {least} to {most} samples, got {got}")
            }
            Self::MethodName { got } => write!(f, "formant method: expected weighted or burg, got {got}"),
            Self::Pitch(error) => error.fmt(f),
            Self::Transform(error) => error.fmt(f),
        }
    }
}

impl Error for VoiceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Pitch(error) => Some(error),
            Self::Transform(error) => Some(error),
            _ => None,
        }
    }
}
