//! The spectrum of one frame with time counted from its middle, at and between the bins.

use super::configuration::Measured;
use super::error::PitchError;
use super::sums::{LANES, total};
use crate::bessel::bessel_i0;
use crate::spectrum::{Normalization, SpectrumPlan};
use crate::window::{Symmetry, Window};
use std::f64::consts::PI;

/// Bins that contribute to a value between two of them.
const TAPS: usize = 24;
/// The index of bin 0 in the parts of a spectrum; as many bins precede and follow, so that every value has its taps.
pub(super) const ORIGIN: usize = TAPS;
/// Bins of the transform to one of the frame.
pub(super) const OVERSAMPLING: usize = 2;
/// Rows of the interpolation's table to a bin.
const ROWS: usize = 128;
/// Rows from one place of a difference to the next: a 64th of a bin.
const SPREAD: usize = 2;

/// The Fourier transform of a frame's samples without a window, X(w) = sum of x(t) e^(-i w t) with t = 0 in the middle.
///
/// A frame of N samples is taken as N - 1 samples around sample N/2, its first left out: their times are symmetric, so that
/// cosines and sines are orthogonal to each other. It is transformed with as many zeros behind; between the bins the
/// transform is a sum over the nearest [`TAPS`], weighted by a sinc under a Kaiser window. Samples that fill at most half of
/// the transform leave that sum an error of 1e-7 of the largest bin nearby.
pub(super) struct CentredSpectrum {
    plan: SpectrumPlan,
    table: Vec<[[f32; TAPS]; 4]>,
    padded: Vec<f32>,
    bins: Vec<f32>,
    scratch: Vec<f32>,
    /// The real parts, from ORIGIN bins before bin 0 to as many after the last.
    pub(super) real: Vec<f32>,
    /// The imaginary parts, likewise.
    pub(super) imaginary: Vec<f32>,
    window: usize,
    /// The sum of the samples' squares.
    pub(super) energy: f64,
}

/// The transform at one frequency, and its derivative by the frequency in bins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Value {
    pub(super) real: f64,
    pub(super) imaginary: f64,
    pub(super) real_slope: f64,
    pub(super) imaginary_slope: f64,
}

impl CentredSpectrum {
    /// Makes the transform of frames of `window` samples, a power of two.
    pub(super) fn new(window: usize) -> Result<Self, PitchError> {
        let size = OVERSAMPLING * window;
        let plan = SpectrumPlan::new(size, Window::Rectangular, Symmetry::Periodic, Normalization::None)?;
        let length = plan.bins() + 2 * ORIGIN;
        Ok(Self {
            table: table(),
            padded: vec![0.0; size],
            bins: vec![0.0; 2 * plan.bins()],
            scratch: vec![0.0; plan.scratch_len()],
            real: vec![0.0; length],
            imaginary: vec![0.0; length],
            plan,
            window,
            energy: 0.0,
        })
    }

    /// The number of samples in the transform, zeros included.
    pub(super) fn size(&self) -> usize {
        self.plan.size()
    }

    /// The number of bins from 0 to half the sample rate.
    pub(super) fn bins(&self) -> usize {
        self.plan.bins()
    }

    /// The number of samples of the frame that are in the transform.
    pub(super) fn length(&self) -> usize {
        self.window - 1
    }

    /// Takes a frame, less its mean.
    #[inline(always)]
    pub(super) fn take(&mut self, measured: &Measured<'_>) -> Result<(), PitchError> {
        let &Measured { frame, mean, .. } = measured;
        let half = self.window / 2;
        let size = self.size();
        let (front, back) = frame[1..].split_at(half - 1);
        for (to, from) in self.padded[..half].iter_mut().zip(back) {
            *to = from - mean;
        }
        for (to, from) in self.padded[size - (half - 1)..].iter_mut().zip(front) {
            *to = from - mean;
        }
        self.energy = measured.energy;
        self.plan
            .complex(&self.padded, &mut self.bins, &mut self.scratch)?;
        let count = self.bins();
        let inner = ORIGIN..ORIGIN + count;
        let parts = self.real[inner.clone()]
            .iter_mut()
            .zip(&mut self.imaginary[inner]);
        for ((real, imaginary), bin) in parts.zip(self.bins.chunks_exact(2)) {
            *real = bin[0];
            *imaginary = bin[1];
        }
        // Samples that are real mirror their bins at 0 and at half the sample rate.
        let last = ORIGIN + count - 1;
        for k in 1..=ORIGIN {
            self.real[ORIGIN - k] = self.real[ORIGIN + k];
            self.imaginary[ORIGIN - k] = -self.imaginary[ORIGIN + k];
            self.real[last + k] = self.real[last - k];
            self.imaginary[last + k] = -self.imaginary[last - k];
        }
        Ok(())
    }

    /// The transform at `bin`, from 0 to the last.
    #[inline(always)]
    pub(super) fn at(&self, bin: f64) -> Value {
        let whole = bin.floor();
        let row = ((bin - whole) * ROWS as f64).round();
        let e = (bin - whole - row / ROWS as f64) as f32;
        let [c0, c1, c2, c3] = &self.table[row as usize];
        let first = ORIGIN + whole as usize + 1 - TAPS / 2;
        let real = &self.real[first..][..TAPS];
        let imaginary = &self.imaginary[first..][..TAPS];
        let parts = |values| <[f32]>::as_chunks::<LANES>(values).0;
        let mut sums = [[0.0; LANES]; 4];
        for part in 0..TAPS / LANES {
            let [c0, c1, c2, c3] = [c0, c1, c2, c3].map(|row| parts(row)[part]);
            let [x, y] = [real, imaginary].map(|values| parts(values)[part]);
            let (mut weights, mut slopes) = ([0.0; LANES], [0.0; LANES]);
            for j in 0..LANES {
                weights[j] = c0[j] + e * (c1[j] + e * (c2[j] + e * c3[j]));
                slopes[j] = c1[j] + e * (2.0 * c2[j] + e * (3.0 * c3[j]));
            }
            for j in 0..LANES {
                sums[0][j] += weights[j] * x[j];
                sums[1][j] += weights[j] * y[j];
                sums[2][j] += slopes[j] * x[j];
                sums[3][j] += slopes[j] * y[j];
            }
        }
        let [real, imaginary, real_slope, imaginary_slope] = sums.map(total);
        Value {
            real,
            imaginary,
            real_slope,
            imaginary_slope,
        }
    }
}

/// For each place between two bins the weights of the taps around it as cubic polynomials.
fn table() -> Vec<[[f32; TAPS]; 4]> {
    // The Kaiser window's transform has to vanish where the samples' images begin, a quarter of the transform away.
    let beta = PI * TAPS as f64 / 4.0;
    let weight = |x: f64| {
        let inside = 1.0 - (2.0 * x / TAPS as f64).powi(2);
        if inside <= 0.0 {
            return 0.0;
        }
        let sinc = if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        sinc * bessel_i0(beta * inside.sqrt()) / bessel_i0(beta)
    };
    // From the first place that a difference needs to the last, at the rows' distance.
    let margin = 3 * SPREAD;
    let places = TAPS * ROWS / 2 + margin;
    let side: Vec<f64> = (0..=places).map(|k| weight(k as f64 / ROWS as f64)).collect();
    let at = |place: isize| side[place.unsigned_abs()];
    (0..=ROWS)
        .map(|row| {
            let mut polynomials = [[0.0; TAPS]; 4];
            for j in 0..TAPS {
                let place = (row + (TAPS / 2 - 1) * ROWS) as isize - (j * ROWS) as isize;
                let derivatives = derivatives(at, place);
                for (polynomial, value) in polynomials.iter_mut().zip(derivatives) {
                    polynomial[j] = value as f32;
                }
            }
            polynomials
        })
        .collect()
}

/// The Taylor coefficients at a place to the third, for a step of a bin, of a function on places [`ROWS`] to a bin, by central
/// differences.
fn derivatives(at: impl Fn(isize) -> f64, place: isize) -> [f64; 4] {
    let h = SPREAD as f64 / ROWS as f64;
    let [a3, a2, a1, o, b1, b2, b3] = [-3, -2, -1, 0, 1, 2, 3].map(|k| at(place + k * SPREAD as isize));
    [
        o,
        ((b1 - a1) * 45.0 - (b2 - a2) * 9.0 + (b3 - a3)) / (60.0 * h),
        ((a1 + b1) * 270.0 - (a2 + b2) * 27.0 + (a3 + b3) * 2.0 - 490.0 * o) / (180.0 * h * h) / 2.0,
        ((a1 - b1) * 13.0 - (a2 - b2) * 8.0 + (a3 - b3)) / (8.0 * h * h * h) / 6.0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_testkit::noise;
    use std::f64::consts::TAU;

    /// The sum itself, and its derivative.
    fn direct(frame: &[f32], mean: f32, bin: f64) -> [f64; 4] {
        let size = (OVERSAMPLING * frame.len()) as f64;
        let mut sums = [0.0; 4];
        for (n, &x) in frame.iter().enumerate().skip(1) {
            let t = n as f64 - (frame.len() / 2) as f64;
            let (sin, cos) = (TAU * bin * t / size).sin_cos();
            let x = f64::from(x - mean);
            let step = TAU * t / size;
            for (sum, term) in sums
                .iter_mut()
                .zip([x * cos, -x * sin, -x * step * sin, -x * step * cos])
            {
                *sum += term;
            }
        }
        sums
    }

    #[test]
    fn values_between_the_bins_are_those_of_the_sum() {
        let mut spectrum = CentredSpectrum::new(512).expect("a window");
        let frame = noise(3, 512);
        let measured = Measured::new(&frame);
        spectrum.take(&measured).expect("a frame");
        // The largest of the values nearby, about.
        let scale = spectrum.energy.sqrt();
        for step in 0..2000 {
            let bin = f64::from(step) * 0.256;
            let value = spectrum.at(bin);
            let found = [
                value.real,
                value.imaginary,
                value.real_slope,
                value.imaginary_slope,
            ];
            for (found, expected) in found.into_iter().zip(direct(&frame, measured.mean, bin)) {
                let error = (found - expected).abs() / scale;
                assert!(error < 2e-6, "bin {bin}: {found}, {expected}");
            }
        }
        let energy: f64 = frame[1..]
            .iter()
            .map(|x| f64::from(x - measured.mean).powi(2))
            .sum();
        assert!((spectrum.energy / energy - 1.0).abs() < 1e-12);
    }
}
