//! Captures: sound from a device.

mod job;

use super::block::SoundBlock;
use super::error::SoundError;
use super::{DEMO_DEVICE, Device, Shape};
use crate::engine::Sessions;
use crate::lane::{Doorbell, Lane};
use crate::outlet::{Outlet, RecordListener};
use crate::ring::{LaneStatistics, Overflow};
use crate::runtime::Runtime;
use crate::session::Session;
use job::{CaptureJob, DeviceSource, Source};
use rustle_alsa::{Direction, Pcm};
use std::sync::Arc;

/// The most blocks that a lane of a capture holds: 64 MiB of sound.
pub const MAX_CAPTURE_CAPACITY: usize = 1 << 16;

/// What is captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureConfiguration {
    /// The device's name: [`DEMO_DEVICE`], or one that ALSA knows, `default` among them.
    pub device: String,
    /// The sample rate in Hz, within [`RATES`](super::RATES). A device that does not take it is refused; sound servers resample.
    pub rate: u32,
    /// The channels, within [`CHANNELS`](super::CHANNELS).
    pub channels: u32,
    /// Frames between two wakes, about, within [`PERIODS`](super::PERIODS).
    pub period: u32,
    /// The number of frames after which a session ends by itself; `None`: it never does.
    pub frame_limit: Option<u64>,
}

/// Captures of one configuration, any number at a time as far as the device allows.
///
/// Dropping the engine cancels its sessions. A session whose listener panics poisons the engine: its other sessions go on,
/// further starts are refused.
pub struct CaptureEngine {
    configuration: CaptureConfiguration,
    shape: Shape,
    sessions: Sessions,
}

/// A started capture.
pub struct CaptureSession {
    session: Session,
    lane: Option<Arc<Lane<SoundBlock>>>,
}

impl CaptureEngine {
    /// An engine on a runtime of the caller's; the device is opened by each start.
    ///
    /// # Errors
    /// [`SoundError::Rate`], [`SoundError::Channels`], [`SoundError::Period`].
    pub fn on(runtime: Arc<Runtime>, configuration: CaptureConfiguration) -> Result<Self, SoundError> {
        #[cfg(feature = "faults")]
        crate::faults::device_is_named(&configuration.device);
        let shape = Shape {
            rate: configuration.rate,
            channels: configuration.channels,
            period: configuration.period,
        };
        Ok(Self {
            shape: shape.check()?,
            configuration,
            sessions: Sessions::new(runtime),
        })
    }

    /// Starts a session that pushes every block to `listener`.
    ///
    /// # Errors
    /// The device, or the engine, or the system refuses. `listener` is dropped then without a call.
    pub fn start_pushing(
        &self,
        listener: impl RecordListener<SoundBlock> + 'static,
    ) -> Result<CaptureSession, SoundError> {
        self.start(None, || Outlet::Push(Box::new(listener)))
    }

    /// Starts a session whose blocks wait in a lane of `capacity` (1 to [`MAX_CAPTURE_CAPACITY`]) until they are drained.
    ///
    /// # Errors
    /// As [`start_pushing`](Self::start_pushing); [`SoundError::CapacityOutOfRange`].
    pub fn start_pulling(
        &self,
        overflow: Overflow,
        capacity: usize,
        bell: impl Doorbell + 'static,
    ) -> Result<CaptureSession, SoundError> {
        if !(1..=MAX_CAPTURE_CAPACITY).contains(&capacity) {
            return Err(SoundError::CapacityOutOfRange {
                most: MAX_CAPTURE_CAPACITY,
                got: capacity,
            });
        }
        let lane = Arc::new(Lane::new(overflow, capacity, 1));
        let mine = lane.clone();
        self.start(Some(lane), || Outlet::Pull {
            lane: mine,
            bell: Box::new(bell),
        })
    }

    /// Cancels every session. Idempotent; later starts are welcome.
    pub fn cancel(&self) {
        self.sessions.cancel();
    }

    /// Cancels every session and refuses later starts. Idempotent.
    pub fn shut_down(&self) {
        self.sessions.shut_down();
    }

    fn start(
        &self,
        lane: Option<Arc<Lane<SoundBlock>>>,
        outlet: impl FnOnce() -> Outlet<SoundBlock>,
    ) -> Result<CaptureSession, SoundError> {
        let source = match &self.configuration.device {
            name if name == DEMO_DEVICE => Source::demo(self.shape),
            name => {
                // What the device holds bounds how long its thread may be held up: about a third of a second.
                let buffer = (self.shape.rate / 3).max(4 * self.shape.period);
                let device = Pcm::open(name, Direction::Capture, self.shape.for_device(buffer))?;
                Source::Device(self.thread(Box::new(device))?)
            }
        };
        self.start_from(source, lane, outlet)
    }

    fn start_from(
        &self,
        source: Source,
        lane: Option<Arc<Lane<SoundBlock>>>,
        outlet: impl FnOnce() -> Outlet<SoundBlock>,
    ) -> Result<CaptureSession, SoundError> {
        let limit = self.configuration.frame_limit.unwrap_or(u64::MAX);
        let session = self
            .sessions
            .start(|| Box::new(CaptureJob::new(self.shape, limit, source, outlet())))?;
        Ok(CaptureSession { session, lane })
    }

    fn thread(&self, device: Box<dyn Device>) -> Result<DeviceSource, SoundError> {
        DeviceSource::start(device, self.shape)
    }
}

impl CaptureSession {
    /// Asks for the session's end; see [`Session::cancel`].
    pub fn cancel(&self) {
        self.session.cancel();
    }

    /// Hands out at most `most` waiting blocks, the longest waiting first, each with the number of blocks that the lane lost
    /// just before it. Returns how many there were, and what went through the lane; `None` when the session pushes.
    pub fn drain(&self, most: usize, take: impl FnMut(SoundBlock, u32)) -> Option<(usize, LaneStatistics)> {
        self.lane.as_ref().map(|lane| lane.drain(most, take))
    }
}

#[cfg(test)]
mod tests;
