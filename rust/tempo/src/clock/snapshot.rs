//! The clock as other threads read it: a value that gives beats for any host time.

use super::Source;
use crate::beats::{Beats, HostTime, MICRO_BEATS, Quantum, Tempo, Time, Timeline, divide_rounded, saturated};

/// Microseconds in which the smooth reading moves by 1000: a frame of 1000 samples at 44.1 kHz. This is 4.4 %.
const FRAME: i64 = 22_700;
const STEP: i64 = 1000;

/// The numbers of a [`ClockSnapshot`].
pub const CLOCK_WORDS: usize = 11;

/// Which beats are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// The source's own, for sequencers: they may jump when the source changes.
    Exact,
    /// Those that walk towards the exact ones by at most 1 ms in 22.7 ms, for lights.
    #[default]
    Smooth,
}

/// The beat at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeatState {
    /// The time.
    pub host_time: HostTime,
    /// Beats since the clock's beat 0.
    pub beats: Beats,
    /// The tempo of the source; the smooth reading passes up to 4.4 % faster or slower.
    pub tempo: Tempo,
    /// The position between two beats, 0 to less than 1.
    pub beat_phase: f64,
    /// The position in the quantum as a share of it, 0 to less than 1.
    pub bar_phase: f64,
    /// The quantum.
    pub quantum: Quantum,
    /// The source that is followed.
    pub source: Source,
    /// Peers of the session, oneself not counted, whichever source is followed.
    pub peers: u32,
    /// Whether the source plays.
    pub is_playing: bool,
    /// The source's confidence, from 0 to 1.
    pub confidence: f64,
    /// The standard error of the phase in milliseconds, as the source reports it; of the smooth reading with the way that is left.
    pub phase_error: f64,
}

/// The clock between two changes. Reading it takes no lock, allocates nothing and takes about the same time always.
///
/// Both readings never run backwards in time. The times of a snapshot may be before it was taken, by a little: it then knows nothing of
/// the source before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockSnapshot {
    pub(super) exact: Timeline<HostTime>,
    /// The smooth reading is the exact one of a time later by this, in microseconds, at `since`; and by whole quanta.
    ahead: i64,
    since: HostTime,
    whole: Beats,
    pub(super) quantum: Quantum,
    pub(super) source: Source,
    pub(super) peers: u32,
    pub(super) is_playing: bool,
    pub(super) confidence: f64,
    pub(super) phase_error: f64,
}

impl ClockSnapshot {
    pub(super) fn new(exact: Timeline<HostTime>, quantum: Quantum) -> Self {
        Self {
            exact,
            ahead: 0,
            since: exact.time_origin,
            whole: Beats::ZERO,
            quantum,
            source: Source::Manual,
            peers: 0,
            is_playing: true,
            confidence: 1.0,
            phase_error: 0.0,
        }
    }

    /// The snapshot as numbers, for a store that others read while it is written.
    pub fn to_words(&self) -> [u64; CLOCK_WORDS] {
        let flags = u64::from(self.is_playing) | (self.source as u64) << 1;
        [
            self.exact.tempo.micros_per_beat().unsigned_abs(),
            self.exact.beat_origin.micro() as u64,
            self.exact.time_origin.micros() as u64,
            self.ahead as u64,
            self.since.micros() as u64,
            self.whole.micro() as u64,
            self.quantum.beats().micro() as u64,
            u64::from(self.peers),
            flags,
            self.confidence.to_bits(),
            self.phase_error.to_bits(),
        ]
    }

    /// The snapshot of [`to_words`](Self::to_words); of other numbers any other one.
    pub fn from_words(words: &[u64; CLOCK_WORDS]) -> Self {
        let signed = |index: usize| words[index] as i64;
        let source = Source::ALL
            .into_iter()
            .find(|source| *source as u64 == words[8] >> 1);
        Self {
            exact: Timeline {
                tempo: Tempo::from_micros_per_beat(signed(0)).unwrap_or_default(),
                beat_origin: Beats::from_micro(signed(1)),
                time_origin: HostTime::new(signed(2)),
            },
            ahead: signed(3),
            since: HostTime::new(signed(4)),
            whole: Beats::from_micro(signed(5)),
            quantum: Quantum::new(Beats::from_micro(signed(6))).unwrap_or_default(),
            source: source.unwrap_or(Source::Manual),
            peers: words[7] as u32,
            is_playing: words[8] & 1 != 0,
            confidence: f64::from_bits(words[9]),
            phase_error: f64::from_bits(words[10]),
        }
    }

    /// The beats at a time.
    pub fn beats_at(&self, at: HostTime, reading: Reading) -> Beats {
        match reading {
            Reading::Exact => self.exact.beat_at(at),
            Reading::Smooth => {
                let time = at.saturating_add_micros(self.ahead_at(at));
                self.exact.beat_at(time).saturating_add(self.whole)
            }
        }
    }

    /// The beat, the phases, and the source's state at a time.
    pub fn state_at(&self, at: HostTime, reading: Reading) -> BeatState {
        let beats = self.beats_at(at, reading);
        let left = match reading {
            Reading::Exact => 0.0,
            Reading::Smooth => self.ahead_at(at) as f64 / 1000.0,
        };
        BeatState {
            host_time: at,
            beats,
            tempo: self.exact.tempo,
            beat_phase: beats.phase(Quantum::BEAT).as_f64(),
            bar_phase: beats.phase(self.quantum).micro() as f64 / self.quantum.beats().micro() as f64,
            quantum: self.quantum,
            source: self.source,
            peers: self.peers,
            is_playing: self.is_playing,
            confidence: self.confidence,
            phase_error: self.phase_error.hypot(left),
        }
    }

    /// The first time from `at` on at which the smooth reading is the exact one.
    pub fn settled_from(&self, at: HostTime) -> HostTime {
        let steps =
            (i128::from(self.ahead).abs() * i128::from(FRAME) + i128::from(STEP) - 1) / i128::from(STEP);
        at.max(self.since.saturating_add_micros(saturated(steps)))
    }

    /// How far the smooth reading is ahead of the exact one at a time, in microseconds.
    fn ahead_at(&self, at: HostTime) -> i64 {
        let passed = i128::from(at.saturating_micros_since(self.since).max(0));
        // Rounded down, so that the smooth time never stands still for longer than a microsecond.
        let walked = passed * i128::from(STEP) / i128::from(FRAME);
        let left = (i128::from(self.ahead).abs() - walked).max(0);
        saturated(left * i128::from(self.ahead.signum()))
    }

    /// Takes another exact reading from now on; the smooth one goes on from where it is.
    pub(super) fn set_exact(&mut self, exact: Timeline<HostTime>, now: HostTime) {
        let smooth = self.beats_at(now, Reading::Smooth);
        let distance = smooth.saturating_sub(exact.beat_at(now));
        // The nearest way to the same phase; the whole quanta stay a difference of the counts.
        self.whole = super::nearest_multiple(distance, self.quantum);
        let way = distance.saturating_sub(self.whole);
        let micros = i128::from(way.micro()) * i128::from(exact.tempo.micros_per_beat());
        self.ahead = saturated(divide_rounded(micros, MICRO_BEATS.into()));
        self.since = now;
        self.exact = exact;
    }

    /// Moves the smooth reading to the exact one.
    pub(super) fn jump(&mut self) {
        (self.ahead, self.whole) = (0, Beats::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshot_is_its_numbers() {
        for (sign, source) in [(1, Source::Link), (-1, Source::Audio)] {
            let snapshot = ClockSnapshot {
                exact: Timeline {
                    tempo: Tempo::SLOWEST,
                    beat_origin: Beats::from_micro(sign * 5),
                    time_origin: HostTime::new(-sign * i64::MAX),
                },
                ahead: sign * 7,
                since: HostTime::new(sign),
                whole: Beats::from_micro(-sign * 8_000_000),
                quantum: Quantum::BEAT,
                source,
                peers: 4_096,
                is_playing: sign > 0,
                confidence: 0.25,
                phase_error: 1.5,
            };
            assert_eq!(ClockSnapshot::from_words(&snapshot.to_words()), snapshot);
        }
        let _ = ClockSnapshot::from_words(&[u64::MAX; CLOCK_WORDS]);
    }
}
