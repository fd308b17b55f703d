//! The roots of a polynomial with real coefficients.

use super::prediction::{Filter, MOST};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    fn plus(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }

    fn inverse(self) -> Self {
        let square = self.re * self.re + self.im * self.im;
        Self {
            re: self.re / square,
            im: -self.im / square,
        }
    }

    pub(super) fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }
}

/// Rounds after which a root that does not settle is taken as it is; roots that are apart take 5 to 10.
const ROUNDS: usize = 60;

/// The roots of z^n + a1 z^(n-1) + .. + an with a = `filter` and n = `order`, all at once by the method of O. Aberth
/// (Mathematics of Computation 27, 1973): Newton's step, with the other roots divided out. It converges from nearly anywhere,
/// and each root's last steps are Newton's own on the whole polynomial, so that none carries another's error.
pub(super) fn roots(filter: &Filter, order: usize) -> [Complex; MOST] {
    let mut z = [Complex::default(); MOST];
    for (k, z) in z.iter_mut().enumerate().take(order) {
        // On a circle where the poles of voices are, at angles that no pair of conjugates shares.
        let angle = std::f64::consts::TAU * (k as f64 + 0.35) / order as f64;
        *z = Complex {
            re: 0.9 * angle.cos(),
            im: 0.9 * angle.sin(),
        };
    }
    for _ in 0..ROUNDS {
        let mut largest = 0.0_f64;
        for k in 0..order {
            let Some(newton) = step(filter, order, z[k]) else {
                continue;
            };
            let mut repulsion = Complex::default();
            for j in (0..order).filter(|&j| j != k && z[j] != z[k]) {
                repulsion = repulsion.plus(z[k].minus(z[j]).inverse());
            }
            let one = Complex { re: 1.0, im: 0.0 };
            let move_ = newton.times(one.minus(newton.times(repulsion)).inverse());
            if move_.re.is_finite() && move_.im.is_finite() {
                z[k] = z[k].minus(move_);
                largest = largest.max(move_.modulus());
            }
        }
        if largest < 1e-13 {
            break;
        }
    }
    z
}

/// p(z) / p'(z); `None` where p' is 0.
fn step(filter: &Filter, order: usize, z: Complex) -> Option<Complex> {
    let (mut value, mut slope) = (Complex { re: 1.0, im: 0.0 }, Complex::default());
    for &a in &filter[1..=order] {
        slope = slope.times(z).plus(value);
        value = value.times(z);
        value.re += a;
    }
    let step = value.times(slope.inverse());
    (step.re.is_finite() && step.im.is_finite()).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_pairs_are_found() {
        let pairs = [
            (0.99, 0.1),
            (0.985, 0.14),
            (0.97, 0.9),
            (0.9, 2.0),
            (0.95, 2.6),
            (0.3, 1.2),
        ];
        let mut filter = [0.0; MOST + 1];
        filter[0] = 1.0;
        let mut order = 0;
        for (radius, angle) in pairs {
            let (b, c) = (-2.0 * radius * f64::cos(angle), radius * radius);
            for k in (0..=order + 2).rev() {
                let one = if k >= 1 { filter[k - 1] } else { 0.0 };
                let two = if k >= 2 { filter[k - 2] } else { 0.0 };
                filter[k] += b * one + c * two;
            }
            order += 2;
        }
        let found = roots(&filter, order);
        for (radius, angle) in pairs {
            let near = found[..order]
                .iter()
                .map(|z| (z.re - radius * angle.cos()).hypot(z.im - radius * angle.sin()));
            assert!(near.fold(1.0, f64::min) < 1e-9, "{radius}, {angle}");
        }
    }

    #[test]
    fn roots_at_zero_and_on_the_axis_are_finite() {
        let mut filter = [0.0; MOST + 1];
        filter[0] = 1.0;
        filter[1] = -0.5;
        let found = roots(&filter, 4);
        assert!(found[..4].iter().all(|z| z.modulus().is_finite()));
        assert!(found[..4].iter().any(|z| (z.re - 0.5).hypot(z.im) < 1e-9));
    }
}
