//! The records of consumers, and their derivation from trades.

use crate::lane::Record;
use rustle_market::{Candle, CandleBuilder, Placement, RollingStatistics, Statistics, Trade};
use std::sync::Arc;

/// A trade as consumers receive it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedTrade {
    /// The trade; its time is that of its arrival where its message has none.
    pub trade: Trade,
    /// The sequence gap before it: the numbers of its symbol that did not arrive from the source. This consumer dropped none of
    /// them.
    pub sequence_gap: u64,
    /// Whether it is out of order: its number is lower than an earlier one of its symbol.
    pub is_out_of_order: bool,
}

impl Record for FeedTrade {
    fn key(&self) -> u32 {
        self.trade.symbol
    }

    /// The sequence gap before the dropped trade counts before this one.
    fn replacing(self, replaced: &Self) -> Self {
        Self {
            sequence_gap: self.sequence_gap.saturating_add(replaced.sequence_gap),
            ..self
        }
    }
}

impl Record for Candle {
    fn key(&self) -> u32 {
        self.symbol
    }
}

impl Record for Statistics {
    fn key(&self) -> u32 {
        self.symbol
    }
}

/// The trades that a consumer's records do not include.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Omissions {
    /// Trades that were left out because they were too late.
    pub late: u64,
    /// Trades that left their window early because it was full.
    pub evicted: u64,
}

/// Derives a consumer's records from the trades of its subscription.
pub(super) trait Derive<T>: Send {
    /// Takes the next trade, whose symbol is an index into `names`, and appends its records to `out`.
    fn take(&mut self, trade: &FeedTrade, names: &[Arc<str>], out: &mut Vec<T>);

    /// Appends the records that the end of the feed yields.
    fn finish(&mut self, _: &mut Vec<T>) {}

    /// Discards the state of a symbol that is no longer subscribed to.
    fn forget(&mut self, _: u32) {}

    /// The most records that a trade yields, except those that earlier trades could have yielded.
    fn most(&self) -> usize {
        1
    }

    /// The omissions so far.
    fn omissions(&self) -> Omissions {
        Omissions::default()
    }
}

/// The trades, unchanged.
pub(super) struct Trades;

impl Derive<FeedTrade> for Trades {
    fn take(&mut self, trade: &FeedTrade, _: &[Arc<str>], out: &mut Vec<FeedTrade>) {
        out.push(*trade);
    }
}

impl Derive<Candle> for CandleBuilder {
    fn take(&mut self, trade: &FeedTrade, _: &[Arc<str>], out: &mut Vec<Candle>) {
        // The builder counts late ones; every trade of a feed has a time.
        self.push(&trade.trade, out);
    }

    fn finish(&mut self, out: &mut Vec<Candle>) {
        self.flush(out);
    }

    fn forget(&mut self, symbol: u32) {
        self.remove(symbol);
    }

    fn omissions(&self) -> Omissions {
        Omissions {
            late: self.late(),
            evicted: 0,
        }
    }
}

/// The statistics of a symbol's window after each of its trades that is not late.
impl Derive<Statistics> for RollingStatistics {
    fn take(&mut self, trade: &FeedTrade, _: &[Arc<str>], out: &mut Vec<Statistics>) {
        if self.push(&trade.trade) == Placement::Included {
            out.extend(self.statistics(trade.trade.symbol));
        }
    }

    fn forget(&mut self, symbol: u32) {
        self.remove(symbol);
    }

    fn omissions(&self) -> Omissions {
        Omissions {
            late: self.late(),
            evicted: self.evicted(),
        }
    }
}
