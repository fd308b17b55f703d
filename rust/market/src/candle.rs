//! Candles: open, high, low and close of equal intervals of event time.

use crate::per_symbol::PerSymbol;
use crate::{Decimal, DecimalSum, Interval, NO_TIME, Trade, Turnover};
use std::fmt;

/// The longest lateness, in intervals: a symbol has at most this many open candles, and two more.
pub const MAX_LATE_INTERVALS: i64 = 64;

/// The prices and sizes of a symbol within one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candle {
    /// The symbol, as an index into the symbol table.
    pub symbol: u32,
    /// The start of the interval: nanoseconds since 1970, a multiple of the interval's length.
    pub start_ns: i64,
    /// The price of the earliest update; of several at the same time, the first to arrive.
    pub open: Decimal,
    /// The highest price.
    pub high: Decimal,
    /// The lowest price.
    pub low: Decimal,
    /// The price of the latest update; of several at the same time, the last to arrive.
    pub close: Decimal,
    /// The exact sum of the sizes.
    pub volume: DecimalSum,
    /// The sum of prices times sizes.
    pub turnover: Turnover,
    /// The number of updates, at least 1.
    pub count: u64,
}

impl Candle {
    /// The mean price, weighted by size (VWAP); `None` without a size.
    pub fn vwap(&self) -> Option<f64> {
        (!self.volume.is_zero()).then(|| self.turnover.to_f64() / self.volume.to_f64())
    }
}

/// The outcome of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The update is in its candle or window.
    Included,
    /// The update is late: it was counted, and is left out.
    Late,
    /// The update has no time ([`NO_TIME`]), or its symbol is not an index into a symbol table; it is left out.
    Untimed,
}

/// Makes candles of one interval for any number of symbols.
///
/// An update at time t belongs to the interval that starts at the multiple of its length at or before t. A symbol's time is the
/// latest of its updates. A candle closes, and is delivered, when its symbol's time reaches its end plus the lateness: with
/// lateness 0, at the first update of a later interval. Updates that are out of order before that are put where they belong;
/// later ones are late. Intervals without an update yield no candle.
#[derive(Clone, Debug)]
pub struct CandleBuilder {
    interval: Interval,
    lateness_ns: i64,
    symbols: PerSymbol<State>,
    late: u64,
}

#[derive(Clone, Debug)]
struct State {
    /// Candles that start before this are closed.
    closed_before: i64,
    /// The latest time.
    time_ns: i64,
    /// The open candles by start, the earliest first; usually one.
    open: Vec<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    candle: Candle,
    open_ns: i64,
    close_ns: i64,
}

impl CandleBuilder {
    /// Makes a builder of candles of `interval`, which wait `lateness_ns` for late updates.
    ///
    /// # Errors
    /// [`LatenessError`] when the lateness is negative or longer than [`MAX_LATE_INTERVALS`] intervals.
    pub fn new(interval: Interval, lateness_ns: i64) -> Result<Self, LatenessError> {
        let limit_ns = interval.ns().saturating_mul(MAX_LATE_INTERVALS);
        if !(0..=limit_ns).contains(&lateness_ns) {
            return Err(LatenessError {
                limit_ns,
                got_ns: lateness_ns,
            });
        }
        Ok(Self {
            interval,
            lateness_ns,
            symbols: PerSymbol::new(),
            late: 0,
        })
    }

    /// The interval.
    pub fn interval(&self) -> Interval {
        self.interval
    }

    /// The wait for late updates, in ns.
    pub fn lateness_ns(&self) -> i64 {
        self.lateness_ns
    }

    /// The number of late updates.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// Takes an update, and appends to `closed` the candles of its symbol that it closes, the earliest first.
    pub fn push(&mut self, trade: &Trade, closed: &mut Vec<Candle>) -> Placement {
        if trade.time_ns == NO_TIME {
            return Placement::Untimed;
        }
        let start_ns = self.interval.start(trade.time_ns);
        let state = self.symbols.get_or_make(trade.symbol, || State {
            closed_before: i64::MIN,
            time_ns: i64::MIN,
            open: Vec::new(),
        });
        let Some(state) = state else {
            return Placement::Untimed;
        };
        if start_ns < state.closed_before {
            self.late += 1;
            return Placement::Late;
        }
        state.include(trade, start_ns);
        if trade.time_ns > state.time_ns {
            state.advance(trade.time_ns, self.interval, self.lateness_ns, closed);
        }
        Placement::Included
    }

    /// Advances every symbol's time to at least `time_ns`, and appends to `closed` the candles that this closes: symbol by
    /// symbol, the earliest first. For symbols that trade seldom: their candles close without a further update.
    pub fn advance(&mut self, time_ns: i64, closed: &mut Vec<Candle>) {
        for state in self.symbols.values_mut() {
            if time_ns > state.time_ns {
                state.advance(time_ns, self.interval, self.lateness_ns, closed);
            }
        }
    }

    /// Closes all candles and appends them to `closed`: symbol by symbol, the earliest first. Further updates of them are late.
    pub fn flush(&mut self, closed: &mut Vec<Candle>) {
        for state in self.symbols.values_mut() {
            if let Some(last) = state.open.last() {
                state.closed_before = last.candle.start_ns.saturating_add(self.interval.ns());
            }
            closed.extend(state.open.drain(..).map(|open| open.candle));
        }
    }

    /// The candles of a symbol that are still open, the earliest first.
    pub fn open(&self, symbol: u32) -> impl Iterator<Item = &Candle> {
        let state = self.symbols.get(symbol);
        state
            .into_iter()
            .flat_map(|state| state.open.iter().map(|open| &open.candle))
    }

    /// Discards a symbol, including its open candles: it was unsubscribed.
    pub fn remove(&mut self, symbol: u32) {
        self.symbols.remove(symbol);
    }
}

impl State {
    fn include(&mut self, trade: &Trade, start_ns: i64) {
        // It is the last one, except for updates out of order and the first of an interval.
        let behind = self
            .open
            .iter()
            .rev()
            .take_while(|open| open.candle.start_ns > start_ns)
            .count();
        let at = self.open.len() - behind;
        match self.open[..at].last_mut() {
            Some(open) if open.candle.start_ns == start_ns => open.add(trade),
            _ => self.open.insert(at, Open::new(trade, start_ns)),
        }
    }

    fn advance(&mut self, time_ns: i64, interval: Interval, lateness_ns: i64, closed: &mut Vec<Candle>) {
        self.time_ns = time_ns;
        // end + lateness <= time, where ends are multiples of the interval.
        let closed_before = interval.start(time_ns.saturating_sub(lateness_ns));
        if closed_before > self.closed_before {
            self.closed_before = closed_before;
            let count = self
                .open
                .iter()
                .take_while(|open| open.candle.start_ns < closed_before)
                .count();
            closed.extend(self.open.drain(..count).map(|open| open.candle));
        }
    }
}

impl Open {
    fn new(trade: &Trade, start_ns: i64) -> Self {
        let mut open = Self {
            candle: Candle {
                symbol: trade.symbol,
                start_ns,
                open: trade.price,
                high: trade.price,
                low: trade.price,
                close: trade.price,
                volume: DecimalSum::ZERO,
                turnover: Turnover::default(),
                count: 1,
            },
            open_ns: trade.time_ns,
            close_ns: trade.time_ns,
        };
        open.add_size(trade);
        open
    }

    fn add(&mut self, trade: &Trade) {
        let candle = &mut self.candle;
        if trade.time_ns < self.open_ns {
            self.open_ns = trade.time_ns;
            candle.open = trade.price;
        }
        if trade.time_ns >= self.close_ns {
            self.close_ns = trade.time_ns;
            candle.close = trade.price;
        }
        if trade.price > candle.high {
            candle.high = trade.price;
        }
        if trade.price < candle.low {
            candle.low = trade.price;
        }
        candle.count += 1;
        self.add_size(trade);
    }

    fn add_size(&mut self, trade: &Trade) {
        self.candle.volume.add(trade.size);
        if !trade.size.is_zero() {
            self.candle.turnover.add(trade.price, trade.size);
        }
    }
}

/// The error of a lateness that is negative or too long for the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatenessError {
    /// The longest for the interval, in ns.
    pub limit_ns: i64,
    /// The given lateness, in ns.
    pub got_ns: i64,
}

impl fmt::Display for LatenessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "lateness: expected 0 to {} ns ({MAX_LATE_INTERVALS} intervals), got {}",
            self.limit_ns, self.got_ns
        )
    }
}

impl std::error::Error for LatenessError {}

#[cfg(test)]
mod tests;
