//! Alerts when a price crosses a threshold.

use crate::Decimal;
use std::fmt;

/// The side of its level on which an alert fires.
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
    level: Decimal,
    direction: Direction,
    /// The price strictly beyond which it is armed again.
    rearm: Decimal,
    is_armed: bool,
}

impl ThresholdAlert {
    /// Makes an armed alert: a first price beyond the level fires. After it fired, `Above` is armed again by a price strictly
    /// below `level` - `hysteresis`, `Below` by one strictly above `level` + `hysteresis`.
    ///
    /// # Errors
    /// [`AlertError::NegativeHysteresis`], and [`AlertError::Range`] when that price has more than 18 digits.
    pub fn new(direction: Direction, level: Decimal, hysteresis: Decimal) -> Result<Self, AlertError> {
        if hysteresis < Decimal::ZERO {
            return Err(AlertError::NegativeHysteresis { got: hysteresis });
        }
        let rearm = match direction {
            Direction::Above => level.checked_sub(hysteresis),
            Direction::Below => level.checked_add(hysteresis),
        };
        Ok(Self {
            level,
            direction,
            rearm: rearm.ok_or(AlertError::Range { level, hysteresis })?,
            is_armed: true,
        })
    }

    /// Takes the next price and returns whether the alert fires.
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

/// The error of an invalid level or hysteresis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertError {
    /// The hysteresis is below 0.
    NegativeHysteresis {
        /// The given hysteresis.
        got: Decimal,
    },
    /// The price at which it would be armed again has more than 18 digits.
    Range {
        /// The level.
        level: Decimal,
        /// The hysteresis.
        hysteresis: Decimal,
    },
}

impl fmt::Display for AlertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeHysteresis { got } => write!(f, "hysteresis: expected 0 or above, got {got}"),
            Self::Range { level, hysteresis } => {
                write!(
                    f,
                    "level and hysteresis: expected at most 18 digits of the price that rearms the alert, got {level} and {hysteresis}"
                )
            }
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
            ThresholdAlert::new(direction, decimal("100"), decimal(hysteresis)).expect("an alert");
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
    fn faults_are_reported_apart() {
        let new = |level: &str, hysteresis: &str| {
            ThresholdAlert::new(Direction::Above, decimal(level), decimal(hysteresis)).expect_err("a fault")
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
    }

    #[test]
    fn random_walks_fire_as_often_as_the_levels_are_crossed_in_turn() {
        let mut generator = ChaCha8Rng::seed_from_u64(41);
        for _ in 0..200 {
            let hysteresis = generator.gen_range(0..10_i64);
            let level = Decimal::new(1_000, 0).expect("a decimal");
            let width = Decimal::new(hysteresis, 0).expect("a decimal");
            let mut alert = ThresholdAlert::new(Direction::Above, level, width).expect("an alert");
            let mut price = 1_000_i64;
            // The sides that were reached, without repetitions.
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
