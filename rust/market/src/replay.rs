//! The times at which recorded trades are due.

use crate::NO_TIME;
use std::fmt;

/// The range of speeds, as multiples of the recorded one.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

/// The speed of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// This multiple of the recorded speed, within [`SPEEDS`].
    Times(f64),
    /// Without waiting.
    Unpaced,
}

/// The times of a trade's delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The due time on the session's clock, in ns; never before that of an earlier trade.
    pub due_ns: i64,
    /// The event time that it is delivered with, in nanoseconds since 1970: the recorded one, shifted by the laps before it.
    pub time_ns: i64,
}

/// Paces a recording: from the time of each trade, as recorded, to the time at which it is due.
///
/// The first trade is due at once; the others as long after it as they were recorded after it, divided by the speed. A trade that
/// was recorded out of order is due with the one before it. When the recording is played again, time continues: each lap is
/// shifted by the length of the recording and the mean distance of its trades.
#[derive(Clone, Debug)]
pub struct ReplayClock {
    pace: Pace,
    from_ns: i64,
    /// A recorded time, shifted by the laps, and its due time; the others are counted from there.
    anchor: Option<(i64, i64)>,
    last_due_ns: i64,
    /// The shift by the laps before this one.
    offset_ns: i64,
    lap: Lap,
}

/// The trades of the present lap so far.
#[derive(Clone, Copy, Debug)]
struct Lap {
    earliest_ns: i64,
    latest_ns: i64,
    count: u64,
}

const EMPTY: Lap = Lap {
    earliest_ns: i64::MAX,
    latest_ns: i64::MIN,
    count: 0,
};

impl ReplayClock {
    /// Makes a clock at the beginning of a recording.
    ///
    /// # Errors
    /// [`SpeedError`] when the speed is outside of [`SPEEDS`].
    pub fn new(pace: Pace) -> Result<Self, SpeedError> {
        Ok(Self {
            pace: checked(pace)?,
            from_ns: i64::MIN,
            anchor: None,
            last_due_ns: i64::MIN,
            offset_ns: 0,
            lap: EMPTY,
        })
    }

    /// Seeks a recorded time: trades before it are skipped, in this lap and the following; the first after it is due at once. To
    /// go back, read the recording from its beginning again.
    pub fn seek(&mut self, from_ns: i64) {
        self.from_ns = from_ns;
        self.anchor = None;
        self.lap = EMPTY;
    }

    /// Takes the recorded time of the next trade, and the session's present time in ns. `None`: it lies before the time that was
    /// sought. A trade without a time ([`NO_TIME`]) is due with the one before it, and stays without one.
    pub fn next(&mut self, recorded_ns: i64, now_ns: i64) -> Option<Due> {
        if recorded_ns == NO_TIME {
            self.last_due_ns = if self.anchor.is_none() {
                now_ns
            } else {
                self.last_due_ns
            };
            return Some(Due {
                due_ns: self.last_due_ns,
                time_ns: NO_TIME,
            });
        }
        if recorded_ns < self.from_ns {
            return None;
        }
        self.lap.earliest_ns = self.lap.earliest_ns.min(recorded_ns);
        self.lap.latest_ns = self.lap.latest_ns.max(recorded_ns);
        self.lap.count += 1;
        let time_ns = recorded_ns.saturating_add(self.offset_ns);
        let due_ns = match (self.pace, self.anchor) {
            (_, None) => {
                self.anchor = Some((time_ns, now_ns));
                now_ns
            }
            (Pace::Unpaced, _) => now_ns,
            (Pace::Times(speed), Some((anchor_ns, due_ns))) => {
                // Up to 104 days after the anchor without rounding (2^53 ns); a conversion to an integer saturates.
                let wait = time_ns.saturating_sub(anchor_ns) as f64 / speed;
                due_ns.saturating_add(wait as i64)
            }
        };
        self.last_due_ns = due_ns.max(self.last_due_ns);
        Some(Due {
            due_ns: self.last_due_ns,
            time_ns,
        })
    }

    /// Starts the recording again; time continues. Returns whether this lap had a trade with a time: if not, another lap would
    /// have none either.
    pub fn next_lap(&mut self) -> bool {
        let Lap {
            earliest_ns,
            latest_ns,
            count,
        } = std::mem::replace(&mut self.lap, EMPTY);
        if count == 0 {
            return false;
        }
        let length = latest_ns.saturating_sub(earliest_ns);
        let distance = (length / i64::try_from(count.saturating_sub(1).max(1)).unwrap_or(i64::MAX)).max(1);
        self.offset_ns = self.offset_ns.saturating_add(length).saturating_add(distance);
        true
    }
}

fn checked(pace: Pace) -> Result<Pace, SpeedError> {
    match pace {
        Pace::Times(speed) if !SPEEDS.contains(&speed) => Err(SpeedError { got: speed }),
        _ => Ok(pace),
    }
}

/// The error of a speed outside of [`SPEEDS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedError {
    /// The given speed.
    pub got: f64,
}

impl fmt::Display for SpeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (SPEEDS.start(), SPEEDS.end());
        // Debug output is in scientific form for huge and tiny numbers.
        write!(f, "speed: expected {least} to {most}, got {:?}", self.got)
    }
}

impl std::error::Error for SpeedError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(pace: Pace) -> ReplayClock {
        ReplayClock::new(pace).expect("within the bounds")
    }

    fn dues(clock: &mut ReplayClock, times: &[i64], now: i64) -> Vec<Option<i64>> {
        times
            .iter()
            .map(|time| clock.next(*time, now).map(|due| due.due_ns))
            .collect()
    }

    #[test]
    fn waits_are_those_of_the_recording_divided_by_the_speed() {
        let times = [1_000, 1_100, 1_050, 3_000];
        let recorded = dues(&mut clock(Pace::Times(1.0)), &times, 7);
        assert_eq!(recorded, [Some(7), Some(107), Some(107), Some(2_007)]);
        assert_eq!(
            dues(&mut clock(Pace::Times(10.0)), &times, 7),
            [Some(7), Some(17), Some(17), Some(207)]
        );
        assert_eq!(
            dues(&mut clock(Pace::Times(0.5)), &times, 7),
            [Some(7), Some(207), Some(207), Some(4_007)]
        );
        assert_eq!(dues(&mut clock(Pace::Unpaced), &times, 7), [Some(7); 4]);
    }

    #[test]
    fn late_consumer_does_not_move_what_is_due() {
        let mut clock = clock(Pace::Times(1.0));
        clock.next(0, 0);
        assert_eq!(clock.next(10, 500).map(|due| due.due_ns), Some(10));
    }

    #[test]
    fn seek_passes_over_what_lies_before() {
        let mut clock = clock(Pace::Times(1.0));
        clock.seek(50);
        assert_eq!(
            dues(&mut clock, &[0, 49, 50, 60], 5),
            [None, None, Some(5), Some(15)]
        );
        assert!(clock.next_lap());
        assert_eq!(dues(&mut clock, &[0, 50], 5), [None, Some(25)]);
    }

    #[test]
    fn laps_go_on_in_time() {
        let mut clock = clock(Pace::Times(2.0));
        let mut times = Vec::new();
        for _ in 0..3 {
            times.extend([100, 140, 200].map(|time| clock.next(time, 0)));
            assert!(clock.next_lap());
        }
        let got: Vec<(i64, i64)> = times
            .iter()
            .flatten()
            .map(|due| (due.time_ns, due.due_ns))
            .collect();
        let expected = [
            (100, 0),
            (140, 20),
            (200, 50),
            (250, 75),
            (290, 95),
            (350, 125),
            (400, 150),
            (440, 170),
            (500, 200),
        ];
        assert_eq!(got, expected);
    }

    #[test]
    fn lap_without_trades_ends_the_loop() {
        let mut clock = clock(Pace::Unpaced);
        assert!(!clock.next_lap());
        clock.next(5, 0);
        assert!(clock.next_lap());
        assert!(!clock.next_lap());
    }

    #[test]
    fn speeds_out_of_range_are_refused_with_what_came() {
        let refused = |speed| ReplayClock::new(Pace::Times(speed)).err();
        assert_eq!(refused(0.0), Some(SpeedError { got: 0.0 }));
        assert!(refused(f64::NAN).is_some_and(|error| error.got.is_nan()));
        assert_eq!((refused(*SPEEDS.start()), refused(*SPEEDS.end())), (None, None));
    }

    #[test]
    fn trades_without_time_are_due_with_the_one_before() {
        let mut clock = clock(Pace::Times(1.0));
        assert_eq!(
            dues(&mut clock, &[NO_TIME, 10, 20, NO_TIME], 3),
            [Some(3), Some(3), Some(13), Some(13)]
        );
        assert_eq!(clock.next(NO_TIME, 99).map(|due| due.time_ns), Some(NO_TIME));
    }

    #[test]
    fn extreme_times_saturate() {
        let mut clock = clock(Pace::Times(1e-3));
        let got = dues(&mut clock, &[i64::MIN + 1, i64::MAX], i64::MAX);
        assert_eq!(got, [Some(i64::MAX), Some(i64::MAX)]);
        assert!(clock.next_lap() && clock.next(i64::MAX, 0).is_some());
    }
}
