//! Playbacks: sound to a device.

mod job;

use super::engine::{Shape, SoundConfiguration, SoundEngine, pulling};
use super::error::SoundError;
use super::queue::FrameQueue;
use crate::engine::{Sessions, StartError};
use crate::lane::{Doorbell, Lane, MAX_LANE_CAPACITY, Record};
use crate::lock::{Lock, locked};
use crate::outlet::{LaneSession, Outlet, RecordListener};
use crate::ring::Overflow;
use crate::runtime::Runtime;
use job::{DeviceSink, PlaybackJob, Sink};
use rustle_alsa::Direction;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The progress of a playback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaybackProgress {
    /// The record's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The frames that the device took, including inserted silence.
    pub position: u64,
    /// The frames of sound among them.
    pub played: u64,
    /// The frames that wait for the device.
    pub queued: u64,
    /// The frames of inserted silence: after the first sound, because none waited.
    pub inserted_silence: u64,
    /// The underruns of the device: each inserted silence of unknown length.
    pub underruns: u32,
}

impl Record for PlaybackProgress {}

/// The state that the writer, the device's thread and the job share.
#[derive(Debug)]
struct Shared {
    queue: FrameQueue,
    channels: usize,
    is_finished: AtomicBool,
    position: AtomicU64,
    played: AtomicU64,
    inserted_silence: AtomicU64,
    underruns: AtomicU32,
    /// Held by the writing call.
    writer: Mutex<()>,
}

impl Shared {
    /// # Errors
    /// As [`FrameQueue::new`].
    fn new(shape: Shape) -> Result<Self, StartError> {
        // Half a second, but room for several periods.
        let frames = (shape.rate / 2).max(4 * shape.period) as usize;
        Ok(Self {
            queue: FrameQueue::new(frames, shape.channels as usize)?,
            channels: shape.channels as usize,
            is_finished: AtomicBool::new(false),
            position: AtomicU64::new(0),
            played: AtomicU64::new(0),
            inserted_silence: AtomicU64::new(0),
            underruns: AtomicU32::new(0),
            writer: Mutex::new(()),
        })
    }

    fn progress(&self, sequence: u64) -> PlaybackProgress {
        // In the opposite order of `count`: while the device's thread counts, the parts never exceed the total.
        let inserted_silence = self.inserted_silence.load(Ordering::Acquire);
        let played = self.played.load(Ordering::Acquire);
        PlaybackProgress {
            sequence,
            position: self.position.load(Ordering::Acquire),
            played,
            queued: self.queue.waiting(),
            inserted_silence,
            underruns: self.underruns.load(Ordering::Acquire),
        }
    }

    /// Counts frames that the device took: sound, or silence in its place.
    fn count(&self, frames: usize, is_sound: bool) {
        let frames = frames as u64;
        self.position.fetch_add(frames, Ordering::AcqRel);
        if is_sound {
            self.played.fetch_add(frames, Ordering::AcqRel);
        } else if self.played.load(Ordering::Acquire) > 0 && !self.is_finished.load(Ordering::Acquire) {
            self.inserted_silence.fetch_add(frames, Ordering::AcqRel);
        }
    }
}

/// Playbacks of one configuration.
///
/// Dropping the engine cancels its sessions. A session whose listener panics poisons the engine: its other sessions continue,
/// further starts are refused.
pub struct PlaybackEngine(SoundEngine);

/// A started playback.
pub struct PlaybackSession {
    records: LaneSession<PlaybackProgress>,
    shared: Arc<Shared>,
}

impl Deref for PlaybackSession {
    type Target = LaneSession<PlaybackProgress>;

    fn deref(&self) -> &Self::Target {
        &self.records
    }
}

impl PlaybackEngine {
    /// An engine on a runtime of the caller's; the device is opened by each start.
    ///
    /// # Errors
    /// [`SoundError::Rate`], [`SoundError::Channels`], [`SoundError::Period`].
    pub fn on(runtime: Arc<Runtime>, configuration: SoundConfiguration) -> Result<Self, SoundError> {
        SoundEngine::on(runtime, configuration).map(Self)
    }

    /// Starts a session that pushes its progress to `listener`.
    ///
    /// # Errors
    /// The device, or the engine, or the system refuses. `listener` is dropped then without a call.
    pub fn start_pushing(
        &self,
        listener: impl RecordListener<PlaybackProgress> + 'static,
    ) -> Result<PlaybackSession, SoundError> {
        self.start(None, Outlet::Push(Box::new(listener)))
    }

    /// Starts a session whose progress waits in a lane of `capacity` (1 to [`MAX_LANE_CAPACITY`]) until it is drained.
    ///
    /// # Errors
    /// As [`start_pushing`](Self::start_pushing); [`SoundError::CapacityOutOfRange`].
    pub fn start_pulling(
        &self,
        overflow: Overflow,
        capacity: usize,
        bell: impl Doorbell + 'static,
    ) -> Result<PlaybackSession, SoundError> {
        let (lane, outlet) = pulling(overflow, capacity, MAX_LANE_CAPACITY, bell)?;
        self.start(Some(lane), outlet)
    }

    /// The started sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    fn start(
        &self,
        lane: Option<Arc<Lane<PlaybackProgress>>>,
        outlet: Outlet<PlaybackProgress>,
    ) -> Result<PlaybackSession, SoundError> {
        self.0.sessions.admit()?;
        let shape = self.0.shape;
        let shared = Arc::new(Shared::new(shape)?);
        let sink = if self.0.is_demo() {
            Sink::demo(shape)
        } else {
            let device = self.0.open(Direction::Playback, shape.period.saturating_mul(4))?;
            Sink::Device(DeviceSink::start(device, shape, self.0.limit(), shared.clone())?)
        };
        self.start_into(sink, shared, lane, outlet)
    }

    fn start_into(
        &self,
        sink: Sink,
        shared: Arc<Shared>,
        lane: Option<Arc<Lane<PlaybackProgress>>>,
        outlet: Outlet<PlaybackProgress>,
    ) -> Result<PlaybackSession, SoundError> {
        let (shape, limit) = (self.0.shape, self.0.limit());
        let of_job = shared.clone();
        let session = self
            .0
            .sessions
            .start(|| Box::new(PlaybackJob::new(shape, limit, sink, of_job, outlet)))?;
        let records = LaneSession::new(session, lane);
        Ok(PlaybackSession { records, shared })
    }
}

impl PlaybackSession {
    /// Writes the first of the interleaved `samples`, as many whole frames as there is room for; returns the number of samples
    /// taken. There is room for half a second. Concurrent calls follow one another.
    ///
    /// # Errors
    /// [`SoundError::Frames`]; [`SoundError::Runtime`] in a fork. No sample is taken then.
    pub fn write(&self, samples: &[f32]) -> Result<usize, SoundError> {
        self.records.check_process()?;
        let channels = self.shared.channels;
        if !samples.len().is_multiple_of(channels) {
            return Err(SoundError::Frames {
                channels,
                got: samples.len(),
            });
        }
        let _alone = locked(&self.shared.writer, Lock::Writer);
        Ok(self.shared.queue.write(samples) * channels)
    }

    /// Ends the sound: the session ends when the device has played the waiting frames. Idempotent.
    ///
    /// # Errors
    /// [`SoundError::Runtime`] in a fork.
    pub fn finish(&self) -> Result<(), SoundError> {
        self.records.check_process()?;
        self.shared.is_finished.store(true, Ordering::Release);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
