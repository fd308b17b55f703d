//! What consumers are handed, and how it is made from trades.

use crate::lane::Record;
use rustle_market::{Candle, CandleBuilder, Placement, RollingStatistics, Statistics, Trade};
use std::sync::Arc;

/// A trade as a consumer gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedTrade {
    /// The trade, with the time at which it came in where its message told none.
    pub trade: Trade,
    /// How many of its symbol's numbers were skipped just before it by the source; it is not a loss of this consumer's.
    pub sequence_gap: u64,
    /// Whether its number is lower than one of its symbol that came before.
    pub is_out_of_order: bool,
}

impl Record for FeedTrade {
    fn key(&self) -> u32 {
        self.trade.symbol
    }

    /// What the source skipped before the one that is gone is missing before this one.
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

/// What a consumer's records do not have in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Omissions {
    /// Trades that were left out because they came too late.
    pub late: u64,
    /// Trades that left their window early, because it was full.
    pub evicted: u64,
}

/// Makes a consumer's records from the trades that it asked for.
pub(super) trait Derive<T>: Send {
    /// Takes the next trade, whose symbol is a place in `names`, and appends what it gives to `out`.
    fn take(&mut self, trade: &FeedTrade, names: &[Arc<str>], out: &mut Vec<T>);

    /// Appends what only the end of the feed gives.
    fn finish(&mut self, _: &mut Vec<T>) {}

    /// Forgets a symbol that is not asked for any more.
    fn forget(&mut self, _: u32) {}

    /// The most records that a trade gives, but for those that trades before it could have given.
    fn most(&self) -> usize {
        1
    }

    /// What was left out so far.
    fn omissions(&self) -> Omissions {
        Omissions::default()
    }
}

/// The trades themselves.
pub(super) struct Trades;

impl Derive<FeedTrade> for Trades {
    fn take(&mut self, trade: &FeedTrade, _: &[Arc<str>], out: &mut Vec<FeedTrade>) {
        out.push(*trade);
    }
}

impl Derive<Candle> for CandleBuilder {
    fn take(&mut self, trade: &FeedTrade, _: &[Arc<str>], out: &mut Vec<Candle>) {
        // Late ones are counted by the builder; every trade of a feed has a time.
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
