//! The protocol of the measurement.

use crate::candidate::Candidate;
use std::time::{Duration, Instant};

/// The approximate duration of a visit: long against the clock's resolution, short against the scheduler's time slices.
const VISIT: Duration = Duration::from_micros(20);

/// The shortest time of one frame of each candidate over `visits` visits, in ns. Each round visits all of them once, in an
/// order of its own.
pub(crate) fn fastest(candidates: &mut [Box<dyn Candidate>], visits: usize) -> Vec<f64> {
    let repeats: Vec<u32> = candidates
        .iter_mut()
        .map(|candidate| repeats(candidate.as_mut()))
        .collect();
    let mut best = vec![f64::INFINITY; candidates.len()];
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    let mut random = Random(0x2545_F491);
    for _ in 0..visits {
        random.shuffle(&mut order);
        for &index in &order {
            // Once untimed: the caches and the predictors no longer hold this candidate's state.
            candidates[index].run();
            let time = candidates[index].time(repeats[index]);
            best[index] = best[index].min(time);
        }
    }
    let frames = candidates.iter().map(|candidate| candidate.frames() as f64);
    best.iter()
        .zip(frames)
        .map(|(job, frames)| job / frames)
        .collect()
}

fn repeats(candidate: &mut dyn Candidate) -> u32 {
    candidate.run();
    let once = (0..5).map(|_| candidate.time(1)).fold(f64::INFINITY, f64::min);
    (VISIT.as_nanos() as f64 / once).ceil().clamp(1.0, 10_000.0) as u32
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Marsaglia's xorshift generator with the triple 13, 17, 5 (Journal of Statistical Software 8, 14, 2003).
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            order.swap(last, self.next() as usize % (last + 1));
        }
    }
}
