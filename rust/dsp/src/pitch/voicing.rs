//! The confidence of a pitch.

/// The evidence of a frame for a tone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// The normalised square difference function one period away, to 1.
    pub(super) likeness: f64,
    /// The part of the energy up to the fourth partial that the first four explain, beyond what as many free numbers explain of
    /// noise (the adjusted coefficient of determination), to 1.
    pub(super) determination: f64,
    /// The periods in the frame.
    pub(super) periods: f64,
}

/// The probability that a frame with this evidence has a pitch, and that it is this one within 50 cents: a logistic function
/// of the evidence, fitted to the clips of `rust/bench/peers/pitch_set.py` of seed 1, half of each frame's weight being its
/// class's. `docs/pitch.md` shows how often it is right on clips of another seed and rate.
#[inline(always)]
pub(super) fn confidence(evidence: Evidence) -> f64 {
    let sum =
        -5.27 + 6.06 * evidence.likeness.clamp(-0.5, 1.0) + 8.73 * evidence.determination.clamp(-1.0, 1.0)
            - 21.1 / (evidence.periods * evidence.periods);
    1.0 / (1.0 + (-sum).exp())
}
