//! Simulated prices.

use super::error::FeedError;
use super::hub::Demand;
use super::intake::{LARGEST_BATCH, TradeIntake};
use super::source::{Moment, Next, Source};
use crate::schedule::Skipped;
use crate::ticker::RATE_RANGE;
use crate::turns::Turns;
use rustle_market::{
    Decimal, GbmParameters, GeometricBrownianMotion, RandomWalk, SymbolList, SymbolTable, Trade,
};

/// The model of simulated prices.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Small random steps, all the same in size: [`RandomWalk`].
    Walk,
    /// [`GeometricBrownianMotion`] with the parameters of each symbol, in the order of the symbols; missing ones are
    /// [`GbmParameters::usual`].
    Gbm(Vec<GbmParameters>),
}

/// A source of simulated prices.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedConfiguration {
    /// The symbols: 1 to [`MAX_SYMBOLS`](rustle_market::MAX_SYMBOLS) distinct names.
    pub symbols: Vec<String>,
    /// Updates per second of each symbol, within [`RATE_RANGE`].
    pub updates_per_second: f64,
    /// The same seed, symbols and model give the same prices.
    pub seed: u64,
    /// The number of updates after which the source ends; `None`: it does not.
    pub update_limit: Option<u64>,
    /// The model of the prices.
    pub model: Model,
}

/// Updates of each symbol in turn, at even intervals, numbered from 0; if the process is held up for more than a second, the
/// numbers of that time are skipped.
pub(super) struct Simulated {
    prices: Prices,
    turns: Turns,
    count: u64,
    /// The time between two updates of one symbol.
    step_ns: i64,
    trades: Vec<Trade>,
    /// The gap of the last turn.
    skipped: Option<Skipped>,
}

enum Prices {
    Walk(RandomWalk),
    Gbm(GeometricBrownianMotion),
}

impl Prices {
    fn step(&mut self, symbol: usize, elapsed_ns: i64) -> Option<Decimal> {
        match self {
            Self::Walk(walk) => walk.step_decimal(symbol),
            Self::Gbm(motion) => motion.step(symbol, elapsed_ns),
        }
    }
}

impl Simulated {
    /// The source and its symbols.
    ///
    /// # Errors
    /// [`FeedError::Symbols`], [`FeedError::RateOutOfRange`], [`FeedError::Model`].
    pub(super) fn new(configuration: &SimulatedConfiguration) -> Result<(Self, SymbolTable), FeedError> {
        let rate = configuration.updates_per_second;
        if !RATE_RANGE.contains(&rate) {
            return Err(FeedError::RateOutOfRange { got: rate });
        }
        let symbols = SymbolList::new(configuration.symbols.iter().map(String::as_str))?;
        let prices = match &configuration.model {
            Model::Walk => Prices::Walk(RandomWalk::new(&symbols, configuration.seed)),
            Model::Gbm(given) => {
                if given.len() > symbols.count() {
                    let (symbols, got) = (symbols.count(), given.len());
                    return Err(FeedError::ModelCount { symbols, got });
                }
                let rest = symbols.symbols()[given.len()..].iter();
                let rest = rest.map(|symbol| GbmParameters::usual(symbol.name()));
                let parameters: Vec<GbmParameters> = given.iter().copied().chain(rest).collect();
                Prices::Gbm(GeometricBrownianMotion::new(&parameters, configuration.seed)?)
            }
        };
        let source = Self {
            prices,
            turns: Turns::new(symbols.count(), rate, configuration.update_limit),
            count: symbols.count() as u64,
            step_ns: (1e9 / rate) as i64,
            trades: Vec::new(),
            skipped: None,
        };
        Ok((source, SymbolTable::from(&symbols)))
    }
}

impl Source for Simulated {
    fn give(&mut self, moment: Moment, gate: &mut TradeIntake) -> Result<Next, String> {
        self.skipped = self.turns.catch_up(moment.now);
        // The market went on meanwhile: unseen trades are a gap in the numbers.
        self.turns
            .pass_over(self.skipped.map_or(0, |skipped| skipped.ticks));
        self.trades.clear();
        for (number, symbol) in self.turns.take(moment.now, moment.most.min(LARGEST_BATCH) as u64) {
            let price = self.prices.step(symbol as usize, self.step_ns);
            self.trades.extend(price.map(|price| Trade {
                side: None,
                quote: None,
                symbol,
                price,
                size: Decimal::ZERO,
                time_ns: moment.wall_ns,
                sequence: number / self.count,
            }));
        }
        gate.pass(&self.trades, moment.wall_ns);
        Ok(self.turns.next(moment.now).map_or(Next::End, Next::At))
    }

    fn take_skipped(&mut self) -> Option<Skipped> {
        self.skipped.take()
    }

    /// All symbols move, with or without subscribers: a later subscription finds the same prices.
    fn hear(&mut self, _: &Demand, _: &mut TradeIntake) {}
}
