//! The fit of a session's time to measurements: their offset, and the rate at which it drifts.

use super::GhostMap;
use crate::beats::{HostTime, Time, divide_rounded, saturated};
use std::collections::VecDeque;

/// The samples of a fit: those of the last one and a half minutes, at three in two seconds.
const SAMPLES: usize = 128;
/// What differs between two ways of a shortest round trip, in us (measured on loopback and veth: 1 to 9).
const FLOOR: f64 = 3.0;
/// A rate counts when it is this many times its standard error: else a mean fits the samples better.
const SIGNIFICANT: f64 = 4.0;
/// What is no jump of a clock, in us: what a fit may be off.
const LEAST_JUMP: i128 = 1_000;
/// The span of samples in us from which on a rate is sought.
const LEAST_SPAN: i64 = 200_000;

/// One pong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// When it came.
    pub(super) host: HostTime,
    /// Twice the offset of session time against host time, in us.
    pub(super) doubled: i64,
    /// From the ping to the pong, in us.
    pub(super) round_trip: i64,
}

/// The last samples of a session. The time of a sample is the middle of its round trip, and it weighs the more the shorter that was:
/// what a way took longer than the shortest one is unknown by as much. The spread of the shortest tenth is about what the shortest
/// one took longer than possible.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    samples: VecDeque<Sample>,
    /// The rate that holds unless the samples show another one, in parts of a billion.
    rate: i32,
}

impl Tracker {
    /// Begins anew, with the rate of the last fit: for samples of another node.
    pub(super) fn restart(&mut self, rate: i32) {
        self.samples.clear();
        self.rate = rate;
    }

    /// Whether samples show that one of the two clocks jumped, as that of a machine which slept: each is further from the map than the
    /// ways of two round trips can explain, and the fastest drift since.
    pub(super) fn is_contradicted(&self, map: &GhostMap, samples: &[Sample]) -> bool {
        let Some(last) = self.samples.back() else {
            return false;
        };
        let shortest = self.samples.iter().map(|sample| sample.round_trip).min();
        let is_off = |sample: &Sample| {
            let middle = sample.host.saturating_add_micros(-sample.round_trip / 2);
            let expected = i128::from(map.ghost_at(middle).micros()) - i128::from(middle.micros());
            let drift = i128::from(sample.host.saturating_micros_since(last.host))
                * i128::from(GhostMap::MAX_RATE)
                / 1_000_000_000;
            let ways = (i128::from(sample.round_trip) + i128::from(shortest.unwrap_or(0))) / 2;
            (i128::from(sample.doubled) / 2 - expected).abs() > ways + drift + LEAST_JUMP
        };
        samples.iter().all(is_off)
    }

    /// Adds samples, each later than those before.
    pub(super) fn add(&mut self, samples: &[Sample]) {
        for sample in samples {
            if self.samples.len() == SAMPLES {
                self.samples.pop_front();
            }
            self.samples.push_back(*sample);
        }
    }

    /// The map that fits the samples best, through a point at `now`; `None` without samples.
    pub(super) fn fit(&self, now: HostTime) -> Option<GhostMap> {
        let last = self.samples.back()?;
        let mut round_trips: Vec<_> = self.samples.iter().map(|sample| sample.round_trip).collect();
        round_trips.sort_unstable();
        let shortest = *round_trips.first()?;
        let spread = (round_trips[round_trips.len() / 10] - shortest) as f64 / 2.0;
        let floor = FLOOR + spread;
        let base = f64::from(self.rate) * 1e-9;
        // Relative to the last sample, so that the numbers are small: times in us, offsets in us without what the known rate adds.
        let points = self.samples.iter().map(|sample| {
            let excess = (sample.round_trip - shortest) as f64 / 2.0;
            let time =
                (sample.host.saturating_micros_since(last.host)) as f64 - sample.round_trip as f64 / 2.0;
            let offset = sample.doubled.saturating_sub(last.doubled) as f64 / 2.0 - base * time;
            (1.0 / (floor * floor + excess * excess / 3.0), time, offset)
        });
        let line = Line::fit(points);
        let span = last.host.saturating_micros_since(self.samples.front()?.host);
        let is_significant = span >= LEAST_SPAN && line.slope.abs() > SIGNIFICANT * line.slope_error;
        let slope = if is_significant { line.slope } else { 0.0 };
        let rate = base + slope;
        // The point: the line's at the present, from the weighted middle of the samples.
        let ahead = now.saturating_micros_since(last.host) as f64;
        let offset = line.mean_offset + slope * (ahead - line.mean_time) + base * ahead;
        let doubled = i128::from(last.doubled) + (offset * 2.0).round() as i128;
        let ghost = i128::from(now.micros()) + divide_rounded(doubled, 2);
        let rate = (rate * 1e9).round() as i32;
        Some(GhostMap::new(
            now,
            crate::beats::GhostTime::from_micros(saturated(ghost)),
            rate,
        ))
    }
}

/// A weighted regression line.
struct Line {
    mean_time: f64,
    mean_offset: f64,
    slope: f64,
    slope_error: f64,
}

impl Line {
    /// The line of least weighted squares; the weights are one over the variances. Where the points scatter more than these say, the
    /// slope's error is greater by as much.
    fn fit(points: impl Iterator<Item = (f64, f64, f64)> + Clone) -> Self {
        let (mut weight, mut time, mut offset) = (0.0, 0.0, 0.0);
        for (w, t, o) in points.clone() {
            (weight, time, offset) = (weight + w, time + w * t, offset + w * o);
        }
        let (mean_time, mean_offset) = (time / weight, offset / weight);
        let (mut times, mut products, mut offsets, mut count) = (0.0, 0.0, 0.0, 0.0);
        for (w, t, o) in points {
            let (t, o) = (t - mean_time, o - mean_offset);
            (times, products) = (times + w * t * t, products + w * t * o);
            (offsets, count) = (offsets + w * o * o, count + 1.0);
        }
        let slope = if times > 0.0 { products / times } else { 0.0 };
        let scatter = ((offsets - slope * products) / (count - 2.0_f64).max(1.0)).max(1.0);
        let slope_error = if times > 0.0 {
            (scatter / times).sqrt()
        } else {
            f64::INFINITY
        };
        Self {
            mean_time,
            mean_offset,
            slope,
            slope_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// The error in us of fits to a session whose clock is `ppm` fast, with one-way delays of `least` us and up to `jitter` us more, at
    /// the end of each second.
    fn errors(ppm: f64, least: i64, jitter: i64, seed: u64) -> Vec<f64> {
        let mut random = StdRng::seed_from_u64(seed);
        let mut tracker = Tracker::default();
        let truth = |host: i64| (host as f64 * (1.0 + ppm * 1e-6)).round() as i64 + 77_000_000;
        let mut errors = Vec::new();
        let mut host = 1_000_000_000;
        for burst in 0..300 {
            let pongs = if burst == 0 { 51 } else { 3 };
            for _ in 0..pongs {
                let there = least + random.gen_range(0..=jitter);
                let back = least + random.gen_range(0..=jitter);
                let ghost = truth(host + there);
                host += there + back;
                tracker.add(&[Sample {
                    host: HostTime::new(host),
                    doubled: 2 * ghost - (2 * host - there - back),
                    round_trip: there + back,
                }]);
            }
            let map = tracker.fit(HostTime::new(host)).expect("samples");
            host += if burst < 16 { 250_000 } else { 2_000_000 };
            let ghost = map.ghost_at(HostTime::new(host));
            errors.push((ghost.micros() - truth(host)).abs() as f64);
        }
        errors
    }

    fn percentile(mut errors: Vec<f64>, part: f64) -> f64 {
        errors.sort_by(f64::total_cmp);
        errors[((errors.len() - 1) as f64 * part) as usize]
    }

    #[test]
    fn clock_that_drifts_is_followed() {
        for (seed, ppm) in [(1, 100.0), (2, -100.0), (3, 20.0), (4, 0.0)] {
            let errors = errors(ppm, 20, 10, seed);
            assert!(percentile(errors.clone(), 1.0) <= 30.0, "{ppm} ppm: {errors:?}");
            assert!(
                percentile(errors[20..].to_vec(), 1.0) <= 5.0,
                "{ppm} ppm: {errors:?}"
            );
        }
    }

    #[test]
    fn jitter_is_averaged() {
        for seed in 0..4 {
            let errors = errors(0.0, 2_000, 2_000, seed);
            assert!(
                percentile(errors.clone(), 0.99) <= 100.0,
                "{}",
                percentile(errors, 0.99)
            );
        }
    }

    #[test]
    fn rate_is_kept_when_the_samples_begin_anew() {
        let mut tracker = Tracker::default();
        assert_eq!(tracker.fit(HostTime::new(0)), None);
        tracker.restart(50_000);
        tracker.add(&[Sample {
            host: HostTime::new(1_000),
            doubled: 20,
            round_trip: 0,
        }]);
        let map = tracker.fit(HostTime::new(1_001_000)).expect("a sample");
        assert_eq!(map.rate(), 50_000);
        assert_eq!(
            map.ghost_at(HostTime::new(1_001_000)).micros(),
            1_001_000 + 10 + 50
        );
    }

    #[test]
    fn hostile_samples_saturate() {
        let mut tracker = Tracker::default();
        for (host, doubled) in [(0, i64::MAX), (i64::MAX, i64::MIN), (i64::MAX, i64::MAX)] {
            tracker.add(&[Sample {
                host: HostTime::new(host),
                doubled,
                round_trip: 250_000,
            }]);
            let map = tracker.fit(HostTime::new(i64::MAX)).expect("samples");
            assert!(map.rate().abs() <= GhostMap::MAX_RATE);
        }
    }
}
