//! Sequence numbers that continue when the source restarts.

use rustle_market::NO_SEQUENCE;

/// Continues each symbol's numbers from one row of the source to the next, so that consumers, recordings and clients see neither
/// a gap nor a repetition where the source restarted.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The rows by symbol number.
    rows: Vec<Option<Row>>,
    /// Incremented with each new row of the source.
    age: u64,
    /// Whether the present row has the numbers of the one before.
    is_repeated: bool,
}

/// One symbol's present row.
#[derive(Clone, Copy, Debug)]
struct Row {
    age: u64,
    /// The source's number that becomes `to`; lower ones have no place in a row that follows another.
    from: u64,
    to: u64,
    /// The lowest of the source's numbers so far.
    lowest: u64,
}

impl Rows {
    /// The source restarts the numbers of all symbols.
    pub(super) fn restart(&mut self) {
        self.age += 1;
        self.is_repeated = false;
    }

    /// The source restarts with the same numbers, in any order.
    pub(super) fn repeat(&mut self) {
        self.age += 1;
        self.is_repeated = true;
    }

    /// The number that stands for the source's `sequence`, given the highest delivered one of this symbol. In a first row it is
    /// the number itself; in another the first (the lowest, of a row that is repeated) becomes one more than the highest, and the
    /// rest keep their distances from it. One that would lie before that, or above the range, is [`NO_SEQUENCE`].
    pub(super) fn carry_on(
        &mut self,
        symbol: u32,
        sequence: u64,
        highest: impl FnOnce() -> Option<u64>,
    ) -> u64 {
        if sequence == NO_SEQUENCE {
            return NO_SEQUENCE;
        }
        let at = symbol as usize;
        if at >= self.rows.len() {
            self.rows.resize(at + 1, None);
        }
        let (age, is_repeated) = (self.age, self.is_repeated);
        let row = self.rows[at].get_or_insert(Row {
            age,
            from: 0,
            to: 0,
            lowest: sequence,
        });
        if row.age != age {
            let lowest = if is_repeated {
                row.lowest.min(sequence)
            } else {
                sequence
            };
            *row = Row {
                age,
                from: lowest,
                // No number when the range is used up: then none follows either.
                to: highest().map_or(NO_SEQUENCE, |highest| highest + 1),
                lowest,
            };
        }
        row.lowest = row.lowest.min(sequence);
        sequence
            .checked_sub(row.from)
            .and_then(|distance| row.to.checked_add(distance))
            .unwrap_or(NO_SEQUENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Continues rows of one symbol's numbers, one after the other.
    fn carried(begin: fn(&mut Rows), source: &[&[u64]]) -> Vec<Vec<u64>> {
        let (mut rows, mut highest) = (Rows::default(), None);
        let mut carried = Vec::new();
        for (n, row) in source.iter().enumerate() {
            if n > 0 {
                begin(&mut rows);
            }
            carried.push(Vec::new());
            for number in *row {
                let number = rows.carry_on(2, *number, || highest);
                if number != NO_SEQUENCE {
                    highest = highest.max(Some(number));
                }
                carried[n].push(number);
            }
        }
        carried
    }

    #[test]
    fn row_goes_on_from_the_highest_with_its_own_distances() {
        let source: [&[u64]; 3] = [&[7, 9, 8], &[100, NO_SEQUENCE, 103], &[0, 1]];
        let expected: [&[u64]; 3] = [&[7, 9, 8], &[10, NO_SEQUENCE, 13], &[14, 15]];
        assert_eq!(carried(Rows::restart, &source), expected);
    }

    #[test]
    fn repeated_row_keeps_what_comes_before_its_first() {
        let lap: &[u64] = &[5, 3, 4, 6];
        let expected: [&[u64]; 3] = [lap, &[9, 7, 8, 10], &[13, 11, 12, 14]];
        assert_eq!(carried(Rows::repeat, &[lap, lap, lap]), expected);
        let other: [&[u64]; 2] = [lap, &[7, NO_SEQUENCE, NO_SEQUENCE, 8]];
        assert_eq!(carried(Rows::restart, &[lap, lap]), other, "nothing stands twice");
    }

    #[test]
    fn range_that_is_used_up_gives_no_numbers() {
        let last = u64::MAX - 1;
        let source: [&[u64]; 2] = [&[last - 3], &[0, 2, 3, last]];
        let expected: [&[u64]; 2] = [&[last - 3], &[last - 2, last, NO_SEQUENCE, NO_SEQUENCE]];
        assert_eq!(carried(Rows::restart, &source), expected);
        let full: [&[u64]; 2] = [&[last], &[0, 1]];
        assert_eq!(carried(Rows::restart, &full), [vec![last], vec![NO_SEQUENCE; 2]]);
    }

    #[test]
    fn symbol_that_is_new_in_a_later_row_keeps_its_numbers() {
        let mut rows = Rows::default();
        rows.restart();
        assert_eq!(rows.carry_on(0, 5, || None), 5);
        assert_eq!(rows.carry_on(0, 4, || Some(5)), 4);
        rows.restart();
        assert_eq!(rows.carry_on(0, 1, || Some(5)), 6);
    }
}
