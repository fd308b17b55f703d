//! Loudness (ITU-R BS.1770-4, EBU R 128, EBU Tech 3341 and 3342).

mod gate;
mod meter;
mod true_peak;

pub use meter::{ChannelWeight, LoudnessMeter, LoudnessReading, RangeStep};
pub use true_peak::TruePeakMeter;
