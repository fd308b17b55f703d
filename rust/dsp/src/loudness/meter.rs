//! Momentary, short-term and integrated loudness.

use super::gate::{Blocks, loudness};
use super::true_peak::TruePeakMeter;
use crate::biquad::{Biquad, BiquadState};
use crate::level::{MeterError, check_rate};
use std::f64::consts::PI;

/// The weight of a channel (BS.1770-4, table 3, and annex 3 for more channels than 5.1 has: 1.41 from 60 to 120 degrees to the
/// side and less than 30 degrees up or down, 1 elsewhere).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChannelWeight {
    /// Left, right or centre, and what stands behind the surround channels, such as the back channels of 7.1: 1.
    #[default]
    Front,
    /// A surround channel: left or right of 5.1, at 110 degrees, or at the side, at 90 degrees: 1.41.
    Surround,
    /// The low-frequency channel: not at all.
    LowFrequency,
}

impl ChannelWeight {
    /// The factor on the channel's mean square.
    pub const fn factor(self) -> f64 {
        match self {
            Self::Front => 1.0,
            Self::Surround => 1.41,
            Self::LowFrequency => 0.0,
        }
    }
}

/// The most channels.
const CHANNELS: usize = 24;

/// The length of a block, in seconds; loudness is reported once per block.
const BLOCK: f64 = 0.1;

/// The blocks of a momentary and of a short-term value: 0.4 s and 3 s.
const MOMENTARY: usize = 4;
const SHORT_TERM: usize = 30;

/// The time between the short-term values that the loudness range is computed from. EBU Tech 3342 leaves it open, as
/// long as successive values overlap by 2 s or more; the ranges of one sound usually differ by tenths of an LU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RangeStep {
    /// 0.1 s: the range does not depend on where in the sound the measurement begins.
    #[default]
    Tenth,
    /// 1 s, as in libebur128 and FFmpeg's `loudnorm`; FFmpeg's `ebur128` has 0.1 s.
    Second,
}

impl RangeStep {
    /// The step in blocks of 0.1 s.
    const fn blocks(self) -> u64 {
        match self {
            Self::Tenth => 1,
            Self::Second => 10,
        }
    }
}

/// The readings of a loudness meter, in LUFS; minus infinity for silence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoudnessReading {
    /// The length of the measurement in seconds.
    pub seconds: f64,
    /// Of the last 0.4 s, at the last whole tenth of a second.
    pub momentary: f64,
    /// The highest momentary loudness.
    pub momentary_highest: f64,
    /// Of the last 3 s, at the last whole tenth of a second; the time before the start counts as silence.
    pub short_term: f64,
    /// The highest short-term loudness.
    pub short_term_highest: f64,
    /// Of the whole measurement, through both gates.
    pub integrated: f64,
    /// The loudness range, in LU.
    pub range: f64,
    /// The highest peak between the samples of any channel, in dBTP: dB relative to full scale.
    pub true_peak: f64,
}

/// Measures the loudness of up to 24 channels. Memory is of a fixed size, however long the measurement; only
/// [`new`](Self::new) allocates.
#[derive(Clone, Debug)]
pub struct LoudnessMeter {
    rate: f64,
    channels: Vec<Channel>,
    filters: [Biquad; 2],
    /// Mean squares of the last blocks, weighted and added up over the channels.
    blocks: [f64; SHORT_TERM],
    block: usize,
    frames_of_block: usize,
    until_block: usize,
    frames: u64,
    momentary: f64,
    momentary_highest: f64,
    short_term: f64,
    short_term_highest: f64,
    /// Blocks of 0.4 s, each begun 0.1 s after the one before, and of 3 s, each begun a step after the one before.
    gated: Blocks,
    ranged: Blocks,
    range_step: RangeStep,
    blocks_seen: u64,
    /// The length of added measurements, in seconds.
    added_seconds: f64,
}

#[derive(Clone, Debug)]
struct Channel {
    weight: f64,
    states: [BiquadState; 2],
    sum: f64,
    true_peak: TruePeakMeter,
}

impl LoudnessMeter {
    /// A meter for interleaved channels at `rate` Hz.
    ///
    /// # Errors
    /// [`MeterError::SampleRate`], [`MeterError::Channels`].
    pub fn new(rate: f64, channels: &[ChannelWeight]) -> Result<Self, MeterError> {
        check_rate(rate)?;
        let (limit, got) = (CHANNELS, channels.len());
        if got == 0 || got > limit {
            return Err(MeterError::Channels { limit, got });
        }
        let channel = |weight: &ChannelWeight| Channel {
            weight: weight.factor(),
            states: [BiquadState::default(); 2],
            sum: 0.0,
            true_peak: TruePeakMeter::new(rate),
        };
        let frames_of_block = (BLOCK * rate).round() as usize;
        Ok(Self {
            rate,
            channels: channels.iter().map(channel).collect(),
            filters: [shelf(rate), high_pass(rate)],
            blocks: [0.0; SHORT_TERM],
            block: 0,
            frames_of_block,
            until_block: frames_of_block,
            frames: 0,
            momentary: 0.0,
            momentary_highest: 0.0,
            short_term: 0.0,
            short_term_highest: 0.0,
            gated: Blocks::new(),
            ranged: Blocks::new(),
            range_step: RangeStep::default(),
            blocks_seen: 0,
            added_seconds: 0.0,
        })
    }

    /// The meter with another step of its loudness range.
    #[must_use]
    pub fn with_range_step(self, range_step: RangeStep) -> Self {
        Self { range_step, ..self }
    }

    /// Takes the next frames, one sample per channel each. A sample that is NaN or infinite counts as silence.
    ///
    /// # Errors
    /// [`MeterError::BlockLength`]; the frames then do not count.
    pub fn process(&mut self, frames: &[f32]) -> Result<(), MeterError> {
        let channels = self.channels.len();
        if !frames.len().is_multiple_of(channels) {
            return Err(MeterError::BlockLength {
                channels,
                got: frames.len(),
            });
        }
        let mut rest = frames;
        while !rest.is_empty() {
            let part;
            (part, rest) = rest.split_at(rest.len().min(self.until_block * channels));
            for (index, channel) in self.channels.iter_mut().enumerate() {
                channel.process(&self.filters, part.iter().skip(index).step_by(channels).copied());
            }
            let frames = part.len() / channels;
            self.frames += frames as u64;
            self.until_block -= frames;
            if self.until_block == 0 {
                self.until_block = self.frames_of_block;
                self.end_block();
            }
        }
        Ok(())
    }

    fn end_block(&mut self) {
        let mut sum = 0.0;
        for channel in &mut self.channels {
            sum += channel.weight * channel.sum;
            channel.sum = 0.0;
            for state in &mut channel.states {
                state.flush();
            }
        }
        self.block = (self.block + 1) % SHORT_TERM;
        self.blocks[self.block] = sum / self.frames_of_block as f64;
        self.blocks_seen += 1;
        let latest = |count: usize| {
            let blocks = (0..count).map(|age| self.blocks[(self.block + SHORT_TERM - age) % SHORT_TERM]);
            blocks.sum::<f64>() / count as f64
        };
        (self.momentary, self.short_term) = (latest(MOMENTARY), latest(SHORT_TERM));
        self.momentary_highest = self.momentary_highest.max(self.momentary);
        self.short_term_highest = self.short_term_highest.max(self.short_term);
        if self.blocks_seen >= MOMENTARY as u64 {
            self.gated.add(self.momentary);
        }
        let after_first = self.blocks_seen.checked_sub(SHORT_TERM as u64);
        if after_first.is_some_and(|blocks| blocks.is_multiple_of(self.range_step.blocks())) {
            self.ranged.add(self.short_term);
        }
    }

    /// The present readings.
    pub fn reading(&self) -> LoudnessReading {
        let peaks = self.channels.iter().map(|channel| channel.true_peak.peak());
        LoudnessReading {
            seconds: self.frames as f64 / self.rate + self.added_seconds,
            momentary: loudness(self.momentary),
            momentary_highest: loudness(self.momentary_highest),
            short_term: loudness(self.short_term),
            short_term_highest: loudness(self.short_term_highest),
            integrated: self.gated.integrated(),
            range: self.ranged.range(),
            true_peak: 20.0 * peaks.fold(0.0, f64::max).log10(),
        }
    }

    /// Adds the measurement of another meter, of any rate and channels: gates and percentiles are over the blocks of both. The
    /// momentary and the short-term loudness stay.
    pub fn add(&mut self, other: &Self) {
        self.added_seconds += other.reading().seconds;
        self.momentary_highest = self.momentary_highest.max(other.momentary_highest);
        self.short_term_highest = self.short_term_highest.max(other.short_term_highest);
        self.gated.merge(&other.gated);
        self.ranged.merge(&other.ranged);
        let peaks = other.channels.iter().map(|channel| channel.true_peak.peak());
        let peak = peaks.fold(0.0, f64::max);
        if let Some(channel) = self.channels.first_mut() {
            channel.true_peak.include(peak);
        }
    }

    /// Begins a new measurement. The filters continue.
    pub fn restart(&mut self) {
        for channel in &mut self.channels {
            channel.sum = 0.0;
            channel.true_peak.restart();
        }
        self.blocks = [0.0; SHORT_TERM];
        self.until_block = self.frames_of_block;
        (self.frames, self.blocks_seen, self.added_seconds) = (0, 0, 0.0);
        (self.momentary, self.momentary_highest) = (0.0, 0.0);
        (self.short_term, self.short_term_highest) = (0.0, 0.0);
        self.gated.clear();
        self.ranged.clear();
    }
}

impl Channel {
    fn process(&mut self, [first, second]: &[Biquad; 2], samples: impl Iterator<Item = f32> + Clone) {
        self.true_peak.process(samples.clone());
        let [mut of_first, mut of_second] = self.states;
        let mut sum = 0.0;
        for sample in samples {
            let sample = if sample.is_finite() {
                f64::from(sample)
            } else {
                0.0
            };
            let weighted = of_second.process(second, of_first.process(first, sample));
            sum += weighted * weighted;
        }
        self.sum += sum;
        self.states = [of_first, of_second];
    }
}

/// The first filter of the weighting, which models the head. BS.1770 gives coefficients at 48 kHz alone; those come from an
/// analog shelf by the bilinear transform, with the frequency, gain and quality here (G. Mansbridge et al., "Implementation
/// and evaluation of autonomous multi-track fader control", AES 132, 2012), which other rates are made from too.
fn shelf(rate: f64) -> Biquad {
    const FREQUENCY: f64 = 1_681.974_450_955_533;
    const GAIN: f64 = 3.999_843_853_973_347;
    const Q: f64 = 0.707_175_236_955_419_6;
    let k = (PI * FREQUENCY / rate).tan();
    let high = 10f64.powf(GAIN / 20.0);
    let band = high.powf(0.499_666_774_154_541_6);
    let scale = 1.0 / (1.0 + k / Q + k * k);
    Biquad {
        b0: (high + band * k / Q + k * k) * scale,
        b1: 2.0 * (k * k - high) * scale,
        b2: (high - band * k / Q + k * k) * scale,
        a1: 2.0 * (k * k - 1.0) * scale,
        a2: (1.0 - k / Q + k * k) * scale,
    }
}

/// The second filter, of the revised low-frequency B curve, likewise.
fn high_pass(rate: f64) -> Biquad {
    const FREQUENCY: f64 = 38.135_470_876_139_82;
    const Q: f64 = 0.500_327_037_323_877_3;
    let k = (PI * FREQUENCY / rate).tan();
    let scale = 1.0 / (1.0 + k / Q + k * k);
    Biquad {
        b0: 1.0,
        b1: -2.0,
        b2: 1.0,
        a1: 2.0 * (k * k - 1.0) * scale,
        a2: (1.0 - k / Q + k * k) * scale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_at_48_kilohertz_are_those_of_the_recommendation() {
        // BS.1770-4, tables 1 and 2.
        let expected = [
            [
                1.535_124_859_586_97,
                -2.691_696_189_406_38,
                1.198_392_810_852_85,
                -1.690_659_293_182_41,
                0.732_480_774_215_85,
            ],
            [1.0, -2.0, 1.0, -1.990_047_454_833_98, 0.990_072_250_366_21],
        ];
        for (filter, expected) in [shelf(48_000.0), high_pass(48_000.0)].into_iter().zip(expected) {
            let got = [filter.b0, filter.b1, filter.b2, filter.a1, filter.a2];
            for (got, expected) in got.into_iter().zip(expected) {
                assert!((got - expected).abs() < 1e-9, "{got} {expected}");
            }
        }
    }

    #[test]
    fn channels_and_blocks_are_checked() {
        assert!(LoudnessMeter::new(48_000.0, &[]).is_err());
        assert!(LoudnessMeter::new(48_000.0, &[ChannelWeight::Front; 25]).is_err());
        let mut meter = LoudnessMeter::new(48_000.0, &[ChannelWeight::Front; 2]).expect("two channels");
        assert_eq!(
            meter.process(&[0.0; 3]),
            Err(MeterError::BlockLength { channels: 2, got: 3 })
        );
    }
}
