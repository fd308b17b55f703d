//! Harmonic least squares: the partials of one tone that leave the least of a frame's energy.

use super::centred::CentredSpectrum;
use super::dirichlet::{Halves, dirichlet, row_of_sums, sum_of_angles};
use super::linear::{
    COSINES, MAX_PARTIALS, Matrix, Row, WIDTH, apply, backward, combine, dot, factor, forward,
};
use std::f64::consts::TAU;

/// The largest inharmonicity B that a fit takes. Those of pianos reach 0.02 at the last keys.
pub(super) const MAX_INHARMONICITY: f64 = 0.02;
/// The partials that a fit begins with.
const FIRST_PARTIALS: usize = 4;
/// A change of frequency this small, as a part of what the curvature reaches to, is the last, unless inharmonicity comes into the model
/// or leaves it.
const SETTLED: f64 = 0.25;
/// Rounds with all partials.
const MAX_ROUNDS: u32 = 2;
/// Standard deviations of inharmonicity that are beyond doubt.
const BEYOND_DOUBT: f64 = 4.0;
/// Partials come no nearer to half the sample rate than this, as a part of it.
const EDGE: f64 = 0.98;

/// A fitted tone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fit {
    /// The first partial's frequency in radians to a sample.
    pub(super) frequency: f64,
    /// B in: partial k is at k f0 sqrt(1 + B k^2).
    pub(super) inharmonicity: f64,
    /// The standard deviation of `frequency` in noise as strong as the residual.
    pub(super) deviation: f64,
    /// The energy that is left, of the frame without its mean.
    pub(super) residual: f64,
    /// The partials in the fit.
    pub(super) partials: usize,
    /// The partials that the fit began with, and what they left.
    pub(super) few: usize,
    pub(super) residual_of_few: f64,
    /// Half the square of each partial's amplitude.
    pub(super) powers: [f64; MAX_PARTIALS],
}

/// Memory for fits.
pub(super) struct LeastSquares {
    /// Those of the partials' frequencies.
    halves: Halves,
    /// The frame's transform: its real and its imaginary parts, and their derivatives by the frequency.
    real: Row,
    imaginary: Row,
    real_slope: Row,
    imaginary_slope: Row,
    /// Sums over the frame of two cosines, and of two sines; then their factors, with one over their diagonals.
    cosines: Matrix,
    sines: Matrix,
    cosine_inverses: Row,
    sine_inverses: Row,
    /// `slopes[i][j]`: of t sin(wi t) cos(wj t); and with i and j exchanged.
    slopes: Matrix,
    turned: Matrix,
    /// Of t sin(wi t) t sin(wj t), and of t cos(wi t) t cos(wj t).
    moving_sines: Matrix,
    moving_cosines: Matrix,
    /// The amplitudes of the cosines, and of the sines.
    a: Row,
    b: Row,
}

/// Where a step should go: half the residual's gradient and curvature by frequency and inharmonicity.
struct Step {
    residual: f64,
    gradient: [f64; 2],
    curvature: [f64; 3],
}

impl LeastSquares {
    pub(super) fn new() -> Self {
        let matrix = || Box::new([[0.0; WIDTH]; COSINES]);
        let row = [0.0; WIDTH];
        Self {
            halves: Halves::default(),
            real: row,
            imaginary: row,
            real_slope: row,
            imaginary_slope: row,
            cosines: matrix(),
            sines: matrix(),
            cosine_inverses: row,
            sine_inverses: row,
            slopes: matrix(),
            turned: matrix(),
            moving_sines: matrix(),
            moving_cosines: matrix(),
            a: row,
            b: row,
        }
    }

    /// Fits a tone near `frequency`, in radians to a sample.
    ///
    /// The number of partials grows: a partial k follows the frequency k times as far, and would settle on the wrong side of
    /// its peak when the frequency is off by much.
    #[inline(always)]
    pub(super) fn fit(&mut self, spectrum: &CentredSpectrum, frequency: f64) -> Fit {
        let length = spectrum.length() as f64;
        let (mut w, mut inharmonicity) = (frequency, 0.0);
        let mut partials = FIRST_PARTIALS;
        let mut rounds = 0;
        let (mut few, mut residual_of_few) = (0, 0.0);
        loop {
            let count = self.place(spectrum, w, inharmonicity, partials);
            if count == 0 {
                return Fit::default();
            }
            let step = self.step(spectrum, w, inharmonicity, count);
            let freedom = (length - 2.0 * count as f64 - 3.0).max(1.0);
            let variance = (step.residual / freedom).max(1e-30);
            let change = step.change(inharmonicity, variance, count);
            if partials == FIRST_PARTIALS {
                (few, residual_of_few) = (count, step.residual);
            }
            // Half a cycle of the highest partial over half the frame: beyond it the curvature says nothing.
            let reach = 2.0 / (count as f64 * length);
            w += change.frequency.clamp(-reach, reach);
            let before = inharmonicity;
            inharmonicity += change.inharmonicity;
            if !(w > 0.0 && w.is_finite()) {
                return Fit::default();
            }
            // With all partials in, a small step ends it: what is left shrinks with its square.
            let same_model = (before > 0.0) == (inharmonicity > 0.0);
            let small = change.frequency.abs() < SETTLED * reach && same_model;
            if count < partials || partials == MAX_PARTIALS {
                rounds += 1;
                if small || rounds == MAX_ROUNDS {
                    return Fit {
                        frequency: w * (1.0 + inharmonicity).sqrt(),
                        inharmonicity,
                        deviation: (variance * change.spread).sqrt(),
                        residual: (step.residual - change.gain).max(0.0),
                        partials: count,
                        few,
                        residual_of_few,
                        powers: self.powers(count),
                    };
                }
                continue;
            }
            // Inharmonic partials stray the further the higher they are.
            let grown = if inharmonicity > 0.0 {
                2 * partials
            } else {
                3 * partials
            };
            partials = grown.min(MAX_PARTIALS);
        }
    }

    /// Half the square of each of `count` partials' amplitudes.
    #[inline(always)]
    fn powers(&self, count: usize) -> [f64; MAX_PARTIALS] {
        let mut powers = [0.0; MAX_PARTIALS];
        for (k, power) in powers.iter_mut().enumerate().take(count) {
            *power = 0.5 * (self.a[k + 1].powi(2) + self.b[k + 1].powi(2));
        }
        powers
    }

    /// Puts up to `partials` partials at their frequencies; returns how many there are below half the sample rate.
    #[inline(always)]
    fn place(&mut self, spectrum: &CentredSpectrum, w: f64, inharmonicity: f64, partials: usize) -> usize {
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

    /// Solves for the amplitudes of `count` partials, and says where the frequency and the inharmonicity should go.
    #[inline(always)]
    fn step(&mut self, spectrum: &CentredSpectrum, w: f64, inharmonicity: f64, count: usize) -> Step {
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
        self.slope_and_curvature(w, inharmonicity, count, residual.max(0.0))
    }

    /// Fills the sums of products, from the closed form of the sum of cosines.
    #[inline(always)]
    fn sums(&mut self, length: f64, count: usize) {
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
    fn harmonic_sums(&mut self, length: f64, count: usize) {
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
    fn slope_and_curvature(&mut self, w: f64, inharmonicity: f64, count: usize, residual: f64) -> Step {
        // The residual against t sin and t cos of each partial: the frame less the model.
        let [turned_a] = apply(&self.turned, [&self.a], count);
        let [sloped_b] = apply(&self.slopes, [&self.b], count);
        // How the model moves with the frequency, and with the inharmonicity: a mixture of t sin and t cos.
        let mut sines = [[0.0; WIDTH]; 2];
        let mut cosines = [[0.0; WIDTH]; 2];
        let mut gradient = [0.0; 2];
        for k in 1..=count {
            let order = k as f64;
            let root = (1.0 + inharmonicity * order * order).sqrt();
            let moves = [order * root, 0.5 * w * order * order * order / root];
            let t_sin = -self.real_slope[k] - turned_a[k];
            let t_cos = -self.imaginary_slope[k] - sloped_b[k];
            for (p, &move_) in moves.iter().enumerate() {
                sines[p][k] = -move_ * self.a[k];
                cosines[p][k] = move_ * self.b[k];
                gradient[p] += sines[p][k] * t_sin + cosines[p][k] * t_cos;
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
            residual,
            gradient,
            curvature,
        }
    }
}

/// What a step changes.
struct Change {
    frequency: f64,
    inharmonicity: f64,
    /// The variance of the frequency in noise of variance 1.
    spread: f64,
    /// By how much the residual falls.
    gain: f64,
}

impl Step {
    /// The change that the gradient and the curvature ask for. Inharmonicity is part of the model where the frame shows it beyond
    /// doubt: otherwise it would cost precision, and leaves the model.
    #[inline(always)]
    fn change(&self, inharmonicity: f64, variance: f64, count: usize) -> Change {
        let [gradient, bend] = self.gradient;
        let [curvature, cross, stiffness] = self.curvature;
        let joint = curvature * stiffness - cross * cross;
        let (mut target, mut spread) = (0.0, 1.0 / curvature);
        if count >= FIRST_PARTIALS && joint > 1e-9 * curvature * stiffness {
            let proposed = inharmonicity + (bend * curvature - gradient * cross) / joint;
            if proposed > BEYOND_DOUBT * (variance * curvature / joint).sqrt() {
                target = proposed.min(MAX_INHARMONICITY);
                spread = stiffness / joint;
            }
        }
        let change = target - inharmonicity;
        let frequency = (gradient - cross * change) / curvature;
        Change {
            frequency,
            inharmonicity: change,
            spread,
            gain: gradient * frequency + bend * change,
        }
    }
}

#[cfg(test)]
mod tests;
