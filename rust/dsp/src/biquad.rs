//! Second-order recursive filters: coefficients, responses, and the scalar form of the computation.

mod analog;
mod design;
mod fit;

pub use analog::{Analog, bandwidth_for_q, q_for_bandwidth};
pub use design::{high_pass, high_shelf, low_pass, low_shelf, peaking};
pub(crate) use fit::{Demand, numerator_for_poles};

/// The coefficients of (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2), in `f64`: with `f32`, filters that are low
/// against the sample rate miss their gain by tenths of a decibel and add noise at -46 dB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Biquad {
    /// Of the input.
    pub b0: f64,
    /// Of the input one sample ago.
    pub b1: f64,
    /// Of the input two samples ago.
    pub b2: f64,
    /// Of the output one sample ago, to be subtracted.
    pub a1: f64,
    /// Of the output two samples ago, to be subtracted.
    pub a2: f64,
}

impl Biquad {
    /// The filter that changes nothing.
    pub const IDENTITY: Self = Self {
        b0: 1.0,
        b1: 0.0,
        b2: 0.0,
        a1: 0.0,
        a2: 0.0,
    };

    /// Whether input and output are equal, bit for bit.
    pub fn is_identity(&self) -> bool {
        self.b0 == 1.0 && self.b1 == self.a1 && self.b2 == self.a2
    }

    /// Whether both poles are inside the unit circle, so that the response to any bounded signal is bounded.
    pub fn is_stable(&self) -> bool {
        self.a2.abs() < 1.0 && self.a1.abs() < 1.0 + self.a2
    }

    /// The filter that undoes this one. It is stable when the zeros of this one are inside the unit circle, as those of
    /// every equalizing design in this module are.
    pub fn inverse(&self) -> Self {
        let scale = 1.0 / self.b0;
        Self {
            b0: scale,
            b1: self.a1 * scale,
            b2: self.a2 * scale,
            a1: self.b1 * scale,
            a2: self.b2 * scale,
        }
    }

    /// The factor on the amplitude of a sine of `frequency` Hz at a sample rate of `sample_rate` Hz.
    pub fn magnitude(&self, frequency: f64, sample_rate: f64) -> f64 {
        let basis = fit::Basis::at(frequency, sample_rate);
        let squared = |c0, c1, c2| basis.combine(fit::powers(c0, c1, c2)).max(0.0);
        (squared(self.b0, self.b1, self.b2) / squared(1.0, self.a1, self.a2)).sqrt()
    }

    /// The same in decibels; a filter that silences the frequency has minus infinity.
    pub fn decibels(&self, frequency: f64, sample_rate: f64) -> f64 {
        20.0 * self.magnitude(frequency, sample_rate).log10()
    }
}

/// The state of a filter for one signal: the transposed direct form 2, whose two sums stay small where the poles are near the
/// unit circle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BiquadState {
    first: f64,
    second: f64,
}

impl BiquadState {
    /// The next output of `filter` for the next input.
    #[inline]
    pub fn process(&mut self, filter: &Biquad, input: f64) -> f64 {
        let output = filter.b0 * input + self.first;
        self.first = filter.b1 * input - filter.a1 * output + self.second;
        self.second = filter.b2 * input - filter.a2 * output;
        output
    }

    /// Clears sums that have faded to less than 1e-30, 600 dB below full scale, before they become so small that a CPU computes
    /// with them many times slower.
    #[inline]
    pub fn flush(&mut self) {
        if self.first.abs() < 1e-30 {
            self.first = 0.0;
        }
        if self.second.abs() < 1e-30 {
            self.second = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The magnitude by its definition, with a complex exponential.
    fn by_definition(filter: &Biquad, frequency: f64, sample_rate: f64) -> f64 {
        let w = std::f64::consts::TAU * frequency / sample_rate;
        let size = |c0: f64, c1: f64, c2: f64| {
            let re = c0 + c1 * w.cos() + c2 * (2.0 * w).cos();
            let im = c1 * w.sin() + c2 * (2.0 * w).sin();
            re.hypot(im)
        };
        size(filter.b0, filter.b1, filter.b2) / size(1.0, filter.a1, filter.a2)
    }

    #[test]
    fn magnitude_is_that_of_the_definition() {
        let filter = peaking(1000.0, 6.0, 1.4, 48_000.0);
        for frequency in [10.0, 500.0, 1000.0, 2000.0, 12_345.0, 23_999.0] {
            let (got, expected) = (
                filter.magnitude(frequency, 48_000.0),
                by_definition(&filter, frequency, 48_000.0),
            );
            assert!(
                (got / expected - 1.0).abs() < 1e-9,
                "{frequency} Hz: {got} {expected}"
            );
        }
    }

    #[test]
    fn impulse_response_is_that_of_the_difference_equation() {
        let filter = Biquad {
            b0: 0.5,
            b1: -0.25,
            b2: 0.125,
            a1: -0.5,
            a2: 0.25,
        };
        let mut state = BiquadState::default();
        let output: Vec<f64> = [1.0, 0.0, 0.0, 0.0]
            .map(|input| state.process(&filter, input))
            .into();
        // y[n] = 0.5 x[n] - 0.25 x[n-1] + 0.125 x[n-2] + 0.5 y[n-1] - 0.25 y[n-2], by hand.
        assert_eq!(output, [0.5, 0.0, 0.0, 0.0]);
        let filter = Biquad { b1: 0.25, ..filter };
        let mut state = BiquadState::default();
        let output: Vec<f64> = [1.0, 0.0, 0.0].map(|input| state.process(&filter, input)).into();
        assert_eq!(output, [0.5, 0.5, 0.25]);
    }

    #[test]
    fn inverse_undoes() {
        let filter = peaking(3000.0, 9.0, 0.7, 44_100.0);
        let inverse = filter.inverse();
        assert!(inverse.is_stable());
        let (mut there, mut back) = (BiquadState::default(), BiquadState::default());
        for n in 0..1000 {
            let input = (f64::from(n) * 0.37).sin();
            let output = back.process(&inverse, there.process(&filter, input));
            assert!((output - input).abs() < 1e-12);
        }
    }

    #[test]
    fn faded_state_is_forgotten() {
        let mut state = BiquadState {
            first: 9e-31,
            second: -2e-30,
        };
        state.flush();
        assert_eq!((state.first, state.second), (0.0, -2e-30));
    }
}
