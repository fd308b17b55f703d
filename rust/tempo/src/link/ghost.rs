//! The session's time as a function of the host's.

use crate::beats::{GhostTime, HostTime, Time, divide_rounded, saturated};

/// Parts of a billion in a whole.
const BILLION: i128 = 1_000_000_000;

/// A line through one point: at `host` it is `ghost`, and it runs faster than the host's clock by `rate` parts in a billion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GhostMap {
    host: HostTime,
    ghost: GhostTime,
    rate: i32,
}

impl GhostMap {
    /// The fastest rate in either direction: 1,000 ppm, some ten times what two quartzes differ by.
    pub const MAX_RATE: i32 = 1_000_000;

    /// A line through a point, with a rate of at most [`MAX_RATE`](Self::MAX_RATE) in either direction.
    pub fn new(host: HostTime, ghost: GhostTime, rate: i32) -> Self {
        Self {
            host,
            ghost,
            rate: rate.clamp(-Self::MAX_RATE, Self::MAX_RATE),
        }
    }

    /// The time of a session that is founded at a host time.
    pub fn founded_at(host: HostTime) -> Self {
        Self::new(host, GhostTime::new(0), 0)
    }

    /// The point: host time and session time.
    pub fn point(&self) -> (HostTime, GhostTime) {
        (self.host, self.ghost)
    }

    /// Parts in a billion by which the session's time is faster.
    pub fn rate(&self) -> i32 {
        self.rate
    }

    /// The session's time at a host time.
    pub fn ghost_at(&self, host: HostTime) -> GhostTime {
        let elapsed = i128::from(host.micros()) - i128::from(self.host.micros());
        let gained = divide_rounded(elapsed * i128::from(self.rate), BILLION);
        GhostTime::from_micros(saturated(i128::from(self.ghost.micros()) + elapsed + gained))
    }

    /// The host time at a time of the session.
    pub fn host_at(&self, ghost: GhostTime) -> HostTime {
        let elapsed = i128::from(ghost.micros()) - i128::from(self.ghost.micros());
        let elapsed = divide_rounded(elapsed * BILLION, BILLION + i128::from(self.rate));
        HostTime::from_micros(saturated(i128::from(self.host.micros()) + elapsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_the_drift_in_parts_of_a_billion() {
        let map = GhostMap::new(HostTime::new(1_000), GhostTime::new(-5), 100_000);
        // 100 ppm over 30 s: 3 ms.
        let host = HostTime::new(30_001_000);
        let ghost = map.ghost_at(host);
        assert_eq!(ghost, GhostTime::new(30_002_995));
        assert_eq!(map.host_at(ghost), host);
    }

    #[test]
    fn ends_of_time_saturate() {
        let map = GhostMap::new(HostTime::new(i64::MIN), GhostTime::new(i64::MAX), i32::MAX);
        assert_eq!(map.rate(), GhostMap::MAX_RATE);
        assert_eq!(map.ghost_at(HostTime::new(i64::MAX)).micros(), i64::MAX);
        assert_eq!(map.host_at(GhostTime::new(i64::MIN)).micros(), i64::MIN);
    }
}
