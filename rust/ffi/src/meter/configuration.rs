//! What a meter measures, as C says it.

use super::fault::MeterFault;
use crate::slice::borrowed;
use crate::status::CallFault;
use rustle_dsp::level::{BandWidth, FrequencyWeighting, MicrophoneResponse, TimeWeighting};
use rustle_dsp::loudness::ChannelWeight;
use rustle_dsp::sound_meter::{MeteredChannel, SoundMeterConfiguration, SoundMeterError};

/// The A weighting.
pub const RUSTLE_WEIGHTING_A: u32 = 0;
/// The C weighting.
pub const RUSTLE_WEIGHTING_C: u32 = 1;
/// The Z weighting: none.
pub const RUSTLE_WEIGHTING_Z: u32 = 2;

/// A time constant of 0.125 s.
pub const RUSTLE_TIME_FAST: u32 = 0;
/// A time constant of 1 s.
pub const RUSTLE_TIME_SLOW: u32 = 1;

/// A channel that counts once in loudness: left, right, centre, and the back channels of 7.1.
pub const RUSTLE_CHANNEL_FRONT: u32 = 0;
/// A surround channel, 60 to 120 degrees to the side, which counts 1.41 times.
pub const RUSTLE_CHANNEL_SURROUND: u32 = 1;
/// The low-frequency channel, which does not count.
pub const RUSTLE_CHANNEL_LOW_FREQUENCY: u32 = 2;

/// In the place of a channel: all, the mean of their powers.
pub const RUSTLE_CHANNEL_ALL: u32 = u32::MAX;

/// No bands.
pub const RUSTLE_BANDS_NONE: u32 = 0;
/// Bands of an octave.
pub const RUSTLE_BANDS_OCTAVE: u32 = 1;
/// Bands of a third of an octave.
pub const RUSTLE_BANDS_THIRD_OCTAVE: u32 = 3;

/// A point of a microphone's response.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleResponsePoint {
    /// In Hz, above that of the point before.
    pub frequency: f64,
    /// By how many dB the microphone reads too high: within 24 dB of the deviation at 1 kHz.
    pub deviation: f64,
}

/// What a meter measures.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleMeterConfiguration {
    /// In Hz, 8000 to 768,000.
    pub sample_rate: f64,
    /// The calibration: what is added to a level relative to full scale, in dB, -300 to 300.
    pub offset: f64,
    /// One of `RUSTLE_CHANNEL_FRONT`, `…_SURROUND`, `…_LOW_FREQUENCY` per channel; read during the call only.
    pub channels: *const u32,
    /// The number of channels, 1 to 24.
    pub channel_count: usize,
    /// The microphone's response, which is undone before levels and bands are measured; read during the call only; may be NULL
    /// when there is none.
    pub response: *const RustleResponsePoint,
    /// The number of its points, at most 4096; 0: there is none.
    pub response_count: usize,
    /// Which channel the levels and bands are of, counted from 0, or `RUSTLE_CHANNEL_ALL`.
    pub metered: u32,
    /// One of `RUSTLE_WEIGHTING_…`.
    pub weighting: u32,
    /// One of `RUSTLE_TIME_…`.
    pub time: u32,
    /// Not 0: loudness is measured.
    pub loudness: u32,
    /// One of `RUSTLE_BANDS_…`.
    pub bands: u32,
    /// 0.
    pub reserved: u32,
}

/// The configuration that a record says.
///
/// # Safety
/// Its channels and points are readable.
pub(super) unsafe fn read(c: &RustleMeterConfiguration) -> Result<SoundMeterConfiguration, MeterFault> {
    if c.reserved != 0 {
        return Err(CallFault::value("configuration.reserved", "expected 0, got another number").into());
    }
    let unknown = |name, problem| MeterFault::from(CallFault::value(name, problem));
    // SAFETY: the promise is handed on.
    let channels = unsafe { borrowed(c.channels, c.channel_count, "configuration.channels") }?;
    let channels = channels.iter().map(|channel| match *channel {
        RUSTLE_CHANNEL_FRONT => Ok(ChannelWeight::Front),
        RUSTLE_CHANNEL_SURROUND => Ok(ChannelWeight::Surround),
        RUSTLE_CHANNEL_LOW_FREQUENCY => Ok(ChannelWeight::LowFrequency),
        _ => Err(unknown(
            "configuration.channels",
            "expected RUSTLE_CHANNEL_…, got another number",
        )),
    });
    // SAFETY: the promise is handed on.
    let points = unsafe { borrowed(c.response, c.response_count, "configuration.response") }?;
    let points: Vec<_> = points
        .iter()
        .map(|point| (point.frequency, point.deviation))
        .collect();
    let response = (!points.is_empty()).then(|| MicrophoneResponse::new(points));
    Ok(SoundMeterConfiguration {
        rate: c.sample_rate,
        channels: channels.collect::<Result<_, _>>()?,
        metered: match c.metered {
            RUSTLE_CHANNEL_ALL => MeteredChannel::All,
            channel => MeteredChannel::One(channel as usize),
        },
        frequency: match c.weighting {
            RUSTLE_WEIGHTING_A => FrequencyWeighting::A,
            RUSTLE_WEIGHTING_C => FrequencyWeighting::C,
            RUSTLE_WEIGHTING_Z => FrequencyWeighting::Z,
            _ => {
                return Err(unknown(
                    "configuration.weighting",
                    "expected RUSTLE_WEIGHTING_…, got another number",
                ))
            }
        },
        time: match c.time {
            RUSTLE_TIME_FAST => TimeWeighting::Fast,
            RUSTLE_TIME_SLOW => TimeWeighting::Slow,
            _ => {
                return Err(unknown(
                    "configuration.time",
                    "expected RUSTLE_TIME_…, got another number",
                ))
            }
        },
        offset: c.offset,
        loudness: c.loudness != 0,
        bands: match c.bands {
            RUSTLE_BANDS_NONE => None,
            RUSTLE_BANDS_OCTAVE => Some(BandWidth::Octave),
            RUSTLE_BANDS_THIRD_OCTAVE => Some(BandWidth::ThirdOctave),
            _ => {
                return Err(unknown(
                    "configuration.bands",
                    "expected RUSTLE_BANDS_…, got another number",
                ))
            }
        },
        response: response.transpose().map_err(SoundMeterError::Response)?,
    })
}
