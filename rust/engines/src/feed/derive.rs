//! What consumers are handed, and how it is made from quotes.

use crate::lane::Record;
use rustle_market::{Candle, CandleBuilder, Placement, Quote, RollingStatistics, Statistics};
use std::sync::Arc;

/// A quote as a consumer gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedQuote {
    /// The quote, with the time at which it came in where its message told none.
    pub quote: Quote,
    /// How many of its symbol's numbers were skipped just before it by the source; it is not a loss of this consumer's.
    pub skipped: u64,
    /// Whether its number is lower than one of its symbol that came before.
    pub is_out_of_order: bool,
}

impl Record for FeedQuote {
    fn key(&self) -> u32 {
        self.quote.symbol
    }

    /// What the source skipped before the one that is gone is missing before this one.
    fn replacing(self, replaced: &Self) -> Self {
        Self {
            skipped: self.skipped.saturating_add(replaced.skipped),
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
    /// Quotes that were left out because they came too late.
    pub late: u64,
    /// Quotes that left their window early, because it was full.
    pub evicted: u64,
}

/// Makes a consumer's records from the quotes that it asked for.
pub(super) trait Derive<T>: Send {
    /// Takes the next quote, whose symbol is a place in `names`, and appends what it gives to `out`.
    fn take(&mut self, quote: &FeedQuote, names: &[Arc<str>], out: &mut Vec<T>);

    /// Appends what only the end of the feed gives.
    fn finish(&mut self, _: &mut Vec<T>) {}

    /// Forgets a symbol that is not asked for any more.
    fn forget(&mut self, _: u32) {}

    /// The most records that a quote gives, but for those that quotes before it could have given.
    fn most(&self) -> usize {
        1
    }

    /// What was left out so far.
    fn omissions(&self) -> Omissions {
        Omissions::default()
    }
}

/// The quotes themselves.
pub(super) struct Quotes;

impl Derive<FeedQuote> for Quotes {
    fn take(&mut self, quote: &FeedQuote, _: &[Arc<str>], out: &mut Vec<FeedQuote>) {
        out.push(*quote);
    }
}

impl Derive<Candle> for CandleBuilder {
    fn take(&mut self, quote: &FeedQuote, _: &[Arc<str>], out: &mut Vec<Candle>) {
        // Late ones are counted by the builder; every quote of a feed has a time.
        self.push(&quote.quote, out);
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

/// The statistics of a symbol's window after each of its quotes that is not late.
impl Derive<Statistics> for RollingStatistics {
    fn take(&mut self, quote: &FeedQuote, _: &[Arc<str>], out: &mut Vec<Statistics>) {
        if self.push(&quote.quote) == Placement::Included {
            out.extend(self.statistics(quote.quote.symbol));
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
