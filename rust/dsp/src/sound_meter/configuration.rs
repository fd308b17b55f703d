//! The configuration of a sound level meter, and its errors.

use crate::Short;
use crate::level::{
    BandWidth, FrequencyWeighting, MeterError, MicrophoneResponse, ResponseError, TimeWeighting,
};
use crate::loudness::{ChannelWeight, RangeStep};
use std::error::Error;
use std::fmt::{self, Display};

/// The channels of the levels and bands. Loudness is always of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeteredChannel {
    /// All: the mean of their powers. So a level does not depend on the channels' relative phases, and a silent one counts. The
    /// peak is the highest of any.
    #[default]
    All,
    /// One, counted from 0.
    One(usize),
}

/// The configuration of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct SoundMeterConfiguration {
    /// The sample rate in Hz, 8000 to 768,000.
    pub rate: f64,
    /// The channels' places, 1 to 24.
    pub channels: Vec<ChannelWeight>,
    /// The channels of the levels and bands.
    pub metered: MeteredChannel,
    /// The weighting of the levels.
    pub frequency: FrequencyWeighting,
    /// The time weighting of the levels.
    pub time: TimeWeighting,
    /// The calibration offset, in dB, which is added to a level relative to full scale.
    pub offset: f64,
    /// Whether loudness is measured.
    pub loudness: bool,
    /// The step of the loudness range.
    pub range_step: RangeStep,
    /// The bands that are measured, if any.
    pub bands: Option<BandWidth>,
    /// The microphone's response, corrected before levels and bands are measured. Loudness is of the uncorrected signal.
    pub response: Option<MicrophoneResponse>,
}

/// The error of a configuration or a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoundMeterError {
    /// An error of the rate, the channels, or a buffer.
    Meter(MeterError),
    /// There is no such channel.
    Metered {
        /// The number of channels.
        channels: usize,
        /// The given channel, from 0.
        got: usize,
    },
    /// The calibration is not within ±300 dB.
    Offset {
        /// The given offset, in dB.
        got: f64,
    },
    /// A meter of another configuration cannot be added.
    Added,
    /// An error of the microphone's response.
    Response(ResponseError),
}

impl Display for SoundMeterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Meter(error) => error.fmt(f),
            Self::Metered { channels, got } => {
                write!(f, "metered channel: expected one below {channels}, got {got}")
            }
            Self::Offset { got } => write!(
                f,
                "calibration offset: expected -300 to 300 dB, got {}",
                Short(*got)
            ),
            Self::Added => f.write_str(
                "added meter: expected the same weightings, calibration offset, loudness and kind of bands, and no higher band, got another configuration",
            ),
            Self::Response(error) => error.fmt(f),
        }
    }
}

impl Error for SoundMeterError {}

impl From<MeterError> for SoundMeterError {
    fn from(error: MeterError) -> Self {
        Self::Meter(error)
    }
}
