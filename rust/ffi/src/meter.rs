//! Sound level meters: levels, loudness, bands, and the scale for display.

use crate::exclusive::Exclusive;
use crate::fault::{statuses, Outcome};
use crate::lent::{choices, Choice, Flag, Lent};
use crate::object::{Describe, New, Object, Tabled};
use crate::records::records;
use crate::status::CallFault;
use crate::RustleHandle;
use rustle_dsp::level::{
    decibels, display_scale, BandWidth, FrequencyWeighting, LevelZone, MeterError, MicrophoneResponse,
    TimeWeighting,
};
use rustle_dsp::loudness::{ChannelWeight, LoudnessReading, RangeStep};
use rustle_dsp::sound_meter::{
    MeteredChannel, SoundMeter, SoundMeterConfiguration, SoundMeterError, SoundReading,
};

choices! {
    /// The frequency weighting.
    pub enum RustleFrequencyWeighting = RUSTLE_WEIGHTING_ for FrequencyWeighting {
        /// The A weighting.
        A = 0,
        /// The C weighting.
        C = 1,
        /// The Z weighting: none.
        Z = 2,
    }

    /// The time weighting.
    pub enum RustleTimeWeighting = RUSTLE_TIME_ for TimeWeighting {
        /// A time constant of 0.125 s.
        Fast = 0,
        /// A time constant of 1 s.
        Slow = 1,
    }

    /// The weight of a channel in loudness.
    pub enum RustleChannelWeight = RUSTLE_CHANNEL_ for ChannelWeight {
        /// A channel that counts once in loudness: left, right, centre, and the back channels of 7.1.
        Front = 0,
        /// A surround channel, 60 to 120 degrees to the side, which counts 1.41 times.
        Surround = 1,
        /// The low-frequency channel, which does not count.
        LowFrequency = 2,
    }

    /// The step between the short-term values of the loudness range (EBU Tech 3342).
    pub enum RustleRangeStep = RUSTLE_RANGE_STEP_ for RangeStep {
        /// 0.1 s.
        Tenth = 0,
        /// 1 s, as in libebur128.
        Second = 1,
    }

    /// The measured bands.
    pub enum RustleMeterBands = RUSTLE_BANDS_ {
        /// No bands.
        None = 0,
        /// Octave bands.
        Octave = 1,
        /// One-third-octave bands.
        ThirdOctave = 3,
    }
}

/// Instead of a channel: all channels, by the mean of their powers.
pub const RUSTLE_CHANNEL_ALL: u32 = u32::MAX;

records! {
    /// A point of a microphone's response.
    pub struct RustleResponsePoint {
        /// The frequency in Hz, above that of the previous point.
        pub frequency: f64,
        /// The microphone's deviation in dB, positive when it reads too high: within 24 dB of the deviation at 1 kHz.
        pub deviation: f64,
    }

    /// The configuration of a meter.
    pub struct RustleMeterConfiguration lending memory {
        /// The sample rate in Hz, 8000 to 768,000. Example: 48000.
        pub sample_rate: f64,
        /// The calibration offset, added to a level relative to full scale, in dB, -300 to 300.
        pub offset: f64,
        /// The weight of each channel in loudness; read during the call only.
        pub channels: Lent<Choice<RustleChannelWeight>>,
        /// The number of channels, 1 to 24. Example: 1.
        pub channel_count: usize,
        /// The microphone's response, compensated before levels and bands are measured; read during the call only; may be NULL
        /// when there is none.
        pub response: Lent<RustleResponsePoint>,
        /// The number of points of the response, at most 4096; 0: none. Example: 0.
        pub response_count: usize,
        /// The channel of the levels and bands, counted from 0, or `RUSTLE_CHANNEL_ALL`.
        pub metered: u32,
        /// The frequency weighting.
        pub weighting: Choice<RustleFrequencyWeighting>,
        /// The time weighting.
        pub time: Choice<RustleTimeWeighting>,
        /// Not 0: loudness is measured.
        pub loudness: Flag,
        /// The measured bands.
        pub bands: Choice<RustleMeterBands>,
        /// The step of the loudness range.
        pub range_step: Choice<RustleRangeStep>,
    }

    /// A measurement that is added to that of a meter.
    pub struct RustleMeterAddition {
        /// Another meter, with the same weightings, offset, loudness and bands.
        pub meter: RustleHandle,
    }

    /// The reading of a meter. Levels are in dB with the calibration offset; minus infinity is silence.
    pub struct RustleMeterReading for SoundReading {
        /// The length of the measurement in seconds.
        pub seconds: f64 = |reading| reading.levels.seconds,
        /// The time-weighted level, such as LAF.
        pub level: f64 = |reading| reading.levels.level,
        /// The time-averaged sound level, such as LAeq.
        pub equivalent_continuous_level: f64 = |reading| reading.levels.equivalent_continuous_level,
        /// The highest time-weighted level, such as LAFmax.
        pub highest: f64 = |reading| reading.levels.highest,
        /// The lowest time-weighted level, such as LAFmin, from 5 time constants after the start on; NaN before.
        pub lowest: f64 = |reading| reading.levels.lowest,
        /// The peak sound level LCpeak: the highest of the metered channels.
        pub peak: f64 = |reading| reading.levels.peak,
        /// The sound exposure level, such as LAE.
        pub sound_exposure_level: f64 = |reading| reading.levels.sound_exposure_level,
        /// The number of samples at or beyond full scale.
        pub overloads: u64 = |reading| reading.levels.overloads,
        /// The loudness of the last 0.4 s in LUFS; this field and the next six are NaN when loudness is not measured.
        pub momentary: f64 = |reading| loudness(reading, |loudness| loudness.momentary),
        /// The highest of them.
        pub momentary_highest: f64 = |reading| loudness(reading, |loudness| loudness.momentary_highest),
        /// The loudness of the last 3 s in LUFS.
        pub short_term: f64 = |reading| loudness(reading, |loudness| loudness.short_term),
        /// The highest of them.
        pub short_term_highest: f64 = |reading| loudness(reading, |loudness| loudness.short_term_highest),
        /// The integrated loudness in LUFS.
        pub integrated: f64 = |reading| loudness(reading, |loudness| loudness.integrated),
        /// The loudness range in LU.
        pub range: f64 = |reading| loudness(reading, |loudness| loudness.range),
        /// The highest true peak of any channel in dBTP.
        pub true_peak: f64 = |reading| loudness(reading, |loudness| loudness.true_peak),
        /// The value on the scale for display, 0 to 120; see `rustle_display_scale`.
        pub display_value: f64,
        /// The level zone, 0 to 4: silent, quiet, average, noisy, loud.
        pub level_zone: u32 = |reading| reading.level_zone as u32,
        reserved: u32,
    }
}

/// A measure of loudness; NaN when loudness is not measured.
fn loudness(reading: &SoundReading, measure: fn(&LoudnessReading) -> f64) -> f64 {
    reading.loudness.as_ref().map_or(f64::NAN, measure)
}

/// A meter.
pub(crate) struct Meter(Exclusive<SoundMeter>);

impl Object for Meter {
    const NAME: &'static str = "meter";
    const KIND: u32 = 11;
    type Error = SoundMeterError;

    /// Begins a new measurement. The filters keep their state, since a lasting sound has no onset. One call at a time.
    #[doc(alias = "rustle_meter_restart")]
    fn reset(&self) -> Outcome<SoundMeterError> {
        self.0.get()?.restart();
        Ok(())
    }
}

impl New<RustleMeterConfiguration> for Meter {
    /// Makes a meter.
    fn new(configuration: &RustleMeterConfiguration) -> Outcome<SoundMeterError, Self> {
        let meter = SoundMeter::new(&configuration.read()?)?;
        // A meter that panicked is in a valid state: nothing to reset.
        Ok(Self(Exclusive::new(meter, Self::NAME, |_| ())))
    }
}

impl Describe<RustleMeterReading> for Meter {
    /// Writes the meter's present reading to `description`. One call at a time.
    #[doc(alias = "rustle_meter_read")]
    fn describe(&self) -> Result<RustleMeterReading, CallFault> {
        Ok(self.0.get()?.reading().into())
    }
}

impl Meter {
    /// Measures interleaved samples, whole frames. A sample that is NaN or infinite counts as silence and as an overload.
    /// One call at a time.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (no whole frames); the samples do not count then.
    #[doc(alias = "rustle_meter_process")]
    pub(crate) fn process(&self, samples: &[f32]) -> Outcome<SoundMeterError> {
        Ok(self.0.get()?.process(samples).map_err(SoundMeterError::Meter)?)
    }

    /// Adds the measurement of another meter, as if its sound had been measured too: mean levels are over the time of both,
    /// percentiles and the gates of loudness over the levels of both. Rates and channels may differ, but this meter has every band of
    /// the other; those that the other does not have are averaged over this meter's time. The current levels stay, as does the other meter, which no other
    /// call uses meanwhile, and which is not this one. One call at a time.
    ///
    /// Fails with `RUSTLE_INVALID_VALUE` (a meter of another configuration, or with higher bands).
    #[doc(alias = "rustle_meter_add")]
    pub(crate) fn add(&self, addition: &RustleMeterAddition) -> Outcome<SoundMeterError> {
        let other = Self::table().pin(addition.meter, "addition.meter")?;
        let mut meter = self.0.get()?;
        let other = other.0.get()?;
        Ok(meter.add(&other)?)
    }

    /// Writes to `level` the exceedance level, exceeded for `percent` (0 to 100) of the measurement, such as LA10 for 10; NaN in
    /// the first 5 time constants, minus infinity for silence. One call at a time.
    ///
    /// Fails with `RUSTLE_INVALID_VALUE` (`percent`).
    #[doc(alias = "rustle_meter_exceeded")]
    pub(crate) fn exceeded(&self, percent: f64) -> Outcome<SoundMeterError, f64> {
        if !(0.0..=100.0).contains(&percent) {
            return Err(CallFault::number("percent", "0 to 100", percent).into());
        }
        Ok(self.0.get()?.exceeded(percent).unwrap_or(f64::NAN))
    }

    /// Writes the centre frequencies of the meter's bands in Hz to `centres` and their time-averaged levels in dB relative to
    /// full scale, without calibration, to `levels`, as many as fit in both. `count` receives the number of bands.
    /// One call at a time.
    #[doc(alias = "rustle_meter_bands")]
    pub(crate) fn bands(&self, centres: &mut [f64], levels: &mut [f64]) -> Outcome<SoundMeterError, usize> {
        let meter = self.0.get()?;
        let known = meter.band_centres();
        let room = known.len().min(centres.len()).min(levels.len());
        centres[..room].copy_from_slice(&known[..room]);
        meter.band_mean_squares(&mut levels[..room]);
        for level in &mut levels[..room] {
            *level = decibels(*level);
        }
        Ok(known.len())
    }
}

/// Writes to `value` the value of an average power of `power` dB relative to full scale on the scale for display, 0 to 120,
/// and to `level_zone` its level zone, 0 to 4: silent below 50, quiet below 75, average below 90, noisy below 100, loud up to and
/// including 120. It is 120 sqrt((a - m) / (1 - m)) with a = 10^(power / 20) and m = 10^-4; it is not a sound pressure
/// level.
///
/// Thread-safe: yes. Realtime-safe: yes.
#[doc(alias = "rustle_display_scale")]
pub(crate) fn scale(power: f64) -> Result<(f64, u32), CallFault> {
    let value = display_scale(power);
    Ok((value, LevelZone::of(value) as u32))
}

impl RustleMeterConfiguration {
    fn read(&self) -> Outcome<SoundMeterError, SoundMeterConfiguration> {
        let (count, name) = (self.channel_count, "configuration.channels");
        let channels = self
            .channels
            .read(count, 24, name, |channel| Ok(channel.get(name)?.into()))?;
        let (count, name) = (self.response_count, "configuration.response");
        let points = self
            .response
            .read(count, 4_096, name, |point| Ok((point.frequency, point.deviation)))?;
        let response = (!points.is_empty()).then(|| MicrophoneResponse::new(points));
        Ok(SoundMeterConfiguration {
            rate: self.sample_rate,
            channels,
            metered: match self.metered {
                RUSTLE_CHANNEL_ALL => MeteredChannel::All,
                channel => MeteredChannel::One(channel as usize),
            },
            frequency: self.weighting.get("configuration.weighting")?.into(),
            time: self.time.get("configuration.time")?.into(),
            offset: self.offset,
            loudness: self.loudness.is_set(),
            range_step: self.range_step.get("configuration.range_step")?.into(),
            bands: match self.bands.get("configuration.bands")? {
                RustleMeterBands::None => None,
                RustleMeterBands::Octave => Some(BandWidth::Octave),
                RustleMeterBands::ThirdOctave => Some(BandWidth::ThirdOctave),
            },
            response: response.transpose().map_err(SoundMeterError::Response)?,
        })
    }
}

statuses!(MeterError {
    RUSTLE_INVALID_LENGTH: BlockLength,
    RUSTLE_INVALID_VALUE: SampleRate Channels,
});

statuses!(SoundMeterError {
    RUSTLE_INVALID_VALUE: Metered Offset Added Response,
    _: Meter,
});
