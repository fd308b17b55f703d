//! What a sound meter measures, and what is wrong with it.

use crate::level::{
    BandWidth, FrequencyWeighting, MeterError, MicrophoneResponse, ResponseError, TimeWeighting,
};
use crate::loudness::ChannelWeight;
use std::error::Error;
use std::fmt::{self, Display};

/// Which channels the levels and bands are of. Loudness is always of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeteredChannel {
    /// All: the mean of their powers. So a level does not hang on how the channels' phases lie to each other, and a silent
    /// one counts. The peak is the highest of any.
    #[default]
    All,
    /// One, counted from 0.
    One(usize),
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct SoundMeterConfiguration {
    /// The sample rate in Hz, 8000 to 768,000.
    pub rate: f64,
    /// The channels' places, 1 to 24.
    pub channels: Vec<ChannelWeight>,
    /// Which of them the levels and bands are of.
    pub metered: MeteredChannel,
    /// The weighting of the levels.
    pub frequency: FrequencyWeighting,
    /// The time constant of the levels.
    pub time: TimeWeighting,
    /// What is added to a level relative to full scale, in dB; the calibration.
    pub offset: f64,
    /// Whether loudness is measured.
    pub loudness: bool,
    /// The bands that are measured, if any.
    pub bands: Option<BandWidth>,
    /// What is undone before levels and bands are measured. Loudness is of the signal as it is.
    pub response: Option<MicrophoneResponse>,
}

/// What is wrong with a configuration or a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoundMeterError {
    /// The rate, the channels, or a block.
    Meter(MeterError),
    /// There is no such channel.
    Metered {
        /// The number of channels.
        channels: usize,
        /// The channel that came, from 0.
        got: usize,
    },
    /// The calibration is not within ±300 dB.
    Offset {
        /// The offset that came, in dB.
        got: f64,
    },
    /// The response of the microphone.
    Response(ResponseError),
}

impl Display for SoundMeterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Meter(error) => error.fmt(f),
            Self::Metered { channels, got } => {
                write!(f, "metered channel: expected one below {channels}, got {got}")
            }
            Self::Offset { got } => write!(f, "calibration offset: expected -300 to 300 dB, got {got}"),
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
