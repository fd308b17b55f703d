//! The analog filters whose curves the designs follow.

/// An analog prototype: the squared magnitude of its curve is what a digital design is fitted to.
///
/// The transfer functions are those that parametric equalizers share (R. Bristow-Johnson, "Cookbook formulae for audio
/// equalizer biquad filter coefficients"), with s = i f / f0 and A the square root of the gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Analog {
    /// (s^2 + s A/Q + 1) / (s^2 + s/(A Q) + 1): the gain at f0, 1 far from it. The bandwidth lies between the two
    /// frequencies that have half the gain in decibels.
    Peaking,
    /// A (s^2 + s sqrt(A)/Q + A) / (A s^2 + s sqrt(A)/Q + 1): the gain far below f0, half of it (in decibels) at f0.
    LowShelf,
    /// A (A s^2 + s sqrt(A)/Q + 1) / (s^2 + s sqrt(A)/Q + A): the gain far above f0, half of it (in decibels) at f0.
    HighShelf,
}

impl Analog {
    /// The square of the magnitude at `ratio` = f / f0, for a linear `gain` and a quality `q`, both above 0.
    pub fn power(self, ratio: f64, gain: f64, q: f64) -> f64 {
        let (r2, a) = (ratio * ratio, gain.sqrt());
        let square = |x: f64| x * x;
        match self {
            Self::Peaking => {
                let real = square(1.0 - r2);
                (real + r2 * square(a / q)) / (real + r2 * square(1.0 / (a * q)))
            }
            Self::LowShelf => {
                let slope = r2 * a / (q * q);
                a * a * (square(a - r2) + slope) / (square(1.0 - a * r2) + slope)
            }
            Self::HighShelf => {
                let slope = r2 * a / (q * q);
                a * a * (square(1.0 - a * r2) + slope) / (square(a - r2) + slope)
            }
        }
    }
}

/// The quality Q of a band as wide as `octaves`: 1/Q = 2 sinh(ln 2 / 2 octaves).
pub fn q_for_bandwidth(octaves: f64) -> f64 {
    0.5 / (0.5 * std::f64::consts::LN_2 * octaves).sinh()
}

/// The width in octaves of a band of quality `q`, the inverse of [`q_for_bandwidth`].
pub fn bandwidth_for_q(q: f64) -> f64 {
    2.0 / std::f64::consts::LN_2 * (0.5 / q).asinh()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidth_lies_between_the_points_of_half_the_decibels() {
        for octaves in [0.1, 1.0, 5.0] {
            let q = q_for_bandwidth(octaves);
            assert!((bandwidth_for_q(q) / octaves - 1.0).abs() < 1e-12);
            let gain: f64 = 4.0;
            for edge in [-0.5, 0.5] {
                let ratio = (octaves * edge).exp2();
                // Half the decibels is the square root of the gain, whose square is the gain.
                assert!((Analog::Peaking.power(ratio, gain, q) - gain).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn shelves_have_their_gain_on_their_side_and_half_of_it_in_the_middle() {
        let gain: f64 = 3.0;
        for (shelf, far) in [(Analog::LowShelf, 1e-6), (Analog::HighShelf, 1e6)] {
            assert!((shelf.power(far, gain, 0.7) - gain * gain).abs() < 1e-6);
            assert!((shelf.power(1.0 / far, gain, 0.7) - 1.0).abs() < 1e-6);
            assert!((shelf.power(1.0, gain, 0.7) - gain).abs() < 1e-12);
        }
    }

    #[test]
    fn cut_undoes_a_boost() {
        for shape in [Analog::Peaking, Analog::LowShelf, Analog::HighShelf] {
            for ratio in [0.1, 0.9, 2.0, 30.0] {
                let both = shape.power(ratio, 2.5, 0.8) * shape.power(ratio, 0.4, 0.8);
                assert!((both - 1.0).abs() < 1e-12, "{shape:?} {ratio}");
            }
        }
    }
}
