//! The sources of a feed, as declared for C.

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
use std::num::NonZeroU32;
use std::time::Duration;

choices! {
    /// The model of simulated prices.
    pub enum RustleModel = RUSTLE_MODEL_ {
        /// A random walk with steps of one size.
        Walk = 0,
        /// Geometric Brownian motion.
        Gbm = 1,
    }

    /// The format of a source's messages.
    pub enum RustleFormat = RUSTLE_FORMAT_ {
        /// The format that the file name's extension names: `.ndjson`, `.jsonl`, `.json` or `.csv`.
        ByName = 0,
        /// One JSON text per line.
        Ndjson = 1,
        /// Comma-separated values with a header.
        Csv = 2,
    }
}

records! {
    /// The parameters of one symbol's geometric Brownian motion.
    pub struct RustleGbmParameters {
        /// The initial price in units of 10^-`price_scale`: 1 to 10^15. The price moves by this unit; the first trade is one step
        /// later. Example: 100.
        pub price_units: i64,
        /// The expected growth per year as a continuous rate, -1,000 to 1,000.
        pub drift: f64,
        /// The standard deviation of the price's logarithm after a year, 0 to 1,000.
        pub volatility: f64,
        /// Digits of the price after the point, 0 to 18.
        pub price_scale: u32,
        reserved: u32,
    }

    /// A feed of simulated prices.
    pub struct RustleSimulatedFeed lending memory {
        /// The symbols: distinct names of 1 to 32 bytes without white space or control characters.
        pub symbols: Lent<RustleString>,
        /// The number of symbols, 1 to 100,000.
        pub symbol_count: usize,
        /// The parameters of `RUSTLE_MODEL_GBM`, in the order of the symbols; missing ones have no drift and a volatility of 0.5.
        /// Not read for other models.
        pub parameters: Lent<RustleGbmParameters>,
        /// The number of parameters, at most that of the symbols.
        pub parameter_count: usize,
        /// Updates per second of each symbol, 0.001 to 10,000,000. Example: 1000.
        pub updates_per_second: f64,
        /// The same seed, symbols and model give the same prices.
        pub seed: u64,
        /// The number of updates after which the source ends; 0: no limit.
        pub update_limit: u64,
        /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The model of the prices.
        pub model: Choice<RustleModel>,
        reserved: u32,
    }

    /// A feed that replays a file.
    pub struct RustleReplayFeed lending memory {
        /// The path of the file, which may be compressed with gzip. Example: "Cargo.toml".
        pub path: RustleString,
        /// The schema that maps its messages to trades, as text: `symbol=s,price=p,time=T:ms`; empty: the schema of `rustle
        /// ticker --json`.
        pub schema: RustleString,
        /// The speed relative to the recording, 0.001 to 1,000,000; 0: without waiting.
        pub speed: f64,
        /// Trades before this time are skipped; in nanoseconds since 1970-01-01T00:00:00Z. Read only when `has_from` is not 0.
        pub from_ns: i64,
        /// Trades at this time or later are skipped; in nanoseconds since 1970-01-01T00:00:00Z. Read only when `has_to` is not 0.
        pub to_ns: i64,
        /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The file's format. Example: 1.
        pub format: Choice<RustleFormat>,
        /// Not 0: the replay begins again at the end of the file.
        pub repeats: Flag,
        /// Not 0: `from_ns` counts.
        pub has_from: Flag,
        /// Not 0: `to_ns` counts.
        pub has_to: Flag,
        /// Not 0: the first malformed message ends the feed as failed, after the trades before it.
        pub is_strict: Flag,
        reserved: u32,
    }

    /// A feed from another process, over a connection that is established again whenever it is lost.
    pub struct RustleLiveFeed lending memory {
        /// The address: `host:port`, `tcp://host:port`, `[::1]:port` or `unix:/path`. Example: "unix:/no/such/socket".
        pub address: RustleString,
        /// Which member of a JSON message, one per line, is which of a trade, such as `symbol=s,price=p`; empty: `symbol`, `price`, `size`…
        pub schema: RustleString,
        /// The token that the source requires, 16 to 512 bytes, sent as the first line of each connection; empty: none.
        pub token: RustleString,
        /// The timeout of an attempt to connect, in ns: 10 ms to 1 day. Example: 1000000000.
        pub connecting_ns: u64,
        /// The time without data after which the connection counts as lost, in ns: 10 ms to 1 day; 0: no limit.
        pub silence_ns: u64,
        /// The longest wait before the second attempt, in ns: 1 ms to `cap_ns`. It doubles with each consecutive failure.
        /// Example: 1000000.
        pub base_ns: u64,
        /// The upper limit of the longest wait, in ns: at most 1 day. Example: 4000000.
        pub cap_ns: u64,
        /// The time in ns after which a connection without trades counts as healthy, as one with trades does at once: the next
        /// failure is then the first again.
        pub healthy_ns: u64,
        /// The runtime: 0 for the shared one, or a handle of `rustle_runtime_new_manual`, whose time then decides the timeouts
        /// and waits of the connection.
        pub runtime: RustleHandle,
        /// Not 0: the sequence numbers of its trades begin anew with each connection. Otherwise trades sent while there was no
        /// connection are reported as a sequence gap.
        pub restarts_numbers: Flag,
        /// Not 0: the subscribed symbols are sent to the source after each connection and each change; see docs/market.md.
        pub subscribes: Flag,
        /// The number of consecutive failures after which the feed ends as failed, the loss of a healthy connection being the
        /// first; 0: no limit. Example: 4.
        pub attempts: u32,
        reserved: u32,
    }

    /// An external feed, whose bytes the host passes to `rustle_feed_push`.
    pub struct RustleExternalFeed lending memory {
        /// Which member of a JSON message, one per line, is which of a trade, such as `symbol=s,price=p`; empty: `symbol`, `price`, `size`…
        pub schema: RustleString,
        /// The runtime that it runs on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
        /// The maximum length of a message in bytes, 1 to 16,777,216; a longer one is counted and skipped. 0: 65,536.
        pub message_limit: usize,
        /// `RUSTLE_FORMAT_NDJSON` or `RUSTLE_FORMAT_CSV`. Example: 1.
        pub format: Choice<RustleFormat>,
        /// Not 0: the sequence numbers of its trades begin anew with each connection that the host reports.
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
            to_ns: self.has_to.is_set().then_some(self.to_ns),
            is_strict: self.is_strict.is_set(),
        })
    }
}

impl RustleLiveFeed {
    pub(super) fn read(&self) -> Outcome<FeedError, LiveConfiguration> {
        CallFault::check_reserved(self.reserved, "configuration.reserved")?;
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
                attempts: NonZeroU32::new(self.attempts),
            },
            restarts_numbers: self.restarts_numbers.is_set(),
            subscribes: self.subscribes.is_set(),
            token: match self.token.text("configuration.token")? {
                "" => None,
                token => Some(token.to_owned()),
            },
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

/// The format; `None`: the one that the file's name implies.
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
