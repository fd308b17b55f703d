//! The summary of a voice of any duration.

use super::VoiceFrame;
use super::perturbation::{Mean, Perturbation};
use std::ops::RangeInclusive;

/// Classes of the median in an octave, two for each cent.
const CLASSES: f64 = 2400.0;

/// All frames together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VoiceSummary {
    /// The frames.
    pub frames: u64,
    /// The voiced frames. Pitch and harmonicity are of these alone; they are 0 where there are none.
    pub voiced: u64,
    /// The median pitch in Hz, right within half a cent: it is the mean of the pitches in the class of half a cent that holds it.
    pub median_pitch: f64,
    /// The mean pitch, in Hz.
    pub mean_pitch: f64,
    /// The standard deviation of the pitch in Hz, as of a sample; 0 of fewer than two.
    pub pitch_deviation: f64,
    /// The mean confidence of the voiced frames, 0 to 1.
    pub mean_confidence: f64,
    /// The mean harmonics-to-noise ratio in dB, of the voiced frames in which one was found.
    pub mean_hnr: f64,
    /// Jitter and shimmer.
    pub perturbation: Perturbation,
}

/// Counts frames. Its memory depends on the range of pitch only.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    lowest: f64,
    /// The number of pitches in each class, and their sum.
    classes: Vec<(u64, f64)>,
    frames: u64,
    voiced: u64,
    /// The mean pitch and the sum of squared deviations from it (B. P. Welford, Technometrics 4, 1962).
    mean: f64,
    squares: f64,
    confidence: Mean,
    hnr: Mean,
}

impl Counts {
    pub(super) fn new(range: &RangeInclusive<f64>) -> Self {
        // A semitone more on each side: a pitch at an end may be found just beyond.
        let lowest = range.start() / 2.0_f64.powf(1.0 / 12.0);
        let highest = range.end() * 2.0_f64.powf(1.0 / 12.0);
        let count = (CLASSES * (highest / lowest).log2()).ceil() as usize + 1;
        Self {
            lowest,
            classes: vec![(0, 0.0); count],
            frames: 0,
            voiced: 0,
            mean: 0.0,
            squares: 0.0,
            confidence: Mean::default(),
            hnr: Mean::default(),
        }
    }

    pub(super) fn add(&mut self, frame: &VoiceFrame) {
        self.frames += 1;
        if !frame.is_voiced {
            return;
        }
        self.voiced += 1;
        let step = frame.pitch - self.mean;
        self.mean += step / self.voiced as f64;
        self.squares += step * (frame.pitch - self.mean);
        let class = (CLASSES * (frame.pitch / self.lowest).log2()).round().max(0.0) as usize;
        let last = self.classes.len() - 1;
        let class = &mut self.classes[class.min(last)];
        *class = (class.0 + 1, class.1 + frame.pitch);
        self.confidence.add(frame.confidence);
        if let Some(found) = frame.harmonicity.filter(|found| found.hnr.is_finite()) {
            self.hnr.add(found.hnr);
        }
    }

    pub(super) fn summary(&self, perturbation: Perturbation) -> VoiceSummary {
        VoiceSummary {
            frames: self.frames,
            voiced: self.voiced,
            median_pitch: self.median(),
            mean_pitch: self.mean,
            pitch_deviation: if self.voiced > 1 {
                (self.squares / (self.voiced - 1) as f64).sqrt()
            } else {
                0.0
            },
            mean_confidence: self.confidence.value(),
            mean_hnr: self.hnr.value(),
            perturbation,
        }
    }

    fn median(&self) -> f64 {
        let middle = self.voiced.div_ceil(2);
        let mut below = 0;
        for &(count, sum) in &self.classes {
            below += count;
            if count > 0 && below >= middle {
                return sum / count as f64;
            }
        }
        0.0
    }

    pub(super) fn reset(&mut self) {
        self.classes.fill((0, 0.0));
        (self.frames, self.voiced, self.mean, self.squares) = (0, 0, 0.0, 0.0);
        (self.confidence, self.hnr) = (Mean::default(), Mean::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_one_pitch_is_that_pitch() {
        let mut counts = Counts::new(&(60.0..=1100.0));
        for pitch in [220.0, 97.3, 643.21, 1100.0] {
            counts.reset();
            for k in 0..5 {
                counts.add(&VoiceFrame {
                    // One higher and one lower, which are not in the middle.
                    pitch: pitch * [1.0, 1.02, 1.0, 0.98, 1.0][k],
                    is_voiced: true,
                    ..VoiceFrame::default()
                });
            }
            let median = counts.summary(Perturbation::default()).median_pitch;
            assert!((median - pitch).abs() < 1e-9, "{pitch}: {median}");
        }
    }
}
