//! The common part of captures and playbacks: their configuration, and the start of their sessions.

use super::error::SoundError;
use super::{CHANNELS, DEMO_DEVICE, Device, PERIODS, RATES};
use crate::engine::Sessions;
use crate::lane::{Doorbell, Lane, Record};
use crate::outlet::Outlet;
use crate::ring::Overflow;
use crate::runtime::Runtime;
use rustle_alsa::{Configuration, Direction, Pcm};
use std::sync::Arc;

/// The device of a capture or a playback, and its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoundConfiguration {
    /// The device's name: [`DEMO_DEVICE`](super::DEMO_DEVICE), or an ALSA name such as `default`.
    pub device: String,
    /// The sample rate in Hz, within [`RATES`](super::RATES). A device that does not support it is an error; sound servers
    /// resample.
    pub rate: u32,
    /// The number of channels, within [`CHANNELS`](super::CHANNELS).
    pub channels: u32,
    /// The approximate number of frames between two wakes, within [`PERIODS`](super::PERIODS).
    pub period: u32,
    /// The number of frames after which a session ends, a playback's silence included; `None`: a capture has no limit, a playback
    /// ends after its writer finishes.
    pub frame_limit: Option<u64>,
}

/// The common state of captures and playbacks: a checked configuration, and sessions.
pub(super) struct SoundEngine {
    configuration: SoundConfiguration,
    pub(super) shape: Shape,
    pub(super) sessions: Sessions,
}

impl SoundEngine {
    /// # Errors
    /// [`SoundError::Rate`], [`SoundError::Channels`], [`SoundError::Period`].
    pub(super) fn on(runtime: Arc<Runtime>, configuration: SoundConfiguration) -> Result<Self, SoundError> {
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

    /// The first frame after the limit.
    pub(super) fn limit(&self) -> u64 {
        self.configuration.frame_limit.unwrap_or(u64::MAX)
    }

    pub(super) fn is_demo(&self) -> bool {
        self.configuration.device == DEMO_DEVICE
    }

    /// Opens the device, which holds about `buffer` frames.
    ///
    /// # Errors
    /// [`SoundError::Device`].
    pub(super) fn open(&self, direction: Direction, buffer: u32) -> Result<Box<dyn Device>, SoundError> {
        let Shape {
            rate,
            channels,
            period,
        } = self.shape;
        let configuration = Configuration {
            rate,
            channels,
            period,
            buffer,
        };
        Ok(Box::new(Pcm::open(
            &self.configuration.device,
            direction,
            configuration,
        )?))
    }
}

/// The parameters of every session of sound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) rate: u32,
    pub(super) channels: u32,
    pub(super) period: u32,
}

impl Shape {
    fn check(self) -> Result<Self, SoundError> {
        let Self {
            rate,
            channels,
            period,
        } = self;
        if !RATES.contains(&rate) {
            return Err(SoundError::Rate { got: rate });
        }
        if !CHANNELS.contains(&channels) {
            return Err(SoundError::Channels { got: channels });
        }
        if !PERIODS.contains(&period) {
            return Err(SoundError::Period { got: period });
        }
        Ok(self)
    }
}

/// A lane of `capacity` elements, 1 to `most`, and the outlet into it.
///
/// # Errors
/// [`SoundError::CapacityOutOfRange`], [`SoundError::Runtime`]; the bell is dropped then without a call.
pub(super) fn pulling<T: Record>(
    overflow: Overflow,
    capacity: usize,
    most: usize,
    bell: impl Doorbell + 'static,
) -> Result<(Arc<Lane<T>>, Outlet<T>), SoundError> {
    if !(1..=most).contains(&capacity) {
        return Err(SoundError::CapacityOutOfRange { most, got: capacity });
    }
    let lane = Arc::new(Lane::new(overflow, capacity, 1)?);
    let outlet = Outlet::Pull {
        lane: lane.clone(),
        bell: Box::new(bell),
    };
    Ok((lane, outlet))
}
