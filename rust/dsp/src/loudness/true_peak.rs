//! The peak between the samples (BS.1770-4, annex 2).

use std::f64::consts::PI;

/// The taps of each phase.
const TAPS: usize = 24;

/// The most phases, with that of the samples themselves.
const PHASES: usize = 4;

/// Finds the highest absolute value of one channel after oversampling: four times below 80 kHz, twice below 160 kHz, and not
/// at all above. Only [`new`](Self::new) allocates.
#[derive(Clone, Debug)]
pub struct TruePeakMeter {
    /// The phases between the samples.
    filters: Vec<[f32; TAPS]>,
    /// The latest samples, twice, so that the last `TAPS` of them are always one piece.
    history: [f32; 2 * TAPS],
    next: usize,
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
            history: [0.0; 2 * TAPS],
            next: 0,
            peak: 0.0,
        }
    }

    /// Takes the next samples. One that is NaN or infinite counts as silence.
    pub fn process(&mut self, samples: impl IntoIterator<Item = f32>) {
        let mut peak = self.peak;
        for sample in samples {
            let sample = if sample.is_finite() { sample } else { 0.0 };
            self.history[self.next] = sample;
            self.history[self.next + TAPS] = sample;
            self.next = (self.next + 1) % TAPS;
            peak = peak.max(sample.abs());
            let latest = &self.history[self.next..self.next + TAPS];
            for filter in &self.filters {
                peak = peak.max(product(filter, latest).abs());
            }
        }
        self.peak = peak;
    }

    /// The highest absolute value so far, 1.0 at full scale; the last 12 samples have not been seen from both sides yet.
    pub fn peak(&self) -> f64 {
        f64::from(self.peak)
    }

    /// Begins a new measurement; the samples before it stay in the filter.
    pub fn restart(&mut self) {
        self.peak = 0.0;
    }
}

/// The sum of products, in eight sums that a compiler turns into vectors.
fn product(filter: &[f32; TAPS], samples: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for (filter, samples) in filter.as_chunks::<8>().0.iter().zip(samples.as_chunks::<8>().0) {
        for ((sum, tap), sample) in sums.iter_mut().zip(filter).zip(samples) {
            *sum += tap * sample;
        }
    }
    sums.iter().sum()
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
        let window = bessel(BETA * (1.0 - (place * place).min(1.0)).sqrt()) / bessel(BETA);
        ideal * window
    };
    let taps: [f64; TAPS] = std::array::from_fn(tap);
    let sum: f64 = taps.iter().sum();
    taps.map(|tap| (tap / sum) as f32)
}

/// The modified Bessel function of the first kind and order 0, by its power series.
fn bessel(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..40 {
        let factor = 0.5 * x / f64::from(k);
        term *= factor * factor;
        sum += term;
    }
    sum
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
    fn samples_themselves_count() {
        let mut meter = TruePeakMeter::new(48_000.0);
        meter.process([0.0, 0.0, -0.75, f32::NAN]);
        assert!(meter.peak() >= 0.75);
        meter.restart();
        assert_eq!(meter.peak(), 0.0);
    }
}
