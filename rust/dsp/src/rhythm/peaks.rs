//! Onsets: the times at which the strength peaks.

use super::onset::OnsetFrame;

/// Seconds of the mean that an onset stands out from; and from one onset to the next at least, below which they sound as one.
const AROUND: f64 = 0.3;
const APART: f64 = 0.03;
/// An onset is so much stronger than the mean, and so many times it.
const ABOVE: f32 = 0.15;
const TIMES: f32 = 1.5;

/// The beginning of a sound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Onset {
    /// In samples from the signal's beginning: the frame at which the strength peaks.
    pub sample: u64,
    /// The strength there: see [`OnsetFrame::strength`].
    pub strength: f32,
}

/// Finds onsets one frame after their peak.
pub(super) struct OnsetPeaks {
    keep: f32,
    mean: f32,
    apart: u32,
    since: u32,
    before: f32,
    last: Onset,
}

impl OnsetPeaks {
    /// `frame_rate`: frames a second.
    pub(super) fn new(frame_rate: f64) -> Self {
        let apart = (APART * frame_rate).round() as u32;
        Self {
            keep: (-1.0 / (AROUND * frame_rate)).exp() as f32,
            mean: 0.0,
            apart,
            since: apart,
            before: 0.0,
            last: Onset::default(),
        }
    }

    /// Takes a frame; returns the onset at the one before it, if there is one.
    pub(super) fn next(&mut self, frame: &OnsetFrame) -> Option<Onset> {
        let (last, before) = (self.last, self.before);
        let is_peak = last.strength >= before && last.strength > frame.strength;
        let is_onset =
            is_peak && last.strength > (TIMES * self.mean).max(self.mean + ABOVE) && self.since >= self.apart;
        self.since = if is_onset { 1 } else { self.since.saturating_add(1) };
        self.mean = self.mean * self.keep + last.strength * (1.0 - self.keep);
        self.before = last.strength;
        self.last = Onset {
            sample: frame.sample,
            strength: frame.strength,
        };
        is_onset.then_some(last)
    }

    pub(super) fn reset(&mut self) {
        (self.mean, self.since, self.before, self.last) = (0.0, self.apart, 0.0, Onset::default());
    }
}
