//! The normal equations of a fit: how a tone's amplitudes, frequency and inharmonicity follow from sums over the frame.

use super::step::{Step, moves};
use super::{EDGE, LeastSquares};
use crate::pitch::centred::CentredSpectrum;
use crate::pitch::dirichlet::{dirichlet, row_of_sums, sum_of_angles};
use crate::pitch::linear::{WIDTH, apply, backward, combine, dot, factor, forward};
use std::f64::consts::TAU;

impl LeastSquares {
    /// Puts up to `partials` partials at their frequencies; returns how many there are below half the sample rate.
    #[inline(always)]
    pub(super) fn place(
        &mut self,
        spectrum: &CentredSpectrum,
        w: f64,
        inharmonicity: f64,
        partials: usize,
    ) -> usize {
        let length = spectrum.length() as f64;
        let to_bins = spectrum.size() as f64 / TAU;
        let turn = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            [sin, cos]
        };
        let first = [turn(w / 2.0), turn(w * length / 2.0)];
        self.take(spectrum, 0, 0.0, to_bins);
        for k in 1..=partials {
            let order = k as f64;
            let stretch = (1.0 + inharmonicity * order * order).sqrt();
            let frequency = order * w * stretch;
            if frequency >= EDGE * TAU / 2.0 {
                return k - 1;
            }
            let [near, far] = if inharmonicity == 0.0 {
                // One partial further the angles are as much larger as the first's are.
                let [sin, cos, sin_length, cos_length] = self.halves.at(k - 1);
                [
                    sum_of_angles([sin, cos], first[0]),
                    sum_of_angles([sin_length, cos_length], first[1]),
                ]
            } else {
                [turn(frequency / 2.0), turn(frequency * length / 2.0)]
            };
            self.halves.set(k, [near[0], near[1], far[0], far[1]]);
            self.take(spectrum, k, frequency, to_bins);
        }
        partials
    }

    /// Takes the frame's transform at the frequency of partial `k`.
    #[inline(always)]
    fn take(&mut self, spectrum: &CentredSpectrum, k: usize, frequency: f64, to_bins: f64) {
        let value = spectrum.at(frequency * to_bins);
        self.real[k] = value.real;
        self.imaginary[k] = value.imaginary;
        self.real_slope[k] = value.real_slope * to_bins;
        self.imaginary_slope[k] = value.imaginary_slope * to_bins;
    }

    /// Solves for the amplitudes of `count` partials, and returns the step of the frequency and the inharmonicity.
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        spectrum: &CentredSpectrum,
        w: f64,
        inharmonicity: f64,
        count: usize,
    ) -> Step {
        let length = spectrum.length() as f64;
        if inharmonicity == 0.0 {
            self.harmonic_sums(length, count);
        } else {
            self.sums(length, count);
        }
        // A little on the diagonal: partials of one frequency, below the frame's resolution, share it.
        let ridge = 1e-9 * length;
        factor(&mut self.cosines, &mut self.cosine_inverses, 0, count, ridge);
        factor(&mut self.sines, &mut self.sine_inverses, 1, count, ridge);
        let mut residual = spectrum.energy;
        let (mut a, mut b) = ([[0.0; WIDTH]], [[0.0; WIDTH]]);
        for k in 0..=count {
            a[0][k] = self.real[k];
            b[0][k] = -self.imaginary[k];
        }
        b[0][0] = 0.0;
        forward(&self.cosines, &self.cosine_inverses, 0, count, &mut a);
        forward(&self.sines, &self.sine_inverses, 1, count, &mut b);
        residual -= dot(&a[0], &a[0], count) + dot(&b[0], &b[0], count);
        backward(&self.cosines, &self.cosine_inverses, 0, count, &mut a[0]);
        backward(&self.sines, &self.sine_inverses, 1, count, &mut b[0]);
        ([self.a], [self.b]) = (a, b);
        self.slope_and_curvature(w, inharmonicity, count, length, residual.max(0.0))
    }

    /// Fills the sums of products, from the closed form of the sum of cosines.
    #[inline(always)]
    pub(super) fn sums(&mut self, length: f64, count: usize) {
        for i in 0..=count {
            let one = self.halves.at(i);
            let mut plus = row_of_sums(&one, &self.halves, 1.0, length);
            let mut minus = row_of_sums(&one, &self.halves, -1.0, length);
            // Where the frequencies cancel each other the closed form divides by nothing.
            minus.set(i, dirichlet(&one, &one, -1.0, length));
            if i == 0 {
                plus.set(0, dirichlet(&one, &one, 1.0, length));
            }
            self.fill(
                i,
                count,
                [&minus.values, &minus.slopes, &minus.curves],
                [&plus.values, &plus.slopes, &plus.curves],
                -1.0,
            );
        }
    }

    /// Fills row `i` of the sums of products: `minus` and `plus` are the sums of cosines of the differences and the sums of
    /// frequencies with their derivatives, the differences being `sign` times those from the row's frequency.
    #[inline(always)]
    fn fill(&mut self, i: usize, count: usize, minus: [&[f64]; 3], plus: [&[f64]; 3], sign: f64) {
        let [value, slope, curve] = minus;
        let [values, slopes, curves] = plus;
        combine(&mut self.cosines[i], value, values, count, |m, p| 0.5 * (m + p));
        combine(&mut self.sines[i], value, values, count, |m, p| 0.5 * (m - p));
        let half = 0.5 * sign;
        combine(&mut self.slopes[i], slope, slopes, count, |m, p| {
            half * m - 0.5 * p
        });
        combine(&mut self.turned[i], slope, slopes, count, |m, p| {
            -half * m - 0.5 * p
        });
        combine(&mut self.moving_sines[i], curve, curves, count, |m, p| {
            0.5 * (p - m)
        });
        combine(&mut self.moving_cosines[i], curve, curves, count, |m, p| {
            -0.5 * (p + m)
        });
    }

    /// The same without inharmonicity, where all sums and differences of frequencies are multiples of one.
    #[inline(always)]
    pub(super) fn harmonic_sums(&mut self, length: f64, count: usize) {
        // From -count to 2 count times the frequency, and room for the last lanes.
        let mut values = [0.0; 3 * WIDTH];
        let mut slopes = [0.0; 3 * WIDTH];
        let mut curves = [0.0; 3 * WIDTH];
        for multiple in 0..=2 * count {
            let low = multiple / 2;
            let sum = dirichlet(&self.halves.at(low), &self.halves.at(multiple - low), 1.0, length);
            values[count + multiple] = sum.value;
            slopes[count + multiple] = sum.slope;
            curves[count + multiple] = sum.curve;
            if multiple <= count {
                values[count - multiple] = sum.value;
                slopes[count - multiple] = -sum.slope;
                curves[count - multiple] = sum.curve;
            }
        }
        for i in 0..=count {
            // Entry j of these is the multiple j - i, and i + j.
            let (minus, plus) = (count - i, count + i);
            self.fill(
                i,
                count,
                [&values[minus..], &slopes[minus..], &curves[minus..]],
                [&values[plus..], &slopes[plus..], &curves[plus..]],
                1.0,
            );
        }
    }

    /// The gradient and the curvature of half the residual, the amplitudes following (Kaufman's approximation).
    #[inline(always)]
    fn slope_and_curvature(
        &mut self,
        w: f64,
        inharmonicity: f64,
        count: usize,
        length: f64,
        residual: f64,
    ) -> Step {
        // The residual against t sin and t cos of each partial: the frame less the model.
        let [turned_a] = apply(&self.turned, [&self.a], count);
        let [sloped_b] = apply(&self.slopes, [&self.b], count);
        // How the model moves with the frequency, and with the inharmonicity: a mixture of t sin and t cos.
        let mut sines = [[0.0; WIDTH]; 2];
        let mut cosines = [[0.0; WIDTH]; 2];
        let mut gradient = [0.0; 2];
        let (mut own_gradients, mut own_curvatures) = ([0.0; WIDTH], [0.0; WIDTH]);
        // Half the sum of the squares of the frame's times, which t sin and t cos each have.
        let squares = length * (length * length - 1.0) / 24.0;
        for k in 1..=count {
            let order = k as f64;
            let moves = moves(w, inharmonicity, order);
            let t_sin = -self.real_slope[k] - turned_a[k];
            let t_cos = -self.imaginary_slope[k] - sloped_b[k];
            own_gradients[k] = self.b[k] * t_cos - self.a[k] * t_sin;
            own_curvatures[k] = (self.a[k] * self.a[k] + self.b[k] * self.b[k]) * squares;
            for (p, &move_) in moves.iter().enumerate() {
                sines[p][k] = -move_ * self.a[k];
                cosines[p][k] = move_ * self.b[k];
                gradient[p] += move_ * own_gradients[k];
            }
        }
        // What the amplitudes take of it: its part among the cosines (even in time, as t sin is) and the sines.
        let (moved_sines, moved_cosines) = ([&sines[0], &sines[1]], [&cosines[0], &cosines[1]]);
        let mut even = apply(&self.slopes, moved_sines, count);
        let mut odd = apply(&self.turned, moved_cosines, count);
        let curved_sines = apply(&self.moving_sines, moved_sines, count);
        let curved_cosines = apply(&self.moving_cosines, moved_cosines, count);
        forward(&self.cosines, &self.cosine_inverses, 0, count, &mut even);
        forward(&self.sines, &self.sine_inverses, 1, count, &mut odd);
        let curvature = [(0, 0), (0, 1), (1, 1)].map(|(p, q)| {
            dot(&sines[p], &curved_sines[q], count) + dot(&cosines[p], &curved_cosines[q], count)
                - dot(&even[p], &even[q], count)
                - (dot(&odd[p], &odd[q], count) - odd[p][0] * odd[q][0])
        });
        Step {
            w,
            inharmonicity,
            count,
            residual,
            gradient,
            curvature,
            own_gradients,
            own_curvatures,
        }
    }
}
