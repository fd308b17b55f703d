//! Voice: formants, noise, harmonics, the steadiness of periods, and all of it along a signal.
//!
//! - [`FormantAnalyzer`], [`extract_formants`]: the resonances of the vocal tract.
//! - [`analyze_spectrum`], [`SpectrumAnalyzer`]: centroid, rolloff and tilt.
//! - [`HarmonicityAnalyzer`], [`harmonicity`]: harmonics-to-noise ratio.
//! - [`h1_minus_h2`]: H1-H2, the first harmonic's level over the second's.
//! - [`perturbation`]: jitter and shimmer.
//! - [`VoiceAnalyzer`], [`analyze`]: pitch and the above, frame by frame, and in sum.
//!
//! Signals are `f32` with full scale at 1.0, of any length. Frequencies are in hertz, 0 where there is none.
//!
//! ```
//! # fn main() -> Result<(), rustle_dsp::voice::VoiceError> {
//! use rustle_dsp::voice::{VoiceConfiguration, analyze};
//! let tone: Vec<f32> = (0..48_000)
//!     .map(|n| (std::f32::consts::TAU * (220 * n % 48_000) as f32 / 48_000.0).sin())
//!     .collect();
//! let (frames, summary) = analyze(&VoiceConfiguration::new(48_000.0), &tone)?;
//! assert_eq!(summary.voiced, frames.len() as u64);
//! assert!((summary.mean_pitch - 220.0).abs() < 0.1 && summary.perturbation.jitter < 1e-3);
//! # Ok(())
//! # }
//! ```

mod analyzer;
mod correlation;
mod error;
mod features;
mod formants;
mod harmonicity;
mod harmonics;
mod marks;
mod periods;
mod perturbation;
mod prediction;
mod repetition;
mod resample;
mod roots;
mod summary;
mod sums;

pub use analyzer::{VoiceAnalyzer, VoiceConfiguration, VoiceFrame, analyze};
pub use error::VoiceError;
pub use features::{SpectrumAnalyzer, SpectrumFeatures, analyze_spectrum};
pub use formants::{
    FORMANTS, Formant, FormantAnalyzer, FormantConfiguration, FormantMethod, Formants, extract_formants,
};
pub use harmonicity::{Harmonicity, HarmonicityAnalyzer, VOICED_LIKENESS, harmonicity};
pub use harmonics::{H1MinusH2, h1_minus_h2};
pub use periods::perturbation;
pub use perturbation::Perturbation;
pub use summary::VoiceSummary;

use std::ops::RangeInclusive;

/// Sample rates, in Hz.
pub const SAMPLE_RATES: RangeInclusive<f64> = 8000.0..=192_000.0;
/// The limits of a range of voices, in Hz.
pub const FREQUENCIES: RangeInclusive<f64> = 40.0..=2000.0;
/// Formant ceilings, in Hz.
pub const CEILINGS: RangeInclusive<f64> = 3000.0..=8000.0;
/// Orders of linear prediction.
pub const ORDERS: RangeInclusive<usize> = 4..=32;
/// Effective lengths of the window that formants are found in, in seconds.
pub const LENGTHS: RangeInclusive<f64> = 0.01..=0.1;

/// Checks a sample rate.
fn checked_rate(sample_rate: f64) -> Result<(), VoiceError> {
    if SAMPLE_RATES.contains(&sample_rate) {
        Ok(())
    } else {
        Err(VoiceError::SampleRate { got: sample_rate })
    }
}

/// Checks a range of voices at a sample rate that has been checked.
fn checked_range(sample_rate: f64, range: &RangeInclusive<f64>) -> Result<(), VoiceError> {
    let (lowest, highest) = (*range.start(), *range.end());
    let inside = FREQUENCIES.contains(&lowest) && FREQUENCIES.contains(&highest);
    if inside && lowest < highest && highest < 0.25 * sample_rate {
        Ok(())
    } else {
        Err(VoiceError::Range { lowest, highest })
    }
}

/// The window of Praat's analyses (P. Boersma and D. Weenink), at `index` of `length`: e^(-12 x^2), x from -1 to 1 over the
/// whole, less its value at the ends. As long as a Hann window of half its length counts.
fn gaussian(index: usize, length: usize) -> f64 {
    let place = (index as f64 + 0.5 - 0.5 * length as f64) / (0.5 * length as f64 + 0.5);
    let edge = (-12.0_f64).exp();
    ((-12.0 * place * place).exp() - edge) / (1.0 - edge)
}

/// The median of numbers that have an order, which are put into another; 0 of none.
fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let (middle, odd) = (values.len() / 2, values.len() % 2 == 1);
    let (below, &mut value, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd {
        return value;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    0.5 * (lower + value)
}
