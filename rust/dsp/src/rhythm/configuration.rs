//! The configuration of a beat tracker.

use super::error::RhythmError;
use super::onset::SAMPLE_RATES;
use std::ops::RangeInclusive;

/// The tempi that can be searched, in BPM.
pub const TEMPI: RangeInclusive<f64> = 30.0..=300.0;

/// The configuration of a beat tracker.
#[derive(Clone, Debug, PartialEq)]
pub struct RhythmConfiguration {
    /// The sample rate in Hz, one of [`SAMPLE_RATES`].
    pub sample_rate: f64,
    /// The tempi that are searched, in BPM, within [`TEMPI`]; the end at least 1.5 times the beginning. A rhythm that is slower or faster is
    /// reported at its double or half.
    pub tempi: RangeInclusive<f64>,
}

impl RhythmConfiguration {
    /// Tempi from 55 to 200 BPM.
    pub fn new(sample_rate: f64) -> Self {
        Self {
            sample_rate,
            tempi: 55.0..=200.0,
        }
    }

    /// # Errors
    /// [`RhythmError::SampleRate`], [`RhythmError::Tempi`].
    pub(super) fn check(&self) -> Result<(), RhythmError> {
        if !SAMPLE_RATES.contains(&self.sample_rate) {
            return Err(RhythmError::SampleRate {
                got: self.sample_rate,
            });
        }
        let (slowest, fastest) = (*self.tempi.start(), *self.tempi.end());
        if TEMPI.contains(&slowest) && TEMPI.contains(&fastest) && fastest >= 1.5 * slowest {
            Ok(())
        } else {
            Err(RhythmError::Tempi { slowest, fastest })
        }
    }
}
