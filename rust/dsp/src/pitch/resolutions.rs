//! Windows of several lengths around one middle.

use super::configuration::{Checked, Measured, PERIODS, PitchConfiguration};
use super::error::PitchError;
use super::harmonic::Harmonic;
use super::{PitchCandidate, PitchEstimate, PitchEstimator};
use std::ops::RangeInclusive;

/// The most windows, each half as long as the one before, and the shortest's length in seconds at least.
const WINDOWS: usize = 4;
const SHORTEST: f64 = 0.02;
/// A tone this much stronger than the rest, in dB, does not move: shorter windows would add noise only.
const STEADY: f64 = 20.0;
/// By how much a shorter window's tone has to be the stronger over its rest, in dB, to be taken: of a steady tone in noise both are
/// the same, of one that moves the longer window leaves the more. Twice that where it is another pitch, or
/// where the longer window shows several notes, which a shorter one may not resolve.
const CLEARER: f64 = 4.0;
/// Two pitches further apart than this, as a part of them, are two.
const APART: f64 = 0.3;
/// The confidence that a shorter window's tone needs where the longer one has none.
const RESCUED: f64 = 0.6;
/// A tone of the longer window is not in its middle if a shorter one that holds this many periods has no more than this confidence
/// in any, and is this much quieter, in dB.
const HELD: f64 = 3.5;
const ABSENT: f64 = 0.4;
const QUIETER: f64 = 6.0;
/// A window shows no motion where the next shorter one has the same pitch, by this part of it, and a tone that is as strong over
/// its rest, by this many dB; and noise where the next one has no more than this confidence in any. Shorter ones then show no more,
/// if they are as loud, by this many dB: neither a beginning nor an end is between.
const SETTLED: f64 = 1e-3;
const ALIKE: f64 = 1.0;
const NOISE: f64 = 0.05;
const LOUDER: f64 = 1.0;

/// The default method in windows of several lengths: the longest holds the lowest pitch of the range and resolves the most; a
/// shorter one is taken where the tone moves, begins or ends within it.
pub(super) struct Resolutions {
    /// In falling order of their windows.
    levels: Vec<Harmonic>,
    chosen: usize,
}

impl Resolutions {
    /// `checked` is what the longest window makes of `configuration`.
    pub(super) fn new(configuration: &PitchConfiguration, checked: Checked) -> Result<Self, PitchError> {
        let mut levels = vec![Harmonic::new(checked)?];
        let shortest = SHORTEST * checked.sample_rate;
        let shorter = (1..WINDOWS).map(|by| checked.frame_length >> by);
        for window in shorter.take_while(|&window| window as f64 >= shortest) {
            let shorter = PitchConfiguration {
                frame_length: Some(window),
                ..configuration.clone()
            };
            // A window that holds nothing of the range is none.
            match shorter.checked() {
                Ok(checked) => levels.push(Harmonic::new(checked)?),
                Err(_) => break,
            }
        }
        Ok(Self { levels, chosen: 0 })
    }
}

impl PitchEstimator for Resolutions {
    fn frame_length(&self) -> usize {
        self.levels[0].frame_length()
    }

    fn shortest(&self) -> usize {
        self.levels[self.levels.len() - 1].frame_length()
    }

    fn range(&self) -> RangeInclusive<f64> {
        self.levels[0].range()
    }

    fn estimate(&mut self, frame: &[f32]) -> Result<PitchEstimate, PitchError> {
        let first = self
            .levels
            .iter()
            .position(|level| level.frame_length() == frame.len());
        let first = first.unwrap_or(0);
        let mut best = self.levels[first].estimate(frame)?;
        self.chosen = first;
        let mut last = None;
        for index in first + 1..self.levels.len() {
            if best.is_voiced() && best.harmonicity > STEADY || !best.level.is_finite() {
                break;
            }
            let window = self.levels[index].frame_length();
            let part = &frame[(frame.len() - window) / 2..][..window];
            if last.is_some_and(|last| shows_all(best, last, Measured::new(part).level)) {
                break;
            }
            let shorter = self.levels[index].estimate(part)?;
            let holds = best.frequency * PERIODS > HELD * self.levels[index].range().start();
            last = Some(shorter);
            if is_better(shorter, best, holds) {
                (best, self.chosen, last) = (shorter, index, None);
            }
        }
        Ok(best)
    }

    fn candidates(&self) -> &[PitchCandidate] {
        self.levels[self.chosen].candidates()
    }

    fn refine(&mut self, index: usize) -> PitchEstimate {
        self.levels[self.chosen].refine(index)
    }
}

/// Whether the `shorter` window, which was no better than the `best`, shows that a still shorter one, of this level, is none either.
fn shows_all(best: PitchEstimate, shorter: PitchEstimate, level: f64) -> bool {
    if best.is_voiced() {
        (shorter.harmonicity - best.harmonicity).abs() < ALIKE
            && (shorter.frequency / best.frequency - 1.0).abs() < SETTLED
            && (level - best.level).abs() < LOUDER
    } else {
        shorter.confidence < NOISE && level < shorter.level + LOUDER
    }
}

/// Whether the middle of a frame has the pitch of a shorter window, or as it has none, rather than that of a longer one, whose
/// period it `holds` often enough to find it.
fn is_better(shorter: PitchEstimate, longer: PitchEstimate, holds: bool) -> bool {
    let gain = shorter.harmonicity - longer.harmonicity;
    let same = (shorter.frequency / longer.frequency - 1.0).abs() < APART;
    if shorter.polyphonic {
        false
    } else if longer.polyphonic {
        shorter.is_voiced() && gain > 2.0 * CLEARER
    } else if longer.is_voiced() {
        shorter.is_voiced() && gain > if same { CLEARER } else { 2.0 * CLEARER }
            || holds && shorter.confidence < ABSENT && shorter.level < longer.level - QUIETER
    } else {
        shorter.confidence >= RESCUED
    }
}
