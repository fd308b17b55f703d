//! The frequency response of a microphone, and its correction.

use crate::Short;
use crate::biquad::{Biquad, BiquadState};
use crate::equalizer::{Band, EqualizerError, GAINS, gains_for_curve};
use std::error::Error;
use std::fmt::{self, Display};

/// The most points of a response.
pub const MAX_POINTS: usize = 4096;

/// A measured frequency response: the deviation of a microphone in dB, at some frequencies. The correction covers 20 Hz to 0.45
/// of the sample rate, within 1 dB.
#[derive(Clone, Debug, PartialEq)]
pub struct MicrophoneResponse {
    /// Frequencies in Hz, ascending, each with the deviation in dB.
    points: Vec<(f64, f64)>,
}

/// The error of a response: the expected value, and the given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResponseError {
    /// There are no points, or more than [`MAX_POINTS`].
    Count {
        /// The given number.
        got: usize,
    },
    /// A frequency is not above the one before, or above 0.
    Frequency {
        /// The point, from 0.
        point: usize,
        /// The given frequency, in Hz.
        got: f64,
    },
    /// A deviation is not within ±24 dB of that at 1 kHz, or is not a number.
    Deviation {
        /// The point, from 0.
        point: usize,
        /// The given deviation, in dB.
        got: f64,
    },
    /// Filters a third of an octave wide cannot correct it within 1 dB.
    TooSteep {
        /// The frequency of the largest error, in Hz.
        frequency: f64,
        /// The remaining error there, in dB.
        got: f64,
    },
    /// The bands of the correction are invalid at the sample rate.
    Bands(EqualizerError),
}

impl Display for ResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { got } => write!(f, "response: expected 1 to {MAX_POINTS} points, got {got}"),
            Self::Frequency { point, got } => {
                write!(
                    f,
                    "response: expected ascending frequencies above 0 Hz, got {} Hz at point {point}",
                    Short(*got)
                )
            }
            Self::Deviation { point, got } => write!(
                f,
                "response: expected deviations within {} dB of that at 1 kHz, got {} dB at point {point}",
                GAINS.end(),
                Short(*got)
            ),
            Self::TooSteep { frequency, got } => write!(
                f,
                "response: expected one that filters of a third of an octave undo within {TOLERANCE} dB, got {got:.1} dB left at \
                 {frequency:.0} Hz"
            ),
            Self::Bands(error) => error.fmt(f),
        }
    }
}

impl Error for ResponseError {}

impl MicrophoneResponse {
    /// A response of points (frequency in Hz, deviation in dB).
    ///
    /// # Errors
    /// [`ResponseError::Count`], [`ResponseError::Frequency`], [`ResponseError::Deviation`].
    pub fn new(points: Vec<(f64, f64)>) -> Result<Self, ResponseError> {
        if !(1..=MAX_POINTS).contains(&points.len()) {
            return Err(ResponseError::Count { got: points.len() });
        }
        let mut before = 0.0;
        for (point, &(frequency, deviation)) in points.iter().enumerate() {
            if !(frequency > before && frequency.is_finite()) {
                return Err(ResponseError::Frequency {
                    point,
                    got: frequency,
                });
            }
            before = frequency;
            if !deviation.is_finite() {
                return Err(ResponseError::Deviation {
                    point,
                    got: deviation,
                });
            }
        }
        let response = Self { points };
        let reference = response.decibels(REFERENCE);
        for (point, &(_, deviation)) in response.points.iter().enumerate() {
            if !GAINS.contains(&(deviation - reference)) {
                return Err(ResponseError::Deviation {
                    point,
                    got: deviation,
                });
            }
        }
        Ok(response)
    }

    /// The deviation at a frequency: between two points on the straight line over the logarithm of the frequency, beyond them
    /// that of the nearest.
    pub fn decibels(&self, frequency: f64) -> f64 {
        let above = self.points.partition_point(|(point, _)| *point < frequency);
        match (
            above.checked_sub(1).map(|below| self.points[below]),
            self.points.get(above),
        ) {
            (Some((low, from)), Some(&(high, to))) => {
                from + (to - from) * (frequency / low).ln() / (high / low).ln()
            }
            (Some((_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => 0.0,
        }
    }
}

/// The frequency at which the broad part of a response is taken.
const REFERENCE: f64 = 1_000.0;

/// The bands of a correction: a third of an octave apart, and as wide as they can be without hiding their neighbours.
const STEP: f64 = 1.0 / 3.0;
const WIDTH: f64 = 0.5;

/// The largest remaining error of a response, in dB, from 20 Hz to 0.45 of the sample rate.
const TOLERANCE: f64 = 1.0;

/// The correction of a response: a gain, and a filter per third of an octave from 20 Hz to 0.45 of the sample rate.
#[derive(Clone, Debug)]
pub(crate) struct Correction {
    factor: f64,
    filters: Vec<Biquad>,
    states: Vec<BiquadState>,
}

impl Correction {
    /// # Errors
    /// [`ResponseError::Bands`], [`ResponseError::TooSteep`].
    pub(crate) fn new(response: &MicrophoneResponse, rate: f64) -> Result<Self, ResponseError> {
        let reference = response.decibels(REFERENCE);
        let centres = (-17..).map(|step| REFERENCE * (f64::from(step) * STEP).exp2());
        let mut bands: Vec<Band> = centres
            .take_while(|centre| *centre < 0.45 * rate)
            .map(|centre| Band::peaking(centre, 0.0, WIDTH))
            .collect();
        let target = |band: &Band| reference - response.decibels(band.frequency);
        let targets: Vec<f64> = bands.iter().map(target).collect();
        gains_for_curve(&mut bands, &targets, rate).map_err(ResponseError::Bands)?;
        let filters: Vec<Biquad> = bands
            .iter()
            .filter(|band| band.gain != 0.0)
            .map(|band| band.filter(rate))
            .collect();
        let correction = Self {
            factor: 10f64.powf(-reference / 20.0),
            states: vec![BiquadState::default(); filters.len()],
            filters,
        };
        let (mut worst, mut at) = (0.0, 0.0);
        for step in 0.. {
            let frequency = 20.0 * (f64::from(step) / 24.0).exp2();
            if frequency > 0.45 * rate {
                break;
            }
            let left = (correction.decibels(frequency, rate) + response.decibels(frequency)).abs();
            if left > worst {
                (worst, at) = (left, frequency);
            }
        }
        if worst > TOLERANCE {
            return Err(ResponseError::TooSteep {
                frequency: at,
                got: worst,
            });
        }
        Ok(correction)
    }

    /// Corrects the next sample.
    pub(crate) fn process(&mut self, sample: f32) -> f32 {
        let mut sample = self.factor * f64::from(sample);
        for (filter, state) in self.filters.iter().zip(&mut self.states) {
            sample = state.process(filter, sample);
        }
        sample as f32
    }

    /// Clears faded values before they become denormal.
    pub(crate) fn flush(&mut self) {
        self.states.iter_mut().for_each(BiquadState::flush);
    }

    fn decibels(&self, frequency: f64, rate: f64) -> f64 {
        let filters = self.filters.iter().map(|filter| filter.decibels(frequency, rate));
        20.0 * self.factor.log10() + filters.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_lies_on_the_line_between_two_points() {
        let response =
            MicrophoneResponse::new(vec![(100.0, -3.0), (400.0, 1.0), (10_000.0, 6.0)]).expect("valid");
        assert!((response.decibels(200.0) + 1.0).abs() < 1e-12);
        assert_eq!((response.decibels(5.0), response.decibels(40_000.0)), (-3.0, 6.0));
    }

    #[test]
    fn correction_undoes_the_response() {
        // A cheap electret: no bass, a peak in the treble, 2.5 dB too sensitive.
        let shape = |f: f64| 2.5 - 8.0 * (-f / 60.0).exp() + 5.0 * (-(f / 9_000.0).log2().powi(2)).exp();
        let points = (0..120).map(|k| 20.0 * (f64::from(k) / 12.0).exp2());
        let response = MicrophoneResponse::new(points.map(|f| (f, shape(f))).collect()).expect("valid");
        for rate in [44_100.0, 48_000.0] {
            let correction = Correction::new(&response, rate).expect("valid");
            for k in 0..600 {
                let frequency = 25.0 * (f64::from(k) / 64.0).exp2();
                let error = correction.decibels(frequency, rate) + response.decibels(frequency);
                assert!(error.abs() < 0.3, "{frequency} Hz: {error} dB");
                if frequency > 0.4 * rate {
                    break;
                }
            }
        }
    }

    #[test]
    fn response_that_is_too_steep_is_refused() {
        let points = vec![(5_000.0, 0.0), (10_000.0, 20.0), (12_500.0, -3.0)];
        let response = MicrophoneResponse::new(points).expect("valid");
        let refused = Correction::new(&response, 48_000.0)
            .map(|_| ())
            .map_err(|error| error.to_string());
        let text = refused.expect_err("too steep");
        assert!(
            text.starts_with("response: expected one that filters of a third"),
            "{text}"
        );
    }

    #[test]
    fn refusals_name_the_point() {
        let refusal = |points: &[(f64, f64)]| {
            let refused = MicrophoneResponse::new(points.to_vec());
            refused
                .map_err(|error| error.to_string())
                .err()
                .unwrap_or_default()
        };
        assert_eq!(refusal(&[]), "response: expected 1 to 4096 points, got 0");
        assert_eq!(
            refusal(&[(20.0, 0.0), (20.0, 1.0)]),
            "response: expected ascending frequencies above 0 Hz, got 20 Hz at point 1"
        );
        assert!(refusal(&[(20.0, f64::NAN)]).ends_with("got NaN dB at point 0"));
        assert!(refusal(&[(20.0, 30.0), (1_000.0, 0.0)]).ends_with("got 30 dB at point 0"));
    }
}
