//! The settings of equalizers as records.

use crate::slice::borrowed;
use crate::status::CallFault;
use rustle_dsp::equalizer::{Band, BandKind, Settings};

/// A band with its gain at the frequency, falling to 0 dB on both sides.
pub const RUSTLE_BAND_PEAKING: u32 = 0;
/// A band with its gain below the frequency.
pub const RUSTLE_BAND_LOW_SHELF: u32 = 1;
/// A band with its gain above the frequency.
pub const RUSTLE_BAND_HIGH_SHELF: u32 = 2;
/// A band above which the sound falls by 12 dB an octave; the gain is of no concern.
pub const RUSTLE_BAND_LOW_PASS: u32 = 3;
/// A band below which the sound falls by 12 dB an octave; the gain is of no concern.
pub const RUSTLE_BAND_HIGH_PASS: u32 = 4;

/// One band of one channel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleEqualizerBand {
    /// Its centre, or its edge at half the gain, in Hz: at least a millionth of the sample rate and below half of it.
    pub frequency: f64,
    /// In dB, -24 to 24.
    pub gain: f64,
    /// The quality: from that of 5 octaves, 0.18, to that of 0.05 octaves, 28.9.
    pub q: f64,
    /// One of `RUSTLE_BAND_…`.
    pub kind: u32,
    /// 0.
    pub reserved: u32,
}

/// A setting of the whole equalizer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleEqualizerSettings {
    /// The bands of the left or only channel, read during the call only; may be NULL when there are none.
    pub left: *const RustleEqualizerBand,
    /// Their number, at most 64.
    pub left_count: usize,
    /// The bands of the right channel, likewise.
    pub right: *const RustleEqualizerBand,
    /// Their number, at most 64.
    pub right_count: usize,
    /// What both channels are amplified by, in dB, -96 to 24.
    pub preamp: f64,
}

/// The settings that a record names.
///
/// # Errors
/// NULL, or a band that is none.
///
/// # Safety
/// `settings` is NULL or points to settings whose bands are readable.
pub(super) unsafe fn read(settings: *const RustleEqualizerSettings) -> Result<Settings, CallFault> {
    // SAFETY: the promise is handed on; `as_ref` tests for NULL.
    let settings = unsafe { settings.as_ref() }.ok_or(CallFault::null("settings"))?;
    // SAFETY: the promise is handed on.
    let left = unsafe { borrowed(settings.left, settings.left_count, "settings.left") }?;
    // SAFETY: as above.
    let right = unsafe { borrowed(settings.right, settings.right_count, "settings.right") }?;
    Ok(Settings {
        left: left.iter().map(band).collect::<Result<_, _>>()?,
        right: right.iter().map(band).collect::<Result<_, _>>()?,
        preamp: settings.preamp,
    })
}

/// The band that a record names.
///
/// # Errors
/// A kind that there is not, or a `reserved` other than 0.
pub(super) fn band(band: &RustleEqualizerBand) -> Result<Band, CallFault> {
    let kind = match band.kind {
        RUSTLE_BAND_PEAKING => BandKind::Peaking,
        RUSTLE_BAND_LOW_SHELF => BandKind::LowShelf,
        RUSTLE_BAND_HIGH_SHELF => BandKind::HighShelf,
        RUSTLE_BAND_LOW_PASS => BandKind::LowPass,
        RUSTLE_BAND_HIGH_PASS => BandKind::HighPass,
        _ => {
            let problem = "expected one of RUSTLE_BAND_…, got another number";
            return Err(CallFault::value("band.kind", problem));
        }
    };
    if band.reserved != 0 {
        return Err(CallFault::value(
            "band.reserved",
            "expected 0, got another number",
        ));
    }
    Ok(Band {
        kind,
        frequency: band.frequency,
        gain: band.gain,
        q: band.q,
    })
}
