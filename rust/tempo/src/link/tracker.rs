//! The fit of a session's time to measurements: their offset, and the rate at which it drifts.

use super::GhostMap;
use crate::beats::{HostTime, Time, divide_rounded, saturated};
use std::collections::VecDeque;

/// The samples of a fit: those of the last one and a half minutes, at three in two seconds.
const SAMPLES: usize = 128;
/// The resolution of times, in us: what ways exceed the shortest one by is not less.
const RESOLUTION: f64 = 1.0;
/// A rate counts when it makes the samples this many times likelier, as a logarithm: else the one from before holds.
const SIGNIFICANT: f64 = 12.0;
/// The steps of the search for a rate: to a part in a million of a billion.
const STEPS: usize = 50;
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

/// The last samples of a session.
///
/// The fit is the likeliest one where what a way takes longer than the shortest possible is distributed exponentially, there and back: the
/// rate is that at which the shortest ways sum up to the most, and the offset is in the middle of what these leave (S. B. Moon, P. Skelly
/// and D. Towsley, "Estimation and removal of clock skew from network delay measurements", 1999, for one way). Of n samples it is off by
/// the n-th part of what ways exceed the shortest by, where a mean is by the square root's.
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
        // Relative to the last sample, so that the numbers are small.
        let ways = self.samples.iter().map(|sample| {
            let half = sample.round_trip as f64 / 2.0;
            let offset = sample.doubled.saturating_sub(last.doubled) as f64 / 2.0;
            Ways {
                time: sample.host.saturating_micros_since(last.host) as f64 - half,
                there: half + offset,
                back: half - offset,
            }
        });
        let ways: Vec<_> = ways.collect();
        let span = last.host.saturating_micros_since(self.samples.front()?.host);
        let base = Floor::at(f64::from(self.rate) * 1e-9, &ways);
        let best = if span >= LEAST_SPAN { highest(&ways) } else { base };
        let sum: f64 = ways.iter().map(|ways| ways.there + ways.back).sum();
        let excess = (sum / ways.len() as f64 - best.sum()).max(RESOLUTION);
        let is_significant = (best.sum() - base.sum()) * ways.len() as f64 > SIGNIFICANT * excess;
        let floor = if is_significant { best } else { base };
        let ahead = now.saturating_micros_since(last.host) as f64;
        let offset = (floor.there - floor.back) / 2.0 + floor.rate * ahead;
        let doubled = i128::from(last.doubled) + (offset * 2.0).round() as i128;
        let ghost = i128::from(now.micros()) + divide_rounded(doubled, 2);
        let rate = (floor.rate * 1e9).round() as i32;
        Some(GhostMap::new(
            now,
            crate::beats::GhostTime::from_micros(saturated(ghost)),
            rate,
        ))
    }
}

/// The two ways of a round trip: what each took longer than the session's time is ahead, and that time, in us.
struct Ways {
    time: f64,
    there: f64,
    back: f64,
}

/// The shortest ways at a rate.
#[derive(Clone, Copy)]
struct Floor {
    rate: f64,
    there: f64,
    back: f64,
}

impl Floor {
    fn at(rate: f64, ways: &[Ways]) -> Self {
        let shortest = |way: fn(&Ways, f64) -> f64| {
            let ways = ways.iter().map(|ways| way(ways, rate * ways.time));
            ways.fold(f64::INFINITY, f64::min)
        };
        Self {
            rate,
            there: shortest(|ways, drift| ways.there - drift),
            back: shortest(|ways, drift| ways.back + drift),
        }
    }

    fn sum(&self) -> f64 {
        self.there + self.back
    }
}

/// The floor whose sum is the highest: a concave function of the rate, whose maximum a golden section finds (J. Kiefer, 1953).
fn highest(ways: &[Ways]) -> Floor {
    const PART: f64 = 0.618_033_988_749_894_9;
    let limit = f64::from(GhostMap::MAX_RATE) * 1e-9;
    let (mut from, mut to) = (-limit, limit);
    let inner = |from: f64, to: f64| [to - PART * (to - from), from + PART * (to - from)];
    let mut floors = inner(from, to).map(|rate| Floor::at(rate, ways));
    for _ in 0..STEPS {
        if floors[0].sum() >= floors[1].sum() {
            to = floors[1].rate;
            floors = [Floor::at(inner(from, to)[0], ways), floors[0]];
        } else {
            from = floors[0].rate;
            floors = [floors[1], Floor::at(inner(from, to)[1], ways)];
        }
    }
    floors[0]
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

    /// The mean of round trips has 36 us of 128 samples, the shortest ways 11.
    #[test]
    fn shortest_ways_count_there_and_back() {
        for seed in 0..8 {
            let errors = errors(0.0, 2_000, 2_000, seed);
            let high = percentile(errors, 0.95);
            assert!(high <= 50.0, "{high} us, seed {seed}");
        }
    }

    /// Lost pongs stretch the first measurement to where a rate is sought; of 51 samples with jitter a false one is off by 800 us.
    #[test]
    fn jitter_and_loss_are_no_drift() {
        let mut random = StdRng::seed_from_u64(9);
        let mut largest = 0;
        for _ in 0..10_000 {
            let (mut tracker, mut host) = (Tracker::default(), 1_000_000_000);
            for pongs in [51, 3, 3] {
                for _ in 0..pongs {
                    while random.gen_bool(0.0975) {
                        host += 50_000;
                    }
                    let (there, back) = (random.gen_range(2_000..=4_000), random.gen_range(2_000..=4_000));
                    host += there + back;
                    tracker.add(&[Sample {
                        host: HostTime::new(host),
                        doubled: there - back,
                        round_trip: there + back,
                    }]);
                }
                let map = tracker.fit(HostTime::new(host)).expect("samples");
                host += 250_000;
                largest = largest.max((map.ghost_at(HostTime::new(host)).micros() - host).abs());
            }
        }
        assert!(largest <= 200, "{largest} us");
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
