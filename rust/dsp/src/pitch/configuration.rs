//! The configuration of pitch estimators.

use super::error::PitchError;
use super::sums::sum;
use crate::bounded_text::GivenName;
use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Sample rates, in Hz.
pub const SAMPLE_RATES: RangeInclusive<f64> = 1000.0..=768_000.0;
/// The shortest analysis frame, in samples.
pub const MIN_FRAME_LENGTH: usize = 256;
/// The longest analysis frame, in samples.
pub const MAX_FRAME_LENGTH: usize = 32_768;
/// The periods of the lowest frequency that an analysis frame has to hold.
pub const PERIODS: f64 = 2.25;
/// The highest frequency of a range, as a part of the sample rate.
const HIGHEST: f64 = 0.45;

/// The largest amplitude whose squares can be summed in single precision.
const LOUDEST: f32 = 3e12;

/// A way to find a pitch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PitchMethod {
    /// Candidates of two families, periods and combs of partials, chosen where they agree; then harmonic least squares, which
    /// reaches the Cramer-Rao bound. Its confidence is calibrated.
    #[default]
    Harmonic,
    /// YIN: the cumulative mean normalised difference function, over half the window, threshold 0.1, parabolic interpolation
    /// (A. de Cheveigne and H. Kawahara, JASA 111, 2002, steps 1 to 5). Its confidence is 1 less that function.
    Yin,
    /// McLeod's pitch method: the normalised square difference function, the first of its maxima that reaches 0.93 of the
    /// largest (P. McLeod and G. Wyvill, ICMC 2005). Its confidence is that function's value, called clarity.
    Mpm,
    /// The harmonic product spectrum: the largest product of the magnitudes at 1 to 5 times a frequency (M. Noll, 1969).
    /// Fails on tones without all of these partials, a sine among them. Its confidence is the part of the frame's energy
    /// in those partials.
    HarmonicProduct,
    /// The largest peak of the spectrum, by a parabola through the logarithms of three bins: the strongest partial, whether
    /// it is the first or not. Its confidence is the part of the frame's energy in that peak.
    SpectralPeak,
}

impl PitchMethod {
    /// All methods.
    pub const ALL: [Self; 5] = [
        Self::Harmonic,
        Self::Yin,
        Self::Mpm,
        Self::HarmonicProduct,
        Self::SpectralPeak,
    ];

    /// The name in commands and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Harmonic => "harmonic",
            Self::Yin => "yin",
            Self::Mpm => "mpm",
            Self::HarmonicProduct => "hps",
            Self::SpectralPeak => "peak",
        }
    }
}

impl Display for PitchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PitchMethod {
    type Err = PitchError;

    fn from_str(text: &str) -> Result<Self, PitchError> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == text)
            .ok_or_else(|| PitchError::MethodName {
                got: GivenName::new(text),
            })
    }
}

/// The configuration of an estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct PitchConfiguration {
    /// In Hz, one of [`SAMPLE_RATES`].
    pub sample_rate: f64,
    /// The range of frequencies to search, in Hz, above 0; at most 0.45 of the sample rate counts.
    pub range: RangeInclusive<f64>,
    /// The method.
    pub method: PitchMethod,
    /// The samples of a frame: a power of two from [`MIN_FRAME_LENGTH`] to [`MAX_FRAME_LENGTH`]. `None`: the least power of two that
    /// holds [`PERIODS`] periods of the range's lower end, or the longest; and, of the default method, a half, a quarter and an
    /// eighth of it, not below 20 ms, where the sound moves, begins or ends within it. A frame that does not hold these periods raises that
    /// end: [`PitchEstimator::range`](super::PitchEstimator::range) returns it.
    pub frame_length: Option<usize>,
    /// Whether the default method looks for several notes. Where one voice is known to sound, roughness that looks like another
    /// does not lower the confidence then.
    pub several: bool,
}

/// A configuration that has been checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    pub(super) sample_rate: f64,
    pub(super) lowest: f64,
    pub(super) highest: f64,
    pub(super) frame_length: usize,
    pub(super) several: bool,
}

impl PitchConfiguration {
    /// The default method, and the frame length that the range asks for.
    pub fn new(sample_rate: f64, range: RangeInclusive<f64>) -> Self {
        Self {
            sample_rate,
            range,
            method: PitchMethod::default(),
            frame_length: None,
            several: true,
        }
    }

    /// The default method for one voice, in frames of the length that the range asks for and no shorter ones.
    pub(crate) fn one_voice(sample_rate: f64, range: RangeInclusive<f64>) -> Self {
        Self {
            frame_length: Some(Self::least_frame_length(sample_rate, *range.start())),
            several: false,
            ..Self::new(sample_rate, range)
        }
    }

    /// The least frame length that holds a frequency, or the longest.
    fn least_frame_length(sample_rate: f64, lowest: f64) -> usize {
        let least = (PERIODS * sample_rate / lowest)
            .ceil()
            .min(MAX_FRAME_LENGTH as f64);
        (least as usize).next_power_of_two().max(MIN_FRAME_LENGTH)
    }

    /// # Errors
    /// [`PitchError::SampleRate`], [`PitchError::Range`], [`PitchError::Window`].
    pub(super) fn checked(&self) -> Result<Checked, PitchError> {
        let sample_rate = self.sample_rate;
        if !SAMPLE_RATES.contains(&sample_rate) {
            return Err(PitchError::SampleRate { got: sample_rate });
        }
        let (lowest, highest) = (*self.range.start(), *self.range.end());
        let range = |least: f64| PitchError::Range {
            lowest,
            highest,
            least,
            most: HIGHEST * sample_rate,
        };
        if !(lowest > 0.0 && highest.is_finite()) {
            return Err(range(0.0));
        }
        let frame_length = match self.frame_length {
            Some(got) if (MIN_FRAME_LENGTH..=MAX_FRAME_LENGTH).contains(&got) && got.is_power_of_two() => got,
            Some(got) => return Err(PitchError::Window { got }),
            None => Self::least_frame_length(sample_rate, lowest),
        };
        let least = PERIODS * sample_rate / frame_length as f64;
        let (low, high) = (lowest.max(least), highest.min(HIGHEST * sample_rate));
        if low >= high {
            return Err(range(least));
        }
        Ok(Checked {
            sample_rate,
            lowest: low,
            highest: high,
            frame_length,
            several: self.several,
        })
    }
}

impl Checked {
    pub(super) fn range(&self) -> RangeInclusive<f64> {
        self.lowest..=self.highest
    }

    /// The frequencies that a pitch may have, half a semitone more on each side than what is looked for: what is found at an end
    /// is not cut off by its own error.
    pub(super) fn held(&self) -> RangeInclusive<f64> {
        const QUARTER_TONE: f64 = 1.029_302_236_643_492;
        self.lowest / QUARTER_TONE..=self.highest * QUARTER_TONE
    }

    /// Whether a pitch is one of them.
    pub(super) fn holds(&self, frequency: f64) -> bool {
        self.held().contains(&frequency)
    }

    /// A frame and its first measures.
    ///
    /// # Errors
    /// [`PitchError::FrameLength`].
    #[inline(always)]
    pub(super) fn measured<'a>(&self, frame: &'a [f32]) -> Result<Measured<'a>, PitchError> {
        let (expected, got) = (self.frame_length, frame.len());
        if got != expected {
            return Err(PitchError::FrameLength { expected, got });
        }
        Ok(Measured::new(frame))
    }
}

/// A frame, and what is seen of it at once: of all samples but the first, which
/// [`CentredSpectrum`](super::centred::CentredSpectrum) leaves out; on its own it is not a sound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured<'a> {
    /// All samples.
    pub(super) frame: &'a [f32],
    pub(super) mean: f32,
    /// The sum of squares without the mean.
    pub(super) energy: f64,
    /// The level without the mean, in dB; not finite where there is nothing to find.
    pub(super) level: f64,
}

impl<'a> Measured<'a> {
    #[inline(always)]
    pub(super) fn new(frame: &'a [f32]) -> Self {
        let samples = &frame[1..];
        let count = samples.len() as f64;
        let mean = (sum(samples, f64::from) / count) as f32;
        let energy = sum(samples, |x| f64::from(x - mean).powi(2));
        let power = energy / count;
        // Below, single precision holds no squares; above, it holds no sums of them.
        let first = frame[0].abs() < LOUDEST;
        let level = if first && power > 1e-30 && power < f64::from(LOUDEST).powi(2) {
            10.0 * power.log10()
        } else {
            f64::NEG_INFINITY
        };
        Self {
            frame,
            mean,
            energy,
            level,
        }
    }
}
