//! The clock that a show follows.

use super::beats::{BPM_RANGE, Beats};
use crate::clock::Nanoseconds;
use crate::tempo::{BeatReader, BeatReading};

/// The part of the beats that pass by which the rest of the way becomes shorter: 1 ms in 22.7 ms, as the clock's smooth beats walk.
const WALK: f64 = 1.0 / 22.7;

/// The beats by which two readings of one moment differ: 6 us of the fastest clock.
const READING: f64 = 1e-4;

/// A clock whose smooth beats a show follows.
pub(super) struct ShowClock {
    reader: BeatReader,
    /// Whole quanta by which the show's count is more than the clock's.
    whole: f64,
    /// The beats by which it is more on top of that: the way that is left.
    ahead: f64,
    /// The clock's count at the last frame.
    last: Option<f64>,
}

impl ShowClock {
    /// A clock whose count the show has from its beginning.
    pub(super) fn new(reader: BeatReader) -> Self {
        Self {
            reader,
            whole: 0.0,
            ahead: 0.0,
            last: None,
        }
    }

    /// A clock that a show with this count of beats at a time follows from there on. The count goes on, and walks the shorter way to the
    /// clock's phase in its quantum.
    pub(super) fn after(beats: f64, reader: BeatReader, time: Nanoseconds) -> Self {
        let beat = reader.beat_at(reader.host_at(time), BeatReading::Smooth);
        let quantum = beat.quantum.beats().as_f64();
        let distance = beats - beat.beats.as_f64();
        let whole = (distance / quantum).round() * quantum;
        Self {
            whole,
            ahead: distance - whole,
            last: Some(beat.beats.as_f64()),
            reader,
        }
    }

    /// The beats of the frame at a time, which is not before the last one; none of a count that no moment has.
    pub(super) fn beats(&mut self, time: Nanoseconds) -> Option<Beats> {
        let host = self.reader.host_at(time);
        let beat = self.reader.beat_at(host, BeatReading::Smooth);
        let mut count = beat.beats.as_f64();
        let passed = self.last.map_or(0.0, |last| count - last);
        // The times of two clocks are compared to some microseconds: the same frame's count may seem to run back by that.
        if (-READING..0.0).contains(&passed) {
            count -= passed;
        }
        self.last = Some(count);
        let passed = passed.max(0.0);
        let walked = (passed * WALK).min(self.ahead.abs());
        self.ahead -= walked.copysign(self.ahead);
        // The fastest clock has 999.001 BPM.
        let bpm = beat.tempo.bpm().min(*BPM_RANGE.end());
        Beats::new(count + self.whole + self.ahead, time, bpm)
    }
}
