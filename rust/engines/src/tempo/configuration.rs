//! What a clock is made with.

use super::clock::BeatReading;
use super::error::TempoError;
use crate::link::LinkConfiguration;
use crate::ticker::RATE_RANGE;

/// The configuration of a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct TempoConfiguration {
    /// The session's, unless that of another clock is followed. Its tempo and quantum are also those at the start.
    pub link: LinkConfiguration,
    /// Which beats are reported.
    pub reading: BeatReading,
    /// Reports of the state a second, within [`RATE_RANGE`].
    pub reports_per_second: f64,
    /// The number of reports, changes among them, after which a session of reports ends; `None`: it does not.
    pub report_limit: Option<u64>,
}

impl Default for TempoConfiguration {
    fn default() -> Self {
        Self {
            link: LinkConfiguration::default(),
            reading: BeatReading::Smooth,
            reports_per_second: 1.0,
            report_limit: None,
        }
    }
}

impl TempoConfiguration {
    /// # Errors
    /// [`TempoError::ReportRate`].
    pub(super) fn check(&self) -> Result<(), TempoError> {
        let got = self.reports_per_second;
        let is_in_range = RATE_RANGE.contains(&got);
        is_in_range.then_some(()).ok_or(TempoError::ReportRate { got })
    }
}
