//! The peak between the samples (BS.1770-4, annex 2).

use crate::bessel::bessel_i0;
use std::f64::consts::PI;

/// The taps of each phase.
const TAPS: usize = 24;

/// The most phases, with that of the samples themselves.
const PHASES: usize = 4;

/// The outputs of a phase that are computed together: plain loops over this many become vectors.
const LANES: usize = 16;

/// The samples that are taken in before they are computed with: a multiple of `LANES`.
const CHUNK: usize = 256;

/// Finds the highest absolute value of one channel after oversampling: four times below 80 kHz, twice below 160 kHz, and not
/// at all above. Only [`new`](Self::new) allocates.
#[derive(Clone, Debug)]
pub struct TruePeakMeter {
    /// The phases between the samples.
    filters: Vec<[f32; TAPS]>,
    /// The latest `TAPS` samples, and room for those of a chunk.
    samples: [f32; TAPS + CHUNK],
    peak: f32,
}

impl TruePeakMeter {
    /// A meter for `rate` Hz.
    pub fn new(rate: f64) -> Self {
        let phases = match rate {
            _ if rate < 80_000.0 => PHASES,
            _ if rate < 160_000.0 => 2,
            _ => 1,
        };
        Self {
            filters: (1..phases)
                .map(|phase| filter(phase as f64 / phases as f64))
                .collect(),
            samples: [0.0; TAPS + CHUNK],
            peak: 0.0,
        }
    }

    /// Takes the next samples. One that is NaN or infinite counts as silence.
    pub fn process(&mut self, samples: impl IntoIterator<Item = f32>) {
        let mut samples = samples.into_iter();
        loop {
            let mut count = 0;
            for (place, sample) in self.samples[TAPS..].iter_mut().zip(samples.by_ref()) {
                *place = if sample.is_finite() { sample } else { 0.0 };
                count += 1;
            }
            self.chunk(count);
            self.samples.copy_within(count..count + TAPS, 0);
            if count < CHUNK {
                return;
            }
        }
    }

    /// Finds the highest value with the first `count` samples of the chunk.
    fn chunk(&mut self, count: usize) {
        let mut highest = [0.0f32; LANES];
        for start in (0..count).step_by(LANES) {
            let used = LANES.min(count - start);
            let raise = |highest: &mut [f32; LANES], values: &[f32; LANES]| {
                for (highest, value) in highest[..used].iter_mut().zip(values) {
                    // `f32::max` would look for NaN first.
                    let size = value.abs();
                    *highest = if size > *highest { size } else { *highest };
                }
            };
            // The first output of the group is over the samples up to the first of the group.
            if let Some(window) = self.samples[start + 1..].first_chunk::<{ TAPS + LANES - 1 }>() {
                for filter in &self.filters {
                    raise(&mut highest, &outputs(filter, window));
                }
            }
            if let Some(latest) = self.samples[TAPS + start..].first_chunk() {
                raise(&mut highest, latest);
            }
        }
        self.peak = highest.into_iter().fold(self.peak, f32::max);
    }

    /// The highest absolute value so far, 1.0 at full scale; the last 12 samples have not been seen from both sides yet.
    pub fn peak(&self) -> f64 {
        f64::from(self.peak)
    }

    /// Takes a peak from another measurement into account.
    pub(super) fn include(&mut self, peak: f64) {
        self.peak = self.peak.max(peak as f32);
    }

    /// Begins a new measurement; the samples before it stay in the filter.
    pub fn restart(&mut self) {
        self.peak = 0.0;
    }
}

/// The outputs of a filter at consecutive places. Each is a sum in the order of the taps, wherever the places begin, so that a
/// peak does not depend on how the samples came.
fn outputs(filter: &[f32; TAPS], window: &[f32; TAPS + LANES - 1]) -> [f32; LANES] {
    let mut sums = [0.0; LANES];
    for (tap, samples) in filter.iter().zip(window.windows(LANES)) {
        for (sum, sample) in sums.iter_mut().zip(samples) {
            *sum += tap * sample;
        }
    }
    sums
}

/// The taps for the value `shift` of a sample's distance after the sample in the middle: the ideal interpolator within a
/// Kaiser window, its sum made 1.
fn filter(shift: f64) -> [f32; TAPS] {
    const BETA: f64 = 7.0;
    let half = TAPS as f64 / 2.0;
    let tap = |n: usize| {
        // The middle lies between the samples 11 and 12; the value lies `shift` after sample 11.
        let distance = n as f64 - (half - 1.0) - shift;
        let ideal = if distance == 0.0 {
            1.0
        } else {
            (PI * distance).sin() / (PI * distance)
        };
        let place = (n as f64 + 0.5 - half - (shift - 0.5)) / half;
        let window = bessel_i0(BETA * (1.0 - (place * place).min(1.0)).sqrt()) / bessel_i0(BETA);
        ideal * window
    };
    let taps: [f64; TAPS] = std::array::from_fn(tap);
    let sum: f64 = taps.iter().sum();
    taps.map(|tap| (tap / sum) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peak(rate: f64, frequency: f64, phase: f64) -> f64 {
        let mut meter = TruePeakMeter::new(rate);
        // With a slow start, so that there is no edge.
        meter.process((0..4800).map(|n| {
            let start = (f64::from(n) / 1000.0).min(1.0);
            (start * (2.0 * PI * frequency / rate * f64::from(n) + phase).sin()) as f32
        }));
        meter.peak()
    }

    #[test]
    fn peak_between_samples_is_found() {
        for rate in [44_100.0, 48_000.0, 96_000.0, 192_000.0] {
            for divisor in [4.0, 6.0, 8.0, 5.13] {
                for phase in [0.0, 0.25 * PI, 0.5, 1.0] {
                    let frequency = rate / divisor * if rate > 100_000.0 { 0.25 } else { 1.0 };
                    let level = 20.0 * peak(rate, frequency, phase).log10();
                    assert!(
                        level < 0.05 && level > -0.4,
                        "{frequency} of {rate} Hz, {phase}: {level} dB"
                    );
                }
            }
        }
    }

    #[test]
    fn peak_is_that_of_the_slow_form_however_the_samples_come() {
        let samples = rustle_testkit::noise(3, 1000);
        for rate in [48_000.0, 96_000.0] {
            let phases = if rate < 80_000.0 { 4 } else { 2 };
            // Up to each sample: the highest value of any phase over the TAPS samples that end there.
            let mut expected = Vec::new();
            let mut highest: f64 = 0.0;
            for n in 0..samples.len() {
                highest = highest.max(f64::from(samples[n].abs()));
                for phase in 1..phases {
                    let taps = filter(f64::from(phase) / f64::from(phases));
                    let value: f64 = (0..TAPS.min(n + 1))
                        .map(|age| f64::from(taps[TAPS - 1 - age]) * f64::from(samples[n - age]))
                        .sum();
                    highest = highest.max(value.abs());
                }
                expected.push(highest);
            }
            let mut one_by_one = Vec::new();
            let mut meter = TruePeakMeter::new(rate);
            for (sample, expected) in samples.iter().zip(&expected) {
                meter.process([*sample]);
                one_by_one.push(meter.peak());
                assert!(
                    (meter.peak() - expected).abs() < 1e-6,
                    "{} {expected}",
                    meter.peak()
                );
            }
            for length in [2, 7, 15, 16, 17, 255, 256, 257, 600, 1000] {
                let mut meter = TruePeakMeter::new(rate);
                let mut taken = 0;
                for block in samples.chunks(length) {
                    meter.process(block.iter().copied());
                    taken += block.len();
                    assert_eq!(meter.peak(), one_by_one[taken - 1], "blocks of {length}");
                }
            }
        }
    }

    #[test]
    fn samples_themselves_count() {
        let mut meter = TruePeakMeter::new(48_000.0);
        meter.process([0.0, 0.0, -0.75, f32::NAN]);
        assert!(meter.peak() >= 0.75);
        meter.restart();
        assert_eq!(meter.peak(), 0.0);
    }
}
