//! Where a feed's trades come from, as C says it.

use super::decimal;
use crate::fault::Outcome;
use crate::lent::{choices, Choice, Flag, Lent, RustleString};
use crate::records::records;
use crate::status::CallFault;
use crate::ticker::lent_names;
use crate::RustleHandle;
use rustle_engines::{
    ExternalConfiguration, FeedError, LiveConfiguration, Model, ReplayConfiguration, SimulatedConfiguration,
};
use rustle_market::{BackoffSettings, Format, GbmParameters, Pace, Schema, DEFAULT_LINE_BYTES, MAX_SYMBOLS};
use std::time::Duration;

choices! {
    /// How simulated prices move.
    pub enum RustleModel = RUSTLE_MODEL_ {
        /// Prices move by small random steps, all the same in size.
        Walk = 0,
        /// Prices follow geometric Brownian motion.
        Gbm = 1,
    }

    /// What the messages of a source are.
    pub enum RustleFormat = RUSTLE_FORMAT_ {
        /// The format that the ending of the file's name says: `.ndjson`, `.jsonl`, `.json` or `.csv`.
        ByName = 0,
        /// A JSON text a line.
        Ndjson = 1,
        /// Comma-separated values with a header.
        Csv = 2,
    }
}

records! {
    /// How one symbol's price moves in geometric Brownian motion.
    pub struct RustleGbmParameters {
        /// The price that it moves from, in units of 10^-`price_scale`: 1 to 10^15. It moves by this unit; the first trade is a
        /// step on. Example: 100.
        pub price_units: i64,
        /// The expected growth per year as a continuous rate, -1,000 to 1,000.
        pub drift: f64,
        /// The standard deviation of the price's logarithm after a year, 0 to 1,000.
        pub volatility: f64,
        /// Digits of the price after the point, 0 to 18.
        pub price_scale: u32,
        reserved: u32,
    }

    /// A feed of prices that are made up.
    pub struct RustleSimulatedFeed lending memory {
        /// The symbols that there are: distinct names of 1 to 32 bytes without white space or control characters.
        pub symbols: Lent<RustleString>,
        /// How many symbols, 1 to 100,000.
        pub symbol_count: usize,
        /// How prices move with `RUSTLE_MODEL_GBM`, in the order of the symbols; those that are missing have no drift and a
        /// volatility of 0.5. Not read for other models.
        pub parameters: Lent<RustleGbmParameters>,
        /// How many parameters, at most as many as symbols.
        pub parameter_count: usize,
        /// Updates a second of each symbol, 0.001 to 10,000,000. Example: 1000.
        pub updates_per_second: f64,
        /// The same seed, symbols and model give the same prices.
        pub seed: u64,
        /// The number of updates after which the source ends; 0: it does not.
        pub update_limit: u64,
        /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// How prices move.
        pub model: Choice<RustleModel>,
        reserved: u32,
    }

    /// A feed that plays a file.
    pub struct RustleReplayFeed lending memory {
        /// The file. Example: "Cargo.toml".
        pub path: RustleString,
        /// How its messages make trades, as text: `symbol=s,price=p,time=T:ms`; empty: the schema of `rustle ticker --json`.
        pub schema: RustleString,
        /// How many times as fast as it was recorded, 0.001 to 1,000,000; 0: without waiting.
        pub speed: f64,
        /// Trades before this time are passed over: nanoseconds since 1970-01-01T00:00:00Z. Read only when `has_from` is not 0.
        pub from_ns: i64,
        /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The file's format. Example: 1.
        pub format: Choice<RustleFormat>,
        /// Not 0: it begins again when it has come to its end.
        pub repeats: Flag,
        /// Not 0: `from_ns` counts.
        pub has_from: Flag,
        reserved: u32,
    }

    /// A feed from another process, over a connection that is made again whenever it is lost.
    pub struct RustleLiveFeed lending memory {
        /// Where it is: `host:port`, `tcp://host:port`, `[::1]:port` or `unix:/path`.
        /// Example: "unix:/no/such/socket".
        pub address: RustleString,
        /// How its messages, one a line, make trades, as text; empty: the schema of `rustle ticker --json`.
        pub schema: RustleString,
        /// How long it may take to accept a connection, in ns: 10 ms to 1 day. Example: 1000000000.
        pub connecting_ns: u64,
        /// How long it may be silent before the connection counts as lost, in ns: 10 ms to 1 day; 0: for ever.
        pub silence_ns: u64,
        /// The longest wait before the second attempt, in ns: 1 ms to `cap_ns`. It doubles with each failure in a row.
        /// Example: 1000000.
        pub base_ns: u64,
        /// What it stops growing at, in ns: at most 1 day. Example: 4000000.
        pub cap_ns: u64,
        /// A connection that held for so many ns counts as healthy: the next failure is the first again.
        pub healthy_ns: u64,
        /// The runtime of its consumers: 0 for the shared one, or a handle of `rustle_runtime_new_manual`. The connection is read
        /// on a thread of its own whatever the runtime.
        pub runtime: RustleHandle,
        /// Not 0: the numbers of its trades begin anew with each connection. Where they go on, what was sent while there was no
        /// connection is reported as skipped.
        pub restarts_numbers: Flag,
        /// Not 0: it is sent which symbols are wanted, after each connection and each change; see docs/market.md.
        pub subscribes: Flag,
    }

    /// A feed whose bytes the host brings, by `rustle_feed_push`.
    pub struct RustleExternalFeed lending memory {
        /// How its messages, one a line, make trades, as text; empty: the schema of `rustle ticker --json`.
        pub schema: RustleString,
        /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The most bytes of a message, 1 to 16,777,216; a longer one is counted and skipped. 0: 65,536.
        pub message_limit: usize,
        /// `RUSTLE_FORMAT_NDJSON` or `RUSTLE_FORMAT_CSV`. Example: 1.
        pub format: Choice<RustleFormat>,
        /// Not 0: the numbers of its trades begin anew with each connection that the host reports.
        pub restarts_numbers: Flag,
    }
}

impl RustleSimulatedFeed {
    pub(super) fn read(&self) -> Outcome<FeedError, SimulatedConfiguration> {
        CallFault::check_reserved(self.reserved, "configuration.reserved")?;
        let model = match self.model.get("configuration.model")? {
            RustleModel::Walk => Model::Walk,
            RustleModel::Gbm => Model::Gbm(self.parameters()?),
        };
        let symbols = lent_names::<FeedError>(&self.symbols, self.symbol_count, "configuration.symbols")?;
        Ok(SimulatedConfiguration {
            symbols: symbols.into_iter().map(str::to_owned).collect(),
            updates_per_second: self.updates_per_second,
            seed: self.seed,
            update_limit: (self.update_limit != 0).then_some(self.update_limit),
            model,
        })
    }

    /// The parameters of the model. A list that is too long for any number of symbols is refused before it is read.
    fn parameters(&self) -> Outcome<FeedError, Vec<GbmParameters>> {
        if self.parameter_count > MAX_SYMBOLS {
            let (symbols, got) = (self.symbol_count, self.parameter_count);
            return Err(FeedError::ModelCount { symbols, got }.into());
        }
        let (count, name) = (self.parameter_count, "configuration.parameters");
        Ok((self.parameters).read(count, MAX_SYMBOLS, name, RustleGbmParameters::read)?)
    }
}

impl RustleGbmParameters {
    fn read(&self) -> Result<GbmParameters, CallFault> {
        CallFault::check_reserved(self.reserved, "configuration.parameters.reserved")?;
        let scale = u8::try_from(self.price_scale).unwrap_or(u8::MAX);
        Ok(GbmParameters {
            price: decimal(self.price_units, scale, "configuration.parameters.price")?,
            drift: self.drift,
            volatility: self.volatility,
        })
    }
}

impl RustleReplayFeed {
    pub(super) fn read(&self) -> Outcome<FeedError, ReplayConfiguration> {
        CallFault::check_reserved(self.reserved, "configuration.reserved")?;
        Ok(ReplayConfiguration {
            path: self.path.text("configuration.path")?.into(),
            format: format(self.format)?,
            schema: schema(&self.schema)?,
            pace: if self.speed == 0.0 {
                Pace::Unpaced
            } else {
                Pace::Times(self.speed)
            },
            repeats: self.repeats.is_set(),
            from_ns: self.has_from.is_set().then_some(self.from_ns),
        })
    }
}

impl RustleLiveFeed {
    pub(super) fn read(&self) -> Outcome<FeedError, LiveConfiguration> {
        let address = self.address.text("configuration.address")?;
        Ok(LiveConfiguration {
            address: address.parse().map_err(FeedError::from)?,
            schema: schema(&self.schema)?,
            connecting: Duration::from_nanos(self.connecting_ns),
            silence: (self.silence_ns != 0).then_some(Duration::from_nanos(self.silence_ns)),
            backoff: BackoffSettings {
                base_ns: self.base_ns,
                cap_ns: self.cap_ns,
                healthy_ns: self.healthy_ns,
            },
            restarts_numbers: self.restarts_numbers.is_set(),
            subscribes: self.subscribes.is_set(),
        })
    }
}

impl RustleExternalFeed {
    pub(super) fn read(&self) -> Outcome<FeedError, ExternalConfiguration> {
        let problem = "expected RUSTLE_FORMAT_NDJSON or RUSTLE_FORMAT_CSV, got RUSTLE_FORMAT_BY_NAME";
        let nameless = CallFault::value("configuration.format", problem);
        Ok(ExternalConfiguration {
            format: format(self.format)?.ok_or(nameless)?,
            schema: schema(&self.schema)?,
            message_limit: match self.message_limit {
                0 => DEFAULT_LINE_BYTES,
                limit => limit,
            },
            restarts_numbers: self.restarts_numbers.is_set(),
        })
    }
}

/// The format; `None`: the one that the file's name says.
fn format(number: Choice<RustleFormat>) -> Result<Option<Format>, CallFault> {
    Ok(match number.get("configuration.format")? {
        RustleFormat::ByName => None,
        RustleFormat::Ndjson => Some(Format::Ndjson),
        RustleFormat::Csv => Some(Format::Csv),
    })
}

fn schema(schema: &RustleString) -> Outcome<FeedError, Schema> {
    match schema.text("configuration.schema")? {
        "" => Ok(Schema::default()),
        text => Ok(Schema::parse(text).map_err(FeedError::from)?),
    }
}
