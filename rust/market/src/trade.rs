//! What every source delivers.

use crate::Decimal;

/// The sequence of a trade whose source numbers nothing.
pub const NO_SEQUENCE: u64 = u64::MAX;
/// The time of a trade whose message told none: the receiver's clock has to serve.
pub const NO_TIME: i64 = i64::MIN;

/// A price of one symbol at a time. Copied freely: it owns nothing.
///
/// Two trades are equal when their prices and sizes are equal by value: 1.0 equals 1.00.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trade {
    /// Whose price it is: an index into the [`SymbolTable`](crate::SymbolTable) that it was read with.
    pub symbol: u32,
    /// The price in the quote currency, exact.
    pub price: Decimal,
    /// How much was traded or is offered, exact; 0 when the source has no sizes.
    pub size: Decimal,
    /// When it happened: nanoseconds since 1970-01-01T00:00:00Z without leap seconds, or [`NO_TIME`].
    pub time_ns: i64,
    /// The source's own number of it, usually per symbol, or [`NO_SEQUENCE`].
    pub sequence: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trade_is_small() {
        assert!(size_of::<Trade>() <= 56, "{}", size_of::<Trade>());
    }
}
