//! Test signals, the same on every machine.

use std::f64::consts::TAU;

/// `length` samples of a sine of `frequency` Hz at `sample_rate` Hz, from `phase` radians on; computed in `f64`.
pub fn sine(length: usize, frequency: f64, sample_rate: f64, amplitude: f64, phase: f64) -> Vec<f32> {
    let turns = frequency / sample_rate;
    (0..length)
        .map(|n| {
            // Whole turns are dropped first: the angle stays small and precise in long signals.
            let turn = (turns * n as f64).fract();
            (amplitude * (TAU * turn + phase).sin()) as f32
        })
        .collect()
}

/// `length` samples of a sine whose frequency rises linearly from `from` to `to` Hz.
pub fn sweep(length: usize, from: f64, to: f64, sample_rate: f64, amplitude: f64) -> Vec<f32> {
    let duration = length as f64 / sample_rate;
    (0..length)
        .map(|n| {
            let time = n as f64 / sample_rate;
            let turns = from * time + 0.5 * (to - from) * time * time / duration;
            (amplitude * (TAU * turns.fract()).sin()) as f32
        })
        .collect()
}

/// `length` samples of white noise, uniform in -1 ..< 1: multiples of 2^-23, which `f32` holds exactly.
///
/// Each is the upper 24 bits of a step of the generator x -> 1664525 x + 1013904223 modulo 2^32 from x = `seed`
/// (multiplier and increment from W. H. Press et al., Numerical Recipes in C, 2nd edition, section 7.1), less 2^23, over
/// 2^23. `Tests/Vectors/generate.py` and the Swift tests make the same samples.
pub fn noise(seed: u32, length: usize) -> Vec<f32> {
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 - 8_388_608.0) / 8_388_608.0
        })
        .collect()
}

/// `length` zeros with a 1 at `position`, which must be below `length`.
pub fn impulse(length: usize, position: usize) -> Vec<f32> {
    (0..length).map(|n| f32::from(u8::from(n == position))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_follows_its_formula() {
        // From 1 the generator goes to 1664525 + 1013904223 = 1015568748, whose upper 24 bits are 3967065.
        let expected = (3_967_065.0 - 8_388_608.0) / 8_388_608.0;
        assert_eq!(noise(1, 1), [expected]);
        assert!(noise(7, 10_000).iter().all(|x| (-1.0..1.0).contains(x)));
    }

    #[test]
    fn sweep_ends_at_its_upper_frequency() {
        let signal = sweep(48_000, 0.0, 1000.0, 48_000.0, 1.0);
        let rises = |part: &[f32]| part.windows(2).filter(|w| w[0] < 0.0 && w[1] >= 0.0).count();
        // It has made 500 (n / 48000)^2 turns by sample n, and crosses 0 upwards after each whole one.
        assert_eq!(rises(&signal[..5000]), 5, "turns 1 to 5 of 5.4");
        assert_eq!(rises(&signal[43_300..]), 93, "turns 407 to 499");
    }
}
