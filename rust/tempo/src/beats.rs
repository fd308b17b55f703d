//! Beats, tempos and times, in whole micro-beats and microseconds: what two programs compute from the same values is the same.

mod tempo;
mod timeline;
mod units;

pub use tempo::{Tempo, TempoError};
pub use timeline::Timeline;
pub use units::{Beats, GhostTime, HostTime, Quantum, QuantumError, Time};

/// Micro-beats in a beat.
pub const MICRO_BEATS: i64 = 1_000_000;

/// The nearest whole number to `numerator` / `denominator`, halves away from zero. `denominator` is positive.
pub(crate) fn divide_rounded(numerator: i128, denominator: i128) -> i128 {
    let half = denominator / 2;
    if numerator < 0 {
        -((half - numerator) / denominator)
    } else {
        (numerator + half) / denominator
    }
}

/// The nearest number of 64 bits.
pub(crate) fn saturated(number: i128) -> i64 {
    number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
