//! Captures: sound from a device.

mod job;

use super::block::SoundBlock;
use super::engine::{SoundConfiguration, SoundEngine, pulling};
use super::error::SoundError;
use crate::lane::{Doorbell, Lane};
use crate::outlet::{Outlet, RecordListener};
use crate::ring::{LaneStatistics, Overflow};
use crate::runtime::Runtime;
use crate::session::Session;
use job::{CaptureJob, DeviceSource, Source};
use rustle_alsa::Direction;
use std::sync::Arc;

/// The most blocks that a lane of a capture holds: 64 MiB of sound.
pub const MAX_CAPTURE_CAPACITY: usize = 1 << 16;

/// Captures of one configuration, any number at a time as far as the device allows.
///
/// Dropping the engine cancels its sessions. A session whose listener panics poisons the engine: its other sessions go on,
/// further starts are refused.
pub struct CaptureEngine(SoundEngine);

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
    pub fn on(runtime: Arc<Runtime>, configuration: SoundConfiguration) -> Result<Self, SoundError> {
        SoundEngine::on(runtime, configuration).map(Self)
    }

    /// Starts a session that pushes every block to `listener`.
    ///
    /// # Errors
    /// The device, or the engine, or the system refuses. `listener` is dropped then without a call.
    pub fn start_pushing(
        &self,
        listener: impl RecordListener<SoundBlock> + 'static,
    ) -> Result<CaptureSession, SoundError> {
        self.start(None, Outlet::Push(Box::new(listener)))
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
        let (lane, outlet) = pulling(overflow, capacity, MAX_CAPTURE_CAPACITY, bell)?;
        self.start(Some(lane), outlet)
    }

    /// Cancels every session. Idempotent; later starts are welcome.
    pub fn cancel(&self) {
        self.0.sessions.cancel();
    }

    /// Cancels every session and refuses later starts. Idempotent.
    pub fn shut_down(&self) {
        self.0.sessions.shut_down();
    }

    fn start(
        &self,
        lane: Option<Arc<Lane<SoundBlock>>>,
        outlet: Outlet<SoundBlock>,
    ) -> Result<CaptureSession, SoundError> {
        self.0.sessions.admit()?;
        let shape = self.0.shape;
        let source = if self.0.is_demo() {
            Source::demo(shape)
        } else {
            // What the device holds bounds how long its thread may be held up: about a third of a second.
            let buffer = (shape.rate / 3).max(4 * shape.period);
            let device = self.0.open(Direction::Capture, buffer)?;
            Source::Device(DeviceSource::start(device, shape)?)
        };
        self.start_from(source, lane, outlet)
    }

    fn start_from(
        &self,
        source: Source,
        lane: Option<Arc<Lane<SoundBlock>>>,
        outlet: Outlet<SoundBlock>,
    ) -> Result<CaptureSession, SoundError> {
        let (shape, limit) = (self.0.shape, self.0.limit());
        let session = self
            .0
            .sessions
            .start(|| Box::new(CaptureJob::new(shape, limit, source, outlet)))?;
        Ok(CaptureSession { session, lane })
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
