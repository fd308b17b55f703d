//! The level of a channel, or of several together, over time.

use super::{FrequencyWeighting, Histogram, WeightingFilter, decibels};
use crate::Short;
use std::error::Error;
use std::fmt::{self, Display};

/// The time weighting: the time constant of a level's exponential mean.
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

/// The error of a meter's argument: the expected value, and the given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeterError {
    /// The sample rate is not from 8000 to 768,000 Hz.
    SampleRate {
        /// The given rate, in Hz.
        got: f64,
    },
    /// There are no channels, or too many for the meter.
    Channels {
        /// The most channels.
        limit: usize,
        /// The given number.
        got: usize,
    },
    /// A buffer is not a whole number of frames.
    BlockLength {
        /// The number of channels.
        channels: usize,
        /// The given number of samples.
        got: usize,
    },
}

impl Display for MeterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SampleRate { got } => {
                write!(f, "sample rate: expected 8000 to 768000 Hz, got {}", Short(got))
            }
            Self::Channels { limit, got } => write!(f, "channels: expected 1 to {limit}, got {got}"),
            Self::BlockLength { channels, got } => write!(
                f,
                "block: expected a whole number of frames of {channels} samples, got {got} samples"
            ),
        }
    }
}

impl Error for MeterError {}

/// Checks a sample rate.
pub(crate) fn check_rate(rate: f64) -> Result<(), MeterError> {
    if (8000.0..=768_000.0).contains(&rate) {
        Ok(())
    } else {
        Err(MeterError::SampleRate { got: rate })
    }
}

/// The readings of a meter. Levels are in dB with the calibration offset; minus infinity is silence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelReading {
    /// The length of the measurement in seconds.
    pub seconds: f64,
    /// The time-weighted level at the end of it, such as LAF.
    pub level: f64,
    /// The time-averaged sound level: that of the mean square over the measurement, such as LAeq.
    pub equivalent_continuous_level: f64,
    /// The highest time-weighted level, such as LAFmax.
    pub highest: f64,
    /// The lowest time-weighted level, such as LAFmin, from 5 time constants after the start on; until then not a number.
    pub lowest: f64,
    /// The highest absolute value of the C-weighted samples as a level, LCpeak.
    pub peak: f64,
    /// The sound exposure level: that of the same energy within 1 second, such as LAE.
    pub sound_exposure_level: f64,
    /// The number of samples at or beyond full scale.
    pub overloads: u64,
}

/// Measures one channel. Memory is of a fixed size, however long the measurement; only [`new`](Self::new) allocates.
#[derive(Clone, Debug)]
pub struct LevelMeter {
    rate: f64,
    offset: f64,
    /// One at least.
    channels: Vec<Channel>,
    /// The share of a channel's square in that of all.
    share_of_channel: f64,
    /// The share of a new square in the exponential mean.
    share: f64,
    settled_after: u64,
    between_counts: u64,
    state: State,
    /// Squares of a part, added up over the channels but the last.
    squares: [f64; PART],
    /// Time-weighted levels, every 10 ms.
    levels: Histogram,
}

/// The measures of each channel.
#[derive(Clone, Debug)]
struct Channel {
    weighting: WeightingFilter,
    peak_weighting: WeightingFilter,
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
    /// The samples of added measurements and the sum of their squares, at this meter's rate.
    added_samples: f64,
    added_sum: f64,
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
            added_samples: 0.0,
            added_sum: 0.0,
        }
    }

    fn all_samples(&self) -> f64 {
        self.samples as f64 + self.added_samples
    }

    fn whole_sum(&self) -> f64 {
        self.sum + self.added_sum
    }
}

/// Samples of a channel that are taken at a time.
const PART: usize = 256;

/// The classes of exceedance levels: 0.1 dB from -200 to 40 dB relative to full scale.
const LEVELS: (f64, f64, f64) = (-200.0, 40.0, 0.1);

impl LevelMeter {
    /// A meter for `rate` Hz. `offset` is the calibration offset in dB, which is added to a level relative to full scale.
    ///
    /// # Errors
    /// [`MeterError::SampleRate`].
    pub fn new(
        rate: f64,
        frequency: FrequencyWeighting,
        time: TimeWeighting,
        offset: f64,
    ) -> Result<Self, MeterError> {
        Self::of_channels(1, rate, frequency, time, offset)
    }

    /// A meter of the mean of the powers of `channels` channels, 1 at least; its peak is the highest of any.
    ///
    /// # Errors
    /// [`MeterError::SampleRate`].
    pub(crate) fn of_channels(
        channels: usize,
        rate: f64,
        frequency: FrequencyWeighting,
        time: TimeWeighting,
        offset: f64,
    ) -> Result<Self, MeterError> {
        check_rate(rate)?;
        let between_counts = (0.01 * rate).round() as u64;
        let channel = Channel {
            weighting: WeightingFilter::new(frequency, rate),
            peak_weighting: WeightingFilter::new(FrequencyWeighting::C, rate),
        };
        Ok(Self {
            rate,
            offset,
            channels: vec![channel; channels],
            share_of_channel: 1.0 / channels as f64,
            share: -(-1.0 / (rate * time.seconds())).exp_m1(),
            settled_after: (5.0 * time.seconds() * rate) as u64,
            between_counts,
            state: State::new(between_counts),
            squares: [0.0; PART],
            levels: Histogram::new(LEVELS.0, LEVELS.1, LEVELS.2),
        })
    }

    /// Takes the next samples. One that is NaN or infinite counts as an overload and as silence.
    pub fn process(&mut self, samples: impl IntoIterator<Item = f32>) {
        let mut samples = samples.into_iter();
        let mut part = [0.0; PART];
        loop {
            let mut count = 0;
            for (place, sample) in part.iter_mut().zip(&mut samples) {
                *place = sample;
                count += 1;
            }
            if count == 0 {
                return;
            }
            self.process_channels(std::iter::once(&part[..count]));
        }
    }

    /// Takes the next samples of each channel: as many slices as there are channels, of one length.
    pub(crate) fn process_channels<'a>(&mut self, channels: impl Iterator<Item = &'a [f32]> + Clone) {
        let length = channels.clone().map(<[f32]>::len).min().unwrap_or(0);
        let mut start = 0;
        while start < length {
            let count = (length - start).min(PART).min(self.state.until_count as usize);
            self.process_part(
                channels.clone().map(|samples| &samples[start..start + count]),
                count,
            );
            start += count;
        }
    }

    /// At most [`PART`] samples of each channel, and none beyond the next count.
    fn process_part<'a>(&mut self, parts: impl Iterator<Item = &'a [f32]>, count: usize) {
        let mut state = self.state;
        let squares = &mut self.squares[..count];
        squares.fill(0.0);
        let last = self.channels.len() - 1;
        for (index, (channel, samples)) in self.channels.iter_mut().zip(parts).enumerate() {
            for (sum, sample) in squares.iter_mut().zip(samples) {
                let (square, peak) = channel.process(f64::from(*sample), &mut state.overloads);
                state.peak = state.peak.max(peak);
                // With the last channel in the same turn, one channel alone costs no second one.
                if index < last {
                    *sum += square;
                } else {
                    state.add(
                        (*sum + square) * self.share_of_channel,
                        self.share,
                        self.settled_after,
                    );
                }
            }
        }
        state.until_count -= count as u64;
        if state.until_count == 0 {
            state.until_count = self.between_counts;
            if state.samples > self.settled_after {
                self.levels.add(decibels(state.mean), 0.0);
            }
            for channel in &mut self.channels {
                channel.weighting.flush();
                channel.peak_weighting.flush();
            }
            if state.mean < 1e-60 {
                state.mean = 0.0;
            }
        }
        self.state = state;
    }

    /// The present readings.
    pub fn reading(&self) -> LevelReading {
        let state = &self.state;
        let seconds = state.all_samples() / self.rate;
        let level = |mean_square: f64| decibels(mean_square) + self.offset;
        let mean = if seconds == 0.0 {
            0.0
        } else {
            state.whole_sum() / state.all_samples()
        };
        LevelReading {
            seconds,
            level: level(state.mean),
            equivalent_continuous_level: level(mean),
            highest: level(state.highest),
            lowest: level(state.lowest),
            peak: level(state.peak * state.peak),
            sound_exposure_level: level(state.whole_sum() / self.rate),
            overloads: state.overloads,
        }
    }

    /// The level that was exceeded for `percent` of the measurement, such as LA10 for 10, from the time-weighted level every
    /// 10 ms, from 5 time constants after the start on, as for the lowest level; `None` until then. Below -200 dB relative to
    /// full scale it is minus infinity.
    pub fn exceeded(&self, percent: f64) -> Option<f64> {
        let level = self.levels.percentile(1.0 - percent / 100.0, f64::NEG_INFINITY)?;
        if level <= LEVELS.0 + LEVELS.2 {
            return Some(f64::NEG_INFINITY);
        }
        // A class is 0.1 dB wide, and has one end for all that is beyond: no share of the time is spent outside of what there
        // was.
        let (lowest, highest) = (decibels(self.state.lowest), decibels(self.state.highest));
        Some(level.max(lowest).min(highest) + self.offset)
    }

    /// The length of the measurement without those that were added, in seconds.
    pub(crate) fn own_seconds(&self) -> f64 {
        self.state.samples as f64 / self.rate
    }

    /// Adds the measurement of another meter, of any rate, as if its sound had been measured too. The time-weighted level stays.
    pub(crate) fn add(&mut self, other: &Self) {
        let (state, more, ratio) = (&mut self.state, &other.state, self.rate / other.rate);
        state.added_samples += more.all_samples() * ratio;
        state.added_sum += more.whole_sum() * ratio;
        state.highest = state.highest.max(more.highest);
        state.lowest = state.lowest.min(more.lowest);
        state.peak = state.peak.max(more.peak);
        state.overloads += more.overloads;
        self.levels.merge(&other.levels);
    }

    /// Begins a new measurement. The filters continue: a lasting sound has no beginning.
    pub fn restart(&mut self) {
        let mean = self.state.mean;
        self.state = State {
            mean,
            ..State::new(self.between_counts)
        };
        self.levels.clear();
    }
}

impl State {
    /// Takes the next square.
    #[inline]
    fn add(&mut self, square: f64, share: f64, settled_after: u64) {
        self.sum += square;
        self.mean += share * (square - self.mean);
        self.highest = self.highest.max(self.mean);
        self.samples += 1;
        if self.samples > settled_after {
            // The lesser of a number and NaN is the number.
            self.lowest = self.lowest.min(self.mean);
        }
    }
}

impl Channel {
    /// The square of the weighted sample, and the absolute value of the one with the weighting of peaks.
    #[inline]
    fn process(&mut self, sample: f64, overloads: &mut u64) -> (f64, f64) {
        if sample.abs() >= 1.0 || sample.is_nan() {
            *overloads += 1;
        }
        let sample = if sample.is_finite() { sample } else { 0.0 };
        let weighted = self.weighting.process(sample);
        (weighted * weighted, self.peak_weighting.process(sample).abs())
    }
}

#[cfg(test)]
mod tests;
