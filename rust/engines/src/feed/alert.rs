//! Alerts of a feed: thresholds of symbols that may not be known yet.

use super::derive::{Derive, FeedTrade};
use crate::lane::Record;
use rustle_market::{AlertError, Decimal, Direction, ThresholdAlert, Trade};
use std::collections::HashMap;
use std::sync::Arc;

/// The threshold of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The symbol whose price is watched.
    pub symbol: String,
    /// The side of the level on which it fires.
    pub direction: Direction,
    /// The level.
    pub level: Decimal,
    /// The distance that the price has to go back before it fires again; 0 or above.
    pub hysteresis: Decimal,
}

/// An alert that fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedAlert {
    /// The index of the consumer's threshold, from 0.
    pub threshold: u32,
    /// The trade that reached it.
    pub trade: Trade,
}

impl Record for FeedAlert {
    fn key(&self) -> u32 {
        self.trade.symbol
    }
}

/// The thresholds of a consumer.
pub(super) struct Alerts {
    by_name: HashMap<String, Vec<(u32, Threshold)>>,
    /// The thresholds of the symbols that had a trade, by symbol number.
    by_number: HashMap<u32, Vec<(u32, ThresholdAlert)>>,
    /// The most thresholds that a symbol has.
    most: usize,
}

impl Alerts {
    /// # Errors
    /// [`AlertError`] of the first invalid threshold.
    pub(super) fn new(thresholds: &[Threshold]) -> Result<Self, AlertError> {
        let mut by_name: HashMap<String, Vec<(u32, Threshold)>> = HashMap::new();
        for (number, threshold) in (0..).zip(thresholds) {
            alert(threshold)?;
            let entry = by_name.entry(threshold.symbol.clone()).or_default();
            entry.push((number, threshold.clone()));
        }
        Ok(Self {
            most: by_name.values().map(Vec::len).max().unwrap_or(0),
            by_name,
            by_number: HashMap::new(),
        })
    }
}

fn alert(threshold: &Threshold) -> Result<ThresholdAlert, AlertError> {
    let Threshold {
        direction,
        level,
        hysteresis,
        ..
    } = *threshold;
    ThresholdAlert::new(direction, level, hysteresis)
}

impl Derive<FeedAlert> for Alerts {
    fn take(&mut self, trade: &FeedTrade, names: &[Arc<str>], out: &mut Vec<FeedAlert>) {
        let trade = trade.trade;
        let alerts = self.by_number.entry(trade.symbol).or_insert_with(|| {
            let name = names.get(trade.symbol as usize);
            let thresholds = name.and_then(|name| self.by_name.get(&**name));
            // Each was constructed once before, and is valid.
            let made =
                |(number, threshold): &(u32, Threshold)| alert(threshold).ok().map(|alert| (*number, alert));
            thresholds.into_iter().flatten().filter_map(made).collect()
        });
        for (threshold, alert) in alerts {
            if alert.observe(trade.price) {
                out.push(FeedAlert {
                    threshold: *threshold,
                    trade,
                });
            }
        }
    }

    /// A trade may fire every alert of its symbol.
    fn most(&self) -> usize {
        self.most
    }

    /// The next trade of the symbol is treated as its first.
    fn forget(&mut self, symbol: u32) {
        self.by_number.remove(&symbol);
    }
}
