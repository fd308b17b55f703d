//! Harmonic least squares: the partials of one tone that leave the least of a frame's energy.

mod equations;
mod step;

use super::centred::CentredSpectrum;
use super::dirichlet::Halves;
use super::linear::{COSINES, MAX_PARTIALS, Matrix, Row, WIDTH};
use step::{Step, moves};

/// The largest inharmonicity B that a fit takes. Those of pianos reach 0.02 at the last keys.
pub(super) const MAX_INHARMONICITY: f64 = 0.02;
/// The partials that a fit begins with, at least; inharmonicity shows in no fewer.
pub(super) const FIRST_PARTIALS: usize = 4;
/// A change of frequency this small, as a part of what the curvature reaches to, is the last, unless inharmonicity comes into the
/// model or leaves it.
const SETTLED: f64 = 0.25;
/// Rounds with all partials.
const MAX_ROUNDS: u32 = 2;
/// Standard deviations of inharmonicity that are beyond doubt.
const BEYOND_DOUBT: f64 = 4.0;
/// Partials come no nearer to half the sample rate than this, as a part of it.
const EDGE: f64 = 0.98;
/// The residual that counts as 0, as a part of the frame's energy: it is the difference of two energies that single precision
/// rounds.
const ROUNDING: f64 = f32::EPSILON as f64;

/// A fitted tone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fit {
    /// The first partial's frequency in radians to a sample.
    pub(super) frequency: f64,
    /// B in: partial k is at k f0 sqrt(1 + B k^2).
    pub(super) inharmonicity: f64,
    /// Whether it is beyond doubt without any one of the partials, and within its range.
    pub(super) is_shown: bool,
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
    /// The distance of each partial's own frequency from its place, in radians to a sample.
    pub(super) shifts: [f64; MAX_PARTIALS],
}

/// The start of a fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// The first partial's frequency in radians to a sample.
    pub(super) frequency: f64,
    /// The partials that hold most of the tone: no fewer than these determine its frequency.
    pub(super) partials: usize,
    /// The inharmonicity that a tone of this frequency may have where the frame does not show it: two frequencies fit any two
    /// partials.
    pub(super) inharmonicity: f64,
}

/// Memory for fits.
pub(super) struct LeastSquares {
    /// The half angles of the partials' frequencies.
    halves: Halves,
    /// The frame's transform: its real and its imaginary parts, and their derivatives by the frequency.
    real: Row,
    imaginary: Row,
    real_slope: Row,
    imaginary_slope: Row,
    /// The sums over the frame of the products of two cosines, and of two sines. They are replaced by their Cholesky factors; the
    /// inverses are one over the factors' diagonals.
    cosines: Matrix,
    sines: Matrix,
    cosine_inverses: Row,
    sine_inverses: Row,
    /// The sums of t sin(wi t) cos(wj t) at `slopes[i][j]`, and at `turned[j][i]`.
    slopes: Matrix,
    turned: Matrix,
    /// The sums of t sin(wi t) t sin(wj t), and of t cos(wi t) t cos(wj t).
    moving_sines: Matrix,
    moving_cosines: Matrix,
    /// The amplitudes of the cosines, and of the sines.
    a: Row,
    b: Row,
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

    /// Fits the tone near `start`, with its inharmonicity where the frame shows that, or where it is one that strings have.
    #[inline(always)]
    pub(super) fn fit(&mut self, spectrum: &CentredSpectrum, start: Start) -> Fit {
        // A loop, as those of `Harmonic`: what is this large is compiled in one place.
        let mut may_be_inharmonic = true;
        loop {
            let fit = self.follow(spectrum, start, may_be_inharmonic);
            if !may_be_inharmonic || fit.is_shown || fit.inharmonicity <= start.inharmonicity {
                return fit;
            }
            may_be_inharmonic = false;
        }
    }

    /// The number of partials grows: a partial k follows the frequency k times as far, and would settle on the wrong side of
    /// its peak when the frequency is off by much.
    #[inline(always)]
    fn follow(&mut self, spectrum: &CentredSpectrum, start: Start, may_be_inharmonic: bool) -> Fit {
        let length = spectrum.length() as f64;
        let rounding = ROUNDING * spectrum.energy;
        let (mut w, mut inharmonicity) = (start.frequency, 0.0);
        let first = start.partials;
        let mut partials = first;
        let mut rounds = 0;
        let (mut few, mut residual_of_few) = (0, 0.0);
        loop {
            let count = self.place(spectrum, w, inharmonicity, partials);
            if count == 0 {
                return Fit::default();
            }
            let step = self.step(spectrum, w, inharmonicity, count);
            let freedom = (length - 2.0 * count as f64 - 3.0).max(1.0);
            let variance = step.residual.max(rounding) / freedom;
            let change = step.change(variance, may_be_inharmonic);
            if partials == first {
                (few, residual_of_few) = (count, step.residual.max(rounding));
            }
            // Half a cycle of the highest partial over half the frame: beyond it the curvature is meaningless.
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
                    let within = 0.0 < inharmonicity && inharmonicity < MAX_INHARMONICITY;
                    return Fit {
                        frequency: w * (1.0 + inharmonicity).sqrt(),
                        inharmonicity,
                        is_shown: within && step.holds_without_any(variance, length),
                        deviation: (variance * change.spread).sqrt(),
                        residual: (step.residual - change.gain).max(rounding),
                        partials: count,
                        few,
                        residual_of_few,
                        powers: self.powers(count),
                        shifts: shifts(&step, w),
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
}

/// The distance of each partial's own frequency from its place, after the first one's has become `w`.
#[inline(always)]
fn shifts(step: &Step, w: f64) -> [f64; MAX_PARTIALS] {
    let mut shifts = [0.0; MAX_PARTIALS];
    for (index, shift) in shifts.iter_mut().enumerate().take(step.count) {
        let k = index + 1;
        let moved = moves(step.w, step.inharmonicity, k as f64)[0] * (w - step.w);
        *shift = step.own_gradients[k] / step.own_curvatures[k].max(1e-30) - moved;
    }
    shifts
}

#[cfg(test)]
mod tests;
