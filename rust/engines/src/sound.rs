//! Sound in and out: captures and playbacks as sessions.
//!
//! A device has a thread of its own, which moves sound between the device and a queue and does nothing else: no lock, no
//! allocation, no callback. A job on the shared runtime moves it between the queue and the consumer. The device [`DEMO_DEVICE`]
//! needs no hardware and no thread: it follows the runtime's clock.

mod block;
mod capture;
mod demo;
mod engine;
mod error;
mod playback;
mod queue;

pub use block::{BLOCK_SAMPLES, SoundBlock};
pub use capture::{CaptureEngine, CaptureSession, MAX_CAPTURE_CAPACITY};
pub use engine::SoundConfiguration;
pub use error::SoundError;
pub use playback::{PlaybackEngine, PlaybackProgress, PlaybackSession};

use crate::clock::Nanoseconds;
use engine::Shape;
use rustle_alsa::{AlsaError, Pcm, Progress};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Sample rates, in Hz.
pub const RATES: RangeInclusive<u32> = 1..=1_000_000;
/// Numbers of channels.
pub const CHANNELS: RangeInclusive<u32> = 1..=32;
/// Frames between two wakes of a device's thread.
pub const PERIODS: RangeInclusive<u32> = 1..=65_536;

/// The name of the demonstration device, which needs no hardware: as a source its level rises from -60 dBFS to full scale and
/// falls back in 20 s; as a sink it takes sound at its rate and is silent.
pub const DEMO_DEVICE: &str = "demo";

/// The longest time that a device's thread waits for its device before it checks whether to leave.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// The shortest time between two polls of a session: work that is due closer together is done in one poll.
const SHORTEST_NAP: Nanoseconds = 1_000_000;

/// The next poll of a session whose next block is due at `due`: at once while it is behind, so that a limited poll costs no time.
fn after(due: Nanoseconds, now: Nanoseconds) -> Nanoseconds {
    if due <= now {
        now
    } else {
        due.max(now + SHORTEST_NAP)
    }
}

/// The interface of a device; the real ones are ALSA's.
trait Device: Send {
    /// As [`Pcm::read`].
    fn read(&mut self, frames: &mut [f32], timeout: Duration) -> Result<Progress, AlsaError>;
    /// As [`Pcm::write`].
    fn write(&mut self, frames: &[f32], timeout: Duration) -> Result<Progress, AlsaError>;
    /// As [`Pcm::delay`].
    fn delay(&mut self) -> Option<i64>;
}

impl Device for Pcm {
    fn read(&mut self, frames: &mut [f32], timeout: Duration) -> Result<Progress, AlsaError> {
        Self::read(self, frames, timeout)
    }
    fn write(&mut self, frames: &[f32], timeout: Duration) -> Result<Progress, AlsaError> {
        Self::write(self, frames, timeout)
    }
    fn delay(&mut self) -> Option<i64> {
        Self::delay(self)
    }
}

#[cfg(test)]
mod tests;
