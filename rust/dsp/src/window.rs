//! Windows: sums of up to three cosines, in `f64`, rounded once.

/// A weighting of the samples of one frame.
///
/// With x running from 0 to 1 over the window, each is `a0 - a1 cos(2 pi x) + a2 cos(4 pi x)`. The values are those of
/// F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proc. IEEE 66 (1978),
/// equations 26 to 32 (Hamming and Blackman with the coefficients rounded to two digits, as is usual).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Window {
    /// All ones. The narrowest main lobe (2 bins) and the highest side lobes (-13 dB).
    Rectangular,
    /// 0.5, 0.5. Main lobe 4 bins, side lobes from -31 dB falling by 18 dB an octave.
    #[default]
    Hann,
    /// 0.54, 0.46. Main lobe 4 bins, side lobes at about -42 dB that hardly fall.
    Hamming,
    /// 0.42, 0.5, 0.08. Main lobe 6 bins, side lobes from -58 dB falling by 18 dB an octave.
    Blackman,
}

/// The position of the last sample of a window of N samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// x = n / N: one period of the cosines, so that the sample after the last would equal the first. For spectra.
    #[default]
    Periodic,
    /// x = n / (N - 1): the last sample equals the first. For filter design.
    Symmetric,
}

/// The sums that relate a windowed spectrum to the signal, over the exact (not rounded) coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSums {
    /// The number of samples N.
    pub length: usize,
    /// The sum of the coefficients: the magnitude that a constant signal of 1.0 has in bin 0.
    pub sum: f64,
    /// The sum of the coefficients' squares.
    pub sum_of_squares: f64,
}

impl WindowSums {
    /// The mean coefficient, 1 for the rectangular window.
    pub fn coherent_gain(&self) -> f64 {
        self.sum / self.length as f64
    }

    /// The equivalent noise bandwidth in bins: the width of the ideal filter that passes as much white noise as one bin
    /// does. 1 for the rectangular window, 1.5 for a periodic Hann window.
    pub fn equivalent_noise_bandwidth(&self) -> f64 {
        self.length as f64 * self.sum_of_squares / (self.sum * self.sum)
    }
}

impl Window {
    /// Every window, in the order of the C interface's numbers.
    pub const ALL: [Self; 4] = [Self::Rectangular, Self::Hann, Self::Hamming, Self::Blackman];

    /// The weights a0, a1, a2 of the constant and the two cosines.
    pub const fn cosine_weights(self) -> [f64; 3] {
        match self {
            Self::Rectangular => [1.0, 0.0, 0.0],
            Self::Hann => [0.5, 0.5, 0.0],
            Self::Hamming => [0.54, 0.46, 0.0],
            Self::Blackman => [0.42, 0.5, 0.08],
        }
    }

    /// Half the width of the main lobe in bins: the distance from a sinusoid at which its magnitude first reaches 0 (for
    /// the Hamming window: its first minimum).
    pub const fn main_lobe_half_width(self) -> f64 {
        match self {
            Self::Rectangular => 1.0,
            Self::Hann | Self::Hamming => 2.0,
            Self::Blackman => 3.0,
        }
    }

    /// Coefficient `index` of a window of `length` samples, from 0 to 1. A window of one sample is 1. An `index` past the
    /// end continues the cosines.
    pub fn coefficient(self, symmetry: Symmetry, index: usize, length: usize) -> f64 {
        if length <= 1 {
            return 1.0;
        }
        let period = match symmetry {
            Symmetry::Periodic => length,
            Symmetry::Symmetric => length - 1,
        };
        // The two halves mirror each other exactly when both are computed from the smaller index.
        let index = index % period;
        let index = index.min(period - index);
        let angle = std::f64::consts::TAU * index as f64 / period as f64;
        self.at_cosine(angle.cos())
    }

    /// The coefficient where cos(2 pi x) is `cosine`.
    pub(crate) fn at_cosine(self, cosine: f64) -> f64 {
        let [a0, a1, a2] = self.cosine_weights();
        let cosine_of_double = 2.0 * cosine * cosine - 1.0;
        // Rounding can take the ends of a window that reaches 0 to just below it.
        (a0 - a1 * cosine + a2 * cosine_of_double).max(0.0)
    }

    /// Writes the coefficients of a window as long as `output`, each rounded once from `f64`.
    pub fn fill(self, symmetry: Symmetry, output: &mut [f32]) {
        let length = output.len();
        for (index, coefficient) in output.iter_mut().enumerate() {
            *coefficient = self.coefficient(symmetry, index, length) as f32;
        }
    }

    /// The sums of a window of `length` samples.
    pub fn sums(self, symmetry: Symmetry, length: usize) -> WindowSums {
        let mut sums = WindowSums {
            length,
            sum: 0.0,
            sum_of_squares: 0.0,
        };
        for index in 0..length {
            let coefficient = self.coefficient(symmetry, index, length);
            sums.sum += coefficient;
            sums.sum_of_squares += coefficient * coefficient;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periodic_window_is_a_symmetric_one_without_its_last_sample() {
        for window in Window::ALL {
            let mut periodic = [0.0; 64];
            let mut symmetric = [0.0; 65];
            window.fill(Symmetry::Periodic, &mut periodic);
            window.fill(Symmetry::Symmetric, &mut symmetric);
            assert_eq!(periodic, symmetric[..64], "{window:?}");
            assert_eq!(symmetric[0], symmetric[64], "{window:?}");
        }
    }

    #[test]
    fn mirrored_coefficients_are_equal() {
        for window in Window::ALL {
            for length in [2, 3, 64, 1000] {
                for index in 1..length {
                    let here = window.coefficient(Symmetry::Periodic, index, length);
                    let there = window.coefficient(Symmetry::Periodic, length - index, length);
                    assert_eq!(here, there, "{window:?} {index} of {length}");
                }
            }
        }
    }

    #[test]
    fn coefficients_are_from_0_to_1() {
        for window in Window::ALL {
            for length in 1..300 {
                for index in 0..length {
                    let coefficient = window.coefficient(Symmetry::Symmetric, index, length);
                    let fits = (0.0..=1.0 + 1e-15).contains(&coefficient);
                    assert!(fits, "{window:?} {index} of {length}: {coefficient:e}");
                }
            }
        }
    }

    #[test]
    fn ends_of_hann_and_blackman_are_zero() {
        for window in [Window::Hann, Window::Blackman] {
            assert!(
                window.coefficient(Symmetry::Periodic, 0, 256) < 1e-16,
                "{window:?}"
            );
            assert!(
                window.coefficient(Symmetry::Symmetric, 255, 256) < 1e-16,
                "{window:?}"
            );
        }
        let hamming = Window::Hamming.coefficient(Symmetry::Periodic, 0, 256);
        assert!((hamming - 0.08).abs() < 1e-15);
    }

    #[test]
    fn sums_agree_with_their_closed_forms() {
        for window in Window::ALL {
            let [a0, a1, a2] = window.cosine_weights();
            let sums = window.sums(Symmetry::Periodic, 1024);
            // Over whole periods the cosines cancel, and their squares average to a half.
            let energy = 1024.0 * (a0 * a0 + 0.5 * (a1 * a1 + a2 * a2));
            assert!((sums.coherent_gain() - a0).abs() < 1e-13, "{window:?}");
            assert!((sums.sum_of_squares - energy).abs() < 1e-9, "{window:?}");
        }
        let hann = Window::Hann.sums(Symmetry::Periodic, 4096);
        assert!((hann.equivalent_noise_bandwidth() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn window_of_one_sample_is_one() {
        for window in Window::ALL {
            assert_eq!(window.coefficient(Symmetry::Periodic, 0, 1), 1.0);
            assert_eq!(window.coefficient(Symmetry::Symmetric, 0, 1), 1.0);
        }
    }
}
