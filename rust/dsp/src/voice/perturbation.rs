//! Jitter and shimmer: the differences of neighbouring periods and of their amplitudes.

use super::marks::{Mark, Part};

/// Periods that differ by more than this factor do not follow each other (Praat's maximum period factor).
const PERIOD_FACTOR: f64 = 1.3;
/// The same of amplitudes (Praat's maximum amplitude factor).
const AMPLITUDE_FACTOR: f64 = 1.6;
/// The shortest and the longest period that counts, in seconds (Praat's defaults 0.0001 and 0.02, here to 40 Hz).
const SHORTEST: f64 = 0.0001;
const LONGEST: f64 = 0.025;
/// The half-width of the window that an amplitude is measured in, in periods (as in Praat).
const REACH: f64 = 0.2;

/// The steadiness of a voice's periods, by the definitions of Praat's voice report. All are 0 where there are too few periods.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perturbation {
    /// The periods that were measured.
    pub periods: u64,
    /// Their mean, in seconds.
    pub mean_period: f64,
    /// Local jitter: the mean difference of neighbouring periods over the mean period, a plain ratio; 0.0104 is Praat's
    /// threshold of pathology.
    pub jitter: f64,
    /// Relative average perturbation: the mean difference of a period from the mean of three around it, over the mean period.
    pub jitter_rap: f64,
    /// The five-point period perturbation quotient: the same with five.
    pub jitter_ppq5: f64,
    /// Local shimmer: the mean difference of neighbouring amplitudes over the mean amplitude, a plain ratio.
    pub shimmer: f64,
    /// The mean of the absolute level differences of neighbouring amplitudes, in dB.
    pub shimmer_decibels: f64,
    /// The three-point amplitude perturbation quotient: the mean difference of an amplitude from the mean of three around it,
    /// over the mean amplitude.
    pub shimmer_apq3: f64,
    /// The same with five.
    pub shimmer_apq5: f64,
}

/// A running mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    sum: f64,
    pub(super) count: u64,
}

impl Mean {
    pub(super) fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// The mean of the values so far; 0 of none.
    pub(super) fn value(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

/// The last up to five of a run, the newest last.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    values: [f64; 5],
    count: usize,
}

impl Run {
    fn push(&mut self, value: f64) {
        self.values.rotate_left(1);
        self.values[4] = value;
        self.count = (self.count + 1).min(5);
    }

    /// The last `count`; `None`: the run is shorter.
    fn last(&self, count: usize) -> Option<&[f64]> {
        (count <= self.count).then(|| &self.values[5 - count..])
    }

    /// The distance of the middle of the last `count` from their mean.
    fn deviation(&self, count: usize) -> Option<f64> {
        let last = self.last(count)?;
        Some((last[count / 2] - last.iter().sum::<f64>() / count as f64).abs())
    }
}

/// Adds marks up to a [`Perturbation`].
#[derive(Clone, Debug)]
pub(super) struct Steadiness {
    sample_rate: f64,
    last: Option<f64>,
    periods: Run,
    amplitudes: Run,
    period: Mean,
    jitter: [Mean; 3],
    amplitude: Mean,
    shimmer: [Mean; 4],
}

impl Steadiness {
    pub(super) fn new(sample_rate: f64) -> Self {
        Self {
            sample_rate,
            last: None,
            periods: Run::default(),
            amplitudes: Run::default(),
            period: Mean::default(),
            jitter: [Mean::default(); 3],
            amplitude: Mean::default(),
            shimmer: [Mean::default(); 4],
        }
    }

    /// Takes the next mark; `part` holds the signal around the one before.
    pub(super) fn add(&mut self, part: Part<'_>, mark: Mark) {
        let before = self.last.replace(mark.time);
        let period = before.map(|before| mark.time - before);
        let seconds = period.map(|period| period / self.sample_rate);
        let (Some(before), Some(period), Some(seconds)) = (before, period, seconds) else {
            return;
        };
        if !mark.follows || !(SHORTEST..=LONGEST).contains(&seconds) {
            self.interrupt();
            return;
        }
        self.period.add(seconds);
        let earlier = self.periods.last(1).map(|last| last[0]);
        if earlier.is_some_and(|earlier| !within(earlier, seconds, PERIOD_FACTOR)) {
            self.interrupt();
        }
        let earlier = self.periods.last(1).map(|last| last[0]);
        self.periods.push(seconds);
        let Some(earlier) = earlier else { return };
        self.jitter[0].add((seconds - earlier).abs());
        for (mean, count) in self.jitter[1..].iter_mut().zip([3, 5]) {
            if let Some(deviation) = self.periods.deviation(count) {
                mean.add(deviation);
            }
        }
        let amplitude = amplitude(part, before, REACH * earlier * self.sample_rate, REACH * period);
        self.add_amplitude(amplitude);
    }

    fn add_amplitude(&mut self, amplitude: f64) {
        if !(amplitude > 0.0 && amplitude.is_finite()) {
            self.amplitudes = Run::default();
            return;
        }
        self.amplitude.add(amplitude);
        let earlier = self.amplitudes.last(1).map(|last| last[0]);
        if earlier.is_some_and(|earlier| !within(earlier, amplitude, AMPLITUDE_FACTOR)) {
            self.amplitudes = Run::default();
        }
        let earlier = self.amplitudes.last(1).map(|last| last[0]);
        self.amplitudes.push(amplitude);
        let Some(earlier) = earlier else { return };
        self.shimmer[0].add((amplitude - earlier).abs());
        self.shimmer[1].add(20.0 * (amplitude / earlier).log10().abs());
        for (mean, count) in self.shimmer[2..].iter_mut().zip([3, 5]) {
            if let Some(deviation) = self.amplitudes.deviation(count) {
                mean.add(deviation);
            }
        }
    }

    /// Ends a run: the next mark does not follow the last one.
    fn interrupt(&mut self) {
        self.periods = Run::default();
        self.amplitudes = Run::default();
    }

    pub(super) fn perturbation(&self) -> Perturbation {
        let over = |mean: &Mean, of: &Mean| {
            if mean.count > 0 {
                mean.value() / of.value()
            } else {
                0.0
            }
        };
        Perturbation {
            periods: self.period.count,
            mean_period: self.period.value(),
            jitter: over(&self.jitter[0], &self.period),
            jitter_rap: over(&self.jitter[1], &self.period),
            jitter_ppq5: over(&self.jitter[2], &self.period),
            shimmer: over(&self.shimmer[0], &self.amplitude),
            shimmer_decibels: self.shimmer[1].value(),
            shimmer_apq3: over(&self.shimmer[2], &self.amplitude),
            shimmer_apq5: over(&self.shimmer[3], &self.amplitude),
        }
    }
}

fn within(a: f64, b: f64, factor: f64) -> bool {
    a.max(b) <= factor * a.min(b)
}

/// The root mean square around a mark, under half a Hann window to each side.
fn amplitude(part: Part<'_>, time: f64, left: f64, right: f64) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for place in (time - left).ceil() as i64..=(time + right).floor() as i64 {
        let distance = place as f64 - time;
        let width = if distance < 0.0 { left } else { right };
        let weight = 0.5 + 0.5 * (std::f64::consts::PI * distance / width).cos();
        sum += (weight * part.at(place)).powi(2);
        weights += weight * weight;
    }
    (sum / weights).sqrt()
}
