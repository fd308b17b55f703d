//! Losses that the source reports in lines of their own.

use std::collections::VecDeque;

/// Keeps a reported loss with the trade that was read after it, while trades wait for their delivery.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// The counts of trades that were read, and of those that were delivered or skipped.
    read: u64,
    given: u64,
    /// The number of missing trades before a trade, by the trade's index.
    waiting: VecDeque<(u64, u64)>,
    counted: CountedLosses,
}

/// The totals so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CountedLosses {
    /// The number of trades before which some are missing.
    pub(super) gaps: u64,
    /// The number of missing trades.
    pub(super) missing: u64,
}

impl Losses {
    /// Counts this many more trades as read.
    pub(super) fn read(&mut self, count: usize) {
        self.read += count as u64;
    }

    /// Records this many missing trades before the next one to be read.
    pub(super) fn reported(&mut self, missing: u64) {
        if missing == 0 {
            return;
        }
        match self.waiting.back_mut() {
            Some((at, sum)) if *at == self.read => *sum = sum.saturating_add(missing),
            _ => self.waiting.push_back((self.read, missing)),
        }
    }

    /// Advances to the next trade that was read, and returns the loss before it.
    pub(super) fn before_next(&mut self) -> u64 {
        let at = self.given;
        self.given += 1;
        match self.waiting.front() {
            Some((place, missing)) if *place == at => {
                let missing = *missing;
                self.waiting.pop_front();
                missing
            }
            _ => 0,
        }
    }

    /// Counts a loss, and returns it.
    pub(super) fn count(&mut self, missing: u64) -> u64 {
        if missing > 0 {
            self.counted.gaps += 1;
            self.counted.missing = self.counted.missing.saturating_add(missing);
        }
        missing
    }

    /// The totals so far.
    pub(super) fn counted(&self) -> CountedLosses {
        self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_missing_trade_is_a_loss_and_none_is_not() {
        let mut losses = Losses::default();
        for missing in [0, 1, 0, 2] {
            losses.reported(missing);
            losses.read(1);
        }
        assert_eq!([(); 4].map(|()| losses.before_next()), [0, 1, 0, 2]);
    }
}
