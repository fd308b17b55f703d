//! The harmonics-to-noise ratio.

use super::correlation::Correlation;
use super::{VoiceError, checked_range, checked_rate, median};
use std::ops::RangeInclusive;

/// The autocorrelation from which on a frame counts as voiced (P. Boersma, 1993: the voicing threshold).
pub const VOICED_LIKENESS: f64 = 0.45;
/// Periods of the range's lower end in the window's effective length (Praat's default for harmonicity).
const PERIODS: f64 = 4.5;
/// The least number of periods in the window of a short signal.
const LEAST: f64 = 4.0;
/// The excess of a maximum one octave lower that makes it the period (P. Boersma, 1993: the octave cost).
const OCTAVE_COST: f64 = 0.01;
/// Maxima that are interpolated between lags: those within this of the highest whole lag, and at most as many as this.
const NEAR: f64 = 0.25;
const LOOKS: usize = 12;
/// Frames whose peak is below this part of the signal's do not count for its mean (Praat's silence threshold).
const SILENCE: f64 = 0.1;
/// The highest ratio, in dB: single-precision transforms show no more.
const CLEAREST: f64 = 70.0;

/// The periodicity of a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harmonicity {
    /// The power of the periodic part over that of the rest, in dB, at most 70; negative infinity where nothing is periodic.
    pub hnr: f64,
    /// One over the period, in Hz; 0 where nothing is periodic.
    pub frequency: f64,
    /// Whether at least [`VOICED_LIKENESS`] of the energy is periodic, -0.9 dB.
    pub is_voiced: bool,
}

impl Default for Harmonicity {
    fn default() -> Self {
        Self {
            hnr: f64::NEG_INFINITY,
            frequency: 0.0,
            is_voiced: false,
        }
    }
}

/// Measures harmonics-to-noise ratios of frames by the autocorrelation, that of the window divided out and its maximum found
/// between lags (P. Boersma, IFA Proceedings 17, 1993): of a maximum r the ratio is r / (1 - r). Nothing is allocated
/// after construction.
pub struct HarmonicityAnalyzer {
    correlation: Correlation,
    sample_rate: f64,
    /// The lags of the range.
    shortest: f64,
    longest: f64,
    maxima: [(usize, f64); LOOKS],
}

impl HarmonicityAnalyzer {
    /// For voices from `range.start()` to `range.end()` Hz; 75 to 500 is usual.
    ///
    /// # Errors
    /// [`VoiceError::SampleRate`], [`VoiceError::Range`]; and what
    /// [`InstructionSet::preferred`](crate::InstructionSet::preferred) returns.
    pub fn new(sample_rate: f64, range: RangeInclusive<f64>) -> Result<Self, VoiceError> {
        checked_rate(sample_rate)?;
        checked_range(sample_rate, &range)?;
        let window = (2.0 * PERIODS * sample_rate / range.start()).round() as usize;
        Self::with_window(sample_rate, range, window)
    }

    fn with_window(sample_rate: f64, range: RangeInclusive<f64>, window: usize) -> Result<Self, VoiceError> {
        let (shortest, longest) = (sample_rate / range.end(), sample_rate / range.start());
        Ok(Self {
            correlation: Correlation::new(window, longest.ceil() as usize)?,
            sample_rate,
            shortest,
            longest,
            maxima: [(0, 0.0); LOOKS],
        })
    }

    /// The samples of a frame: nine periods of the range's lower end, under a window whose ends hardly count.
    pub fn frame_length(&self) -> usize {
        self.correlation.frame_length()
    }

    /// The ratio of a frame of [`frame_length`](Self::frame_length) samples. A frame without a sound, or with a sample that is NaN or
    /// infinite, has none.
    ///
    /// # Errors
    /// [`VoiceError::FrameLength`].
    pub fn analyze(&mut self, frame: &[f32]) -> Result<Harmonicity, VoiceError> {
        let (expected, got) = (self.frame_length(), frame.len());
        if got != expected {
            return Err(VoiceError::FrameLength { expected, got });
        }
        if !self.correlation.take(frame)? {
            return Ok(Harmonicity::default());
        }
        let values = self.correlation.values();
        let lags = self.shortest.floor().max(2.0) as usize..=self.longest.ceil() as usize;
        let tops =
            lags.filter(|&k| values[k] > 0.0 && values[k] >= values[k - 1] && values[k] > values[k + 1]);
        // The highest, in falling order.
        let mut count = 0;
        for lag in tops {
            let entry = (lag, values[lag]);
            let place = self.maxima[..count].partition_point(|top| top.1 >= entry.1);
            if place < LOOKS {
                count = (count + 1).min(LOOKS);
                self.maxima.copy_within(place..count - 1, place + 1);
                self.maxima[place] = entry;
            }
        }
        // The ratio is the highest maximum's; the period is that of the first octave that comes near it.
        let mut best: Option<(f64, f64)> = None;
        let mut highest = 0.0_f64;
        for &(near, height) in &self.maxima[..count] {
            if height < self.maxima[0].1 - NEAR {
                break;
            }
            let (lag, found) = self.correlation.maximum(near);
            // What noise and the window's division raise above 1 is as far from it as what they lower (as in Praat).
            let likeness = if found > 1.0 { 1.0 / found } else { found };
            highest = highest.max(likeness);
            let score = likeness - OCTAVE_COST * (lag / self.longest).log2();
            if best.is_none_or(|(_, top)| score > top) {
                best = Some((lag, score));
            }
        }
        Ok(best.map_or_else(Harmonicity::default, |(lag, _)| Harmonicity {
            hnr: (10.0 * (highest / (1.0 - highest).max(1e-12)).log10()).min(CLEAREST),
            frequency: self.sample_rate / lag,
            is_voiced: highest >= VOICED_LIKENESS,
        }))
    }
}

/// The ratio of a signal: mean decibels and median frequency of the frames, 10 ms apart, that are periodic and no quieter than a
/// tenth of the loudest. It is voiced when half of the frames that are loud enough are. A signal that is shorter than a frame is
/// a single frame, and voices of fewer than four periods in it are not searched.
///
/// # Errors
/// As [`HarmonicityAnalyzer::new`].
pub fn harmonicity(
    sample_rate: f64,
    range: RangeInclusive<f64>,
    signal: &[f32],
) -> Result<Harmonicity, VoiceError> {
    let mut analyzer = HarmonicityAnalyzer::new(sample_rate, range.clone())?;
    if signal.len() < analyzer.frame_length() {
        let lowest = range
            .start()
            .max(LEAST * sample_rate / signal.len().max(1) as f64);
        if lowest >= *range.end() {
            return Ok(Harmonicity::default());
        }
        analyzer = HarmonicityAnalyzer::with_window(sample_rate, lowest..=*range.end(), signal.len())?;
    }
    let hop = (0.01 * sample_rate).round() as usize;
    let peak_of = |part: &[f32]| part.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
    let loudest = f64::from(peak_of(signal));
    let window = analyzer.frame_length();
    let part = (sample_rate / 75.0) as usize;
    let (mut loud, mut voiced, mut count) = (0_u64, 0_u64, 0_u64);
    let (mut decibels, mut frequencies) = (0.0, Vec::new());
    for frame in signal.windows(window).step_by(hop) {
        // As loud as its inner period, as in Praat.
        let middle = window / 2;
        let level = f64::from(peak_of(
            &frame[middle.saturating_sub(part / 2)..(middle + part / 2 + 1).min(window)],
        ));
        if level < SILENCE * loudest || level <= 0.0 {
            continue;
        }
        let found = analyzer.analyze(frame)?;
        loud += 1;
        voiced += u64::from(found.is_voiced);
        if found.frequency > 0.0 {
            count += 1;
            decibels += found.hnr;
            frequencies.push(found.frequency);
        }
    }
    if count == 0 {
        return Ok(Harmonicity::default());
    }
    Ok(Harmonicity {
        hnr: decibels / count as f64,
        frequency: median(&mut frequencies),
        is_voiced: 2 * voiced >= loud,
    })
}

#[cfg(test)]
mod tests;
