//! The phase of beats whose period is known: strengths up to now, and where the next beat is expected.

use super::analysis::between;

/// The weight of the past in a score: the score of a frame is its strength and that of the best chain of beats before it (M. E. P. Davies
/// and M. D. Plumbley, "Context-dependent beat tracking of musical audio", IEEE TASLP 2007, for a chain without an end).
const PAST: f32 = 0.85;
/// The price of uneven intervals, for the square of the logarithm of their ratio: a factor of e to minus this.
const TIGHTNESS: f32 = 40.0;
/// The shortest and the longest interval of two beats, in periods.
const SHORTEST: f64 = 0.6;
const LONGEST: f64 = 1.7;
/// The strengths that are held, in the longest periods: of another tempo these say where its beats are.
const HELD: f64 = 4.0;
/// Of a period, how long after an expected beat the strengths are looked at, and how far to both sides.
const AFTER: f64 = 0.25;
const AROUND: f64 = 0.2;
/// The share of a beat's error by which the next ones and the period move: the damping is critical.
const FOLLOWED: f64 = 0.6;
const PERIOD_FOLLOWED: f64 = 0.25;
/// The share of the autocorrelation's period that is taken at each of its decisions, once the two are near.
const TAKEN: f64 = 0.03;
/// Two periods are near when their ratio is within this.
const NEAR: f64 = 0.06;
/// A difference of the two periods up to this ratio is a drift, while the beats agree with strong frames by so much.
const DRIFT: f64 = 0.18;
const AGREED: f64 = 0.5;
/// After so many beats whose scores are higher elsewhere, the beats move there; and by how much higher.
const DOUBTS: u32 = 3;
const HIGHER: f32 = 1.1;
/// The share of a beat in the running means of its errors and of its agreement.
const NEWEST: f64 = 0.15;

/// The state after a frame, in frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct PulseState {
    pub(super) period: f64,
    /// The frame of the next beat.
    pub(super) next: f64,
    pub(super) is_beat: bool,
    pub(super) error: f64,
    /// From 0 to 1: how near the beats are to strong frames.
    pub(super) agreement: f64,
}

pub(super) struct Pulse {
    /// Scores and strengths of the last frames, the newest last.
    scores: Vec<f32>,
    strengths: Vec<f32>,
    /// The number of frames so far.
    count: u64,
    period: Option<f64>,
    /// The beat that is looked for next, and the one that is reported next.
    expected: f64,
    reported: f64,
    doubts: u32,
    /// Beats looked at since they moved.
    looks: u32,
    squared_error: f64,
    agreement: f64,
    /// Frames by which a beat is reported early.
    early: f64,
}

impl Pulse {
    /// For periods up to `longest` frames.
    pub(super) fn new(longest: f64, early: f64) -> Self {
        let held = (HELD * longest).ceil() as usize + 2;
        Self {
            scores: vec![0.0; held],
            strengths: vec![0.0; held],
            count: 0,
            period: None,
            expected: 0.0,
            reported: 0.0,
            doubts: 0,
            looks: 0,
            squared_error: 0.0,
            agreement: 0.0,
            early,
        }
    }

    /// Takes the period that the autocorrelation peaks at.
    pub(super) fn set_period(&mut self, period: f64) {
        match self.period {
            Some(before) if (period / before).ln().abs() < NEAR => {
                self.period = Some(before + TAKEN * (period - before));
            }
            // The autocorrelation lags behind a tempo that drifts, and the beats do not.
            Some(before) if self.agreement > AGREED && (period / before).ln().abs() < DRIFT => {}
            before => {
                if before.is_none() {
                    self.reported = self.count as f64;
                }
                self.agreement *= 0.5;
                self.begin(period);
            }
        }
    }

    /// Begins anew with a period: the last beat is where the held strengths say.
    fn begin(&mut self, period: f64) {
        self.period = Some(period);
        for at in 0..self.scores.len() {
            self.scores[at] = (1.0 - PAST) * self.strengths[at] + PAST * self.chain(at, period);
        }
        let now = self.count as f64 - 1.0;
        self.move_to(self.highest(now - period + 1.0, now).0 + period, period);
    }

    /// Expects a beat elsewhere.
    fn move_to(&mut self, expected: f64, period: f64) {
        (self.doubts, self.looks) = (0, 0);
        self.expected = expected;
        self.squared_error = (AROUND * period).powi(2);
    }

    /// Takes the strength of the next frame.
    pub(super) fn next(&mut self, strength: f32) -> Option<PulseState> {
        self.strengths.copy_within(1.., 0);
        self.scores.copy_within(1.., 0);
        let newest = self.scores.len() - 1;
        self.strengths[newest] = strength;
        self.count += 1;
        let Some(period) = self.period else {
            self.scores[newest] = strength;
            return None;
        };
        self.scores[newest] = (1.0 - PAST) * strength + PAST * self.chain(newest, period);
        let now = (self.count - 1) as f64;
        while self.expected + AFTER * period + 1.0 <= now {
            self.look(now);
        }
        let period = self.period.unwrap_or(period);
        let next = self.next_after(now, period);
        let is_beat = next - self.early < now + 1.0 && next >= self.reported + 0.5 * period;
        if is_beat {
            self.reported = next;
        }
        Some(PulseState {
            period,
            next,
            is_beat,
            error: self.squared_error.sqrt(),
            agreement: self.agreement,
        })
    }

    /// The first beat from the end of what is reported early on.
    fn next_after(&self, now: f64, period: f64) -> f64 {
        let begin = now + self.early;
        let ahead = ((begin - self.expected) / period).ceil();
        self.expected + ahead * period
    }

    /// The best score of a beat before a frame, whose index is given.
    fn chain(&self, at: usize, period: f64) -> f32 {
        let nearest = (SHORTEST * period).round().max(1.0) as usize;
        let furthest = ((LONGEST * period).round() as usize).min(at);
        let mut most = 0.0_f32;
        for distance in nearest..=furthest {
            let uneven = (distance as f64 / period).ln() as f32;
            // exp(-x) for the x that matter, without a call: the factor of the square decays as fast, from the same curvature.
            let factor = 1.0 / (1.0 + TIGHTNESS * uneven * uneven);
            most = most.max(self.scores[at - distance] * factor);
        }
        most
    }

    /// The frame of the highest score between two frames, and its score.
    fn highest(&self, from: f64, to: f64) -> (f64, f32) {
        let first = self.count as f64 - self.scores.len() as f64;
        let index = |frame: f64| ((frame - first).round().max(0.0) as usize).min(self.scores.len() - 1);
        let range = index(from)..=index(to);
        let best = range
            .max_by(|a, b| self.scores[*a].total_cmp(&self.scores[*b]))
            .unwrap_or(0);
        (
            first + best as f64 + between(&self.scores, best),
            self.scores[best],
        )
    }

    /// Looks where the expected beat was, and expects the next.
    fn look(&mut self, now: f64) {
        let Some(period) = self.period else { return };
        let here = self.expected;
        let (near, score) = self.highest(here - AROUND * period, (here + AROUND * period).min(now));
        let (anywhere, highest) = self.highest(now - period + 1.0, now);
        let is_elsewhere = highest > HIGHER * score;
        self.doubts = if is_elsewhere { self.doubts + 1 } else { 0 };
        if self.doubts >= DOUBTS {
            // The found beat is the one that was expected, or the one before or after it.
            let skipped = if anywhere < here - 0.5 * period {
                period
            } else {
                0.0
            };
            self.move_to(anywhere + skipped + period, period);
            return;
        }
        let off = if score > 0.0 { near - here } else { 0.0 };
        self.looks = self.looks.saturating_add(1);
        // The first errors count alike, and the expectation before them not at all; none is below half a frame.
        let newest = NEWEST.max(1.0 / f64::from(self.looks));
        self.squared_error += newest * (off.powi(2).max(0.25) - self.squared_error);
        let agrees = if is_elsewhere {
            0.0
        } else {
            1.0 - (off / (AROUND * period)).abs().min(1.0)
        };
        self.agreement += NEWEST * (agrees - self.agreement);
        let period = (period + PERIOD_FOLLOWED * off).max(1.0);
        self.period = Some(period);
        self.expected = here + FOLLOWED * off + period;
    }

    pub(super) fn reset(&mut self) {
        self.scores.fill(0.0);
        self.strengths.fill(0.0);
        (self.count, self.period, self.doubts, self.looks) = (0, None, 0, 0);
        (self.expected, self.reported, self.squared_error, self.agreement) = (0.0, 0.0, 0.0, 0.0);
    }
}
