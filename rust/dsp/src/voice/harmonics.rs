//! H1-H2: the level difference of the first two harmonics.

use super::{VoiceError, checked_range, checked_rate};
use crate::pitch::{PitchConfiguration, estimator};
use crate::window::Window;
use std::f64::consts::TAU;
use std::ops::{Mul, RangeInclusive};

/// Periods of the fundamental in the window that levels are measured in: its lobe, two bins wide, leaves a neighbour harmonic
/// nothing to add.
const PERIODS: f64 = 8.0;

/// The levels of the first two harmonics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct H1MinusH2 {
    /// H1 less H2 in dB: about 0 or less in a pressed voice, 5 and more in a breathy one.
    pub difference: f64,
    /// The first harmonic's level in dB relative to a full-scale sine.
    pub first: f64,
    /// The second harmonic's.
    pub second: f64,
    /// The fundamental frequency in Hz, of found ones the mean; 0: none was found, and the levels are negative infinity and
    /// their difference 0.
    pub frequency: f64,
}

impl Default for H1MinusH2 {
    fn default() -> Self {
        Self {
            difference: 0.0,
            first: f64::NEG_INFINITY,
            second: f64::NEG_INFINITY,
            frequency: 0.0,
        }
    }
}

/// Powers that are added up.
#[derive(Default)]
struct Powers {
    first: f64,
    second: f64,
    frequency: f64,
    count: f64,
}

impl Powers {
    fn add(&mut self, [first, second]: [f64; 2], frequency: f64) {
        if first.is_finite() && second.is_finite() {
            self.first += first;
            self.second += second;
            self.frequency += frequency;
            self.count += 1.0;
        }
    }

    fn difference(&self) -> H1MinusH2 {
        if self.count == 0.0 || self.first <= 0.0 {
            return H1MinusH2::default();
        }
        let (first, second) = (
            10.0 * (self.first / self.count).log10(),
            10.0 * (self.second / self.count).log10(),
        );
        H1MinusH2 {
            difference: first - second,
            first,
            second,
            frequency: self.frequency / self.count,
        }
    }
}

/// The levels of the first two harmonics of a signal, at `fundamental` Hz or at what is found in `range` in each frame: those of
/// the mean powers over frames of 8 periods, or of as many as the signal has, at least 3, that overlap by half and are voiced.
/// The levels are the sound's own; a formant near a harmonic raises it.
///
/// # Errors
/// [`VoiceError::SampleRate`], [`VoiceError::Range`], [`VoiceError::Fundamental`], [`VoiceError::Pitch`].
pub fn h1_minus_h2(
    sample_rate: f64,
    fundamental: Option<f64>,
    range: RangeInclusive<f64>,
    signal: &[f32],
) -> Result<H1MinusH2, VoiceError> {
    checked_rate(sample_rate)?;
    checked_range(sample_rate, &range)?;
    let mut powers = Powers::default();
    if let Some(f0) = fundamental {
        let limit = 0.25 * sample_rate;
        if !(f0 > 0.0 && f0 <= limit) {
            return Err(VoiceError::Fundamental { limit, got: f0 });
        }
        let window = whole(PERIODS, sample_rate / f0, signal.len());
        if window == 0 {
            return Ok(H1MinusH2::default());
        }
        for frame in signal.windows(window).step_by((window / 2).max(1)) {
            let turns = f0 / sample_rate;
            powers.add(harmonic_powers(frame, turns), f0);
        }
        return Ok(powers.difference());
    }
    let mut pitch = estimator(&PitchConfiguration::one_voice(sample_rate, range.clone()))?;
    let length = pitch.frame_length();
    for start in (0..(signal.len() + 1).saturating_sub(length)).step_by(length / 2) {
        let estimate = pitch.estimate(&signal[start..start + length])?;
        if !estimate.is_voiced() {
            continue;
        }
        // Of the frame's middle, as many periods as there are around it.
        let window = whole(PERIODS, sample_rate / estimate.frequency, signal.len());
        if window == 0 {
            continue;
        }
        let first = (start + length / 2)
            .saturating_sub(window / 2)
            .min(signal.len() - window);
        let frame = &signal[first..first + window];
        let turns = estimate.frequency / sample_rate;
        powers.add(harmonic_powers(frame, turns), estimate.frequency);
    }
    Ok(powers.difference())
}

/// `count` periods in samples, or the most whole ones that `length` samples hold, or 0.
fn whole(count: f64, period: f64, length: usize) -> usize {
    let held = (length as f64 / period).floor().min(count);
    if held < 3.0 {
        0
    } else {
        (held * period).round() as usize
    }
}

/// The mean powers of a frame's sines at `turns` per sample and at twice as many, relative to those of amplitude 1.
///
/// Angles grow by the same from sample to sample: one turn of a complex number follows from another, and its square is that of the
/// second harmonic. Rounding leaves 1e-12 of it over the longest frame.
fn harmonic_powers(frame: &[f32], turns: f64) -> [f64; 2] {
    let step = Complex::of_angle(TAU * turns);
    let window_step = Complex::of_angle(TAU / frame.len() as f64);
    let (mut turn, mut window) = (Complex::ONE, Complex::ONE);
    let (mut sums, mut weights) = ([Complex::default(); 2], 0.0);
    for &x in frame {
        let weight = Window::Hann.at_cosine(window.re);
        let x = weight * f64::from(x);
        for (sum, turn) in sums.iter_mut().zip([turn, turn * turn]) {
            *sum = Complex {
                re: sum.re + x * turn.re,
                im: sum.im + x * turn.im,
            };
        }
        weights += weight;
        turn = turn * step;
        window = window * window_step;
    }
    sums.map(|sum| 4.0 * (sum.re * sum.re + sum.im * sum.im) / (weights * weights))
}

/// A complex number.
#[derive(Clone, Copy, Default)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    const ONE: Self = Self { re: 1.0, im: 0.0 };

    fn of_angle(angle: f64) -> Self {
        let (im, re) = angle.sin_cos();
        Self { re, im }
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[cfg(test)]
mod tests;
