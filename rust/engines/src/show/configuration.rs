//! What runs, and how often.

use super::beats::BPM_RANGE;
use super::error::ShowError;
use crate::ticker::RATE_RANGE;
use rustle_lighting::sender::FrameRate;
use rustle_shows::fixture::Rig;
use rustle_shows::show::Show;

/// The configuration of a show that runs.
#[derive(Clone, Debug)]
pub struct ShowConfiguration {
    /// The show.
    pub show: Show,
    /// The rig.
    pub rig: Rig,
    /// Frames a second without an output; with one, its rate.
    pub rate: FrameRate,
    /// Beats a minute at the start, within [`BPM_RANGE`].
    pub bpm: f64,
    /// Whether the first cue, or scene, waits for an input.
    pub starts_in_blackout: bool,
    /// Reports of the state a second, within [`RATE_RANGE`].
    pub reports_per_second: f64,
    /// The number of reports, events among them, after which a session ends; `None`: it does not.
    pub report_limit: Option<u64>,
}

impl ShowConfiguration {
    /// A show at 44 Hz and 120 beats a minute.
    pub fn new(show: Show, rig: Rig) -> Self {
        Self {
            show,
            rig,
            rate: FrameRate::FULL,
            bpm: 120.0,
            starts_in_blackout: false,
            reports_per_second: 1.0,
            report_limit: None,
        }
    }

    /// # Errors
    /// [`ShowError::Tempo`], [`ShowError::ReportRate`].
    pub(super) fn check(&self) -> Result<(), ShowError> {
        if !BPM_RANGE.contains(&self.bpm) {
            return Err(ShowError::Tempo { got: self.bpm });
        }
        if !RATE_RANGE.contains(&self.reports_per_second) {
            return Err(ShowError::ReportRate {
                got: self.reports_per_second,
            });
        }
        Ok(())
    }
}
