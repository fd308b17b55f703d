//! The errors of this crate's arguments.

use crate::Short;
use std::error::Error;
use std::fmt::{self, Display};

use crate::bounded_text::GivenName;
use crate::fft::SIZES;
use crate::fft::instruction_set::{INSTRUCTION_SET_VARIABLE, InstructionSet};
use crate::stft::HOPS;

/// An argument that a function does not accept: the expected value, and the given one. A call that returns one had no effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DspError {
    /// The transform's size is not a power of two, or not in [`SIZES`].
    Size {
        /// The given size.
        got: usize,
    },
    /// The input is not one frame long.
    InputLength {
        /// The plan's size N, in samples.
        expected: usize,
        /// The given length.
        got: usize,
    },
    /// The output for one value per bin has neither N/2 nor N/2 + 1 elements.
    BinCount {
        /// N/2 + 1, the number of bins with the one at half the sample rate.
        expected: usize,
        /// The given length.
        got: usize,
    },
    /// The memory of complex bins, input or output, does not have 2 (N/2 + 1) elements.
    ComplexLength {
        /// N + 2: a real and an imaginary part for each of N/2 + 1 bins.
        expected: usize,
        /// The given length.
        got: usize,
    },
    /// The output for samples does not have as many elements as the frame.
    OutputLength {
        /// The plan's size N, in samples.
        expected: usize,
        /// The given length.
        got: usize,
    },
    /// The scratch memory is too short.
    ScratchLength {
        /// The least sufficient length.
        expected: usize,
        /// The given length.
        got: usize,
    },
    /// This machine does not have an instruction set.
    InstructionSetUnavailable {
        /// The requested instruction set.
        got: InstructionSet,
    },
    /// A text is not the name of an instruction set.
    InstructionSetName {
        /// The beginning of the text.
        got: GivenName,
    },
    /// The hop size is not in [`HOPS`](crate::HOPS).
    Hop {
        /// The given hop size, in samples.
        got: usize,
    },
    /// The memory of frames is not a whole number of rows.
    RowLength {
        /// The elements of a row.
        row: usize,
        /// The given length.
        got: usize,
    },
    /// The number of frames is not that of a signal of the output's length.
    FrameCount {
        /// The number of frames of such a signal.
        expected: usize,
        /// The given number of rows.
        got: usize,
    },
    /// The output has no room for one frame.
    NoRoom,
    /// The signal of a stream has ended, and frames of it are left.
    Ended,
    /// A spectrum to search does not have N/2 + 1 bins of a size N that this crate transforms.
    SpectrumLength {
        /// The given number of bins.
        got: usize,
    },
    /// A sample rate is not finite or not above 0.
    SampleRate {
        /// The given rate, in Hz.
        got: f64,
    },
    /// A threshold is NaN or below 0.
    Threshold {
        /// The given linear amplitude.
        got: f64,
    },
    /// A separation is not finite or below 0.
    Separation {
        /// The given distance, in bins.
        got: f64,
    },
}

impl Display for DspError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (SIZES.start(), SIZES.end());
        match *self {
            Self::Size { got } => write!(
                f,
                "FFT size: expected a power of two from {least} to {most}, got {got}; \
                 pad the signal with zeros or crop it to such a size"
            ),
            Self::InputLength { expected, got } => write!(
                f,
                "input: expected {expected} samples, got {got}; pad with zeros or crop to the plan's size"
            ),
            Self::BinCount { expected, got } => write!(
                f,
                "output: expected {expected} elements, or {} without the Nyquist bin, got {got}",
                expected - 1
            ),
            Self::ComplexLength { expected, got } => write!(
                f,
                "complex bins: expected {expected} elements, two for each of {} bins, got {got}",
                expected / 2
            ),
            Self::OutputLength { expected, got } => {
                write!(
                    f,
                    "output: expected {expected} samples, the plan's size, got {got}"
                )
            }
            Self::ScratchLength { expected, got } => write!(
                f,
                "scratch: expected at least {expected} elements, got {got}; ask the plan for its scratch length"
            ),
            Self::InstructionSetUnavailable { got } => write!(
                f,
                "FFT instruction set: expected one of this machine, got {got}; the widest is {}",
                InstructionSet::widest()
            ),
            Self::InstructionSetName { got } => {
                write!(f, "FFT instruction set: expected one of")?;
                for path in InstructionSet::ALL {
                    write!(f, " {path}")?;
                }
                write!(
                    f,
                    ", got {got}; the variable {INSTRUCTION_SET_VARIABLE} names one too"
                )
            }
            Self::Hop { got } => {
                let (least, most) = (HOPS.start(), HOPS.end());
                write!(f, "hop: expected {least} to {most} samples, got {got}")
            }
            Self::RowLength { row, got } => write!(
                f,
                "frames: expected a multiple of {row} elements, the length of one row, got {got}"
            ),
            Self::FrameCount { expected, got } => write!(
                f,
                "frames: expected {expected}, as many as a signal of the output's length has, got {got}"
            ),
            Self::NoRoom => write!(
                f,
                "output: expected the length of at least one row of the spectrogram, got less"
            ),
            Self::Ended => write!(
                f,
                "stream: expected the rest of its frames to be fetched, got samples; finish or reset it first"
            ),
            Self::SpectrumLength { got } => write!(
                f,
                "spectrum: expected N/2 + 1 bins of a power of two N from {least} to {most}, got {got}"
            ),
            Self::SampleRate { got } => {
                write!(
                    f,
                    "sample rate: expected a finite number of Hz above 0, got {}",
                    Short(got)
                )
            }
            Self::Threshold { got } => {
                write!(
                    f,
                    "threshold: expected a linear amplitude of at least 0, got {}",
                    Short(got)
                )
            }
            Self::Separation { got } => {
                write!(
                    f,
                    "separation: expected a finite number of bins, at least 0, got {}",
                    Short(got)
                )
            }
        }
    }
}

impl Error for DspError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_says_what_was_expected_and_what_came() {
        let bins = DspError::BinCount {
            expected: 129,
            got: 130,
        };
        assert_eq!(
            bins.to_string(),
            "output: expected 129 elements, or 128 without the Nyquist bin, got 130"
        );
        let size = DspError::Size { got: 1000 }.to_string();
        assert!(size.contains("from 64 to 65536, got 1000"), "{size}");
    }
}
