//! The sinusoids in a magnitude spectrum, between the bins.

mod lobe;

use crate::error::DspError;
use crate::fft::is_size;
use crate::window::Window;
use lobe::Lobe;

/// A sinusoid in a spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// Its place in bins, between 0.5 and N/2 - 0.5.
    pub bin: f64,
    /// Its frequency in Hz.
    pub frequency: f64,
    /// Its amplitude: 1.0 for a full-scale sine.
    pub amplitude: f64,
}

/// The parameters of [`find_peaks`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeakSearch {
    /// The periodic window that the spectrum was made with.
    pub window: Window,
    /// The sample rate of the signal in Hz, finite and above 0.
    pub sample_rate: f64,
    /// The least amplitude of a peak, linear, at least 0.
    pub threshold: f64,
    /// The least distance between two peaks in bins, at least 0. Half the width of the window's main lobe is the least in
    /// any case: within it, two sinusoids are one maximum.
    pub separation: f64,
}

impl PeakSearch {
    /// A search for peaks of any amplitude, as near to each other as the window can separate.
    pub fn new(window: Window, sample_rate: f64) -> Self {
        Self {
            window,
            sample_rate,
            threshold: 0.0,
            separation: 0.0,
        }
    }

    fn check(&self) -> Result<(), DspError> {
        if !(self.sample_rate.is_finite() && self.sample_rate > 0.0) {
            return Err(DspError::SampleRate {
                got: self.sample_rate,
            });
        }
        if self.threshold.is_nan() || self.threshold < 0.0 {
            return Err(DspError::Threshold { got: self.threshold });
        }
        if !(self.separation.is_finite() && self.separation >= 0.0) {
            return Err(DspError::Separation { got: self.separation });
        }
        Ok(())
    }
}

/// The factor by which a maximum must exceed the leakage of stronger sinusoids. Side lobes of a steady sinusoid reach their
/// envelope and no more; 1.5 (3.5 dB) leaves room for two that add up.
const LEAKAGE_MARGIN: f64 = 1.5;

/// Finds the sinusoids in `amplitudes`: N/2 + 1 magnitudes with [`Normalization::Amplitude`](crate::Normalization), of one frame
/// or the root of the mean power of many. Writes them into `peaks`, the strongest first, until it is full, and returns their
/// number.
///
/// A peak is a local maximum that is not a side lobe of a stronger peak. Its place between the bins follows from the ratio
/// of the maximum to its larger neighbour, which for one steady sinusoid is exactly that of the window's transform at two
/// places one bin apart. In clean signals the error is below 1e-4 bins once the frequency is 10 bins or more away from 0
/// and from half the sample rate, and 20 from other sinusoids of its strength (Hann, Blackman); the rectangular and the
/// Hamming window leak more.
///
/// A constant part is not a peak, and neither is a bin that is NaN or infinite. Allocates a list of the local maxima.
///
/// # Errors
/// [`DspError::SpectrumLength`], [`DspError::SampleRate`], [`DspError::Threshold`], [`DspError::Separation`].
pub fn find_peaks(amplitudes: &[f32], search: &PeakSearch, peaks: &mut [Peak]) -> Result<usize, DspError> {
    let size = amplitudes.len().saturating_sub(1) * 2;
    if !is_size(size) || amplitudes.len() != size / 2 + 1 {
        return Err(DspError::SpectrumLength {
            got: amplitudes.len(),
        });
    }
    search.check()?;
    let lobe = Lobe::new(search.window, size);
    let separation = search.separation.max(search.window.main_lobe_half_width());

    let mut maxima = local_maxima(amplitudes);
    maxima.sort_unstable_by(|a, b| b.height.total_cmp(&a.height));
    let mut count = 0;
    for maximum in maxima {
        if count == peaks.len() {
            break;
        }
        let peak = maximum.interpolate(&lobe, search.sample_rate / size as f64);
        if peak.amplitude < search.threshold {
            continue;
        }
        let stronger = &peaks[..count];
        if stronger.iter().any(|s| (s.bin - peak.bin).abs() < separation) {
            continue;
        }
        let leakage: f64 = stronger
            .iter()
            .map(|s| s.amplitude * lobe.leakage(maximum.bin as f64, s.bin))
            .sum();
        if maximum.height > LEAKAGE_MARGIN * leakage {
            peaks[count] = peak;
            count += 1;
        }
    }
    // The order of the maxima is that of their bins; between the bins it can change.
    peaks[..count].sort_unstable_by(|a, b| b.amplitude.total_cmp(&a.amplitude));
    Ok(count)
}

/// A bin above its neighbours.
struct Maximum {
    bin: usize,
    height: f64,
    below: f64,
    above: f64,
}

impl Maximum {
    fn interpolate(&self, lobe: &Lobe, bin_width: f64) -> Peak {
        let (neighbour, side) = if self.above >= self.below {
            (self.above, 1.0)
        } else {
            (self.below, -1.0)
        };
        let offset = lobe.offset(neighbour / self.height);
        let bin = self.bin as f64 + side * offset;
        Peak {
            bin,
            frequency: bin * bin_width,
            amplitude: self.height / lobe.height(offset),
        }
    }
}

/// The finite bins that are above the one before and not below the one after, without bin 0 and bin N/2.
fn local_maxima(amplitudes: &[f32]) -> Vec<Maximum> {
    let last = amplitudes.len() - 1;
    let value = |bin: usize| {
        // The edge bins hold half of what a bin between them would hold for the same transform. Compared as they are,
        // the flank of a constant part would stand above its top.
        let factor = if bin == 0 || bin == last { 2.0 } else { 1.0 };
        factor * f64::from(amplitudes[bin])
    };
    (1..last)
        .map(|bin| Maximum {
            bin,
            height: value(bin),
            below: value(bin - 1),
            above: value(bin + 1),
        })
        .filter(|m| m.height.is_finite() && m.height > m.below && m.height >= m.above)
        .collect()
}

#[cfg(test)]
mod tests;
