//! Sound from and to devices: captures, playbacks, and which devices there are.

pub mod capture;
pub mod devices;
pub(crate) mod fault;
pub mod playback;

use crate::slice::{text, RustleString};
use crate::status::CallFault;
use crate::RustleHandle;

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
    /// The name of the device, once the record is in order.
    ///
    /// # Safety
    /// The device's text is readable.
    unsafe fn device(&self) -> Result<String, CallFault> {
        if self.reserved != 0 {
            return Err(CallFault::value(
                "configuration.reserved",
                "expected 0, got another number",
            ));
        }
        // SAFETY: the promise is handed on.
        Ok(unsafe { text(self.device, "configuration.device") }?.to_owned())
    }

    fn frame_limit(&self) -> Option<u64> {
        (self.frame_limit != 0).then_some(self.frame_limit)
    }
}
