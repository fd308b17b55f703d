//! Designs that follow the analog curve up to half the sample rate, where the bilinear transform squeezes it.

use super::Biquad;
use super::analog::{Analog, bandwidth_for_q};
use super::fit::{self, Demand};
use std::f64::consts::{PI, TAU};

/// The upper end of the fitted curve, as a fraction of the sample rate: 20 kHz at 44.1 kHz.
const TOP: f64 = 20_000.0 / 44_100.0;

/// A band around `frequency` Hz with the given gain in dB and quality `q` (see [`q_for_bandwidth`](super::q_for_bandwidth)), at
/// `sample_rate` Hz. A gain of 0 dB gives [`Biquad::IDENTITY`]; a cut is the inverse of the boost.
///
/// From 0 to 24 dB either way, over bandwidths of 0.05 to 5 octaves, the curve is that of [`Analog::Peaking`] within 0.25 dB
/// (at 12 dB and less) up to 0.4535 of the sample rate, 20 kHz at 44.1 kHz, and within 0.001 dB at `frequency`. Frequencies
/// are below half the sample rate.
pub fn peaking(frequency: f64, gain: f64, q: f64, sample_rate: f64) -> Biquad {
    fitted(Analog::Peaking, frequency, gain, q, sample_rate)
}

/// All below `frequency` Hz by `gain` dB, half of it at `frequency`; arguments as for [`peaking`]. The curve is that of
/// [`Analog::LowShelf`] within 0.5 dB for a quality from 0.5 to 1.
pub fn low_shelf(frequency: f64, gain: f64, q: f64, sample_rate: f64) -> Biquad {
    fitted(Analog::LowShelf, frequency, gain, q, sample_rate)
}

/// All above `frequency` Hz by `gain` dB, half of it at `frequency`; arguments and precision as for [`low_shelf`].
pub fn high_shelf(frequency: f64, gain: f64, q: f64, sample_rate: f64) -> Biquad {
    fitted(Analog::HighShelf, frequency, gain, q, sample_rate)
}

/// A low-pass: what is above `frequency` Hz falls by 12 dB an octave; at `frequency` the factor is `q`. Poles and the factors at
/// 0 Hz and at `frequency` are those of the analog filter (M. Vicanek, "Matched second order digital filters", 2016).
pub fn low_pass(frequency: f64, q: f64, sample_rate: f64) -> Biquad {
    let [a1, a2] = poles(frequency, q, sample_rate);
    let denominator = fit::powers(1.0, a1, a2);
    let basis = fit::Basis::at(frequency, sample_rate);
    let wanted = q * q * basis.combine(denominator);
    let at_nyquist = basis.rest(wanted, denominator[0]);
    let (sum, difference) = (denominator[0].sqrt(), at_nyquist.max(0.0).sqrt());
    Biquad {
        b0: 0.5 * (sum + difference),
        b1: 0.5 * (sum - difference),
        b2: 0.0,
        a1,
        a2,
    }
}

/// A high-pass: what is below `frequency` Hz falls by 12 dB an octave; at `frequency` the factor is `q`. Made as [`low_pass`].
pub fn high_pass(frequency: f64, q: f64, sample_rate: f64) -> Biquad {
    let [a1, a2] = poles(frequency, q, sample_rate);
    let basis = fit::Basis::at(frequency, sample_rate);
    let factor = q * basis.combine(fit::powers(1.0, a1, a2)).sqrt() / basis.difference();
    Biquad {
        b0: factor,
        b1: -2.0 * factor,
        b2: factor,
        a1,
        a2,
    }
}

/// The poles of s^2 + s/q + 1 carried over by e^(s T): the coefficients a1 and a2.
fn poles(frequency: f64, q: f64, sample_rate: f64) -> [f64; 2] {
    let w = TAU * frequency / sample_rate;
    let damping = 0.5 / q;
    let radius = (-damping * w).exp();
    let angle = if damping <= 1.0 {
        (w * (1.0 - damping * damping).sqrt()).cos()
    } else {
        // Beyond w = 700 the hyperbolic cosine overflows; the radius is 0 long before.
        (w * (damping * damping - 1.0).sqrt()).min(700.0).cosh()
    };
    [-2.0 * radius * angle, radius * radius]
}

fn fitted(shape: Analog, frequency: f64, gain: f64, q: f64, sample_rate: f64) -> Biquad {
    if gain == 0.0 {
        return Biquad::IDENTITY;
    }
    let boost = 10f64.powf(gain.abs() / 20.0);
    let top = (TOP * sample_rate).max(frequency);
    let power = |frequency_here: f64| shape.power(frequency_here / frequency, boost, q);
    let demand = |frequency: f64| Demand::new(frequency, sample_rate, power(frequency), 1.0);
    let demands: Vec<Demand> = places(frequency, q, top).into_iter().map(demand).collect();
    let at_zero = power(0.0);
    let exact = (shape == Analog::Peaking).then(|| demand(frequency));
    let q_of_poles = match shape {
        Analog::Peaking => q * boost.sqrt(),
        Analog::LowShelf | Analog::HighShelf => q,
    };
    let filter = fit::filter(
        &demands,
        exact,
        at_zero,
        poles(frequency, q_of_poles, sample_rate),
    );
    let filter = filter.unwrap_or_else(|| bilinear(shape, frequency, boost, q, sample_rate));
    if gain > 0.0 { filter } else { filter.inverse() }
}

/// The frequencies of a fit: around the band as densely as its width asks, and evenly up to `top`.
fn places(frequency: f64, q: f64, top: f64) -> Vec<f64> {
    const AROUND: usize = 48;
    const EVENLY: usize = 24;
    let span = (3.0 * bandwidth_for_q(q)).max(1.0);
    let around = (0..=AROUND).map(|k| {
        let position = 2.0 * k as f64 / AROUND as f64 - 1.0;
        frequency * (span * position).exp2()
    });
    let low = 0.25 * frequency;
    let evenly = (0..=EVENLY).map(|k| low + (top - low) * k as f64 / EVENLY as f64);
    around.chain(evenly).filter(|place| *place <= top).collect()
}

/// The design by the bilinear transform, for frequencies between the top and half the sample rate.
fn bilinear(shape: Analog, frequency: f64, boost: f64, q: f64, sample_rate: f64) -> Biquad {
    let k = (PI * frequency / sample_rate).tan();
    let a = boost.sqrt();
    let from_analog = |[n2, n1, n0]: [f64; 3], [d2, d1, d0]: [f64; 3]| {
        let scale = 1.0 / (d2 + d1 * k + d0 * k * k);
        Biquad {
            b0: (n2 + n1 * k + n0 * k * k) * scale,
            b1: 2.0 * (n0 * k * k - n2) * scale,
            b2: (n2 - n1 * k + n0 * k * k) * scale,
            a1: 2.0 * (d0 * k * k - d2) * scale,
            a2: (d2 - d1 * k + d0 * k * k) * scale,
        }
    };
    let slope = a.sqrt() / q;
    match shape {
        Analog::Peaking => from_analog([1.0, a / q, 1.0], [1.0, 1.0 / (a * q), 1.0]),
        Analog::LowShelf => from_analog([a, a * slope, a * a], [a, slope, 1.0]),
        Analog::HighShelf => from_analog([a * a, a * slope, a], [1.0, slope, a]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::biquad::q_for_bandwidth;

    const RATES: [f64; 4] = [44_100.0, 48_000.0, 96_000.0, 192_000.0];

    /// The greatest distance from the analog curve in dB, from 5 Hz to 20 kHz.
    fn distance(filter: &Biquad, shape: Analog, frequency: f64, gain: f64, q: f64, rate: f64) -> f64 {
        let boost = 10f64.powf(gain / 20.0);
        let mut worst: f64 = 0.0;
        for k in 0..=1200 {
            let place = 5.0 * 4000f64.powf(f64::from(k) / 1200.0);
            let expected = 10.0 * shape.power(place / frequency, boost, q).log10();
            worst = worst.max((filter.decibels(place, rate) - expected).abs());
        }
        worst
    }

    #[test]
    fn peaking_follows_the_analog_curve() {
        let mut report: f64 = 0.0;
        for rate in RATES {
            for octaves in [0.05, 0.2, 0.5, 1.0, 2.0, 3.5, 5.0] {
                for frequency in [
                    8.0, 20.0, 64.0, 256.0, 1024.0, 2048.0, 4096.0, 5120.0, 7000.0, 10_240.0, 13_000.0,
                    16_384.0,
                ] {
                    for gain in [12.0, -12.0, 5.0, -1.0, 0.1] {
                        let q = q_for_bandwidth(octaves);
                        let filter = peaking(frequency, gain, q, rate);
                        assert!(filter.is_stable() && filter.inverse().is_stable());
                        let worst = distance(&filter, Analog::Peaking, frequency, gain, q, rate);
                        let centre = (filter.decibels(frequency, rate) - gain).abs();
                        let what = format!("{gain} dB at {frequency} Hz, {octaves} octaves, {rate} Hz");
                        assert!(worst <= 0.25, "{what}: {worst} dB");
                        assert!(centre <= 0.001, "{what}: {centre} dB in the centre");
                        report = report.max(worst);
                    }
                }
            }
        }
        println!("worst distance of a band from its analog curve: {report:.3} dB");
    }

    #[test]
    fn shelves_follow_the_analog_curve() {
        let mut report: f64 = 0.0;
        for (shape, design) in [
            (Analog::LowShelf, low_shelf as fn(f64, f64, f64, f64) -> Biquad),
            (Analog::HighShelf, high_shelf),
        ] {
            for rate in RATES {
                for q in [0.5, std::f64::consts::FRAC_1_SQRT_2, 1.0] {
                    for frequency in [30.0, 105.0, 1000.0, 4000.0, 10_000.0] {
                        for gain in [12.0, -12.0, 3.0] {
                            let filter = design(frequency, gain, q, rate);
                            assert!(filter.is_stable() && filter.inverse().is_stable());
                            let worst = distance(&filter, shape, frequency, gain, q, rate);
                            assert!(
                                worst <= 0.5,
                                "{shape:?} {gain} dB at {frequency} Hz, Q {q}, {rate} Hz: {worst} dB"
                            );
                            report = report.max(worst);
                        }
                    }
                }
            }
        }
        println!("worst distance of a shelf from its analog curve: {report:.3} dB");
    }

    #[test]
    fn passes_have_their_factor_at_the_frequency_and_far_from_it() {
        for rate in RATES {
            for frequency in [20.0, 500.0, 8000.0] {
                let low = low_pass(frequency, 0.8, rate);
                let high = high_pass(frequency, 0.8, rate);
                assert!(low.is_stable() && high.is_stable());
                assert!((low.magnitude(0.0, rate) - 1.0).abs() < 1e-6);
                assert!((low.magnitude(frequency, rate) - 0.8).abs() < 1e-9);
                assert!((high.magnitude(frequency, rate) - 0.8).abs() < 1e-9);
                assert!(high.magnitude(frequency / 100.0, rate) < 1.1e-4);
                assert!(low.magnitude((0.5 * rate).min(10.0 * frequency), rate) < 0.2);
            }
        }
    }

    #[test]
    fn no_gain_is_no_filter() {
        assert!(peaking(1000.0, 0.0, 1.0, 48_000.0).is_identity());
    }

    #[test]
    fn frequencies_next_to_half_the_rate_are_stable() {
        for frequency in [20_500.0, 21_900.0, 22_049.0] {
            for gain in [12.0, -24.0] {
                let filter = peaking(frequency, gain, 2.0, 44_100.0);
                assert!(filter.is_stable(), "{frequency} {gain}: {filter:?}");
                assert!((filter.decibels(frequency, 44_100.0) - gain).abs() < 0.01);
            }
        }
    }
}
