//! A seeded random walk of prices.

use crate::{Decimal, Symbol, SymbolList};
use rand::SeedableRng;
use rand::distributions::{Distribution, Uniform};
use rand_chacha::ChaCha8Rng;

/// The largest relative change of one step: 5 basis points, the order of magnitude by which a liquid market moves
/// between two half-seconds.
const LARGEST_STEP: f64 = 5e-4;

/// The base prices of the demo's instruments, in US dollars: round figures, not quotations.
const KNOWN_BASES: [(&str, f64); 8] = [
    ("BTC", 65_000.0),
    ("ETH", 3_500.0),
    ("SOL", 150.0),
    ("AAPL", 225.0),
    ("GOOG", 175.0),
    ("MSFT", 420.0),
    ("NVDA", 130.0),
    ("TSLA", 250.0),
];

/// Prices that move by small random steps: one walker per symbol, all driven by one generator.
///
/// The same seed and the same list give the same prices, bit for bit, on every platform: the generator is ChaCha8 and
/// the arithmetic is IEEE 754 without library functions.
#[derive(Clone, Debug)]
pub struct RandomWalk {
    generator: ChaCha8Rng,
    changes: Uniform<f64>,
    walkers: Vec<Walker>,
}

#[derive(Clone, Debug)]
struct Walker {
    price: f64,
    /// Prices are multiples of 1 / `per_unit`, a power of ten.
    per_unit: f64,
    /// The exponent of `per_unit`: the digits after the point.
    scale: u8,
}

impl RandomWalk {
    /// A walk of `symbols`, each at its base price.
    pub fn new(symbols: &SymbolList, seed: u64) -> Self {
        let walkers = symbols.symbols().iter().map(Walker::new).collect();
        Self {
            generator: ChaCha8Rng::seed_from_u64(seed),
            changes: Uniform::new_inclusive(-LARGEST_STEP, LARGEST_STEP),
            walkers,
        }
    }

    /// Moves the symbol at `index` by one step and returns its new price, finite and above 0; `None` past the end of the
    /// list.
    pub fn step(&mut self, index: usize) -> Option<f64> {
        let walker = self.walkers.get_mut(index)?;
        let change = self.changes.sample(&mut self.generator);
        walker.price = walker.rounded(walker.price * (1.0 + change));
        Some(walker.price)
    }

    /// As [`step`](Self::step), with the price exact.
    pub fn step_decimal(&mut self, index: usize) -> Option<Decimal> {
        let price = self.step(index)?;
        Decimal::from_f64_rounded(price, self.walkers.get(index)?.scale)
    }
}

impl Walker {
    fn new(symbol: &Symbol) -> Self {
        let base = base_price(symbol.name());
        // Six digits after the first: 65000.01, 150.0001.
        let (mut per_unit, mut scale) = (1e6, 6);
        let mut rest = base;
        while rest >= 10.0 {
            rest /= 10.0;
            per_unit /= 10.0;
            scale -= 1;
        }
        let mut walker = Self {
            price: base,
            per_unit,
            scale,
        };
        walker.price = walker.rounded(base);
        walker
    }

    /// The nearest multiple of the increment, and never less than one increment.
    fn rounded(&self, price: f64) -> f64 {
        // Through an integer: `f64::round` is a call into the C library where the processor's level has no such instruction.
        let increments = (price * self.per_unit + 0.5) as i64;
        increments.max(1) as f64 / self.per_unit
    }
}

/// The base price of a symbol, as a decimal whose last digit is its increment.
pub(crate) fn starting_price(name: &str) -> Decimal {
    let base = base_price(name);
    // Six digits after the first, as in `Walker::new`; bases are 10 to below 1,000,000.
    let scale = (0..6)
        .find(|digits| base < 10_f64.powi(*digits))
        .map_or(0, |digits| 7 - digits);
    Decimal::from_f64_rounded(base, scale as u8).unwrap_or_default()
}

/// The base price of a symbol: a known one, or 10 to 1000 derived from the name.
fn base_price(name: &str) -> f64 {
    KNOWN_BASES
        .iter()
        .find(|(known, _)| *known == name)
        .map_or_else(|| derived_price(name), |(_, base)| *base)
}

fn derived_price(name: &str) -> f64 {
    // FNV-1a, 64 bit (Fowler, Noll, Vo): offset basis and prime of that hash.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    10.0 + (hash % 99_000) as f64 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> SymbolList {
        SymbolList::new(names.iter().copied()).expect("well-formed")
    }

    #[test]
    fn same_seed_gives_the_same_bits_and_another_seed_does_not() {
        let run = |seed| {
            let mut walk = RandomWalk::new(&list(&["BTC", "ETH"]), seed);
            (0..1_000)
                .map(|n| walk.step(n % 2).expect("in the list").to_bits())
                .collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn steps_are_small_and_prices_stay_positive() {
        let mut walk = RandomWalk::new(&list(&["BTC", "DUST"]), 7);
        for n in 0..200_000 {
            let index = n % 2;
            let before = walk.walkers[index].price;
            let after = walk.step(index).expect("in the list");
            assert!(after > 0.0 && after.is_finite());
            let half_an_increment = 0.500_001 / walk.walkers[index].per_unit;
            assert!(
                (after - before).abs() <= before * LARGEST_STEP + half_an_increment,
                "{before} to {after}"
            );
        }
    }

    #[test]
    fn smallest_price_does_not_reach_zero() {
        let mut walker = Walker {
            price: 1e-6,
            per_unit: 1e6,
            scale: 6,
        };
        walker.price = walker.rounded(walker.price * (1.0 - LARGEST_STEP));
        assert_eq!(walker.price, 1e-6);
        assert_eq!(walker.rounded(1e-9), 1e-6);
    }

    #[test]
    fn prices_print_without_binary_noise() {
        let mut walk = RandomWalk::new(&list(&["BTC"]), 3);
        for _ in 0..1_000 {
            let text = walk.step(0).expect("in the list").to_string();
            let decimals = text.split('.').nth(1).map_or(0, str::len);
            assert!(decimals <= 2, "{text}");
        }
    }

    #[test]
    fn exact_steps_are_the_same_prices() {
        let symbols = list(&["BTC", "SOL", "DUST"]);
        let (mut walk, mut exact) = (RandomWalk::new(&symbols, 3), RandomWalk::new(&symbols, 3));
        for n in 0..3_000 {
            let (price, decimal) = (walk.step(n % 3), exact.step_decimal(n % 3));
            assert_eq!(price, decimal.map(Decimal::to_f64));
        }
        assert_eq!(exact.step_decimal(3), None);
        assert_eq!(exact.step_decimal(0).map(Decimal::scale), Some(2));
    }

    #[test]
    fn every_name_has_a_base_price() {
        let first = |name| RandomWalk::new(&list(&[name]), 0).walkers[0].price;
        assert_eq!(first("BTC"), 65_000.0);
        // 10 and the FNV-1a hash of "a", 0xaf63dc4c8601ec8c, modulo 99,000, in hundredths.
        assert_eq!(
            first("a"),
            10.0 + f64::from((0xaf63_dc4c_8601_ec8c_u64 % 99_000) as u32) / 100.0
        );
        assert_eq!(RandomWalk::new(&list(&["BTC"]), 0).step(1), None);
    }
}
