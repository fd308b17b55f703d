//! The part that runs on the audio thread.

use super::band::{EqualizerError, MAX_BANDS};
use super::kernels::{self, Kernel};
use super::rack::Rack;
use super::ramp::Ramp;

/// The frames between two checks of the filters' states.
const INTERVAL: usize = 1024;

/// A mono block is computed in parts of this many frames.
const PART: usize = 256;

/// Applies settings to sound. Only [`new`](Self::new) allocates; nothing waits.
///
/// Coefficients and sums are `f64`, samples `f32`. Each channel has its own filters and sums, which no other reads. The output
/// does not depend on how the signal is cut into blocks, bit for bit, and is not delayed. While there are no gains it is the
/// input, bit for bit. The time of a block follows the bands in use, not the room for bands. The CPU's floating-point modes are
/// neither read nor changed: fading values are set to 0 before they become denormal.
pub struct Equalizer {
    kernel: Kernel,
    channels: usize,
    /// The most bands of a channel.
    capacity: usize,
    rack: Rack,
    /// The latest change, and its next frame.
    ramp: Option<Ramp>,
    next: usize,
    /// Frames until the next check of the states.
    until_look: usize,
    /// Whether the output is the input.
    idle: bool,
}

impl Equalizer {
    /// An equalizer without gains, for 1 or 2 channels of at most `bands` bands.
    ///
    /// # Errors
    /// [`EqualizerError::Channels`], [`EqualizerError::BandCount`].
    pub fn new(channels: usize, bands: usize) -> Result<Self, EqualizerError> {
        Self::with_kernel(channels, bands, kernels::widest())
    }

    /// The same on plain arrays, as on a CPU that has no kernel of its own: for comparisons. Its outputs differ from those of
    /// another kernel by single roundings of `f64`.
    ///
    /// # Errors
    /// [`EqualizerError::Channels`], [`EqualizerError::BandCount`].
    pub fn without_vectors(channels: usize, bands: usize) -> Result<Self, EqualizerError> {
        Self::with_kernel(channels, bands, kernels::plain())
    }

    fn with_kernel(channels: usize, bands: usize, kernel: Kernel) -> Result<Self, EqualizerError> {
        if !(1..=2).contains(&channels) {
            return Err(EqualizerError::Channels { got: channels });
        }
        if bands > MAX_BANDS {
            return Err(EqualizerError::BandCount {
                limit: MAX_BANDS,
                got: bands,
            });
        }
        Ok(Self {
            kernel,
            channels,
            capacity: bands,
            rack: Rack::new(bands),
            ramp: None,
            next: 0,
            until_look: INTERVAL,
            idle: true,
        })
    }

    /// The number of channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The number of bands that a block's time follows: those up to the last one with a gain or with sound in its filter.
    pub fn bands_in_use(&self) -> usize {
        self.rack.bands_in_use()
    }

    /// Whether a change is in progress.
    pub fn is_changing(&self) -> bool {
        self.ramp.as_ref().is_some_and(|ramp| self.next < ramp.frames())
    }

    /// Begins a change, which ends after [`RAMP_SECONDS`](super::RAMP_SECONDS) of sound. `ramp` leads from the setting that is in
    /// force (at first one without bands) and is for as many bands. Returns the ramp of the change before, to be dropped outside
    /// of the audio thread.
    ///
    /// # Errors
    /// `ramp` itself, when it is for another number of bands, or while a change is in progress
    /// ([`is_changing`](Self::is_changing)).
    pub fn change(&mut self, ramp: Ramp) -> Result<Option<Ramp>, Ramp> {
        if self.is_changing() || ramp.capacity() != self.capacity {
            return Err(ramp);
        }
        if self.idle {
            self.until_look = INTERVAL;
            self.idle = false;
        }
        self.next = 0;
        self.rack.begin(ramp.bands());
        Ok(self.ramp.replace(ramp))
    }

    /// Resets the memory of the sound, and completes a change in progress at once. The settings stay.
    pub fn reset(&mut self) {
        self.rack.clear();
        if let Some(ramp) = &self.ramp {
            self.next = ramp.frames();
            self.rack.begin(ramp.bands());
            ramp.at(self.next, self.rack.sections());
        }
        self.until_look = INTERVAL;
        self.idle = !self.rack.trim();
    }

    /// Replaces the samples of `block`, whole frames of one sample per channel, by the equalized ones. A sample that is NaN or
    /// infinite spoils the channel for at most 1024 frames.
    ///
    /// # Errors
    /// [`EqualizerError::BlockLength`]; the block then stays as it is.
    pub fn process(&mut self, block: &mut [f32]) -> Result<(), EqualizerError> {
        let frames = match self.channels {
            1 => return self.process_mono(block),
            _ => block.as_chunks_mut::<2>(),
        };
        let (frames, []) = frames else {
            return Err(EqualizerError::BlockLength {
                channels: self.channels,
                got: block.len(),
            });
        };
        self.process_frames(frames);
        Ok(())
    }

    /// One channel as the left of two.
    fn process_mono(&mut self, block: &mut [f32]) -> Result<(), EqualizerError> {
        for part in block.chunks_mut(PART) {
            let mut frames = [[0.0; 2]; PART];
            let frames = &mut frames[..part.len()];
            for (frame, sample) in frames.iter_mut().zip(&*part) {
                *frame = [*sample, 0.0];
            }
            self.process_frames(frames);
            for ([left, _], sample) in frames.iter().zip(part) {
                *sample = *left;
            }
        }
        Ok(())
    }

    fn process_frames(&mut self, mut frames: &mut [[f32; 2]]) {
        while !frames.is_empty() && !self.idle {
            let (part, rest) = frames.split_at_mut(frames.len().min(self.until_look));
            frames = rest;
            self.until_look -= part.len();
            self.process_part(part);
            if self.until_look == 0 {
                self.look();
            }
        }
    }

    fn process_part(&mut self, part: &mut [[f32; 2]]) {
        let mut settled = part;
        if let Some(ramp) = &self.ramp {
            let (moving, rest) = settled.split_at_mut(settled.len().min(ramp.frames() - self.next));
            settled = rest;
            for frame in moving {
                self.next += 1;
                ramp.at(self.next, self.rack.sections());
                run(self.kernel, &mut self.rack, std::slice::from_mut(frame));
            }
        }
        if !settled.is_empty() {
            run(self.kernel, &mut self.rack, settled);
        }
    }

    /// Cleans the states, and takes bands without an effect out of use.
    fn look(&mut self) {
        self.until_look = INTERVAL;
        self.rack.clean();
        self.idle = !self.is_changing() && !self.rack.trim();
    }
}

/// Runs the cascades of a rack over a block.
fn run(kernel: Kernel, rack: &mut Rack, block: &mut [[f32; 2]]) {
    for (sections, states) in rack.cascades() {
        if !sections.is_empty() {
            kernel(sections, states, block);
        }
    }
}
