//! Sound levels of a sound level meter (IEC 61672-1).
//!
//! A level is 10 log10 of a mean square plus a calibration offset. Without one it is relative to full scale: a constant of 1.0
//! has 0 dB, a sine of amplitude 1.0 has -3.01 dB. With the offset of a calibrated microphone it is the sound pressure level in
//! dB re 20 uPa.

mod histogram;
mod meter;
mod octave;
mod response;
mod scale;
mod weighting;

pub(crate) use meter::check_rate;
pub use meter::{LevelMeter, LevelReading, MeterError, TimeWeighting};
pub use octave::{BandAnalyzer, BandWidth, band_centres};
pub use response::{MAX_POINTS, MicrophoneResponse, ResponseError};
pub use scale::{LevelZone, display_scale};
pub use weighting::{FrequencyWeighting, WeightingFilter};

pub(crate) use histogram::Histogram;
pub(crate) use response::Correction;

/// 10 log10 of a mean square; minus infinity for silence.
pub fn decibels(mean_square: f64) -> f64 {
    10.0 * mean_square.log10()
}
