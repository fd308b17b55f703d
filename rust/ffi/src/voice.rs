//! Voices: pitch, formants, harmonics-to-noise ratio, jitter and shimmer along a stream, or one measure of a whole signal.
//!
//! Example: `sample_rate` 8000, `lowest` 75, `highest` 500, `samples_count` 8000.

use crate::exclusive::Exclusive;
use crate::fault::{statuses, Outcome};
use crate::lent::{choices, Choice};
use crate::object::{Describe, New, Object};
use crate::records::records;
use crate::status::CallFault;
use rustle_dsp::voice::{
    analyze_spectrum, extract_formants, h1_minus_h2, harmonicity, perturbation, FormantConfiguration,
    FormantMethod, Formants, H1MinusH2, Harmonicity, Perturbation, SpectrumFeatures, VoiceAnalyzer,
    VoiceConfiguration, VoiceError, VoiceFrame, VoiceSummary, FORMANTS,
};
use std::mem::MaybeUninit;

choices! {
    /// The method of formant estimation.
    pub enum RustleFormantMethod = RUSTLE_FORMANTS_ for FormantMethod {
        /// Weighted least squares, with small weights for the samples at glottal closure; the default.
        Weighted = 0,
        /// Burg's method.
        Burg = 1,
    }
}

/// Formants are measured in each frame.
pub const RUSTLE_VOICE_FORMANTS: u32 = 1;
/// Harmonics-to-noise ratios are measured in each voiced frame.
pub const RUSTLE_VOICE_HARMONICITY: u32 = 2;
/// Centroids are measured in each frame.
pub const RUSTLE_VOICE_CENTROID: u32 = 4;

/// The maximum number of reported formants.
pub const RUSTLE_FORMANT_COUNT: usize = 5;
const _: () = assert!(RUSTLE_FORMANT_COUNT == FORMANTS);

records! {
    /// The configuration of formant estimation.
    pub struct RustleFormantConfiguration {
        /// The frequency in Hz below which five formants are expected, 3000 to 8000: 5000 suits men, 5500 women, 6500 children.
        /// Example: 5000.
        pub ceiling: f64,
        /// The effective length of the window function in seconds, 0.01 to 0.1; 0: 0.025.
        pub length: f64,
        /// The order of the prediction, 4 to 32; 0: chosen for the ceiling and the method.
        pub order: u32,
        /// The method.
        pub method: Choice<RustleFormantMethod>,
    }

    /// The configuration of a voice analyzer.
    pub struct RustleVoiceConfiguration {
        /// The sample rate in Hz, 8000 to 192,000. Example: 8000.
        pub sample_rate: f64,
        /// The lowest pitch of the search range in Hz, at least 40. Example: 75.
        pub lowest: f64,
        /// The highest pitch of the search range in Hz, above `lowest`, at most 2000 and below a quarter of the sample rate.
        /// Example: 500.
        pub highest: f64,
        /// The hop size in samples, 1 to 1,048,576; 0: a quarter of the pitch's analysis frame. Example: 500.
        pub hop: u32,
        /// The sum of the `RUSTLE_VOICE_…` to measure besides pitch, level, jitter and shimmer; 0: none. Example: 7.
        pub measures: u32,
        /// The configuration of formants; read only when they are measured.
        pub formants: RustleFormantConfiguration,
    }

    /// The formants of a frame or of a signal.
    pub struct RustleFormants for Formants {
        /// The frequencies of F1 and up, in rising order, in Hz; 0 beyond `count`.
        pub frequencies: [f64; RUSTLE_FORMANT_COUNT] = |found| found.padded().map(|formant| formant.frequency),
        /// The 3 dB bandwidths in Hz; 0 beyond `count`.
        pub bandwidths: [f64; RUSTLE_FORMANT_COUNT] = |found| found.padded().map(|formant| formant.bandwidth),
        /// The clarity of F1 to F3 by their bandwidths, 0 to 1; not a probability.
        pub confidence: f64,
        /// The number of formants found, 0 to `RUSTLE_FORMANT_COUNT`.
        pub count: u32 = |found| found.as_slice().len() as u32,
        reserved: u32,
    }

    /// The measures of a voice at one time.
    pub struct RustleVoiceFrame for VoiceFrame {
        /// The time of the frame's centre, in samples from the signal's beginning.
        pub sample: u64,
        /// The pitch in Hz; 0: none.
        pub pitch: f64,
        /// The confidence, 0 to 1: the share of similar frames that have a pitch and whose pitch is right.
        pub confidence: f64,
        /// The level in dB relative to a full-scale square wave; minus infinity for silence.
        pub level: f64,
        /// The harmonics-to-noise ratio in dB; minus infinity where nothing is periodic, NaN where it is not measured.
        pub hnr: f64 = |frame| frame.harmonicity.map_or(f64::NAN, |found| found.hnr),
        /// The spectrum's mean frequency in Hz; 0 of silence and where it is not measured.
        pub centroid: f64,
        /// The formants; none where they are not measured. In an unvoiced frame they are those of the noise.
        pub formants: RustleFormants,
        /// 1 when the frame is voiced: a pitch with a confidence of at least 0.5; 0 otherwise.
        pub is_voiced: u32,
        reserved: u32,
    }

    /// Jitter and shimmer by the definitions of Praat's voice report; 0 where there are too few periods.
    pub struct RustlePerturbation for Perturbation {
        /// The number of periods measured.
        pub periods: u64,
        /// The mean period in seconds.
        pub mean_period: f64,
        /// Local jitter, a plain ratio.
        pub jitter: f64,
        /// The relative average perturbation, of three periods, a plain ratio.
        pub jitter_rap: f64,
        /// The five-point period perturbation quotient, a plain ratio.
        pub jitter_ppq5: f64,
        /// Local shimmer, a plain ratio.
        pub shimmer: f64,
        /// The mean of the level differences of neighbouring amplitudes, in dB.
        pub shimmer_decibels: f64,
        /// The three-point amplitude perturbation quotient, a plain ratio.
        pub shimmer_apq3: f64,
        /// The five-point amplitude perturbation quotient, a plain ratio.
        pub shimmer_apq5: f64,
    }

    /// The summary of all frames.
    pub struct RustleVoiceSummary for VoiceSummary {
        /// The number of frames.
        pub frames: u64,
        /// The number of voiced frames; the measures are of them, and 0 where there are none.
        pub voiced: u64,
        /// The median pitch in Hz, accurate within half a cent.
        pub median_pitch: f64,
        /// The mean pitch, in Hz.
        pub mean_pitch: f64,
        /// The standard deviation of the pitch in Hz; 0 of fewer than two frames.
        pub pitch_deviation: f64,
        /// The mean confidence, 0 to 1.
        pub mean_confidence: f64,
        /// The mean harmonics-to-noise ratio in dB, of the frames in which one was found.
        pub mean_hnr: f64,
        /// Jitter and shimmer.
        pub perturbation: RustlePerturbation,
    }

    /// The effective settings of a voice analyzer.
    pub struct RustleVoiceDescription for VoiceAnalyzer {
        /// The number of samples of the longest analysis frame: the first result needs this many.
        pub frame_length: u32 = |analyzer| analyzer.frame_length() as u32,
        /// The hop size in samples.
        pub hop: u32 = |analyzer| analyzer.hop() as u32,
    }

    /// The shape of a spectrum.
    pub struct RustleSpectrumFeatures for SpectrumFeatures {
        /// The mean frequency, weighted by power, in Hz; 0 for silence.
        pub centroid: f64,
        /// The frequency below which 95 % of the energy lie, in Hz; 0 for silence.
        pub rolloff: f64,
        /// The slope in dB per octave, from 100 Hz to 8 kHz or 0.45 of the sample rate: 0 for white noise, -3 for pink noise.
        pub tilt: f64,
    }

    /// The harmonicity of a signal.
    pub struct RustleHarmonicity for Harmonicity {
        /// The harmonics-to-noise ratio in dB, at most 70; minus infinity where nothing is periodic.
        pub hnr: f64,
        /// The reciprocal of the period in Hz; 0 where nothing is periodic.
        pub frequency: f64,
        /// 1 when at least 0.45 of the energy is periodic; 0 otherwise.
        pub is_voiced: u32,
        reserved: u32,
    }

    /// The levels of the first two harmonics, and their difference H1-H2.
    pub struct RustleH1MinusH2 for H1MinusH2 {
        /// H1-H2 in dB; 0 where no fundamental was found.
        pub difference: f64,
        /// The first harmonic's level in dB relative to a full-scale sine; minus infinity where no fundamental was found.
        pub first: f64,
        /// The second harmonic's level, likewise.
        pub second: f64,
        /// The fundamental frequency in Hz, the mean where it was estimated; 0: none was found.
        pub frequency: f64,
    }
}

/// A voice analyzer.
pub(crate) struct Voice {
    description: RustleVoiceDescription,
    analyzer: Exclusive<VoiceAnalyzer>,
}

impl Object for Voice {
    const NAME: &'static str = "voice";
    const KIND: u32 = 13;
    type Error = VoiceError;

    /// Discards the signal; the next sample is the first of another. One call at a time.
    fn reset(&self) -> Outcome<VoiceError> {
        self.analyzer.get()?.reset();
        Ok(())
    }
}

impl New<RustleVoiceConfiguration> for Voice {
    /// Makes a voice analyzer, at the beginning of a signal.
    fn new(configuration: &RustleVoiceConfiguration) -> Outcome<VoiceError, Self> {
        let analyzer = VoiceAnalyzer::new(&configuration.read()?)?;
        Ok(Self {
            description: (&analyzer).into(),
            analyzer: Exclusive::new(analyzer, Self::NAME, VoiceAnalyzer::reset),
        })
    }
}

impl Describe<RustleVoiceDescription> for Voice {
    /// Writes the analyzer's effective settings to `description`. Realtime-safe.
    fn describe(&self) -> Result<RustleVoiceDescription, CallFault> {
        Ok(self.description)
    }
}

impl Describe<RustleVoiceSummary> for Voice {
    /// Writes the summary of all frames since the beginning of the signal to `description`, in a time proportional to the range of
    /// pitch, not to the signal's length. One call at a time.
    #[doc(alias = "rustle_voice_summary")]
    fn describe(&self) -> Result<RustleVoiceSummary, CallFault> {
        Ok(self.analyzer.get()?.summary().into())
    }
}

impl Voice {
    /// Processes the next samples of the signal and writes the completed frames to `frames`. `taken` receives the number of
    /// samples taken, and `written` receives the number of frames, as with `rustle_pitch_process`. One call at a time.
    #[doc(alias = "rustle_voice_process")]
    pub(crate) fn process(
        &self,
        samples: &[f32],
        frames: &mut [MaybeUninit<RustleVoiceFrame>],
    ) -> Outcome<VoiceError, (usize, usize)> {
        Ok(self.analyzer.get()?.push_into(samples, frames)?)
    }
}

/// Writes to `formants` the formants of a stationary signal, such as a vowel, of any length at `sample_rate` Hz, 8000 to 192,000:
/// medians over frames 10 ms apart.
#[doc(alias = "rustle_voice_formants")]
pub(crate) fn formants(
    sample_rate: f64,
    configuration: &RustleFormantConfiguration,
    samples: &[f32],
) -> Outcome<VoiceError, RustleFormants> {
    Ok(extract_formants(&configuration.read(sample_rate)?, samples)?.into())
}

/// Writes to `features` the shape of the spectrum of a signal at `sample_rate` Hz, 8000 to 192,000: of the mean power of frames
/// of at least 40 ms that overlap by half.
#[doc(alias = "rustle_voice_spectrum")]
pub(crate) fn spectrum(sample_rate: f64, samples: &[f32]) -> Outcome<VoiceError, RustleSpectrumFeatures> {
    Ok(analyze_spectrum(sample_rate, samples)?.into())
}

/// Writes to `result` the harmonics-to-noise ratio of a signal at `sample_rate` Hz, 8000 to 192,000, of voices from `lowest` to
/// `highest` Hz, within 40 to 2000 and below a quarter of the sample rate; 75 to 500 is usual.
#[doc(alias = "rustle_voice_harmonicity")]
pub(crate) fn voice_harmonicity(
    sample_rate: f64,
    lowest: f64,
    highest: f64,
    samples: &[f32],
) -> Outcome<VoiceError, RustleHarmonicity> {
    Ok(harmonicity(sample_rate, lowest..=highest, samples)?.into())
}

/// Writes to `result` the levels of the first two harmonics, and their difference H1-H2, of a signal at `sample_rate` Hz, 8000 to
/// 192,000: at `fundamental` Hz, at most a quarter of the sample rate, or, when it is 0, at each frame's estimate from `lowest` to
/// `highest` Hz, within 40 to 2000 and below a quarter of the sample rate.
#[doc(alias = "rustle_voice_harmonics")]
pub(crate) fn harmonics(
    sample_rate: f64,
    fundamental: f64,
    lowest: f64,
    highest: f64,
    samples: &[f32],
) -> Outcome<VoiceError, RustleH1MinusH2> {
    let fundamental = (fundamental != 0.0).then_some(fundamental);
    Ok(h1_minus_h2(sample_rate, fundamental, lowest..=highest, samples)?.into())
}

/// Writes to `result` the jitter and the shimmer of a signal at `sample_rate` Hz, 8000 to 192,000, of voices from `lowest` to
/// `highest` Hz, within 40 to 2000 and below a quarter of the sample rate.
#[doc(alias = "rustle_voice_perturbation")]
pub(crate) fn voice_perturbation(
    sample_rate: f64,
    lowest: f64,
    highest: f64,
    samples: &[f32],
) -> Outcome<VoiceError, RustlePerturbation> {
    Ok(perturbation(sample_rate, lowest..=highest, samples)?.into())
}

impl RustleVoiceConfiguration {
    fn read(&self) -> Outcome<VoiceError, VoiceConfiguration> {
        const ALL: u32 = RUSTLE_VOICE_FORMANTS | RUSTLE_VOICE_HARMONICITY | RUSTLE_VOICE_CENTROID;
        if self.measures & !ALL != 0 {
            let expected = "a sum of RUSTLE_VOICE_…";
            return Err(CallFault::number("configuration.measures", expected, self.measures).into());
        }
        let measures = |measure| self.measures & measure != 0;
        let formants = measures(RUSTLE_VOICE_FORMANTS).then(|| self.formants.read(self.sample_rate));
        Ok(VoiceConfiguration {
            range: self.lowest..=self.highest,
            hop: (self.hop != 0).then_some(self.hop as usize),
            formants: formants.transpose()?,
            harmonicity: measures(RUSTLE_VOICE_HARMONICITY),
            centroid: measures(RUSTLE_VOICE_CENTROID),
            ..VoiceConfiguration::new(self.sample_rate)
        })
    }
}

impl RustleFormantConfiguration {
    fn read(&self, sample_rate: f64) -> Outcome<VoiceError, FormantConfiguration> {
        let standard = FormantConfiguration::new(sample_rate);
        Ok(FormantConfiguration {
            ceiling: self.ceiling,
            order: (self.order != 0).then_some(self.order as usize),
            method: self.method.get("configuration.method")?.into(),
            length: if self.length == 0.0 {
                standard.length
            } else {
                self.length
            },
            ..standard
        })
    }
}

statuses!(VoiceError {
    RUSTLE_INVALID_LENGTH: FrameLength,
    RUSTLE_INVALID_VALUE: SampleRate Range Fundamental Ceiling Order Length Hop MethodName,
    _: Pitch Transform,
});
