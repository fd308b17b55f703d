//! What voice functions are told and tell, as C sees it.

use super::fault::VoiceFault;
use crate::status::CallFault;
use rustle_dsp::voice::{
    FormantConfiguration, FormantMethod, Formants, HarmonicDifference, Harmonicity, Perturbation,
    SpectrumFeatures, VoiceConfiguration, VoiceFrame, VoiceSummary, FORMANTS,
};

/// Least squares with little weight for the samples at the closing of the vocal folds; the default.
pub const RUSTLE_FORMANTS_WEIGHTED: u32 = 0;
/// Burg's method.
pub const RUSTLE_FORMANTS_BURG: u32 = 1;

/// Formants are measured in each frame.
pub const RUSTLE_VOICE_FORMANTS: u32 = 1;
/// Harmonics-to-noise ratios are measured in each voiced frame.
pub const RUSTLE_VOICE_HARMONICITY: u32 = 2;
/// Centroids are measured in each frame.
pub const RUSTLE_VOICE_CENTROID: u32 = 4;

/// The most formants that are told of.
pub const RUSTLE_FORMANT_COUNT: usize = 5;
const _: () = assert!(RUSTLE_FORMANT_COUNT == FORMANTS);

/// What formants are looked for, and how.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFormantConfiguration {
    /// Five formants are expected up to here, in Hz, 3000 to 8000: 5000 suits men, 5500 women, 6500 children.
    pub ceiling: f64,
    /// The effective length of the window in seconds, 0.01 to 0.1; 0: 0.025.
    pub length: f64,
    /// The order of the prediction, 4 to 32; 0: chosen for the ceiling and the method.
    pub order: u32,
    /// One of `RUSTLE_FORMANTS_…`.
    pub method: u32,
}

/// What a voice analyzer measures.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleVoiceConfiguration {
    /// In Hz, 8000 to 192,000.
    pub sample_rate: f64,
    /// The lowest pitch that is looked for, in Hz, at least 40.
    pub lowest: f64,
    /// The highest, in Hz, above `lowest`, at most 2000 and below a quarter of the sample rate.
    pub highest: f64,
    /// The samples from frame to frame, 1 to 1,048,576; 0: a quarter of the window that the pitch is found in.
    pub hop: u32,
    /// The sum of those of `RUSTLE_VOICE_…` that are measured, beside pitch, level, jitter and shimmer; 0: none.
    pub measures: u32,
    /// How formants are looked for; not read when they are not.
    pub formants: RustleFormantConfiguration,
}

/// The formants of a frame or of a signal.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleFormants {
    /// The frequencies of F1 and up, in rising order, in Hz; 0 beyond `count`.
    pub frequencies: [f64; RUSTLE_FORMANT_COUNT],
    /// The widths of their bands within 3 dB, in Hz; 0 beyond `count`.
    pub bandwidths: [f64; RUSTLE_FORMANT_COUNT],
    /// 0 to 1: how clear F1 to F3 are, by their bandwidths; no probability.
    pub confidence: f64,
    /// How many were found, 0 to `RUSTLE_FORMANT_COUNT`.
    pub count: u32,
    /// 0.
    pub reserved: u32,
}

/// A voice at one time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleVoiceFrame {
    /// The time of the frame's middle, in samples from the signal's beginning.
    pub sample: u64,
    /// The pitch in Hz; 0: none.
    pub pitch: f64,
    /// 0 to 1: the share of frames like this whose pitch is there and right.
    pub confidence: f64,
    /// The level in dB relative to a full-scale square wave; minus infinity for silence.
    pub level: f64,
    /// The harmonics-to-noise ratio in dB; minus infinity where nothing is periodic, not a number where it is not measured.
    pub hnr: f64,
    /// The spectrum's mean frequency in Hz; 0 of silence and where it is not measured.
    pub centroid: f64,
    /// The formants; none where they are not looked for. Those of an unvoiced frame are the noise's.
    pub formants: RustleFormants,
    /// 1 when there is a voice: a pitch with a confidence of at least a half; 0 otherwise.
    pub is_voiced: u32,
    /// 0.
    pub reserved: u32,
}

/// How steady the periods of a voice are, by the definitions of Praat's voice report; 0 where there are too few periods.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePerturbation {
    /// The periods that were measured.
    pub periods: u64,
    /// Their mean, in seconds.
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
    /// The five-point one.
    pub shimmer_apq5: f64,
}

/// All frames together.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleVoiceSummary {
    /// The frames.
    pub frames: u64,
    /// Those that are voiced; the measures are of them, and 0 where there are none.
    pub voiced: u64,
    /// The median pitch in Hz, right within half a cent.
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

/// What a voice analyzer chose, once its configuration has been read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleVoiceDescription {
    /// The samples of the longest window: the first frame comes with as many.
    pub window: u32,
    /// The samples from frame to frame.
    pub hop: u32,
}

/// The shape of a spectrum.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleSpectrumFeatures {
    /// The mean frequency, each with its power as its weight, in Hz; 0 of silence.
    pub centroid: f64,
    /// The frequency below which 95 % of the energy are, in Hz; 0 of silence.
    pub rolloff: f64,
    /// The slope in dB per octave, from 100 Hz to 8 kHz or 0.45 of the sample rate: 0 of white noise, -3 of pink noise.
    pub tilt: f64,
}

/// How much of a signal is periodic.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleHarmonicity {
    /// The harmonics-to-noise ratio in dB, at most 70; minus infinity where nothing is periodic.
    pub hnr: f64,
    /// One over the period, in Hz; 0 where nothing is periodic.
    pub frequency: f64,
    /// 1 when at least 0.45 of the energy is periodic; 0 otherwise.
    pub is_voiced: u32,
    /// 0.
    pub reserved: u32,
}

/// The levels of the first two harmonics.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleHarmonicDifference {
    /// H1 less H2 in dB; 0 where no fundamental was found.
    pub difference: f64,
    /// The first harmonic's level in dB relative to a full-scale sine; minus infinity where no fundamental was found.
    pub first: f64,
    /// The second harmonic's.
    pub second: f64,
    /// The fundamental frequency in Hz, of found ones the mean; 0: none was found.
    pub frequency: f64,
}

impl From<Formants> for RustleFormants {
    fn from(formants: Formants) -> Self {
        let mut record = Self {
            frequencies: [0.0; RUSTLE_FORMANT_COUNT],
            bandwidths: [0.0; RUSTLE_FORMANT_COUNT],
            confidence: formants.confidence,
            count: formants.as_slice().len() as u32,
            reserved: 0,
        };
        for (place, formant) in formants.as_slice().iter().enumerate() {
            record.frequencies[place] = formant.frequency;
            record.bandwidths[place] = formant.bandwidth;
        }
        record
    }
}

impl From<VoiceFrame> for RustleVoiceFrame {
    fn from(frame: VoiceFrame) -> Self {
        Self {
            sample: frame.sample,
            pitch: frame.pitch,
            confidence: frame.confidence,
            level: frame.level,
            hnr: frame.harmonicity.map_or(f64::NAN, |found| found.hnr),
            centroid: frame.centroid,
            formants: frame.formants.into(),
            is_voiced: u32::from(frame.is_voiced),
            reserved: 0,
        }
    }
}

impl From<Perturbation> for RustlePerturbation {
    fn from(perturbation: Perturbation) -> Self {
        Self {
            periods: perturbation.periods,
            mean_period: perturbation.mean_period,
            jitter: perturbation.jitter,
            jitter_rap: perturbation.jitter_rap,
            jitter_ppq5: perturbation.jitter_ppq5,
            shimmer: perturbation.shimmer,
            shimmer_decibels: perturbation.shimmer_decibels,
            shimmer_apq3: perturbation.shimmer_apq3,
            shimmer_apq5: perturbation.shimmer_apq5,
        }
    }
}

impl From<VoiceSummary> for RustleVoiceSummary {
    fn from(summary: VoiceSummary) -> Self {
        Self {
            frames: summary.frames,
            voiced: summary.voiced,
            median_pitch: summary.median_pitch,
            mean_pitch: summary.mean_pitch,
            pitch_deviation: summary.pitch_deviation,
            mean_confidence: summary.mean_confidence,
            mean_hnr: summary.mean_hnr,
            perturbation: summary.perturbation.into(),
        }
    }
}

impl From<SpectrumFeatures> for RustleSpectrumFeatures {
    fn from(features: SpectrumFeatures) -> Self {
        Self {
            centroid: features.centroid,
            rolloff: features.rolloff,
            tilt: features.tilt,
        }
    }
}

impl From<Harmonicity> for RustleHarmonicity {
    fn from(harmonicity: Harmonicity) -> Self {
        Self {
            hnr: harmonicity.hnr,
            frequency: harmonicity.frequency,
            is_voiced: u32::from(harmonicity.is_voiced),
            reserved: 0,
        }
    }
}

impl From<HarmonicDifference> for RustleHarmonicDifference {
    fn from(found: HarmonicDifference) -> Self {
        Self {
            difference: found.difference,
            first: found.first,
            second: found.second,
            frequency: found.frequency,
        }
    }
}

/// What a record says, whether or not it can be done.
pub(super) fn read(c: &RustleVoiceConfiguration) -> Result<VoiceConfiguration, VoiceFault> {
    const ALL: u32 = RUSTLE_VOICE_FORMANTS | RUSTLE_VOICE_HARMONICITY | RUSTLE_VOICE_CENTROID;
    if c.measures & !ALL != 0 {
        let problem = "expected a sum of RUSTLE_VOICE_…, got another number";
        return Err(CallFault::value("configuration.measures", problem).into());
    }
    let formants = if c.measures & RUSTLE_VOICE_FORMANTS == 0 {
        None
    } else {
        Some(read_formants(c.sample_rate, &c.formants)?)
    };
    Ok(VoiceConfiguration {
        range: c.lowest..=c.highest,
        hop: (c.hop != 0).then_some(c.hop as usize),
        formants,
        harmonicity: c.measures & RUSTLE_VOICE_HARMONICITY != 0,
        centroid: c.measures & RUSTLE_VOICE_CENTROID != 0,
        ..VoiceConfiguration::new(c.sample_rate)
    })
}

pub(super) fn read_formants(
    sample_rate: f64,
    c: &RustleFormantConfiguration,
) -> Result<FormantConfiguration, VoiceFault> {
    let method = match c.method {
        RUSTLE_FORMANTS_WEIGHTED => FormantMethod::Weighted,
        RUSTLE_FORMANTS_BURG => FormantMethod::Burg,
        _ => {
            let problem = "expected RUSTLE_FORMANTS_…, got another number";
            return Err(CallFault::value("configuration.method", problem).into());
        }
    };
    let standard = FormantConfiguration::new(sample_rate);
    Ok(FormantConfiguration {
        ceiling: c.ceiling,
        order: (c.order != 0).then_some(c.order as usize),
        method,
        length: if c.length == 0.0 {
            standard.length
        } else {
            c.length
        },
        ..standard
    })
}
