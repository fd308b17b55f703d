//! The likeliest path through the candidates of all frames.

use super::error::{PitchError, room};
use super::{PitchEstimate, PitchEstimator};

/// Candidates of a frame that a path may take.
const STATES: usize = 4;
/// The price of an octave from one frame to the next when frames are 10 ms apart; those that are nearer to each other pay more
/// for it, as Praat does (P. Boersma, "Accurate short-term analysis of the fundamental frequency", IFA Proceedings 17, 1993).
/// There it is 0.35 of what candidates can differ by, a likeness from 0 to 1. Here they differ by a salience to 1 and by 0.6
/// times a logarithm from 0.05 to 1.05, 2.8 in sum; 0.35 of that. At less, a voice whose periods differ by 2 % is heard an octave
/// lower for some frames, where every second period is more alike by chance.
const OCTAVE_JUMP: f64 = 1.0;
/// The price of a change between voiced and unvoiced, likewise.
const VOICING_CHANGE: f64 = 0.14;
const SPACING: f64 = 0.01;

/// Collects frames, then finds the path with the largest sum of its frames' values less the costs of its steps: dynamic
/// programming (A. Viterbi, 1967).
pub(super) struct Decoder {
    /// The factor of the steps' costs relative to [`SPACING`].
    scale: f64,
    frames: Vec<[State; STATES + 1]>,
}

/// A candidate with its pitch, the last of a frame being that there is none.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    estimate: PitchEstimate,
    worth: f64,
    /// The best sum up to here, and the state of the frame before on its path.
    sum: f64,
    before: usize,
}

impl Decoder {
    /// Makes a path through `count` frames that are `spacing` seconds apart.
    ///
    /// # Errors
    /// [`PitchError::Memory`].
    pub(super) fn new(spacing: f64, count: usize) -> Result<Self, PitchError> {
        Ok(Self {
            scale: SPACING / spacing,
            frames: room(count)?,
        })
    }

    /// Adds the last frame of `estimator`, with its estimate.
    pub(super) fn add(&mut self, estimator: &mut dyn PitchEstimator, first: PitchEstimate) {
        let unlikely = State {
            worth: f64::NEG_INFINITY,
            ..State::default()
        };
        let mut states = [unlikely; STATES + 1];
        let best = estimator
            .candidates()
            .first()
            .map_or(0.0, |candidate| candidate.score);
        let mut chosen = first;
        let count = estimator.candidates().len().min(STATES);
        for (index, state) in states.iter_mut().enumerate().take(count) {
            let candidate = estimator.candidates()[index];
            // Worth less than to have no pitch between two pitches, it is on no likeliest path.
            let most = 1.0 - (best - candidate.score);
            if chosen.frequency > 0.0 && most < super::VOICED - 2.0 * self.scale * VOICING_CHANGE {
                continue;
            }
            let estimate = if index == 0 {
                first
            } else {
                estimator.refine(index)
            };
            if estimate.frequency > 0.0 {
                // The methods' scores are of periodicity, to 1, and of other things: their distance from the best counts.
                state.worth = estimate.confidence - (best - candidate.score);
                state.estimate = estimate;
                if chosen.frequency == 0.0 {
                    chosen = estimate;
                }
            }
        }
        if estimator.candidates().is_empty() && first.frequency > 0.0 {
            states[0].worth = first.confidence;
            states[0].estimate = first;
        }
        // Having no pitch is worth as much as a pitch that is right as often as wrong; the estimate stays with the state.
        states[STATES] = State {
            estimate: PitchEstimate {
                confidence: chosen.confidence.min(0.5 - f64::EPSILON),
                ..chosen
            },
            worth: super::VOICED,
            ..State::default()
        };
        if let Some(before) = self.frames.last() {
            for (index, state) in states.iter_mut().enumerate() {
                let came =
                    |from: usize| before[from].sum - self.scale * cost(before, from, &state.estimate, index);
                let from = (0..=STATES)
                    .max_by(|&a, &b| came(a).total_cmp(&came(b)))
                    .unwrap_or(STATES);
                (state.sum, state.before) = (came(from) + state.worth, from);
            }
        } else {
            for state in &mut states {
                state.sum = state.worth;
            }
        }
        self.frames.push(states);
    }

    /// The estimate of each frame on the likeliest path, from the last frame to the first.
    pub(super) fn path_backwards(&self) -> impl Iterator<Item = PitchEstimate> {
        let best =
            |last: &[State; STATES + 1]| (0..=STATES).max_by(|&a, &b| last[a].sum.total_cmp(&last[b].sum));
        let mut state = self.frames.last().and_then(best).unwrap_or(STATES);
        self.frames.iter().rev().map(move |frame| {
            let estimate = PitchEstimate {
                // The path's decision, where the frame's own was another.
                confidence: if state == STATES {
                    frame[state].estimate.confidence
                } else {
                    frame[state].estimate.confidence.max(super::VOICED)
                },
                ..frame[state].estimate
            };
            state = frame[state].before;
            estimate
        })
    }
}

/// The cost of the step from state `from` of a frame to state `to`, a pitch of `estimate`.
fn cost(before: &[State; STATES + 1], from: usize, estimate: &PitchEstimate, to: usize) -> f64 {
    match (from == STATES, to == STATES) {
        (true, true) => 0.0,
        (true, false) | (false, true) => VOICING_CHANGE,
        (false, false) => {
            let octaves = (estimate.frequency / before[from].estimate.frequency).log2();
            if octaves.is_finite() {
                OCTAVE_JUMP * octaves.abs()
            } else {
                f64::INFINITY
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pitch::PitchCandidate;
    use std::ops::RangeInclusive;

    /// A scripted estimator: frames of candidates, each with its frequency, score and confidence.
    struct Scripted {
        candidates: Vec<PitchCandidate>,
        confidences: Vec<f64>,
    }

    impl Scripted {
        fn frame(&mut self, candidates: &[(f64, f64, f64)]) -> PitchEstimate {
            self.candidates = candidates
                .iter()
                .map(|&(frequency, score, _)| PitchCandidate { frequency, score })
                .collect();
            self.confidences = candidates.iter().map(|candidate| candidate.2).collect();
            if candidates.is_empty() {
                PitchEstimate::default()
            } else {
                self.refine(0)
            }
        }
    }

    impl PitchEstimator for Scripted {
        fn frame_length(&self) -> usize {
            256
        }
        fn range(&self) -> RangeInclusive<f64> {
            50.0..=500.0
        }
        fn estimate(&mut self, _frame: &[f32]) -> Result<PitchEstimate, PitchError> {
            Ok(self.refine(0))
        }
        fn candidates(&self) -> &[PitchCandidate] {
            &self.candidates
        }
        fn refine(&mut self, index: usize) -> PitchEstimate {
            PitchEstimate {
                frequency: self.candidates[index].frequency,
                confidence: self.confidences[index],
                ..PitchEstimate::default()
            }
        }
    }

    fn decoded(frames: &[&[(f64, f64, f64)]]) -> Vec<PitchEstimate> {
        let mut scripted = Scripted {
            candidates: Vec::new(),
            confidences: Vec::new(),
        };
        let mut decoder = Decoder::new(0.01, frames.len()).expect("memory");
        for frame in frames {
            let first = scripted.frame(frame);
            decoder.add(&mut scripted, first);
        }
        let mut path: Vec<_> = decoder.path_backwards().collect();
        path.reverse();
        path
    }

    #[test]
    fn a_candidate_that_no_path_takes_is_not_refined() {
        // Its confidence would be beyond 1, were it asked for.
        let far: &[(f64, f64, f64)] = &[(200.0, 2.0, 0.9), (100.0, 1.0, 9.0)];
        let path = decoded(&[far; 5]);
        assert!(
            path.iter().all(|estimate| estimate.frequency == 200.0),
            "{path:?}"
        );
        // A frame whose first candidate has no pitch in the end shows the next one's all the same.
        let path = decoded(&[&[(0.0, 2.0, 0.0), (100.0, 0.5, 0.3)]]);
        assert_eq!(path[0].frequency, 100.0);
    }

    const SURE: &[(f64, f64, f64)] = &[(200.0, 2.0, 0.9), (100.0, 1.0, 0.2)];

    #[test]
    fn an_octave_in_one_frame_is_mended() {
        let torn: &[(f64, f64, f64)] = &[(400.0, 2.0, 0.9), (200.0, 1.9, 0.9)];
        let path = decoded(&[SURE, SURE, torn, SURE, SURE]);
        assert!(
            path.iter().all(|estimate| estimate.frequency == 200.0),
            "{path:?}"
        );
    }

    #[test]
    fn an_octave_that_stays_is_followed() {
        let above: &[(f64, f64, f64)] = &[(400.0, 2.0, 0.9), (200.0, 0.5, 0.1)];
        let path = decoded(&[SURE, SURE, above, above, above]);
        let frequencies: Vec<f64> = path.iter().map(|estimate| estimate.frequency).collect();
        assert_eq!(frequencies, [200.0, 200.0, 400.0, 400.0, 400.0]);
    }

    #[test]
    fn a_doubtful_frame_between_sure_ones_is_voiced_and_one_in_silence_is_not() {
        let doubtful: &[(f64, f64, f64)] = &[(200.0, 2.0, 0.4)];
        let path = decoded(&[SURE, SURE, doubtful, SURE, SURE]);
        assert!(path.iter().all(PitchEstimate::is_voiced), "{path:?}");
        let barely: &[(f64, f64, f64)] = &[(200.0, 2.0, 0.6)];
        let path = decoded(&[&[], &[], barely, &[], &[]]);
        assert!(!path.iter().any(PitchEstimate::is_voiced), "{path:?}");
        assert!(decoded(&[]).is_empty());
    }
}
