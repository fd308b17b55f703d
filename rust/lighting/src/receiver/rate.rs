//! The rate of packets.

const SECOND_NS: u64 = 1_000_000_000;

/// Counts packets and divides by time, once a second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rate {
    since_ns: Option<u64>,
    count: u64,
    millihertz: u64,
}

impl Rate {
    pub(super) fn count(&mut self, now_ns: u64) {
        let Some(since) = self.since_ns else {
            self.since_ns = Some(now_ns);
            return;
        };
        self.count += 1;
        let gone = now_ns.saturating_sub(since);
        if gone >= SECOND_NS {
            self.millihertz =
                (u128::from(self.count) * 1_000 * u128::from(SECOND_NS) / u128::from(gone)) as u64;
            self.count = 0;
            self.since_ns = Some(now_ns);
        }
    }

    /// Packets a second, over the last second or a little more; 0 after more than two without a packet.
    pub(super) fn hertz(&self, now_ns: u64) -> f64 {
        let is_old = self
            .since_ns
            .is_none_or(|since| now_ns.saturating_sub(since) > 2 * SECOND_NS);
        if is_old {
            0.0
        } else {
            self.millihertz as f64 / 1_000.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_packets_have_their_rate_and_silence_has_none() {
        let mut rate = Rate::default();
        for frame in 0..=100 {
            rate.count(frame * SECOND_NS / 44);
        }
        let now = 100 * SECOND_NS / 44;
        assert!((rate.hertz(now) - 44.0).abs() < 0.01, "{}", rate.hertz(now));
        assert_eq!(rate.hertz(now + 3 * SECOND_NS), 0.0);
    }
}
