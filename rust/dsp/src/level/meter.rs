//! The level of one channel over time.

use super::{FrequencyWeighting, Histogram, WeightingFilter, decibels};
use std::error::Error;
use std::fmt::{self, Display};

/// How fast a level follows the sound: the time constant of its exponential mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeWeighting {
    /// F, 0.125 s: falls by 34.7 dB a second after a sound stops.
    #[default]
    Fast,
    /// S, 1 s: falls by 4.34 dB a second.
    Slow,
}

impl TimeWeighting {
    /// The time constant in seconds.
    pub const fn seconds(self) -> f64 {
        match self {
            Self::Fast => 0.125,
            Self::Slow => 1.0,
        }
    }
}

/// What is wrong with an argument of a meter: what is expected, and what came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeterError {
    /// The sample rate is not from 8000 to 768,000 Hz.
    SampleRate {
        /// The rate that came, in Hz.
        got: f64,
    },
    /// There are no channels, or more than the meter takes.
    Channels {
        /// The most channels.
        limit: usize,
        /// The number that came.
        got: usize,
    },
    /// A block is not a whole number of frames.
    BlockLength {
        /// The number of channels.
        channels: usize,
        /// The number of samples that came.
        got: usize,
    },
}

impl Display for MeterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SampleRate { got } => write!(f, "sample rate: expected 8000 to 768000 Hz, got {got}"),
            Self::Channels { limit, got } => write!(f, "channels: expected 1 to {limit}, got {got}"),
            Self::BlockLength { channels, got } => write!(
                f,
                "block: expected a whole number of frames of {channels} samples, got {got} samples"
            ),
        }
    }
}

impl Error for MeterError {}

/// Refuses a sample rate that no meter takes.
pub(crate) fn check_rate(rate: f64) -> Result<(), MeterError> {
    if (8000.0..=768_000.0).contains(&rate) {
        Ok(())
    } else {
        Err(MeterError::SampleRate { got: rate })
    }
}

/// What a meter shows. Levels are in dB with the calibration offset; minus infinity is silence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelReading {
    /// The length of the measurement in seconds.
    pub seconds: f64,
    /// The time-weighted level at the end of it, such as LAF.
    pub level: f64,
    /// The equivalent level: that of the mean square over the measurement, such as LAeq.
    pub equivalent: f64,
    /// The highest time-weighted level, such as LAFmax.
    pub highest: f64,
    /// The lowest time-weighted level, such as LAFmin, from 5 time constants after the start on; until then not a number.
    pub lowest: f64,
    /// The highest absolute value of the C-weighted samples as a level, LCpeak.
    pub peak: f64,
    /// The exposure level: that of the same energy within 1 second, such as LAE.
    pub exposure: f64,
    /// The number of samples at or beyond full scale.
    pub overloads: u64,
}

/// Measures one channel. Memory is of a fixed size, however long the measurement; only [`new`](Self::new) allocates.
#[derive(Clone, Debug)]
pub struct LevelMeter {
    rate: f64,
    offset: f64,
    weighting: WeightingFilter,
    peak_weighting: WeightingFilter,
    /// The share of a new square in the exponential mean.
    share: f64,
    settled_after: u64,
    between_counts: u64,
    state: State,
    /// Time-weighted levels, every 10 ms.
    levels: Histogram,
}

#[derive(Clone, Copy, Debug)]
struct State {
    mean: f64,
    sum: f64,
    highest: f64,
    lowest: f64,
    peak: f64,
    overloads: u64,
    samples: u64,
    until_count: u64,
}

impl State {
    fn new(until_count: u64) -> Self {
        Self {
            mean: 0.0,
            sum: 0.0,
            highest: 0.0,
            lowest: f64::NAN,
            peak: 0.0,
            overloads: 0,
            samples: 0,
            until_count,
        }
    }
}

/// The levels that percentiles tell apart: 0.1 dB from -200 to 40 dB relative to full scale.
const LEVELS: (f64, f64, f64) = (-200.0, 40.0, 0.1);

impl LevelMeter {
    /// A meter for `rate` Hz. `offset` is the calibration in dB: what is added to a level relative to full scale.
    ///
    /// # Errors
    /// [`MeterError::SampleRate`].
    pub fn new(
        rate: f64,
        frequency: FrequencyWeighting,
        time: TimeWeighting,
        offset: f64,
    ) -> Result<Self, MeterError> {
        check_rate(rate)?;
        let between_counts = (0.01 * rate).round() as u64;
        Ok(Self {
            rate,
            offset,
            weighting: WeightingFilter::new(frequency, rate),
            peak_weighting: WeightingFilter::new(FrequencyWeighting::C, rate),
            share: -(-1.0 / (rate * time.seconds())).exp_m1(),
            settled_after: (5.0 * time.seconds() * rate) as u64,
            between_counts,
            state: State::new(between_counts),
            levels: Histogram::new(LEVELS.0, LEVELS.1, LEVELS.2),
        })
    }

    /// Takes the next samples. One that is NaN or infinite counts as an overload and as silence.
    pub fn process(&mut self, samples: impl IntoIterator<Item = f32>) {
        let mut state = self.state;
        for sample in samples {
            let sample = f64::from(sample);
            if sample.abs() >= 1.0 || sample.is_nan() {
                state.overloads += 1;
            }
            let sample = if sample.is_finite() { sample } else { 0.0 };
            let weighted = self.weighting.process(sample);
            let square = weighted * weighted;
            state.sum += square;
            state.mean += self.share * (square - state.mean);
            state.highest = state.highest.max(state.mean);
            state.peak = state.peak.max(self.peak_weighting.process(sample).abs());
            state.samples += 1;
            if state.samples > self.settled_after {
                // The lesser of a number and NaN is the number.
                state.lowest = state.lowest.min(state.mean);
            }
            state.until_count -= 1;
            if state.until_count == 0 {
                state.until_count = self.between_counts;
                if state.samples > self.settled_after {
                    self.levels.add(decibels(state.mean), 0.0);
                }
                self.weighting.flush();
                self.peak_weighting.flush();
                if state.mean < 1e-60 {
                    state.mean = 0.0;
                }
            }
        }
        self.state = state;
    }

    /// What the meter shows now.
    pub fn reading(&self) -> LevelReading {
        let state = &self.state;
        let seconds = state.samples as f64 / self.rate;
        let level = |mean_square: f64| decibels(mean_square) + self.offset;
        let mean = if state.samples == 0 {
            0.0
        } else {
            state.sum / state.samples as f64
        };
        LevelReading {
            seconds,
            level: level(state.mean),
            equivalent: level(mean),
            highest: level(state.highest),
            lowest: level(state.lowest),
            peak: level(state.peak * state.peak),
            exposure: level(state.sum / self.rate),
            overloads: state.overloads,
        }
    }

    /// The level that was exceeded for `percent` of the measurement, such as LA10 for 10, from the time-weighted level every
    /// 10 ms, from 5 time constants after the start on, as for the lowest level; `None` until then. Below -200 dB relative to full
    /// scale it is minus infinity.
    pub fn exceeded(&self, percent: f64) -> Option<f64> {
        let level = self.levels.percentile(1.0 - percent / 100.0, f64::NEG_INFINITY)?;
        if level <= LEVELS.0 + LEVELS.2 {
            return Some(f64::NEG_INFINITY);
        }
        // A class is 0.1 dB wide, and has one end for all that is beyond: no share of the time is spent outside of what there was.
        let (lowest, highest) = (decibels(self.state.lowest), decibels(self.state.highest));
        Some(level.max(lowest).min(highest) + self.offset)
    }

    /// Begins a new measurement. The filters go on: a sound that lasts has no beginning.
    pub fn restart(&mut self) {
        let mean = self.state.mean;
        self.state = State {
            mean,
            ..State::new(self.between_counts)
        };
        self.levels.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    fn meter(frequency: FrequencyWeighting, time: TimeWeighting) -> LevelMeter {
        LevelMeter::new(RATE, frequency, time, 0.0).expect("a valid rate")
    }

    fn sine(frequency: f64, seconds: f64) -> impl Iterator<Item = f32> {
        (0..(seconds * RATE) as u32)
            .map(move |n| (std::f64::consts::TAU * (frequency / RATE * f64::from(n)).fract()).sin() as f32)
    }

    #[test]
    fn equivalent_level_is_that_of_the_mean_square() {
        let mut meter =
            LevelMeter::new(RATE, FrequencyWeighting::Z, TimeWeighting::Fast, 94.0).expect("a valid rate");
        let samples: Vec<f32> = sine(997.0, 2.0).collect();
        meter.process(samples.iter().copied());
        let mean = samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len() as f64;
        let reading = meter.reading();
        assert!((reading.equivalent - 94.0 - decibels(mean)).abs() < 1e-9);
        assert!((reading.equivalent - 94.0 + 3.0103).abs() < 1e-4);
        assert!((reading.exposure - reading.equivalent - decibels(2.0)).abs() < 1e-9);
        assert_eq!(reading.seconds, 2.0);
    }

    #[test]
    fn level_falls_as_fast_as_its_time_constant_says() {
        for (time, rate) in [(TimeWeighting::Fast, 34.744), (TimeWeighting::Slow, 4.343)] {
            let mut meter = meter(FrequencyWeighting::A, time);
            meter.process(sine(1000.0, 10.0));
            // The filter's own end is over after a few milliseconds.
            meter.process(std::iter::repeat_n(0.0, 4800));
            let before = meter.reading().level;
            meter.process(std::iter::repeat_n(0.0, 48_000));
            let fall = before - meter.reading().level;
            assert!((fall - rate).abs() < 0.05, "{time:?}: {fall}");
        }
    }

    #[test]
    fn bursts_read_as_the_standard_says() {
        // 10 lg(1 - e^(-T / time constant)) below the steady level of the same tone at 4 kHz.
        for (time, milliseconds) in [
            (TimeWeighting::Fast, 1000.0),
            (TimeWeighting::Fast, 200.0),
            (TimeWeighting::Fast, 50.0),
            (TimeWeighting::Fast, 10.0),
            (TimeWeighting::Fast, 1.0),
            (TimeWeighting::Slow, 1000.0),
            (TimeWeighting::Slow, 200.0),
            (TimeWeighting::Slow, 50.0),
        ] {
            // The weighting's own beginning and end are longer than the shortest bursts.
            let weighting = if milliseconds < 10.0 {
                FrequencyWeighting::Z
            } else {
                FrequencyWeighting::A
            };
            let mut steady = meter(weighting, time);
            steady.process(sine(4000.0, 12.0));
            let mut burst = meter(weighting, time);
            burst.process(std::iter::repeat_n(0.0, 4800));
            burst.process(sine(4000.0, milliseconds / 1000.0));
            burst.process(std::iter::repeat_n(0.0, 4800));
            let got = burst.reading().highest - steady.reading().highest;
            let expected = 10.0 * (-(-milliseconds / 1000.0 / time.seconds()).exp_m1()).log10();
            assert!(
                (got - expected).abs() < 0.05,
                "{time:?} {milliseconds} ms: {got} {expected}"
            );
        }
    }

    #[test]
    fn percentiles_tell_loud_from_soft() {
        let mut meter = meter(FrequencyWeighting::Z, TimeWeighting::Fast);
        meter.process(sine(1000.0, 2.0));
        meter.process(sine(1000.0, 8.0).map(|x| 0.1 * x));
        let (l10, l50, l90) = (meter.exceeded(10.0), meter.exceeded(50.0), meter.exceeded(90.0));
        let near =
            |level: Option<f64>, expected: f64| level.is_some_and(|level| (level - expected).abs() < 0.15);
        assert!(
            near(l10, -3.01) && near(l50, -23.01) && near(l90, -23.01),
            "{l10:?} {l50:?} {l90:?}"
        );
    }

    #[test]
    fn peak_lowest_and_overloads_are_told() {
        let mut meter = meter(FrequencyWeighting::A, TimeWeighting::Fast);
        meter.process(sine(1000.0, 0.5).map(|x| 0.5 * x));
        assert!(meter.reading().lowest.is_nan());
        meter.process(sine(1000.0, 0.5).map(|x| 0.5 * x));
        let reading = meter.reading();
        // The tone's first period, which the weighting does not expect, peaks higher than those that follow.
        assert!(reading.peak > -6.03 && reading.peak < -5.6, "{reading:?}");
        assert!((reading.lowest + 9.03).abs() < 0.1, "{reading:?}");
        assert_eq!(reading.overloads, 0);
        meter.process([1.0, -1.5, f32::NAN, f32::INFINITY]);
        let reading = meter.reading();
        assert_eq!(reading.overloads, 4);
        assert!(reading.level.is_finite());
        meter.restart();
        assert_eq!(meter.reading().overloads, 0);
    }

    #[test]
    fn no_share_of_the_time_is_outside_of_what_there_was() {
        let mut meter = meter(FrequencyWeighting::Z, TimeWeighting::Fast);
        meter.process(sine(1000.0, 2.0).map(|x| 0.3 * x));
        let reading = meter.reading();
        for percent in [0.0, 5.0, 50.0, 95.0, 100.0] {
            let level = meter.exceeded(percent).expect("two seconds");
            assert!(
                (reading.lowest..=reading.highest).contains(&level),
                "{percent} %: {level} of {reading:?}"
            );
        }
    }

    #[test]
    fn silence_is_minus_infinity() {
        let mut meter = meter(FrequencyWeighting::A, TimeWeighting::Slow);
        assert_eq!(meter.reading().equivalent, f64::NEG_INFINITY);
        meter.process(std::iter::repeat_n(0.0, 48_000));
        assert_eq!(meter.reading().equivalent, f64::NEG_INFINITY);
        assert_eq!(meter.exceeded(50.0), None);
        meter.process(std::iter::repeat_n(0.0, 5 * 48_000));
        assert_eq!(meter.exceeded(50.0), Some(f64::NEG_INFINITY));
    }

    #[test]
    fn rate_out_of_range_is_refused() {
        for got in [0.0, 7999.0, f64::INFINITY, 1e6] {
            let meter = LevelMeter::new(got, FrequencyWeighting::A, TimeWeighting::Fast, 0.0);
            assert_eq!(meter.err(), Some(MeterError::SampleRate { got }));
        }
    }
}
