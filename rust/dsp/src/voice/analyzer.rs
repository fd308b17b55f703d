//! All voice measures along a signal.

use super::formants::{FormantAnalyzer, FormantConfiguration, Formants};
use super::harmonicity::{Harmonicity, HarmonicityAnalyzer};
use super::marks::{AFTER, BEFORE, Marker, Part, Stretch};
use super::perturbation::Steadiness;
use super::summary::{Counts, VoiceSummary};
use super::{SpectrumAnalyzer, VoiceError, checked_range, checked_rate};
use crate::HOPS;
use crate::framing::{Framing, write_frames};
use crate::pitch::{PitchConfiguration, PitchEstimator, estimator};
use std::mem::MaybeUninit;
use std::ops::RangeInclusive;

/// The configuration of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct VoiceConfiguration {
    /// In Hz, one of [`SAMPLE_RATES`](super::SAMPLE_RATES).
    pub sample_rate: f64,
    /// The range of pitches in Hz, within [`FREQUENCIES`](super::FREQUENCIES) and below a quarter of the sample rate.
    pub range: RangeInclusive<f64>,
    /// Samples from frame to frame, one of [`HOPS`]. `None`: a quarter of the window that the pitch is found in, 512 at 44,100 Hz
    /// in the default range.
    pub hop: Option<usize>,
    /// The formants to look for, at this sample rate; `None`: none.
    pub formants: Option<FormantConfiguration>,
    /// Whether harmonics-to-noise ratios are measured.
    pub harmonicity: bool,
    /// Whether centroids are measured.
    pub centroid: bool,
}

impl VoiceConfiguration {
    /// Everything, in voices from 60 to 1100 Hz: from a bass's C2 (65 Hz) to a soprano's C6 (1047 Hz), a little more at each end,
    /// with children's voices between.
    pub fn new(sample_rate: f64) -> Self {
        Self {
            sample_rate,
            range: 60.0..=1100.0,
            hop: None,
            formants: Some(FormantConfiguration::new(sample_rate)),
            harmonicity: true,
            centroid: true,
        }
    }
}

/// The measures of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VoiceFrame {
    /// The time of the frame's middle, in samples from the signal's beginning.
    pub sample: u64,
    /// The pitch in Hz; 0: none.
    pub pitch: f64,
    /// The confidence, 0 to 1: the share of frames like this whose pitch is there and right.
    pub confidence: f64,
    /// Whether there is a voice: a pitch whose confidence is at least [`VOICED`](crate::pitch::VOICED).
    pub is_voiced: bool,
    /// The level in dB relative to a full-scale square wave; negative infinity for silence.
    pub level: f64,
    /// The harmonics-to-noise ratio, of a voiced frame only.
    pub harmonicity: Option<Harmonicity>,
    /// The formants, where they are looked for; of an unvoiced frame they are those of the noise.
    pub formants: Formants,
    /// The spectrum's mean frequency in Hz; 0 where it is not measured.
    pub centroid: f64,
}

/// The measures of a signal that comes in parts of any length, and their summary. Each analysis frame begins `hop` samples after the one before;
/// its measures are of windows of different lengths with the same middle, and the longest has to be complete. The results do not
/// depend on how the signal is cut. Nothing is allocated after construction, and no more of the signal is kept than the longest
/// window, however long it is.
///
/// Jitter and shimmer are of periods that are found one after the other by their similarity to the one before, from the first
/// voiced frame of a stretch to its last; [`perturbation`](super::perturbation()) of a whole signal goes from each stretch's
/// middle to both sides, as Praat does, and differs by the chance of where in a period it begins.
pub struct VoiceAnalyzer {
    sample_rate: f64,
    pitch: Box<dyn PitchEstimator>,
    formants: Option<FormantAnalyzer>,
    harmonicity: Option<HarmonicityAnalyzer>,
    spectrum: Option<SpectrumAnalyzer>,
    framing: Framing,
    /// The pitch of the frame before, if it was voiced.
    before: Option<f64>,
    marker: Marker,
    steadiness: Steadiness,
    counts: Counts,
}

impl VoiceAnalyzer {
    /// # Errors
    /// [`VoiceError::SampleRate`], [`VoiceError::Range`], [`VoiceError::Hop`]; what [`FormantAnalyzer::new`] and
    /// [`estimator`] return.
    pub fn new(configuration: &VoiceConfiguration) -> Result<Self, VoiceError> {
        let sample_rate = configuration.sample_rate;
        checked_rate(sample_rate)?;
        let range = configuration.range.clone();
        checked_range(sample_rate, &range)?;
        let pitch = estimator(&PitchConfiguration::one_voice(sample_rate, range.clone()))?;
        let hop = configuration.hop.unwrap_or(pitch.frame_length() / 4);
        if !HOPS.contains(&hop) {
            return Err(VoiceError::Hop { got: hop });
        }
        let formants = configuration.formants.map(|formants| {
            FormantAnalyzer::new(&FormantConfiguration {
                sample_rate,
                ..formants
            })
        });
        let formants = formants.transpose()?;
        let harmonicity = configuration
            .harmonicity
            .then(|| HarmonicityAnalyzer::new(sample_rate, range.clone()));
        let harmonicity = harmonicity.transpose()?;
        let spectrum = configuration
            .centroid
            .then(|| SpectrumAnalyzer::new(sample_rate))
            .transpose()?;
        // Marks are at most a period behind the frame before, and look for the next from there.
        let period = sample_rate / range.start() * 1.1;
        let around = (AFTER * period).max(hop as f64 + (1.0 + BEFORE) * period).ceil() as usize + 4;
        let windows = [
            pitch.frame_length(),
            2 * around,
            formants.as_ref().map_or(0, FormantAnalyzer::frame_length),
            harmonicity.as_ref().map_or(0, HarmonicityAnalyzer::frame_length),
            spectrum.as_ref().map_or(0, SpectrumAnalyzer::frame_length),
        ];
        let window = windows.into_iter().fold(0, usize::max);
        Ok(Self {
            sample_rate,
            framing: Framing::new(window, hop),
            counts: Counts::new(&range),
            pitch,
            formants,
            harmonicity,
            spectrum,
            before: None,
            marker: Marker::default(),
            steadiness: Steadiness::new(sample_rate),
        })
    }

    /// The samples of the longest window: the first frame comes with as many, and its middle is in theirs.
    pub fn frame_length(&self) -> usize {
        self.framing.frame().0.len()
    }

    /// Samples from frame to frame.
    pub fn hop(&self) -> usize {
        self.framing.hop()
    }

    /// Takes the signal's next samples, as far as the frames that they complete fit into `frames`; returns how many samples it
    /// took and how many frames it wrote.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_into<F: From<VoiceFrame>>(
        &mut self,
        samples: &[f32],
        frames: &mut [MaybeUninit<F>],
    ) -> Result<(usize, usize), VoiceError> {
        let fit = self.framing.fit(frames.len());
        write_frames(fit, samples, frames, |samples, found| self.push(samples, found))
    }

    /// Takes the signal's next samples and passes every frame that they complete to `found`.
    ///
    /// # Errors
    /// None except those of the constructor.
    pub fn push(&mut self, mut samples: &[f32], mut found: impl FnMut(VoiceFrame)) -> Result<(), VoiceError> {
        while self.framing.fill(&mut samples) {
            found(self.frame()?);
            self.framing.advance();
        }
        Ok(())
    }

    /// The measures of the complete frame.
    fn frame(&mut self) -> Result<VoiceFrame, VoiceError> {
        let (samples, start) = self.framing.frame();
        let estimate = self.pitch.estimate(inner(samples, self.pitch.frame_length()))?;
        let middle = self.framing.middle();
        let mut frame = VoiceFrame {
            sample: middle,
            pitch: estimate.frequency,
            confidence: estimate.confidence,
            is_voiced: estimate.is_voiced(),
            level: estimate.level,
            ..VoiceFrame::default()
        };
        if let Some(formants) = &mut self.formants {
            let part = inner(samples, formants.frame_length());
            let first = samples.len() / 2 - part.len() / 2;
            frame.formants = formants.analyze_next(part, start as i64 + first as i64)?;
        }
        if let Some(harmonicity) = self.harmonicity.as_mut().filter(|_| frame.is_voiced) {
            frame.harmonicity = Some(harmonicity.analyze(inner(samples, harmonicity.frame_length()))?);
        }
        if let Some(spectrum) = &mut self.spectrum {
            spectrum.reset();
            spectrum.add(inner(samples, spectrum.frame_length()))?;
            frame.centroid = spectrum.features().centroid;
        }
        self.mark(middle as f64, frame.is_voiced.then_some(frame.pitch));
        self.counts.add(&frame);
        Ok(frame)
    }

    /// Walks the periods up to a frame's middle, or half a hop on where the voice ends.
    fn mark(&mut self, middle: f64, now: Option<f64>) {
        let (samples, start) = self.framing.frame();
        let half = 0.5 * self.framing.hop() as f64;
        let before = std::mem::replace(&mut self.before, now);
        let stretch = match (before, now) {
            (None, None) => return,
            (Some(first), Some(last)) => Stretch {
                from: middle - 2.0 * half,
                to: middle,
                first,
                last,
            },
            (None, Some(pitch)) => Stretch {
                from: (middle - half).max(start as f64),
                to: middle,
                first: pitch,
                last: pitch,
            },
            (Some(pitch), None) => Stretch {
                from: middle - 2.0 * half,
                to: middle - half,
                first: pitch,
                last: pitch,
            },
        };
        let part = Part { samples, start };
        let steadiness = &mut self.steadiness;
        self.marker
            .walk(part, stretch, self.sample_rate, before.is_none(), |mark| {
                steadiness.add(part, mark)
            });
    }

    /// The summary of all frames so far. Takes time in proportion to the range of pitch, not to the signal's length.
    pub fn summary(&self) -> VoiceSummary {
        self.counts.summary(self.steadiness.perturbation())
    }

    /// Resets the signal; the next sample is the first of another.
    pub fn reset(&mut self) {
        self.framing.reset();
        self.before = None;
        if let Some(formants) = &mut self.formants {
            formants.reset();
        }
        self.marker.reset();
        self.steadiness = Steadiness::new(self.sample_rate);
        self.counts.reset();
    }
}

/// The inner `length` samples of a buffer that has as many.
fn inner(buffer: &[f32], length: usize) -> &[f32] {
    let first = buffer.len() / 2 - length / 2;
    &buffer[first..first + length]
}

/// The frames of a whole signal, 1 + floor((L - N) / hop) of L samples and a [frame length](VoiceAnalyzer::frame_length) of N,
/// and their sum.
///
/// # Errors
/// As [`VoiceAnalyzer::new`].
pub fn analyze(
    configuration: &VoiceConfiguration,
    signal: &[f32],
) -> Result<(Vec<VoiceFrame>, VoiceSummary), VoiceError> {
    let mut analyzer = VoiceAnalyzer::new(configuration)?;
    let mut frames = Vec::new();
    analyzer.push(signal, |frame| frames.push(frame))?;
    Ok((frames, analyzer.summary()))
}

#[cfg(test)]
mod tests;
