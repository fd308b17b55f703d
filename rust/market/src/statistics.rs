//! Statistics of a moving window of event time.

mod window;

use crate::per_symbol::PerSymbol;
use crate::{Decimal, Interval, NO_TIME, Placement, Trade};
use window::Window;

/// The default limit of a window's updates.
pub const DEFAULT_WINDOW_ENTRIES: usize = 1_048_576;

/// The statistics of a symbol's prices in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The symbol, as an index into the symbol table.
    pub symbol: u32,
    /// The end of the window: the symbol's time, in nanoseconds since 1970.
    pub time_ns: i64,
    /// The number of updates in the window, at least 1.
    pub count: u64,
    /// The mean of the prices, each update counting the same.
    pub mean: f64,
    /// The sample variance, with the divisor `count` - 1; 0 for one update.
    pub variance: f64,
    /// The lowest price.
    pub min: Decimal,
    /// The highest price.
    pub max: Decimal,
    /// The price of the oldest update in the window.
    pub first: Decimal,
    /// The price of the newest.
    pub last: Decimal,
}

impl Statistics {
    /// The difference of the last and the first price, exact; `None` if it needs more than 18 digits.
    pub fn change(&self) -> Option<Decimal> {
        self.last.checked_sub(self.first)
    }
}

/// Statistics of each symbol's recent prices.
///
/// The window of a symbol whose time is t holds the updates after t - length, up to t: as in pandas' `rolling`. The time is the
/// latest of the updates; an update with an earlier one is late, counted and left out. A window of more updates than its limit
/// drops its oldest, which is counted too.
///
/// Cost: constant on average for each update, at most 144 bytes for each update in a window. Mean and variance are kept by
/// Welford's recurrence (B. P. Welford, Technometrics 4, 1962), for removals run backwards, relative to a price of the window,
/// and recomputed after as many removals as the window has updates (at least 256), and whenever the sum of squares fell to 2^-20
/// of what it was. With N updates since then the variance's relative error stays below N × 2^-31, the mean's below N × 2^-52 of
/// the largest distance from that price.
#[derive(Clone, Debug)]
pub struct RollingStatistics {
    length: Interval,
    limit: usize,
    windows: PerSymbol<Window>,
    late: u64,
    evicted: u64,
}

impl RollingStatistics {
    /// Windows of the given length with at most [`DEFAULT_WINDOW_ENTRIES`] updates.
    pub fn new(length: Interval) -> Self {
        Self::with_limit(length, DEFAULT_WINDOW_ENTRIES)
    }

    /// Windows of the given length with at most `limit` updates; 0 counts as 1.
    pub fn with_limit(length: Interval, limit: usize) -> Self {
        Self {
            length,
            limit: limit.max(1),
            windows: PerSymbol::new(),
            late: 0,
            evicted: 0,
        }
    }

    /// The length of the windows.
    pub fn length(&self) -> Interval {
        self.length
    }

    /// The number of late updates.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// The number of updates that left their windows early, for lack of room.
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Takes an update.
    pub fn push(&mut self, trade: &Trade) -> Placement {
        if trade.time_ns == NO_TIME {
            return Placement::Untimed;
        }
        let Some(window) = self.windows.get_or_make(trade.symbol, Window::new) else {
            return Placement::Untimed;
        };
        if trade.time_ns < window.time_ns() {
            self.late += 1;
            return Placement::Late;
        }
        window.advance(trade.time_ns, self.length.ns());
        if window.len() == self.limit {
            window.remove_oldest();
            self.evicted += 1;
        }
        window.push(trade.price);
        Placement::Included
    }

    /// Advances a symbol's time to at least `time_ns`: older updates leave its window without a further update.
    pub fn advance(&mut self, symbol: u32, time_ns: i64) {
        if let Some(window) = self.windows.get_mut(symbol) {
            window.advance(time_ns.max(window.time_ns()), self.length.ns());
        }
    }

    /// The statistics of a symbol, or `None` if its window is empty.
    pub fn statistics(&self, symbol: u32) -> Option<Statistics> {
        self.windows.get(symbol)?.statistics(symbol)
    }

    /// Discards a symbol: it was unsubscribed.
    pub fn remove(&mut self, symbol: u32) {
        self.windows.remove(symbol);
    }
}

#[cfg(test)]
mod tests;
