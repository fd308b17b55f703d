//! Harmonic least squares: the partials of one tone that leave the least of a frame's energy.

use super::centred::{CentredSpectrum, Value};
use std::f64::consts::TAU;

/// The most partials of a fit.
pub(super) const MAX_PARTIALS: usize = 24;
/// Columns of cosines: the constant and the partials.
const COSINES: usize = MAX_PARTIALS + 1;
/// The largest inharmonicity B that a fit takes. Those of pianos reach 0.02 at the last keys.
pub(super) const MAX_INHARMONICITY: f64 = 0.02;
/// The partials that a fit begins with.
const FIRST_PARTIALS: usize = 4;
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
    /// Half the square of each partial's amplitude.
    pub(super) powers: [f64; MAX_PARTIALS],
}

/// Memory for fits.
pub(super) struct LeastSquares {
    /// sin and cos of w/2, and of w L/2, of the constant (0) and each partial.
    halves: [[f64; 4]; COSINES],
    /// Transform at each partial.
    data: [Value; COSINES],
    frequencies: [f64; COSINES],
    /// Sums of two cosines, and of two sines; their factors below the diagonal.
    even: Matrix,
    odd: Matrix,
    /// Sums of a cosine, or a sine, with what moves with the frequency.
    slopes: Matrix,
    /// Sums of two that move.
    even_curves: Matrix,
    odd_curves: Matrix,
    a: [f64; COSINES],
    b: [f64; COSINES],
}

type Matrix = Box<[[f64; COSINES]; COSINES]>;

/// The sum over the frame's times t of cos(w t), and its first two derivatives by w.
#[derive(Clone, Copy, Default)]
struct Dirichlet {
    value: f64,
    slope: f64,
    curve: f64,
}

/// One step's outcome.
struct Step {
    residual: f64,
    gradient: [f64; 2],
    curvature: [f64; 3],
}

impl LeastSquares {
    pub(super) fn new() -> Self {
        let matrix = || Box::new([[0.0; COSINES]; COSINES]);
        Self {
            halves: [[0.0, 1.0, 0.0, 1.0]; COSINES],
            data: [Value::default(); COSINES],
            frequencies: [0.0; COSINES],
            even: matrix(),
            odd: matrix(),
            slopes: matrix(),
            even_curves: matrix(),
            odd_curves: matrix(),
            a: [0.0; COSINES],
            b: [0.0; COSINES],
        }
    }

    /// Fits a tone near `frequency`, in radians to a sample, with at most `most` partials.
    ///
    /// The number of partials grows: a partial k follows the frequency k times as far, and would settle on the wrong side of
    /// its peak when the frequency is off by much.
    pub(super) fn fit(&mut self, spectrum: &CentredSpectrum, frequency: f64, most: usize) -> Fit {
        let mut w = frequency;
        let mut inharmonicity: f64 = 0.0;
        let length = spectrum.length() as f64;
        let most = most.clamp(1, MAX_PARTIALS);
        let mut partials = FIRST_PARTIALS.min(most);
        let mut fit = Fit::default();
        loop {
            let last = partials == most;
            for round in 0..if last { 2 } else { 1 } {
                let count = self.place(spectrum, w, inharmonicity, partials);
                if count == 0 {
                    return fit;
                }
                let step = self.step(spectrum, w, inharmonicity, count);
                let freedom = (length - 2.0 * count as f64 - 3.0).max(1.0);
                let variance = (step.residual / freedom).max(1e-30);
                let [hww, hwb, hbb] = step.curvature;
                let [gw, gb] = step.gradient;
                // Inharmonicity is part of the model where the frame shows it beyond doubt.
                let joint = hww * hbb - hwb * hwb;
                let (mut dw, mut db, mut spread) = (gw / hww, 0.0, 1.0 / hww);
                if count >= 4 && joint > 1e-9 * hww * hbb {
                    let proposed = inharmonicity + (gb * hww - gw * hwb) / joint;
                    let deviation = (variance * hww / joint).sqrt();
                    if proposed > 4.0 * deviation && proposed > 0.0 {
                        db = proposed.min(MAX_INHARMONICITY) - inharmonicity;
                        dw = (gw - hwb * db) / hww;
                        spread = hbb / joint;
                    } else {
                        db = -inharmonicity;
                        dw = (gw - hwb * db) / hww;
                    }
                }
                fit = Fit {
                    frequency: w * (1.0 + inharmonicity).sqrt(),
                    inharmonicity,
                    deviation: (variance * spread).sqrt(),
                    residual: step.residual,
                    partials: count,
                    powers: self.powers(count),
                };
                if last && round == 1 {
                    return fit;
                }
                // A step beyond the curvature's reach is cut: half a cycle of the highest partial over half the frame.
                let reach = 2.0 / (count as f64 * length);
                if !dw.is_finite() || !db.is_finite() {
                    return fit;
                }
                w += dw.clamp(-reach, reach);
                inharmonicity = (inharmonicity + db).clamp(0.0, MAX_INHARMONICITY);
                if w <= 0.0 {
                    return fit;
                }
            }
            // Inharmonic partials stray the further the higher they are.
            let grown = if inharmonicity > 0.0 {
                partials + partials / 2
            } else {
                2 * partials
            };
            partials = grown.min(most);
        }
    }

    /// Half the square of each of `count` partials' amplitudes.
    fn powers(&self, count: usize) -> [f64; MAX_PARTIALS] {
        let mut powers = [0.0; MAX_PARTIALS];
        for (k, power) in powers.iter_mut().enumerate().take(count) {
            *power = 0.5 * (self.a[k + 1].powi(2) + self.b[k + 1].powi(2));
        }
        powers
    }

    /// Puts up to `partials` partials at their frequencies; returns how many there are below half the sample rate.
    fn place(&mut self, spectrum: &CentredSpectrum, w: f64, inharmonicity: f64, partials: usize) -> usize {
        let length = spectrum.length() as f64;
        let to_bins = spectrum.size() as f64 / TAU;
        self.data[0] = spectrum.at(0.0);
        self.halves[0] = [0.0, 1.0, 0.0, 1.0];
        for k in 1..=partials {
            let order = k as f64;
            let frequency = order * w * (1.0 + inharmonicity * order * order).sqrt();
            if frequency >= EDGE * TAU / 2.0 {
                return k - 1;
            }
            self.frequencies[k] = frequency;
            let (sin, cos) = (frequency / 2.0).sin_cos();
            let (sin_length, cos_length) = (frequency * length / 2.0).sin_cos();
            self.halves[k] = [sin, cos, sin_length, cos_length];
            let mut value = spectrum.at(frequency * to_bins);
            value.real_slope *= to_bins;
            value.imaginary_slope *= to_bins;
            self.data[k] = value;
        }
        partials
    }

    /// Solves for the amplitudes of `count` partials, and says where the frequency and the inharmonicity should go.
    fn step(&mut self, spectrum: &CentredSpectrum, w: f64, inharmonicity: f64, count: usize) -> Step {
        let length = spectrum.length() as f64;
        self.sums(length, count, inharmonicity == 0.0);
        // A little on the diagonal: partials of one frequency, below the frame's resolution, share it.
        let ridge = 1e-9 * length;
        factor(&mut self.even, 0, count, ridge);
        factor(&mut self.odd, 1, count, ridge);
        let (mut residual, mut rotated) = (spectrum.energy, [0.0; COSINES]);
        for (k, value) in rotated.iter_mut().enumerate().take(count + 1) {
            *value = self.data[k].real;
        }
        forward(&self.even, 0, count, &mut rotated);
        residual -= rotated[..=count].iter().map(|x| x * x).sum::<f64>();
        backward(&self.even, 0, count, &mut rotated);
        self.a = rotated;
        for (k, value) in rotated.iter_mut().enumerate().take(count + 1) {
            *value = -self.data[k].imaginary;
        }
        forward(&self.odd, 1, count, &mut rotated);
        residual -= rotated[1..=count].iter().map(|x| x * x).sum::<f64>();
        backward(&self.odd, 1, count, &mut rotated);
        rotated[0] = 0.0;
        self.b = rotated;
        self.curvature(w, inharmonicity, count, residual.max(0.0))
    }

    /// Fills the sums of products, from the closed form of the sum of cosines.
    fn sums(&mut self, length: f64, count: usize, harmonic: bool) {
        // Without inharmonicity sums and differences are whole multiples of one frequency.
        let mut multiples = [Dirichlet::default(); 2 * COSINES];
        if harmonic {
            for (m, sum) in multiples.iter_mut().enumerate().take(2 * count + 1) {
                let low = m / 2;
                *sum = dirichlet(&self.halves[low], &self.halves[m - low], 1.0, length);
            }
        }
        for i in 0..=count {
            for j in 0..=i {
                let (plus, minus) = if harmonic {
                    (multiples[i + j], multiples[i - j])
                } else {
                    (
                        dirichlet(&self.halves[i], &self.halves[j], 1.0, length),
                        dirichlet(&self.halves[i], &self.halves[j], -1.0, length),
                    )
                };
                self.even[i][j] = 0.5 * (minus.value + plus.value);
                self.odd[i][j] = 0.5 * (minus.value - plus.value);
                // Sum of t sin(wi t) cos(wj t), and of t sin(wj t) cos(wi t), where the difference changes its sign.
                self.slopes[i][j] = -0.5 * (plus.slope + minus.slope);
                self.slopes[j][i] = -0.5 * (plus.slope - minus.slope);
                self.odd_curves[i][j] = 0.5 * (plus.curve - minus.curve);
                self.even_curves[i][j] = -0.5 * (plus.curve + minus.curve);
                self.odd_curves[j][i] = self.odd_curves[i][j];
                self.even_curves[j][i] = self.even_curves[i][j];
            }
        }
    }

    /// The gradient and the curvature of half the residual, the amplitudes following (Kaufman's approximation).
    fn curvature(&mut self, w: f64, inharmonicity: f64, count: usize, residual: f64) -> Step {
        // How the partials move with the frequency and with the inharmonicity.
        let mut moves = [[0.0; COSINES]; 2];
        for k in 1..=count {
            let order = k as f64;
            let root = (1.0 + inharmonicity * order * order).sqrt();
            moves[0][k] = order * root;
            moves[1][k] = 0.5 * w * order.powi(3) / root;
        }
        let mut gradient = [0.0; 2];
        // What moves, as a mixture of t sin (even in time) and t cos (odd).
        let mut even = [[0.0; COSINES]; 2];
        let mut odd = [[0.0; COSINES]; 2];
        for k in 1..=count {
            // The frame and the model, each against t sin and t cos.
            let (mut t_sin, mut t_cos) = (-self.data[k].real_slope, -self.data[k].imaginary_slope);
            for j in 0..=count {
                t_sin -= self.a[j] * self.slopes[k][j];
                // Sum of t cos(wk t) sin(wj t).
                t_cos -= self.b[j] * self.slopes[j][k];
            }
            for p in 0..2 {
                gradient[p] += moves[p][k] * (self.b[k] * t_cos - self.a[k] * t_sin);
                even[p][k] = -moves[p][k] * self.a[k];
                odd[p][k] = moves[p][k] * self.b[k];
            }
        }
        let mut on_even = [[0.0; COSINES]; 2];
        let mut on_odd = [[0.0; COSINES]; 2];
        let mut products = [0.0; 3];
        for i in 0..=count {
            let mut curved = [0.0; 4];
            for j in 1..=count {
                for p in 0..2 {
                    on_even[p][i] += even[p][j] * self.slopes[j][i];
                    on_odd[p][i] += odd[p][j] * self.slopes[i][j];
                    curved[p] += even[p][j] * self.odd_curves[i][j];
                    curved[2 + p] += odd[p][j] * self.even_curves[i][j];
                }
            }
            for (product, (p, q)) in products.iter_mut().zip([(0, 0), (0, 1), (1, 1)]) {
                *product += even[p][i] * curved[q] + odd[p][i] * curved[2 + q];
            }
        }
        for p in 0..2 {
            forward(&self.even, 0, count, &mut on_even[p]);
            forward(&self.odd, 1, count, &mut on_odd[p]);
        }
        for (product, (p, q)) in products.iter_mut().zip([(0, 0), (0, 1), (1, 1)]) {
            *product -= (0..=count).map(|k| on_even[p][k] * on_even[q][k]).sum::<f64>();
            *product -= (1..=count).map(|k| on_odd[p][k] * on_odd[q][k]).sum::<f64>();
        }
        Step {
            residual,
            gradient,
            curvature: products,
        }
    }
}

/// The sum for the frequency of `a` and `sign` times that of `b`, whose half angles are given.
fn dirichlet(a: &[f64; 4], b: &[f64; 4], sign: f64, length: f64) -> Dirichlet {
    let sin = a[0] * b[1] + sign * a[1] * b[0];
    let cos = a[1] * b[1] - sign * a[0] * b[0];
    let sin_length = a[2] * b[3] + sign * a[3] * b[2];
    let cos_length = a[3] * b[3] - sign * a[2] * b[2];
    if sin.abs() < 1e-6 {
        let squares = length * (length * length - 1.0) / 12.0;
        return Dirichlet {
            value: length,
            slope: -2.0 * sin * squares,
            curve: -squares,
        };
    }
    let inverse = 1.0 / sin;
    let value = sin_length * inverse;
    let slope = (0.5 * length * cos_length - 0.5 * value * cos) * inverse;
    let curve = (0.25 * sin * value - 0.25 * length * length * sin_length - slope * cos) * inverse;
    Dirichlet { value, slope, curve }
}

/// Cholesky's factor of the rows and columns `from ..= to`, in place of the lower half.
fn factor(matrix: &mut Matrix, from: usize, to: usize, ridge: f64) {
    for i in from..=to {
        for j in from..=i {
            let mut sum = matrix[i][j];
            for k in from..j {
                sum -= matrix[i][k] * matrix[j][k];
            }
            matrix[i][j] = if i == j {
                (sum + ridge).max(ridge).sqrt()
            } else {
                sum / matrix[j][j]
            };
        }
    }
}

fn forward(factor: &Matrix, from: usize, to: usize, values: &mut [f64; COSINES]) {
    for i in from..=to {
        let mut sum = values[i];
        for k in from..i {
            sum -= factor[i][k] * values[k];
        }
        values[i] = sum / factor[i][i];
    }
}

fn backward(factor: &Matrix, from: usize, to: usize, values: &mut [f64; COSINES]) {
    for i in (from..=to).rev() {
        let mut sum = values[i];
        for k in i + 1..=to {
            sum -= factor[k][i] * values[k];
        }
        values[i] = sum / factor[i][i];
    }
}
