//! The tempo.

use std::fmt;

/// A tempo as whole microseconds per beat, [`Tempo::FASTEST`] to [`Tempo::SLOWEST`]: tempos are equal when these are.
///
/// The order is that of the microseconds: a slower tempo is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tempo(u32);

/// Microseconds in a minute.
const MINUTE: f64 = 60e6;

impl Tempo {
    /// 999.000999 BPM: 60,060 us per beat.
    pub const FASTEST: Self = Self(60_060);
    /// 20 BPM: 3,000,000 us per beat.
    pub const SLOWEST: Self = Self(3_000_000);

    /// A tempo in microseconds per beat; the nearest one outside the range.
    ///
    /// # Errors
    /// [`TempoError`] for 0 and less.
    pub fn from_micros_per_beat(micros: i64) -> Result<Self, TempoError> {
        if micros <= 0 {
            return Err(TempoError::Micros { got: micros });
        }
        let within = micros.clamp(Self::FASTEST.0.into(), Self::SLOWEST.0.into());
        Ok(Self(within as u32))
    }

    /// The nearest tempo to a number of beats per minute.
    ///
    /// # Errors
    /// [`TempoError`] for what is not finite, for 0 and less.
    pub fn from_bpm(bpm: f64) -> Result<Self, TempoError> {
        if !(bpm.is_finite() && bpm > 0.0) {
            return Err(TempoError::Bpm { got: bpm });
        }
        let micros = (MINUTE / bpm).round();
        let within = micros.clamp(Self::FASTEST.0.into(), Self::SLOWEST.0.into());
        Ok(Self(within as u32))
    }

    /// Microseconds per beat.
    pub const fn micros_per_beat(self) -> i64 {
        self.0 as i64
    }

    /// Beats per minute.
    pub fn bpm(self) -> f64 {
        MINUTE / f64::from(self.0)
    }
}

/// 120 BPM.
impl Default for Tempo {
    fn default() -> Self {
        Self(500_000)
    }
}

/// Not a tempo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TempoError {
    /// Microseconds per beat that are not positive.
    Micros {
        /// The microseconds.
        got: i64,
    },
    /// Beats per minute that are not finite, or not positive.
    Bpm {
        /// The beats per minute.
        got: f64,
    },
}

impl fmt::Display for TempoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Micros { got } => write!(f, "tempo: expected more than 0 us per beat, got {got}"),
            Self::Bpm { got } => write!(f, "tempo: expected a finite number of BPM above 0, got {got}"),
        }
    }
}

impl std::error::Error for TempoError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tempo_is_a_whole_number_of_microseconds() {
        for (bpm, micros, exact) in [
            (140.0, 428_571, 140.000_14),
            (120.0, 500_000, 120.0),
            (999.0, 60_060, 999.000_999),
        ] {
            let tempo = Tempo::from_bpm(bpm).expect("a tempo");
            assert_eq!(tempo.micros_per_beat(), micros);
            assert!((tempo.bpm() - exact).abs() < 1e-6, "{}", tempo.bpm());
        }
    }

    #[test]
    fn tempo_outside_the_range_is_the_nearest_within() {
        for bpm in [1_000.0, 1e300] {
            assert_eq!(Tempo::from_bpm(bpm), Ok(Tempo::FASTEST), "{bpm}");
        }
        for bpm in [19.9, f64::MIN_POSITIVE] {
            assert_eq!(Tempo::from_bpm(bpm), Ok(Tempo::SLOWEST), "{bpm}");
        }
        assert_eq!(Tempo::from_micros_per_beat(1), Ok(Tempo::FASTEST));
        assert_eq!(Tempo::from_micros_per_beat(i64::MAX), Ok(Tempo::SLOWEST));
    }

    #[test]
    fn tempo_is_positive_and_finite() {
        for got in [0, -500_000, i64::MIN] {
            assert_eq!(Tempo::from_micros_per_beat(got), Err(TempoError::Micros { got }));
        }
        for got in [0.0, -120.0, f64::INFINITY, f64::NAN] {
            assert!(Tempo::from_bpm(got).is_err(), "{got}");
        }
    }
}
