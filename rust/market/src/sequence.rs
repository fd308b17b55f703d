//! Sequence numbers of a feed's messages: gaps, duplicates, and wrong order.

use crate::NO_SEQUENCE;
use crate::per_symbol::PerSymbol;

/// The number of last numbers that are remembered: the bits of a mask.
const WINDOW: u64 = 64;

/// The relation of a number to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The first of its symbol.
    First,
    /// The one after the highest so far.
    Next,
    /// This many numbers are missing between the highest so far and this one.
    Gap(u64),
    /// It came before. Detected for the last 64 numbers up to the highest.
    Duplicate,
    /// Lower than the highest so far and not known to have come before: it fills a gap, precedes the first, or is too old to
    /// distinguish from a duplicate.
    OutOfOrder,
    /// The trade has no number ([`NO_SEQUENCE`]), or its symbol is not an index into a symbol table.
    Unnumbered,
}

/// Totals since the tracker was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceTotals {
    /// Numbers that were observed.
    pub observed: u64,
    /// The number of sequence gaps.
    pub gaps: u64,
    /// The number of sequence numbers in gaps, including those that came later.
    pub sequence_numbers_in_gaps: u64,
    /// Numbers of gaps that came later, at most 63 behind the highest. `sequence_numbers_in_gaps` - `filled` are missing.
    pub filled: u64,
    /// [`Arrival::Duplicate`].
    pub duplicates: u64,
    /// [`Arrival::OutOfOrder`], including those that filled a gap.
    pub out_of_order: u64,
}

#[derive(Clone, Copy, Debug)]
struct Track {
    first: u64,
    highest: u64,
    /// Bit n: `highest` - n came.
    seen: u64,
}

/// Tracks the sequence numbers of each symbol, in 32 bytes each.
///
/// For a feed that numbers all its messages in one sequence, observe all of them as one symbol.
#[derive(Clone, Debug)]
pub struct SequenceTracker {
    tracks: PerSymbol<Track>,
    totals: SequenceTotals,
}

impl SequenceTracker {
    /// Makes an empty tracker.
    pub fn new() -> Self {
        Self {
            tracks: PerSymbol::new(),
            totals: SequenceTotals::default(),
        }
    }

    /// Takes the next number of a symbol and returns its relation to those before it.
    pub fn observe(&mut self, symbol: u32, sequence: u64) -> Arrival {
        if sequence == NO_SEQUENCE {
            return Arrival::Unnumbered;
        }
        let mut is_first = false;
        let Some(track) = self.tracks.get_or_make(symbol, || {
            is_first = true;
            Track {
                first: sequence,
                highest: sequence,
                seen: 1,
            }
        }) else {
            return Arrival::Unnumbered;
        };
        self.totals.observed += 1;
        if is_first {
            return Arrival::First;
        }
        if sequence > track.highest {
            let step = sequence - track.highest;
            track.highest = sequence;
            track.seen = if step < WINDOW { track.seen << step } else { 0 } | 1;
            if step == 1 {
                return Arrival::Next;
            }
            self.totals.gaps += 1;
            self.totals.sequence_numbers_in_gaps =
                self.totals.sequence_numbers_in_gaps.saturating_add(step - 1);
            return Arrival::Gap(step - 1);
        }
        let age = track.highest - sequence;
        if age < WINDOW {
            if track.seen >> age & 1 == 1 {
                self.totals.duplicates += 1;
                return Arrival::Duplicate;
            }
            track.seen |= 1 << age;
            self.totals.filled += u64::from(sequence > track.first);
        }
        self.totals.out_of_order += 1;
        Arrival::OutOfOrder
    }

    /// The highest number of a symbol.
    pub fn highest(&self, symbol: u32) -> Option<u64> {
        self.tracks.get(symbol).map(|track| track.highest)
    }

    /// The totals.
    pub fn totals(&self) -> SequenceTotals {
        self.totals
    }
}

impl Default for SequenceTracker {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn each_class_is_reported() {
        let mut tracker = SequenceTracker::new();
        let arrivals = [7, 8, 11, 9, 9, 11, 5, 10, 12, NO_SEQUENCE].map(|number| tracker.observe(3, number));
        use Arrival::{Duplicate, First, Gap, Next, OutOfOrder, Unnumbered};
        let expected = [
            First,
            Next,
            Gap(2),
            OutOfOrder,
            Duplicate,
            Duplicate,
            OutOfOrder,
            OutOfOrder,
            Next,
            Unnumbered,
        ];
        assert_eq!(arrivals, expected);
        let totals = SequenceTotals {
            observed: 9,
            gaps: 1,
            sequence_numbers_in_gaps: 2,
            filled: 2,
            duplicates: 2,
            out_of_order: 3,
        };
        assert_eq!(tracker.totals(), totals);
        assert_eq!((tracker.highest(3), tracker.highest(2)), (Some(12), None));
    }

    #[test]
    fn extremes_do_not_overflow() {
        let mut tracker = SequenceTracker::new();
        assert_eq!(tracker.observe(0, 0), Arrival::First);
        assert_eq!(tracker.observe(0, u64::MAX - 1), Arrival::Gap(u64::MAX - 2));
        assert_eq!(tracker.observe(0, 0), Arrival::OutOfOrder);
        assert_eq!(tracker.observe(1, 0), Arrival::First);
        assert_eq!(tracker.observe(1, u64::MAX - 1), Arrival::Gap(u64::MAX - 2));
        assert_eq!(tracker.totals().sequence_numbers_in_gaps, u64::MAX);
        assert_eq!(tracker.observe(u32::MAX, 1), Arrival::Unnumbered);
    }

    /// A tracker that remembers every number.
    #[derive(Default)]
    struct Model {
        seen: HashMap<u32, (u64, u64, HashSet<u64>)>,
        totals: SequenceTotals,
    }

    impl Model {
        fn observe(&mut self, symbol: u32, number: u64) -> Arrival {
            self.totals.observed += 1;
            let Some((first, highest, seen)) = self.seen.get_mut(&symbol) else {
                self.seen
                    .insert(symbol, (number, number, HashSet::from([number])));
                return Arrival::First;
            };
            let came = !seen.insert(number);
            if number > *highest {
                let skipped = number - *highest - 1;
                *highest = number;
                self.totals.sequence_numbers_in_gaps += skipped;
                self.totals.gaps += u64::from(skipped > 0);
                return if skipped == 0 {
                    Arrival::Next
                } else {
                    Arrival::Gap(skipped)
                };
            }
            if came && *highest - number < 64 {
                self.totals.duplicates += 1;
                return Arrival::Duplicate;
            }
            self.totals.out_of_order += 1;
            self.totals.filled += u64::from(*highest - number < 64 && number > *first);
            Arrival::OutOfOrder
        }
    }

    #[test]
    fn random_feeds_are_reported_as_by_a_model_that_remembers_all() {
        let mut generator = ChaCha8Rng::seed_from_u64(11);
        for _ in 0..50 {
            let (mut tracker, mut model) = (SequenceTracker::new(), Model::default());
            let mut next = [1_000_u64; 4];
            for _ in 0..2_000 {
                let symbol = generator.gen_range(0..4_u32);
                let number = &mut next[symbol as usize];
                let sent = match generator.gen_range(0..10) {
                    0 => *number - generator.gen_range(0..100),
                    1 => *number + generator.gen_range(0..80),
                    _ => *number + 1,
                };
                *number = sent.max(*number);
                assert_eq!(tracker.observe(symbol, sent), model.observe(symbol, sent));
            }
            assert_eq!(tracker.totals(), model.totals);
        }
    }
}
