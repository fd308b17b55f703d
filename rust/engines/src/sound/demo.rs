//! The sound of the demonstration device.

use std::f64::consts::TAU;

/// The lowest level in dB, as a second of silence demonstrates nothing: the level goes from here to full scale.
const SOFTEST: f64 = -60.0;
/// The seconds of one swell, up and down.
const SWELL: f64 = 20.0;
/// The tones of the first channel and of the others, in Hz: an octave, so that a mix of them is one note.
const TONES: [f64; 2] = [440.0, 880.0];

/// The sample of a frame, computed from its number alone.
pub(super) fn sample(frame: u64, channel: usize, rate: u32) -> f32 {
    let seconds = frame as f64 / f64::from(rate);
    let place = (seconds / SWELL).fract();
    let decibels = SOFTEST * (2.0 * place - 1.0).abs();
    let turns = (seconds * TONES[channel.min(1)]).fract();
    (10f64.powf(decibels / 20.0) * (turns * TAU).sin()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight frames in a period of the first channel's tone.
    const RATE: u32 = 3_520;

    /// The loudest frame of a period that begins at `seconds`.
    fn loudest(seconds: u64, channel: usize) -> f32 {
        let from = seconds * u64::from(RATE);
        (from..from + 32).fold(0.0, |most, frame| sample(frame, channel, RATE).abs().max(most))
    }

    #[test]
    fn sound_swells_from_sixty_decibels_below_full_scale_and_back_in_twenty_seconds() {
        for (seconds, level) in [
            (0, 0.001),
            (5, 0.031_62),
            (10, 1.0),
            (15, 0.031_62),
            (20, 0.001),
            (30, 1.0),
        ] {
            for channel in 0..3 {
                let got = loudest(seconds, channel);
                assert!(
                    (got / level - 1.0).abs() < 0.08,
                    "{got} after {seconds} s, not {level}"
                );
            }
        }
    }

    #[test]
    fn channels_have_tones_of_440_and_880_hertz() {
        let full = 10 * u64::from(RATE);
        let near = |frame, channel, expected: f64| {
            let got = f64::from(sample(full + frame, channel, RATE));
            assert!((got - expected).abs() < 0.02, "{got}, not {expected}");
        };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for (frame, eighths) in [(0, 0.0), (1, half), (2, 1.0), (3, half), (4, 0.0), (6, -1.0)] {
            near(frame, 0, eighths);
        }
        for channel in [1, 2, 31] {
            for (frame, quarter) in [(0, 0.0), (1, 1.0), (2, 0.0), (3, -1.0)] {
                near(frame, channel, quarter);
            }
        }
    }
}
