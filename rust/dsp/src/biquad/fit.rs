//! Fits the squared magnitude of a second-order filter to a curve.
//!
//! With p1 = sin^2(w/2), p0 = 1 - p1 and p2 = 4 p0 p1, the squared magnitude of b0 + b1 z^-1 + b2 z^-2 is B0 p0 + B1 p1 + B2 p2,
//! where B0 = (b0 + b1 + b2)^2, B1 = (b0 - b1 + b2)^2 and B2 = -4 b0 b2: linear in three numbers, from which the coefficients
//! follow in closed form (M. Vicanek, "Matched second order digital filters", 2016). So to ask that a filter has the power T at a
//! frequency, (B . p) = T (A . p), is one linear equation in A and B, and a whole curve is a problem of least squares. The
//! relative error counts, hence each equation is divided by T (A . p) of the previous iteration; and an equation with a larger
//! error weighs more in the next one, which reduces the greatest error. The iteration begins with the poles of the analog filter.

use super::Biquad;

/// p0, p1 and p2 at one frequency.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis([f64; 3]);

impl Basis {
    pub(super) fn at(frequency: f64, sample_rate: f64) -> Self {
        let sine = (std::f64::consts::PI * frequency / sample_rate).sin();
        let p1 = sine * sine;
        let p0 = 1.0 - p1;
        Self([p0, p1, 4.0 * p0 * p1])
    }

    pub(super) fn combine(self, powers: [f64; 3]) -> f64 {
        let Self([p0, p1, p2]) = self;
        powers[0] * p0 + powers[1] * p1 + powers[2] * p2
    }

    /// The second number of a polynomial without z^-2 whose first is `first` and that has the power `power` here.
    pub(super) fn rest(self, power: f64, first: f64) -> f64 {
        let Self([p0, p1, _]) = self;
        (power - first * p0) / p1
    }

    /// The magnitude of 1 - 2 z^-1 + z^-2.
    pub(super) fn difference(self) -> f64 {
        4.0 * self.0[1]
    }
}

/// The three numbers of a polynomial c0 + c1 z^-1 + c2 z^-2.
pub(super) fn powers(c0: f64, c1: f64, c2: f64) -> [f64; 3] {
    let (even, odd) = (c0 + c2, c1);
    [
        (even + odd) * (even + odd),
        (even - odd) * (even - odd),
        -4.0 * c0 * c2,
    ]
}

/// The polynomial of three numbers whose zeros are inside the unit circle; `None` where the numbers are of no polynomial,
/// since their sum is negative at some frequency.
fn polynomial([p0, p1, p2]: [f64; 3]) -> Option<[f64; 3]> {
    if p0 <= 0.0 || p1 <= 0.0 {
        return None;
    }
    let (at_zero, at_nyquist) = (p0.sqrt(), p1.sqrt());
    let even = 0.5 * (at_zero + at_nyquist);
    let discriminant = even * even + p2;
    if discriminant <= 0.0 {
        return None;
    }
    let c0 = 0.5 * (even + discriminant.sqrt());
    Some([c0, 0.5 * (at_zero - at_nyquist), -p2 / (4.0 * c0)])
}

fn biquad(numerator: [f64; 3], denominator: [f64; 3]) -> Option<Biquad> {
    let ([b0, b1, b2], [a0, a1, a2]) = (polynomial(numerator)?, polynomial(denominator)?);
    let filter = Biquad {
        b0: b0 / a0,
        b1: b1 / a0,
        b2: b2 / a0,
        a1: a1 / a0,
        a2: a2 / a0,
    };
    filter.is_stable().then_some(filter)
}

/// One target of the curve: the filter's power at a frequency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    basis: Basis,
    power: f64,
    /// The weight of an error here.
    weight: f64,
}

impl Demand {
    pub(crate) fn new(frequency: f64, sample_rate: f64, power: f64, weight: f64) -> Self {
        Self {
            basis: Basis::at(frequency, sample_rate),
            power,
            weight,
        }
    }
}

/// The most iterations.
const TURNS: usize = 12;

/// The greatest error in decibels that ends the iteration.
const GOOD: f64 = 0.01;

/// The weight of a demand that is met exactly.
const EXACT: f64 = 1e5;

/// The filter that meets `exact` and comes closest to `demands`, with the power `at_zero` at 0 Hz. `poles` are the a1 and a2 to
/// begin with; where no iteration yields a stable filter with a stable inverse they stay, and the numerator alone is fitted.
/// `None` when that fails too.
pub(super) fn filter(
    demands: &[Demand],
    exact: Option<Demand>,
    at_zero: f64,
    poles: [f64; 2],
) -> Option<Biquad> {
    let start = powers(1.0, poles[0], poles[1]);
    let start = start.map(|power| power / start[0]);
    let equation = |demand: &Demand, _| {
        let (Basis([p0, p1, p2]), power) = (demand.basis, demand.power);
        ([p1, p2, -power * p1, -power * p2], (power - at_zero) * p0)
    };
    let free = turns(demands, exact, start, equation, |[b1, b2, a1, a2]| {
        ([at_zero, b1, b2], [1.0, a1, a2])
    });
    let fitted = free.or_else(|| numerator_for_poles(demands, exact, at_zero, poles));
    fitted.map(|(_, filter)| filter)
}

/// As [`filter`], with its poles given; and its greatest error in dB, times the weight where it is.
pub(crate) fn numerator_for_poles(
    demands: &[Demand],
    exact: Option<Demand>,
    at_zero: f64,
    poles: [f64; 2],
) -> Option<(f64, Biquad)> {
    let start = powers(1.0, poles[0], poles[1]);
    let start = start.map(|power| power / start[0]);
    let equation = |demand: &Demand, denominator| {
        let Basis([p0, p1, p2]) = demand.basis;
        let power = demand.power * demand.basis.combine(denominator);
        ([p1, p2], power - at_zero * p0)
    };
    turns(demands, exact, start, equation, |[b1, b2]| {
        ([at_zero, b1, b2], start)
    })
}

/// Iterated least squares, as the head of this file explains; returns the best filter, with its error. `equation` is that of one
/// target in N unknowns, as row and right side; `solved` are numerator and denominator that the unknowns stand for.
fn turns<const N: usize>(
    demands: &[Demand],
    exact: Option<Demand>,
    mut denominator: [f64; 3],
    equation: impl Fn(&Demand, [f64; 3]) -> ([f64; N], f64),
    solved: impl Fn([f64; N]) -> ([f64; 3], [f64; 3]),
) -> Option<(f64, Biquad)> {
    let mut weights: Vec<f64> = demands.iter().map(|demand| demand.weight).collect();
    let mut best: Option<(f64, Biquad)> = None;
    for _ in 0..TURNS {
        let mut system = LeastSquares::<N>::default();
        let exact = exact.iter().map(|demand| (demand, EXACT));
        for (demand, weight) in demands.iter().zip(weights.iter().copied()).chain(exact) {
            let (row, right) = equation(demand, denominator);
            let weight = weight / (demand.power * demand.basis.combine(denominator));
            system.add(row.map(|value| weight * value), weight * right);
        }
        let Some(solution) = system.solution() else { break };
        let numerator;
        (numerator, denominator) = solved(solution);
        let mut worst: f64 = 0.0;
        for (demand, weight) in demands.iter().zip(&mut weights) {
            let power = demand.basis.combine(numerator) / demand.basis.combine(denominator);
            let error = demand.weight * 10.0 * (power / demand.power).log10().abs();
            worst = if error.is_nan() {
                f64::INFINITY
            } else {
                worst.max(error)
            };
            *weight *= error + 1e-4;
        }
        if !worst.is_finite() {
            break;
        }
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        for weight in &mut weights {
            *weight /= mean;
        }
        if let Some(filter) = biquad(numerator, denominator)
            && best.is_none_or(|(least, _)| worst < least)
        {
            best = Some((worst, filter));
        }
        if worst < GOOD {
            break;
        }
    }
    best
}

/// Least squares in N unknowns: rows are rotated into a triangle one by one (Givens), which keeps all the digits that the
/// normal equations would halve.
#[derive(Clone, Copy, Debug)]
struct LeastSquares<const N: usize> {
    triangle: [[f64; N]; N],
    right: [f64; N],
}

impl<const N: usize> Default for LeastSquares<N> {
    fn default() -> Self {
        Self {
            triangle: [[0.0; N]; N],
            right: [0.0; N],
        }
    }
}

impl<const N: usize> LeastSquares<N> {
    /// Adds the equation `row` . x = `right`.
    fn add(&mut self, mut row: [f64; N], mut right: f64) {
        for k in 0..N {
            if row[k] == 0.0 {
                continue;
            }
            let diagonal = self.triangle[k][k];
            let length = diagonal.hypot(row[k]);
            let (cosine, sine) = (diagonal / length, row[k] / length);
            for (upper, lower) in self.triangle[k][k..].iter_mut().zip(&mut row[k..]) {
                (*upper, *lower) = (cosine * *upper + sine * *lower, cosine * *lower - sine * *upper);
            }
            let upper = &mut self.right[k];
            (*upper, right) = (cosine * *upper + sine * right, cosine * right - sine * *upper);
        }
    }

    /// The x with the least sum of squared errors; `None` when the equations do not determine one.
    fn solution(&self) -> Option<[f64; N]> {
        let mut x = self.right;
        for k in (0..N).rev() {
            let known: f64 = (k + 1..N).map(|j| self.triangle[k][j] * x[j]).sum();
            x[k] = (x[k] - known) / self.triangle[k][k];
        }
        x.iter().all(|value| value.is_finite()).then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomial_has_the_numbers_it_was_made_of() {
        let [c0, c1, c2] = [1.0, -1.6, 0.7];
        let got = polynomial(powers(c0, c1, c2)).expect("numbers of a polynomial");
        for (got, expected) in got.into_iter().zip([c0, c1, c2]) {
            assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        }
        assert_eq!(polynomial([1.0, -1e-9, 0.0]), None);
        assert_eq!(polynomial([1.0, 1.0, -2.0]), None);
    }

    #[test]
    fn least_squares_solves_and_averages() {
        let mut system = LeastSquares::<2>::default();
        for (row, right) in [([1.0, 1.0], 3.0), ([1.0, -1.0], 1.0), ([0.0, 2.0], 2.0)] {
            system.add(row, right);
        }
        let x = system.solution().expect("a solution");
        assert!((x[0] - 2.0).abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14, "{x:?}");
        let mut system = LeastSquares::<1>::default();
        for right in [1.0, 2.0, 6.0] {
            system.add([1.0], right);
        }
        assert!((system.solution().expect("a solution")[0] - 3.0).abs() < 1e-14);
        assert!(LeastSquares::<2>::default().solution().is_none());
    }
}
