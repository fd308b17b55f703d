//! The mean of a voice's neighbouring periods, in which noise is lower than in each.

use super::sums::{dot, dots};
use std::f64::consts::PI;

/// The search range of neighbours on each side, in seconds: about as long as the articulation is constant.
const REACH: f64 = 0.025;
/// The nearest neighbour, in seconds: the period of the highest voices whose formants can be separated. Of higher ones every
/// second or third period is found.
const NEAREST: f64 = 0.002;
/// The length that is compared with its neighbours, in seconds: at least one period of a voice from 40 Hz on.
const COMPARED: f64 = 0.025;
/// A lower correlation is not a repetition: more than half as much noise as voice, or none at all.
const LIKENESS: f64 = 0.7;
/// A neighbour differs from the stretch by noise and by what changes. It counts when it differs by at most this factor more than
/// the one that is most like it, and a little: what is as far away as a period of F1 looks alike, but never as much.
const WORSE: f64 = 1.5;
const LITTLE: f64 = 0.01;
/// The number of samples on each side from which a value between samples is interpolated.
const TAPS: usize = 12;

/// The greatest number of neighbours: on two sides the reach over the nearest.
const MOST: usize = 32;

/// A repetition of the middle: its distance in samples, and its likeness, at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Neighbour {
    shift: f64,
    likeness: f64,
}

/// Averages a stretch of sound with those around that repeat it.
pub(super) struct Repetition {
    reach: usize,
    nearest: usize,
    compared: usize,
    likeness: Vec<f64>,
    found: [Neighbour; MOST],
    count: usize,
}

impl Repetition {
    /// Makes the memory for signals at `rate` Hz.
    pub(super) fn new(rate: f64) -> Self {
        let reach = (REACH * rate) as usize;
        let nearest = (NEAREST * rate) as usize;
        Self {
            reach,
            nearest,
            compared: (COMPARED * rate) as usize,
            likeness: vec![0.0; reach - nearest + 3],
            found: [Neighbour::default(); MOST],
            count: 0,
        }
    }

    /// The number of samples that are needed on each side of the stretch that is averaged, which is at least as long as what is
    /// compared.
    pub(super) fn margin(&self) -> usize {
        self.reach + TAPS + 1
    }

    /// Searches for repetitions of the middle of `sound`.
    #[inline(always)]
    pub(super) fn find(&mut self, sound: &[f64]) {
        self.count = 0;
        let first = (sound.len() - self.compared) / 2;
        let here = &sound[first..first + self.compared];
        let energy = dot(here, here);
        for back in [true, false] {
            let nearest = self.nearest - 1;
            let place = |distance: usize| if back { first - distance } else { first + distance };
            let mut sliding = energy_at(sound, place(nearest), self.compared);
            for (k, four) in self.likeness.chunks_mut(4).enumerate() {
                let mut from = [0; 4];
                for (lane, from) in from.iter_mut().enumerate().take(four.len()) {
                    *from = place(nearest + 4 * k + lane);
                }
                let [products] = dots([here], from.map(|from| &sound[from..from + self.compared]));
                for ((likeness, product), from) in four.iter_mut().zip(products).zip(from) {
                    // A signal 90 dB quieter is rounding.
                    *likeness = if sliding > 1e-9 * energy {
                        product / (energy * sliding).sqrt()
                    } else {
                        0.0
                    };
                    let (new, old) = if back {
                        (from.wrapping_sub(1), from + self.compared - 1)
                    } else {
                        (from + self.compared, from)
                    };
                    let square = |place: usize| sound.get(place).map_or(0.0, |x| x * x);
                    sliding += square(new) - square(old);
                }
            }
            for (k, three) in self.likeness.windows(3).enumerate() {
                let [left, middle, right] = [three[0], three[1], three[2]];
                if middle < LIKENESS || middle < left || middle <= right || self.count == MOST {
                    continue;
                }
                let part = 0.5 * (left - right) / (left - 2.0 * middle + right);
                let distance = (nearest + k + 1) as f64 + part;
                self.found[self.count] = Neighbour {
                    shift: if back { -distance } else { distance },
                    likeness: middle - 0.25 * (left - right) * part,
                };
                self.count += 1;
            }
        }
    }

    /// Fills `output` with the mean of the middle of `sound` and of its repetitions. `sound` is longer by the
    /// [margin](Self::margin) on each side.
    #[inline(always)]
    pub(super) fn average(&self, sound: &[f64], output: &mut [f64]) {
        let first = (sound.len() - output.len()) / 2;
        output.copy_from_slice(&sound[first..first + output.len()]);
        let found = &self.found[..self.count];
        let best = found.iter().fold(0.0, |best: f64, n| best.max(n.likeness));
        let mut count = 1.0;
        for neighbour in found {
            if 1.0 - neighbour.likeness > WORSE * (1.0 - best) + LITTLE {
                continue;
            }
            count += 1.0;
            let whole = neighbour.shift.floor();
            let kernel = kernel(neighbour.shift - whole);
            let from = (first + 1).wrapping_add_signed(whole as isize) - TAPS;
            add_filtered(&kernel, &sound[from..], output);
        }
        output.iter_mut().for_each(|x| *x /= count);
    }
}

/// The weights of the samples around a place `part` of a sample after one: a sinc under a Hann window.
fn kernel(part: f64) -> [f64; 2 * TAPS] {
    std::array::from_fn(|k| {
        let distance = k as f64 - (TAPS as f64 - 1.0) - part;
        let sinc = if distance.abs() < 1e-9 {
            1.0
        } else {
            (PI * distance).sin() / (PI * distance)
        };
        sinc * (0.5 + 0.5 * (PI * distance / (TAPS as f64 + 1.0)).cos())
    })
}

/// Adds to each output the product-sum of the kernel with the samples from the same place on.
#[inline(always)]
fn add_filtered(kernel: &[f64; 2 * TAPS], sound: &[f64], output: &mut [f64]) {
    /// Outputs at a time: their sums stay in registers.
    const TOGETHER: usize = 16;
    let (many, rest) = output.as_chunks_mut::<TOGETHER>();
    let mut from = 0;
    for outputs in many {
        let sound = &sound[from..from + TOGETHER + 2 * TAPS - 1];
        let mut sums = [0.0; TOGETHER];
        for (k, weight) in kernel.iter().enumerate() {
            for (sum, x) in sums.iter_mut().zip(&sound[k..k + TOGETHER]) {
                *sum += weight * x;
            }
        }
        for (output, sum) in outputs.iter_mut().zip(sums) {
            *output += sum;
        }
        from += TOGETHER;
    }
    for (n, output) in (from..).zip(rest) {
        *output += dot(kernel, &sound[n..n + 2 * TAPS]);
    }
}

/// The sum of squares of `length` samples.
#[inline(always)]
fn energy_at(sound: &[f64], first: usize, length: usize) -> f64 {
    let part = &sound[first..first + length];
    dot(part, part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_testkit::noise;

    const RATE: f64 = 10_000.0;

    /// A sum of harmonics, none above 4 kHz, around time 0 in the middle of `length` samples.
    fn voice(pitch: f64, length: usize) -> Vec<f64> {
        let turns = |n: usize| pitch / RATE * (n as f64 - (length / 2) as f64);
        let count = (4000.0 / pitch) as usize;
        let tone = |n| (1..=count).map(|k| (2.0 * PI * k as f64 * turns(n)).cos()).sum();
        (0..length).map(tone).collect()
    }

    fn averaged(sound: &[f64], length: usize) -> (Vec<f64>, usize) {
        let mut repetition = Repetition::new(RATE);
        let mut output = vec![0.0; length];
        repetition.find(sound);
        repetition.average(sound, &mut output);
        (output, repetition.count)
    }

    #[test]
    fn repeated_sound_is_its_own_mean() {
        let margin = Repetition::new(RATE).margin();
        for pitch in [83.3, 140.0, 271.7, 390.0] {
            let sound = voice(pitch, 501 + 2 * margin);
            let (mean, count) = averaged(&sound, 501);
            assert!(count >= 4, "{pitch}: {count}");
            let peak = sound.iter().fold(0.0_f64, |peak, x| peak.max(x.abs()));
            for (n, x) in mean.iter().enumerate() {
                assert!((x - sound[margin + n]).abs() < 0.03 * peak, "{pitch}, {n}");
            }
        }
    }

    #[test]
    fn noise_is_lower_in_the_mean() {
        let margin = Repetition::new(RATE).margin();
        let clean = voice(200.0, 501 + 2 * margin);
        let loud: Vec<f64> = clean
            .iter()
            .zip(noise(5, 1 << 12))
            .map(|(x, n)| x + f64::from(n))
            .collect();
        let (mean, _) = averaged(&loud, 501);
        let power = |y: &[f64], from: usize| -> f64 {
            (0..501).map(|n| (y[from + n] - clean[margin + n]).powi(2)).sum()
        };
        // Eleven alike have an eleventh of the noise; what is interpolated has a little less of it at the top.
        assert!(power(&mean, 0) < 0.15 * power(&loud, margin));
    }

    #[test]
    fn what_repeats_nothing_stays_as_it_is() {
        let margin = Repetition::new(RATE).margin();
        let sound: Vec<f64> = noise(9, 501 + 2 * margin).into_iter().map(f64::from).collect();
        for sound in [sound, vec![0.0; 501 + 2 * margin]] {
            let (mean, count) = averaged(&sound, 501);
            assert_eq!((count, &mean[..]), (0, &sound[margin..margin + 501]));
        }
    }
}
