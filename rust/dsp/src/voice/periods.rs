//! The periods of a whole signal.

use super::marks::{LIKENESS, Mark, Part, Way, extremum, next};
use super::perturbation::{Perturbation, Steadiness};
use super::{VoiceError, checked_range, checked_rate};
use crate::HOPS;
use crate::pitch::{Decoding, PitchConfiguration, PitchFrame, contour, estimator};
use std::ops::RangeInclusive;

/// From frame to frame of the pitch, in periods of the lowest voice (as in Praat).
const HOP: f64 = 0.75;
/// The least distance of a mark from the stretch before, in periods (as in Praat).
const LEAST: f64 = 0.8;
/// Around a mark the signal has to reach this part of its greatest value, at the end of a stretch more, with a better correlation
/// (as in Praat).
const FAINT: f64 = 0.01;
const FAINT_AT_END: f64 = 0.023_333;
const LIKENESS_AT_END: f64 = 0.7;

/// Jitter and shimmer of a whole signal, of voices from `range.start()` to `range.end()` Hz. The marks of the periods are set as
/// by Praat: in each voiced stretch from the largest value in its middle to both sides, each a period from the one before, where
/// the correlation with the period there is the highest. Allocates in proportion to the signal's length.
///
/// # Errors
/// [`VoiceError::SampleRate`], [`VoiceError::Range`], [`VoiceError::Pitch`].
pub fn perturbation(
    sample_rate: f64,
    range: RangeInclusive<f64>,
    signal: &[f32],
) -> Result<Perturbation, VoiceError> {
    checked_rate(sample_rate)?;
    checked_range(sample_rate, &range)?;
    let hop = ((HOP / range.start() * sample_rate).round() as usize).clamp(*HOPS.start(), *HOPS.end());
    let configuration = PitchConfiguration::one_voice(sample_rate, range);
    let window = estimator(&configuration)?.frame_length();
    // As many frames before the signal's middle as after it: which extremum of a period is marked, and with it the shimmer,
    // depends on where the middle of a stretch is. Where that is half a sample, the times of the frames show it, within half a
    // sample then.
    let rest = signal.len().checked_sub(window).map_or(0, |rest| rest % hop);
    let frames = contour(&configuration, hop, Decoding::Viterbi, &signal[rest / 2..])?;
    let grid = Grid {
        offset: 0.5 * rest as f64 - if window.is_multiple_of(2) { 0.5 } else { 0.0 },
        hop: hop as f64,
        sample_rate,
    };
    let part = Part {
        samples: signal,
        start: 0,
    };
    let loudest = signal
        .iter()
        .map(|x| x.abs())
        .filter(|x| x.is_finite())
        .fold(0.0, f32::max);
    let mut steadiness = Steadiness::new(sample_rate);
    let mut last = f64::NEG_INFINITY;
    for stretch in frames.chunk_by(|a, b| a.estimate.is_voiced() == b.estimate.is_voiced()) {
        if !stretch[0].estimate.is_voiced() {
            continue;
        }
        let mut marks = marks(part, f64::from(loudest), stretch, grid, last);
        marks.sort_by(f64::total_cmp);
        for (index, &time) in marks.iter().enumerate() {
            // Marks of two stretches do not follow each other.
            let follows = index > 0;
            steadiness.add(part, Mark { time, follows });
        }
        last = marks.last().copied().unwrap_or(last);
    }
    Ok(steadiness.perturbation())
}

/// The positions of the pitch's frames in the signal.
#[derive(Clone, Copy)]
struct Grid {
    /// The offset of a frame's time, in samples.
    offset: f64,
    hop: f64,
    sample_rate: f64,
}

/// The marks of a voiced stretch of a signal whose greatest value is `loudest`, in any order; `before` is the last mark of the
/// stretch before.
fn marks(part: Part<'_>, loudest: f64, stretch: &[PitchFrame], grid: Grid, before: f64) -> Vec<f64> {
    let Grid {
        offset,
        hop,
        sample_rate,
    } = grid;
    let time_of = |frame: &PitchFrame| frame.sample as f64 + offset;
    let (from, to) = (
        time_of(&stretch[0]) - 0.5 * hop,
        time_of(&stretch[stretch.len() - 1]) + 0.5 * hop,
    );
    let period_at = |time: f64| {
        let place = ((time - time_of(&stretch[0])) / hop).clamp(0.0, (stretch.len() - 1) as f64);
        let index = place as usize;
        let left = stretch[index].estimate.frequency;
        let right = stretch
            .get(index + 1)
            .map_or(left, |frame| frame.estimate.frequency);
        sample_rate / (left + (place - index as f64) * (right - left))
    };
    let peak = |time: f64, period: f64| {
        let places = (time - 0.5 * period).ceil() as i64..=(time + 0.5 * period).floor() as i64;
        places.map(|place| part.at(place).abs()).fold(0.0, f64::max)
    };
    let middle = 0.5 * (from + to);
    let half = 0.5 * period_at(middle);
    let first = extremum(part, middle - half, middle + half);
    let mut marks = vec![first];
    for way in [Way::Back, Way::On] {
        let mut time = first;
        loop {
            let period = period_at(time);
            let sign = if way == Way::On { 1.0 } else { -1.0 };
            let (shift, likeness) = next(part, time, period, way).unwrap_or((sign * period, 0.0));
            time += shift;
            let over = !(from..=to).contains(&time);
            let (least, faint) = if over {
                (LIKENESS_AT_END, FAINT_AT_END)
            } else {
                (LIKENESS, FAINT)
            };
            let apart = way == Way::On || time - before > LEAST * period;
            if apart && likeness > least && peak(time, period) > faint * loudest {
                marks.push(time);
            }
            if over {
                break;
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests;
