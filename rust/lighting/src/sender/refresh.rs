//! Which frames have a packet of a universe.

use crate::SLOTS;

/// The time between two packets of still data at most (ANSI E1.31-2018, 6.6.2: 800 to 1,000 ms; Art-Net 4 recommends the same).
const KEEP_ALIVE_NS: u64 = 1_000_000_000;
/// The time between two packets of still data that is aimed at.
const STILL_NS: u64 = 900_000_000;

/// The time between two packets of a number of slots at least, on average, in ns: what they take on DMX512 (ANSI E1.11, 8.7 and table
/// 6: 92 us break, 12 us mark, 44 us for each slot and the start code; at least 1,204 us).
fn wire_ns(slots: usize) -> u64 {
    let slots = slots.min(SLOTS) as u64;
    (92_000 + 12_000 + 44_000 * (slots + 1)).max(1_204_000)
}

/// The state of a universe's data: changed, followed by a few repetitions, or still.
#[derive(Clone, Debug, Default)]
pub(super) struct Refresh {
    last_ns: Option<u64>,
    is_changed: bool,
    repetitions: u8,
    /// When the packets so far are over on the wire.
    free_ns: u64,
}

impl Refresh {
    pub(super) fn change(&mut self) {
        self.is_changed = true;
    }

    /// Whether a change has not been sent yet.
    pub(super) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Whether a packet is wanted in this frame.
    pub(super) fn is_due(&self, now_ns: u64, period_ns: u64) -> bool {
        // A repetition does not take the time of a change that may come with the next frame.
        let is_repeated = self.repetitions > 0 && now_ns >= self.free_ns;
        self.is_changed || is_repeated || self.is_still_due(now_ns, period_ns, STILL_NS)
    }

    /// Whether the next frame would be too late for data that are sent once a second.
    pub(super) fn is_second_due(&self, now_ns: u64, period_ns: u64) -> bool {
        self.is_changed || self.is_still_due(now_ns, period_ns, KEEP_ALIVE_NS)
    }

    fn is_still_due(&self, now_ns: u64, period_ns: u64, aim_ns: u64) -> bool {
        let gone = self.last_ns.map(|last| now_ns.saturating_sub(last));
        gone.is_some_and(|gone| gone >= aim_ns || gone + period_ns > KEEP_ALIVE_NS)
    }

    /// Whether the packets so far are over on the wire before the next frame. So frames of 50 Hz send full universes at 44 Hz on
    /// average, not every second one at 25 Hz.
    pub(super) fn is_free(&self, now_ns: u64, period_ns: u64) -> bool {
        now_ns.saturating_add(period_ns) > self.free_ns
    }

    /// A packet with a number of slots is sent; after a change, that many repetitions follow.
    pub(super) fn sent(&mut self, now_ns: u64, slots: usize, repetitions: u8) {
        self.free_ns = self.free_ns.max(now_ns).saturating_add(wire_ns(slots));
        self.repetitions = if self.is_changed {
            repetitions
        } else {
            self.repetitions.saturating_sub(1)
        };
        self.is_changed = false;
        self.last_ns = Some(now_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_universe_takes_22_676_us_and_a_short_one_1_204() {
        assert_eq!([512, 24, 1].map(wire_ns), [22_676_000, 1_204_000, 1_204_000]);
    }

    #[test]
    fn still_data_are_repeated_every_800_to_1_000_ms_at_any_rate() {
        const MS: u64 = 1_000_000;
        for period_ms in [5, 22, 23, 100, 250, 300, 400, 499] {
            let mut refresh = Refresh::default();
            refresh.change();
            refresh.sent(0, 512, 0);
            let mut last = 0;
            for now in (1..1_000).map(|frame| frame * period_ms * MS) {
                if refresh.is_due(now, period_ms * MS) {
                    let gap = (now - last) / MS;
                    assert!(
                        (800..=1_000).contains(&gap) || gap + period_ms > 1_000,
                        "{gap} at {period_ms}"
                    );
                    assert!(gap <= 1_000);
                    refresh.sent(now, 512, 0);
                    last = now;
                }
            }
            assert!(last > 0);
        }
    }
}
