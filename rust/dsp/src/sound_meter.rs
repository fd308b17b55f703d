//! Everything that a sound-level meter with loudness and bands shows, measured in one go.

use crate::level::{
    BandAnalyzer, BandWidth, Correction, FrequencyWeighting, LevelMeter, LevelReading, MeterError,
    MicrophoneResponse, NoiseClass, ResponseError, TimeWeighting, decibels, noise_scale,
};
use crate::loudness::{ChannelWeight, LoudnessMeter, LoudnessReading};
use std::error::Error;
use std::fmt::{self, Display};

/// Which channels the levels and bands are of. Loudness is always of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeteredChannel {
    /// The mean of all channels, sample by sample.
    #[default]
    Mix,
    /// One, counted from 0.
    One(usize),
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct SoundMeterConfiguration {
    /// The sample rate in Hz, 8000 to 768,000.
    pub rate: f64,
    /// The channels' places, 1 to 24.
    pub channels: Vec<ChannelWeight>,
    /// Which of them the levels and bands are of.
    pub metered: MeteredChannel,
    /// The weighting of the levels.
    pub frequency: FrequencyWeighting,
    /// The time constant of the levels.
    pub time: TimeWeighting,
    /// What is added to a level relative to full scale, in dB; the calibration.
    pub offset: f64,
    /// Whether loudness is measured.
    pub loudness: bool,
    /// The bands that are measured, if any.
    pub bands: Option<BandWidth>,
    /// What is undone before levels and bands are measured. Loudness is of the signal as it is.
    pub response: Option<MicrophoneResponse>,
}

/// What is wrong with a configuration or a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoundMeterError {
    /// The rate, the channels, or a block.
    Meter(MeterError),
    /// There is no such channel.
    Metered {
        /// The number of channels.
        channels: usize,
        /// The channel that came, from 0.
        got: usize,
    },
    /// The calibration is not within ±300 dB.
    Offset {
        /// The offset that came, in dB.
        got: f64,
    },
    /// The response of the microphone.
    Response(ResponseError),
}

impl Display for SoundMeterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Meter(error) => error.fmt(f),
            Self::Metered { channels, got } => {
                write!(f, "metered channel: expected one below {channels}, got {got}")
            }
            Self::Offset { got } => write!(f, "calibration offset: expected -300 to 300 dB, got {got}"),
            Self::Response(error) => error.fmt(f),
        }
    }
}

impl Error for SoundMeterError {}

impl From<MeterError> for SoundMeterError {
    fn from(error: MeterError) -> Self {
        Self::Meter(error)
    }
}

/// What the meter shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundReading {
    /// The levels.
    pub levels: LevelReading,
    /// The loudness, when it is measured.
    pub loudness: Option<LoudnessReading>,
    /// The place on the scale from 0 to 120 of [`noise_scale`]: of the unweighted power with the meter's time constant,
    /// relative to full scale, without calibration and with the microphone's response in it.
    pub place: f64,
    /// The class of that place.
    pub class: NoiseClass,
}

/// Measures sound of up to 24 channels. Memory is of a fixed size, however long the measurement; only [`new`](Self::new)
/// allocates.
#[derive(Clone, Debug)]
pub struct SoundMeter {
    channels: usize,
    metered: MeteredChannel,
    levels: LevelMeter,
    loudness: Option<LoudnessMeter>,
    bands: Option<BandAnalyzer>,
    correction: Option<Correction>,
    /// The unweighted mean square, and the share of a new square in it.
    power: f64,
    share: f64,
    /// Samples of the metered channels at or beyond full scale: the mean of channels hides those of one.
    overloads: u64,
    mono: [f32; PART],
}

/// Frames that are reduced to one channel at a time.
const PART: usize = 256;

/// The highest sample of 16 bits: what reaches it was cut off.
const FULL_SCALE: f32 = 32_767.0 / 32_768.0;

/// A mean square below this, -600 dB, is forgotten.
const FADED: f64 = 1e-60;

impl SoundMeter {
    /// A meter of sound that has not begun.
    ///
    /// # Errors
    /// What [`SoundMeterError`] says.
    pub fn new(configuration: &SoundMeterConfiguration) -> Result<Self, SoundMeterError> {
        let c = configuration;
        let channels = c.channels.len();
        // Also the check of the channels when loudness is not asked for.
        let loudness = LoudnessMeter::new(c.rate, &c.channels)?;
        match c.metered {
            MeteredChannel::One(got) if got >= channels => {
                return Err(SoundMeterError::Metered { channels, got });
            }
            _ => {}
        }
        if !(-300.0..=300.0).contains(&c.offset) {
            return Err(SoundMeterError::Offset { got: c.offset });
        }
        let correction = c
            .response
            .as_ref()
            .map(|response| Correction::new(response, c.rate));
        Ok(Self {
            channels,
            metered: c.metered,
            levels: LevelMeter::new(c.rate, c.frequency, c.time, c.offset)?,
            loudness: c.loudness.then_some(loudness),
            bands: c
                .bands
                .map(|width| BandAnalyzer::new(width, c.rate))
                .transpose()?,
            correction: correction.transpose().map_err(SoundMeterError::Response)?,
            power: 0.0,
            share: -(-1.0 / (c.rate * c.time.seconds())).exp_m1(),
            overloads: 0,
            mono: [0.0; PART],
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
        let is_metered = |at: usize| match self.metered {
            MeteredChannel::Mix => true,
            MeteredChannel::One(channel) => at % channels == channel,
        };
        let over =
            |&(at, sample): &(usize, &f32)| (sample.abs() >= FULL_SCALE || sample.is_nan()) && is_metered(at);
        self.overloads += frames.iter().enumerate().filter(over).count() as u64;
        for part in frames.chunks(PART * channels) {
            let count = part.len() / channels;
            self.reduce(part);
            let mono = &mut self.mono[..count];
            // Of the sound as it is: the scale knows neither calibration nor microphone.
            let mut power = self.power;
            for sample in mono.iter().filter(|sample| sample.is_finite()) {
                let square = f64::from(*sample) * f64::from(*sample);
                power += self.share * (square - power);
            }
            self.power = if power < FADED { 0.0 } else { power };
            if let Some(correction) = &mut self.correction {
                for sample in mono.iter_mut().filter(|sample| sample.is_finite()) {
                    *sample = correction.process(*sample);
                }
                correction.flush();
            }
            self.levels.process(mono.iter().copied());
            if let Some(bands) = &mut self.bands {
                bands.process(mono);
            }
        }
        Ok(())
    }

    /// Reduces at most [`PART`] frames to one channel.
    fn reduce(&mut self, frames: &[f32]) {
        let frames = frames.chunks_exact(self.channels);
        match self.metered {
            MeteredChannel::One(channel) => {
                for (mono, frame) in self.mono.iter_mut().zip(frames) {
                    *mono = frame[channel];
                }
            }
            MeteredChannel::Mix => {
                let share = 1.0 / self.channels as f64;
                for (mono, frame) in self.mono.iter_mut().zip(frames) {
                    let sum: f64 = frame.iter().map(|sample| f64::from(*sample)).sum();
                    *mono = (sum * share) as f32;
                }
            }
        }
    }

    /// What the meter shows now.
    pub fn reading(&self) -> SoundReading {
        let place = noise_scale(decibels(self.power));
        SoundReading {
            levels: LevelReading {
                overloads: self.overloads,
                ..self.levels.reading()
            },
            loudness: self.loudness.as_ref().map(LoudnessMeter::reading),
            place,
            class: NoiseClass::of(place),
        }
    }

    /// The level that was exceeded for `percent` of the measurement; see [`LevelMeter::exceeded`].
    pub fn exceeded(&self, percent: f64) -> Option<f64> {
        self.levels.exceeded(percent)
    }

    /// The bands, when they are measured.
    pub fn bands(&self) -> Option<&BandAnalyzer> {
        self.bands.as_ref()
    }

    /// Begins a new measurement. The filters go on.
    pub fn restart(&mut self) {
        self.overloads = 0;
        self.levels.restart();
        if let Some(loudness) = &mut self.loudness {
            loudness.restart();
        }
        if let Some(bands) = &mut self.bands {
            bands.restart();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration() -> SoundMeterConfiguration {
        SoundMeterConfiguration {
            rate: 48_000.0,
            channels: vec![ChannelWeight::Front; 2],
            metered: MeteredChannel::Mix,
            frequency: FrequencyWeighting::Z,
            time: TimeWeighting::Fast,
            offset: 94.0,
            loudness: true,
            bands: Some(BandWidth::Octave),
            response: None,
        }
    }

    /// Frames of a 1 kHz sine with these amplitudes left and right.
    fn tone(left: f64, right: f64, frames: usize) -> Vec<f32> {
        (0..frames)
            .flat_map(|n| {
                let value = (std::f64::consts::TAU * n as f64 / 48.0).sin();
                [(left * value) as f32, (right * value) as f32]
            })
            .collect()
    }

    #[test]
    fn each_measure_is_of_its_channels() {
        for (metered, amplitude) in [
            (MeteredChannel::Mix, 0.3),
            (MeteredChannel::One(0), 0.5),
            (MeteredChannel::One(1), 0.1),
        ] {
            let mut meter = SoundMeter::new(&SoundMeterConfiguration {
                metered,
                ..configuration()
            })
            .expect("valid");
            meter.process(&tone(0.5, 0.1, 96_000)).expect("whole frames");
            let reading = meter.reading();
            let level = 10.0 * (amplitude * amplitude / 2.0f64).log10();
            assert!((reading.levels.equivalent - 94.0 - level).abs() < 1e-4);
            assert!((reading.place - noise_scale(level)).abs() < 0.05);
            let loudness = reading.loudness.expect("asked for");
            // Two channels of a 1 kHz sine: -0.691 dB and the filter's +0.691 dB cancel each other out.
            let both = 10.0 * ((0.25 + 0.01) / 2.0f64).log10();
            assert!((loudness.integrated - both).abs() < 0.01, "{loudness:?}");
            let mut bands = [0.0; 16];
            let analyzer = meter.bands().expect("asked for");
            analyzer.mean_squares(&mut bands);
            let at = analyzer
                .centres()
                .iter()
                .position(|centre| (*centre - 1000.0).abs() < 1.0);
            let band = decibels(bands[at.expect("an octave around 1 kHz")]);
            assert!((band - level).abs() < 0.1, "{band} dB");
        }
    }

    #[test]
    fn every_class_of_the_scale_is_reached_at_its_edge() {
        // Powers a little below and above each edge of the scale, in dB relative to full scale.
        let edges = [
            (-15.20, NoiseClass::Silent, NoiseClass::Quiet),
            (-8.16, NoiseClass::Quiet, NoiseClass::Average),
            (-5.00, NoiseClass::Average, NoiseClass::Noisy),
            (-3.17, NoiseClass::Noisy, NoiseClass::Loud),
        ];
        for (edge, below, above) in edges {
            for (power, class) in [(edge - 0.02, below), (edge + 0.02, above)] {
                let mut meter = SoundMeter::new(&configuration()).expect("valid");
                let constant = 10f64.powf(power / 20.0) as f32;
                meter.process(&vec![constant; 2 * 96_000]).expect("whole frames");
                assert_eq!(meter.reading().class, class, "{power} dB");
            }
        }
        let mut meter = SoundMeter::new(&configuration()).expect("valid");
        meter.process(&vec![1.0; 2 * 480_000]).expect("whole frames");
        let reading = meter.reading();
        assert!((reading.place - 120.0).abs() < 1e-3);
        assert_eq!(reading.class, NoiseClass::Loud);
    }

    #[test]
    fn pieces_of_any_length_give_the_same_reading() {
        let sound = tone(0.5, 0.25, 30_000);
        let mut whole = SoundMeter::new(&configuration()).expect("valid");
        whole.process(&sound).expect("whole frames");
        let mut pieces = SoundMeter::new(&configuration()).expect("valid");
        for piece in sound.chunks(2 * 337) {
            pieces.process(piece).expect("whole frames");
        }
        let numbers = |meter: &SoundMeter| {
            let reading = meter.reading();
            let (levels, loudness) = (reading.levels, reading.loudness.expect("asked for"));
            [
                levels.seconds,
                levels.level,
                levels.equivalent,
                levels.highest,
                levels.peak,
                loudness.integrated,
                loudness.short_term,
                loudness.true_peak,
                reading.place,
            ]
        };
        // Sums of squares are added up piece by piece, in another order.
        let are_close = |a: [f64; 9], b: [f64; 9]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(are_close(numbers(&whole), numbers(&pieces)));
        assert!(pieces.process(&sound[..3]).is_err());
        assert!(are_close(numbers(&whole), numbers(&pieces)));
    }

    #[test]
    fn overload_of_one_channel_counts_in_the_mean_too() {
        for (metered, expected) in [
            (MeteredChannel::Mix, 3),
            (MeteredChannel::One(0), 2),
            (MeteredChannel::One(1), 1),
        ] {
            let mut meter = SoundMeter::new(&SoundMeterConfiguration {
                metered,
                ..configuration()
            })
            .expect("valid");
            let frames = [1.0, 0.0, 0.5, -1.5, f32::NAN, 0.999, 0.0, 0.0];
            meter.process(&frames).expect("whole frames");
            assert_eq!(meter.reading().levels.overloads, expected);
            meter.restart();
            assert_eq!(meter.reading().levels.overloads, 0);
        }
    }

    #[test]
    fn response_of_the_microphone_is_undone() {
        let response =
            MicrophoneResponse::new(vec![(20.0, -6.0), (1_000.0, 3.0), (10_000.0, 3.0)]).expect("valid");
        let mut meter = SoundMeter::new(&SoundMeterConfiguration {
            response: Some(response),
            ..configuration()
        })
        .expect("valid");
        meter.process(&tone(0.5, 0.5, 96_000)).expect("whole frames");
        let level = meter.reading().levels.level - 94.0;
        assert!(
            (level - (10.0 * 0.125f64.log10() - 3.0)).abs() < 0.05,
            "{level} dB"
        );
    }

    #[test]
    fn refusals_say_expected_and_got() {
        let refusal = |change: fn(&mut SoundMeterConfiguration)| {
            let mut configuration = configuration();
            change(&mut configuration);
            let refused = SoundMeter::new(&configuration);
            refused
                .map_err(|error| error.to_string())
                .err()
                .unwrap_or_default()
        };
        assert_eq!(
            refusal(|c| c.rate = 10.0),
            "sample rate: expected 8000 to 768000 Hz, got 10"
        );
        assert_eq!(
            refusal(|c| c.metered = MeteredChannel::One(2)),
            "metered channel: expected one below 2, got 2"
        );
        assert_eq!(
            refusal(|c| c.offset = f64::NAN),
            "calibration offset: expected -300 to 300 dB, got NaN"
        );
        assert_eq!(
            refusal(|c| c.channels.clear()),
            "channels: expected 1 to 24, got 0"
        );
    }
}
