//! The window of one symbol.

use super::Statistics;
use crate::Decimal;
use std::collections::VecDeque;

/// The least number of removals between two computations from the window.
const REMOVALS: usize = 256;
/// The share of its former value below which the sum of squares is recomputed.
const SHRUNK: f64 = 1.0 / (1 << 20) as f64;

#[derive(Clone, Copy, Debug)]
struct Entry {
    time_ns: i64,
    price: Decimal,
}

/// Updates, the oldest first, and their running statistics.
#[derive(Clone, Debug)]
pub(super) struct Window {
    entries: VecDeque<Entry>,
    /// The number of removed entries, which is the number of the oldest.
    removed: u64,
    /// Numbers of entries that are lower than all after them; the prices rise.
    lows: VecDeque<(u64, Decimal)>,
    /// Numbers of entries that are higher than all after them; the prices fall.
    highs: VecDeque<(u64, Decimal)>,
    moments: Moments,
    removals: usize,
    time_ns: i64,
}

/// Welford's recurrence over distances from `origin`.
#[derive(Clone, Copy, Debug)]
struct Moments {
    origin: Decimal,
    count: f64,
    mean: f64,
    squares: f64,
    largest_squares: f64,
}

impl Moments {
    fn new(origin: Decimal) -> Self {
        Self {
            origin,
            count: 0.0,
            mean: 0.0,
            squares: 0.0,
            largest_squares: 0.0,
        }
    }

    fn add(&mut self, price: Decimal) {
        let value = price.distance(self.origin);
        self.count += 1.0;
        let distance = value - self.mean;
        self.mean += distance / self.count;
        self.squares += distance * (value - self.mean);
        self.largest_squares = self.largest_squares.max(self.squares);
    }

    /// Removes one of several values.
    fn remove(&mut self, price: Decimal) {
        let value = price.distance(self.origin);
        self.count -= 1.0;
        let distance = value - self.mean;
        self.mean -= distance / self.count;
        self.squares -= distance * (value - self.mean);
    }
}

impl Window {
    pub(super) fn new() -> Self {
        Self {
            entries: VecDeque::new(),
            removed: 0,
            lows: VecDeque::new(),
            highs: VecDeque::new(),
            moments: Moments::new(Decimal::ZERO),
            removals: 0,
            time_ns: i64::MIN,
        }
    }

    /// The symbol's time.
    pub(super) fn time_ns(&self) -> i64 {
        self.time_ns
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Sets the time and removes what is `length_ns` older or more.
    pub(super) fn advance(&mut self, time_ns: i64, length_ns: i64) {
        self.time_ns = time_ns;
        let oldest = i128::from(time_ns) - i128::from(length_ns);
        while self
            .entries
            .front()
            .is_some_and(|entry| i128::from(entry.time_ns) <= oldest)
        {
            self.remove_oldest();
        }
    }

    /// Adds a price at the present time.
    pub(super) fn push(&mut self, price: Decimal) {
        if self.entries.is_empty() {
            self.moments = Moments::new(price);
            self.removals = 0;
        }
        let number = self.removed + self.entries.len() as u64;
        self.entries.push_back(Entry {
            time_ns: self.time_ns,
            price,
        });
        self.moments.add(price);
        while self.lows.back().is_some_and(|(_, low)| *low >= price) {
            self.lows.pop_back();
        }
        self.lows.push_back((number, price));
        while self.highs.back().is_some_and(|(_, high)| *high <= price) {
            self.highs.pop_back();
        }
        self.highs.push_back((number, price));
    }

    pub(super) fn remove_oldest(&mut self) {
        let Some(entry) = self.entries.pop_front() else {
            return;
        };
        let number = self.removed;
        self.removed += 1;
        for extremes in [&mut self.lows, &mut self.highs] {
            if extremes.front().is_some_and(|(first, _)| *first == number) {
                extremes.pop_front();
            }
        }
        if self.entries.is_empty() {
            return;
        }
        self.moments.remove(entry.price);
        self.removals += 1;
        if self.removals >= self.entries.len().max(REMOVALS)
            || self.moments.squares < self.moments.largest_squares * SHRUNK
        {
            self.compute();
        }
    }

    /// Computes the moments from the window.
    fn compute(&mut self) {
        self.removals = 0;
        let origin = self.entries.front().map_or(Decimal::ZERO, |entry| entry.price);
        self.moments = Moments::new(origin);
        for entry in &self.entries {
            self.moments.add(entry.price);
        }
    }

    pub(super) fn statistics(&self, symbol: u32) -> Option<Statistics> {
        let (min, max) = (self.lows.front()?.1, self.highs.front()?.1);
        let count = self.entries.len();
        // Equal prices have no variance, despite rounding.
        let variance = if min == max {
            0.0
        } else {
            self.moments.squares.max(0.0) / (count as f64 - 1.0)
        };
        Some(Statistics {
            symbol,
            time_ns: self.time_ns,
            count: count as u64,
            mean: self.moments.origin.to_f64() + self.moments.mean,
            variance,
            min,
            max,
            first: self.entries.front()?.price,
            last: self.entries.back()?.price,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_computed_afresh_once_for_as_many_removals_as_the_window_is_long() {
        let mut window = Window::new();
        let mut computed = 0;
        for n in 0..10_000_i64 {
            let before = window.removals;
            window.advance(n, 1_000);
            window.push(Decimal::new(10_000 + n % 7, 2).expect("a decimal"));
            computed += usize::from(window.removals < before);
            assert!(window.removals < 1_000, "{n}");
        }
        assert_eq!(computed, 9);
    }
}
