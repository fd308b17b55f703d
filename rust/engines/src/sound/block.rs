//! A block of captured sound.

use crate::lane::Record;

/// The samples of a block, over all channels.
pub const BLOCK_SAMPLES: usize = 256;

/// A few frames of captured sound with their place in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundBlock {
    /// The block's number in its session: 0, 1, 2 …
    pub sequence: u64,
    /// The number of its first frame since the capture began, counting frames that are known to be dropped.
    pub position: u64,
    /// The frames dropped just before it between the device and the lane, because the engine was held up.
    pub lost: u64,
    /// The overruns of the device since the capture began: each lost an unknown length of sound.
    pub overruns: u32,
    /// The frames in it.
    pub frames: u32,
    /// The channels of a frame.
    pub channels: u32,
    /// The interleaved samples; those beyond the frames are 0.
    pub samples: [f32; BLOCK_SAMPLES],
}

impl Record for SoundBlock {}
