//! Alerts when a price crosses a threshold.

use crate::per_symbol::PerSymbol;
use crate::{Decimal, MAX_SYMBOLS, Quote};
use std::fmt;

/// The most alerts of a set.
pub const MAX_ALERTS: usize = MAX_SYMBOLS;

/// On which side of its level an alert fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// At the level and above.
    Above,
    /// At the level and below.
    Below,
}

/// Fires once when a price reaches a level, and again only after it was on the other side, beyond the hysteresis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdAlert {
    symbol: u32,
    level: Decimal,
    direction: Direction,
    /// Strictly beyond this price it is armed again.
    rearm: Decimal,
    is_armed: bool,
}

impl ThresholdAlert {
    /// An armed alert of one symbol: a first price beyond the level fires. After it fired, `Above` is armed again by a price
    /// strictly below `level` - `hysteresis`, `Below` by one strictly above `level` + `hysteresis`.
    ///
    /// # Errors
    /// [`AlertError::NegativeHysteresis`], and [`AlertError::Range`] when that price has more than 18 digits.
    pub fn new(
        symbol: u32,
        direction: Direction,
        level: Decimal,
        hysteresis: Decimal,
    ) -> Result<Self, AlertError> {
        if hysteresis < Decimal::ZERO {
            return Err(AlertError::NegativeHysteresis { got: hysteresis });
        }
        let rearm = match direction {
            Direction::Above => level.checked_sub(hysteresis),
            Direction::Below => level.checked_add(hysteresis),
        };
        Ok(Self {
            symbol,
            level,
            direction,
            rearm: rearm.ok_or(AlertError::Range { level, hysteresis })?,
            is_armed: true,
        })
    }

    /// Whose prices it watches.
    pub fn symbol(&self) -> u32 {
        self.symbol
    }

    /// The level.
    pub fn level(&self) -> Decimal {
        self.level
    }

    /// The side.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Whether the next price at or beyond the level fires.
    pub fn is_armed(&self) -> bool {
        self.is_armed
    }

    /// Takes the next price of the symbol and tells whether the alert fires.
    pub fn observe(&mut self, price: Decimal) -> bool {
        let (is_reached, is_back) = match self.direction {
            Direction::Above => (price >= self.level, price < self.rearm),
            Direction::Below => (price <= self.level, price > self.rearm),
        };
        let fires = self.is_armed && is_reached;
        self.is_armed = (self.is_armed && !fires) || is_back;
        fires
    }
}

/// An alert that fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiredAlert {
    /// The number that [`AlertSet::add`] gave it.
    pub id: u64,
    /// The level that was reached.
    pub level: Decimal,
    /// The side.
    pub direction: Direction,
    /// The quote that reached it.
    pub quote: Quote,
}

/// Alerts of many symbols. A quote costs as much as its symbol has alerts.
#[derive(Clone, Debug)]
pub struct AlertSet {
    symbols: PerSymbol<Vec<(u64, ThresholdAlert)>>,
    count: usize,
    next: u64,
}

impl AlertSet {
    /// No alerts.
    pub fn new() -> Self {
        Self {
            symbols: PerSymbol::new(),
            count: 0,
            next: 0,
        }
    }

    /// How many alerts it has.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an alert and returns its number, which no other of this set ever has.
    ///
    /// # Errors
    /// [`AlertError::TooMany`] when there are [`MAX_ALERTS`], [`AlertError::Symbol`] when its symbol is no index into a
    /// symbol table.
    pub fn add(&mut self, alert: ThresholdAlert) -> Result<u64, AlertError> {
        if self.count == MAX_ALERTS {
            return Err(AlertError::TooMany);
        }
        let symbol = alert.symbol;
        let alerts = self
            .symbols
            .get_or_make(symbol, Vec::new)
            .ok_or(AlertError::Symbol { got: symbol })?;
        let id = self.next;
        alerts.push((id, alert));
        self.next += 1;
        self.count += 1;
        Ok(id)
    }

    /// Removes an alert; `None` when no alert has the number.
    pub fn remove(&mut self, id: u64) -> Option<ThresholdAlert> {
        for (_, alerts) in self.symbols.iter_mut() {
            if let Some(at) = alerts.iter().position(|(number, _)| *number == id) {
                self.count -= 1;
                return Some(alerts.remove(at).1);
            }
        }
        None
    }

    /// Takes a quote and appends the alerts that it fires to `fired`, in the order in which they were added.
    pub fn push(&mut self, quote: &Quote, fired: &mut Vec<FiredAlert>) {
        let Some(alerts) = self.symbols.get_mut(quote.symbol) else {
            return;
        };
        for (id, alert) in alerts {
            if alert.observe(quote.price) {
                fired.push(FiredAlert {
                    id: *id,
                    level: alert.level,
                    direction: alert.direction,
                    quote: *quote,
                });
            }
        }
    }
}

impl Default for AlertSet {
    fn default() -> Self {
        Self::new()
    }
}

/// Why an alert is refused. Another alert helps, after [`AlertError::TooMany`] also the removal of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertError {
    /// The hysteresis is below 0.
    NegativeHysteresis {
        /// What it is.
        got: Decimal,
    },
    /// The price at which it would be armed again has more than 18 digits.
    Range {
        /// The level.
        level: Decimal,
        /// The hysteresis.
        hysteresis: Decimal,
    },
    /// The symbol is no index into a symbol table.
    Symbol {
        /// What it is.
        got: u32,
    },
    /// The set has [`MAX_ALERTS`].
    TooMany,
}

impl fmt::Display for AlertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeHysteresis { got } => write!(f, "hysteresis: expected 0 or above, got {got}"),
            Self::Range { level, hysteresis } => {
                write!(
                    f,
                    "expected a level and a hysteresis of 18 digits together, got {level} and {hysteresis}"
                )
            }
            Self::Symbol { got } => write!(f, "symbol: expected a number below {MAX_SYMBOLS}, got {got}"),
            Self::TooMany => write!(f, "expected at most {MAX_ALERTS} alerts, got one more"),
        }
    }
}

impl std::error::Error for AlertError {}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text.as_bytes()).expect("a decimal")
    }

    fn fires(direction: Direction, hysteresis: &str, prices: &[&str]) -> Vec<bool> {
        let mut alert =
            ThresholdAlert::new(0, direction, decimal("100"), decimal(hysteresis)).expect("an alert");
        prices.iter().map(|price| alert.observe(decimal(price))).collect()
    }

    #[test]
    fn fires_once_and_again_after_the_hysteresis() {
        let prices = ["99", "100", "101", "98", "100", "97.99", "99", "100.00"];
        let expected = [false, true, false, false, false, false, false, true];
        assert_eq!(fires(Direction::Above, "2", &prices), expected);
        let prices = ["101", "100", "99", "102", "100", "102.01", "101", "99"];
        assert_eq!(fires(Direction::Below, "2", &prices), expected);
    }

    #[test]
    fn first_price_beyond_the_level_fires() {
        assert_eq!(
            fires(Direction::Above, "0", &["150", "100", "99.99", "100"]),
            [true, false, false, true]
        );
        assert_eq!(
            fires(Direction::Below, "0", &["50", "100", "100.01", "100"]),
            [true, false, false, true]
        );
    }

    #[test]
    fn faults_are_told_apart() {
        let new = |level: &str, hysteresis: &str| {
            ThresholdAlert::new(0, Direction::Above, decimal(level), decimal(hysteresis))
                .expect_err("a fault")
        };
        assert_eq!(
            new("1", "-1"),
            AlertError::NegativeHysteresis { got: decimal("-1") }
        );
        let (level, hysteresis) = (decimal("999999999999999999"), decimal("0.1"));
        assert_eq!(
            new("999999999999999999", "0.1"),
            AlertError::Range { level, hysteresis }
        );
        let stray = ThresholdAlert::new(u32::MAX, Direction::Above, level, Decimal::ZERO).expect("an alert");
        assert_eq!(
            AlertSet::new().add(stray),
            Err(AlertError::Symbol { got: u32::MAX })
        );
    }

    #[test]
    fn set_keeps_numbers_and_symbols_apart() {
        let mut set = AlertSet::new();
        let mut add = |symbol, level: &str| {
            let alert = ThresholdAlert::new(symbol, Direction::Above, decimal(level), Decimal::ZERO);
            set.add(alert.expect("an alert")).expect("room")
        };
        let (low, high, other) = (add(5, "10"), add(5, "20"), add(6, "10"));
        let quote = |symbol, price: &str| Quote {
            symbol,
            price: decimal(price),
            size: Decimal::ZERO,
            time_ns: 0,
            sequence: 0,
        };
        let mut fired = Vec::new();
        set.push(&quote(5, "15"), &mut fired);
        set.push(&quote(7, "15"), &mut fired);
        assert_eq!(fired.iter().map(|alert| alert.id).collect::<Vec<_>>(), [low]);
        assert_eq!(set.remove(low).map(|alert| alert.is_armed()), Some(false));
        assert_eq!(set.remove(low), None);
        assert_eq!(set.len(), 2);
        set.push(&quote(5, "25"), &mut fired);
        set.push(&quote(6, "25"), &mut fired);
        assert_eq!(
            fired[1..].iter().map(|alert| alert.id).collect::<Vec<_>>(),
            [high, other]
        );
    }

    #[test]
    fn random_walks_fire_as_often_as_the_levels_are_crossed_in_turn() {
        let mut generator = ChaCha8Rng::seed_from_u64(41);
        for _ in 0..200 {
            let hysteresis = generator.gen_range(0..10_i64);
            let level = Decimal::new(1_000, 0).expect("a decimal");
            let width = Decimal::new(hysteresis, 0).expect("a decimal");
            let mut alert = ThresholdAlert::new(0, Direction::Above, level, width).expect("an alert");
            let mut price = 1_000_i64;
            // The sides that were reached, the same side once.
            let mut sides: Vec<bool> = Vec::new();
            let mut fired = 0;
            for _ in 0..500 {
                price += generator.gen_range(-5..=5);
                fired += usize::from(alert.observe(Decimal::new(price, 0).expect("a decimal")));
                let side = match price {
                    1_000.. => Some(true),
                    _ if price < 1_000 - hysteresis => Some(false),
                    _ => None,
                };
                if let Some(side) = side.filter(|side| sides.last() != Some(side)) {
                    sides.push(side);
                }
            }
            assert_eq!(fired, sides.iter().filter(|side| **side).count());
        }
    }
}
