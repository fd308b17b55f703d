//! A voice in sum, however long it speaks.

use super::VoiceFrame;
use super::perturbation::{Mean, Perturbation};
use std::ops::RangeInclusive;

/// Classes of the median per cent of a semitone: it is right within half a cent.
const CENTS: f64 = 1200.0;

/// All frames together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VoiceSummary {
    /// The frames.
    pub frames: u64,
    /// Those that are voiced. Pitch and harmonicity are of these alone; they are 0 where there are none.
    pub voiced: u64,
    /// The median pitch in Hz, right within half a cent: it is read from a count of frames per cent.
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
    classes: Vec<u64>,
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
        let count = (CENTS * (highest / lowest).log2()).ceil() as usize + 1;
        Self {
            lowest,
            classes: vec![0; count],
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
        let class = (CENTS * (frame.pitch / self.lowest).log2()).round().max(0.0) as usize;
        let last = self.classes.len() - 1;
        self.classes[class.min(last)] += 1;
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
        for (class, &count) in self.classes.iter().enumerate() {
            below += count;
            if count > 0 && below >= middle {
                return self.lowest * 2.0_f64.powf(class as f64 / CENTS);
            }
        }
        0.0
    }

    pub(super) fn reset(&mut self) {
        self.classes.fill(0);
        (self.frames, self.voiced, self.mean, self.squares) = (0, 0, 0.0, 0.0);
        (self.confidence, self.hnr) = (Mean::default(), Mean::default());
    }
}
