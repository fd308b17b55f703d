//! The shape of a spectrum in three numbers.

use super::{VoiceError, checked_rate};
use crate::spectrum::{Normalization, SpectrumPlan};
use crate::window::{Symmetry, Window};

/// The part of the energy below the rolloff.
const ROLLOFF: f64 = 0.95;
/// The range of the bands of the tilt, in Hz; the end at most 0.45 of the sample rate. Lower there are hum and wind, and few
/// bins.
const TILT_BAND: (f64, f64) = (100.0, 8000.0);
/// The length of a frame in seconds, rounded up to a power of two of samples: bins of less than 25 Hz.
const FRAME: f64 = 0.04;

/// The shape of a spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpectrumFeatures {
    /// The mean frequency, each with its power as its weight, in Hz; 0 of silence.
    pub centroid: f64,
    /// The frequency below which 95 % of the energy are, in Hz; 0 of silence.
    pub rolloff: f64,
    /// The slope of the straight line through the levels of thirds of an octave in dB, by least squares with the same weight
    /// for each, from 100 Hz to 8 kHz or 0.45 of the sample rate, in dB per octave. A level is that of the mean power per
    /// hertz: white noise has 0, pink noise -3. Thirds without a bin and without power are left out; 0 of fewer than three.
    pub tilt: f64,
}

/// Measures spectra of frames, one at a time or the mean of many. Nothing is allocated after construction.
pub struct SpectrumAnalyzer {
    plan: SpectrumPlan,
    sample_rate: f64,
    window: Vec<f32>,
    frame: Vec<f32>,
    power: Vec<f32>,
    sum: Vec<f64>,
    scratch: Vec<f32>,
}

impl SpectrumAnalyzer {
    /// # Errors
    /// [`VoiceError::SampleRate`]; and what [`InstructionSet::preferred`](crate::InstructionSet::preferred) returns.
    pub fn new(sample_rate: f64) -> Result<Self, VoiceError> {
        checked_rate(sample_rate)?;
        let size = ((FRAME * sample_rate).ceil() as usize).next_power_of_two();
        let plan = SpectrumPlan::new(size, Window::Hann, Symmetry::Periodic, Normalization::None)?;
        let mut window = vec![0.0; size];
        Window::Hann.fill(Symmetry::Periodic, &mut window);
        Ok(Self {
            window,
            frame: vec![0.0; size],
            power: vec![0.0; plan.bins()],
            sum: vec![0.0; plan.bins()],
            scratch: vec![0.0; plan.scratch_len()],
            plan,
            sample_rate,
        })
    }

    /// The samples of a frame, a power of two.
    pub fn frame_length(&self) -> usize {
        self.plan.size()
    }

    /// Adds a frame of [`frame_length`](Self::frame_length) samples, less its mean, to the mean of frames. One with a sample that is NaN or
    /// infinite is left out.
    ///
    /// # Errors
    /// [`VoiceError::FrameLength`].
    pub fn add(&mut self, frame: &[f32]) -> Result<(), VoiceError> {
        let (expected, got) = (self.frame_length(), frame.len());
        if got != expected {
            return Err(VoiceError::FrameLength { expected, got });
        }
        self.add_part(0, frame)
    }

    /// Adds a frame with `part` from sample `first` on and silence around. A constant is taken away from the part, so that
    /// nothing is left of it under the window: its lobe there would outweigh a voice in the bins around 0 Hz.
    fn add_part(&mut self, first: usize, part: &[f32]) -> Result<(), VoiceError> {
        let weights = &self.window[first..first + part.len()];
        let (mut sum, mut weight, mut peak) = (0.0, 0.0, 0.0_f64);
        for (&x, &w) in part.iter().zip(weights) {
            sum += f64::from(w) * f64::from(x);
            weight += f64::from(w);
        }
        let mean = if weight > 0.0 { sum / weight } else { 0.0 };
        self.frame.fill(0.0);
        for (sample, &x) in self.frame[first..].iter_mut().zip(part) {
            let difference = f64::from(x) - mean;
            peak = peak.max(difference.abs());
            *sample = difference as f32;
        }
        // The rest of a constant is rounding.
        if peak < 1e-7 * mean.abs() {
            return Ok(());
        }
        self.plan.power(&self.frame, &mut self.power, &mut self.scratch)?;
        if self.power.iter().all(|power| power.is_finite()) {
            for (sum, &power) in self.sum.iter_mut().zip(&self.power) {
                *sum += f64::from(power);
            }
        }
        Ok(())
    }

    /// The shape of the mean of the frames since the beginning, or since [`reset`](Self::reset).
    pub fn features(&self) -> SpectrumFeatures {
        let width = self.sample_rate / self.plan.size() as f64;
        let energy: f64 = self.sum.iter().sum();
        if energy <= 0.0 {
            return SpectrumFeatures::default();
        }
        let moment: f64 = self
            .sum
            .iter()
            .enumerate()
            .map(|(k, power)| k as f64 * power)
            .sum();
        let mut below = 0.0;
        let mut rolloff = self.sum.len() as f64 - 1.0;
        for (k, power) in self.sum.iter().enumerate() {
            if below + power >= ROLLOFF * energy {
                // A bin's energy is spread evenly over the bin.
                rolloff = (k as f64 - 0.5 + (ROLLOFF * energy - below) / power).max(0.0);
                break;
            }
            below += power;
        }
        SpectrumFeatures {
            centroid: moment / energy * width,
            rolloff: rolloff * width,
            tilt: self.tilt(width),
        }
    }

    fn tilt(&self, width: f64) -> f64 {
        let highest = TILT_BAND.1.min(0.45 * self.sample_rate);
        let (mut count, mut xs, mut ys, mut squares, mut products) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let mut band = 0;
        loop {
            let low = TILT_BAND.0 * 2.0_f64.powf(f64::from(band) / 3.0);
            let high = low * 2.0_f64.powf(1.0 / 3.0);
            if high > highest {
                break;
            }
            band += 1;
            let bins = (low / width).ceil() as usize..(high / width).ceil() as usize;
            if bins.is_empty() {
                continue;
            }
            let mean = self.sum[bins.clone()].iter().sum::<f64>() / bins.len() as f64;
            if mean > 0.0 {
                let (x, y) = ((low * high).sqrt().log2(), 10.0 * mean.log10());
                count += 1.0;
                xs += x;
                ys += y;
                squares += x * x;
                products += x * y;
            }
        }
        let spread = count * squares - xs * xs;
        if count < 3.0 {
            0.0
        } else {
            (count * products - xs * ys) / spread
        }
    }

    /// Resets the mean.
    pub fn reset(&mut self) {
        self.sum.fill(0.0);
    }
}

/// The shape of a signal's spectrum: of the mean power of frames of at least 40 ms that overlap by half. One that is shorter is
/// continued with silence.
///
/// # Errors
/// As [`SpectrumAnalyzer::new`].
pub fn analyze_spectrum(sample_rate: f64, signal: &[f32]) -> Result<SpectrumFeatures, VoiceError> {
    let mut analyzer = SpectrumAnalyzer::new(sample_rate)?;
    let window = analyzer.frame_length();
    if signal.len() < window {
        analyzer.add_part((window - signal.len()) / 2, signal)?;
    }
    for frame in signal.windows(window).step_by(window / 2) {
        analyzer.add(frame)?;
    }
    Ok(analyzer.features())
}

#[cfg(test)]
mod tests;
