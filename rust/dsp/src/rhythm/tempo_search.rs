//! The tempo that an autocorrelation of onset strengths speaks for.

use super::bands::{BASS, MIDDLE, PARTS, TOP, WHOLE};
use std::ops::RangeInclusive;

/// The ratio of neighbouring tempi of the search: 1 %.
const STEP: f64 = 0.01;

/// How much the autocorrelation of the whole spectrum's strength at a multiple of the period speaks for it. Beats repeat at the period, and
/// bars at two, three and four; what repeats at thirds of the period makes it three beats of another.
///
/// Fitted, with all below, to rendered rhythms of known tempo (`rust/bench/peers/rhythm_set.py`, seeds 1, 2, 5 and 6, without those that
/// drift) as a choice among all tempi by its likelihood in windows of 8 s, and rounded. Seeds 3 and 4 were held out.
const COMB: [(f64, f64); 6] = [
    (1.0 / 3.0, -0.8),
    (2.0 / 3.0, -1.2),
    (1.0, 4.9),
    (1.5, -1.05),
    (2.0, 2.75),
    (3.0, 2.6),
];
/// Likewise, for parts of the spectrum: the bass repeats after four beats; what chords repeat at half the period is the beat itself, and
/// what cymbals do divides it.
const PARTS_COMB: [(usize, f64, f64); 3] = [(BASS, 4.0, 6.6), (MIDDLE, 0.5, -3.75), (TOP, 0.5, 5.6)];
/// The longest multiple.
const LONGEST: f64 = 4.0;

/// The prior is a normal distribution of the tempo's logarithm around this tempo in BPM, likewise fitted: of two tempi an octave apart that
/// explain a rhythm equally well, the nearer one to it is chosen.
const CENTRE: f64 = 164.5;
const PRIOR: f64 = 3.83;

/// Evidence of a second of sound: the salience of overlapping windows is not independent, and none of a window is certain.
const GAIN: f64 = 4.0;
/// The price of a change by a factor of e, per second, and the highest price, which is that of a jump to any other tempo.
const CHANGE: f64 = 40.0;
const JUMP: f64 = 20.0;

/// The tempi that are searched, and the positions of their comb's teeth.
pub(super) struct TempoSearch {
    /// In BPM, ascending.
    tempi: Vec<f64>,
    /// Frames a minute.
    frames: f64,
    prior: Vec<f64>,
}

impl TempoSearch {
    /// `frame_rate`: frames a second.
    pub(super) fn new(range: &RangeInclusive<f64>, frame_rate: f64) -> Self {
        let count = ((range.end() / range.start()).ln() / STEP) as usize + 1;
        let tempi: Vec<f64> = (0..count)
            .map(|index| range.start() * (STEP * index as f64).exp())
            .collect();
        let prior = tempi
            .iter()
            .map(|tempo| -PRIOR * (tempo / CENTRE).ln().powi(2))
            .collect();
        Self {
            tempi,
            frames: 60.0 * frame_rate,
            prior,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tempi.len()
    }

    /// Frames a beat of the tempo at an index.
    pub(super) fn period(&self, index: usize) -> f64 {
        self.frames / self.tempi[index]
    }

    /// The lags of the autocorrelation of each part's strength: for the longest period and its multiples that count, and one more for what
    /// is between two.
    pub(super) fn lags(&self) -> [usize; PARTS] {
        let longest = |multiple: f64| (multiple * self.period(0)).ceil() as usize + 2;
        std::array::from_fn(|part| match part {
            MIDDLE | TOP => longest(0.5),
            _ => longest(LONGEST),
        })
    }

    /// Writes how much the autocorrelations of the parts, 1 at lag 0 and known up to a lag, speak for each tempo. A multiple of the period
    /// that is not known counts as the half of it.
    pub(super) fn salience(&self, correlations: [&[f32]; PARTS], known: usize, salience: &mut [f64]) {
        let beyond = |lag: f64| lag + 1.0 > known as f64;
        for (index, (salience, prior)) in salience.iter_mut().zip(&self.prior).enumerate() {
            let period = self.period(index);
            let repeats = |part: usize, multiple: f64| {
                let mut lag = multiple * period;
                while beyond(lag) && lag > period {
                    lag *= 0.5;
                }
                at(correlations[part], lag)
            };
            let whole = COMB.iter().map(|&(multiple, weight)| (WHOLE, multiple, weight));
            let comb = whole.chain(PARTS_COMB);
            let sum: f64 = comb
                .map(|(part, multiple, weight)| weight * repeats(part, multiple))
                .sum();
            *salience = sum + prior;
        }
    }

    /// Adds the salience after `seconds` to the scores of the likeliest courses that end at each tempo (A. Viterbi), which it replaces;
    /// `came` receives the tempo before. Returns the index of the best.
    pub(super) fn advance(
        &self,
        scores: &mut [f64],
        next: &mut [f64],
        salience: &[f64],
        seconds: f64,
        mut came: Option<&mut [u16]>,
    ) -> usize {
        let price = |steps: usize| CHANGE * STEP * steps as f64 / seconds.max(0.1);
        let limit = (JUMP / price(1)) as usize + 1;
        let (leader, lead) = best(scores);
        for (index, slot) in next.iter_mut().enumerate() {
            let (mut from, mut most) = (leader, lead - JUMP);
            let near = index.saturating_sub(limit)..(index + limit + 1).min(scores.len());
            for other in near {
                let score = scores[other] - price(other.abs_diff(index)).min(JUMP);
                if score > most {
                    (from, most) = (other, score);
                }
            }
            *slot = most + GAIN * seconds * salience[index];
            if let Some(came) = came.as_deref_mut() {
                came[index] = from as u16;
            }
        }
        let (index, most) = best(next);
        for (score, next) in scores.iter_mut().zip(&*next) {
            // Only differences count.
            *score = next - most;
        }
        index
    }

    /// The period next to that of a tempo's index which the autocorrelation peaks at, in frames: from the longest multiple that it has,
    /// where a frame is the smallest share.
    pub(super) fn refined(&self, correlation: &[f32], index: usize) -> f64 {
        let coarse = self.period(index);
        let mut period = coarse;
        for multiple in [1.0, 2.0, 4.0] {
            let centre = (multiple * period).round() as usize;
            // The neighbourhood of 3 % at the first multiple, which narrows as the period is known better.
            let reach = ((0.03 * coarse).ceil() as usize).max(1);
            let range = centre.saturating_sub(reach).max(1)..=(centre + reach).min(correlation.len() - 2);
            let Some(peak) = range.max_by(|a, b| correlation[*a].total_cmp(&correlation[*b])) else {
                break;
            };
            let [left, middle, right] =
                [-1_isize, 0, 1].map(|by| f64::from(correlation[peak.saturating_add_signed(by)]));
            let curve = left - 2.0 * middle + right;
            if !(middle > 0.0 && middle >= left && middle >= right && curve < 0.0) {
                break;
            }
            period = (peak as f64 + 0.5 * (left - right) / curve) / multiple;
        }
        if (period / coarse).ln().abs() < 0.04 {
            period
        } else {
            coarse
        }
    }

    /// How regular the rhythm is at a period: the mean autocorrelation at it, twice and four times it; from 0 to 1.
    pub(super) fn regularity(&self, correlation: &[f32], period: f64) -> f64 {
        let sum: f64 = [1.0, 2.0, 4.0]
            .iter()
            .map(|multiple| at(correlation, multiple * period))
            .sum();
        (sum / 3.0).clamp(0.0, 1.0)
    }
}

/// The index and the value of the greatest.
fn best(scores: &[f64]) -> (usize, f64) {
    let start = (0, f64::NEG_INFINITY);
    let enumerated = scores.iter().copied().enumerate();
    enumerated.fold(start, |best, next| if next.1 > best.1 { next } else { best })
}

/// The autocorrelation between two lags.
fn at(correlation: &[f32], lag: f64) -> f64 {
    let below = lag as usize;
    let [Some(&left), Some(&right)] = [correlation.get(below), correlation.get(below + 1)] else {
        return 0.0;
    };
    let part = lag - below as f64;
    f64::from(left) * (1.0 - part) + f64::from(right) * part
}
