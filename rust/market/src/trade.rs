//! The trade, which every source delivers.

use crate::{Decimal, Quote};

/// The sequence number of a trade whose source has none.
pub const NO_SEQUENCE: u64 = u64::MAX;
/// The time of a trade whose message has none: the receiver's clock applies.
pub const NO_TIME: i64 = i64::MIN;

/// The side of the taker, whose order met a waiting one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The taker bought.
    Buy,
    /// The taker sold.
    Sell,
}

impl Side {
    /// Its name in a message: `buy` or `sell`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
        }
    }
}

/// A price of one symbol at a time. Copied freely: it owns nothing.
///
/// Two trades are equal when their prices and sizes are equal by value: 1.0 equals 1.00.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trade {
    /// The symbol, as an index into the [`SymbolTable`](crate::SymbolTable) that it was read with.
    pub symbol: u32,
    /// The taker's side, if the source has it.
    pub side: Option<Side>,
    /// The price in the quote currency, exact; of a message with a quote alone the middle of it.
    pub price: Decimal,
    /// The traded size, exact; 0 when the source has no sizes.
    pub size: Decimal,
    /// Its time: nanoseconds since 1970-01-01T00:00:00Z without leap seconds, or [`NO_TIME`].
    pub time_ns: i64,
    /// Its sequence number at the source, usually per symbol, or [`NO_SEQUENCE`].
    pub sequence: u64,
    /// The best bid and ask of the message, if it has them.
    pub quote: Option<Quote>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trade_is_small() {
        assert!(size_of::<Trade>() <= 96, "{}", size_of::<Trade>());
    }
}
