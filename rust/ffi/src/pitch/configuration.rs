//! What is looked for and how, as C says it.

use super::fault::PitchFault;
use crate::status::CallFault;
use rustle_dsp::pitch::{Decoding, PitchConfiguration, PitchMethod};

/// Candidates of two families, then harmonic least squares; the default, and the only one with a calibrated confidence.
pub const RUSTLE_PITCH_HARMONIC: u32 = 0;
/// YIN.
pub const RUSTLE_PITCH_YIN: u32 = 1;
/// McLeod's pitch method.
pub const RUSTLE_PITCH_MPM: u32 = 2;
/// The harmonic product spectrum.
pub const RUSTLE_PITCH_HPS: u32 = 3;
/// The largest peak of the spectrum.
pub const RUSTLE_PITCH_PEAK: u32 = 4;

/// The pitch of each frame from that frame alone.
pub const RUSTLE_DECODING_FRAME: u32 = 0;
/// The likeliest path through the candidates of all frames.
pub const RUSTLE_DECODING_VITERBI: u32 = 1;

/// What a pitch tracker looks for, and how.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustlePitchConfiguration {
    /// In Hz, 1000 to 768,000.
    pub sample_rate: f64,
    /// The lowest frequency that is looked for, in Hz, above 0.
    pub lowest: f64,
    /// The highest, in Hz, above `lowest`; at most 0.45 of the sample rate counts.
    pub highest: f64,
    /// One of `RUSTLE_PITCH_…`.
    pub method: u32,
    /// The samples of a frame, a power of two from 256 to 32,768; 0: the least that holds 2.25 periods of `lowest`. One that does
    /// not hold them raises the lowest frequency, see `RustlePitchDescription`.
    pub window: u32,
    /// The samples from frame to frame, 1 to 1,048,576.
    pub hop: u32,
    /// 0.
    pub reserved: u32,
}

/// What a record says, whether or not it can be done.
pub(super) struct Read {
    pub(super) configuration: PitchConfiguration,
    pub(super) hop: usize,
}

pub(super) fn read(c: &RustlePitchConfiguration) -> Result<Read, PitchFault> {
    if c.reserved != 0 {
        return Err(CallFault::value("configuration.reserved", "expected 0, got another number").into());
    }
    let method = match c.method {
        RUSTLE_PITCH_HARMONIC => PitchMethod::Harmonic,
        RUSTLE_PITCH_YIN => PitchMethod::Yin,
        RUSTLE_PITCH_MPM => PitchMethod::Mpm,
        RUSTLE_PITCH_HPS => PitchMethod::HarmonicProduct,
        RUSTLE_PITCH_PEAK => PitchMethod::SpectralPeak,
        _ => {
            let problem = "expected RUSTLE_PITCH_…, got another number";
            return Err(CallFault::value("configuration.method", problem).into());
        }
    };
    Ok(Read {
        configuration: PitchConfiguration {
            method,
            window: (c.window != 0).then_some(c.window as usize),
            ..PitchConfiguration::new(c.sample_rate, c.lowest..=c.highest)
        },
        hop: c.hop as usize,
    })
}

pub(super) fn read_decoding(number: u32) -> Result<Decoding, PitchFault> {
    match number {
        RUSTLE_DECODING_FRAME => Ok(Decoding::Frame),
        RUSTLE_DECODING_VITERBI => Ok(Decoding::Viterbi),
        _ => Err(CallFault::value("decoding", "expected RUSTLE_DECODING_…, got another number").into()),
    }
}
