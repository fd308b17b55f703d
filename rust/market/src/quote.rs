//! The quote: the best bid and ask at a time.

use crate::Decimal;
use std::fmt;
use std::num::NonZeroU8;

/// The best bid and ask of a symbol, with their sizes where the source has them. Packed, since every trade has room for one.
#[derive(Clone, Copy)]
pub struct Quote {
    bid: i64,
    ask: i64,
    bid_size: i64,
    ask_size: i64,
    /// The digits after the point and one more: an absent quote takes no further room.
    scales: [NonZeroU8; 4],
}

impl Quote {
    /// A quote of two prices, whose sizes are 0 when the source has none.
    pub fn new(bid: Decimal, ask: Decimal, bid_size: Decimal, ask_size: Decimal) -> Self {
        Self {
            bid: bid.units(),
            ask: ask.units(),
            bid_size: bid_size.units(),
            ask_size: ask_size.units(),
            scales: [bid, ask, bid_size, ask_size]
                .map(|number| NonZeroU8::MIN.saturating_add(number.scale())),
        }
    }

    /// The highest price that a buyer offers.
    pub fn bid(self) -> Decimal {
        decimal(self.bid, self.scales[0])
    }

    /// The lowest price that a seller asks.
    pub fn ask(self) -> Decimal {
        decimal(self.ask, self.scales[1])
    }

    /// The size at the bid; 0 when the source has none.
    pub fn bid_size(self) -> Decimal {
        decimal(self.bid_size, self.scales[2])
    }

    /// The size at the ask; 0 when the source has none.
    pub fn ask_size(self) -> Decimal {
        decimal(self.ask_size, self.scales[3])
    }

    /// The exact middle between bid and ask, with one more digit after the point where it needs one; `None` when it has too many.
    pub fn mid(self) -> Option<Decimal> {
        self.bid().midpoint(self.ask())
    }

    /// Ask less bid, exact: negative when they are crossed; `None` when it has too many digits.
    pub fn spread(self) -> Option<Decimal> {
        self.ask().checked_sub(self.bid())
    }
}

/// Units and scale come from a decimal.
fn decimal(units: i64, scale: NonZeroU8) -> Decimal {
    Decimal::new(units, scale.get() - 1).unwrap_or_default()
}

impl PartialEq for Quote {
    fn eq(&self, other: &Self) -> bool {
        (self.bid(), self.ask()) == (other.bid(), other.ask())
            && (self.bid_size(), self.ask_size()) == (other.bid_size(), other.ask_size())
    }
}

impl Eq for Quote {}

impl fmt::Debug for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bid, ask, bid_size, ask_size) = (self.bid(), self.ask(), self.bid_size(), self.ask_size());
        write!(f, "{bid:?} x {bid_size:?} / {ask:?} x {ask_size:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(bid: &str, ask: &str) -> Quote {
        let number = |text: &str| Decimal::parse(text.as_bytes()).expect("a decimal");
        Quote::new(number(bid), number(ask), number("3"), number("0.50"))
    }

    #[test]
    fn absent_quote_takes_no_room() {
        assert_eq!(size_of::<Option<Quote>>(), 40);
    }

    #[test]
    fn middle_and_spread_are_exact() {
        let texts = |quote: Quote| {
            let text = |number: Option<Decimal>| number.map(|number| number.to_string());
            (text(quote.mid()), text(quote.spread()))
        };
        let some = |mid: &str, spread: &str| (Some(mid.to_owned()), Some(spread.to_owned()));
        assert_eq!(texts(quote("1.10", "1.12")), some("1.11", "0.02"));
        assert_eq!(texts(quote("1.10", "1.13")), some("1.115", "0.03"));
        assert_eq!(texts(quote("2", "1.5")), some("1.75", "-0.5"));
        assert_eq!(texts(quote("-3", "-2")), some("-2.5", "1"));
        let (least, most) = ("0.000000000000000001", "0.000000000000000002");
        assert_eq!(texts(quote(least, most)), (None, Some(least.to_owned())));
        let far = quote("999999999999999999", "0.1");
        assert_eq!((far.mid(), far.spread()), (None, None));
    }

    #[test]
    fn sides_keep_their_digits() {
        let quote = quote("65000.10", "65000.1");
        assert_eq!(format!("{quote:?}"), "65000.10 x 3 / 65000.1 x 0.50");
        assert!(quote != self::quote("65000.1", "65000.11"));
    }
}
