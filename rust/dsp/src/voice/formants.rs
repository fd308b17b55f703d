//! Formants: the resonances of the vocal tract, from the poles of a prediction filter.

mod method;

pub use method::FormantMethod;

use super::prediction::{Filter, MOST, burg, weighted};
use super::repetition::Repetition;
use super::resample::Resampler;
use super::roots::roots;
use super::{CEILINGS, LENGTHS, ORDERS, VoiceError, checked_rate, gaussian, median};
use crate::InstructionSet;
use crate::fft::kernels;

/// The most formants that are reported.
pub const FORMANTS: usize = 5;
/// A pole nearer than this to 0 Hz or to the ceiling is not a formant but the slope of the source, in Hz (as in Praat).
const MARGIN: f64 = 50.0;
/// A pole with a wider band is a slope of the spectrum and not a formant, in Hz. The widest formants of voices, the higher ones
/// of children, have 400 (J. W. Hawks and J. D. Miller, JASA 97, 1995); measured ones are wider by the window's own width.
const WIDEST: f64 = 700.0;
/// Up from this the spectrum is raised by 6 dB per octave, in Hz (as in Praat).
const EMPHASIS: f64 = 50.0;
/// The bandwidth of a formant that counts half in the confidence, in Hz.
const HALF_SURE: f64 = 400.0;

/// The configuration of a formant analysis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FormantConfiguration {
    /// In Hz, one of [`SAMPLE_RATES`](super::SAMPLE_RATES).
    pub sample_rate: f64,
    /// Five formants are expected up to here, in Hz, one of [`CEILINGS`]: 5000 suits men, 5500 women, 6500 children. The sound
    /// is resampled to twice this; one of a lower rate is taken as it is, with as many formants less.
    pub ceiling: f64,
    /// The order of the prediction, one of [`ORDERS`]. `None`: two for each formant that is expected, and with
    /// [`FormantMethod::Weighted`] two more for the source.
    pub order: Option<usize>,
    /// The method of the prediction filter.
    pub method: FormantMethod,
    /// The effective length of the window in seconds, one of [`LENGTHS`]; the window itself, whose ends hardly count, is twice
    /// as long, and with [`FormantMethod::Weighted`] 25 ms longer on each side, for what repeats it.
    pub length: f64,
}

impl FormantConfiguration {
    /// A ceiling of 5500 Hz, the default method and order, 25 ms.
    pub fn new(sample_rate: f64) -> Self {
        Self {
            sample_rate,
            ceiling: 5500.0,
            order: None,
            method: FormantMethod::default(),
            length: 0.025,
        }
    }

    /// The rate that the prediction works at, and its order.
    fn checked(&self) -> Result<(f64, usize), VoiceError> {
        checked_rate(self.sample_rate)?;
        if !CEILINGS.contains(&self.ceiling) {
            return Err(VoiceError::Ceiling { got: self.ceiling });
        }
        if !LENGTHS.contains(&self.length) {
            return Err(VoiceError::Length { got: self.length });
        }
        let rate = self.sample_rate.min(2.0 * self.ceiling);
        let formants = (FORMANTS as f64 * 0.5 * rate / self.ceiling).round() as usize;
        let source = match self.method {
            FormantMethod::Weighted => 2,
            FormantMethod::Burg => 0,
        };
        let order = self.order.unwrap_or(2 * formants + source);
        if !ORDERS.contains(&order) {
            return Err(VoiceError::Order { got: order });
        }
        Ok((rate, order))
    }
}

/// A resonance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Formant {
    /// In Hz.
    pub frequency: f64,
    /// The width of the band within 3 dB, in Hz.
    pub bandwidth: f64,
}

/// The formants of a frame, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Formants {
    found: [Formant; FORMANTS],
    count: usize,
    /// 0 to 1: how clear F1 to F3 are, the mean over them of 1 / (1 + (B / 400 Hz)^2) for a bandwidth B, 0 for one that is
    /// missing. It is not a probability.
    pub confidence: f64,
}

impl Formants {
    /// F1 and up, in rising order, at most [`FORMANTS`].
    pub fn as_slice(&self) -> &[Formant] {
        &self.found[..self.count]
    }

    /// The same, and zeros in the places of those that were not found.
    pub fn padded(&self) -> [Formant; FORMANTS] {
        self.found
    }

    /// Formant `number`, from 1; `None`: not found.
    pub fn get(&self, number: usize) -> Option<Formant> {
        self.as_slice().get(number.checked_sub(1)?).copied()
    }

    fn push(&mut self, formant: Formant) {
        if self.count < FORMANTS {
            self.found[self.count] = formant;
            self.count += 1;
        }
    }

    fn rated(mut self) -> Self {
        let sum: f64 = self
            .as_slice()
            .iter()
            .take(3)
            .map(|f| 1.0 / (1.0 + (f.bandwidth / HALF_SURE).powi(2)))
            .sum();
        self.confidence = sum / 3.0;
        self
    }
}

/// Finds formants frame by frame. Nothing is allocated after construction.
pub struct FormantAnalyzer {
    /// The instructions.
    path: InstructionSet,
    resampler: Resampler,
    rate: f64,
    order: usize,
    method: FormantMethod,
    frame: usize,
    emphasis: f64,
    /// The average of repeated periods; only with [`FormantMethod::Weighted`].
    repetition: Option<Repetition>,
    window: Vec<f64>,
    /// The sound at the rate of the prediction, longer than the window where there is a mean to make, and which of the signal's
    /// samples at this rate is its first; `None`: none yet.
    resampled: Vec<f64>,
    from: Option<i64>,
    sound: Vec<f64>,
    samples: Vec<f64>,
    work: Vec<f64>,
}

impl FormantAnalyzer {
    /// # Errors
    /// [`VoiceError::SampleRate`], [`VoiceError::Ceiling`], [`VoiceError::Order`], [`VoiceError::Length`]; and what
    /// [`InstructionSet::preferred`] returns.
    pub fn new(configuration: &FormantConfiguration) -> Result<Self, VoiceError> {
        let (rate, order) = configuration.checked()?;
        let resampler = Resampler::new(configuration.sample_rate, rate);
        // Both odd: the middles are samples, and where the rates are the same so are the samples.
        let length = (2.0 * configuration.length * rate) as usize | 1;
        let repetition = (configuration.method == FormantMethod::Weighted).then(|| Repetition::new(rate));
        let around = repetition.as_ref().map_or(0, Repetition::margin);
        let sound = length + 2 * around;
        let inner = (sound as f64 / rate * configuration.sample_rate).ceil() as usize;
        // The middle is moved to the nearest sample at the lower rate.
        let margin = if rate < configuration.sample_rate {
            resampler.reach() + (0.5 * configuration.sample_rate / rate).ceil() as usize
        } else {
            1
        };
        Ok(Self {
            path: InstructionSet::preferred()?,
            frame: (inner + 2 * margin) | 1,
            resampler,
            rate,
            order,
            method: configuration.method,
            emphasis: (-std::f64::consts::TAU * EMPHASIS / rate).exp(),
            window: (0..length - 1).map(|n| gaussian(n, length - 1)).collect(),
            repetition,
            resampled: vec![0.0; sound],
            from: None,
            sound: vec![0.0; sound],
            samples: vec![0.0; length - 1],
            work: vec![0.0; 3 * length],
        })
    }

    /// The samples of a frame, an odd number; the time of what it shows is its middle, within half a sample at twice the ceiling.
    pub fn frame_length(&self) -> usize {
        self.frame
    }

    /// The formants of a frame of [`frame_length`](Self::frame_length) samples. A frame without a sound, or with a sample that is NaN or
    /// infinite, has none.
    ///
    /// # Errors
    /// [`VoiceError::FrameLength`].
    pub fn analyze(&mut self, frame: &[f32]) -> Result<Formants, VoiceError> {
        self.reset();
        // The middle is at time 0, where there is a sample at every rate.
        let found = self.analyze_next(frame, -((self.frame / 2) as i64));
        self.reset();
        found
    }

    /// Resets the signal; the next frame is of another.
    pub(super) fn reset(&mut self) {
        self.from = None;
    }

    /// The formants of a frame of a signal that begins with the signal's sample `start`. What was resampled for the frame before
    /// is used again, which does not change the numbers.
    ///
    /// # Errors
    /// [`VoiceError::FrameLength`].
    pub(super) fn analyze_next(&mut self, frame: &[f32], start: i64) -> Result<Formants, VoiceError> {
        let (expected, got) = (self.frame, frame.len());
        if got != expected {
            return Err(VoiceError::FrameLength { expected, got });
        }
        let peak = frame.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
        if !(peak > 0.0 && frame.iter().all(|x| x.is_finite())) {
            return Ok(Formants::default());
        }
        let filter = kernels::run(
            self.path,
            #[inline(always)]
            || self.filter(frame, start, peak),
        );
        Ok(filter.map_or_else(Formants::default, |filter| {
            resonances(&filter, self.order, self.rate)
        }))
    }

    /// The prediction filter of a frame with this peak, compiled for the instructions of its caller; `None`: there is none.
    #[inline(always)]
    fn filter(&mut self, frame: &[f32], start: i64, peak: f32) -> Option<Filter> {
        self.resample(frame, start);
        self.sound.copy_from_slice(&self.resampled);
        let scale = 1.0 / f64::from(peak);
        let emphasized = |sound: &mut [f64], emphasis: f64| {
            for n in 0..sound.len() - 1 {
                sound[n] = scale * (sound[n + 1] - emphasis * sound[n]);
            }
        };
        let last = self.sound.len() - 1;
        if let Some(repetition) = &mut self.repetition {
            // Of the sound as it is: in the raised one there is more noise.
            repetition.find(&self.sound);
            emphasized(&mut self.sound, self.emphasis);
            repetition.average(&self.sound[..last], &mut self.samples);
        } else {
            emphasized(&mut self.sound, self.emphasis);
            self.samples.copy_from_slice(&self.sound[..last]);
        }
        let samples = &mut self.samples[..];
        match self.method {
            FormantMethod::Weighted => weighted(samples, &self.window, self.order, &mut self.work),
            FormantMethod::Burg => {
                for (sample, weight) in samples.iter_mut().zip(&self.window) {
                    *sample *= weight;
                }
                burg(samples, self.order, &mut self.work)
            }
        }
    }

    /// Fills `resampled` with the sound around the frame's middle.
    #[inline(always)]
    fn resample(&mut self, frame: &[f32], start: i64) {
        let length = self.resampled.len();
        let middle = self.resampler.nearest((start + (self.frame / 2) as i64) as f64);
        let first = middle - (length / 2) as i64;
        let kept = self.from.map_or(0, |from| {
            let moved = usize::try_from(first - from).unwrap_or(length).min(length);
            self.resampled.copy_within(moved.., 0);
            length - moved
        });
        self.resampler
            .fill(frame, start, first + kept as i64, &mut self.resampled[kept..]);
        self.from = Some(first);
    }
}

/// The formants of a prediction filter at `rate` Hz: those of its poles that have an angle and a narrow band.
fn resonances(filter: &Filter, order: usize, rate: f64) -> Formants {
    let mut poles = [Formant::default(); MOST];
    let mut count = 0;
    for z in &roots(filter, order)[..order] {
        let pole = Formant {
            frequency: z.im.atan2(z.re) * rate / std::f64::consts::TAU,
            // A pole outside the unit circle resonates as its mirror image inside.
            bandwidth: z.modulus().ln().abs() * rate / std::f64::consts::PI,
        };
        let inside = (MARGIN..=0.5 * rate - MARGIN).contains(&pole.frequency);
        if inside && pole.bandwidth <= WIDEST {
            poles[count] = pole;
            count += 1;
        }
    }
    let poles = &mut poles[..count];
    poles.sort_unstable_by(|a, b| a.frequency.total_cmp(&b.frequency));
    let mut formants = Formants::default();
    poles.iter().for_each(|&pole| formants.push(pole));
    formants.rated()
}

/// Frames quieter than the loudest by more than this do not count for the formants of a signal, in dB.
const QUIET: f64 = 25.0;
/// The least number of formants of a frame that counts.
const NEEDED: usize = 3;

/// The formants of a signal in which they stay where they are, such as a vowel: for each number the median of frequency and
/// bandwidth over frames 10 ms apart that are within 25 dB of the loudest and show at least three; where there are no such, over
/// those that show any. A signal that is shorter than a frame is continued with silence on both sides. Allocates in proportion to
/// the signal's length.
///
/// # Errors
/// As [`FormantAnalyzer::new`].
pub fn extract_formants(
    configuration: &FormantConfiguration,
    signal: &[f32],
) -> Result<Formants, VoiceError> {
    let mut analyzer = FormantAnalyzer::new(configuration)?;
    let window = analyzer.frame_length();
    let mut padded = Vec::new();
    let signal = if signal.len() < window {
        let before = (window - signal.len()) / 2;
        padded.resize(window, 0.0);
        padded[before..before + signal.len()].copy_from_slice(signal);
        &padded
    } else {
        signal
    };
    let hop = (0.01 * configuration.sample_rate).round() as usize;
    let mut frames = Vec::new();
    for (index, frame) in signal.windows(window).step_by(hop).enumerate() {
        let power: f64 = frame.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        frames.push((power, analyzer.analyze_next(frame, (index * hop) as i64)?));
    }
    Ok(medians(frames))
}

/// For each number the median of the formants of the frames that count, each with its power.
fn medians(mut frames: Vec<(f64, Formants)>) -> Formants {
    let powers = frames.iter().map(|f| f.0).filter(|p| p.is_finite());
    let loudest = powers.fold(0.0, f64::max);
    frames.retain(|f| f.0 > loudest * 10.0_f64.powf(-0.1 * QUIET));
    if frames.iter().any(|f| f.1.count >= NEEDED) {
        frames.retain(|f| f.1.count >= NEEDED);
    }
    let mut formants = Formants::default();
    for number in 1..=FORMANTS {
        let found: Vec<Formant> = frames.iter().filter_map(|f| f.1.get(number)).collect();
        // Higher ones that most frames lack are not the signal's.
        if found.is_empty() || 2 * found.len() < frames.len() {
            break;
        }
        let mut frequencies: Vec<f64> = found.iter().map(|f| f.frequency).collect();
        let mut bandwidths: Vec<f64> = found.iter().map(|f| f.bandwidth).collect();
        formants.push(Formant {
            frequency: median(&mut frequencies),
            bandwidth: median(&mut bandwidths),
        });
    }
    formants.rated()
}

#[cfg(test)]
mod tests;
