//! Partials: a frame's spectrum under a Hann window, its peaks, and the sum over a comb of harmonics.

use super::centred::{CentredSpectrum, ORIGIN, OVERSAMPLING};

/// Partials of a comb.
const TEETH: usize = 12;
/// What a tooth weighs of the one before (D. Hermes, "Measurement of pitch by subharmonic summation", JASA 83, 1988).
const DECAY: f64 = 0.84;

/// A peak of the spectrum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpectralPeak {
    /// In bins of the transform.
    pub(super) bin: f64,
    /// Its magnitude.
    pub(super) magnitude: f64,
}

/// The magnitudes of a frame under a Hann window, on the bins of the transform.
pub(super) struct Comb {
    magnitudes: Vec<f32>,
    /// The same at each local maximum and the bins beside it, 0 elsewhere: the slopes of a peak are no partials.
    crests: Vec<f32>,
}

impl Comb {
    /// The first `bins` of the spectra of such frames.
    pub(super) fn new(spectrum: &CentredSpectrum, bins: usize) -> Self {
        let bins = bins.min(spectrum.bins());
        Self {
            magnitudes: vec![0.0; bins],
            crests: vec![0.0; bins],
        }
    }

    pub(super) fn magnitudes(&self) -> &[f32] {
        &self.magnitudes
    }

    /// Takes the spectrum of a frame. Hann's window is a constant and a cosine: in the spectrum a sum of three bins of the
    /// frame.
    pub(super) fn take(&mut self, spectrum: &CentredSpectrum) {
        let count = self.magnitudes.len();
        let hann = |part: &[f32]| 0.5 * part[OVERSAMPLING] + 0.25 * (part[0] + part[2 * OVERSAMPLING]);
        let inner = ORIGIN - OVERSAMPLING..ORIGIN + OVERSAMPLING + count;
        let real = spectrum.real[inner.clone()].windows(2 * OVERSAMPLING + 1);
        let imaginary = spectrum.imaginary[inner].windows(2 * OVERSAMPLING + 1);
        for ((magnitude, real), imaginary) in self.magnitudes.iter_mut().zip(real).zip(imaginary) {
            let (x, y) = (hann(real), hann(imaginary));
            *magnitude = (x * x + y * y).sqrt();
        }
        // Without branches: in noise they would be taken at random.
        for (crest, around) in self.crests[2..].iter_mut().zip(self.magnitudes.windows(5)) {
            let rises = [
                around[1] > around[0],
                around[2] > around[1],
                around[3] > around[2],
                around[4] > around[3],
            ];
            // A maximum here, or on either side.
            let near = (rises[1] & !rises[2]) | (rises[0] & !rises[1]) | (rises[2] & !rises[3]);
            *crest = if near { around[2] } else { 0.0 };
        }
    }

    /// Writes the largest peaks from the bin `from` on into `found`, in falling order; returns those that there are.
    pub(super) fn peaks<'a>(&self, from: usize, found: &'a mut [SpectralPeak]) -> &'a [SpectralPeak] {
        let m = &self.magnitudes;
        let from = from.max(1);
        let (mut count, mut least) = (0, 0.0);
        for (k, around) in m[from - 1..].windows(3).enumerate() {
            // The least of those found, once there is no room, settles most places.
            if around[1] <= least || around[1] <= around[0] || around[1] < around[2] {
                continue;
            }
            let magnitude = f64::from(around[1]);
            if count == found.len() {
                count -= 1;
            }
            let mut place = count;
            while place > 0 && found[place - 1].magnitude < magnitude {
                found[place] = found[place - 1];
                place -= 1;
            }
            found[place] = SpectralPeak {
                bin: (from + k) as f64 + vertex(m, from + k),
                magnitude,
            };
            count += 1;
            if count == found.len() {
                least = found[count - 1].magnitude as f32;
            }
        }
        &found[..count]
    }

    /// The weighted sum of the magnitudes at the harmonics of `bin`, each the larger of the two bins beside its place.
    pub(super) fn salience(&self, bin: f64) -> f64 {
        let (mut sum, mut weight, mut place) = (0.0, 1.0, bin);
        let end = (self.magnitudes.len() - 1) as f64;
        for _ in 0..TEETH {
            if place >= end {
                break;
            }
            let low = place as usize;
            sum += weight * f64::from(self.crests[low].max(self.crests[low + 1]));
            weight *= DECAY;
            place += bin;
        }
        sum
    }

    /// `bin` by the largest peak near one of its first multiples.
    pub(super) fn sharpened(&self, bin: f64) -> f64 {
        let m = &self.magnitudes;
        let (mut largest, mut sharpened) = (0.0, bin);
        for order in 1..=8 {
            let order = f64::from(order);
            let place = order * bin;
            let slack = (0.02 * place).ceil() + 1.0;
            if place + slack + 2.0 >= m.len() as f64 {
                break;
            }
            for k in (place - slack).max(1.0) as usize..=(place + slack) as usize {
                if m[k] > m[k - 1] && m[k] >= m[k + 1] && m[k] > largest {
                    largest = m[k];
                    sharpened = (k as f64 + vertex(m, k)) / order;
                }
            }
        }
        sharpened
    }
}

/// How far from its middle the largest value of three lies, by a parabola through their logarithms; -1 to 1.
pub(super) fn vertex(magnitudes: &[f32], middle: usize) -> f64 {
    let logarithm = |k: usize| f64::from(magnitudes[k]).max(1e-30).ln();
    let [left, middle, right] = [logarithm(middle - 1), logarithm(middle), logarithm(middle + 1)];
    let bend = left - 2.0 * middle + right;
    if bend < 0.0 {
        (0.5 * (left - right) / bend).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}
