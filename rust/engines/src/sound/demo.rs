//! The sound of the device that is always there.

use std::f64::consts::TAU;

/// A second of silence is no demonstration: the level goes from here to full scale.
const SOFTEST: f64 = -60.0;
/// The seconds of one swell, up and down.
const SWELL: f64 = 20.0;
/// The tones of the first channel and of the others, in Hz.
const TONES: [f64; 2] = [440.0, 660.0];

/// The sample of a frame, computed from its number alone.
pub(super) fn sample(frame: u64, channel: usize, rate: u32) -> f32 {
    let seconds = frame as f64 / f64::from(rate);
    let place = (seconds / SWELL).fract();
    let decibels = SOFTEST * (2.0 * place - 1.0).abs();
    let turns = (seconds * TONES[channel.min(1)]).fract();
    (10f64.powf(decibels / 20.0) * (turns * TAU).sin()) as f32
}
