//! The wait before the next attempt.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::num::NonZeroU32;

/// The shortest and the longest configurable wait: 1 ms and 1 day.
const BOUNDS_NS: std::ops::RangeInclusive<u64> = 1_000_000..=86_400_000_000_000;

/// The growth of the waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackoffSettings {
    /// The longest wait before the second attempt, in ns: 1 ms to `cap_ns`. It doubles with each failure.
    pub base_ns: u64,
    /// The upper limit of its growth, in ns: at most 1 day.
    pub cap_ns: u64,
    /// The time in ns after which a connection without data counts as healthy: the next failure is the first again.
    pub healthy_ns: u64,
    /// The number of consecutive failures after which there is no further attempt, the loss of a healthy connection being the
    /// first; `None`: no limit.
    pub attempts: Option<NonZeroU32>,
}

impl Default for BackoffSettings {
    /// From a quarter of a second to 30 s; healthy after 10 s; any number of attempts.
    fn default() -> Self {
        Self {
            base_ns: 250_000_000,
            cap_ns: 30_000_000_000,
            healthy_ns: 10_000_000_000,
            attempts: None,
        }
    }
}

/// Exponential backoff with full jitter: the n-th wait in a row is drawn evenly from 0 to base × 2^n, or to the cap where that is
/// less, so that clients that lost their server together do not reconnect together (M. Brooker, Exponential Backoff and Jitter,
/// AWS Architecture Blog, 2015).
#[derive(Clone, Debug)]
pub struct Backoff {
    settings: BackoffSettings,
    generator: ChaCha8Rng,
    failures: u32,
}

impl Backoff {
    /// No failures yet. The same seed draws the same waits.
    ///
    /// # Errors
    /// [`BackoffError`] when base or cap are out of range.
    pub fn new(settings: BackoffSettings, seed: u64) -> Result<Self, BackoffError> {
        let BackoffSettings { base_ns, cap_ns, .. } = settings;
        if !BOUNDS_NS.contains(&base_ns) || !(base_ns..=*BOUNDS_NS.end()).contains(&cap_ns) {
            return Err(BackoffError { base_ns, cap_ns });
        }
        Ok(Self {
            settings,
            generator: ChaCha8Rng::seed_from_u64(seed),
            failures: 0,
        })
    }

    /// As [`new`](Self::new), after this many consecutive failures.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn after(settings: BackoffSettings, failures: u32, seed: u64) -> Result<Self, BackoffError> {
        let mut backoff = Self::new(settings, seed)?;
        backoff.failures = failures;
        Ok(backoff)
    }

    /// The settings.
    pub fn settings(&self) -> BackoffSettings {
        self.settings
    }

    /// The number of consecutive failures.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// The upper limit of the next wait, in ns.
    pub fn ceiling_ns(&self) -> u64 {
        let factor = 1_u64.checked_shl(self.failures).unwrap_or(u64::MAX);
        self.settings
            .base_ns
            .saturating_mul(factor)
            .min(self.settings.cap_ns)
    }

    /// Counts a failure and returns the wait before the next attempt, in ns; `None`: no attempt is left.
    pub fn failed(&mut self) -> Option<u64> {
        let ceiling = self.ceiling_ns();
        self.failures = self.failures.saturating_add(1);
        let is_last = (self.settings.attempts).is_some_and(|attempts| self.failures >= attempts.get());
        (!is_last).then(|| self.generator.gen_range(0..=ceiling))
    }

    /// Counts the end of a connection that held for `held_ns`, and returns as [`failed`](Self::failed). A healthy connection
    /// resets the failures before it: one that carried data, or held long enough.
    pub fn disconnected(&mut self, held_ns: u64, carried_data: bool) -> Option<u64> {
        if carried_data || held_ns >= self.settings.healthy_ns {
            self.reset();
        }
        self.failed()
    }

    /// Resets the failures.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Base or cap are out of range: 1 ms ≤ base ≤ cap ≤ 1 day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackoffError {
    /// The base, in ns.
    pub base_ns: u64,
    /// The cap, in ns.
    pub cap_ns: u64,
}

impl fmt::Display for BackoffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "backoff: expected a base from {} ns up to a cap of at most {} ns, got {} and {}",
            BOUNDS_NS.start(),
            BOUNDS_NS.end(),
            self.base_ns,
            self.cap_ns
        )
    }
}

impl std::error::Error for BackoffError {}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn backoff(seed: u64) -> Backoff {
        let settings = BackoffSettings {
            base_ns: 100 * MS,
            cap_ns: 1_000 * MS,
            healthy_ns: 5_000 * MS,
            attempts: None,
        };
        Backoff::new(settings, seed).expect("within the bounds")
    }

    #[test]
    fn ceilings_double_up_to_the_cap() {
        let mut backoff = backoff(1);
        let mut ceilings = Vec::new();
        for _ in 0..100 {
            let ceiling = backoff.ceiling_ns();
            assert!(backoff.failed().is_some_and(|wait| wait <= ceiling));
            ceilings.push(ceiling / MS);
        }
        assert_eq!(ceilings[..6], [100, 200, 400, 800, 1_000, 1_000]);
        assert_eq!((ceilings[99], backoff.failures()), (1_000, 100));
    }

    #[test]
    fn waits_are_spread_evenly_from_zero_to_the_ceiling() {
        let mut backoff = backoff(2);
        let mut tenths = [0_u32; 10];
        for _ in 0..10_000 {
            backoff.reset();
            let wait = backoff.failed().expect("any number of attempts");
            tenths[(wait * 10 / (100 * MS + 1)) as usize] += 1;
        }
        // Five standard deviations of a binomial count of 10,000 by a tenth.
        assert!(
            tenths.iter().all(|count| count.abs_diff(1_000) < 150),
            "{tenths:?}"
        );
    }

    #[test]
    fn same_seed_waits_the_same_and_another_does_not() {
        let waits = |seed| {
            let mut backoff = backoff(seed);
            (0..20).map(|_| backoff.failed()).collect::<Vec<_>>()
        };
        assert_eq!(waits(1), waits(1));
        assert_ne!(waits(1), waits(2));
    }

    #[test]
    fn healthy_connection_forgets_the_failures_and_a_short_one_without_data_does_not() {
        for (held_ms, carried_data, failures) in [(4_999, false, 2), (5_000, false, 1), (0, true, 1)] {
            let mut backoff = backoff(3);
            backoff.failed();
            backoff.disconnected(held_ms * MS, carried_data);
            assert_eq!(backoff.failures(), failures, "{held_ms} ms");
        }
    }

    #[test]
    fn attempts_are_counted_from_the_last_healthy_connection() {
        let mut backoff = backoff(5);
        backoff.settings.attempts = NonZeroU32::new(3);
        let ends = [0, 0, 1, 0, 0, 0].map(|held| backoff.disconnected(held * 5_000 * MS, false).is_none());
        assert_eq!(ends, [false, false, false, false, true, true]);
        backoff.settings.attempts = NonZeroU32::new(1);
        assert_eq!(backoff.disconnected(0, true), None);
    }

    #[test]
    fn failures_of_before_count() {
        let mut one = backoff(4);
        one.failed();
        let settings = one.settings();
        let mut other = Backoff::after(settings, 1, 4).expect("within the bounds");
        assert_eq!(other.failures(), 1);
        assert_eq!(other.ceiling_ns(), one.ceiling_ns());
        assert!(other.failed().is_some_and(|wait| wait <= 200 * MS));
        assert_eq!(
            Backoff::after(settings, u32::MAX, 4).map(|mut last| (
                last.failed().is_some_and(|wait| wait <= 1_000 * MS),
                last.failures()
            )),
            Ok((true, u32::MAX))
        );
    }

    #[test]
    fn ranges_are_checked() {
        for (base_ns, cap_ns) in [(0, MS), (MS - 1, MS), (2 * MS, MS), (MS, 86_400_000_000_001)] {
            let settings = BackoffSettings {
                base_ns,
                cap_ns,
                healthy_ns: 0,
                attempts: None,
            };
            assert_eq!(
                Backoff::new(settings, 0).err(),
                Some(BackoffError { base_ns, cap_ns })
            );
        }
        assert!(Backoff::new(BackoffSettings::default(), 0).is_ok());
    }
}
