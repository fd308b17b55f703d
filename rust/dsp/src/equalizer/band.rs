//! The settings of an equalizer.

use crate::Short;
use crate::biquad::{self, Biquad, q_for_bandwidth};
use std::error::Error;
use std::fmt::{self, Display};
use std::ops::RangeInclusive;

/// The centre frequencies of the fourteen bands, in Hz.
pub const CENTRES: [f64; 14] = [
    8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 3072.0, 4096.0, 5120.0, 10_240.0, 16_384.0,
];

/// The gains of a band, in dB.
pub const GAINS: RangeInclusive<f64> = -24.0..=24.0;

/// The preamplifications, in dB: wide bands add up to far more than each alone.
pub const PREAMPS: RangeInclusive<f64> = -96.0..=24.0;

/// The widths of a band, in octaves.
pub const OCTAVES: RangeInclusive<f64> = 0.05..=5.0;

/// The most bands of a channel.
pub const MAX_BANDS: usize = 64;

/// The shape of a band.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BandKind {
    /// The gain at the frequency, falling to 0 dB on both sides.
    #[default]
    Peaking,
    /// The gain below the frequency.
    LowShelf,
    /// The gain above the frequency.
    HighShelf,
    /// A low-pass, which falls by 12 dB an octave above the frequency; the gain has no effect.
    LowPass,
    /// A high-pass, which falls by 12 dB an octave below the frequency; the gain has no effect.
    HighPass,
}

/// The sample rates of an equalizer, in Hz: beyond any sound, and low enough that a change is a countable number of frames.
pub const RATES: RangeInclusive<f64> = 1.0..=1e9;

/// The lowest frequency of a band, in sample rates. Below it the poles are too near 1 for f64 to distinguish: from about 1e-7 on
/// a band has no finite curve.
const LOWEST: f64 = 1e-6;

/// One band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Its shape.
    pub kind: BandKind,
    /// Its centre, or its edge at half the gain, in Hz: at least a millionth of the sample rate and below half of it.
    pub frequency: f64,
    /// In dB, within [`GAINS`].
    pub gain: f64,
    /// The quality, from that of 5 octaves (0.18) to that of 0.05 octaves (28.9); see [`q_for_bandwidth`].
    pub q: f64,
}

impl Band {
    /// A peaking band as wide as `octaves`.
    pub fn peaking(frequency: f64, gain: f64, octaves: f64) -> Self {
        Self {
            kind: BandKind::Peaking,
            frequency,
            gain,
            q: q_for_bandwidth(octaves),
        }
    }

    /// The band's filter at `sample_rate` Hz.
    pub fn filter(&self, sample_rate: f64) -> Biquad {
        let Self {
            kind,
            frequency,
            gain,
            q,
        } = *self;
        match kind {
            BandKind::Peaking => biquad::peaking(frequency, gain, q, sample_rate),
            BandKind::LowShelf => biquad::low_shelf(frequency, gain, q, sample_rate),
            BandKind::HighShelf => biquad::high_shelf(frequency, gain, q, sample_rate),
            BandKind::LowPass => biquad::low_pass(frequency, q, sample_rate),
            BandKind::HighPass => biquad::high_pass(frequency, q, sample_rate),
        }
    }

    fn check(&self, sample_rate: f64) -> Result<(), EqualizerError> {
        if !(self.frequency >= LOWEST * sample_rate && self.frequency < 0.5 * sample_rate) {
            return Err(EqualizerError::Frequency {
                limit: 0.5 * sample_rate,
                got: self.frequency,
            });
        }
        if !GAINS.contains(&self.gain) {
            return Err(EqualizerError::Gain { got: self.gain });
        }
        // A small tolerance for a width that was converted to a quality and back.
        let qualities = q_for_bandwidth(*OCTAVES.end()) * 0.999..=q_for_bandwidth(*OCTAVES.start()) * 1.001;
        if !qualities.contains(&self.q) {
            return Err(EqualizerError::Quality { got: self.q });
        }
        Ok(())
    }
}

/// A setting of the whole equalizer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The bands of the left or only channel, at most [`MAX_BANDS`].
    pub left: Vec<Band>,
    /// The bands of the right channel.
    pub right: Vec<Band>,
    /// The gain of both channels, in dB, within [`PREAMPS`].
    pub preamp: f64,
}

impl Settings {
    /// The fourteen bands of [`CENTRES`] on both channels with the given gains in dB, left and then right from low to high,
    /// each as wide as `octaves`. Bands at or above half the sample rate are left out: they have no sound to change.
    pub fn graphic(gains: &[f64; 28], octaves: f64, sample_rate: f64) -> Self {
        let bands = |gains: &[f64]| {
            let bands = CENTRES.iter().zip(gains);
            let audible = bands.filter(|(frequency, _)| **frequency < 0.5 * sample_rate);
            audible
                .map(|(frequency, gain)| Band::peaking(*frequency, *gain, octaves))
                .collect()
        };
        Self {
            left: bands(&gains[..14]),
            right: bands(&gains[14..]),
            preamp: 0.0,
        }
    }

    /// Checks that the sample rate and each band are in range.
    ///
    /// # Errors
    /// The first value out of range.
    pub fn check(&self, sample_rate: f64) -> Result<(), EqualizerError> {
        if !RATES.contains(&sample_rate) {
            return Err(EqualizerError::SampleRate { got: sample_rate });
        }
        for bands in [&self.left, &self.right] {
            if bands.len() > MAX_BANDS {
                return Err(EqualizerError::BandCount {
                    limit: MAX_BANDS,
                    got: bands.len(),
                });
            }
            for band in bands {
                band.check(sample_rate)?;
            }
        }
        if !PREAMPS.contains(&self.preamp) {
            return Err(EqualizerError::Preamp { got: self.preamp });
        }
        Ok(())
    }

    /// The factor on the amplitude of a sine of `frequency` Hz, in dB, on the left and on the right.
    pub fn decibels(&self, frequency: f64, sample_rate: f64) -> [f64; 2] {
        self.curves(sample_rate)(frequency)
    }

    /// As [`decibels`](Self::decibels), for many frequencies: the filters are designed once.
    pub fn curves(&self, sample_rate: f64) -> impl Fn(f64) -> [f64; 2] {
        let preamp = self.preamp;
        let filters = [&self.left, &self.right]
            .map(|bands| -> Vec<Biquad> { bands.iter().map(|band| band.filter(sample_rate)).collect() });
        move |frequency| {
            let level = |filter: &Biquad| filter.decibels(frequency, sample_rate);
            filters
                .each_ref()
                .map(|filters| preamp + filters.iter().map(level).sum::<f64>())
        }
    }
}

/// The error of a setting: the expected value, and the given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EqualizerError {
    /// The sample rate is not within [`RATES`].
    SampleRate {
        /// The given rate, in Hz.
        got: f64,
    },
    /// A channel has more than [`MAX_BANDS`] bands, or more than the equalizer has.
    BandCount {
        /// The most bands.
        limit: usize,
        /// The given number.
        got: usize,
    },
    /// A band is not below half the sample rate, or below a millionth of it.
    Frequency {
        /// Half the sample rate, in Hz.
        limit: f64,
        /// The given frequency, in Hz.
        got: f64,
    },
    /// A gain is not within [`GAINS`].
    Gain {
        /// The given gain, in dB.
        got: f64,
    },
    /// A preamplification is not within [`PREAMPS`].
    Preamp {
        /// The given preamplification, in dB.
        got: f64,
    },
    /// A quality is not that of a width within [`OCTAVES`].
    Quality {
        /// The given quality.
        got: f64,
    },
    /// There are neither one nor two channels.
    Channels {
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

impl Display for EqualizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SampleRate { got } => {
                let (least, most) = (RATES.start(), RATES.end());
                write!(
                    f,
                    "sample rate: expected {least} to {most} Hz, got {}",
                    Short(got)
                )
            }
            Self::BandCount { limit, got } => {
                write!(f, "bands: expected at most {limit} a channel, got {got}")
            }
            Self::Frequency { limit, got } => write!(
                f,
                "frequency of a band: expected at least {} Hz and below half the sample rate, {limit} Hz, got {} Hz",
                2.0 * LOWEST * limit,
                Short(got)
            ),
            Self::Gain { got } => write!(
                f,
                "gain: expected {} to {} dB, got {} dB",
                GAINS.start(),
                GAINS.end(),
                Short(got)
            ),
            Self::Quality { got } => write!(
                f,
                "quality of a band: expected that of {} to {} octaves, Q {:.4} to {:.2}, got Q {}",
                OCTAVES.start(),
                OCTAVES.end(),
                q_for_bandwidth(*OCTAVES.end()),
                q_for_bandwidth(*OCTAVES.start()),
                Short(got)
            ),
            Self::Preamp { got } => write!(
                f,
                "preamp: expected {} to {} dB, got {}",
                PREAMPS.start(),
                PREAMPS.end(),
                Short(got)
            ),
            Self::Channels { got } => write!(f, "channels: expected 1 or 2, got {got}"),
            Self::BlockLength { channels, got } => write!(
                f,
                "block: expected a whole number of frames of {channels} samples, got {got} samples"
            ),
        }
    }
}

impl Error for EqualizerError {}

#[cfg(test)]
mod tests;
