//! Sound from and to devices: captures, playbacks, and which devices there are.

pub mod capture;
pub mod devices;
pub(crate) mod fault;
pub mod playback;

use crate::slice::{text, RustleString};
use crate::status::CallFault;
use crate::RustleHandle;
use rustle_engines::SoundConfiguration;

/// What a capture or a playback is of.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleSoundConfiguration {
    /// The device's name, read during the call only: one of `rustle_sound_devices`, such as `default`, or `demo`, which needs
    /// no hardware: as a source it swells from -60 dBFS to full scale and back in 20 s, as a sink it takes sound at its rate and
    /// makes none.
    pub device: RustleString,
    /// The number of frames after which a session ends by itself (those of silence that a playback feeds its device count); 0: a
    /// capture never does, a playback when it is told that there is no more.
    pub frame_limit: u64,
    /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
    pub runtime: RustleHandle,
    /// In Hz, 1 to 1,000,000. A device that does not take it is refused. Sound servers, and ALSA's `plug` devices, take what the
    /// hardware has not and resample by themselves.
    pub sample_rate: u32,
    /// 1 to 32.
    pub channels: u32,
    /// Frames between two wakes of the device, about, 1 to 65,536.
    pub period: u32,
    /// 0.
    pub reserved: u32,
}

impl RustleSoundConfiguration {
    /// What the record says, as the engines know it; they check the numbers.
    ///
    /// # Errors
    /// A `reserved` other than 0, or a device's text that is none.
    ///
    /// # Safety
    /// The device's text is readable.
    unsafe fn read(&self) -> Result<SoundConfiguration, CallFault> {
        if self.reserved != 0 {
            return Err(CallFault::value(
                "configuration.reserved",
                "expected 0, got another number",
            ));
        }
        Ok(SoundConfiguration {
            // SAFETY: the promise is handed on.
            device: unsafe { text(self.device, "configuration.device") }?.to_owned(),
            rate: self.sample_rate,
            channels: self.channels,
            period: self.period,
            frame_limit: (self.frame_limit != 0).then_some(self.frame_limit),
        })
    }
}
