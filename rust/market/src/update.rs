//! The update, which a ticker delivers.

use crate::Symbol;

/// A new price of one symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceUpdate {
    /// The symbol.
    pub symbol: Symbol,
    /// The price in the quote currency; finite and above 0.
    pub price: f64,
    /// The time of its creation: milliseconds since 1970-01-01T00:00:00Z.
    pub timestamp_ms: i64,
    /// Its number in the session, over all symbols: 0, 1, 2 … without gaps.
    pub sequence: u64,
}
