//! Prices that follow geometric Brownian motion.

use crate::walk::starting_price;
use crate::{Decimal, MAX_SYMBOLS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;

/// A year: 365.25 days of 86,400 s, the Julian year of the IAU.
pub const NS_PER_YEAR: f64 = 365.25 * 86_400.0 * 1e9;
/// The largest magnitude of drift and volatility, per year: far beyond any market, and within it nothing overflows.
pub const LARGEST_RATE: f64 = 1_000.0;
/// The largest price, in increments: prices are decimals of 18 digits with room above.
const MOST_INCREMENTS: f64 = 1e15;
/// The volatility of a symbol without one of its own: between a share's and a cryptocurrency's.
const USUAL_VOLATILITY: f64 = 0.5;

/// The parameters of one symbol's price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GbmParameters {
    /// The initial price, above 0, of at most 15 digits. Its digits after the point determine the increment: 65000.00 moves by
    /// hundredths. The first delivered price is one step after it.
    pub price: Decimal,
    /// The expected growth per year as a continuous rate: 0.05 is about 5 %. At most [`LARGEST_RATE`] in magnitude.
    pub drift: f64,
    /// The standard deviation of the logarithm after a year: 0.5 is 50 %. From 0 to [`LARGEST_RATE`].
    pub volatility: f64,
}

impl GbmParameters {
    /// The initial price of [`RandomWalk`](crate::RandomWalk) for the symbol, no drift, and a volatility of 50 % a year.
    pub fn usual(name: &str) -> Self {
        Self {
            price: starting_price(name),
            drift: 0.0,
            volatility: USUAL_VOLATILITY,
        }
    }
}

/// One price per symbol, all fed by one seeded generator: S(t + d) = S(t) exp((m - v²/2) d + v √d Z) with drift m, volatility v,
/// and Z drawn from the standard normal distribution.
///
/// Delivered prices are rounded to the increment; the motion continues from the price before rounding, which is held between one
/// increment and 10^15 of them. The same seed, parameters, and steps in the same order give the same prices, bit for bit, on
/// every platform: the generator is ChaCha8, the normals are made by Marsaglia's polar method (SIAM Review 6, 1964), and
/// logarithm and exponential come from `libm`, which is the same code everywhere.
#[derive(Clone, Debug)]
pub struct GeometricBrownianMotion {
    generator: ChaCha8Rng,
    /// The second number of a pair of the polar method.
    spare: Option<f64>,
    movers: Vec<Mover>,
}

#[derive(Clone, Copy, Debug)]
struct Mover {
    price: f64,
    scale: u8,
    /// One increment.
    least: f64,
    drift: f64,
    volatility: f64,
}

impl GeometricBrownianMotion {
    /// Makes a motion of the given symbols, each at its first price.
    ///
    /// # Errors
    /// [`GbmError`]: the first fault found; the positions in it count from 0.
    pub fn new(parameters: &[GbmParameters], seed: u64) -> Result<Self, GbmError> {
        if parameters.len() > MAX_SYMBOLS {
            return Err(GbmError::TooMany {
                got: parameters.len(),
            });
        }
        let movers = parameters.iter().enumerate().map(|(n, one)| Mover::new(n, one));
        Ok(Self {
            generator: ChaCha8Rng::seed_from_u64(seed),
            spare: None,
            movers: movers.collect::<Result<_, _>>()?,
        })
    }

    /// Adds a symbol and returns its index.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn add(&mut self, parameters: &GbmParameters) -> Result<usize, GbmError> {
        let position = self.movers.len();
        if position == MAX_SYMBOLS {
            return Err(GbmError::TooMany { got: position + 1 });
        }
        self.movers.push(Mover::new(position, parameters)?);
        Ok(position)
    }

    /// The present price of the symbol at `index`, or `None` past the end.
    pub fn price(&self, index: usize) -> Option<Decimal> {
        self.movers.get(index)?.decimal()
    }

    /// Moves the symbol at `index` on by `elapsed_ns`, and returns its new price, above 0; `None` past the end. A time of 0 or
    /// below moves nothing and draws nothing.
    pub fn step(&mut self, index: usize, elapsed_ns: i64) -> Option<Decimal> {
        if index >= self.movers.len() {
            return None;
        }
        if elapsed_ns > 0 {
            let normal = self.normal();
            self.movers[index].step(elapsed_ns as f64 / NS_PER_YEAR, normal);
        }
        self.price(index)
    }

    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let x = self.coordinate();
            let y = self.coordinate();
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(y * factor);
                return x * factor;
            }
        }
    }

    /// Uniform from -1 to below 1, in steps of 2^-52.
    fn coordinate(&mut self) -> f64 {
        let bits: u64 = self.generator.r#gen();
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

impl Mover {
    fn new(position: usize, parameters: &GbmParameters) -> Result<Self, GbmError> {
        let &GbmParameters {
            price,
            drift,
            volatility,
        } = parameters;
        let scale = price.scale();
        let has_price = price > Decimal::ZERO && (price.units() as f64) <= MOST_INCREMENTS;
        // Written so that NaN fails too.
        let has_rates = drift.abs() <= LARGEST_RATE && (0.0..=LARGEST_RATE).contains(&volatility);
        let least = Decimal::new(1, scale).filter(|_| has_price);
        match least {
            None => Err(GbmError::Price { position, got: price }),
            Some(_) if !has_rates => Err(GbmError::Rate {
                position,
                drift,
                volatility,
            }),
            Some(least) => Ok(Self {
                price: price.to_f64(),
                scale,
                least: least.to_f64(),
                drift,
                volatility,
            }),
        }
    }

    fn step(&mut self, years: f64, normal: f64) {
        let mean = (self.drift - self.volatility * self.volatility / 2.0) * years;
        let growth = libm::exp(mean + self.volatility * years.sqrt() * normal);
        self.price = (self.price * growth).clamp(self.least, self.least * MOST_INCREMENTS);
    }

    fn decimal(&self) -> Option<Decimal> {
        Decimal::from_f64_rounded(self.price, self.scale)
    }
}

/// The error of invalid parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GbmError {
    /// There are more than [`MAX_SYMBOLS`].
    TooMany {
        /// The number of symbols.
        got: usize,
    },
    /// A first price is not above 0, or above 10^15 increments.
    Price {
        /// The symbol's index, from 0.
        position: usize,
        /// The given price.
        got: Decimal,
    },
    /// A drift or a volatility is out of range.
    Rate {
        /// The symbol's index, from 0.
        position: usize,
        /// The drift.
        drift: f64,
        /// The volatility.
        volatility: f64,
    },
}

impl fmt::Display for GbmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { got } => write!(
                f,
                "model parameters: expected those of at most {MAX_SYMBOLS} symbols, got {got}"
            ),
            Self::Price { position, got } => {
                write!(
                    f,
                    "price of symbol {position} (from 0): expected above 0 and at most 15 digits, got {got}"
                )
            }
            Self::Rate {
                position,
                drift,
                volatility,
            } => {
                let (field, least, got) = if drift.abs() <= LARGEST_RATE {
                    ("volatility", 0.0, *volatility)
                } else {
                    ("drift", -LARGEST_RATE, *drift)
                };
                // Debug output is in scientific form for huge and tiny numbers.
                write!(
                    f,
                    "{field} of symbol {position} (from 0): expected {least} to {LARGEST_RATE} a year, got {got:?}"
                )
            }
        }
    }
}

impl std::error::Error for GbmError {}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn parameters(price: &str, drift: f64, volatility: f64) -> GbmParameters {
        GbmParameters {
            price: Decimal::parse(price.as_bytes()).expect("a decimal"),
            drift,
            volatility,
        }
    }

    #[test]
    fn seeded_prices_are_these_on_every_platform() {
        let all = [
            parameters("65000.00", 0.05, 0.6),
            parameters("150.0000", -0.1, 0.9),
        ];
        let mut motion = GeometricBrownianMotion::new(&all, 7).expect("parameters");
        let text: Vec<String> = (0..10)
            .map(|n| {
                motion
                    .step(n % 2, SECOND * 60 * (1 + n as i64))
                    .expect("a price")
                    .to_string()
            })
            .collect();
        assert_eq!(text, GOLDEN);
        let bits: Vec<u64> = motion.movers.iter().map(|mover| mover.price.to_bits()).collect();
        assert_eq!(bits, GOLDEN_BITS);
    }

    /// Computed by this code: they guard against other results on any platform or in a later version.
    const GOLDEN: [&str; 10] = [
        "64983.16", "149.9198", "65070.76", "150.3082", "65215.64", "149.5459", "65038.67", "149.2936",
        "65062.41", "148.3056",
    ];
    const GOLDEN_BITS: [u64; 2] = [4_679_174_922_709_953_034, 4_639_422_057_644_352_074];

    #[test]
    fn logarithms_have_the_moments_of_the_model() {
        let (drift, volatility) = (0.3, 0.8);
        let day = 86_400 * SECOND;
        let mut motion =
            GeometricBrownianMotion::new(&[parameters("1000000.00000000", drift, volatility)], 3)
                .expect("parameters");
        let count = 200_000;
        let mut before = motion.movers[0].price.ln();
        let returns: Vec<f64> = (0..count)
            .map(|_| {
                // From the middle again: the price would leave its bounds after this many days.
                motion.movers[0].price = 1e6;
                before = 1e6_f64.ln();
                motion.step(0, day);
                motion.movers[0].price.ln() - before
            })
            .collect();
        let years = day as f64 / NS_PER_YEAR;
        let mean = returns.iter().sum::<f64>() / f64::from(count);
        let moment =
            |power: i32| returns.iter().map(|r| (r - mean).powi(power)).sum::<f64>() / f64::from(count);
        let deviation = volatility * years.sqrt();
        // Five standard errors of each estimate, from the moments of a normal distribution.
        let error = 5.0 / f64::from(count).sqrt();
        let expected = (drift - volatility * volatility / 2.0) * years;
        assert!((mean - expected).abs() < error * deviation, "{mean} {expected}");
        assert!((moment(2) / deviation.powi(2) - 1.0).abs() < error * 2.0_f64.sqrt());
        assert!((moment(3) / deviation.powi(3)).abs() < error * 6.0_f64.sqrt());
        assert!((moment(4) / deviation.powi(4) - 3.0).abs() < error * 24.0_f64.sqrt());
        let products: f64 = returns
            .windows(2)
            .map(|pair| (pair[0] - mean) * (pair[1] - mean))
            .sum();
        assert!((products / f64::from(count) / deviation.powi(2)).abs() < error);
    }

    #[test]
    fn without_volatility_the_price_grows_by_the_drift_alone() {
        let mut motion =
            GeometricBrownianMotion::new(&[parameters("100.0000", 0.5, 0.0)], 1).expect("parameters");
        motion.step(0, NS_PER_YEAR as i64);
        assert_eq!(
            motion.price(0).map(|price| price.to_string()).as_deref(),
            Some("164.8721")
        );
        assert_eq!(motion.step(0, 0), motion.price(0));
        assert_eq!(motion.step(1, 1), None);
    }

    #[test]
    fn prices_keep_their_digits_and_stay_within_bounds() {
        let all = [
            parameters("0.01", -LARGEST_RATE, LARGEST_RATE),
            parameters("0.01", LARGEST_RATE, 0.0),
        ];
        let mut motion = GeometricBrownianMotion::new(&all, 9).expect("parameters");
        for n in 0..1_000 {
            let price = motion.step(n % 2, i64::MAX / 2).expect("a price");
            assert!(price > Decimal::ZERO && price.scale() == 2);
        }
        assert_eq!(
            motion.price(1).map(|price| price.to_string()).as_deref(),
            Some("10000000000000.00")
        );
    }

    #[test]
    fn another_seed_gives_other_prices_and_added_symbols_move_too() {
        let run = |seed| {
            let mut motion =
                GeometricBrownianMotion::new(&[GbmParameters::usual("BTC")], seed).expect("parameters");
            assert_eq!(motion.add(&GbmParameters::usual("NOBODY-KNOWS")), Ok(1));
            (0..100).map(|n| motion.step(n % 2, SECOND)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        assert_eq!(GbmParameters::usual("BTC").price.to_string(), "65000.00");
    }

    #[test]
    fn faults_are_reported_apart() {
        let fault = |one| {
            GeometricBrownianMotion::new(&[one], 0)
                .map(|_| ())
                .expect_err("a fault")
        };
        for price in ["0", "-1", "1000000000000001"] {
            assert!(matches!(
                fault(parameters(price, 0.0, 0.1)),
                GbmError::Price { position: 0, .. }
            ));
        }
        for (drift, volatility) in [
            (f64::NAN, 0.0),
            (0.0, f64::NAN),
            (0.0, -0.1),
            (1_001.0, 0.0),
            (0.0, 1_001.0),
        ] {
            assert!(matches!(
                fault(parameters("1", drift, volatility)),
                GbmError::Rate { .. }
            ));
        }
        let said = |price, drift, volatility| fault(parameters(price, drift, volatility)).to_string();
        let text = "price of symbol 0 (from 0): expected above 0 and at most 15 digits, got 0";
        assert_eq!(said("0", 0.0, 0.1), text);
        let text = "volatility of symbol 0 (from 0): expected 0 to 1000 a year, got 1001.0";
        assert_eq!(said("1", 0.0, 1_001.0), text);
        let text = "drift of symbol 0 (from 0): expected -1000 to 1000 a year, got -1001.0";
        assert_eq!(said("1", -1_001.0, 0.0), text);
        let many = vec![parameters("1", 0.0, 0.0); MAX_SYMBOLS + 1];
        let got = many.len();
        assert_eq!(
            GeometricBrownianMotion::new(&many, 0).map(|_| ()),
            Err(GbmError::TooMany { got })
        );
    }
}
