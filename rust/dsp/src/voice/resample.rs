//! The same sound at another sample rate.

use crate::bessel::bessel_i0;
use std::f64::consts::PI;

/// Zero crossings of the sinc on each side.
const CROSSINGS: usize = 24;
/// Values of the table from one zero crossing to the next; between them it is a straight line, which adds an error of at most
/// pi^2 / 8 / 256^2, -94 dB.
const STEPS: usize = 256;
/// Kaiser's beta for side lobes of -80 dB (J. F. Kaiser and R. W. Schafer, IEEE Trans. ASSP 28, 1980, 0.1102 (A - 8.7)).
const BETA: f64 = 7.857;

/// A windowed-sinc resampler whose phases are read from a table, for any ratio of the rates.
pub(super) struct Resampler {
    /// Half of the kernel, from its middle on.
    table: Vec<f64>,
    /// Input samples from one output sample to the next.
    step: f64,
    /// Zero crossings per input sample.
    density: f64,
}

impl Resampler {
    /// From `from` to `to` Hz. The lower of both rates limits the band, its upper 6 % are in the transition.
    pub(super) fn new(from: f64, to: f64) -> Self {
        let length = CROSSINGS * STEPS;
        let table = (0..=length + 1)
            .map(|k| {
                let x = k as f64 / STEPS as f64;
                let place = (x / CROSSINGS as f64).min(1.0);
                let sinc = if k == 0 { 1.0 } else { (PI * x).sin() / (PI * x) };
                sinc * bessel_i0(BETA * (1.0 - place * place).sqrt()) / bessel_i0(BETA)
            })
            .collect();
        Self {
            table,
            step: from / to,
            density: (to / from).min(1.0),
        }
    }

    /// Input samples that an output sample reaches to each side.
    pub(super) fn reach(&self) -> usize {
        (CROSSINGS as f64 / self.density).ceil() as usize + 1
    }

    /// The time of output sample `index`, in input samples.
    pub(super) fn time(&self, index: i64) -> f64 {
        index as f64 * self.step
    }

    /// The output sample whose time is nearest to `time`.
    pub(super) fn nearest(&self, time: f64) -> i64 {
        (time / self.step).round() as i64
    }

    /// Fills `output` with output samples from `index` on. `input` begins with sample `start` and is continued with 0. What comes
    /// out depends on no more than the samples within [`reach`](Self::reach), not on where the input begins.
    pub(super) fn fill(&self, input: &[f32], start: i64, index: i64, output: &mut [f64]) {
        if self.step == 1.0 {
            // The samples themselves: the zeros of the sinc are none to the last digit.
            for (index, output) in (index - start..).zip(output) {
                let sample = usize::try_from(index).ok().and_then(|index| input.get(index));
                *output = sample.map_or(0.0, |&x| f64::from(x));
            }
            return;
        }
        let reach = CROSSINGS as f64 / self.density;
        let scale = self.density * STEPS as f64;
        for (index, output) in (index..).zip(output) {
            let time = self.time(index);
            let clipped = |place: f64| (place as i64 - start).clamp(0, input.len() as i64) as usize;
            let (first, last) = (
                clipped((time - reach).ceil()),
                clipped((time + reach).floor() + 1.0),
            );
            let mut place = (start + first as i64) as f64 - time;
            let mut sum = 0.0;
            for &x in &input[first..last.max(first)] {
                let steps = place.abs() * scale;
                let index = steps as usize;
                let part = steps - index as f64;
                let (left, right) = (self.table[index], self.table[index + 1]);
                sum += f64::from(x) * (left + part * (right - left));
                place += 1.0;
            }
            *output = sum * self.density;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_testkit::sine;

    #[test]
    fn resampler_keeps_a_sine_and_drops_one_above_the_band() {
        for (from, to) in [
            (44_100.0, 11_000.0),
            (48_000.0, 10_000.0),
            (8000.0, 16_000.0),
            (192_000.0, 11_000.0),
        ] {
            let resampler = Resampler::new(from, to);
            let mut output = vec![0.0; 401];
            let length = ((401.0 * from / to) as usize + 2 * resampler.reach()) | 1;
            // A cosine at the middle of the input.
            let tone = |frequency: f64| {
                let turns = frequency / from * ((length - 1) / 2) as f64;
                let phase = std::f64::consts::FRAC_PI_2 - std::f64::consts::TAU * turns.fract();
                sine(length, frequency, from, 1.0, phase)
            };
            let frequency = 0.35 * to.min(from);
            // The middle of the input is time 0.
            let start = -((length as i64 - 1) / 2);
            resampler.fill(&tone(frequency), start, -200, &mut output);
            for (k, y) in output.iter().enumerate() {
                let expected = (std::f64::consts::TAU * frequency / to * (k as f64 - 200.0)).cos();
                assert!(
                    (y - expected).abs() < 3e-4,
                    "{from} to {to}, {k}: {y}, {expected}"
                );
            }
            if from > to {
                resampler.fill(&tone(0.57 * to), start, -200, &mut output);
                assert!(output.iter().all(|y| y.abs() < 1e-3), "{from} to {to}");
            }
        }
    }
}
