//! Which frames have a packet of a universe.

use crate::SLOTS;

/// The time between two packets of still data at most (ANSI E1.31-2018, 6.6.2: 800 to 1,000 ms; Art-Net 4 recommends the same).
const KEEP_ALIVE_NS: u64 = 1_000_000_000;
/// The time between two packets of still data that is aimed at.
const STILL_NS: u64 = 900_000_000;

/// The shortest time between two packets of a number of slots, in ns: what they take on DMX512 (ANSI E1.11, 8.7 and table 6:
/// 92 us break, 12 us mark, 44 us for each slot and the start code; at least 1,204 us).
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
}

impl Refresh {
    pub(super) fn change(&mut self) {
        self.is_changed = true;
    }

    /// Whether a packet is wanted in this frame.
    pub(super) fn is_due(&self, now_ns: u64, period_ns: u64) -> bool {
        self.is_changed || self.repetitions > 0 || self.is_still_due(now_ns, period_ns, STILL_NS)
    }

    /// Whether the next frame would be too late for data that are sent once a second.
    pub(super) fn is_second_due(&self, now_ns: u64, period_ns: u64) -> bool {
        self.is_changed || self.is_still_due(now_ns, period_ns, KEEP_ALIVE_NS)
    }

    fn is_still_due(&self, now_ns: u64, period_ns: u64, aim_ns: u64) -> bool {
        let gone = self.last_ns.map(|last| now_ns.saturating_sub(last));
        gone.is_some_and(|gone| gone >= aim_ns || gone + period_ns > KEEP_ALIVE_NS)
    }

    /// Whether the universe's last packet is over on the wire.
    pub(super) fn is_free(&self, now_ns: u64, slots: usize) -> bool {
        self.last_ns
            .is_none_or(|last| now_ns.saturating_sub(last) >= wire_ns(slots))
    }

    /// A packet is sent; after a change, that many repetitions follow.
    pub(super) fn sent(&mut self, now_ns: u64, repetitions: u8) {
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
            refresh.sent(0, 0);
            let mut last = 0;
            for now in (1..1_000).map(|frame| frame * period_ms * MS) {
                if refresh.is_due(now, period_ms * MS) {
                    let gap = (now - last) / MS;
                    assert!(
                        (800..=1_000).contains(&gap) || gap + period_ms > 1_000,
                        "{gap} at {period_ms}"
                    );
                    assert!(gap <= 1_000);
                    refresh.sent(now, 0);
                    last = now;
                }
            }
            assert!(last > 0);
        }
    }
}
