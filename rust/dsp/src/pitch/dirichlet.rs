//! Sums of cosines over a frame, in closed form.

use super::linear::{Row, WIDTH};

/// sin and cos of w/2, and of w L/2, of each of some frequencies w and a frame of L samples.
#[derive(Clone, Copy)]
pub(super) struct Halves([Row; 4]);

impl Default for Halves {
    /// All frequencies are 0.
    fn default() -> Self {
        Self([[0.0; WIDTH], [1.0; WIDTH], [0.0; WIDTH], [1.0; WIDTH]])
    }
}

impl Halves {
    #[inline(always)]
    pub(super) fn at(&self, index: usize) -> [f64; 4] {
        let [a, b, c, d] = &self.0;
        [a[index], b[index], c[index], d[index]]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, index: usize, halves: [f64; 4]) {
        for (row, half) in self.0.iter_mut().zip(halves) {
            row[index] = half;
        }
    }
}

/// The sum over the frame's times t of cos(w t), and its first two derivatives by w.
#[derive(Clone, Copy, Default)]
pub(super) struct Dirichlet {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) curve: f64,
}

/// An array of these sums.
pub(super) struct Dirichlets {
    pub(super) values: Row,
    pub(super) slopes: Row,
    pub(super) curves: Row,
}

impl Dirichlets {
    #[inline(always)]
    pub(super) fn set(&mut self, index: usize, sum: Dirichlet) {
        self.values[index] = sum.value;
        self.slopes[index] = sum.slope;
        self.curves[index] = sum.curve;
    }
}

/// The sums for the frequency of `a` and `sign` times each of `b`; where these cancel each other, NaN.
#[inline(always)]
pub(super) fn row_of_sums(a: &[f64; 4], b: &Halves, sign: f64, length: f64) -> Dirichlets {
    let mut sums = Dirichlets {
        values: [0.0; WIDTH],
        slopes: [0.0; WIDTH],
        curves: [0.0; WIDTH],
    };
    let [near_sin, near_cos, far_sin, far_cos] = &b.0;
    for j in 0..WIDTH {
        let b = [near_sin[j], near_cos[j], far_sin[j], far_cos[j]];
        let sum = closed_form(together(a, &b, sign), length);
        sums.values[j] = sum.value;
        sums.slopes[j] = sum.slope;
        sums.curves[j] = sum.curve;
    }
    sums
}

/// The sum for the frequency of `a` and `sign` times that of `b`, whose half angles are given.
#[inline(always)]
pub(super) fn dirichlet(a: &[f64; 4], b: &[f64; 4], sign: f64, length: f64) -> Dirichlet {
    let halves = together(a, b, sign);
    let sin = halves[0];
    if sin.abs() * length < 1e-3 {
        // Near 0 the first terms of the series: of t^2 the sum is L (L^2 - 1) / 12.
        let (w, squares) = (2.0 * sin, length * (length * length - 1.0) / 12.0);
        return Dirichlet {
            value: length - 0.5 * w * w * squares,
            slope: -w * squares,
            curve: -squares,
        };
    }
    closed_form(halves, length)
}

/// The half angles of the frequency of `a` and `sign` times that of `b`.
#[inline(always)]
fn together(a: &[f64; 4], b: &[f64; 4], sign: f64) -> [f64; 4] {
    [
        a[0] * b[1] + sign * a[1] * b[0],
        a[1] * b[1] - sign * a[0] * b[0],
        a[2] * b[3] + sign * a[3] * b[2],
        a[3] * b[3] - sign * a[2] * b[2],
    ]
}

#[inline(always)]
fn closed_form([sin, cos, sin_length, cos_length]: [f64; 4], length: f64) -> Dirichlet {
    let inverse = 1.0 / sin;
    let value = sin_length * inverse;
    let slope = (0.5 * length * cos_length - 0.5 * value * cos) * inverse;
    let curve = (0.25 * sin * value - 0.25 * length * length * sin_length - slope * cos) * inverse;
    Dirichlet { value, slope, curve }
}

/// Sine and cosine of the sum of two angles that are given by theirs.
#[inline(always)]
pub(super) fn sum_of_angles(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[1] + a[1] * b[0], a[1] * b[1] - a[0] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_form_is_the_sum() {
        let half = 127;
        let length = f64::from(2 * half + 1);
        let halves = |w: f64| {
            let ((a, b), (c, d)) = ((w / 2.0).sin_cos(), (w * length / 2.0).sin_cos());
            [a, b, c, d]
        };
        for (v, w) in [
            (0.0, 0.0),
            (0.3, 0.3),
            (0.1, 0.7),
            (1.3, 0.2),
            (0.500_001, 0.5),
            (3.0, 0.05),
        ] {
            for sign in [1.0, -1.0] {
                let together: f64 = v + sign * w;
                let sums = (-half..=half).map(f64::from).fold([0.0; 3], |[x, y, z], t| {
                    let (sin, cos) = (together * t).sin_cos();
                    [x + cos, y - t * sin, z - t * t * cos]
                });
                let found = dirichlet(&halves(v), &halves(w), sign, length);
                let found = [found.value, found.slope, found.curve];
                for (power, (found, expected)) in found.into_iter().zip(sums).enumerate() {
                    let scale = length.powi(1 + power as i32);
                    assert!(
                        (found - expected).abs() < 1e-9 * scale,
                        "{v} {sign} {w}: {found}, {expected}"
                    );
                }
            }
        }
    }
}
