//! Losses that the source tells of in lines of their own.

use std::collections::VecDeque;

/// Takes a told loss along to the trade that was read after it, while trades wait between being read and being handed over.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Trades that were read, and those of them that were handed or passed over.
    read: u64,
    given: u64,
    /// How many are missing before which of the trades that were read.
    waiting: VecDeque<(u64, u64)>,
    counted: CountedLosses,
}

/// What was counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CountedLosses {
    /// Trades before which some are missing.
    pub(super) gaps: u64,
    /// How many are missing.
    pub(super) missing: u64,
}

impl Losses {
    /// So many more trades were read.
    pub(super) fn read(&mut self, count: usize) {
        self.read += count as u64;
    }

    /// So many are missing before the trade that is read next.
    pub(super) fn reported(&mut self, missing: u64) {
        if missing == 0 {
            return;
        }
        match self.waiting.back_mut() {
            Some((at, sum)) if *at == self.read => *sum = sum.saturating_add(missing),
            _ => self.waiting.push_back((self.read, missing)),
        }
    }

    /// Goes on to the next trade that was read, and tells what is missing before it.
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

    /// What was counted so far.
    pub(super) fn counted(&self) -> CountedLosses {
        self.counted
    }
}
