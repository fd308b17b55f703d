//! A sound level meter with loudness and bands, measured in one pass.

mod configuration;

pub use configuration::{MeteredChannel, SoundMeterConfiguration, SoundMeterError};

use crate::level::{
    BandAnalyzer, BandWidth, Correction, FrequencyWeighting, LevelMeter, LevelReading, LevelZone, MeterError,
    TimeWeighting, decibels, display_scale,
};
use crate::loudness::{LoudnessMeter, LoudnessReading, RangeStep};

/// The readings of the meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundReading {
    /// The levels.
    pub levels: LevelReading,
    /// The loudness, when it is measured.
    pub loudness: Option<LoudnessReading>,
    /// The value on the scale from 0 to 120 of [`display_scale`]: of the unweighted power with the meter's time constant,
    /// relative to full scale, without calibration and with the microphone's response in it.
    pub display_value: f64,
    /// The level zone of that value.
    pub level_zone: LevelZone,
}

/// Measures sound of up to 24 channels. Memory is of a fixed size, however long the measurement; only [`new`](Self::new)
/// allocates.
#[derive(Clone, Debug)]
pub struct SoundMeter {
    /// The channels of a frame.
    channels: usize,
    /// The channels of levels and bands: one at least.
    metered: Vec<Metered>,
    levels: LevelMeter,
    loudness: Option<LoudnessMeter>,
    /// The mean of the unweighted squares, and the share of a new one in it.
    power: f64,
    share: f64,
    /// Samples of the metered channels at or beyond full scale, before the microphone's response is corrected.
    overloads: u64,
    /// Unweighted squares of a part, added up over the metered channels.
    squares: [f64; PART],
    measures: Measures,
    /// The energy of each band in added measurements, and its seconds.
    added_bands: Vec<[f64; 2]>,
}

/// What has to be equal in meters whose measurements are added.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measures {
    frequency: FrequencyWeighting,
    time: TimeWeighting,
    offset: f64,
    loudness: Option<RangeStep>,
    bands: Option<BandWidth>,
}

/// One of the channels that levels and bands are of.
#[derive(Clone, Debug)]
struct Metered {
    /// Its index in a frame.
    channel: usize,
    correction: Option<Correction>,
    bands: Option<BandAnalyzer>,
    /// Its samples of a part.
    samples: [f32; PART],
}

/// Frames that are taken at a time.
const PART: usize = 256;

/// The highest sample of 16 bits: samples that reach it were clipped.
const FULL_SCALE: f32 = 32_767.0 / 32_768.0;

/// A mean square below this, -600 dB, is cleared.
const FADED: f64 = 1e-60;

impl SoundMeter {
    /// Makes a meter at the start of a measurement.
    ///
    /// # Errors
    /// [`SoundMeterError`].
    pub fn new(configuration: &SoundMeterConfiguration) -> Result<Self, SoundMeterError> {
        let c = configuration;
        let channels = c.channels.len();
        // Also the check of the channels when loudness is not asked for.
        let loudness = LoudnessMeter::new(c.rate, &c.channels)?.with_range_step(c.range_step);
        let metered = match c.metered {
            MeteredChannel::All => 0..channels,
            MeteredChannel::One(got) if got >= channels => {
                return Err(SoundMeterError::Metered { channels, got });
            }
            MeteredChannel::One(channel) => channel..channel + 1,
        };
        if !(-300.0..=300.0).contains(&c.offset) {
            return Err(SoundMeterError::Offset { got: c.offset });
        }
        let correction = c
            .response
            .as_ref()
            .map(|response| Correction::new(response, c.rate));
        let correction = correction.transpose().map_err(SoundMeterError::Response)?;
        let bands = c
            .bands
            .map(|width| BandAnalyzer::new(width, c.rate))
            .transpose()?;
        let band_count = bands.as_ref().map_or(0, |bands| bands.centres().len());
        Ok(Self {
            channels,
            levels: LevelMeter::of_channels(metered.len(), c.rate, c.frequency, c.time, c.offset)?,
            metered: metered
                .map(|channel| Metered {
                    channel,
                    correction: correction.clone(),
                    bands: bands.clone(),
                    samples: [0.0; PART],
                })
                .collect(),
            loudness: c.loudness.then_some(loudness),
            power: 0.0,
            share: -(-1.0 / (c.rate * c.time.seconds())).exp_m1(),
            overloads: 0,
            squares: [0.0; PART],
            measures: Measures {
                frequency: c.frequency,
                time: c.time,
                offset: c.offset,
                loudness: c.loudness.then_some(c.range_step),
                bands: c.bands,
            },
            added_bands: vec![[0.0; 2]; band_count],
        })
    }

    /// Takes the next frames, one sample per channel each. A sample that is NaN or infinite counts as silence, and as an
    /// overload.
    ///
    /// # Errors
    /// [`MeterError::BlockLength`]; the frames then do not count.
    pub fn process(&mut self, frames: &[f32]) -> Result<(), MeterError> {
        let channels = self.channels;
        if !frames.len().is_multiple_of(channels) {
            return Err(MeterError::BlockLength {
                channels,
                got: frames.len(),
            });
        }
        if let Some(loudness) = &mut self.loudness {
            loudness.process(frames)?;
        }
        for part in frames.chunks(PART * channels) {
            self.process_part(part);
        }
        Ok(())
    }

    /// Takes at most [`PART`] frames.
    fn process_part(&mut self, frames: &[f32]) {
        let count = frames.len() / self.channels;
        let squares = &mut self.squares[..count];
        squares.fill(0.0);
        for metered in &mut self.metered {
            // Of the sound as it is: the scale knows neither calibration nor microphone.
            self.overloads += metered.take(frames, self.channels);
            metered.add_squares(squares);
            metered.correct(count);
        }
        let share_of_channel = 1.0 / self.metered.len() as f64;
        let mut power = self.power;
        for square in squares {
            power += self.share * (*square * share_of_channel - power);
        }
        self.power = if power < FADED { 0.0 } else { power };
        let parts = self.metered.iter().map(|metered| &metered.samples[..count]);
        self.levels.process_channels(parts);
        for metered in &mut self.metered {
            if let Some(bands) = &mut metered.bands {
                bands.process(&metered.samples[..count]);
            }
        }
    }

    /// The present readings.
    pub fn reading(&self) -> SoundReading {
        let display_value = display_scale(decibels(self.power));
        SoundReading {
            levels: LevelReading {
                overloads: self.overloads,
                ..self.levels.reading()
            },
            loudness: self.loudness.as_ref().map(LoudnessMeter::reading),
            display_value,
            level_zone: LevelZone::of(display_value),
        }
    }

    /// The level that was exceeded for `percent` of the measurement; see [`LevelMeter::exceeded`].
    pub fn exceeded(&self, percent: f64) -> Option<f64> {
        self.levels.exceeded(percent)
    }

    /// The centre frequencies of the bands in Hz; none when bands are not measured.
    pub fn band_centres(&self) -> &[f64] {
        // Those of the first channel, which are those of all.
        let bands = self.metered.first().and_then(|metered| metered.bands.as_ref());
        bands.map_or(&[], BandAnalyzer::centres)
    }

    /// Writes the mean square of each band since the start of the measurement, the mean of the metered channels, all 0 before the
    /// first frame. Writes as many as `output` has room for.
    pub fn band_mean_squares(&self, output: &mut [f64]) {
        let share = 1.0 / self.metered.len() as f64;
        output.fill(0.0);
        for bands in self.metered.iter().filter_map(|metered| metered.bands.as_ref()) {
            bands.add_mean_squares(share, output);
        }
        let own_seconds = self.levels.own_seconds();
        for (power, [energy, seconds]) in output.iter_mut().zip(&self.added_bands) {
            if *seconds > 0.0 {
                *power = (*power * own_seconds + energy) / (own_seconds + seconds);
            }
        }
    }

    /// Adds the measurement of another meter, as if its sound had been measured too: mean levels are over the time of both,
    /// percentiles and the gates of loudness over the levels of both. Rates and channels may differ, but this meter has every band of
    /// the other; those that the other does not have are averaged over this meter's time. The current levels stay.
    ///
    /// # Errors
    /// [`SoundMeterError::Added`]; nothing is added then.
    pub fn add(&mut self, other: &Self) -> Result<(), SoundMeterError> {
        if self.measures != other.measures || self.band_centres().len() < other.band_centres().len() {
            return Err(SoundMeterError::Added);
        }
        // More than the third octaves between 8 Hz and 384 kHz.
        let mut powers = [0.0; 64];
        other.band_mean_squares(&mut powers);
        let own_seconds = other.levels.own_seconds();
        for ((sum, power), [_, added_seconds]) in
            self.added_bands.iter_mut().zip(powers).zip(&other.added_bands)
        {
            let seconds = own_seconds + added_seconds;
            *sum = [sum[0] + power * seconds, sum[1] + seconds];
        }
        self.overloads += other.overloads;
        self.levels.add(&other.levels);
        if let (Some(loudness), Some(more)) = (&mut self.loudness, &other.loudness) {
            loudness.add(more);
        }
        Ok(())
    }

    /// Begins a new measurement. The filters continue.
    pub fn restart(&mut self) {
        self.overloads = 0;
        self.added_bands.fill([0.0; 2]);
        self.levels.restart();
        if let Some(loudness) = &mut self.loudness {
            loudness.restart();
        }
        for bands in self
            .metered
            .iter_mut()
            .filter_map(|metered| metered.bands.as_mut())
        {
            bands.restart();
        }
    }
}

impl Metered {
    /// Takes its samples out of at most [`PART`] frames; returns how many of them are at or beyond full scale, or not numbers.
    fn take(&mut self, frames: &[f32], channels: usize) -> u64 {
        let mut overloads = 0;
        let mine = frames.iter().skip(self.channel).step_by(channels);
        for (kept, sample) in self.samples.iter_mut().zip(mine) {
            *kept = *sample;
            overloads += u64::from(sample.abs() >= FULL_SCALE || sample.is_nan());
        }
        overloads
    }

    /// Adds the squares of the samples that are numbers.
    fn add_squares(&self, squares: &mut [f64]) {
        for (square, sample) in squares.iter_mut().zip(self.samples) {
            let sample = if sample.is_finite() {
                f64::from(sample)
            } else {
                0.0
            };
            *square += sample * sample;
        }
    }

    /// Corrects the first `count` samples by the microphone's response.
    fn correct(&mut self, count: usize) {
        if let Some(correction) = &mut self.correction {
            let samples = self.samples[..count].iter_mut();
            for sample in samples.filter(|sample| sample.is_finite()) {
                *sample = correction.process(*sample);
            }
            correction.flush();
        }
    }
}

#[cfg(test)]
mod tests;
