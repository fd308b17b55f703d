//! The transform of a periodic cosine-sum window, at places between the bins.
//!
//! Derivation. For a window w(n) = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), n = 0 ..= N - 1, a complex exponential of
//! frequency f bins and amplitude 1 has in bin k the value W(k - f), where
//!
//! W(x) = a0 D(x) - a1/2 (D(x-1) + D(x+1)) + a2/2 (D(x-2) + D(x+2)), D(x) = sum over n of e^(-2 pi i n x / N).
//!
//! With t = pi x / N and s = pi / N the geometric sum is D(x + j) = e^(-i pi x) sin(pi x) (cot(t + j s) + i), since
//! (1 - e^(-2 i pi x)) / (1 - e^(-2 i (t + j s))) = e^(-i pi x) sin(pi x) e^(i (t + j s)) / sin(t + j s). Hence
//!
//! |W(x)| = |sin(pi x)| sqrt(C(x)^2 + w(0)^2),
//! C(x) = a0 cot t - a1/2 (cot(t-s) + cot(t+s)) + a2/2 (cot(t-2s) + cot(t+2s)), w(0) = a0 - a1 + a2.
//!
//! This is exact for every N. On the main lobe |W| falls with |x|, so for a sinusoid d bins above bin k, d in 0 ..= 1/2,
//! the ratio |W(1-d)| / |W(d)| of bin k+1 to bin k rises with d, to 1 at d = 1/2: bisection inverts it.

use crate::window::Window;
use std::f64::consts::PI;

/// The magnitude of a window's transform relative to its middle.
pub(super) struct Lobe {
    weights: [f64; 3],
    /// w(0), the weights' alternating sum.
    start: f64,
    /// N.
    size: f64,
}

impl Lobe {
    /// The transform of the periodic `window` of `size` samples.
    pub(super) fn new(window: Window, size: usize) -> Self {
        let weights = window.cosine_weights();
        // Exactly 0 for Hann; where it is 0 by definition, rounding must not leave a rest.
        let start = window.coefficient(crate::window::Symmetry::Periodic, 0, size);
        Self {
            weights,
            start: if start < 1e-12 { 0.0 } else { start },
            size: size as f64,
        }
    }

    /// |W(x)| / W(0): what a sinusoid of amplitude 1 reads `x` bins away from its frequency, for x from 0 to 1.
    pub(super) fn height(&self, x: f64) -> f64 {
        let [a0, a1, _] = self.weights;
        // At whole bins the formula is 0 times infinity; the sums of whole periods are the weights themselves.
        if x < 1e-9 {
            return 1.0;
        }
        if x > 1.0 - 1e-9 {
            return 0.5 * a1 / a0;
        }
        (PI * x).sin() * self.envelope(x)
    }

    /// The distance from the maximum's bin towards its larger neighbour, 0 to 0.5 bins, for the ratio of the neighbour to
    /// the maximum. A ratio that no single sinusoid can have gives the nearer end.
    pub(super) fn offset(&self, ratio: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.5);
        // 0.5 / 2^40 bins is far below what single precision input can carry.
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.height(1.0 - middle) < ratio * self.height(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The most that a real sinusoid of amplitude 1 at `source` bins, and its mirror image at minus `source`, can read at
    /// `bin`, which must be outside the main lobe.
    pub(super) fn leakage(&self, bin: f64, source: f64) -> f64 {
        self.envelope(bin - source) + self.envelope(bin + source)
    }

    /// |W(x)| / W(0) without the factor |sin(pi x)|.
    fn envelope(&self, x: f64) -> f64 {
        let [a0, a1, a2] = self.weights;
        let cot = |j: f64| 1.0 / (PI * (x + j) / self.size).tan();
        let mut sum = a0 * cot(0.0);
        if a1 != 0.0 {
            sum -= 0.5 * a1 * (cot(-1.0) + cot(1.0));
        }
        if a2 != 0.0 {
            sum += 0.5 * a2 * (cot(-2.0) + cot(2.0));
        }
        sum.hypot(self.start) / (a0 * self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Symmetry;

    /// |sum over n of w(n) e^(-2 pi i n x / N)| / W(0).
    fn by_definition(window: Window, size: usize, x: f64) -> f64 {
        let (mut re, mut im) = (0.0, 0.0);
        for n in 0..size {
            let weight = window.coefficient(Symmetry::Periodic, n, size);
            let angle = 2.0 * PI * n as f64 * x / size as f64;
            re += weight * angle.cos();
            im -= weight * angle.sin();
        }
        re.hypot(im) / window.sums(Symmetry::Periodic, size).sum
    }

    #[test]
    fn height_is_that_of_the_windows_transform() {
        for window in Window::ALL {
            let lobe = Lobe::new(window, 64);
            for x in [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0] {
                let (height, expected) = (lobe.height(x), by_definition(window, 64, x));
                assert!(
                    (height - expected).abs() < 1e-12,
                    "{window:?} at {x}: {height} {expected}"
                );
            }
        }
    }

    #[test]
    fn side_lobes_stay_below_the_leakage() {
        for window in Window::ALL {
            let lobe = Lobe::new(window, 64);
            let mut x = window.main_lobe_half_width() + 0.25;
            while x < 32.0 {
                let (leakage, actual) = (lobe.envelope(x), by_definition(window, 64, x));
                assert!(actual <= leakage * (1.0 + 1e-9) + 1e-15, "{window:?} at {x}");
                let turn = (PI * x).sin().abs();
                assert!((actual - leakage * turn).abs() < 1e-13, "{window:?} at {x}");
                x += 0.25;
            }
        }
    }

    #[test]
    fn offset_inverts_the_ratio() {
        for window in Window::ALL {
            let lobe = Lobe::new(window, 4096);
            for offset in [0.001, 0.1, 0.25, 0.333, 0.4999] {
                let ratio = lobe.height(1.0 - offset) / lobe.height(offset);
                assert!((lobe.offset(ratio) - offset).abs() < 1e-9, "{window:?} {offset}");
            }
            assert!(lobe.offset(0.0) < 1e-9, "{window:?}: too small a ratio");
            assert!(lobe.offset(1.5) > 0.5 - 1e-9, "{window:?}: too large a ratio");
        }
    }
}
