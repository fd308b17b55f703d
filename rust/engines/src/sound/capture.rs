//! Captures: sound from a device.

mod job;

use super::block::SoundBlock;
use super::engine::{SoundConfiguration, SoundEngine};
use super::error::SoundError;
use crate::engine::Sessions;
use crate::job::Job;
use crate::outlet::{Delivery, LaneCapacity, LaneSession};
use crate::runtime::Runtime;
use job::{CaptureJob, DeviceSource, Source};
use rustle_alsa::Direction;
use std::sync::Arc;

/// The largest capacity of a capture's lane, in blocks: 64 MiB of sound.
pub const MAX_CAPTURE_CAPACITY: usize = 1 << 16;

/// Captures of one configuration, any number at a time that the device permits.
///
/// Dropping the engine cancels its sessions. A session whose listener panics poisons the engine: its other sessions continue,
/// further starts are refused.
pub struct CaptureEngine(SoundEngine);

/// A started capture.
pub type CaptureSession = LaneSession<SoundBlock>;

impl CaptureEngine {
    /// An engine on a runtime of the caller's; the device is opened by each start.
    ///
    /// # Errors
    /// [`SoundError::Rate`], [`SoundError::Channels`], [`SoundError::Period`].
    pub fn on(runtime: Arc<Runtime>, configuration: SoundConfiguration) -> Result<Self, SoundError> {
        SoundEngine::on(runtime, configuration).map(Self)
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// Starts a session; a lane holds at most [`MAX_CAPTURE_CAPACITY`] blocks.
    ///
    /// # Errors
    /// The device, or the engine, or the system refuses; [`SoundError::CapacityOutOfRange`]. The listener or the bell is dropped
    /// then without a call.
    pub fn start(&self, delivery: Delivery<SoundBlock>) -> Result<CaptureSession, SoundError> {
        let most = MAX_CAPTURE_CAPACITY;
        match &delivery {
            Delivery::Pull(_, LaneCapacity(got), _) if *got > most => {
                return Err(SoundError::CapacityOutOfRange { most, got: *got });
            }
            _ => {}
        }
        self.0.sessions.admit()?;
        let shape = self.0.shape;
        let source = if self.0.is_demo() {
            Source::demo(shape)
        } else {
            // The device's buffer limits how long its thread may be held up: about a third of a second.
            let buffer = (shape.rate / 3).max(4 * shape.period);
            let device = self.0.open(Direction::Capture, buffer)?;
            Source::Device(DeviceSource::start(device, shape)?)
        };
        self.start_from(source, delivery)
    }

    fn start_from(
        &self,
        source: Source,
        delivery: Delivery<SoundBlock>,
    ) -> Result<CaptureSession, SoundError> {
        let (shape, limit) = (self.0.shape, self.0.limit());
        let job = |outlet| -> Box<dyn Job> { Box::new(CaptureJob::new(shape, limit, source, outlet)) };
        Ok(self.0.sessions.start_delivering(delivery, 1, job)?)
    }
}

#[cfg(test)]
mod tests;
