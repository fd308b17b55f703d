//! The units of beats and times.

use super::MICRO_BEATS;
use std::fmt;

/// A position or a distance in beats, in whole micro-beats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Beats(i64);

impl Beats {
    /// Beat 0.
    pub const ZERO: Self = Self(0);

    /// A number of micro-beats.
    pub const fn from_micro(micro: i64) -> Self {
        Self(micro)
    }

    /// The nearest micro-beat to a number of beats; the largest or smallest position beyond those, and 0 for NaN.
    pub fn from_f64(beats: f64) -> Self {
        Self((beats * MICRO_BEATS as f64).round() as i64)
    }

    /// Micro-beats.
    pub const fn micro(self) -> i64 {
        self.0
    }

    /// Beats, to the precision of the type: whole micro-beats up to 2^53 of them.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / MICRO_BEATS as f64
    }

    /// The sum, or the largest or smallest position beyond those.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, or the largest or smallest position beyond those.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The phase in a quantum: the beats since its last multiple, 0 to less than the quantum, also before beat 0.
    #[must_use]
    pub const fn phase(self, quantum: Quantum) -> Self {
        Self(self.0.rem_euclid(quantum.0))
    }

    /// The first position from this one on that has the phase of `other`; the largest position if there is none.
    #[must_use]
    pub const fn next_with_phase_of(self, other: Self, quantum: Quantum) -> Self {
        let (here, there) = (self.phase(quantum).0, other.phase(quantum).0);
        // Both are less than the quantum: the difference has 64 bits.
        Self(self.0.saturating_add((there - here).rem_euclid(quantum.0)))
    }

    /// The smallest multiple of the quantum that is not less than this distance; the largest distance if there is none.
    #[must_use]
    pub const fn up_to_multiple(self, quantum: Quantum) -> Self {
        self.next_with_phase_of(Self::ZERO, quantum)
    }
}

/// The beats after which a phase repeats: a bar, mostly. Positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantum(i64);

impl Quantum {
    /// One beat.
    pub const BEAT: Self = Self(MICRO_BEATS);
    /// Four beats, the default.
    pub const BAR: Self = Self(4 * MICRO_BEATS);

    /// A number of beats.
    ///
    /// # Errors
    /// [`QuantumError`] for 0 and less.
    pub const fn new(beats: Beats) -> Result<Self, QuantumError> {
        if beats.0 > 0 {
            Ok(Self(beats.0))
        } else {
            Err(QuantumError { got: beats })
        }
    }

    /// The number of beats.
    pub const fn beats(self) -> Beats {
        Beats(self.0)
    }
}

impl Default for Quantum {
    fn default() -> Self {
        Self::BAR
    }
}

/// A quantum that is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantumError {
    /// The beats.
    pub got: Beats,
}

impl fmt::Display for QuantumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "quantum: expected more than 0 beats, got {}",
            self.got.as_f64()
        )
    }
}

impl std::error::Error for QuantumError {}

/// A time in whole microseconds of one clock.
pub trait Time: Copy + Ord {
    /// A time from microseconds since the clock's zero.
    fn from_micros(micros: i64) -> Self;

    /// Microseconds since the clock's zero.
    fn micros(self) -> i64;

    /// The time that is so many microseconds later, or the last or first one beyond those.
    #[must_use]
    fn saturating_add_micros(self, micros: i64) -> Self {
        Self::from_micros(self.micros().saturating_add(micros))
    }

    /// Microseconds from another time to this one, or the largest or smallest number beyond those.
    fn saturating_micros_since(self, other: Self) -> i64 {
        self.micros().saturating_sub(other.micros())
    }
}

/// A time of this host: microseconds of CLOCK_MONOTONIC_RAW on Linux, of `mach_absolute_time` on Apple systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostTime(i64);

/// A time that the members of a session share, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GhostTime(i64);

impl HostTime {
    /// A time from microseconds since the clock's zero.
    pub const fn new(micros: i64) -> Self {
        Self(micros)
    }
}

impl GhostTime {
    /// A time from microseconds since the session's zero.
    pub const fn new(micros: i64) -> Self {
        Self(micros)
    }
}

impl Time for HostTime {
    fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    fn micros(self) -> i64 {
        self.0
    }
}

impl Time for GhostTime {
    fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    fn micros(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beats(beats: f64) -> Beats {
        Beats::from_f64(beats)
    }

    #[test]
    fn phases_are_never_negative() {
        for (position, phase) in [(0.0, 0.0), (5.5, 1.5), (-0.25, 3.75), (-4.0, 0.0), (-5.0, 3.0)] {
            assert_eq!(beats(position).phase(Quantum::BAR), beats(phase), "{position}");
        }
        let phase = Beats::from_micro(i64::MIN).phase(Quantum::BEAT);
        assert!((0..MICRO_BEATS).contains(&phase.micro()), "{phase:?}");
    }

    #[test]
    fn next_position_with_a_phase_is_less_than_a_quantum_away() {
        for (here, other, next) in [
            (0.0, 0.0, 0.0),
            (0.5, 0.0, 4.0),
            (7.0, 2.0, 10.0),
            (-1.0, 2.5, 2.5),
            (-1.0, 3.0, -1.0),
        ] {
            let found = beats(here).next_with_phase_of(beats(other), Quantum::BAR);
            assert_eq!(found, beats(next), "{here} {other}");
        }
        let last = Beats::from_micro(i64::MAX);
        assert_eq!(last.next_with_phase_of(Beats::ZERO, Quantum::BAR), last);
        assert_eq!(beats(-6.0).up_to_multiple(Quantum::BAR), beats(-4.0));
    }

    #[test]
    fn hostile_numbers_saturate() {
        assert_eq!(Beats::from_f64(f64::NAN), Beats::ZERO);
        assert_eq!(Beats::from_f64(f64::INFINITY).micro(), i64::MAX);
        assert_eq!(Beats::from_f64(-1e300).micro(), i64::MIN);
        let far = HostTime::new(i64::MIN);
        assert_eq!(far.saturating_micros_since(HostTime::new(i64::MAX)), i64::MIN);
    }

    #[test]
    fn quantum_is_positive() {
        for micro in [0, -1, i64::MIN] {
            let got = Beats::from_micro(micro);
            assert_eq!(Quantum::new(got), Err(QuantumError { got }));
        }
        assert_eq!(Quantum::new(beats(4.0)), Ok(Quantum::default()));
    }
}
