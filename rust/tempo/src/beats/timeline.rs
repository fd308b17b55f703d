//! Beats as a function of time.

use super::{Beats, MICRO_BEATS, Quantum, Tempo, Time, divide_rounded, saturated};

/// A line through one point: at the time origin the beat is the beat origin, and beats pass with the tempo.
///
/// Results are rounded to the nearest micro-beat or microsecond; those beyond 64 bits are the largest or smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timeline<T> {
    /// The tempo.
    pub tempo: Tempo,
    /// The beat at the time origin.
    pub beat_origin: Beats,
    /// The time of the beat origin.
    pub time_origin: T,
}

impl<T: Time> Timeline<T> {
    /// The beat at a time.
    pub fn beat_at(&self, time: T) -> Beats {
        let elapsed = i128::from(time.micros()) - i128::from(self.time_origin.micros());
        self.beat_after(elapsed)
    }

    fn beat_after(&self, micros: i128) -> Beats {
        let beats = beats_in(micros, self.tempo);
        Beats::from_micro(saturated(i128::from(self.beat_origin.micro()) + beats))
    }

    /// The time of a beat.
    pub fn time_of(&self, beat: Beats) -> T {
        let beats = i128::from(beat.micro()) - i128::from(self.beat_origin.micro());
        let micros = divide_rounded(
            beats * i128::from(self.tempo.micros_per_beat()),
            MICRO_BEATS.into(),
        );
        T::from_micros(saturated(i128::from(self.time_origin.micros()) + micros))
    }

    /// The phase at a time: see [`Beats::phase`].
    pub fn phase_at(&self, time: T, quantum: Quantum) -> Beats {
        self.beat_at(time).phase(quantum)
    }

    /// The timeline with another tempo from a time on, at which the beat stays the same within a micro-beat.
    ///
    /// Its beat origin is greater, so that it replaces this one in a session: the beat at the time if that is greater, else the first
    /// one from a micro-beat after the old origin on that lies on a whole microsecond.
    #[must_use]
    pub fn with_tempo(&self, tempo: Tempo, time: T) -> Self {
        let beat = i128::from(self.beat_at(time).micro());
        let least = i128::from(self.beat_origin.micro()) + 1;
        // The origin is moved in whole microseconds, since a part of one is as much as 17 micro-beats.
        let missing = (least - beat).max(0) * i128::from(tempo.micros_per_beat());
        let later = (missing + i128::from(MICRO_BEATS) - 1) / i128::from(MICRO_BEATS);
        Self {
            tempo,
            beat_origin: Beats::from_micro(saturated(beat + beats_in(later, tempo))),
            time_origin: T::from_micros(saturated(i128::from(time.micros()) + later)),
        }
    }

    /// The timeline that has the phase of `beat` at a time. Its beat origin is greater, so that it replaces this one in a session, and
    /// its beats never run backwards.
    #[must_use]
    pub fn with_phase(&self, beat: Beats, time: T, quantum: Quantum) -> Self {
        let least = self.beat_origin.saturating_add(Beats::from_micro(1));
        let here = self.beat_at(time).max(least);
        Self {
            tempo: self.tempo,
            beat_origin: here.next_with_phase_of(beat, quantum),
            time_origin: time,
        }
    }

    /// The first time from `time` on at which the phase is that of `beat`, and the timeline's beat there.
    pub fn next_with_phase_of(&self, beat: Beats, time: T, quantum: Quantum) -> (T, Beats) {
        let next = self.beat_at(time).next_with_phase_of(beat, quantum);
        // The time of a rounded beat may be before the time that it was computed from.
        (self.time_of(next).max(time), next)
    }
}

/// The micro-beats in some microseconds.
fn beats_in(micros: i128, tempo: Tempo) -> i128 {
    divide_rounded(micros * i128::from(MICRO_BEATS), tempo.micros_per_beat().into())
}

#[cfg(test)]
mod tests {
    use super::super::GhostTime;
    use super::*;

    fn timeline(bpm: f64, beats: f64, micros: i64) -> Timeline<GhostTime> {
        Timeline {
            tempo: Tempo::from_bpm(bpm).expect("a tempo"),
            beat_origin: Beats::from_f64(beats),
            time_origin: GhostTime::new(micros),
        }
    }

    #[test]
    fn beats_pass_with_the_tempo() {
        let timeline = timeline(120.0, 3.0, 1_000_000);
        for (micros, beat) in [(1_000_000, 3.0), (1_250_000, 3.5), (0, 1.0), (-1_500_000, -2.0)] {
            assert_eq!(timeline.beat_at(GhostTime::new(micros)), Beats::from_f64(beat));
            assert_eq!(timeline.time_of(Beats::from_f64(beat)), GhostTime::new(micros));
        }
        assert_eq!(
            timeline.phase_at(GhostTime::new(-1_500_000), Quantum::BAR),
            Beats::from_f64(2.0)
        );
    }

    #[test]
    fn beats_are_rounded_to_the_nearest() {
        // 1 us at 428,571 us per beat: 2.333 micro-beats.
        let timeline = timeline(140.0, 0.0, 0);
        let beats = [1, 2, -1, -2].map(|micros| timeline.beat_at(GhostTime::new(micros)).micro());
        assert_eq!(beats, [2, 5, -2, -5]);
    }

    #[test]
    fn change_before_the_beat_origin_is_continuous_where_it_happens() {
        let old = timeline(120.0, 100.0, 50_000_000);
        for micros in [-7, 0, 1, 49_999_999, 50_000_000, 50_000_001] {
            let time = GhostTime::new(micros);
            for bpm in [20.0, 119.0, 140.0, 999.0] {
                let new = old.with_tempo(Tempo::from_bpm(bpm).expect("a tempo"), time);
                assert!(new.beat_origin > old.beat_origin);
                let (before, after) = (old.beat_at(time).micro(), new.beat_at(time).micro());
                assert!(
                    (before - after).abs() <= 1,
                    "{before} {after} at {micros}, {bpm} BPM"
                );
            }
        }
    }

    #[test]
    fn phase_is_set_without_running_backwards() {
        let old = timeline(120.0, 0.0, 0);
        let time = GhostTime::new(2_750_000); // beat 5.5
        let new = old.with_phase(Beats::from_f64(-3.0), time, Quantum::BAR);
        assert_eq!(new.beat_at(time), Beats::from_f64(9.0));
        assert_eq!(
            old.next_with_phase_of(Beats::from_f64(-3.0), time, Quantum::BAR),
            (GhostTime::new(4_500_000), Beats::from_f64(9.0))
        );
    }

    #[test]
    fn ends_of_the_number_line_saturate() {
        let far = Timeline {
            tempo: Tempo::FASTEST,
            beat_origin: Beats::from_micro(i64::MAX),
            time_origin: GhostTime::new(i64::MIN),
        };
        assert_eq!(far.beat_at(GhostTime::new(i64::MAX)).micro(), i64::MAX);
        assert_eq!(far.time_of(Beats::from_micro(i64::MIN)), GhostTime::new(i64::MIN));
        let changed = far.with_tempo(Tempo::SLOWEST, GhostTime::new(i64::MAX));
        assert_eq!(changed.beat_origin.micro(), i64::MAX);
    }
}
