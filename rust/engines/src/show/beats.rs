//! The beats of a show.

use crate::clock::Nanoseconds;
use std::ops::RangeInclusive;

/// The beats a minute that a show may have.
pub const BPM_RANGE: RangeInclusive<f64> = 1.0..=999.0;

/// The counts that beats may have at a time: at the highest tempo those of the longest time are within what a
/// [`Moment`](rustle_shows::Moment) has.
pub(super) const BEATS_RANGE: RangeInclusive<f64> = -5e11..=5e11;

const NS_PER_MINUTE: f64 = 60e9;

/// Beats as a function of time: a count at a time, and a tempo from there on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Beats {
    count: f64,
    at: Nanoseconds,
    bpm: f64,
}

impl Beats {
    /// No beats yet.
    pub(super) const STILL: Self = Self {
        count: 0.0,
        at: 0,
        bpm: 1.0,
    };

    /// This count of beats at a time, within [`BEATS_RANGE`], and a tempo within [`BPM_RANGE`] from there on; `None` outside of them.
    pub(super) fn new(count: f64, at: Nanoseconds, bpm: f64) -> Option<Self> {
        let is_in_range = BEATS_RANGE.contains(&count) && BPM_RANGE.contains(&bpm);
        is_in_range.then_some(Self { count, at, bpm })
    }

    /// The beats of a time at a tempo.
    pub(super) fn passed(time: Nanoseconds, bpm: f64) -> f64 {
        time as f64 * bpm / NS_PER_MINUTE
    }

    /// The beats at a time, before and after the one of the count.
    pub(super) fn at(&self, time: Nanoseconds) -> f64 {
        let (later, sign) = match time.checked_sub(self.at) {
            Some(later) => (later, 1.0),
            None => (self.at - time, -1.0),
        };
        self.count + sign * later as f64 * self.bpm / NS_PER_MINUTE
    }

    /// The tempo in beats a minute.
    pub(super) fn bpm(&self) -> f64 {
        self.bpm
    }

    /// The same beats up to a time, and another tempo from there on; `None` for one outside of [`BPM_RANGE`].
    #[must_use]
    pub(super) fn changed(&self, time: Nanoseconds, bpm: f64) -> Option<Self> {
        // Within a moment's range wherever it began.
        let count = self.at(time);
        BPM_RANGE.contains(&bpm).then_some(Self { count, at: time, bpm })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tempo_changes_leave_the_beats_where_they_are() {
        let mut beats = Beats::new(0.0, 1_000, 120.0).expect("in range");
        assert_eq!(beats.at(500_001_000), 1.0);
        assert_eq!(beats.at(0), -2e-6, "and before");
        for (time, bpm) in [
            (2_000_000_000, 999.0),
            (2_000_000_000, 1.0),
            (7_654_321_000, 60.0),
        ] {
            let changed = beats.changed(time, bpm).expect("in range");
            assert_eq!(changed.at(time), beats.at(time));
            beats = changed;
        }
        assert!(beats.changed(0, 0.99).is_none() && beats.changed(0, f64::NAN).is_none());
        for count in [f64::INFINITY, f64::NAN, 5.1e11, -5.1e11] {
            assert!(Beats::new(count, 0, 60.0).is_none(), "{count}");
        }
    }

    #[test]
    fn every_count_at_every_time_is_a_moment() {
        for (count, at, time) in [(5e11, 0, u64::MAX), (-5e11, u64::MAX, 0)] {
            let beats = Beats::new(count, at, 999.0).and_then(|beats| beats.changed(time / 2, 999.0));
            let beats = beats.expect("in range");
            assert!(rustle_shows::Moment::new(beats.at(time), time as f64 / 1e9).is_ok());
        }
    }
}
