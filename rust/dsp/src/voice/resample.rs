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
/// Sums that are made at a time.
const LANES: usize = 8;

/// A windowed-sinc resampler whose phases are read from a table, for any ratio of the rates.
pub(super) struct Resampler {
    /// The kernel's values at an output sample's neighbours, one row for each phase between two input samples and one for the
    /// next.
    table: Vec<f64>,
    /// The values of a row.
    taps: usize,
    /// Rows from one input sample to the next.
    phases: usize,
    /// Input samples from one output sample to the next.
    step: f64,
    /// Zero crossings per input sample.
    density: f64,
}

impl Resampler {
    /// Makes a converter from `from` to `to` Hz. The lower of both rates limits the band, whose upper 6 % are in the transition.
    pub(super) fn new(from: f64, to: f64) -> Self {
        let density = (to / from).min(1.0);
        let reach = (CROSSINGS as f64 / density).ceil() as usize;
        let (taps, phases) = (2 * reach + 1, (STEPS as f64 * density).ceil() as usize);
        let value = |index: usize| {
            let (phase, tap) = (index / taps, index % taps);
            let samples = tap as f64 - reach as f64 - phase as f64 / phases as f64;
            density * kernel(samples * density)
        };
        Self {
            table: (0..(phases + 1) * taps).map(value).collect(),
            taps,
            phases,
            step: from / to,
            density,
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

    /// Fills `output` with output samples from `index` on. `input` begins with sample `start` and is continued with 0. The output
    /// depends only on the samples within [`reach`](Self::reach), not on the start of the input.
    #[inline(always)]
    pub(super) fn fill(&self, input: &[f32], start: i64, index: i64, output: &mut [f64]) {
        if self.step == 1.0 {
            // The samples themselves: the zeros of the sinc are none to the last digit.
            for (index, output) in (index - start..).zip(output) {
                let sample = usize::try_from(index).ok().and_then(|index| input.get(index));
                *output = sample.map_or(0.0, |&x| f64::from(x));
            }
            return;
        }
        let reach = self.taps / 2;
        for (index, output) in (index..).zip(output) {
            let time = self.time(index);
            let below = time.floor();
            let place = (time - below) * self.phases as f64;
            let phase = place as usize;
            let part = place - phase as f64;
            let rows = &self.table[phase * self.taps..][..2 * self.taps];
            let (lower, upper) = rows.split_at(self.taps);
            // What is of the kernel beyond the input counts with 0.
            let first = below as i64 - reach as i64 - start;
            let skipped = usize::try_from(-first).unwrap_or(0).min(self.taps);
            let from = usize::try_from(first).unwrap_or(0).min(input.len());
            let count = (self.taps - skipped).min(input.len() - from);
            let input = &input[from..from + count];
            let (lower, upper) = (&lower[skipped..skipped + count], &upper[skipped..skipped + count]);
            *output = blended(input, lower, upper, part);
        }
    }
}

/// The product-sum of the input with what is `part` of the way between two rows, which are as long.
#[inline(always)]
fn blended(input: &[f32], lower: &[f64], upper: &[f64], part: f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (many, rest) = input.as_chunks::<LANES>();
    let rows = lower
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(upper.as_chunks::<LANES>().0);
    for (x, (low, high)) in many.iter().zip(rows) {
        for lane in 0..LANES {
            sums[lane] += f64::from(x[lane]) * (low[lane] + part * (high[lane] - low[lane]));
        }
    }
    let tail = input.len() - rest.len();
    let rows = lower[tail..].iter().zip(&upper[tail..]);
    let rest: f64 = rest
        .iter()
        .zip(rows)
        .map(|(&x, (low, high))| f64::from(x) * (low + part * (high - low)))
        .sum();
    sums.iter().sum::<f64>() + rest
}

/// The sinc under Kaiser's window, 1 in its middle; `place` in zero crossings.
fn kernel(place: f64) -> f64 {
    let part = (place / CROSSINGS as f64).abs();
    if part >= 1.0 {
        return 0.0;
    }
    let sinc = if place == 0.0 {
        1.0
    } else {
        (PI * place).sin() / (PI * place)
    };
    sinc * bessel_i0(BETA * (1.0 - part * part).sqrt()) / bessel_i0(BETA)
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
