//! Sound from and to devices: captures, playbacks, and the list of devices.

use crate::fault::{CallOr, DomainError, Outcome};
use crate::guard::guarded;
use crate::lane::{BellSink, EventSink, RustleLaneRequest};
use crate::lent::{Flag, Lent, RustleString};
use crate::object::{check_size, New, Object};
use crate::records::records;
use crate::runtime;
use crate::session::{Face, Started, Stream};
use crate::sink::RawSink;
use crate::status::*;
use crate::RustleHandle;
use rustle_alsa::{AlsaError, Refusal};
pub(crate) use rustle_engines::{CaptureEngine, PlaybackEngine};
use rustle_engines::{
    LaneSession, PlaybackProgress, PlaybackSession, Sessions, SoundBlock, SoundConfiguration, SoundError,
    BLOCK_SAMPLES,
};
use std::ffi::c_void;

/// The samples of a `RustleSoundBlock`.
pub const RUSTLE_BLOCK_SAMPLES: usize = 256;
const _: () = assert!(RUSTLE_BLOCK_SAMPLES == BLOCK_SAMPLES);

records! {
    /// The configuration of a capture or a playback.
    pub struct RustleSoundConfiguration lending memory {
        /// The device's name, read during the call only: one of `rustle_sound_devices`, such as `default`, or `demo`, which needs
        /// no hardware: it captures a tone that rises from -60 dBFS to full scale and falls back in 20 s, and discards what it plays,
        /// at its rate. Example: "demo".
        pub device: RustleString,
        /// The number of frames after which a session ends, including a playback's inserted silence; 0: no limit for a capture,
        /// and a playback ends after `rustle_playback_finish`.
        pub frame_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The sample rate in Hz, 1 to 1,000,000. A device that does not support it is refused. Sound servers, and ALSA's `plug`
        /// devices, also accept rates that the hardware lacks and resample. Example: 48000.
        pub sample_rate: u32,
        /// The number of channels, 1 to 32. Example: 2.
        pub channels: u32,
        /// The approximate number of frames between two wakes of the device, 1 to 65,536. Example: 480.
        pub period: u32,
        reserved: u32,
    }

    /// A buffer of captured frames with its position in time.
    pub struct RustleSoundBlock in lanes of SoundBlock {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// The index of its first frame since the capture began, including frames known to be dropped.
        pub position: u64,
        /// Frames dropped just before it between the device and the lane, because the engine was delayed.
        pub lost: u64,
        /// The number of overruns of the device since the capture began; the device does not report how much sound each one lost.
        pub overruns: u32,
        /// The number of frames in it, at least 1.
        pub frames: u32,
        /// On a batched lane the number of blocks dropped just before this one; the excess over 4,294,967,295 is reported with the
        /// blocks that follow. 0 on the per-value lane.
        pub gap: u32,
        /// The samples of a frame.
        pub channels: u32,
        /// Interleaved samples, full scale at 1.0; 0 beyond the frames.
        pub samples: [f32; RUSTLE_BLOCK_SAMPLES],
    }

    /// The progress of a playback.
    pub struct RustlePlaybackProgress in lanes of PlaybackProgress {
        /// The sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// Frames that the device has taken, including silence.
        pub position: u64,
        /// Frames of sound among them.
        pub played: u64,
        /// Frames that wait for the device.
        pub queued: u64,
        /// Frames of inserted silence: passed to the device after the first sound, because no frames waited.
        pub inserted_silence: u64,
        /// The number of underruns of the device; the device does not report the length of each one.
        pub underruns: u32,
        /// On a batched lane the number of records dropped just before this one; the excess over 4,294,967,295 is reported with the
        /// records that follow. 0 on the per-value lane.
        pub gap: u32,
    }

    /// A device that can be opened by its name.
    pub struct RustleSoundDevice lending memory {
        /// The name.
        pub name: RustleString,
        /// The description.
        pub description: RustleString,
        /// Not 0 when it can be captured from.
        pub captures: Flag,
        /// Not 0 when it can be played to.
        pub plays: Flag,
    }
}

impl Object for CaptureEngine {
    const NAME: &'static str = "capture";
    const KIND: u32 = 5;
    type Error = SoundError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.sessions())
    }
}

impl Object for PlaybackEngine {
    const NAME: &'static str = "playback";
    const KIND: u32 = 6;
    type Error = SoundError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.sessions())
    }
}

impl New<RustleSoundConfiguration> for CaptureEngine {
    /// Makes a capture. The device is opened by each start.
    fn new(configuration: &RustleSoundConfiguration) -> Outcome<SoundError, Self> {
        let runtime = runtime::find(configuration.runtime)?;
        Ok(Self::on(runtime, configuration.read()?)?)
    }
}

impl New<RustleSoundConfiguration> for PlaybackEngine {
    /// Makes a playback. The device is opened by each start.
    fn new(configuration: &RustleSoundConfiguration) -> Outcome<SoundError, Self> {
        let runtime = runtime::find(configuration.runtime)?;
        Ok(Self::on(runtime, configuration.read()?)?)
    }
}

impl Stream<RustleLaneRequest> for CaptureEngine {
    type Record = RustleSoundBlock;

    /// Opens the device and starts a session. Events are `RustleSoundBlock` records. The ring holds at most 65,536 of them. The
    /// last callback is made when the device is closed.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_DEVICE_NOT_FOUND` to `RUSTLE_NO_SOUND_LIBRARY`.
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<SoundError, Started> {
        let session = self.start(request.delivery::<RustleSoundBlock, SoundBlock>(sink)?)?;
        Ok(Started::of::<RustleSoundBlock, _>(session))
    }
}

impl Stream<RustleLaneRequest> for PlaybackEngine {
    type Record = RustlePlaybackProgress;

    /// Opens the device and starts a session. Events are `RustlePlaybackProgress` records. Until sound arrives the device plays
    /// silence. The last callback is made when the device is closed.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`, `RUSTLE_DEVICE_NOT_FOUND` to `RUSTLE_NO_SOUND_LIBRARY`.
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<SoundError, Started> {
        let session = match request.overflow()? {
            None => self.start_pushing(EventSink::<RustlePlaybackProgress>::new(sink))?,
            Some(overflow) => self.start_pulling(overflow, request.capacity, BellSink(sink))?,
        };
        let lane = LaneSession::clone(&session);
        Ok(Started::of::<RustlePlaybackProgress, _>(lane).with_face(Playing(session)))
    }
}

/// A session of a playback, and its calls.
pub(crate) struct Playing(PlaybackSession);

impl Face for Playing {
    const NAME: &'static str = "playback";
}

impl Playing {
    /// Passes the first of the interleaved `samples` to a session of a playback, as many whole frames as fit: half a second of
    /// sound fits. `taken` receives the number of samples taken, pass the others again. After the session's end samples are taken
    /// and discarded.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (no whole frames), `RUSTLE_FORKED`; nothing is taken then.
    ///
    /// Thread-safe: yes. Realtime-safe: no (calls with the same session wait for one another).
    ///
    /// Example: `rustle_playback_start`.
    #[doc(alias = "rustle_playback_write")]
    pub(crate) fn write(&self, samples: &[f32]) -> Outcome<SoundError, usize> {
        Ok(self.0.write(samples)?)
    }

    /// Marks the end of a playback session's sound: the session ends when the device has played the waiting frames. Idempotent.
    /// Realtime-safe.
    ///
    /// Fails with `RUSTLE_FORKED`.
    ///
    /// Example: `rustle_playback_start`.
    #[doc(alias = "rustle_playback_finish")]
    pub(crate) fn finish(&self) -> Outcome<SoundError> {
        Ok(self.0.finish()?)
    }
}

/// Calls `visit` with every device that the system's configuration names, on the calling thread, before the call returns. The
/// `demo` device, which always exists, is not among them. The record and its texts are valid during each call of `visit`.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_RECORD_SIZE`, `RUSTLE_NO_SOUND_LIBRARY`, `RUSTLE_DEVICE_FAILED`; `visit` is not
/// called then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `visit` may be called with `context`, and does not unwind; `error` is NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_sound_devices_sized(
    visit: Option<extern "C" fn(context: *mut c_void, device: *const RustleSoundDevice)>,
    context: *mut c_void,
    device_size: usize,
    error: *mut RustleError,
) -> RustleStatus {
    let text = |text: &str| RustleString {
        // SAFETY: no record outlives the list of devices, which owns the text.
        data: unsafe { Lent::new(text.as_ptr()) },
        length: text.len(),
    };
    let body = || {
        let visit = visit.ok_or(CallFault::null("visit"))?;
        check_size("device", size_of::<RustleSoundDevice>(), device_size)?;
        for device in rustle_alsa::devices().map_err(SoundError::Device)? {
            let record = RustleSoundDevice {
                name: text(&device.name),
                description: text(&device.description),
                captures: device.captures.into(),
                plays: device.plays.into(),
            };
            visit(context, &raw const record);
        }
        Ok::<(), CallOr<SoundError>>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

impl RustleSoundConfiguration {
    /// The engines' form of the record; they check the numbers.
    fn read(&self) -> Result<SoundConfiguration, CallFault> {
        CallFault::check_reserved(self.reserved, "configuration.reserved")?;
        Ok(SoundConfiguration {
            device: self.device.text("configuration.device")?.to_owned(),
            rate: self.sample_rate,
            channels: self.channels,
            period: self.period,
            frame_limit: (self.frame_limit != 0).then_some(self.frame_limit),
        })
    }
}

impl DomainError for SoundError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Rate { .. } | Self::Channels { .. } | Self::Period { .. } => RUSTLE_INVALID_VALUE,
            Self::CapacityOutOfRange { .. } | Self::Frames { .. } => RUSTLE_INVALID_LENGTH,
            Self::Device(error) => match error {
                AlsaError::Library(_) => RUSTLE_NO_SOUND_LIBRARY,
                AlsaError::Open { refusal, .. } => match refusal {
                    Refusal::NotFound => RUSTLE_DEVICE_NOT_FOUND,
                    Refusal::Busy => RUSTLE_DEVICE_BUSY,
                    Refusal::Other => RUSTLE_DEVICE_FAILED,
                },
                AlsaError::Unsupported { .. } => RUSTLE_DEVICE_UNSUPPORTED,
                AlsaError::Lost { .. } | AlsaError::Call { .. } => RUSTLE_DEVICE_FAILED,
            },
            Self::ShutDown => RUSTLE_SHUT_DOWN,
            Self::Poisoned => RUSTLE_POISONED,
            Self::Runtime(error) => error.status(),
        }
    }
}
