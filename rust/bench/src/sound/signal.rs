//! The input of all candidates.

use rustle_testkit::noise;

pub(super) use rustle_dsp::equalizer::CENTRES;

/// The sample rate of all signals in Hz.
pub(super) const RATE: u32 = 48_000;

/// The frames of a block.
pub(super) const BLOCK: usize = 512;

/// The frames of the signal: a little more than a minute, and whole blocks of every size.
pub(super) const FRAMES: usize = 45 * 65_536;

/// White noise at a quarter of full scale, left and right interleaved.
pub(super) fn signal() -> Vec<f32> {
    let samples = noise(1, 2 * FRAMES);
    samples.into_iter().map(|sample| 0.25 * sample).collect()
}

/// The equalizer's gains in dB, other ones on the right; none of them is 0.
pub(super) fn gains() -> [f64; 28] {
    std::array::from_fn(|index| f64::from((index as i32 * 7) % 24 - 12) + 0.5)
}
